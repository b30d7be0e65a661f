// Everything that makes up the state of a simulation, as one value: copying it is a snapshot, exact to the bit.
#pragma once

#include <vector>

#include "cairn/settings.hpp"
#include "collision/broad_phase.hpp"
#include "dynamics/body.hpp"
#include "dynamics/joint.hpp"

namespace cairn {

struct System {
  std::vector<Body> bodies;         // by BodyId::index; holes are not alive
  std::vector<Collider> colliders;  // by ShapeId::index
  std::vector<Joint> joints;        // by JointId::index
  BroadPhase broad;
  ContactCache contacts;
  double impulseSeconds = 0.0;  // s: the substep that the stored impulses belong to
};

}  // namespace cairn
