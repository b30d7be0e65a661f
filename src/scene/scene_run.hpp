// A scene in motion: the bodies that are there from the start, and the later ones at their times.
#pragma once

#include <vector>

#include "cairn/world.hpp"
#include "scene/scene_model.hpp"

namespace cairn {

// Adds the bodies that are there at time 0 and their joints to an empty world. Returns one id per body of the model, null
// for those that appear later. Throws SceneError at the place of a body or joint that the world refuses.
std::vector<BodyId> instantiate(const SceneModel& model, World& world);

// Builds everything in a world that is thrown away, later bodies too. Throws SceneError.
void checkModel(const SceneModel& model);

long stepCount(const SceneModel& model);  // that the model's seconds take

class SceneRun {
 public:
  explicit SceneRun(SceneModel model);  // throws SceneError; a body that appears later is checked here, not when it comes

  // Adds what appears now. Called by step(); on its own when something must be measured between the two.
  int admit();
  StepReport step();  // by the model's dt

  World& world() { return world_; }
  const World& world() const { return world_; }
  const SceneModel& model() const { return model_; }
  const std::vector<BodyId>& bodies() const { return bodies_; }  // as in the model; null until it appears
  long stepCount() const { return cairn::stepCount(model_); }

 private:
  SceneModel model_;
  World world_;
  std::vector<BodyId> bodies_;
  std::size_t nextWaiting_ = 0;
  std::vector<std::size_t> waiting_;        // bodies that appear later, by time; those before nextWaiting_ have come
  std::vector<std::size_t> waitingJoints_;  // joints that wait for one of them
};

}  // namespace cairn
