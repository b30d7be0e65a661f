// The spring with which a person pulls a body: from a point of the body to where the mouse is.
#pragma once

#include "cairn/world.hpp"

namespace cairn {

struct MouseSpring {
  BodyId body{};
  Vec3 at = Vec3::Zero();  // m, in the body's frame
  Vec3 to = Vec3::Zero();  // m, world
};

struct SpringLoad {
  Vec3 force = Vec3::Zero();   // N, at the centre of mass
  Vec3 torque = Vec3::Zero();  // N m
};

// What the spring does to its body in a step of length dt. Finite for every state that a world can be in, and zero for a
// body that is gone, quarantined or not dynamic.
SpringLoad loadOf(const MouseSpring& spring, const World& world, double dt);

}  // namespace cairn
