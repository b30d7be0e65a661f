// Shapes and placements for property tests, from a seeded generator.
#pragma once

#include <array>
#include <cmath>
#include <numbers>
#include <random>
#include <vector>

#include "collision/manifold.hpp"
#include "geometry/distance.hpp"
#include "geometry/shape.hpp"

namespace cairn::test {

using Random = std::mt19937_64;

// How many random cases to try: a tenth without optimization, where each takes fifty times as long.
constexpr int samples(int count) {
#ifdef NDEBUG
  return count;
#else
  return count / 10;
#endif
}

inline constexpr std::array<const char*, kShapeTypeCount> kTypeNames = {"plane",    "sphere",    "capsule", "box",
                                                                        "cylinder", "ellipsoid", "hull", "cone", "round_box", "round_hull"};

inline double uniform(Random& random, double low, double high) {
  return std::uniform_real_distribution<double>(low, high)(random);
}

inline Vec3 randomVector(Random& random, double half) {
  return {uniform(random, -half, half), uniform(random, -half, half), uniform(random, -half, half)};
}

inline Vec3 randomDirection(Random& random) {
  std::normal_distribution<double> normal;
  Vec3 d;
  do {
    d = {normal(random), normal(random), normal(random)};
  } while (d.norm() < 1e-3);
  return d.normalized();
}

inline Quat randomRotation(Random& random) {
  std::normal_distribution<double> normal;
  return Quat(normal(random), normal(random), normal(random), normal(random)).normalized();
}

inline ConvexHull randomHull(Random& random, int points, double size) {
  ConvexHull hull;
  for (int i = 0; i < points; ++i) {
    hull.points.push_back(size * uniform(random, 0.5, 1.0) * randomDirection(random).cwiseProduct(Vec3(1.0, 0.8, 0.6)));
  }
  return hull;
}

// A prism over a regular polygon, axis z: faces with right angles and many sides.
inline ConvexHull prism(int sides, double radius, double halfHeight) {
  ConvexHull hull;
  for (int i = 0; i < sides; ++i) {
    const double angle = 2.0 * std::numbers::pi * i / sides;
    for (const double z : {-halfHeight, halfHeight}) {
      hull.points.push_back({radius * std::cos(angle), radius * std::sin(angle), z});
    }
  }
  return hull;
}

inline Shape randomShape(Random& random, ShapeType type, double size = 1.0) {
  const auto length = [&] { return size * uniform(random, 0.2, 0.6); };
  switch (type) {
    case ShapeType::Plane:
      return makeShape(Plane{randomDirection(random), uniform(random, -1.0, 1.0)});
    case ShapeType::Sphere:
      return makeShape(Sphere{length()});
    case ShapeType::Capsule:
      return makeShape(Capsule{length(), length()});
    case ShapeType::Box:
      return makeShape(Box{{length(), length(), length()}});
    case ShapeType::Cylinder:
      return makeShape(Cylinder{length(), length()});
    case ShapeType::Ellipsoid:
      return makeShape(Ellipsoid{{length(), length(), length()}});
    case ShapeType::Cone:
      return makeShape(Cone{length(), length()});
    case ShapeType::RoundBox: {
      const Vec3 half = Vec3(length(), length(), length()).cwiseMax(6.0 * kSmallestSize);
      return makeShape(Box{half, std::max(kSmallestSize, uniform(random, 0.05, 0.8) * half.minCoeff())});
    }
    default:
      break;
  }
  ConvexHull hull = randomHull(random, 6 + static_cast<int>(random() % 20), size * 0.7);
  if (type == ShapeType::RoundHull) hull.rounding = std::max(kSmallestSize, uniform(random, 0.02, 0.2) * size);
  return makeShape(hull);
}

// Moves B away from A until they are apart, then straight along the normal to the gap (an overlap may turn out less deep, if
// there is a shorter way out than back). Moving overlapping shapes again and again would end where two ways out are equally
// short.
inline void placeAtGap(const Shape& a, const Pose& poseA, const Shape& b, Pose& poseB, double gap) {
  constexpr double kApart = 0.05;
  SignedDistance d = signedDistance(a, poseA, b, poseB);
  for (int i = 0; i < 20 && d.distance < kApart; ++i) {
    poseB.position += d.normal * (2.0 * kApart - d.distance);
    d = signedDistance(a, poseA, b, poseB);
  }
  poseB.position += d.normal * (gap - d.distance);
}

// The gap between the planes across n that touch the two shapes: at most the signed distance, and equal to it for its
// normal.
inline double separationAlong(const Shape& a, const Pose& poseA, const Shape& b, const Pose& poseB, const Vec3& n) {
  const Vec3 onB = poseB.direction(support(b, poseB.inverseDirection(-n)));
  if (a.type == ShapeType::Plane) {
    if ((n - poseA.direction(a.size)).norm() > 1e-9) return -std::numeric_limits<double>::infinity();
    return n.dot(poseB.position - poseA.position) - a.offset + n.dot(onB);
  }
  const Vec3 onA = poseA.direction(support(a, poseA.inverseDirection(n)));
  return n.dot(poseB.position - poseA.position) + n.dot(onB) - n.dot(onA);
}

inline double deepest(const Manifold& manifold) {
  double depth = std::numeric_limits<double>::infinity();
  for (int i = 0; i < manifold.count; ++i) depth = std::min(depth, manifold.points[i].separation);
  return depth;
}

}  // namespace cairn::test
