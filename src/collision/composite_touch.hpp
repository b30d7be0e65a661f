// Pairs of which one shape, or both, are composite.
#pragma once

#include "collision/surface_contact.hpp"
#include "collision/touch.hpp"

namespace cairn {

// As touch(): see there.
double touchComposite(const Shape& a, const Pose& poseA, const Shape& b, const Pose& poseB, const TouchHints& hints,
                      double margin, Manifold& room, ManifoldVisitor visit);

}  // namespace cairn
