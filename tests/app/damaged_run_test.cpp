// Damaged scenes that can still be read are run, under any method: whatever is in them, there is a result or a message.
#include "app/running.hpp"
#include "cairn/world.hpp"
#include "scene/embedded_scenes.hpp"
#include "scene/random.hpp"
#include "scene/scene_error.hpp"
#include "scene/scene_file.hpp"

namespace cairn {
namespace {

constexpr std::size_t kMostBodies = 60;  // more take too long for some methods

class DamagedRuns : public InAFolder {};

// A digit, a sign, an exponent here and there: most of it is still JSON.
std::string damaged(std::string text, Random& random) {
  constexpr std::string_view bytes = "0123456789.-eE";
  const int changes = 1 + static_cast<int>(random.bits() % 3);
  for (int i = 0; i < changes; ++i) {
    const std::size_t start = random.bits() % text.size();
    const std::size_t digit = text.find_first_of("0123456789", start);
    if (digit == std::string::npos) continue;
    const char byte = bytes[random.bits() % bytes.size()];
    if (random.bits() % 2 == 0) {
      text[digit] = byte;
    } else {
      text.insert(digit, 1, byte);
    }
  }
  return text;
}

TEST_F(DamagedRuns, EndWithAResultOrAMessage) {
  Random random(5);
  const auto steppers = stepperNames();
  int runs = 0, refusals = 0;
  for (const EmbeddedScene& scene : embeddedScenes()) {
    for (int round = 0; round < 12; ++round) {
      const std::string text = damaged(std::string(scene.text), random);
      const std::string stepper(steppers[random.bits() % steppers.size()]);
      try {
        const SceneModel model = loadSceneText("damaged.json", text);
        if (model.bodies.size() > kMostBodies || model.dt < 1e-4) continue;
      } catch (const SceneError&) {
        ++refusals;
      }
      const Outcome outcome =
          run({"run", write("damaged.json", text), "--seconds", "0.05", "--stepper", stepper, "--quiet"});
      EXPECT_TRUE(outcome.code == kExitOk || outcome.code == kExitBadInput)
          << scene.path << " under " << stepper << ": " << outcome.err << "\n"
          << text;
      EXPECT_EQ(outcome.code == kExitBadInput, !outcome.err.empty()) << outcome.err;
      ++runs;
    }
  }
  EXPECT_GT(runs, 100);
  EXPECT_GT(refusals, 10);
}

}  // namespace
}  // namespace cairn
