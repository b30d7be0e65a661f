// Reference values are worth what is known about them.
#include "truth.hpp"

#include <filesystem>

namespace cairn {
namespace {

TEST(Truth, EveryFileSaysHowItsNumbersCameAbout) {
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(CAIRN_SOURCE_DIR) + "/tests/data")) {
    if (entry.is_directory()) continue;  // robots: read by tests/import
    ASSERT_EQ(entry.path().extension(), ".json") << entry.path();
    const rapidjson::Document document = truth(entry.path().stem().string());
    ASSERT_TRUE(document.HasMember("source") && document["source"].IsString()) << entry.path();
    EXPECT_GT(document["source"].GetStringLength(), 40u) << entry.path();
    ++files;
  }
  EXPECT_GE(files, 13);
}

}  // namespace
}  // namespace cairn
