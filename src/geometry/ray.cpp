// Rays in the shape's own frame. Where a quadratic is to be solved, the point of the ray closest to the centre (or axis)
// comes first, and the root is measured from there: the textbook discriminant loses all digits for a small ball far away.
#include "geometry/ray.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace cairn {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The part of a line inside a convex set, and the outward normal where it goes in.
struct Chord {
  double enter = -kInfinity;
  double leave = kInfinity;
  Vec3 normal = Vec3::Zero();

  bool isEmpty() const { return !(enter <= leave); }
  void clear() { leave = -kInfinity, enter = kInfinity; }
  // Cuts with the half-space { x : height + rate t <= 0 } of the given outward normal.
  void cut(double height, double rate, const Vec3& outward) {
    if (rate == 0.0) {
      if (height > 0.0) clear();
    } else if (rate < 0.0) {
      const double t = -height / rate;
      if (t > enter) enter = t, normal = outward;
    } else {
      leave = std::min(leave, -height / rate);
    }
  }
};

void cutSlab(Chord& chord, int axis, double half, const Vec3& origin, const Vec3& direction) {
  chord.cut(origin[axis] - half, direction[axis], Vec3::Unit(axis));
  chord.cut(-origin[axis] - half, -direction[axis], -Vec3::Unit(axis));
}

// Where origin + t direction is within `radius` of zero. V is a vector of two (a cylinder seen along its axis) or three.
template <class V>
bool ballChord(const V& origin, const V& direction, double radius, double& enter, double& leave) {
  const double speed = direction.norm();
  if (!(speed > 0.0)) {
    enter = -kInfinity, leave = kInfinity;
    return origin.norm() <= radius;
  }
  const V along = direction / speed;
  const double middle = -origin.dot(along);
  const double miss = (origin + middle * along).norm();
  if (miss > radius) return false;
  const double half = std::sqrt((radius - miss) * (radius + miss));
  enter = (middle - half) / speed;
  leave = (middle + half) / speed;
  return true;
}

Chord ballChord(const Vec3& origin, const Vec3& direction, double radius) {
  Chord chord;
  if (ballChord(origin, direction, radius, chord.enter, chord.leave)) {
    chord.normal = origin + chord.enter * direction;
  } else {
    chord.clear();
  }
  return chord;
}

Chord cylinderChord(double radius, double halfHeight, const Vec3& origin, const Vec3& direction) {
  Chord chord;
  const Eigen::Vector2d across = origin.head<2>();
  if (!ballChord(across, Eigen::Vector2d(direction.head<2>()), radius, chord.enter, chord.leave)) {
    chord.clear();
    return chord;
  }
  if (std::isfinite(chord.enter)) chord.normal.head<2>() = across + chord.enter * direction.head<2>();
  cutSlab(chord, 2, halfHeight, origin, direction);
  return chord;
}

// A cylinder's side and two balls: the union's chord is from the first entry to the last exit, because it is convex.
Chord capsuleChord(double radius, double halfHeight, const Vec3& origin, const Vec3& direction) {
  Chord chord = cylinderChord(radius, halfHeight, origin, direction);
  for (double end : {-halfHeight, halfHeight}) {
    const Chord cap = ballChord(origin - end * Vec3::UnitZ(), direction, radius);
    if (cap.isEmpty()) continue;
    if (chord.isEmpty()) {
      chord = cap;
      continue;
    }
    if (cap.enter < chord.enter) chord.enter = cap.enter, chord.normal = cap.normal;
    chord.leave = std::max(chord.leave, cap.leave);
  }
  return chord;
}

Chord localChord(const Shape& shape, const Vec3& origin, const Vec3& direction) {
  Chord chord;
  switch (shape.type) {
    case ShapeType::Plane:
      chord.cut(shape.size.dot(origin) - shape.offset, shape.size.dot(direction), shape.size);
      return chord;
    case ShapeType::Sphere:
      return ballChord(origin, direction, shape.radius());
    case ShapeType::Capsule:
      return capsuleChord(shape.radius(), shape.halfHeight(), origin, direction);
    case ShapeType::Box:
      for (int i = 0; i < 3; ++i) cutSlab(chord, i, shape.size[i], origin, direction);
      return chord;
    case ShapeType::Cylinder:
      return cylinderChord(shape.radius(), shape.halfHeight(), origin, direction);
    case ShapeType::Ellipsoid: {
      chord = ballChord(origin.cwiseQuotient(shape.size), direction.cwiseQuotient(shape.size), 1.0);
      if (!chord.isEmpty()) chord.normal = chord.normal.cwiseQuotient(shape.size);
      return chord;
    }
    case ShapeType::Hull:
      break;
  }
  for (const HullFace& face : shape.hull->faces) {
    // From the interior point: a hull that sits far from its frame's origin keeps its digits.
    const double depth = face.offset - face.normal.dot(shape.hull->interior);
    chord.cut(face.normal.dot(origin - shape.hull->interior) - depth, face.normal.dot(direction), face.normal);
  }
  return chord;
}

}  // namespace

std::optional<ShapeRayHit> castRay(const Shape& shape, const Pose& pose, const Vec3& origin, const Vec3& direction,
                                   double length) {
  if (!(length >= 0.0) || !(direction.squaredNorm() > 0.0)) return std::nullopt;
  // From the point of the ray closest to the shape's frame: no digits are lost on the way from a far origin.
  const Vec3 local = pose.inversePoint(origin);
  const Vec3 along = pose.inverseDirection(direction);
  const double start = shape.type == ShapeType::Plane ? 0.0 : -local.dot(along) / along.squaredNorm();
  Chord chord = localChord(shape, local + start * along, along);
  if (chord.isEmpty()) return std::nullopt;
  chord.enter += start;
  chord.leave += start;
  if (chord.leave < 0.0 || chord.enter > length) return std::nullopt;
  if (chord.enter <= 0.0) return ShapeRayHit{0.0, -direction};
  const double size = chord.normal.stableNorm();
  const Vec3 normal = size > 0.0 ? Vec3(pose.direction(chord.normal / size)) : Vec3(-direction);
  return ShapeRayHit{chord.enter, normal};
}

}  // namespace cairn
