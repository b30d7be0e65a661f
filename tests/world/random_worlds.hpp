// Small random worlds, gentle ones: up to eight bodies of all shapes with masses, speeds and sizes that people use, some
// joined, many of them overlapping. Whatever they do, they must not explode, and the same world must do the same again.
#pragma once

#include <algorithm>
#include <cmath>
#include <random>
#include <string>

#include "world/building.hpp"

namespace cairn::test {

class RandomNumbers {
 public:
  explicit RandomNumbers(std::uint64_t seed) : random_(seed) {}
  std::uint64_t operator()() { return random_(); }
  double uniform(double low, double high) { return low + (high - low) * static_cast<double>(random_() >> 11) * 0x1p-53; }
  bool chance(double share) { return uniform(0.0, 1.0) < share; }
  Vec3 vector(double size) {
    const double x = uniform(-size, size), y = uniform(-size, size);
    return {x, y, uniform(-size, size)};
  }

 private:
  std::mt19937_64 random_;
};

class RandomWorld : private RandomNumbers {
 public:
  // `frictionless`, `jointless`: for steppers that do not take it.
  struct Limits {
    bool frictionless = false, jointless = false;
  };
  RandomWorld(std::uint64_t seed, const std::string& stepper, const Limits& limits)
      : RandomNumbers(seed), random_(*this), limits_(limits) {
    WorldSettings settings;
    settings.stepper = stepper;
    if (chance(0.2)) settings.gravity.setZero();
    world_ = World(settings);
    varies_ = chance(0.25);
    material_ = {.friction = limits.frictionless ? 0.0 : uniform(0.0, 1.0),
                 .restitution = chance(0.5) ? 0.0 : uniform(0.0, 0.9)};
    if (chance(0.7)) ids_.push_back(world_.addBody(fixedSolid(Plane{}, Vec3::Zero(), material_)));
    if (chance(0.3))
      ids_.push_back(world_.addBody(fixedSolid(Box{Vec3(1.0, 1.0, 0.1)}, vector(0.5) + Vec3(0, 0, 0.3), material_)));
    addBodies(1 + static_cast<int>(random_() % 8));
    if (!limits.jointless && ids_.size() > 1) addJoints(static_cast<int>(random_() % 5));
  }

  World& world() { return world_; }
  double nextDt() { return varies_ ? std::exp(uniform(std::log(1e-4), std::log(0.1))) : kDt; }

 private:
  Quat rotation() {
    const Quat q(uniform(-1, 1), uniform(-1, 1), uniform(-1, 1), uniform(-1, 1));
    return q.norm() > 0.1 && chance(0.8) ? q.normalized() : Quat::Identity();
  }
  Geometry geometry() {
    const double r = uniform(0.1, 0.5);
    switch (random_() % 6) {
      case 0:
        return Sphere{r};
      case 1:
        return Box{Vec3(r, uniform(0.2, 1.0) * r, uniform(0.2, 1.0) * r)};
      case 2:
        return Capsule{0.5 * r, r};
      case 3:
        return Cylinder{r, uniform(0.2, 1.0) * r};
      case 4:
        return Ellipsoid{Vec3(r, uniform(0.4, 1.0) * r, uniform(0.4, 1.0) * r)};
      default: {
        ConvexHull hull{{{r, 0, 0}, {0, r, 0}, {0, 0, r}, {-r, -r, -r}}};
        for (int i = 0; i < 6; ++i) hull.points.push_back(vector(r));
        return hull;
      }
    }
  }
  void addBodies(int count) {
    for (int i = 0; i < count; ++i) {
      BodyDesc desc = solid(geometry(), vector(0.7) + Vec3(0, 0, 0.9), material_);
      if (chance(0.2))
        desc.shapes.push_back({.geometry = geometry(), .local = {vector(0.3), rotation()}, .material = material_});
      desc.pose.rotation = rotation();
      if (chance(0.7)) {
        desc.linearVelocity = vector(3.0);
        desc.angularVelocity = vector(5.0);
      }
      for (ShapeDesc& shape : desc.shapes) shape.density = std::exp(uniform(std::log(300.0), std::log(3000.0)));
      ids_.push_back(world_.addBody(desc));
    }
  }
  // Between bodies as they stand: no joint begins with an error.
  void addJoints(int count) {
    for (int i = 0; i < count; ++i) {
      const BodyId a = ids_[random_() % ids_.size()], b = ids_[random_() % ids_.size()];
      const Pose poseA = world_.state(a)->pose, poseB = world_.state(b)->pose;
      const Vec3 place = 0.5 * (poseA.position + poseB.position) + vector(0.2),
                 axis = (vector(1.0) + Vec3(1.1, 0, 0)).normalized();
      const auto local = [](const Pose& pose, const Vec3& at) -> Vec3 {
        return pose.rotation.conjugate() * (at - pose.position);
      };
      JointDesc joint{.a = a, .b = b, .anchorA = local(poseA, place), .anchorB = local(poseB, place)};
      const std::uint64_t kind = random_() % 4;
      if (kind == 1) joint.kind = HingeJoint{poseA.rotation.conjugate() * axis, poseB.rotation.conjugate() * axis};
      if (kind == 2) joint.kind = FixedJoint{};
      if (kind == 3) {
        joint.anchorA = vector(0.2);
        joint.anchorB = vector(0.2);
        joint.kind = DistanceJoint{};
      }
      joint.bodiesCollide = chance(0.5);
      try {
        world_.addJoint(joint);
      } catch (const std::invalid_argument&) {  // the same body twice, or two that cannot move
      }
    }
  }

  RandomNumbers& random_;
  Limits limits_;
  World world_;
  Material material_;
  std::vector<BodyId> ids_;
  bool varies_ = false;
};

}  // namespace cairn::test
