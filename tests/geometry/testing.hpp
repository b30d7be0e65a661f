// Random shapes and poses, and oracles that share no code with what they judge: reach along a direction, point in shape, and
// the best separating direction by search.
#pragma once

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "geometry/distance.hpp"
#include "geometry/shape.hpp"

namespace cairn::testing {

using Random = std::mt19937_64;

inline double uniform(Random& random, double low, double high) {
  return std::uniform_real_distribution<double>(low, high)(random);
}
inline double logUniform(Random& random, double low, double high) {
  return std::exp(uniform(random, std::log(low), std::log(high)));
}
inline Vec3 randomVector(Random& random, double half) {
  const double x = uniform(random, -half, half);
  const double y = uniform(random, -half, half);
  const double z = uniform(random, -half, half);
  return {x, y, z};
}
inline Vec3 randomUnit(Random& random) {
  std::normal_distribution<double> normal;
  for (;;) {
    const double x = normal(random);
    const double y = normal(random);
    const double z = normal(random);
    const Vec3 v(x, y, z);
    if (v.norm() > 1e-3) return v.normalized();
  }
}
inline Quat randomRotation(Random& random) {
  std::normal_distribution<double> normal;
  const double w = normal(random);
  const Vec3 v = randomUnit(random) * std::abs(normal(random) + 1e-3);
  return Quat(w, v.x(), v.y(), v.z()).normalized();
}
inline Pose randomPose(Random& random, double half) { return {randomVector(random, half), randomRotation(random)}; }

inline ConvexHull randomCloud(Random& random, int count, const Vec3& half) {
  ConvexHull cloud;
  for (int i = 0; i < count; ++i) cloud.points.push_back(randomVector(random, 1.0).cwiseProduct(half));
  return cloud;
}

// Of about the given size; aspect ratios up to 5.
inline Shape randomShape(Random& random, ShapeType type, double size = 1.0) {
  const auto length = [&] { return size * uniform(random, 0.2, 1.0); };
  const double a = length();
  const double b = length();
  const double c = length();
  switch (type) {
    case ShapeType::Plane:
      return makeShape(Plane{randomUnit(random), size * uniform(random, -1.0, 1.0)});
    case ShapeType::Sphere:
      return makeShape(Sphere{a});
    case ShapeType::Capsule:
      return makeShape(Capsule{a, b});
    case ShapeType::Box:
      return makeShape(Box{{a, b, c}});
    case ShapeType::Cylinder:
      return makeShape(Cylinder{a, b});
    case ShapeType::Ellipsoid:
      return makeShape(Ellipsoid{{a, b, c}});
    case ShapeType::Cone:
      return makeShape(Cone{a, b});
    case ShapeType::RoundBox:
      return makeShape(Box{{a, b, c},
                           std::max(kSmallestSize, std::min(uniform(random, 0.03, 0.7) * std::min({a, b, c}),
                                                            std::min({a, b, c}) - kSmallestSize))});
    default:
      break;
  }
  ConvexHull cloud = randomCloud(random, std::uniform_int_distribution<int>(5, 24)(random), {a, b, c});
  if (type == ShapeType::RoundHull) cloud.rounding = std::max(kSmallestSize, uniform(random, 0.02, 0.3) * size);
  return makeShape(cloud);
}

inline const char* nameOf(ShapeType type) {
  static constexpr const char* kNames[] = {"plane",     "sphere", "capsule", "box",       "cylinder",
                                           "ellipsoid", "hull",   "cone",    "round_box", "round_hull"};
  return kNames[static_cast<int>(type)];
}

// max n . x over the shape (shape frame), from the definition of each shape.
inline double reach(const Shape& shape, const Vec3& n) {
  switch (shape.type) {
    case ShapeType::Sphere:
      return shape.size.x() * n.norm();
    case ShapeType::Capsule:
      return shape.size.x() * n.norm() + shape.size.z() * std::abs(n.z());
    case ShapeType::Box:
      return shape.size.dot(n.cwiseAbs());
    case ShapeType::Cylinder:
      return shape.size.x() * std::hypot(n.x(), n.y()) + shape.size.z() * std::abs(n.z());
    case ShapeType::Ellipsoid:
      return shape.size.cwiseProduct(n).norm();
    case ShapeType::RoundBox:
      return Vec3(shape.size.array() - shape.offset).dot(n.cwiseAbs()) + shape.offset * n.norm();
    case ShapeType::Cone:
      return std::max(shape.size.z() * n.z(), shape.size.x() * std::hypot(n.x(), n.y()) - shape.size.z() * n.z());
    case ShapeType::RoundHull:
    case ShapeType::Hull: {
      double best = -std::numeric_limits<double>::infinity();
      for (const Vec3& v : shape.hull->vertices) best = std::max(best, n.dot(v));
      return best + shape.offset * n.norm();
    }
    default:
      break;
  }
  return std::numeric_limits<double>::infinity();
}

// How far a point (shape frame) is outside, roughly: positive outside, negative inside, zero exactly on the surface; in
// metres near the surface.
inline double outsideness(const Shape& shape, const Vec3& p) {
  const Vec3& s = shape.size;
  switch (shape.type) {
    case ShapeType::Plane:
      return s.dot(p) - shape.offset;
    case ShapeType::Sphere:
      return p.norm() - s.x();
    case ShapeType::Capsule: {
      const double z = std::max(std::abs(p.z()) - s.z(), 0.0);
      return std::hypot(p.x(), p.y(), z) - s.x();
    }
    case ShapeType::Box:
      return (p.cwiseAbs() - s).maxCoeff();
    case ShapeType::Cylinder:
      return std::max(std::hypot(p.x(), p.y()) - s.x(), std::abs(p.z()) - s.z());
    case ShapeType::Ellipsoid: {
      const double level = p.cwiseQuotient(s).norm();
      const double slope = p.cwiseQuotient(s.cwiseAbs2()).norm();
      return slope > 0.0 ? (level - 1.0) * level / slope : -s.minCoeff();
    }
    case ShapeType::Cone: {
      const double length = std::hypot(2.0 * s.z(), s.x());
      return std::max(-p.z() - s.z(), ((std::hypot(p.x(), p.y()) - s.x()) * 2.0 * s.z() + (p.z() + s.z()) * s.x()) / length);
    }
    case ShapeType::RoundBox: {
      const Vec3 core = s.array() - shape.offset;
      const Vec3 beyond = p - p.cwiseMax(-core).cwiseMin(core);
      return beyond.isZero(0.0) ? (p.cwiseAbs() - core).maxCoeff() - shape.offset : beyond.norm() - shape.offset;
    }
    case ShapeType::RoundHull: {
      const Shape probe = makeShape(Sphere{1e-6});
      return signedDistance(probe, {p, Quat::Identity()}, makeShape(ConvexHull{shape.hull->vertices}), {}).distance + 1e-6 -
             shape.offset;
    }
    default:
      break;
    case ShapeType::Hull: {
      double worst = -std::numeric_limits<double>::infinity();
      for (const HullFace& face : shape.hull->faces) worst = std::max(worst, face.normal.dot(p) - face.offset);
      return worst;
    }
  }
  return 0.0;
}

// The gap between the two shapes' touching planes across n (world): a bound from below for the signed distance, for any n.
inline double separation(const Shape& a, const Pose& poseA, const Shape& b, const Pose& poseB, const Vec3& n) {
  return n.dot(poseB.position - poseA.position) - reach(a, poseA.inverseDirection(n)) - reach(b, poseB.inverseDirection(-n));
}

// The largest separation over all directions, by even sampling and then a random search around the best few. From below: it
// can miss the best, but never exceeds it.
inline double searchSeparation(const Shape& a, const Pose& poseA, const Shape& b, const Pose& poseB, Random& random,
                               int samples = 600, int starts = 4, int steps = 400) {
  std::vector<std::pair<double, Vec3>> best;
  for (int i = 0; i < samples; ++i) {
    const double z = 1.0 - (2.0 * i + 1.0) / samples;
    const double angle = 2.399963229728653 * i;
    const double r = std::sqrt(1.0 - z * z);
    const Vec3 n(r * std::cos(angle), r * std::sin(angle), z);
    best.emplace_back(separation(a, poseA, b, poseB, n), n);
  }
  std::partial_sort(best.begin(), best.begin() + starts, best.end(),
                    [](const auto& x, const auto& y) { return x.first > y.first; });
  double top = best[0].first;
  for (int k = 0; k < starts; ++k) {
    auto [value, n] = best[k];
    double step = 0.2;
    for (int i = 0; i < steps; ++i) {
      const Vec3 trial = (n + step * randomUnit(random)).normalized();
      const double found = separation(a, poseA, b, poseB, trial);
      if (found > value) {
        value = found;
        n = trial;
        step *= 1.6;
      } else {
        step *= 0.9;
      }
      if (step < 1e-9) break;
    }
    top = std::max(top, value);
  }
  return top;
}

}  // namespace cairn::testing
