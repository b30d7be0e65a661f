// Rays in the shape's own frame. Where a quadratic is to be solved, the point of the ray closest to the centre (or axis)
// comes first, and the root is measured from there: the textbook discriminant loses all digits for a small ball far away.
#include "geometry/ray.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "geometry/composite_distance.hpp"

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

// x^2 + y^2 <= (k w)^2 with w = h - z, the height below the apex, and k the slope of the side. A quadratic in t has the
// whole double cone; the slab of the height leaves the half that is solid.
Chord coneChord(double radius, double halfHeight, const Vec3& origin, const Vec3& direction) {
  Chord chord;
  cutSlab(chord, 2, halfHeight, origin, direction);
  if (chord.isEmpty()) return chord;
  const double k = radius / (2.0 * halfHeight), k2 = k * k, w = halfHeight - origin.z();
  const double a = direction.head<2>().squaredNorm() - k2 * direction.z() * direction.z();
  const double b = origin.head<2>().dot(direction.head<2>()) + k2 * w * direction.z();
  const double c = origin.head<2>().squaredNorm() - k2 * w * w;
  const double discriminant = b * b - a * c;
  double enter = -kInfinity, leave = kInfinity;
  if (std::abs(a) < 1e-14 * direction.squaredNorm()) {  // along the side: it is crossed once
    if (b == 0.0 && c > 0.0) chord.clear();
    if (b > 0.0) leave = -c / (2.0 * b);
    if (b < 0.0) enter = -c / (2.0 * b);
  } else if (a > 0.0) {
    if (!(discriminant >= 0.0)) {
      chord.clear();
      return chord;
    }
    const double q = -(b + std::copysign(std::sqrt(discriminant), b));
    const double one = q / a, two = q != 0.0 ? c / q : one;
    enter = std::min(one, two);
    leave = std::max(one, two);
  } else {
    const double q = -(b + std::copysign(std::sqrt(std::max(discriminant, 0.0)), b));
    const double one = q / a, two = q != 0.0 ? c / q : one;
    // The half below the apex is where w grows.
    if (direction.z() < 0.0)
      enter = std::max(one, two);
    else
      leave = std::min(one, two);
  }
  chord.leave = std::min(chord.leave, leave);
  if (enter > chord.enter) {
    chord.enter = enter;
    const Vec3 at = origin + enter * direction;
    chord.normal = {at.x(), at.y(), k2 * (halfHeight - at.z())};
  }
  return chord;
}

// With all faces moved out by so much.
Chord hullChord(const Hull& hull, double grown, const Vec3& origin, const Vec3& direction) {
  Chord chord;
  for (const HullFace& face : hull.faces) {
    // From the interior point: a hull that sits far from its frame's origin keeps its digits.
    const double depth = face.offset - face.normal.dot(hull.interior) + grown;
    chord.cut(face.normal.dot(origin - hull.interior) - depth, face.normal.dot(direction), face.normal);
  }
  return chord;
}

// Conservative advancement from both ends: how far the line is from the core at a point tells how far it may go on. The
// rate of approach bounds the path to the surface from below, and for a convex core it is never too long.
double advance(const Shape& core, double radius, Vec3 point, const Vec3& direction, double most, Vec3& normal) {
  const Shape probe{.type = ShapeType::Sphere, .size = Vec3::Constant(1e-9)};
  constexpr int kMostLooks = 100;
  double path = 0.0;
  const double speed = direction.norm();
  for (int look = 0; look < kMostLooks && path <= most; ++look) {
    const SignedDistance gap = signedDistance(core, Pose{}, probe, Pose{point + path * direction, Quat::Identity()});
    normal = gap.normal;
    const double left = gap.distance + 1e-9 - radius;
    if (left <= 1e-12 * (radius + speed)) return path;
    const double rate = -gap.normal.dot(direction);
    if (!(rate > 0.0)) return kInfinity;
    path += left / rate;
  }
  return kInfinity;
}

// The line inside a rounded box or hull lies inside the core with its faces moved out: from there on by advancement.
Chord roundChord(const Shape& shape, const Vec3& origin, const Vec3& direction) {
  const Shape core = coreOf(shape);
  Chord chord;
  if (core.type == ShapeType::Box) {
    for (int i = 0; i < 3; ++i) cutSlab(chord, i, shape.size[i], origin, direction);
  } else {
    chord = hullChord(*core.hull, shape.offset, origin, direction);
  }
  if (chord.isEmpty()) return chord;
  Vec3 normal;
  const double length = chord.leave - chord.enter;
  const double in = advance(core, shape.offset, origin + chord.enter * direction, direction, length, normal);
  if (!(in <= length)) {
    chord.clear();
    return chord;
  }
  Vec3 unused;
  const double out = advance(core, shape.offset, origin + chord.leave * direction, -direction, length, unused);
  if (in > 0.0) chord.normal = normal;
  chord.enter += in;
  chord.leave = std::max(chord.enter, chord.leave - (std::isfinite(out) ? out : 0.0));
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
    case ShapeType::Cone:
      return coneChord(shape.radius(), shape.halfHeight(), origin, direction);
    case ShapeType::RoundBox:
    case ShapeType::RoundHull:
      return roundChord(shape, origin, direction);
    case ShapeType::Triangle:
    case ShapeType::SphereSet:
    case ShapeType::Compound:
    case ShapeType::Mesh:
    case ShapeType::HeightField:
    case ShapeType::DistanceField:
      chord.clear();
      return chord;
    case ShapeType::Hull:
      break;
  }
  return hullChord(*shape.hull, 0.0, origin, direction);
}

}  // namespace

std::optional<ShapeRayHit> castRay(const Shape& shape, const Pose& pose, const Vec3& origin, const Vec3& direction,
                                   double length) {
  if (!(length >= 0.0) || !(direction.squaredNorm() > 0.0)) return std::nullopt;
  if (shape.isComposite()) {
    auto hit = castRayAtComposite(shape, pose.inversePoint(origin), pose.inverseDirection(direction), length);
    if (hit) hit->normal = hit->distance > 0.0 ? pose.direction(hit->normal) : Vec3(-direction);
    return hit;
  }
  // From the point of the ray closest to the shape's frame: no digits are lost on the path from a far origin.
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
