#include "soft/direct/direct_island.hpp"

#include <algorithm>
#include <cmath>

#include "math/rotation.hpp"
#include "math/symmetric3.hpp"
#include "mechanics/free_motion.hpp"
#include "mechanics/integrate.hpp"
#include "soft/layout/watched_contacts.hpp"
#include "soft/memory.hpp"
#include "soft/plan/contact_springs.hpp"
#include "soft/plan/policy_direct.hpp"

namespace cairn {

using namespace policy::direct;

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
  writeBack(context, batch);
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

void DirectIsland::writeBack(StepContext& context, const SoftBodies& batch) const {
  System& system = context.system;
  SoftMemory& memory = softMemory(system);
  for (std::uint32_t i = 0; i < ground_; ++i) {
    Body& body = system.bodies[batch.movable[i]];
    const Mover& mover = movers_[i];
    displace(body, linear(mover.moved), angular(mover.moved));
    body.velocity = linear(mover.velocity);
    body.spin = angular(mover.velocity);
    memory.pathLengths[batch.movable[i]] = 0.0f;
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
    memory.solvedDirectly[patch.slot] = 1;
    cache.note(patch.slot, false, contact.touches());
  }
  for (const ContactEnds& ends : apart_) cache.note(ends.contact, false, false);
}

}  // namespace cairn
