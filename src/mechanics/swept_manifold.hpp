// The contact of two shapes that a pose at the end of a step no longer shows: they went through each other on the way.
//
// A manifold that is made where the step ends knows nothing of the way there. Past the middle of a thin plate its normal
// points to the other side, and beyond the plate there is none. The features of a contact are therefore those of the step's
// beginning (formulations of GALILEO's method freeze them), found by conservative advancement along the way that the trial
// velocities mean: where the two first touch, the manifold is taken, and its points and its normal are carried on with their
// bodies to the end of the step. Gaps are then negative by how far the bodies went on.
#pragma once

#include "collision/touch.hpp"
#include "dynamics/body.hpp"

namespace cairn {

// A shape and its body's way: the pose of its centre of mass at the beginning, and how it moves and turns until the end.
struct ShapeOnItsWay {
  const Collider& collider;
  Pose start;
  Vec3 displacement = Vec3::Zero();  // m
  Vec3 turn = Vec3::Zero();          // rad, about a fixed axis
};

struct SweptManifold {
  Manifold manifold;                             // where the way ends; separations are negative
  std::array<Vec3, kManifoldPoints> armA, armB;  // m, of each point: from the centres of mass, world axes
};

// False if the two do not touch on their way, or touch with other children than these.
bool sweepManifold(const ShapeOnItsWay& a, const ShapeOnItsWay& b, Children children, double margin, SweptManifold& swept);

}  // namespace cairn
