// What the engine saw in the last step, for people who want to look at it: contact points, islands, layers, boxes.
#pragma once

#include "cairn/ids.hpp"
#include "cairn/math.hpp"

namespace cairn {

// One point of a touching pair of shapes.
struct TouchPoint {
  BodyId bodyA, bodyB;
  Vec3 point = Vec3::Zero();    // m, world, on A
  Vec3 normal = Vec3::Zero();   // from A to B
  Vec3 impulse = Vec3::Zero();  // N s, on B, over the last step; friction of a pair is shared among its points by their load
  double gap = 0.0;             // m, when the step began; negative when overlapping
  double friction = 0.0;        // Coulomb coefficient of the pair
};

struct BodyInspection {
  int island = -1;                                  // of the last step; -1: none (it is fixed, or nothing was stepped yet)
  int layer = 0;                                    // 0: cannot be moved, 1: stands on that, 2: stands on those ...
  Vec3 lower = Vec3::Zero(), upper = Vec3::Zero();  // m: a box around its shapes, planes left out; equal if it has none
};

}  // namespace cairn
