// Spheres and capsules: points and segments with a radius, all in closed form.
#include <algorithm>
#include <cmath>

#include "collision/collide_pairs.hpp"
#include "collision/manifold_tolerances.hpp"

namespace cairn {
namespace {

// Contact of two balls; `fallback` is the normal if their centres coincide.
void touchBalls(const Vec3& centerA, double radiusA, const Vec3& centerB, double radiusB, const Vec3& fallback,
                std::uint32_t feature, double margin, Manifold& manifold) {
  const Vec3 d = centerB - centerA;
  const double distance = d.norm();
  const double separation = distance - (radiusA + radiusB);
  if (!(separation <= margin)) {
    manifold.clearance = separation;
    return;
  }
  manifold.normal = distance > 0.0 ? Vec3(d / distance) : fallback;
  manifold.count = 1;
  // Half way between A's surface at +radiusA and B's at distance - radiusB.
  manifold.points[0].position = centerA + manifold.normal * (radiusA + 0.5 * separation);
  manifold.points[0].separation = separation;
  manifold.points[0].feature = feature;
}

// A direction at right angles to the axis.
Vec3 sideways(const Solid& solid) { return solid.rotation.col(0); }

}  // namespace

void setSinglePoint(const SignedDistance& contact, std::uint32_t feature, Manifold& manifold) {
  manifold.count = 1;
  manifold.normal = contact.normal;
  manifold.points[0].position = 0.5 * (contact.pointA + contact.pointB);
  manifold.points[0].separation = contact.distance;
  manifold.points[0].feature = feature;
}

void collideSpheres(double radiusA, const Vec3& centerA, double radiusB, const Vec3& centerB, double margin,
                    Manifold& manifold) {
  touchBalls(centerA, radiusA, centerB, radiusB, Vec3::UnitZ(), kSinglePoint, margin, manifold);
}

void collideSphereCapsule(const Solid& sphere, const Solid& capsule, double margin, Manifold& manifold) {
  const Vec3 axis = capsule.axis();
  const double along =
      std::clamp(axis.dot(sphere.position - capsule.position), -capsule.shape.halfHeight(), capsule.shape.halfHeight());
  touchBalls(sphere.position, sphere.shape.radius(), capsule.position + axis * along, capsule.shape.radius(),
             sideways(capsule), kSinglePoint, margin, manifold);
}

void collideSphereBox(const Solid& sphere, const Solid& box, double margin, Manifold& manifold) {
  const Vec3 center = box.rotation.transpose() * (sphere.position - box.position);
  const Vec3& half = box.shape.size;
  const double radius = sphere.shape.radius();
  const Vec3 nearest = center.cwiseMax(-half).cwiseMin(half);
  const Vec3 d = center - nearest;  // from the box to the sphere
  const double squared = d.squaredNorm();
  Vec3 outward;
  double distance;
  Vec3 surface = nearest;
  int outsideAxes = (d.array() != 0.0).count();
  if (outsideAxes > 1) {
    distance = std::sqrt(squared);
    outward = d / distance;
  } else {
    // Over a face, or inside: the face that is nearest. The normal is the face's exactly.
    int axis = 0;
    (center.cwiseAbs() - half).maxCoeff(&axis);
    const double sign = center[axis] < 0.0 ? -1.0 : 1.0;
    outward = Vec3::Zero();
    outward[axis] = sign;
    distance = sign * center[axis] - half[axis];
    surface[axis] = sign * half[axis];
  }
  const double separation = distance - radius;
  if (!(separation <= margin)) {
    manifold.clearance = separation;
    return;
  }
  manifold.count = 1;
  manifold.normal = box.rotation * -outward;
  manifold.points[0].position = box.position + box.rotation * (surface + outward * (0.5 * separation));
  manifold.points[0].separation = separation;
  manifold.points[0].feature = kSinglePoint;
}

void collideSphereCylinder(const Solid& sphere, const Solid& cylinder, double margin, Manifold& manifold) {
  const Vec3 center = cylinder.rotation.transpose() * (sphere.position - cylinder.position);
  const double radius = cylinder.shape.radius(), halfHeight = cylinder.shape.halfHeight();
  const double radial = hypotenuse(center.x(), center.y());
  const Vec3 side = radial > 0.0 ? Vec3(center.x() / radial, center.y() / radial, 0.0) : Vec3(1.0, 0.0, 0.0);
  const double up = center.z() < 0.0 ? -1.0 : 1.0;
  const double beyondSide = radial - radius, beyondCap = std::abs(center.z()) - halfHeight;
  Vec3 outward, surface;
  double distance;
  if (beyondSide > 0.0 && beyondCap > 0.0) {
    surface = side * radius + Vec3(0.0, 0.0, up * halfHeight);
    distance = hypotenuse(beyondSide, beyondCap);
    outward = (side * beyondSide + Vec3(0.0, 0.0, up * beyondCap)) / distance;
  } else if (beyondSide >= beyondCap) {
    outward = side;
    distance = beyondSide;
    surface = side * radius + Vec3(0.0, 0.0, center.z());
  } else {
    outward = {0.0, 0.0, up};
    distance = beyondCap;
    surface = {center.x(), center.y(), up * halfHeight};
  }
  const double separation = distance - sphere.shape.radius();
  if (!(separation <= margin)) return;
  manifold.count = 1;
  manifold.normal = cylinder.rotation * -outward;
  manifold.points[0].position = cylinder.position + cylinder.rotation * (surface + outward * (0.5 * separation));
  manifold.points[0].separation = separation;
  manifold.points[0].feature = kSinglePoint;
}

CorePoints closestOfSegments(const Vec3& centerA, const Vec3& armA, const Vec3& centerB, const Vec3& armB) {
  const Vec3 w = centerB - centerA;
  const double a = armA.squaredNorm(), e = armB.squaredNorm(), b = armA.dot(armB);
  const double c = armA.dot(w), f = armB.dot(w);
  const auto clampUnit = [](double x) { return x < -1.0 ? -1.0 : (x > 1.0 ? 1.0 : x); };
  const auto onA = [&](double t) { return a > 0.0 ? clampUnit((t * b + c) / a) : 0.0; };
  const auto onB = [&](double s) { return e > 0.0 ? clampUnit((s * b - f) / e) : 0.0; };
  const double determinant = a * e - b * b;
  double s = determinant > 0.0 ? clampUnit((c * e - f * b) / determinant) : 0.0;
  double t = onB(s);
  s = onA(t);
  if (determinant < 1e-6 * a * e) {
    // Nearly parallel: the quotient above is mostly rounding; one of the four ends is as close as any point.
    double best = (w + armB * t - armA * s).squaredNorm();
    for (const double end : {-1.0, 1.0}) {
      const double tEnd = onB(end), sEnd = onA(end);
      const double fromA = (w + armB * tEnd - armA * end).squaredNorm(),
                   fromB = (w + armB * end - armA * sEnd).squaredNorm();
      if (fromA < best) {
        best = fromA;
        s = end;
        t = tEnd;
      }
      if (fromB < best) {
        best = fromB;
        s = sEnd;
        t = end;
      }
    }
  }
  return {centerA + armA * s, centerB + armB * t, s, t};
}

bool touchSides(const Solid& a, const Solid& b, ContactSet& set, double& separation) {
  const Vec3 axisA = a.axis(), axisB = b.axis();
  const double halfA = a.shape.halfHeight(), halfB = b.shape.halfHeight();
  const double radii = a.shape.radius() + b.shape.radius();
  const double radiusA = a.shape.radius(), smallerRadius = std::min(radiusA, b.shape.radius());
  const Vec3 armA = axisA * halfA, armB = axisB * halfB;
  CorePoints pair = closestOfSegments(a.position, armA, b.position, armB);
  const bool parallel = axisA.cross(axisB).norm() < kParallelSine;
  double low = 0.0, high = 0.0;  // where they run side by side, along A
  if (parallel) {
    const double middle = axisA.dot(b.position - a.position), half = std::abs(axisA.dot(armB));
    low = std::max(-halfA, middle - half);
    high = std::min(halfA, middle + half);
  }
  const auto onB = [&](const Vec3& p) {
    return Vec3(b.position + axisB * std::clamp(axisB.dot(p - b.position), -halfB, halfB));
  };
  const bool overlaps = parallel && high - low > 1e-3 * std::min(halfA, halfB);
  if (overlaps && axisA.cross(axisB).squaredNorm() < 1e-12) {
    // Exactly parallel, any point of the overlap is closest; its middle does not jump about.
    pair.first = a.position + axisA * (0.5 * (low + high));
    pair.second = onB(pair.first);
  }
  const Vec3 d = pair.second - pair.first;
  const double distance = d.norm();
  if (distance > 0.0) {
    set.normal = d / distance;
  } else {
    const Vec3 across = axisA.cross(axisB);
    const double length = across.norm();
    set.normal = length > 1e-6 ? Vec3(across / length) : Vec3(a.rotation.col(0));
  }
  separation = distance - radii;
  for (const Solid* solid : {&a, &b}) {
    // At the end of a cylinder the nearest core point is not what touches: its caps are flat.
    if (solid->type() == ShapeType::Cylinder && std::abs(solid->axis().dot(d)) > kSideOffset * smallerRadius) return false;
  }
  set.count = 0;
  set.isOrdered = false;
  set.parallelism = 0.0;
  const auto add = [&](const Vec3& first, const Vec3& second, std::uint32_t feature) {
    // The gap there is that of the two round surfaces, not of the flat tangent: they part as their lateral offset grows.
    const double gap = (second - first).norm() - radii;
    const Vec3 middle = first + set.normal * (radiusA + 0.5 * gap);
    set.add({middle, axisA.dot(middle), 0.0, gap, feature});
  };
  if (overlaps) {
    const Vec3 lowA = a.position + axisA * low, highA = a.position + axisA * high;
    std::uint32_t end = 0;
    for (const Vec3& first : {lowA, highA}) {
      const Vec3 second = onB(first);
      // Where thin cores cross, their ends lie beside each other and do not share the normal.
      if (set.normal.dot(second - first) > 0.9 * (second - first).norm()) {
        add(first, second, featureName(FeatureKind::Curved, end));
      }
      ++end;
    }
    if (set.deepest() <= separation + kDepthTie * radii) {
      separation = set.deepest();
      return true;
    }
  }
  add(pair.first, pair.second, kSinglePoint);
  return true;
}

void collideCapsuleCapsule(const Solid& a, const Solid& b, double margin, Manifold& manifold) {
  ContactSet set;
  double separation;
  touchSides(a, b, set, separation);
  if (separation > margin) return;
  reduce(set, margin, manifold);
}

void collideSmooth(const Solid& a, const Solid& b, double margin, Manifold& manifold) {
  const SignedDistance exact = exactDistance(a, b);
  if (!(exact.distance <= margin)) return;
  setSinglePoint(exact, kSinglePoint, manifold);
}

}  // namespace cairn
