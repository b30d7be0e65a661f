#include "world/checks.hpp"

#include <cmath>
#include <cstdio>
#include <stdexcept>

#include "base/tasks.hpp"
#include "mechanics/free_motion.hpp"
#include "mechanics/solve_islands.hpp"

namespace cairn {

namespace {

void checkChoice(const std::string& field, const std::string& found, std::initializer_list<const char*> allowed) {
  std::string names;
  for (const char* name : allowed) {
    if (found == name) return;
    names += (names.empty() ? "" : ", ") + std::string(name);
  }
  refuse(field, "found \"" + found + "\"; allowed: " + names);
}

void checkMethods(const WorldSettings& settings) {
  freeMotion(settings);  // throws if there is no such integrator
  for (std::size_t i = 0; i < settings.pairs.size(); ++i) {
    const std::string field = "pairs[" + std::to_string(i) + "]";
    if (settings.pairs[i].a == 0 || settings.pairs[i].b == 0) refuse(field, "kinds of materials count from 1");
    checkMaterial(field + ".material", settings.pairs[i].material);
  }
  checkChoice("impact.order", settings.impact.order, {"simultaneous", "sequential"});
  const LcpOptions& lcp = settings.lcp;
  checkChoice("lcp.variant", lcp.variant, {"anitescu", "stewart_trinkle", "anitescu_potra"});
  requireRange("lcp.stabilisation", lcp.stabilisation, 1e-6, 1.0, "");
  requireRange("lcp.slop", lcp.slop, 0.0, 1.0, "m");
  requireRange("lcp.bounceSpeed", lcp.bounceSpeed, 0.0, 1e3, "m/s");
  requireRange("lcp.pushOutSpeed", lcp.pushOutSpeed, 1e-3, 1e4, "m/s");
  const ShockOptions& shock = settings.shock;
  requireRange("shock.share", shock.share, 0.0, 1.0, "");
  requireRange("shock.iterations", shock.iterations, 1, 1e6, "");
  requireRange("shock.correctionIterations", shock.correctionIterations, 0, 1e6, "");
  requireRange("shock.slop", shock.slop, 0.0, 1.0, "m");
  requireRange("shock.correctionShare", shock.correctionShare, 0.0, 1.0, "");
  const ImplicitOptions& implicit = settings.implicit;
  requireRange("implicit.tolerance", implicit.tolerance, 1e-14, 1.0, "m");
  requireRange("implicit.passes", implicit.passes, 1, 1000, "");
  requireRange("implicit.halvings", implicit.halvings, 0, 20, "");
  requireRange("implicit.pushOutSpeed", implicit.pushOutSpeed, 1e-3, 1e4, "m/s");
  checkChoice("gauss.order", settings.gauss.order, {"second", "first"});
  requireRange("gauss.relaxation", settings.gauss.relaxation, 1e-6, 1e6, "s");
  requireRange("gauss.slop", settings.gauss.slop, 0.0, 1.0, "m");
  const AccelerationOptions& acceleration = settings.acceleration;
  requireRange("acceleration.tolerance", acceleration.tolerance, 1e-13, 1e-2, "");
  requireRange("acceleration.eventSeconds", acceleration.eventSeconds, 1e-14, 1.0, "s");
  checkChoice("acceleration.location", acceleration.location, {"bisection", "conservative"});
  requireRange("acceleration.events", acceleration.events, 1, 1e6, "");
  requireRange("acceleration.zenoSeconds", acceleration.zenoSeconds, 0.0, 1.0, "s");
  const ImpulseOptions& impulse = settings.impulse;
  checkChoice("impulse.method", impulse.method, {"mirtich", "guendelman"});
  requireRange("impulse.envelope", impulse.envelope, 1e-9, 1.0, "m");
  requireRange("impulse.events", impulse.events, 1, 1e6, "");
  requireRange("impulse.collisionPasses", impulse.collisionPasses, 1, 1e4, "");
  requireRange("impulse.contactPasses", impulse.contactPasses, 1, 1e4, "");
  const PenaltyOptions& penalty = settings.penalty;
  checkChoice("penalty.law", penalty.law, {"linear", "hertz"});
  requireRange("penalty.stiffness", penalty.stiffness, 1e-3, 1e15, "N/m");
  requireRange("penalty.damping", penalty.damping, 0.0, 1e15, "N s/m");
  requireRange("penalty.frictionStiffness", penalty.frictionStiffness, 1e-3, 1e15, "N/m");
  requireRange("penalty.frictionDamping", penalty.frictionDamping, 0.0, 1e15, "N s/m");
  requireRange("penalty.substeps", penalty.substeps, 1, 1e6, "");
  const HybridOptions& hybrid = settings.hybrid;
  requireRange("hybrid.lastingFlight", hybrid.lastingFlight, 0.0, 1e6, "steps");
  requireRange("hybrid.stackFlight", hybrid.stackFlight, 0.0, 1e6, "steps");
  requireRange("hybrid.releaseFlight", hybrid.releaseFlight, 0.0, 1e6, "steps");
  requireRange("hybrid.releaseSteps", hybrid.releaseSteps, 1, 1000, "");
}

}  // namespace

void refuse(const std::string& field, const std::string& message) { throw std::invalid_argument(field + ": " + message); }

void requireFinite(const std::string& field, const Vec3& value) {
  if (!value.allFinite()) refuse(field, "must be finite");
}
void requireFinite(const std::string& field, double value) {
  if (!std::isfinite(value)) refuse(field, "must be finite");
}

std::string text(double value) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.9g", value);
  return buffer;
}

