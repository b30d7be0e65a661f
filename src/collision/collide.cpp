// Which routine handles which pair.
#include <cmath>

#include "collision/collide_pairs.hpp"

namespace cairn {
namespace {

using PairRoutine = void (*)(const Solid&, const Solid&, double, Manifold&);

void collideNothing(const Solid&, const Solid&, double, Manifold&) {}

// Row: the type that comes first in ShapeType's order. The lower left half is never looked up, nor are two spheres.
constexpr PairRoutine kRoutines[kShapeTypeCount][kShapeTypeCount] = {
    // Plane, Sphere, Capsule, Box, Cylinder, Ellipsoid, Hull
    {collideNothing, collidePlane, collidePlane, collidePlane, collidePlane, collidePlane, collidePlane},
    {nullptr, collideNothing, collideSphereCapsule, collideSphereBox, collideSphereCylinder, collideSmooth,
     collideCurvedFlat},
    {nullptr, nullptr, collideCapsuleCapsule, collideCurvedFlat, collideCurvedFlat, collideSmooth, collideCurvedFlat},
    {nullptr, nullptr, nullptr, collideBoxBox, collideCurvedFlat, collideCurvedFlat, collidePolytopes},
    {nullptr, nullptr, nullptr, nullptr, collideCurvedFlat, collideCurvedFlat, collideCurvedFlat},
    {nullptr, nullptr, nullptr, nullptr, nullptr, collideSmooth, collideCurvedFlat},
    {nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, collidePolytopes},
};

}  // namespace

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
