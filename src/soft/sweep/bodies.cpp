#include "soft/sweep/bodies.hpp"

#include <algorithm>
#include <cmath>

#include "base/fetch_ahead.hpp"
#include "math/rotation.hpp"
#include "math/symmetric3.hpp"
#include "mechanics/free_motion.hpp"
#include "mechanics/integrate.hpp"
#include "soft/memory.hpp"
#include "soft/plan/policy.hpp"

namespace cairn {

using namespace policy::sweep;
using policy::plan::kFastTurn;

namespace {

// Whether a body rests. Those in between rest too, unless a body of their part has moved.
enum Rest : std::uint8_t { kMoved = 0, kNearly, kResting };

Eigen::Map<Float3> velocityOf(wide::SolverBody& body) { return Eigen::Map<Float3>(body.velocity); }
Eigen::Map<Float3> spinOf(wide::SolverBody& body) { return Eigen::Map<Float3>(body.spin); }
Eigen::Map<Float3> linearOf(wide::BodyRow& row) { return Eigen::Map<Float3>(row.linear); }
Eigen::Map<Float3> angularOf(wide::BodyRow& row) { return Eigen::Map<Float3>(row.angular); }

wide::MassRow massRow(const Symmetric3& inverse, double inverseMass) {
  const auto single = [](double x) { return static_cast<float>(x); };
  return {{single(inverse.xx), single(inverse.yy), single(inverse.zz), single(inverse.xy), single(inverse.xz),
           single(inverse.yz)},
          single(inverseMass),
          0.0f};
}

// Contacts push a body as if its whole mass could move every way; what they push along a locked axis is taken away again.
// In scenes that are planar nothing does.
void lock(wide::SolverBody& solver, std::uint8_t axes) {
  for (int k = 0; k < 3; ++k)
    if ((axes >> k & 1) != 0) solver.velocity[k] = 0.0f;
}

}  // namespace

std::uint32_t SoftBodies::addOther(std::uint32_t body) {
  others.push_back(body);
  return ground() + static_cast<std::uint32_t>(others.size());
}

void SoftBodies::begin(StepContext& context, double dt, double h, bool haveContacts) {
  const System& system = context.system;
  const std::size_t count = movable.size() + 1 + others.size();
  resizeGently(solver_, count);
  resizeGently(bodies_, count);
  resizeGently(accelerations_, count);
  resizeGently(marks_, count);
  precise_.clear();
  locked_.clear();
  marked_ = spinning_ = false;

  // Far beyond what a body may do: it will be quarantined after the step. Until then it must not overflow, and so spoil
  // others.
  const float mostSpeed = static_cast<float>(4.0 * context.settings.maximumSpeed);
  const float mostSpin = static_cast<float>(4.0 * kMaximumSpin);
  limits_ = {{mostSpeed, mostSpeed, mostSpeed}, {mostSpin, mostSpin, mostSpin}, {0, 0}};
  partBodies_.clear();
  for (std::uint32_t i = 0; i < parts; ++i) partBodies_.push_back(movableOf(cut_tree::groupOfPart(i)));

  const Vec3 gravity = context.settings.gravity;
  const Integrator integrator = freeMotion(context.settings).integrator;
  std::atomic<bool> anyDamped = false, anySpecial = false;
  context.tasks.parallelFor(movable.size(), kBodyGrain, [&](std::size_t first, std::size_t last) {
    bool damped = false, special = false;
    for (std::size_t i = first; i < last; ++i) {
      if (i + kBodiesAhead < last) prefetch(system.bodies[movable[i + kBodiesAhead]]);
      const Body& body = system.bodies[movable[i]];
      wide::SolverBody& solver = solver_[i];
      SoftBody& soft = bodies_[i];
      solver = wide::SolverBody{};
      accelerations_[i] = marks_[i] = wide::BodyRow{};
      velocityOf(solver) = linearOf(marks_[i]) = body.velocity.cast<float>();
      spinOf(solver) = angularOf(marks_[i]) = body.spin.cast<float>();
      soft = SoftBody{};
      soft.mass.inverseMass = static_cast<float>(body.inverseMass);
      soft.locked = body.lockedPosition;
      soft.lockedTurn = body.lockedRotation;
      soft.round = body.anisotropy < kRound && body.lockedRotation == 0;
      linearOf(accelerations_[i]) =
          without(gravity * body.gravityScale + body.force * body.inverseMass, soft.locked).cast<float>();
      Vec3 angular = Vec3::Zero();
      if (haveContacts || !body.torque.isZero(0.0)) {
        const Symmetric3 inverseInertia = turnedTensor(body.rotation.toRotationMatrix(), body.inverseInertia);
        soft.mass = massRow(inverseInertia, body.inverseMass);
        angular = inverseInertia * body.torque;
      }
      const double turn = gyroscopicTurn(body, dt);
      if (turn <= kFastTurn && feelsGyroscopicTorque(body, gravity)) angular += gyroscopicAcceleration(body, dt, integrator);
      angularOf(accelerations_[i]) = angular.cast<float>();
      damped |= body.linearDamping > 0.0 || body.angularDamping > 0.0;
      soft.spins = turn > kFastTurn;
      special |= soft.spins || soft.locked != 0;
    }
    if (damped) anyDamped.store(true, std::memory_order_relaxed);
    if (special) anySpecial.store(true, std::memory_order_relaxed);
  });
  const bool damped = anyDamped.load();
  resizeGently(damping_, damped ? count : 0);
  for (std::uint32_t i = 0; damped && i < movable.size(); ++i) {
    const Body& body = system.bodies[movable[i]];
    damping_[i] = wide::BodyRow{};
    linearOf(damping_[i]).setConstant(static_cast<float>(1.0 / (1.0 + h * body.linearDamping)));
    angularOf(damping_[i]).setConstant(static_cast<float>(1.0 / (1.0 + h * body.angularDamping)));
  }
  for (std::uint32_t i = ground(); i < count; ++i) {
    solver_[i] = wide::SolverBody{};
    bodies_[i] = SoftBody{};
    accelerations_[i] = marks_[i] = wide::BodyRow{};
    if (damped) damping_[i] = {{1, 1, 1}, {1, 1, 1}, {1, 1}};
    if (i == ground()) continue;
    const Body& body = system.bodies[indexOf(i)];
    if (!body.moves()) continue;
    velocityOf(solver_[i]) = linearOf(marks_[i]) = body.velocity.cast<float>();
    spinOf(solver_[i]) = angularOf(marks_[i]) = body.spin.cast<float>();
  }
  for (std::uint32_t i = 0; anySpecial.load() && i < movable.size(); ++i) {
    if (bodies_[i].spins) follow(context, i, dt);
    if (bodies_[i].locked != 0) locked_.push_back(i);
  }
  exact_.clear();
  if (!ExactVelocities::isNeeded(h)) return;
  exact_.begin(movable.size(), count);
  for (std::uint32_t i = 0; i < movable.size(); ++i)
    exact_[i] = {system.bodies[movable[i]].velocity, system.bodies[movable[i]].spin};
}

void SoftBodies::follow(const StepContext& context, std::uint32_t index, double dt) {
  if (bodies_[index].precise != kNone) return;
  const Body& body = context.system.bodies[indexOf(index)];
  bodies_[index].precise = static_cast<std::uint32_t>(precise_.size());
  PreciseBody& precise = precise_.emplace_back();
  precise.body = index;
  precise.center = body.center;
  precise.rotation = precise.rowRotation = body.rotation;
  precise.moves = body.moves();
  precise.gyroscopic = index < ground() && gyroscopicTurn(body, dt) > kFastTurn;
  spinning_ |= precise.gyroscopic;
  if (precise.gyroscopic) followInertia(context.system, index);
}

void SoftBodies::followInertia(const System& system, std::uint32_t index) {
  PreciseBody& precise = precise_[bodies_[index].precise];
  precise.followsInertia = index < ground();
  if (precise.followsInertia)
    precise.inverseInertia = inWorldAxes(precise.rotation, system.bodies[indexOf(index)].inverseInertia);
}

Vec3 SoftBodies::center(const PreciseBody& body) const {
  const wide::SolverBody& solver = solver_[body.body];
  return body.center + Vec3(solver.moved[0], solver.moved[1], solver.moved[2]);
}

void SoftBodies::push(std::uint32_t index, const Vec3& velocity, const Vec3& spin) {
  if (bodies_[index].mass.inverseMass == 0.0f) return;
  if (bodies_[index].locked != 0 || bodies_[index].lockedTurn != 0)
    return pushFree(index, without(velocity, bodies_[index].locked), without(spin, bodies_[index].lockedTurn));
  pushFree(index, velocity, spin);
}

void SoftBodies::pushFree(std::uint32_t index, const Vec3& velocity, const Vec3& spin) {
  const Float3 dv = velocity.cast<float>(), dw = spin.cast<float>();
  velocityOf(solver_[index]) += dv;
  spinOf(solver_[index]) += dw;
  linearOf(marks_[index]) += dv;
  angularOf(marks_[index]) += dw;
  if (!exact_.inUse()) return;
  exact_[index].linear += velocity;
  exact_[index].angular += spin;
}

void SoftBodies::shift(std::uint32_t index, const Vec3& wantedMove, const Vec3& wantedTurn) {
  if (bodies_[index].mass.inverseMass == 0.0f) return;
  const Vec3 move = without(wantedMove, bodies_[index].locked), turn = without(wantedTurn, bodies_[index].lockedTurn);
  wide::SolverBody& solver = solver_[index];
  PreciseBody& precise = precise_[bodies_[index].precise];
  Eigen::Map<Float3>(solver.moved) += move.cast<float>();
  Eigen::Map<Float3>(solver.turned) += turn.cast<float>();
  const Vec3 q = 0.5 * turn;
  precise.rotation = Quat(1.0, q.x(), q.y(), q.z()) * precise.rotation;
  // Tiny turns leave it to integratePositions to make it a unit quaternion again.
  if (q.squaredNorm() > kTinyTurn * kTinyTurn) precise.rotation.normalize();
  const double scale = 2.0 / (1.0 + q.squaredNorm());
  const auto change = [&](const Vec3& v) -> Vec3 { return scale * (q.cross(v) + q.cross(q.cross(v))); };
  const Float3 spin = change(spinOf(solver).cast<double>()).cast<float>();
  spinOf(solver) += spin;
  angularOf(marks_[index]) += spin;
  precise.midpoint += change(precise.midpoint);
  if (exact_.inUse()) exact_[index].angular += change(exact_[index].angular);
}

std::span<PreciseBody> SoftBodies::preciseWithin(std::uint32_t first, std::uint32_t last) {
  if (precise_.empty()) return {};
  const auto at = [&](std::uint32_t body) {
    return std::partition_point(precise_.begin(), precise_.end(), [&](const PreciseBody& one) { return one.body < body; });
  };
  return {at(first), at(last)};
}

// The momentum that contacts gave stays the same; the spin it means depends on how the body is turned now. (Kept as a spin
// it would be worth more momentum with every substep, up to the ratio of the moments, and blow up.)
void SoftBodies::keepMomenta(const System& system, std::span<PreciseBody> some) {
  for (PreciseBody& precise : some) {
    if (!precise.gyroscopic) continue;
    const Body& body = system.bodies[indexOf(precise.body)];
    Float3 change = angularOf(marks_[precise.body]);
    if (!marked_) change = spinOf(solver_[precise.body]) - change;
    const Vec3 momentum = inWorldAxes(precise.rowRotation, body.inertia) * Vec3(change.cast<double>());
    precise.change = (precise.inverseInertia * momentum).cast<float>();
    precise.rowRotation = precise.rotation;
    bodies_[precise.body].mass = massRow(Symmetric3::of(precise.inverseInertia), body.inverseMass);
  }
}

// To the midpoint of the substep.
void SoftBodies::spinFreely(const System& system, std::span<PreciseBody> some, double h) {
  for (PreciseBody& precise : some) {
    if (!precise.gyroscopic) continue;
    auto mark = angularOf(marks_[precise.body]);
    const Vec3 local = precise.rotation.conjugate() * Vec3(mark.cast<double>());
    precise.midpoint = precise.rotation * midpointAngularVelocity(system.bodies[indexOf(precise.body)].inertia, local, h);
    mark = precise.midpoint.cast<float>();
    spinOf(solver_[precise.body]) = mark + precise.change;
  }
}

void SoftBodies::turn(const System& system, std::span<PreciseBody> some, double h) {
  for (PreciseBody& precise : some) {
    if (!precise.moves) continue;
    auto spin = spinOf(solver_[precise.body]);
    const Vec3 turn = spin.cast<double>();
    const Quat before = precise.rotation;
    precise.rotation =
        precise.gyroscopic ? cayleyTurned(before, before.conjugate() * turn, h) : cayleyTurnedBy(turn, before, h);
    if (!precise.gyroscopic && !precise.followsInertia) continue;
    const Body& body = system.bodies[indexOf(precise.body)];
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
    if (precise.followsInertia) precise.inverseInertia = inWorldAxes(precise.rotation, body.inverseInertia);
  }
}

void SoftBodies::integrateVelocities(StepContext& context, double h) {
  keepMomenta(context.system, precise_);
  context.tasks.parallelFor(bodies_.size(), kBodyGrain, [&](std::size_t first, std::size_t last) {
    wide::integrateVelocities(rows(), first, last, static_cast<float>(h), limits_, marked_);
  });
  spinFreely(context.system, precise_, h);
  marked_ = false;
  if (exact_.inUse()) integrateExactly(h);
}

void SoftBodies::integrateExactly(double h) {
  for (std::uint32_t i = 0; i < ground(); ++i) {
    if (bodies_[i].spins) continue;
    exact_.integrate(i, accelerations_[i], damping_.empty() ? nullptr : &damping_[i], limits_, bodies_[i].locked, h);
    linearOf(marks_[i]) = exact_[i].linear.cast<float>();
    angularOf(marks_[i]) = exact_[i].angular.cast<float>();
    const ExactVelocities::Velocity warm = exact_.warmStarted(i);
    velocityOf(solver_[i]) = warm.linear.cast<float>();
    spinOf(solver_[i]) = warm.angular.cast<float>();
  }
}

void SoftBodies::integratePositions(StepContext& context, double h) {
  for (const std::uint32_t index : locked_) lock(solver_[index], bodies_[index].locked);
  context.tasks.parallelFor(bodies_.size(), kBodyGrain, [&](std::size_t first, std::size_t last) {
    wide::integratePositions(solver_.data(), first, last, static_cast<float>(h));
  });
  turn(context.system, precise_, h);
}

void SoftBodies::clearShared() {
  sharedEnds_.assign(parts * static_cast<std::size_t>(heights()), 0);
  sharedAt_.assign(parts > 1 ? movable.size() : 0, 0);
}

void SoftBodies::putSharedFirst(const Tasks& tasks) {
  resizeGently(buffer_, movable.size());
  tasks.parallelFor(parts, 1, [&](std::size_t part, std::size_t) {
    const auto [first, last] = movableOf(cut_tree::groupOfPart(static_cast<std::uint32_t>(part)));
    std::uint32_t* const ends = sharedEnds_.data() + part * static_cast<std::size_t>(heights());
    std::copy(movable.begin() + first, movable.begin() + last, buffer_.begin() + first);
    std::uint32_t next = first;
    for (int height = heights(); height >= 0; --height) {
      for (std::uint32_t i = first; i < last; ++i)
        if (sharedAt_[i] == height) movable[next++] = buffer_[i];
      if (height > 0) ends[heights() - height] = next;
    }
  });
}

void SoftBodies::integrateVelocities(const System& system, std::size_t part, double h) {
  const auto [first, last] = partBodies_[part];
  const std::span<PreciseBody> spinning = preciseWithin(first, last);
  keepMomenta(system, spinning);
  wide::integrateVelocities(rows(), first, last, static_cast<float>(h), limits_, false);
  spinFreely(system, spinning, h);
}

void SoftBodies::moveWithin(const System& system, std::uint32_t first, std::uint32_t last, double h) {
  wide::integratePositions(solver_.data(), first, last, static_cast<float>(h));
  turn(system, preciseWithin(first, last), h);
}

void SoftBodies::integratePositions(const System& system, std::size_t part, double h) {
  moveWithin(system, sharedBegin(part, 0), partBodies_[part].last, h);
}

void SoftBodies::integrateShared(const System& system, std::uint32_t cut, double h) {
  const PartRange range = cut_tree::partsOf(cut);
  const int height = cut_tree::heightOf(cut);
  for (std::uint32_t part = range.first; part < range.last; ++part)
    moveWithin(system, sharedBegin(part, height), sharedBegin(part, height - 1), h);
}

void SoftBodies::moveOthers(float h) { wide::integratePositions(solver_.data(), ground() + 1, solver_.size(), h); }

void SoftBodies::markContactChange(StepContext& context) {
  context.tasks.parallelFor(bodies_.size(), kBodyGrain,
                            [&](std::size_t first, std::size_t last) { wide::markChange(rows(), first, last); });
  marked_ = true;
}

void SoftBodies::finish(StepContext& context, double dt, bool follow) {
  std::vector<Body>& bodies = context.system.bodies;
  std::vector<float>& paths = softMemory(context.system).pathLengths;
  const auto hair = static_cast<float>(std::min(1.0, dt / kRestingPathSeconds));
  resizeAnew(resting_, solver_.size());
  std::fill(resting_.begin() + ground(), resting_.end(), kResting);
  context.tasks.parallelFor(parts, 1, [&](std::size_t part, std::size_t) {
    const auto [first, last] = partBodies_[part];
    bool anyFar = !follow;
    for (std::uint32_t i = first; i < last; ++i) {
      if (i + kBodiesAhead < last) prefetch(bodies[movable[i + kBodiesAhead]]);
      Body& body = bodies[movable[i]];
      const SoftBody& soft = bodies_[i];
      const wide::SolverBody& solver = solver_[i];
      const Vec3 moved(solver.moved[0], solver.moved[1], solver.moved[2]);
      if (soft.precise != kNone) {
        body.center += moved;
        body.rotation = precise_[soft.precise].rotation;
      } else {
        displace(body, moved, Vec3(solver.turned[0], solver.turned[1], solver.turned[2]));
      }
      body.velocity = without(Vec3(solver.velocity[0], solver.velocity[1], solver.velocity[2]), soft.locked);
      body.spin = Vec3(solver.spin[0], solver.spin[1], solver.spin[2]);
      if (exact_.inUse() && !soft.spins) {
        body.velocity = without(exact_[i].linear, soft.locked);
        body.spin = exact_[i].angular;
      }
      float& path = paths[movable[i]];
      path += Float3(solver.moved).norm() + body.size * Float3(solver.turned).norm();
      const float far = hair * std::min(kRestingPath, kRestingPathShare * body.size);
      resting_[i] = path < kRefreshShare * far ? kResting : kNearly;
      anyFar |= !(path < far);
    }
    if (!anyFar) return;
    for (std::uint32_t i = first; i < last; ++i) {
      if (follow && resting_[i] == kResting) continue;
      resting_[i] = kMoved;
      paths[movable[i]] = 0.0f;
    }
  });
}

}  // namespace cairn