void requireRange(const std::string& field, double value, double low, double high, const char* unit) {
  if (!(value >= low && value <= high)) {
    refuse(field, "must be from " + text(low) + " to " + text(high) + " " + unit + ", got " + text(value));
  }
}

Vec3 checkedAxis(const std::string& field, const Vec3& axis) {
  requireFinite(field, axis);
  if (axis.norm() < 1e-12) refuse(field, "must not be zero");
  return axis.normalized();
}

void checkMaterial(const std::string& field, const Material& material) {
  requireRange(field + ".friction", material.friction, 0.0, 1e3, "");
  requireRange(field + ".restitution", material.restitution, 0.0, 1.0, "");
  if (material.staticFriction) requireRange(field + ".staticFriction", *material.staticFriction, material.friction, 1e3, "");
  if (material.crossFriction) {
    requireRange(field + ".crossFriction", *material.crossFriction, 0.0, 1e3, "");
    checkedAxis(field + ".frictionAxis", material.frictionAxis);
  }
  requireRange(field + ".patchRadius", material.patchRadius, 0.0, 1e3, "m");
  requireRange(field + ".rollingResistance", material.rollingResistance, 0.0, 1e3, "m");
  requireRange(field + ".rollingForce", material.rollingForce, 0.0, 1e3, "");
  requireRange(field + ".spinningResistance", material.spinningResistance, 0.0, 1e3, "m");
  requireRange(field + ".tangentialRestitution", material.tangentialRestitution, -1.0, 1.0, "");
  if (material.stiffness.has_value() != material.damping.has_value()) {
    refuse(field, "stiffness and damping go together: give both or neither");
  }
  if (material.stiffness) requireRange(field + ".stiffness", *material.stiffness, 1e-3, 1e15, "N/m");
  if (material.damping) requireRange(field + ".damping", *material.damping, 0.0, 1e15, "N s/m");
}

void checkSettings(const WorldSettings& settings) {
  requireFinite("gravity", settings.gravity);
  requireRange("gravity", settings.gravity.norm(), 0.0, 1e4, "m/s^2");
  requireRange("threads", settings.threads, 1, kMostThreads, "");
  requireRange("speculativeDistance", settings.speculativeDistance, 0.0, 10.0, "m");
  requireRange("restitutionSpeed", settings.restitutionSpeed, 0.0, 1e3, "m/s");
  requireRange("maximumCoordinate", settings.maximumCoordinate, 1.0, 1e12, "m");
  requireRange("maximumSpeed", settings.maximumSpeed, 1.0, 1e8, "m/s");
  requireRange("soft.substeps", settings.soft.substeps, 1, 1000, "");
  requireRange("soft.leastSubsteps", settings.soft.leastSubsteps, 1, 1000, "");
  requireRange("soft.contactFrequency", settings.soft.contactFrequency, 1e-3, 1e6, "Hz");
  requireRange("soft.contactDampingRatio", settings.soft.contactDampingRatio, 0.0, 1e3, "");
  requireRange("soft.pushOutSpeed", settings.soft.pushOutSpeed, 1e-3, 1e4, "m/s");
  requireRange("soft.jointFrequency", settings.soft.jointFrequency, 1e-3, 1e6, "Hz");
  requireRange("soft.jointDampingRatio", settings.soft.jointDampingRatio, 0.0, 1e3, "");
  requireRange("solver.tolerance", settings.solver.tolerance, 1e-15, 1.0, "");
  requireRange("solver.iterations", settings.solver.iterations, 0, 1e9, "");
  requireRange("solver.milliseconds", settings.solver.milliseconds, 0.0, 1e9, "ms");
  requireRange("velocity.stabilisation", settings.velocity.stabilisation, 0.0, 1.0, "");
  requireRange("velocity.slop", settings.velocity.slop, 0.0, 1.0, "m");
  requireRange("velocity.pushOutSpeed", settings.velocity.pushOutSpeed, 1e-3, 1e4, "m/s");
  checkSolver(settings);
  checkMethods(settings);
  requireRange("sleep.linearSpeed", settings.sleep.linearSpeed, 0.0, 1e3, "m/s");
  requireRange("sleep.angularSpeed", settings.sleep.angularSpeed, 0.0, 1e3, "rad/s");
  requireRange("sleep.seconds", settings.sleep.seconds, 0.0, 1e6, "s");
}

}  // namespace cairn
