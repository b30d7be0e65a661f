// From a manifold to the points of a contact, which keep what the last step learnt of them.
#pragma once

#include "collision/contact.hpp"

namespace cairn {

// Writes the manifold over the contact's points. Points that were there before keep their impulses: they are known by their
// features, and failing that by where they are. `radius` (m): of the smaller body.
void carryOver(Contact& contact, const Manifold& manifold, KeptManifold& kept, const Vec3& centerA, const Vec3& centerB,
               float radius);

// The same single point as before, of curved shapes: its place is new, its impulse is not. False if it is not the same.
bool carryOverSingle(Contact& contact, const Manifold& manifold, const KeptManifold& kept, const Vec3& centerA,
                     const Vec3& centerB);

// The same for two balls, from their places alone. False if that is not enough: they are beyond the margin, coincide, or
// have turned about each other.
bool moveBalls(Contact& contact, double radiusA, const Vec3& centerA, double radiusB, const Vec3& centerB, double margin);

// The same points as before, where they are now.
void keepPoints(Contact& contact, const MovedManifold& moved);

}  // namespace cairn
