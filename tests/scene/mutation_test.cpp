// Damaged files: whatever happens to a scene, the reader answers with a model or with a message that has a place.
#include "scene/embedded_scenes.hpp"
#include "scene/helpers.hpp"
#include "scene/random.hpp"

namespace cairn {
namespace {

// What it includes is not there, which is an answer too.
void expectAnAnswer(const std::string& text) {
  try {
    load(text);
  } catch (const SceneError& error) {
    const SceneProblem& problem = error.problems().front();
    EXPECT_TRUE(problem.line > 0 || text.empty()) << error.what();
    EXPECT_FALSE(problem.message.empty());
  }
}

TEST(DamagedScenes, CutOffAnywhere) {
  for (const EmbeddedScene& scene : embeddedScenes()) {
    const std::string text(scene.text);
    const std::size_t stride = std::max<std::size_t>(1, text.size() / 300);
    for (std::size_t size = 0; size < text.size(); size += stride) expectAnAnswer(text.substr(0, size));
  }
}

TEST(DamagedScenes, WithBytesChanged) {
  Random random(7);
  constexpr std::string_view interesting = "{}[]\",:0129.-eE$#/*\\\n\t \xFF\x00t";
  for (const EmbeddedScene& scene : embeddedScenes()) {
    for (int round = 0; round < 200; ++round) {
      std::string text(scene.text);
      const int changes = 1 + static_cast<int>(random.bits() % 3);
      for (int i = 0; i < changes; ++i) {
        const std::size_t at = random.bits() % text.size();
        const std::uint64_t how = random.bits() % 4;
        const char byte = how == 0 ? static_cast<char>(random.bits()) : interesting[random.bits() % interesting.size()];
        if (how == 1) {
          text.erase(at, 1 + random.bits() % 8);
        } else if (how == 2) {
          text.insert(at, 1, byte);
        } else {
          text[at] = byte;
        }
        if (text.empty()) text = "x";
      }
      expectAnAnswer(text);
    }
  }
}

TEST(DamagedScenes, RandomBytes) {
  Random random(11);
  for (int round = 0; round < 500; ++round) {
    std::string text;
    const std::size_t size = random.bits() % 200;
    for (std::size_t i = 0; i < size; ++i) text += static_cast<char>(random.bits());
    expectAnAnswer(text);
  }
}

}  // namespace
}  // namespace cairn
