// Scenes written in the tests themselves.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "scene/scene_file.hpp"

namespace cairn {

// A scene with these top-level fields besides the version.
inline std::string sceneWith(const std::string& fields) { return "{\"cairn\": 1, " + fields + "}"; }

inline SceneModel load(const std::string& text, const std::vector<Override>& overrides = {}) {
  return loadSceneText("test.json", text, overrides);
}

// The problems of a scene that must not load.
inline std::vector<SceneProblem> problemsOf(const std::string& text, const std::vector<Override>& overrides = {}) {
  try {
    load(text, overrides);
  } catch (const SceneError& error) {
    EXPECT_FALSE(error.problems().empty());
    return error.problems();
  }
  ADD_FAILURE() << "loaded: " << text;
  return {SceneProblem{}};
}

}  // namespace cairn
