#include "scene/method_options.hpp"
#include "scene/scene_reader.hpp"

namespace cairn {
namespace {

void set(const JsonValue& owner, std::string_view key, double& target) {
  if (const JsonValue* value = owner.find(key)) target = value->number;
}
void set(const JsonValue& owner, std::string_view key, int& target) {
  if (const JsonValue* value = owner.find(key)) target = static_cast<int>(value->number);
}
void set(const JsonValue& owner, std::string_view key, bool& target) {
  if (const JsonValue* value = owner.find(key)) target = value->boolean;
}
void set(const JsonValue& owner, std::string_view key, std::string& target) {
  if (const JsonValue* value = owner.find(key)) target = value->text;
}

}  // namespace

void readSettings(const JsonValue& value, SceneModel& model) {
  WorldSettings& settings = model.settings;
  if (const JsonValue* gravity = value.find("gravity")) settings.gravity = readVector(*gravity);
  set(value, "dt", model.dt);
  set(value, "seconds", model.seconds);
  set(value, "stepper", settings.stepper);
  set(value, "threads", settings.threads);
  set(value, "speculative_distance", settings.speculativeDistance);
  set(value, "restitution_speed", settings.restitutionSpeed);
  set(value, "maximum_coordinate", settings.maximumCoordinate);
  set(value, "maximum_speed", settings.maximumSpeed);
  if (const JsonValue* soft = value.find("soft")) {
    set(*soft, "substeps", settings.soft.substeps);
    set(*soft, "least_substeps", settings.soft.leastSubsteps);
    set(*soft, "direct", settings.soft.direct);
    set(*soft, "contact_frequency", settings.soft.contactFrequency);
    set(*soft, "contact_damping_ratio", settings.soft.contactDampingRatio);
    set(*soft, "push_out_speed", settings.soft.pushOutSpeed);
    set(*soft, "joint_frequency", settings.soft.jointFrequency);
    set(*soft, "joint_damping_ratio", settings.soft.jointDampingRatio);
  }
  if (const JsonValue* solver = value.find("solver")) {
    set(*solver, "name", settings.solver.name);
    set(*solver, "tolerance", settings.solver.tolerance);
    set(*solver, "iterations", settings.solver.iterations);
    set(*solver, "milliseconds", settings.solver.milliseconds);
  }
  if (const JsonValue* friction = value.find("friction")) {
    set(*friction, "law", settings.friction.law);
    set(*friction, "facets", settings.friction.facets);
  }
  if (const JsonValue* velocity = value.find("velocity")) {
    set(*velocity, "stabilisation", settings.velocity.stabilisation);
    set(*velocity, "slop", settings.velocity.slop);
    set(*velocity, "push_out_speed", settings.velocity.pushOutSpeed);
  }
  set(value, "integrator", settings.integrator);
  readMethods(value, settings);
  if (const JsonValue* sleep = value.find("sleep")) {
    set(*sleep, "enabled", settings.sleep.enabled);
    set(*sleep, "linear_speed", settings.sleep.linearSpeed);
    set(*sleep, "angular_speed", settings.sleep.angularSpeed);
    set(*sleep, "seconds", settings.sleep.seconds);
  }
}

}  // namespace cairn
