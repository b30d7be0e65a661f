// The pair routines behind collide(). Each takes the shapes in canonical order (ShapeType ascending) about A's origin, and
// leaves `manifold` (empty on entry) with the normal from A to B.
#pragma once

#include "collision/contact_set.hpp"
#include "collision/flat_contact.hpp"
#include "collision/solid.hpp"

namespace cairn {

void collidePlane(const Solid& plane, const Solid& other, double margin, Manifold& manifold);
// With places in the world, unlike the others.
void collideSpheres(double radiusA, const Vec3& centerA, double radiusB, const Vec3& centerB, double margin,
                    Manifold& manifold);
void collideSphereCapsule(const Solid& sphere, const Solid& capsule, double margin, Manifold& manifold);
void collideSphereBox(const Solid& sphere, const Solid& box, double margin, Manifold& manifold);
void collideSphereCylinder(const Solid& sphere, const Solid& cylinder, double margin, Manifold& manifold);
void collideCapsuleCapsule(const Solid& a, const Solid& b, double margin, Manifold& manifold);
void collideBoxBox(const Solid& a, const Solid& b, double margin, Manifold& manifold);
void collidePolytopes(const Solid& a, const Solid& b, double margin, Manifold& manifold);
// Any two shapes of which at least one has flat faces and at least one does not: cylinders, cones, capsules, ellipsoids,
// spheres against boxes, hulls, triangles, cylinders and cones.
void collideCurvedFlat(const Solid& a, const Solid& b, double margin, Manifold& manifold);
// No flat faces at all: one point from the exact distance.
void collideSmooth(const Solid& a, const Solid& b, double margin, Manifold& manifold);

// --- Shared between them ---

// From the contact of two cores to that of the rounded shapes. Off the deepest point, what is nearest is not straight below
// the core if it slopes: such points go.
void growManifold(double grownA, double grownB, Manifold& manifold);

void setSinglePoint(const SignedDistance& contact, std::uint32_t feature, Manifold& manifold);

struct CorePoints {
  Vec3 first, second;  // the closest points
  double s, t;         // their places, -1 to 1 along each segment
};
// Of the segments center +- arm.
CorePoints closestOfSegments(const Vec3& centerA, const Vec3& armA, const Vec3& centerB, const Vec3& armB);

// Where the cores of two capsules or cylinders run side by side: fills the set and returns true if the line between the
// cores is at right angles to those that are cylinders', so that it is their sides that touch.
bool touchSides(const Solid& a, const Solid& b, ContactSet& set, double& separation);

// Builds the manifold when the exact distance is known but the features are not: a patch on a face, if one is nearly
// parallel to the normal and tells the same distance; a line, if edges or generators are parallel; else one point.
void contactFromDistance(const Solid& a, const Polytope* polytopeA, const Solid& b, const Polytope* polytopeB,
                         const SignedDistance& exact, double margin, ContactSet& set, Manifold& manifold);
// Whether a patch stands for the exact distance, seen along a normal at this cosine to its own: it must tell the same
// distance and have more than one point to offer. `grown` (m): the radii about the two, which the distance does not have in
// it.
bool patchAgrees(const ContactSet& set, double exact, double cosine, double smallerSize, double margin, double grown);

// Whether an overlap of the given depth is the shortest way out, once a flat or side of `owner` has been found that gives
// it. It is if a point of the other shape has a ball of that radius around it inside the owner: no shorter move brings it
// outside. And it is while the core of a sphere or capsule is outside.
bool isShortestWayOut(const Solid& owner, bool ownerIsB, const Polytope* polytope, const Solid& other, const ContactSet& set,
                      double separation);

}  // namespace cairn
