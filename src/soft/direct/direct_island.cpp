#include "soft/direct/direct_island.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <tuple>

#include "base/hash.hpp"
#include "base/stop.hpp"
#include "math/rotation.hpp"
#include "math/symmetric3.hpp"
#include "mechanics/free_motion.hpp"
#include "soft/layout/watched_contacts.hpp"
#include "soft/plan/contact_springs.hpp"

namespace cairn {

namespace {

constexpr double kTwoPi = 6.283185307179586;
// What is about at rest is stepped at once, what moves faster than gravity makes it in so many steps is not.
constexpr int kSubstepsOfMoving = 4;
constexpr double kStepsOfGravity = 4.0;
// Iterations with a new matrix: in a round, and on average in a step. What is not needed is saved up for later: the first
// step of a house of cards takes some hundred, while it stands none.
constexpr int kMostRounds = 12, kMostOfRound = 12, kIterationsPerStep = 24;
constexpr int kMostHalvings = 10;
constexpr int kPause = 10;  // steps
constexpr double kArmijo = 1e-4;
constexpr double kNoLimit = 1e100;  // N s
// Under the weight of the whole island a contact sinks by so much of what contacts are allowed.
constexpr double kDepthShare = 0.02;
constexpr double kTolerance = 1e-5;       // of what gravity adds to velocities in a substep
constexpr double kLeastTolerance = 1e-9;  // m/s
constexpr double kGoodEnough = 3000.0;    // tolerances: what is left when iterations come to an end
constexpr double kGentle = 0.1;           // of what gravity adds: no one sees a push that is slower

Vec3 linear(const Eigen::Matrix<double, 6, 1>& v) { return v.head<3>(); }
Vec3 angular(const Eigen::Matrix<double, 6, 1>& v) { return v.tail<3>(); }

}  // namespace

bool DirectIsland::step(StepContext& context, double dt, const SoftBodies& batch, std::span<const ContactEnds> contacts) {
  iterationsLeft_ = std::min(iterationsLeft_ + kIterationsPerStep, kMostIterations);
  if (pause_ > 0) {
    --pause_;
    return false;
  }
  if (!gather(context, dt, batch, contacts)) return false;
  for (int i = 0; i < substeps_; ++i) {
    if (substep(context, dt, batch)) continue;
    pause_ = kPause;
    return false;
  }
  giveBack(context, batch);
  return true;
}

bool DirectIsland::gather(const StepContext& context, double dt, const SoftBodies& batch,
                          std::span<const ContactEnds> contacts) {
  const System& system = context.system;
  const Vec3& gravity = context.settings.gravity;
  const Integrator integrator = freeMotion(context.settings).integrator;
  ground_ = batch.ground();
  movers_.resize(batch.movable.size() + 1 + batch.others.size());
  double mass = 0.0, fastest = 0.0;
  for (std::uint32_t i = 0; i < movers_.size(); ++i) {
    Mover& mover = movers_[i] = Mover{};
    if (i == ground_) continue;
    const Body& body = system.bodies[batch.indexOf(i)];
    if (body.moves()) mover.velocity << body.velocity, body.spin;
    fastest = std::max(fastest, body.velocity.norm() + body.size * body.spin.norm());
    if (!canMove(i)) continue;
    if (body.lockedPosition != 0 || body.lockedRotation != 0) return false;
    const Mat3 turn = body.rotation.toRotationMatrix();
    mover.mass = body.mass;
    mover.inertia = turnedTensor(turn, body.inertia).full();
    mover.acceleration.head<3>() = gravity * body.gravityScale + body.force * body.inverseMass;
    if (!body.torque.isZero(0.0)) mover.acceleration.tail<3>() = turnedTensor(turn, body.inverseInertia) * body.torque;
    if (feelsGyroscopicTorque(body, gravity)) mover.acceleration.tail<3>() += gyroscopicAcceleration(body, dt, integrator);
    mover.linearDamping = body.linearDamping;
    mover.angularDamping = body.angularDamping;
    mover.size = body.size;
    mass += body.mass;
  }
  substeps_ = fastest < kStepsOfGravity * gravity.norm() * dt ? 1 : kSubstepsOfMoving;
  points_.clear();
  patches_.clear();
  apart_.clear();
  weight_ = mass * gravity.norm();
  for (const ContactEnds& ends : contacts) {
    if (system.contacts.slots[ends.contact].restitution > 0.0f) return false;
    if (ends.rank >= kWideRank) {
      apart_.push_back(ends);
    } else {
      takePatch(context, dt, batch, ends);
    }
  }
  findPattern(batch);
  return true;
}

void DirectIsland::takePatch(const StepContext& context, double dt, const SoftBodies& batch, const ContactEnds& ends) {
  Patch& patch = patches_.emplace_back();
  patch.slot = ends.contact;
  patch.a = ends.a;
  patch.b = ends.b;
  const System& system = context.system;
  const SoftOptions& options = context.settings.soft;
  const Contact& contact = system.contacts.slots[patch.slot];
  const double h = dt / substeps_;
  const double rescale = impulseShare(system.impulseSeconds, dt, h);

  // As stiff as it takes to carry the whole island, and no softer than elsewhere.
  double inverseMass = 0.0, lightest = 0.0;
  float thickness = 0.0f;
  for (const std::uint32_t end : {patch.a, patch.b}) {
    if (!canMove(end)) continue;
    const Body& body = system.bodies[batch.indexOf(end)];
    inverseMass += body.inverseMass;
    if (body.inverseMass > lightest) lightest = body.inverseMass, thickness = body.thickness;
  }
  patch.mass = 1.0 / inverseMass;
  const double omega = kTwoPi * options.contactFrequency, depth = kDepthShare * depthAllowed(thickness);
  double stiffness = omega * omega * patch.mass;
  if (depth > 0.0) stiffness = std::max(stiffness, weight_ / depth);
  double damping = stiffness * 2.0 * options.contactDampingRatio / omega;
  if (contact.stiffness > 0.0f) stiffness = contact.stiffness, damping = contact.damping;

  const Vec3 normal = contact.normal.cast<double>().normalized();
  const auto rowOf = [](const Vec3& direction, const Vec3& armA, const Vec3& armB) {
    Row row;
    row.a << -direction, -armA.cross(direction);
    row.b << direction, armB.cross(direction);
    return row;
  };
  double loads = 0.0;
  for (int p = 0; p < contact.count; ++p) loads += contact.points[p].normalImpulse;
  Vec3 centreA = Vec3::Zero(), centreB = Vec3::Zero();  // of pressure: friction acts there
  patch.firstPoint = static_cast<std::uint32_t>(points_.size());
  patch.points = contact.count;
  for (int p = 0; p < contact.count; ++p) {
    const Vec3 armA = contact.anchorA(p).cast<double>(), armB = contact.anchorB(p).cast<double>();
    const double share = loads > 0.0 ? contact.points[p].normalImpulse / loads : 1.0 / contact.count;
    centreA += share * armA;
    centreB += share * armB;
    Point& point = points_.emplace_back();
    point.row = rowOf(normal, armA, armB);
    point.separation = contact.points[p].separation;
    point.stiffness = h * (h * stiffness + damping) / contact.count;
  }
  patch.reach = 0.0;
  for (int p = 0; p < contact.count; ++p) {
    double& lever = points_[patch.firstPoint + p].lever;
    lever = (contact.anchorA(p).cast<double>() - centreA).norm();
    patch.reach = std::max(patch.reach, lever);
  }
  patch.tangents[0] = normal.unitOrthogonal();
  patch.tangents[1] = normal.cross(patch.tangents[0]);
  for (int k = 0; k < 2; ++k) patch.friction[k] = rowOf(patch.tangents[k], centreA, centreB);
  patch.friction[2].a << Vec3::Zero(), -normal;
  patch.friction[2].b << Vec3::Zero(), normal;
  patch.mu = contact.friction;
  patch.stiffness = h * h * stiffness;
  patch.twistStiffness = patch.stiffness * patch.reach * patch.reach;
  const Vec3 friction = contact.frictionImpulse.cast<double>();
  patch.last = {rescale * friction.dot(patch.tangents[0]), rescale * friction.dot(patch.tangents[1]),
                rescale * contact.twistImpulse};
  patch.totals = {};
  patch.isKnown = loads > 0.0;
  patch.approachSpeed = -along(rowOf(normal, centreA, centreB), patch, &Mover::velocity);
}

// Who touches whom, for the matrix. Mostly it is as in the last step.
void DirectIsland::findPattern(const SoftBodies& batch) {
  ends_.clear();
  for (const Patch& patch : patches_) ends_.emplace_back(patch.a, patch.b);
  if (!lu_ || patternBodies_ != batch.movable || pattern_ != ends_) {
    const auto areBothIn = [&](const auto& pair) { return canMove(pair.first) && canMove(pair.second); };
    std::vector<std::vector<int>> neighbours(ground_);
    for (const auto& pair : ends_) {
      if (!areBothIn(pair)) continue;
      neighbours[pair.first].push_back(static_cast<int>(pair.second));
      neighbours[pair.second].push_back(static_cast<int>(pair.first));
    }
    for (std::vector<int>& some : neighbours) {
      std::sort(some.begin(), some.end());
      some.erase(std::unique(some.begin(), some.end()), some.end());
    }
    lu_.emplace(std::vector<int>(ground_, 6), neighbours);
    pattern_ = ends_;
    patternBodies_ = batch.movable;
    factoredFor_ = 0;
    used_.assign(ground_, 6);
    const auto place = [&](std::uint32_t a, std::uint32_t b) {
      return lu_->place(static_cast<int>(a), static_cast<int>(b));
    };
    diagonal_.clear();
    for (std::uint32_t i = 0; i < ground_; ++i) diagonal_.push_back(place(i, i));
    places_.assign(ends_.size(), {});
    for (std::size_t i = 0; i < ends_.size(); ++i)
      if (const auto [a, b] = ends_[i]; areBothIn(ends_[i])) places_[i] = {place(a, b), place(b, a)};
  }
  for (std::size_t i = 0; i < patches_.size(); ++i) std::tie(patches_[i].ab, patches_[i].ba) = places_[i];
}

void DirectIsland::evaluateRows() {
  for (Patch& patch : patches_) {
    for (Point& point : pointsOf(patch)) point.closing = point.target - along(point.row, patch, &Mover::velocity);
    for (int k = 0; k < 3; ++k)
      patch.wanted[k] = patch.last[k] - stiffnessOf(patch, k) * along(patch.friction[k], patch, &Mover::velocity);
  }
}

double DirectIsland::evaluateImpulses() {
  // Of a spring that gives way at a limit: what it has stored, and what is lost beyond.
  const auto stored = [](double size, double limit, double stiffness) {
    return (size <= limit ? 0.5 * size * size : limit * (size - 0.5 * limit)) / stiffness;
  };
  double energy = 0.0;
  for (Patch& patch : patches_) {
    for (Point& point : pointsOf(patch)) {
      const double closing = std::max(0.0, point.closing);
      point.impulse = point.stiffness * closing;
      energy += 0.5 * point.impulse * closing;
    }
    const double size = tangentialOf(patch), share = size > patch.limit ? patch.limit / size : 1.0;
    patch.now = {share * patch.wanted[0], share * patch.wanted[1],
                 std::clamp(patch.wanted[2], -patch.twistLimit, patch.twistLimit)};
    energy += stored(size, patch.limit, patch.stiffness);
    if (patch.twistStiffness > 0.0) energy += stored(std::abs(patch.wanted[2]), patch.twistLimit, patch.twistStiffness);
  }
  return energy;
}

double DirectIsland::kinetic() const {
  double energy = 0.0;
  for (std::uint32_t i = 0; i < ground_; ++i) {
    const Mover& mover = movers_[i];
    const Vec6 gained = mover.velocity - mover.free;
    energy += 0.5 * (mover.mass * linear(gained).squaredNorm() + angular(gained).dot(mover.inertia * angular(gained)));
  }
  return energy;
}

bool DirectIsland::takeLimits(double tolerance) {
  bool matters = false;
  for (Patch& patch : patches_) {
    double pressed = 0.0, torque = 0.0;
    for (const Point& point : pointsOf(patch)) {
      pressed += point.impulse;
      torque += point.impulse * point.lever;
    }
    // If friction was at the limit, or is now.
    const auto take = [&](double& limit, double now, double size, double mass) {
      matters |= std::abs(now - limit) > tolerance * mass && size >= std::min(limit, now);
      limit = now;
    };
    take(patch.limit, patch.mu * pressed, tangentialOf(patch), patch.mass);
    take(patch.twistLimit, patch.mu * torque, std::abs(patch.wanted[2]), patch.mass * patch.reach);
  }
  return matters;
}

// M + J^T A J, for what evaluateImpulses() found. `grip`: what is added where patches slide, see below.
void DirectIsland::assemble(double grip) {
  lu_->begin(used_);
  scale_.assign(ground_, 0.0);
  const auto add = [&](const BlockLu::Place& place, double value, const Vec6& left, const Vec6& right) {
    const BlockLu::Entry entry = lu_->entry(place, 6);
    for (int i = 0; i < 6; ++i)
      for (int j = 0; j < 6; ++j) entry.values[i * entry.stride + j] += value * left[i] * right[j];
  };
  const auto addRow = [&](const Patch& patch, const Row& row, double value) {
    const bool movesA = canMove(patch.a), movesB = canMove(patch.b);
    if (movesA) add(diagonal_[patch.a], value, row.a, row.a);
    if (movesB) add(diagonal_[patch.b], value, row.b, row.b);
    if (!movesA || !movesB) return;
    add(patch.ab, value, row.a, row.b);
    add(patch.ba, value, row.b, row.a);
  };
  for (std::uint32_t i = 0; i < ground_; ++i) {
    const BlockLu::Entry entry = lu_->entry(diagonal_[i], 6);
    const Mover& mover = movers_[i];
    for (int k = 0; k < 3; ++k) {
      entry.values[k * entry.stride + k] += mover.mass;
      for (int l = 0; l < 3; ++l) entry.values[(3 + k) * entry.stride + 3 + l] += mover.inertia(k, l);
    }
    scale_[i] = std::min(mover.mass, mover.inertia.trace());
  }
  for (const Patch& patch : patches_) {
    for (const Point& point : pointsOf(patch))
      if (point.closing >= 0.0) addRow(patch, point.row, point.stiffness);
    if (patch.limit <= 0.0) continue;
    const Row& first = patch.friction[0];
    const Row& second = patch.friction[1];
    const double size = tangentialOf(patch);
    if (size <= patch.limit) {
      addRow(patch, first, patch.stiffness);
      addRow(patch, second, patch.stiffness);
    } else {
      // It slides: friction changes with the velocity only across its direction.
      const double c = patch.wanted[0] / size, s = patch.wanted[1] / size;
      const double stiffness = patch.stiffness * patch.limit / size;
      addRow(patch, {c * second.a - s * first.a, c * second.b - s * first.b}, stiffness);
      if (grip > 0.0) addRow(patch, {c * first.a + s * second.a, c * first.b + s * second.b}, grip * stiffness);
    }
    const double twist = std::abs(patch.wanted[2]), hold = twist <= patch.twistLimit ? 1.0 : grip * patch.twistLimit / twist;
    if (hold > 0.0) addRow(patch, patch.friction[2], hold * patch.twistStiffness);
  }
}

std::uint64_t DirectIsland::stateOf(double h) const {
  Hash hash;
  hash.add(std::bit_cast<std::uint64_t>(h));
  for (const Patch& patch : patches_) {
    std::uint64_t state = 1;
    for (const Point& point : pointsOf(patch)) state = 2 * state + (point.closing >= 0.0 ? 1 : 0);
    const bool slides = tangentialOf(patch) > patch.limit, twists = std::abs(patch.wanted[2]) > patch.twistLimit;
    hash.add(4 * state + (slides ? 2 : 0) + (twists ? 1 : 0));
  }
  return hash.value();
}

// Newton's method on a convex energy. Where patches slide its own matrix has nothing along the direction of friction, and
// far from the solution leads astray: it starts with as much there as brings friction to its limit, which never goes too
// far, and lets go when the same ones slide again. At rest the matrix of the last time is as good as a new one: if what it
// says is small, that is the last iteration.
void DirectIsland::converge(double h, double tolerance) {
  double energy = kinetic() + evaluateImpulses(), grip = 1.0;
  bool mayLetGo = true;
  std::uint64_t lastState = 0;
  for (int iteration = factoredFor_ == stateOf(h) ? -1 : 0; iteration < kMostOfRound; ++iteration) {
    pollStop();
    momenta_.resize(6 * static_cast<Eigen::Index>(ground_));
    for (std::uint32_t i = 0; i < ground_; ++i) {
      const Vec6 gained = movers_[i].velocity - movers_[i].free;
      momenta_.segment<6>(6 * i) << movers_[i].mass * linear(gained), movers_[i].inertia * angular(gained);
    }
    const auto push = [&](const Patch& patch, const Row& row, double impulse) {
      if (impulse == 0.0) return;
      if (canMove(patch.a)) momenta_.segment<6>(6 * patch.a) -= impulse * row.a;
      if (canMove(patch.b)) momenta_.segment<6>(6 * patch.b) -= impulse * row.b;
    };
    for (const Patch& patch : patches_) {
      for (const Point& point : pointsOf(patch)) push(patch, point.row, point.impulse);
      for (int k = 0; k < 3; ++k) push(patch, patch.friction[k], patch.now[k]);
    }
    if (iteration >= 0) {
      if (iterationsLeft_ == 0) return;
      --iterationsLeft_;
      assemble(grip);
      lu_->factor(scale_);
      factoredFor_ = stateOf(h);
    }
    change_ = momenta_;
    lu_->solve(change_);
    double most = 0.0;  // m/s
    for (std::uint32_t i = 0; i < ground_; ++i) {
      movers_[i].before = movers_[i].velocity;
      most = std::max({most, change_.segment<3>(6 * i).norm(), movers_[i].size * change_.segment<3>(6 * i + 3).norm()});
    }
    if (iteration < 0 && !(most < tolerance)) continue;
    const double slope = -momenta_.dot(change_);
    if (iteration <= 0) firstChange_ = most;
    lastChange_ = most;
    double share = 1.0, now = 0.0;
    for (int halving = 0; halving <= kMostHalvings; ++halving, share *= 0.5) {
      for (std::uint32_t i = 0; i < ground_; ++i)
        movers_[i].velocity = movers_[i].before - share * change_.segment<6>(6 * i);
      evaluateRows();
      now = kinetic() + evaluateImpulses();
      if (now <= energy + kArmijo * share * slope || most < tolerance) break;
    }
    energy = now;
    if (most < tolerance) return;
    mayLetGo &= grip > 0.0 || share == 1.0;
    const std::uint64_t state = stateOf(h);
    grip = mayLetGo && share == 1.0 && state == lastState ? 0.0 : 1.0;
    lastState = state;
  }
}

// Friction depends on pressure: its limits are held until all else agrees with them, and taken anew.
bool DirectIsland::solve(double h, double tolerance) {
  evaluateRows();
  evaluateImpulses();
  const bool isFresh = std::none_of(patches_.begin(), patches_.end(), [](const Patch& patch) { return patch.isKnown; });
  for (Patch& patch : patches_) patch.limit = patch.twistLimit = kNoLimit;
  for (int round = 0; round < kMostRounds; ++round) {
    // Where no one knows what presses on what, everything holds at first.
    const bool matters = (round == 0 && isFresh) || takeLimits(tolerance);
    if (round > 0 && !matters && lastChange_ < tolerance) return true;
    converge(h, tolerance);
  }
  return std::max(firstChange_, lastChange_) < kGoodEnough * tolerance;
}

// The velocities at which points begin to press.
void DirectIsland::findTargets(const StepContext& context, double h) {
  const SoftOptions& options = context.settings.soft;
  const double delay = 2.0 * options.contactDampingRatio / (kTwoPi * options.contactFrequency);  // s: c / k
  for (const Patch& patch : patches_) {
    for (Point& point : pointsOf(patch)) {
      const double gap = point.separation + along(point.row, patch, &Mover::moved);
      point.target = gap > 0.0 ? -gap / h : std::min(-gap / (h + delay), options.pushOutSpeed);
    }
  }
}

bool DirectIsland::meets(const Contact& contact, const ContactEnds& ends, double h) const {
  const Vec3 normal = contact.normal.cast<double>();
  const Vec6 a = movers_[ends.a].moved + h * movers_[ends.a].velocity;
  const Vec6 b = movers_[ends.b].moved + h * movers_[ends.b].velocity;
  for (int p = 0; p < contact.count; ++p) {
    const Vec3 movedA = linear(a) + angular(a).cross(contact.anchorA(p).cast<double>());
    const Vec3 movedB = linear(b) + angular(b).cross(contact.anchorB(p).cast<double>());
    if (contact.points[p].separation + normal.dot(movedB - movedA) < 0.0) return true;
  }
  return false;
}

bool DirectIsland::substep(const StepContext& context, double dt, const SoftBodies& batch) {
  const double h = dt / substeps_, gravity = context.settings.gravity.norm();
  const double tolerance = std::max(kTolerance * h * gravity, kLeastTolerance);

  for (std::uint32_t i = 0; i < ground_; ++i) {
    Mover& mover = movers_[i];
    const Vec6 gained = mover.velocity + h * mover.acceleration;
    mover.free << linear(gained) / (1.0 + h * mover.linearDamping), angular(gained) / (1.0 + h * mover.angularDamping);
  }
  while (true) {
    findTargets(context, h);
    if (!solve(h, tolerance)) return false;
    const std::size_t before = apart_.size();
    std::erase_if(apart_, [&](const ContactEnds& ends) {
      if (!meets(context.system.contacts.slots[ends.contact], ends, h)) return false;
      takePatch(context, dt, batch, ends);
      return true;
    });
    if (apart_.size() == before) break;
    findPattern(batch);
  }
  for (Mover& mover : movers_) mover.moved += h * mover.velocity;
  // What was pushed out of a penetration has moved, and keeps none of the speed: springs are to bear what they do without
  // it.
  bool pushes = false;
  for (const Patch& patch : patches_) {
    for (Point& point : pointsOf(patch)) {
      if (point.target <= 0.0) continue;
      const double bears = point.impulse / point.stiffness;
      pushes |= point.target - bears > kGentle * h * gravity;
      point.target = std::min(point.target, bears);
    }
  }
  if (pushes && !solve(h, tolerance)) return false;
  for (Patch& patch : patches_) {
    for (Point& point : pointsOf(patch)) point.total += point.impulse;
    for (int k = 0; k < 3; ++k) patch.totals[k] += patch.now[k];
    patch.last = patch.now;
    patch.isKnown = true;
  }
  return true;
}

void DirectIsland::giveBack(StepContext& context, const SoftBodies& batch) const {
  System& system = context.system;
  for (std::uint32_t i = 0; i < ground_; ++i) {
    Body& body = system.bodies[batch.movable[i]];
    const Mover& mover = movers_[i];
    body.center += linear(mover.moved);
    body.rotation = rotated(body.rotation, angular(mover.moved));
    body.velocity = linear(mover.velocity);
    body.spin = angular(mover.velocity);
    body.pathLength = 0.0f;
  }
  ContactCache& cache = system.contacts;
  const double unscale = substeps_;
  for (const Patch& patch : patches_) {
    Contact& contact = cache.slots[patch.slot];
    for (std::uint32_t p = 0; p < patch.points; ++p) {
      const Point& point = pointsOf(patch)[p];
      contact.points[p].normalImpulse = static_cast<float>(unscale * point.impulse);
      contact.points[p].totalImpulse = static_cast<float>(point.total);
    }
    const auto vectorOf = [&](const std::array<double, 3>& of) -> Vec3 {
      return of[0] * patch.tangents[0] + of[1] * patch.tangents[1];
    };
    contact.frictionImpulse = (unscale * vectorOf(patch.now)).cast<float>();
    contact.totalFriction = vectorOf(patch.totals).cast<float>();
    contact.twistImpulse = static_cast<float>(unscale * patch.now[2]);
    contact.totalTwist = static_cast<float>(patch.totals[2]);
    contact.approachSpeed = static_cast<float>(patch.approachSpeed);
    contact.direct = true;
    cache.note(patch.slot, false, contact.touches());
  }
  for (const ContactEnds& ends : apart_) cache.note(ends.contact, false, false);
}

}  // namespace cairn
