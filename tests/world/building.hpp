// Short ways to put things into a world, for tests.
#pragma once

#include <gtest/gtest.h>

#include "cairn/cairn.hpp"

namespace cairn::test {

inline constexpr double kDt = 1.0 / 60.0;
inline constexpr double kGravity = 9.81;

inline BodyDesc solid(const Geometry& geometry, const Vec3& position, const Material& material = {}) {
  BodyDesc desc;
  desc.pose.position = position;
  ShapeDesc shape;
  shape.geometry = geometry;
  shape.material = material;
  desc.shapes = {shape};
  return desc;
}

inline BodyDesc fixedSolid(const Geometry& geometry, const Vec3& position = Vec3::Zero(), const Material& material = {}) {
  BodyDesc desc = solid(geometry, position, material);
  desc.kind = BodyKind::Static;
  return desc;
}

// Something that does not move, without a shape, for joints to hold on to.
inline BodyId addAnchor(World& world) {
  BodyDesc desc;
  desc.kind = BodyKind::Static;
  return world.addBody(desc);
}

inline Quat turn(double angle, const Vec3& axis) { return Quat(Eigen::AngleAxisd(angle, axis)); }

inline void run(World& world, double seconds, double dt = kDt) {
  const int steps = static_cast<int>(std::lround(seconds / dt));
  for (int i = 0; i < steps; ++i) ASSERT_EQ(world.step(dt).status, StepStatus::Ok);
}

// A torque-free body of given principal moments.
inline BodyDesc spinningBody(const Vec3& moments, const Vec3& spin) {
  BodyDesc desc;
  desc.massProperties = MassProperties{1.0, Vec3::Zero(), moments.asDiagonal()};
  desc.angularVelocity = spin;
  return desc;
}

}  // namespace cairn::test
