// A scene that a person plays with: steps, and edits between them. The same scene and the same edits at the same steps give
// the same bits.
#pragma once

#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "lab/describe.hpp"
#include "lab/edit.hpp"
#include "lab/mouse_spring.hpp"
#include "scene/scene_run.hpp"

namespace cairn {

// An edit that cannot be done; the message says why. Nothing was changed.
class EditRefused : public std::runtime_error {
 public:
  explicit EditRefused(const std::string& text) : std::runtime_error(text) {}
};

inline constexpr double kShortestTimeStep = 1e-6;  // s, that a person may choose
inline constexpr int kMostAddedBodies = 10000;     // thrown and dropped, in one session

class LabSession {
 public:
  explicit LabSession(SceneModel model);  // throws SceneError

  void apply(const Edit& edit);  // throws EditRefused
  // One step. If the method refuses the world, nothing moves and the step is not counted. Throws SceneError if a body that
  // appears now cannot be built.
  StepReport step();
  void setAudit(Audit audit);  // the bits do not depend on it
  void setStopFlag(const std::atomic<bool>* flag) { run_.world().setStopFlag(flag); }

  const World& world() const { return run_.world(); }
  const SceneModel& model() const { return run_.model(); }
  long steps() const { return steps_; }  // taken so far
  std::uint64_t stateHash() const { return world().stateHash(); }
  LabSettings settings() const;
  const std::map<BodyId, JointId>& pins() const { return pins_; }
  const std::optional<MouseSpring>& spring() const { return spring_; }

  // Bodies that came and slots that became free since this was last asked.
  struct Changes {
    std::vector<std::uint32_t> removed;
    std::vector<BodyId> added;
    bool any() const { return !removed.empty() || !added.empty(); }
  };
  Changes takeChanges();

 private:
  void set(const SetEdit& edit);
  void setSurfaces(std::optional<double> friction, std::optional<double> restitution);
  void grab(const GrabEdit& edit);
  void pin(const PinEdit& edit);
  void unpin(const UnpinEdit& edit);
  void remove(const DeleteEdit& edit);
  void add(BodyDesc desc, const char* family);

  BodyId need(const std::string& body) const;
  BodyId needMovable(const std::string& body, const char* what) const;
  std::string freeName(std::string_view family) const;
  WorldSettings effectiveSettings() const;
  void coverSurfaces(BodyId body);  // puts friction and restitution over its shapes
  void noteArrivals();
  void wakeAll();

  SceneRun run_;
  SceneModel asked_;  // settings and dt as the person wants them; no bodies
  Audit audit_ = Audit::None;
  std::optional<double> friction_, restitution_;
  std::unordered_map<ShapeId, Material> ownSurfaces_;  // as they were before something was put over them
  std::optional<MouseSpring> spring_;
  BodyId anchor_{};  // what pins hold bodies to
  std::map<BodyId, JointId> pins_;
  std::unordered_set<std::string> sceneNames_;  // also of bodies that are still to come
  std::vector<bool> hasCome_;                   // by the model's order
  int addedBodies_ = 0;
  long steps_ = 0;
  Changes changes_;
};

}  // namespace cairn
