// Which routine handles which pair.
#include <algorithm>
#include <cmath>

#include "collision/collide_pairs.hpp"
#include "collision/manifold_tolerances.hpp"

namespace cairn {
namespace {

using PairRoutine = void (*)(const Solid&, const Solid&, double, Manifold&);

void collideNothing(const Solid&, const Solid&, double, Manifold&) {}

void collideRounded(const Solid& a, const Solid& b, double margin, Manifold& manifold);

// Row: the type that comes first in ShapeType's order. The lower left half is never looked up, nor are two spheres.
constexpr PairRoutine kRoutines[kShapeTypeCount][kShapeTypeCount] = {
    // Plane, Sphere, Capsule, Box, Cylinder, Ellipsoid, Hull, Cone, RoundBox, RoundHull
    {collideNothing, collidePlane, collidePlane, collidePlane, collidePlane, collidePlane, collidePlane, collidePlane,
     collideRounded, collideRounded},
    {nullptr, collideNothing, collideSphereCapsule, collideSphereBox, collideSphereCylinder, collideSmooth,
     collideCurvedFlat, collideCurvedFlat, collideRounded, collideRounded},
    {nullptr, nullptr, collideCapsuleCapsule, collideCurvedFlat, collideCurvedFlat, collideSmooth, collideCurvedFlat,
     collideCurvedFlat, collideRounded, collideRounded},
    {nullptr, nullptr, nullptr, collideBoxBox, collideCurvedFlat, collideCurvedFlat, collidePolytopes, collideCurvedFlat,
     collideRounded, collideRounded},
    {nullptr, nullptr, nullptr, nullptr, collideCurvedFlat, collideCurvedFlat, collideCurvedFlat, collideCurvedFlat,
     collideRounded, collideRounded},
    {nullptr, nullptr, nullptr, nullptr, nullptr, collideSmooth, collideCurvedFlat, collideCurvedFlat, collideRounded,
     collideRounded},
    {nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, collidePolytopes, collideCurvedFlat, collideRounded,
     collideRounded},
    {nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, collideCurvedFlat, collideRounded, collideRounded},
    {nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, collideRounded, collideRounded},
    {nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, collideRounded},
};

// A radius about a core moves every touching plane out by as much, whatever its direction: the contact is that of the cores,
// with the radii taken off its gaps. Normals are therefore as exact as those of cores that are apart.
void collideRounded(const Solid& a, const Solid& b, double margin, Manifold& manifold) {
  const Shape coreA = coreOf(a.shape), coreB = coreOf(b.shape);
  Solid solidA(coreA, a.orientation, a.position), solidB(coreB, b.orientation, b.position);
  solidA.grown = a.shape.rounding();
  solidB.grown = b.shape.rounding();
  const double radii = solidA.grown + solidB.grown;
  const bool swapped = coreA.type > coreB.type;
  kRoutines[static_cast<int>(swapped ? coreB.type : coreA.type)][static_cast<int>(swapped ? coreA.type : coreB.type)](
      swapped ? solidB : solidA, swapped ? solidA : solidB, margin + radii, manifold);
  if (swapped) manifold.normal = -manifold.normal;
  manifold.clearance = std::max(0.0, manifold.clearance - radii);
  const int before = manifold.count;
  growManifold(solidA.grown, solidB.grown, manifold);
  if (before > 1 && manifold.count == 1) {  // nothing is left of the patch: the point alone, exactly
    setSinglePoint(exactDistance(solidA, solidB), kSinglePoint, manifold);
    growManifold(solidA.grown, solidB.grown, manifold);
  }
}

}  // namespace

void growManifold(double grownA, double grownB, Manifold& manifold) {
  if (grownA + grownB == 0.0) return;
  int lowest = 0;
  for (int i = 1; i < manifold.count; ++i) {
    if (manifold.points[i].separation < manifold.points[lowest].separation) lowest = i;
  }
  const ManifoldPoint deepest = manifold.points[lowest];
  int kept = 0;
  for (int i = 0; i < manifold.count; ++i) {
    ManifoldPoint point = manifold.points[i];
    const Vec3 apart = point.position - deepest.position;
    const double rise = point.separation - deepest.separation;
    const double run = (apart - manifold.normal * manifold.normal.dot(apart)).norm();
    if (i != lowest && rise > kSlope * run) continue;
    point.separation -= grownA + grownB;
    point.position += 0.5 * (grownA - grownB) * manifold.normal;
    manifold.points[kept++] = point;
  }
  manifold.count = kept;
}

void collide(const Shape& a, const Pose& poseA, const Shape& b, const Pose& poseB, double margin, Manifold& manifold) {
  manifold.count = 0;
  manifold.clearance = 0.0;
  if (a.type == ShapeType::Sphere && b.type == ShapeType::Sphere)  // they have no axes to be turned first
    return collideSpheres(a.radius(), poseA.position, b.radius(), poseB.position, margin, manifold);
  const bool swapped = a.type > b.type;
  const Shape& first = swapped ? b : a;
  const Shape& second = swapped ? a : b;
  const Pose& poseFirst = swapped ? poseB : poseA;
  const Pose& poseSecond = swapped ? poseA : poseB;
  const Solid solidA(first, poseFirst.rotation, Vec3::Zero());
  const Solid solidB(second, poseSecond.rotation, poseSecond.position - poseFirst.position);
  kRoutines[static_cast<int>(first.type)][static_cast<int>(second.type)](solidA, solidB, margin, manifold);
  if (swapped) manifold.normal = -manifold.normal;
  for (int i = 0; i < manifold.count; ++i) manifold.points[i].position += poseFirst.position;
}

}  // namespace cairn
