// Where a scene came from, with all that is needed to build it again elsewhere: a gallery name, or the text of its files.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "scene/scene_file.hpp"
#include "scene/scene_model.hpp"

namespace cairn {

struct SceneOrigin {
  std::string scene;                         // a gallery name, or the path of the first file
  std::vector<Override> set;                 // as --set, in their order
  std::map<std::string, std::string> files;  // text by path, included ones too; empty for a gallery scene
};

struct OpenedScene {
  SceneOrigin origin;
  SceneModel model;
};

// As openScene(), and remembers what was read. Throws SceneError.
OpenedScene openWithOrigin(const std::string& nameOrPath, std::vector<Override> set);
// Adds the settings that options outside of --set can change (step, stepper, solver, threads), as they are in the model.
void addOptions(SceneOrigin& origin, const SceneModel& model);
// The same scene again, from the origin alone: nothing is read from the disk. Throws SceneError.
SceneModel reopen(const SceneOrigin& origin);

}  // namespace cairn
