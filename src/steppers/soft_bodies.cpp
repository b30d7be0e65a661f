#include "steppers/soft_bodies.hpp"

#include <algorithm>

#include "math/rotation.hpp"
#include "steppers/free_motion.hpp"

namespace cairn {

namespace {

constexpr std::size_t kBodyGrain = 256;
// How a body in contact gets its gyroscopic torque, by how far it turns in a step (rad, times how unlike its moments are):
// not at all, as a constant torque over the step, or substep by substep with its orientation followed.
constexpr double kGyroscopicTurn = 1e-3;
constexpr double kFastTurn = 0.05;

Eigen::Map<Float3> velocityOf(wide::SolverBody& body) { return Eigen::Map<Float3>(body.velocity); }
Eigen::Map<Float3> spinOf(wide::SolverBody& body) { return Eigen::Map<Float3>(body.spin); }
Eigen::Map<Float3> linearOf(wide::BodyRow& row) { return Eigen::Map<Float3>(row.linear); }
Eigen::Map<Float3> angularOf(wide::BodyRow& row) { return Eigen::Map<Float3>(row.angular); }

// Contacts push a body as if its whole mass could move every way; what they push along a locked axis is taken away again.
// In scenes that are planar nothing does.
void lock(wide::SolverBody& solver, std::uint8_t axes) {
  for (int k = 0; k < 3; ++k)
    if ((axes >> k & 1) != 0) solver.velocity[k] = 0.0f;
}

}  // namespace

void SoftBodies::begin(StepContext& context, double dt, double h) {
  System& system = context.system;
  const std::size_t count = system.bodies.size();
  resizeGently(solver_, count);
  resizeGently(bodies_, count);
  resizeGently(accelerations_, count);
  const bool damped = std::any_of(system.bodies.begin(), system.bodies.end(), [](const Body& body) {
    return body.moves() && (body.linearDamping > 0.0 || body.angularDamping > 0.0);
  });
  resizeGently(damping_, damped ? count : 0);
  resizeGently(marks_, count);
  precise_.clear();
  locked_.clear();
  marked_ = false;

  const Vec3 gravity = context.settings.gravity;
  const Integrator integrator = freeMotion(context.settings).integrator;
  context.tasks.parallelFor(count, kBodyGrain, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      const Body& body = system.bodies[i];
      wide::SolverBody& solver = solver_[i];
      SoftBody& soft = bodies_[i];
      solver = wide::SolverBody{};
      soft = SoftBody{};
      accelerations_[i] = marks_[i] = wide::BodyRow{};
      if (damped) damping_[i] = {{1, 1, 1}, {1, 1, 1}, {1, 1}};
      if (!body.moves()) continue;
      velocityOf(solver) = linearOf(marks_[i]) = body.velocity.cast<float>();
      spinOf(solver) = angularOf(marks_[i]) = body.spin.cast<float>();
      if (!body.isDynamic()) continue;
      soft.inverseMass = static_cast<float>(body.inverseMass);
      const Mat3 inverseInertia = inWorldAxes(body.rotation, body.inverseInertia);
      soft.inverseInertia = inverseInertia.cast<float>();
      soft.locked = body.lockedPosition;
      linearOf(accelerations_[i]) =
          without(gravity * body.gravityScale + body.force * body.inverseMass, soft.locked).cast<float>();
      Vec3 angular = inverseInertia * body.torque;
      const double turn = gyroscopicTurn(body, dt);
      if (turn > kGyroscopicTurn && turn <= kFastTurn) angular += gyroscopicAcceleration(body, dt, integrator);
      angularOf(accelerations_[i]) = angular.cast<float>();
      if (!damped) continue;
      linearOf(damping_[i]).setConstant(static_cast<float>(1.0 / (1.0 + h * body.linearDamping)));
      angularOf(damping_[i]).setConstant(static_cast<float>(1.0 / (1.0 + h * body.angularDamping)));
    }
  });

  for (const Pair& pair : system.broad.pairs) {
    if (pair.contact == kNone) continue;
    const Contact& contact = system.contacts.slots[pair.contact];
    if (contact.count == 0) continue;
    bodies_[contact.bodyA].constrained = true;
    bodies_[contact.bodyB].constrained = true;
  }

  const auto follow = [&](std::uint32_t index) {
    if (bodies_[index].precise != kNone) return;
    const Body& body = system.bodies[index];
    bodies_[index].precise = static_cast<std::uint32_t>(precise_.size());
    PreciseBody precise;
    precise.body = index;
    precise.center = body.center;
    precise.rotation = precise.rowRotation = body.rotation;
    if (body.moves() && body.isDynamic()) {
      precise.inverseInertia = inWorldAxes(body.rotation, body.inverseInertia);
      precise.gyroscopic = gyroscopicTurn(body, dt) > kFastTurn;
    }
    precise_.push_back(precise);
  };
  for (const Joint& joint : system.joints) {
    if (!joint.alive) continue;
    bodies_[joint.a].constrained = bodies_[joint.b].constrained = true;
    follow(joint.a);
    follow(joint.b);
  }
  for (std::uint32_t i = 0; i < count; ++i) {
    const Body& body = system.bodies[i];
    if (bodies_[i].constrained && body.moves() && body.isDynamic() && gyroscopicTurn(body, dt) > kFastTurn) follow(i);
    if (bodies_[i].locked != 0) locked_.push_back(i);
  }
}

Vec3 SoftBodies::center(const PreciseBody& body) const {
  const wide::SolverBody& solver = solver_[body.body];
  return body.center + Vec3(solver.moved[0], solver.moved[1], solver.moved[2]);
}

