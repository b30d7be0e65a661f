#include "steppers/impulse_passes.hpp"

#include "base/stop.hpp"
#include "math/rotation.hpp"
#include "steppers/stack_layers.hpp"

namespace cairn {

namespace {

constexpr double kSoftest = -0.9;  // restitution of the first contact pass
constexpr double kStill = 1e-9;    // m/s: slower approaches are none

double reachOf(const Collider& collider) {
  return collider.radius < 1e9 ? collider.radius : 0.0;
}  // m; a plane does not turn

}  // namespace

ContactPasses::ContactPasses(StepContext& context, PointImpulses& impulses, const std::vector<char>& takesPart,
                             std::span<const ImpulsePair> pairs, double h)
    : context_(context),
      system_(context.system),
      impulses_(impulses),
      motion_(freeMotion(context.settings)),
      h_(h),
      prediction_(context.system.bodies.size()) {
  for (std::uint32_t i = 0; i < system_.bodies.size(); ++i) {
    const Body& body = system_.bodies[i];
    Prediction& to = prediction_[i];
    if (body.moves()) to.velocity = body.velocity, to.spin = body.spin;
    if (body.moves() && body.isDynamic() && takesPart[i] != 0) {
      const FreeVelocity free = freeVelocity(body, motion_, h);
      to.velocity = free.linear;
      to.spin = free.angular;
      bodies_.push_back(i);
      start_.push_back(body);
    }
    to.pose = {body.center + h * to.velocity, rotated(body.rotation, h * to.spin)};
  }
  for (const ImpulsePair& pair : pairs) {
    if (takesPart[pair.bodyA] == 0 && takesPart[pair.bodyB] == 0) continue;
    Patch patch;
    patch.pair = pair;
    patch.impulse.fill(Vec3::Zero());
    const Prediction& a = prediction_[pair.bodyA];
    const Prediction& b = prediction_[pair.bodyB];
    // Wide enough for what the passes may turn the bodies by.
    const double spins = a.spin.norm() * reachOf(system_.colliders[pair.colliderA]) +
                         b.spin.norm() * reachOf(system_.colliders[pair.colliderB]);
    const double margin = context.settings.speculativeDistance + h * ((b.velocity - a.velocity).norm() + spins);
    patch.count = impulses_.touch(pair, a.pose, b.pose, margin, patch.points);
    for (int i = 0; i < patch.count; ++i) {
      const ImpulsePoint& point = patch.points[i];
      const Vec3 velocity = b.velocity + b.spin.cross(point.armB) - a.velocity - a.spin.cross(point.armA);
      patch.predicted[i] = point.axes.col(0).dot(velocity);
      patch.pending[i] = patch.predicted[i] - impulses_.velocity(pair, point)[0];
    }
    if (patch.count > 0) patches_.push_back(patch);
  }
}

double ContactPasses::gapAfter(const Patch& patch, int i) const {
  const double speed = impulses_.velocity(patch.pair, patch.points[i])[0] + patch.pending[i];
  return patch.points[i].gap + h_ * (speed - patch.predicted[i]);
}

bool ContactPasses::collide(const Patch& patch) {
  const auto isDue = [&](int i) {
    return gapAfter(patch, i) <= 0.0 && impulses_.velocity(patch.pair, patch.points[i])[0] < -kStill;
  };
  PatchPoints due;
  int count = 0;
  for (int i = 0; i < patch.count; ++i)
    if (isDue(i)) due[count++] = patch.points[i];
  if (count == 0) return false;
  bool collided = false;
  if (count > 1) collided |= impulses_.collide(patch.pair, middleOf({due.data(), static_cast<std::size_t>(count)}));
  for (int i = 0; i < patch.count; ++i)
    if (isDue(i)) collided |= impulses_.collide(patch.pair, patch.points[i]);
  return collided;
}

void ContactPasses::collide(int passes) {
  bool collided = true;
  for (int pass = 0; pass < passes && collided; ++pass) {
    collided = false;
    for (const Patch& patch : patches_) {
      pollStop();
      collided |= collide(patch);
    }
  }
}

void ContactPasses::addLoads() {
  for (std::size_t k = 0; k < bodies_.size(); ++k) {
    Body& body = system_.bodies[bodies_[k]];
    body.velocity += prediction_[bodies_[k]].velocity - start_[k].velocity;
    body.spin += prediction_[bodies_[k]].spin - start_[k].spin;
  }
  for (Patch& patch : patches_) patch.pending.fill(0.0);
}

void ContactPasses::hinder(Patch& patch, double restitution) {
  pollStop();
  for (int i = 0; i < patch.count; ++i) {
    const ImpulsePoint& point = patch.points[i];
    // u_n that leaves the gap closed; out of a penetration that was there before, slower.
    const double gapBefore = point.gap - h_ * patch.predicted[i];
    const double wanted = gapBefore > 0.0 ? -gapBefore / h_ : partingSpeed(gapBefore, h_);
    const double speed = impulses_.velocity(patch.pair, point)[0];
    if (speed >= wanted && patch.impulse[i][0] == 0.0) continue;
    impulses_.settle(patch.pair, point, Vec3(speed + (1.0 + restitution) * (wanted - speed), 0.0, 0.0), patch.impulse[i]);
  }
}

void ContactPasses::contact(int passes) {
  for (int pass = 0; pass < passes; ++pass) {
    const double restitution = passes > 1 ? kSoftest * (1.0 - static_cast<double>(pass) / (passes - 1)) : 0.0;
    for (Patch& patch : patches_) hinder(patch, restitution);
  }
}

void ContactPasses::shock(int passes) {
  const std::vector<int> heights = stackHeights(system_);
  int highest = 0;
  for (const std::uint32_t body : bodies_) highest = std::max(highest, heights[body]);
  context_.report.method.layers = std::max(context_.report.method.layers, highest);
  for (int level = 1; level <= highest; ++level) {
    for (const std::uint32_t body : bodies_) impulses_.hold(body, heights[body] < level);
    for (int pass = 0; pass < passes; ++pass) {
      for (Patch& patch : patches_)
        if (std::max(heights[patch.pair.bodyA], heights[patch.pair.bodyB]) == level) hinder(patch, 0.0);
    }
  }
  for (const std::uint32_t body : bodies_) impulses_.hold(body, false);
  context_.report.method.swallowed = impulses_.swallowed();
}

void ContactPasses::move() {
  for (std::size_t k = 0; k < bodies_.size(); ++k) {
    Body& body = system_.bodies[bodies_[k]];
    // What nothing touched flies as its integrator says.
    if (!impulses_.wasPushed(bodies_[k])) {
      body = start_[k];
      moveFree(body, motion_, h_, 1);
      continue;
    }
    body.center += h_ * body.velocity;
    body.rotation = rotated(body.rotation, h_ * body.spin);
  }
}

}  // namespace cairn
