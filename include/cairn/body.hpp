// Bodies: what moves, and how it is described.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cairn/ids.hpp"
#include "cairn/math.hpp"
#include "cairn/shape.hpp"

namespace cairn {

enum class BodyKind : std::uint8_t {
  Static,     // never moves
  Kinematic,  // moves as told by its velocity, pushes others, is pushed by none
  Dynamic,    // obeys Newton and Euler
};

struct MassProperties {
  double mass = 0.0;            // kg
  Vec3 center = Vec3::Zero();   // m, centre of mass in the body's frame
  Mat3 inertia = Mat3::Zero();  // kg m^2, about the centre of mass, in the body's axes
};

struct BodyDesc {
  std::string name{};  // unique within a world; empty: the world makes one up ("body 17")
  BodyKind kind = BodyKind::Dynamic;
  Pose pose{};                          // of the body's frame (the origin that shapes and joints refer to)
  Vec3 linearVelocity = Vec3::Zero();   // m/s, of the centre of mass
  Vec3 angularVelocity = Vec3::Zero();  // rad/s, world axes
  std::vector<ShapeDesc> shapes{};
  std::optional<double> mass{};                    // kg; scales what the densities give
  std::optional<MassProperties> massProperties{};  // given outright; shapes' densities are then not looked at
  double gravityScale = 1.0;
  double linearDamping = 0.0;   // 1/s
  double angularDamping = 0.0;  // 1/s
  bool canSleep = true;
};

// What a body does now.
struct BodyState {
  Pose pose{};           // of the body's frame
  Vec3 center;           // m, centre of mass in the world
  Vec3 linearVelocity;   // m/s, of the centre of mass
  Vec3 angularVelocity;  // rad/s, world axes
};

}  // namespace cairn
