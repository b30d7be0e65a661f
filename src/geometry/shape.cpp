// Checks what a scene says about a shape, and the three questions that every convex shape answers: how far it reaches along
// a direction, its box and its sphere.
#include "geometry/shape.hpp"

#include <cmath>
#include <sstream>
#include <stdexcept>
#include <string>

#include "geometry/surface.hpp"

namespace cairn {
namespace {

[[noreturn]] void refuse(const std::string& field, const std::string& allowed, double found) {
  std::ostringstream text;
  text << field << " must be " << allowed << ", got " << found;
  throw std::invalid_argument(text.str());
}

std::string metres(double value) {
  std::ostringstream text;
  text << value << " m";
  return text.str();
}

void checkSize(const std::string& field, double value) {
  if (!std::isfinite(value)) refuse(field, "finite", value);
  if (!(value > 0.0)) refuse(field, "positive", value);
  if (value < kSmallestSize) refuse(field, "at least " + metres(kSmallestSize), value);
  if (value > kLargestSize) refuse(field, "at most " + metres(kLargestSize), value);
}

void checkSizes(const std::string& field, const Vec3& value) {
  for (int i = 0; i < 3; ++i) checkSize(field + "[" + std::to_string(i) + "]", value[i]);
}

void checkCoordinate(const std::string& field, double value) {
  if (!std::isfinite(value)) refuse(field, "finite", value);
  if (std::abs(value) > kLargestSize) refuse(field, "within +-" + metres(kLargestSize), value);
}

Vec3 unitAlong(const Vec3& direction) {
  const double length = direction.stableNorm();
  return length > 0.0 ? Vec3(direction / length) : Vec3(Vec3::UnitX());
}

struct Maker {
  Shape operator()(const Plane& plane) const {
    for (int i = 0; i < 3; ++i) {
      if (!std::isfinite(plane.normal[i])) refuse("normal[" + std::to_string(i) + "]", "finite", plane.normal[i]);
    }
    const double length = plane.normal.stableNorm();
    // A normal of length 1e-200 is a mistake, not a direction.
    constexpr double kShortestNormal = 1e-100;
    if (!(length > kShortestNormal)) refuse("normal", "longer than zero", length);
    checkCoordinate("offset", plane.offset);
    Vec3 normal = plane.normal / length;
    normal /= normal.norm();  // once more: the first length may have lost digits if it was very long
    return {.type = ShapeType::Plane, .size = normal, .offset = plane.offset};
  }
  Shape operator()(const Sphere& sphere) const {
    checkSize("radius", sphere.radius);
    return {.type = ShapeType::Sphere, .size = Vec3::Constant(sphere.radius)};
  }
  Shape operator()(const Box& box) const {
    checkSizes("halfExtents", box.halfExtents);
    Shape shape{.type = ShapeType::Box, .size = box.halfExtents};
    if (box.rounding == 0.0) return shape;
    checkSize("rounding", box.rounding);
    const double most = box.halfExtents.minCoeff() - kSmallestSize;
    if (box.rounding > most) refuse("rounding", "below the smallest half extent, at most " + metres(most), box.rounding);
    shape.type = ShapeType::RoundBox;
    shape.offset = box.rounding;
    return shape;
  }
  Shape operator()(const Capsule& capsule) const {
    checkSize("radius", capsule.radius);
    checkSize("halfHeight", capsule.halfHeight);
    return {.type = ShapeType::Capsule, .size = {capsule.radius, capsule.radius, capsule.halfHeight}};
  }
  Shape operator()(const Cylinder& cylinder) const {
    checkSize("radius", cylinder.radius);
    checkSize("halfHeight", cylinder.halfHeight);
    return {.type = ShapeType::Cylinder, .size = {cylinder.radius, cylinder.radius, cylinder.halfHeight}};
  }
  Shape operator()(const Ellipsoid& ellipsoid) const {
    checkSizes("radii", ellipsoid.radii);
    return {.type = ShapeType::Ellipsoid, .size = ellipsoid.radii};
  }
  Shape operator()(const ConvexHull& convexHull) const {
    for (std::size_t i = 0; i < convexHull.points.size(); ++i) {
      for (int k = 0; k < 3; ++k) {
        checkCoordinate("points[" + std::to_string(i) + "][" + std::to_string(k) + "]", convexHull.points[i][k]);
      }
    }
    Shape shape{.type = ShapeType::Hull, .hull = buildHull(convexHull.points)};
    Aabb box;
    for (const Vec3& vertex : shape.hull->vertices) box = box.united({vertex, vertex});
    shape.size = 0.5 * (box.upper - box.lower);
    // A thin hull may lie flat along an axis only in its own frame, so its largest side is what is checked from below; its
    // thinness is checked, relative to that, by buildHull.
    checkSize("points: half the extent", shape.size.maxCoeff());
    if (convexHull.rounding == 0.0) return shape;
    checkSize("rounding", convexHull.rounding);
    shape.type = ShapeType::RoundHull;
    shape.offset = convexHull.rounding;
    shape.size.array() += convexHull.rounding;
    return shape;
  }
  Shape operator()(const Cone& cone) const {
    checkSize("radius", cone.radius);
    checkSize("halfHeight", cone.halfHeight);
    return {.type = ShapeType::Cone, .size = {cone.radius, cone.radius, cone.halfHeight}};
  }
  static Shape composite(ShapeType type, std::shared_ptr<const CompositeParts> parts) {
    const Vec3 size = 0.5 * (parts->bounds.upper - parts->bounds.lower);
    return {.type = type, .size = size, .composite = std::move(parts)};
  }
  Shape operator()(const SphereSet& set) const { return composite(ShapeType::SphereSet, buildBallSet(set)); }
  Shape operator()(const Compound& compound) const { return composite(ShapeType::Compound, buildParts(compound)); }
  Shape operator()(const MeshShape& mesh) const { return composite(ShapeType::Mesh, buildMeshParts(mesh)); }
  Shape operator()(const HeightFieldShape& shape) const {
    return composite(ShapeType::HeightField, buildHeightParts(shape));
  }
  Shape operator()(const DistanceFieldShape& shape) const {
    return composite(ShapeType::DistanceField, buildFieldParts(shape));
  }
};

Aabb hullBox(const Hull& hull, const Mat3& rotation) {
  Aabb box;
  for (const Vec3& vertex : hull.vertices) {
    const Vec3 p = rotation * vertex;
    box.lower = box.lower.cwiseMin(p);
    box.upper = box.upper.cwiseMax(p);
  }
  return box;
}

}  // namespace

Shape makeShape(const Geometry& geometry) { return std::visit(Maker{}, geometry); }

Shape coreOf(const Shape& shape) {
  Shape core = shape;
  if (shape.type == ShapeType::RoundBox) core.type = ShapeType::Box;
  if (shape.type == ShapeType::RoundHull) core.type = ShapeType::Hull;
  if (core.type == shape.type) return core;
  core.size.array() -= shape.offset;
  core.offset = 0.0;
  return core;
}

Aabb boundingBox(const Shape& shape, const Pose& pose) {
  const auto around = [&](const Vec3& half) { return Aabb{pose.position - half, pose.position + half}; };
  switch (shape.type) {
    case ShapeType::Plane:
      return {Vec3::Constant(-kUnbounded), Vec3::Constant(kUnbounded)};
    case ShapeType::Sphere:
      return around(shape.size);
    case ShapeType::Capsule: {
      const Vec3 axis = pose.rotation * Vec3::UnitZ();
      return around(Vec3(shape.halfHeight() * axis.cwiseAbs() + Vec3::Constant(shape.radius())));
    }
    case ShapeType::Box:
      return around(pose.rotation.toRotationMatrix().cwiseAbs() * shape.size);
    case ShapeType::RoundBox: {
      const Vec3 core = shape.size.array() - shape.offset;
      return around(Vec3((pose.rotation.toRotationMatrix().cwiseAbs() * core).array() + shape.offset));
    }
    case ShapeType::RoundHull: {
      const Aabb box = hullBox(*shape.hull, pose.rotation.toRotationMatrix()).grown(shape.offset);
      return {box.lower + pose.position, box.upper + pose.position};
    }
    case ShapeType::Cone: {
      const Vec3 a = pose.rotation * Vec3::UnitZ(), apex = shape.halfHeight() * a;
      const Vec3 disc =
          shape.radius() * Vec3(std::hypot(a.y(), a.z()), std::hypot(a.x(), a.z()), std::hypot(a.x(), a.y()));
      return {pose.position + apex.cwiseMin(-apex - disc), pose.position + apex.cwiseMax(-apex + disc)};
    }
    case ShapeType::Triangle: {
      Aabb box;
      for (int i = 0; i < 3; ++i) {
        const Vec3 p = pose.point(shape.corners[i]);
        box = box.united({p, p});
      }
      return box;
    }
    case ShapeType::SphereSet:
    case ShapeType::Compound:
    case ShapeType::Mesh:
    case ShapeType::HeightField:
    case ShapeType::DistanceField:
      return turnedBox(partsOf(shape).bounds, pose);
    case ShapeType::Cylinder: {
      // The disc reaches r sqrt(1 - a_i^2) along axis i, which is r times the length of the other two parts of the axis.
      const Vec3 a = pose.rotation * Vec3::UnitZ();
      const Vec3 disc(std::hypot(a.y(), a.z()), std::hypot(a.x(), a.z()), std::hypot(a.x(), a.y()));
      return around(Vec3(shape.halfHeight() * a.cwiseAbs() + shape.radius() * disc));
    }
    case ShapeType::Ellipsoid: {
      const Mat3 axes = pose.rotation.toRotationMatrix() * shape.size.asDiagonal();
      return around(axes.rowwise().norm());
    }
    case ShapeType::Hull:
      break;
  }
  const Aabb box = hullBox(*shape.hull, pose.rotation.toRotationMatrix());
  return {box.lower + pose.position, box.upper + pose.position};
}

double boundingRadius(const Shape& shape) {
  switch (shape.type) {
    case ShapeType::Plane:
      return std::numeric_limits<double>::infinity();
    case ShapeType::Sphere:
      return shape.radius();
    case ShapeType::Capsule:
      return shape.radius() + shape.halfHeight();
    case ShapeType::Box:
      return shape.size.norm();
    case ShapeType::Cylinder:
    case ShapeType::Cone:
      return std::hypot(shape.radius(), shape.halfHeight());
    case ShapeType::Ellipsoid:
      return shape.size.maxCoeff();
    case ShapeType::RoundBox:
      return (shape.size.array() - shape.offset).matrix().norm() + shape.offset;
    case ShapeType::Triangle:
      return std::max({shape.corners[0].norm(), shape.corners[1].norm(), shape.corners[2].norm()});
    case ShapeType::SphereSet:
    case ShapeType::Compound:
    case ShapeType::Mesh:
    case ShapeType::HeightField:
    case ShapeType::DistanceField:
      return partsOf(shape).radius;
    case ShapeType::Hull:
    case ShapeType::RoundHull:
      break;
  }
  double largest = 0.0;
  for (const Vec3& vertex : shape.hull->vertices) largest = std::max(largest, vertex.squaredNorm());
  return std::sqrt(largest) + shape.rounding();
}

// A scan beats walking along edges up to some hundred vertices, and cannot be caught on a flat face by rounding.
const Vec3& hullSupport(const Hull& hull, const Vec3& direction) {
  const std::vector<Vec3>& vertices = hull.vertices;
  std::size_t best = 0;
  double farthest = vertices[0].dot(direction);
  for (std::size_t i = 1; i < vertices.size(); ++i) {
    const double reach = vertices[i].dot(direction);
    if (reach > farthest) {
      farthest = reach;
      best = i;
    }
  }
  return vertices[best];
}

Vec3 support(const Shape& shape, const Vec3& direction) {
  switch (shape.type) {
    case ShapeType::Plane:
      break;  // no farthest point; its own origin on the surface is as good as any
    case ShapeType::Sphere: {
      return shape.radius() * unitAlong(direction);
    }
    case ShapeType::Capsule: {
      Vec3 point = shape.radius() * unitAlong(direction);
      point.z() += std::copysign(shape.halfHeight(), direction.z());
      return point;
    }
    case ShapeType::Box:
      return {std::copysign(shape.size.x(), direction.x()), std::copysign(shape.size.y(), direction.y()),
              std::copysign(shape.size.z(), direction.z())};
    case ShapeType::Cylinder: {
      const double across = std::hypot(direction.x(), direction.y());
      const double z = std::copysign(shape.halfHeight(), direction.z());
      // Straight along the axis the whole cap is farthest: its centre.
      if (!(across > 0.0)) return {0.0, 0.0, z};
      return {direction.x() / across * shape.radius(), direction.y() / across * shape.radius(), z};
    }
    case ShapeType::Ellipsoid: {
      // Scaling first keeps the squares away from under- and overflow.
      const double largest = direction.cwiseAbs().maxCoeff();
      if (!(largest > 0.0)) return shape.size.x() * Vec3::UnitX();
      const Vec3 scaled = shape.size.cwiseProduct(direction / largest);
      return shape.size.cwiseProduct(scaled) / scaled.norm();
    }
    case ShapeType::Cone: {
      const double across = std::hypot(direction.x(), direction.y()), h = shape.halfHeight();
      if (2.0 * h * direction.z() >= shape.radius() * across) return {0.0, 0.0, h};
      if (!(across > 0.0)) return {0.0, 0.0, -h};
      return {direction.x() / across * shape.radius(), direction.y() / across * shape.radius(), -h};
    }
    case ShapeType::RoundBox: {
      const Vec3 core = shape.size.array() - shape.offset;
      return Vec3(std::copysign(core.x(), direction.x()), std::copysign(core.y(), direction.y()),
                  std::copysign(core.z(), direction.z())) +
             shape.offset * unitAlong(direction);
    }
    case ShapeType::RoundHull:
      return hullSupport(*shape.hull, direction) + shape.offset * unitAlong(direction);
    case ShapeType::Triangle: {
      int best = 0;
      for (int i = 1; i < 3; ++i) {
        if (shape.corners[i].dot(direction) > shape.corners[best].dot(direction)) best = i;
      }
      return shape.corners[best];
    }
    case ShapeType::SphereSet:
    case ShapeType::Compound:
    case ShapeType::Mesh:
    case ShapeType::HeightField:
    case ShapeType::DistanceField: {
      // Of the box about it: no point is farther.
      const Aabb& box = partsOf(shape).bounds;
      return (direction.array() < 0.0).select(box.lower, box.upper);
    }
    case ShapeType::Hull:
      return hullSupport(*shape.hull, direction);
  }
  return shape.size * shape.offset;
}

}  // namespace cairn
