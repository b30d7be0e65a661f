// Bodies: what moves, and how it is described.
#pragma once

#include <array>
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

// How a kinematic body moves: through poses at given times, and to and fro about them.
struct Trajectory {
  struct Key {
    double time = 0.0;  // s
    Pose pose{};        // of the body's frame
  };
  std::vector<Key> keys{};        // times rising; before the first and after the last it rests. None: about BodyDesc::pose
  bool smooth = true;             // between keys: cubic, at rest at both ends and with continuous velocity; else straight
  bool repeat = false;            // starts over when the last key is reached
  Vec3 amplitude = Vec3::Zero();  // m: + amplitude sin(2 pi frequency t + phase)
  Vec3 turnAmplitude = Vec3::Zero();  // rad, rotation vector, world axes: the same for rotation
  double frequency = 0.0;             // Hz
  double phase = 0.0;                 // rad
};

// Degrees of freedom that a body does not have, world axes.
struct Locks {
  std::array<bool, 3> position{};  // along x, y, z
  std::array<bool, 3> rotation{};  // about x, y, z: none, two or all three
  bool any() const { return position != std::array<bool, 3>{} || rotation != std::array<bool, 3>{}; }
};

// Resistance of the air: force -(linear + quadratic |v|) v, torque likewise.
struct Drag {
  double linear = 0.0;            // N s/m
  double quadratic = 0.0;         // N s^2/m^2
  double angularLinear = 0.0;     // N m s
  double angularQuadratic = 0.0;  // N m s^2
  bool any() const { return linear > 0.0 || quadratic > 0.0 || angularLinear > 0.0 || angularQuadratic > 0.0; }
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
  Drag drag{};
  Locks locks{};                           // dynamic bodies
  std::optional<Trajectory> trajectory{};  // kinematic bodies; wins over the velocities
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
