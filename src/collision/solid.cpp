#include "collision/solid.hpp"

#include <algorithm>
#include <cmath>

#include "collision/manifold_tolerances.hpp"

namespace cairn {
namespace {

// Vertex k of a box has the signs of k's bits: bit 0 is x, bit 1 is y, bit 2 is z. Loops are counter-clockwise from outside.
constexpr std::uint32_t kBoxLoops[24] = {
    1, 3, 7, 5,  // +x
    0, 4, 6, 2,  // -x
    2, 6, 7, 3,  // +y
    0, 1, 5, 4,  // -y
    4, 5, 7, 6,  // +z
    0, 2, 3, 1,  // -z
};
constexpr HullEdge kBoxEdges[12] = {
    {0, 1, 3, 5}, {2, 3, 2, 5}, {4, 5, 3, 4}, {6, 7, 2, 4},  // along x
    {0, 2, 1, 5}, {1, 3, 0, 5}, {4, 6, 1, 4}, {5, 7, 0, 4},  // along y
    {0, 4, 1, 3}, {1, 5, 0, 3}, {2, 6, 1, 2}, {3, 7, 0, 2},  // along z
};

}  // namespace

Polytope polytopeOf(const Solid& solid, BoxParts& parts) {
  if (solid.type() == ShapeType::Triangle) return trianglePolytope(solid.shape.corners, parts);
  if (solid.type() == ShapeType::Hull) {
    const Hull& hull = *solid.shape.hull;
    return {hull.vertices.data(),
            hull.faces.data(),
            hull.faceVertices.data(),
            hull.edges.data(),
            static_cast<std::uint32_t>(hull.vertices.size()),
            static_cast<std::uint32_t>(hull.faces.size()),
            static_cast<std::uint32_t>(hull.edges.size())};
  }
  const Vec3& half = solid.shape.size;
  for (int k = 0; k < 8; ++k) {
    parts.vertices[k] = {k & 1 ? half.x() : -half.x(), k & 2 ? half.y() : -half.y(), k & 4 ? half.z() : -half.z()};
  }
  for (std::uint32_t f = 0; f < 6; ++f) {
    Vec3 normal = Vec3::Zero();
    normal[f / 2] = f % 2 ? -1.0 : 1.0;
    parts.faces[f] = {normal, half[f / 2], 4 * f, 4};
  }
  return {parts.vertices, parts.faces, kBoxLoops, kBoxEdges, 8, 6, 12};
}

Polytope trianglePolytope(const Vec3* corners, BoxParts& parts) {
  static constexpr std::uint32_t kLoops[6] = {0, 1, 2, 0, 2, 1};
  static constexpr HullEdge kEdges[3] = {{0, 1, 0, 1}, {1, 2, 0, 1}, {2, 0, 0, 1}};
  const Vec3 normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]).stableNormalized();
  const double offset = normal.dot(corners[0]);
  for (int k = 0; k < 3; ++k) parts.vertices[k] = corners[k];
  parts.faces[0] = {normal, offset, 0, 3};
  parts.faces[1] = {-normal, -offset, 3, 3};
  return {parts.vertices, parts.faces, kLoops, kEdges, 3, 2, 3};
}

double reach(const Shape& shape, const Vec3& localDirection) {
  switch (shape.type) {
    case ShapeType::Sphere:
      return shape.radius();
    case ShapeType::Capsule:
      return shape.radius() + shape.halfHeight() * std::abs(localDirection.z());
    case ShapeType::Cylinder:
      return shape.radius() * hypotenuse(localDirection.x(), localDirection.y()) +
             shape.halfHeight() * std::abs(localDirection.z());
    case ShapeType::Ellipsoid:
      return shape.size.cwiseProduct(localDirection).norm();
    case ShapeType::Cone:
      return std::max(shape.halfHeight() * localDirection.z(),
                      shape.radius() * hypotenuse(localDirection.x(), localDirection.y()) -
                          shape.halfHeight() * localDirection.z());
    default:
      return 0.0;
  }
}

double largestSize(const Shape& shape) {
  switch (shape.type) {
    case ShapeType::Plane:
      return std::abs(shape.offset);
    case ShapeType::Capsule:
      return shape.radius() + shape.halfHeight();
    default:
      return shape.size.maxCoeff();
  }
}

double innerDistance(const Solid& solid, const Polytope* polytope, const Vec3& point) {
  const Vec3 local = solid.rotation.transpose() * (point - solid.position);
  if (solid.type() == ShapeType::Cylinder) {
    return std::min(solid.shape.radius() - hypotenuse(local.x(), local.y()), solid.shape.halfHeight() - std::abs(local.z()));
  }
  if (solid.type() == ShapeType::Cone) {
    const double r = solid.shape.radius(), height = 2.0 * solid.shape.halfHeight();
    const double above = local.z() + solid.shape.halfHeight();
    const double beyond = ((hypotenuse(local.x(), local.y()) - r) * height + above * r) / hypotenuse(height, r);
    return std::min(above, -beyond);
  }
  double distance = std::numeric_limits<double>::infinity();
  for (std::uint32_t f = 0; f < polytope->faceCount; ++f) {
    distance = std::min(distance, polytope->faces[f].offset - polytope->faces[f].normal.dot(local));
  }
  return distance;
}

PairScale pairScale(const Solid& a, const Solid& b) {
  const double sizeA = largestSize(a.shape);
  const double sizeB = largestSize(b.shape);
  const double smaller = std::min(sizeA, sizeB);
  const double larger = std::max(sizeA, sizeB);
  return {smaller, kProvenTolerance * smaller + kRoundingTolerance * larger};
}

Tangents tangentsOf(const Vec3& normal) {
  // Away from every axis and every diagonal that scenes are full of.
  static const Vec3 kOdd = Vec3(0.8147, 0.4281, 0.3912).normalized();
  static const Vec3 kOther = Vec3(-0.3912, 0.8147, -0.4281).normalized();
  Vec3 v = normal.cross(kOdd);
  double squared = v.squaredNorm();
  if (squared < 0.01) {
    v = normal.cross(kOther);
    squared = v.squaredNorm();
  }
  v /= std::sqrt(squared);
  return {v.cross(normal), v};
}

}  // namespace cairn
