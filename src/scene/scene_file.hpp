// Reading scene files: text, includes, parameters and overrides become one SceneModel, or a SceneError and nothing.
#pragma once

#include <string>
#include <vector>

#include "scene/scene_model.hpp"

namespace cairn {

// `--set key=value`: a parameter of the scene, or a setting written as settings.soft.substeps.
struct Override {
  std::string key;
  std::string value;
};

// Where the text of scene files comes from: the disk, or the gallery inside the program.
class SceneSource {
 public:
  virtual ~SceneSource() = default;
  virtual std::string read(const std::string& path) const = 0;  // throws SceneError
  // The path of a file that `from` includes.
  virtual std::string resolve(const std::string& from, const std::string& included) const = 0;
  // The same for two paths of one file.
  virtual std::string identity(const std::string& path) const { return path; }
  // Whether it is one that a scene may include: no pipe, no device.
  virtual bool isOrdinary(const std::string&) const { return true; }
};

class DiskSource : public SceneSource {
 public:
  std::string read(const std::string& path) const override;
  std::string resolve(const std::string& from, const std::string& included) const override;
  std::string identity(const std::string& path) const override;
  bool isOrdinary(const std::string& path) const override;
};

inline constexpr int kMaximumIncludeDepth = 16;
inline constexpr int kMaximumIncludedFiles = 1000;

SceneModel loadScene(const SceneSource& source, const std::string& path, const std::vector<Override>& overrides = {});
// A file on the disk.
SceneModel loadSceneFile(const std::string& path, const std::vector<Override>& overrides = {});
// Text that is in memory; its includes are looked for on the disk, relative to `name`.
SceneModel loadSceneText(const std::string& name, const std::string& text, const std::vector<Override>& overrides = {});

// Takes the settings.* among the overrides into the model; the rest must have been taken by the caller.
void applySettingOverrides(const std::vector<Override>& overrides, SceneModel& model, ProblemList& problems);
bool isSettingKey(const std::string& key);
// Checks the text of an override against a parameter's range; reports and returns the old value if it does not fit.
double readParameter(const Override& given, const SceneParameter& parameter, ProblemList& problems);
// Says which keys --set takes.
SceneProblem unknownOverride(const Override& given, const std::vector<SceneParameter>& parameters);

}  // namespace cairn
