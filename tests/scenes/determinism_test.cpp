// The gallery gives the same bits for any number of threads, and the same as when these hashes were taken.
#include <gtest/gtest.h>

#include <map>

#include "scene/gallery.hpp"
#include "scene/run_report.hpp"

namespace cairn {
namespace {

constexpr int kSteps = 90;

std::uint64_t hashAfter(const std::string& name, int threads) {
  SceneModel model = openScene(name);
  model.settings.threads = threads;
  SceneRun run(std::move(model));
  for (int i = 0; i < kSteps; ++i) run.step();
  return run.world().stateHash();
}

TEST(GalleryDeterminism, OneTwoAndFourThreadsGiveTheSameBits) {
  for (const std::string_view name : galleryNames()) {
    const std::uint64_t one = hashAfter(std::string(name), 1);
    EXPECT_EQ(one, hashAfter(std::string(name), 2)) << name;
    EXPECT_EQ(one, hashAfter(std::string(name), 4)) << name;
  }
}

// When a change is meant to alter results, run this test and copy the hashes it prints; say why in the commit.
TEST(GalleryDeterminism, StatesAreTheOnesRecorded) {
  const std::map<std::string, std::uint64_t> golden = {
#include "scenes/golden_hashes.inc"
  };
  for (const std::string_view name : galleryNames()) {
    const std::uint64_t now = hashAfter(std::string(name), 1);
    const auto recorded = golden.find(std::string(name));
    char line[96];
    std::snprintf(line, sizeof line, "{\"%s\", 0x%016llxu},", std::string(name).c_str(),
                  static_cast<unsigned long long>(now));
    if (recorded == golden.end()) {
      ADD_FAILURE() << "not recorded: " << line;
    } else {
      EXPECT_EQ(now, recorded->second) << "now " << line;
    }
  }
}

}  // namespace
}  // namespace cairn
