#include "scene/scene_run.hpp"

#include <fmt/format.h>

#include <unordered_set>

namespace cairn {
namespace {

// Steps end at multiples of dt, up to rounding.
constexpr double kTimeTolerance = 1e-9;  // s

[[noreturn]] void refuse(const SceneModel& model, std::size_t origin, const std::string& name, const char* why) {
  SourcePlace place;
  if (origin < model.origins.size()) place = model.origins[origin];
  if (place.field.empty()) place.field = name;
  SceneProblem problem = problemAt(place, fmt::format("\"{}\" cannot be built: {}", name, why));
  if (!place.source) problem.file = "scene " + model.name;
  throw SceneError({std::move(problem)});
}

World makeWorld(const SceneModel& model) {
  try {
    return World(model.settings);
  } catch (const std::invalid_argument& error) {
    throw SceneError({problemOfFile("scene " + model.name, fmt::format("settings: {}", error.what()))});
  }
}

BodyId add(const SceneModel& model, const SceneBody& body, World& world) {
  try {
    return world.addBody(body.desc);
  } catch (const std::invalid_argument& error) {
    refuse(model, body.origin, body.desc.name, error.what());
  }
}

// Adds the joints whose bodies are both there; returns those that must wait.
std::vector<std::size_t> addJoints(const SceneModel& model, const std::vector<std::size_t>& joints, World& world) {
  std::vector<std::size_t> waiting;
  for (const std::size_t index : joints) {
    const SceneJoint& joint = model.joints[index];
    const auto a = world.findBody(joint.a);
    const auto b = world.findBody(joint.b);
    if (!a || !b) {
      waiting.push_back(index);
      continue;
    }
    JointDesc desc = joint.desc;
    desc.a = *a;
    desc.b = *b;
    try {
      world.addJoint(desc);
    } catch (const std::invalid_argument& error) {
      refuse(model, joint.origin, joint.desc.name, error.what());
    }
  }
  return waiting;
}

// All of them, once their bodies are known to be in the scene: a joint to a body that never comes would wait in silence.
std::vector<std::size_t> allJoints(const SceneModel& model) {
  std::unordered_set<std::string> names;
  for (const SceneBody& body : model.bodies) names.insert(body.desc.name);
  for (const SceneJoint& joint : model.joints) {
    for (const std::string& name : {joint.a, joint.b}) {
      if (names.contains(name)) continue;
      refuse(model, joint.origin, joint.desc.name,
             fmt::format("it joins \"{}\", which is no body of the scene", name).c_str());
    }
  }
  std::vector<std::size_t> joints(model.joints.size());
  for (std::size_t i = 0; i < joints.size(); ++i) joints[i] = i;
  return joints;
}

}  // namespace

std::vector<BodyId> instantiate(const SceneModel& model, World& world) {
  std::vector<BodyId> bodies;
  bodies.reserve(model.bodies.size());
  for (const SceneBody& body : model.bodies) {
    bodies.push_back(body.appear <= 0.0 ? add(model, body, world) : BodyId{});
  }
  addJoints(model, allJoints(model), world);
  return bodies;
}

void checkModel(const SceneModel& model) {
  World world = makeWorld(model);
  for (const SceneBody& body : model.bodies) add(model, body, world);
  addJoints(model, allJoints(model), world);
}

long stepCount(const SceneModel& model) {
  return std::max(1L, static_cast<long>(std::ceil(model.seconds / model.dt - 1e-6)));
}

SceneRun::SceneRun(SceneModel model) : model_(std::move(model)), world_(makeWorld(model_)) {
  for (std::size_t i = 0; i < model_.bodies.size(); ++i) {
    if (model_.bodies[i].appear > 0.0) waiting_.push_back(i);
  }
  if (!waiting_.empty()) {
    World trial = makeWorld(model_);
    for (const std::size_t index : waiting_) add(model_, model_.bodies[index], trial);
  }
  std::stable_sort(waiting_.begin(), waiting_.end(),
                   [&](std::size_t a, std::size_t b) { return model_.bodies[a].appear < model_.bodies[b].appear; });
  bodies_.reserve(model_.bodies.size());
  for (const SceneBody& body : model_.bodies) {
    bodies_.push_back(body.appear <= 0.0 ? add(model_, body, world_) : BodyId{});
  }
  waitingJoints_ = addJoints(model_, allJoints(model_), world_);
}

int SceneRun::admit() {
  int count = 0;
  while (nextWaiting_ < waiting_.size() && model_.bodies[waiting_[nextWaiting_]].appear <= world_.time() + kTimeTolerance) {
    const std::size_t index = waiting_[nextWaiting_++];
    bodies_[index] = add(model_, model_.bodies[index], world_);
    ++count;
  }
  if (count > 0 && !waitingJoints_.empty()) waitingJoints_ = addJoints(model_, waitingJoints_, world_);
  return count;
}

StepReport SceneRun::step() {
  admit();
  return world_.step(model_.dt);
}

}  // namespace cairn