void SoftBodies::push(std::uint32_t index, const Vec3& velocity, const Vec3& spin) {
  if (bodies_[index].inverseMass == 0.0f) return;
  const Float3 dv = velocity.cast<float>(), dw = spin.cast<float>();
  velocityOf(solver_[index]) += dv;
  spinOf(solver_[index]) += dw;
  linearOf(marks_[index]) += dv;
  angularOf(marks_[index]) += dw;
}

void SoftBodies::integrateVelocities(StepContext& context, double h) {
  const float hf = static_cast<float>(h);
  // Far beyond what a body may do: it will be quarantined after the step. Until then it must not overflow, and so spoil
  // others.
  const float mostSpeed = static_cast<float>(4.0 * context.settings.maximumSpeed);
  const float mostSpin = static_cast<float>(4.0 * kMaximumSpin);
  const wide::BodyRow limits{{mostSpeed, mostSpeed, mostSpeed}, {mostSpin, mostSpin, mostSpin}, {0, 0}};
  const std::vector<Body>& bodies = context.system.bodies;
  for (PreciseBody& precise : precise_) {
    if (!precise.gyroscopic) continue;
    // The momentum that contacts gave stays the same; the spin it means depends on how the body is turned now. (Kept as
    // a spin it would be worth more momentum with every substep, up to the ratio of the moments, and blow up.)
    Float3 change = angularOf(marks_[precise.body]);
    if (!marked_) change = spinOf(solver_[precise.body]) - change;
    const Vec3 momentum = inWorldAxes(precise.rowRotation, bodies[precise.body].inertia) * Vec3(change.cast<double>());
    precise.change = (precise.inverseInertia * momentum).cast<float>();
    precise.rowRotation = precise.rotation;
    bodies_[precise.body].inverseInertia = precise.inverseInertia.cast<float>();
  }
  context.tasks.parallelFor(bodies_.size(), kBodyGrain, [&](std::size_t first, std::size_t last) {
    wide::integrateVelocities(rows(), first, last, hf, limits, marked_);
  });
  for (PreciseBody& precise : precise_) {
    if (!precise.gyroscopic) continue;
    auto mark = angularOf(marks_[precise.body]);
    const Vec3 local = precise.rotation.conjugate() * Vec3(mark.cast<double>());
    precise.midpoint = precise.rotation * midpointAngularVelocity(bodies[precise.body].inertia, local, h);
    mark = precise.midpoint.cast<float>();
    spinOf(solver_[precise.body]) = mark + precise.change;
  }
  marked_ = false;
}

void SoftBodies::integratePositions(StepContext& context, double h) {
  const std::vector<Body>& bodies = context.system.bodies;
  for (const std::uint32_t index : locked_) lock(solver_[index], bodies_[index].locked);
  context.tasks.parallelFor(bodies_.size(), kBodyGrain, [&](std::size_t first, std::size_t last) {
    wide::integratePositions(solver_.data(), first, last, static_cast<float>(h));
  });
  for (PreciseBody& precise : precise_) {
    const Body& body = bodies[precise.body];
    if (!body.moves()) continue;
    auto spin = spinOf(solver_[precise.body]);
    const Vec3 turn = spin.cast<double>();
    const Quat before = precise.rotation;
    precise.rotation = cayleyTurned(before, before.conjugate() * turn, h);
    if (bodies_[precise.body].inverseMass == 0.0f) continue;
    if (precise.gyroscopic) {
      // The midpoint rule keeps the momentum that the substep began with; constraints added theirs at the midpoint. With
      // M the momentum at the midpoint spin (in body axes) the end momentum is M + (h/2) M x m, see math/rotation.hpp.
      const Mat3& inertia = body.inertia;
      const Vec3 m = before.conjugate() * precise.midpoint;
      const Vec3 im = inertia * m;
      const Vec3 start = before * (im - 0.5 * h * im.cross(m));  // world axes: kept
      const Vec3 added = before * (inertia * (before.conjugate() * (turn - precise.midpoint)));
      const Vec3 end = precise.rotation * (body.inverseInertia * (precise.rotation.conjugate() * (start + added)));
      const Float3 change = (end - turn).cast<float>();
      spin += change;
      angularOf(marks_[precise.body]) += change;  // not a constraint's doing
    }
    precise.inverseInertia = inWorldAxes(precise.rotation, body.inverseInertia);
  }
}

void SoftBodies::markContactChange(StepContext& context) {
  context.tasks.parallelFor(bodies_.size(), kBodyGrain,
                            [&](std::size_t first, std::size_t last) { wide::markChange(rows(), first, last); });
  marked_ = true;
}

void SoftBodies::finish(StepContext& context, double dt, int substeps) {
  std::vector<Body>& bodies = context.system.bodies;
  const FreeMotion motion = freeMotion(context.settings);
  context.tasks.parallelFor(bodies.size(), kBodyGrain, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      Body& body = bodies[i];
      const SoftBody& soft = bodies_[i];
      if (!body.moves()) continue;
      if (!body.isDynamic()) {  // kinematic: exactly as told
        body.center += dt * body.velocity;
        body.rotation = rotated(body.rotation, dt * body.spin);
        continue;
      }
      if (!soft.constrained) {
        moveFree(body, motion, dt, substeps);
        continue;
      }
      wide::SolverBody& solver = solver_[i];
      body.center += Vec3(solver.moved[0], solver.moved[1], solver.moved[2]);
      body.rotation = soft.precise != kNone
                          ? precise_[soft.precise].rotation
                          : rotated(body.rotation, Vec3(solver.turned[0], solver.turned[1], solver.turned[2]));
      body.velocity = without(velocityOf(solver).cast<double>(), soft.locked);
      body.spin = spinOf(solver).cast<double>();
    }
  });
}

}  // namespace cairn
