#include "geometry/sat.hpp"

#include <array>
#include <cmath>

namespace cairn {
namespace {

// Edges whose directions differ by less than this (rad) make no axis: their cross product is rounding, and the faces'
// normals cover the limit.
constexpr double kParallelEdges = 1e-8;

// A polytope's edges and faces without a copy of a hull, and without the heap for a box.
struct Edge {
  Vec3 point, direction;  // m
  Vec3 normal0, normal1;  // of the two faces
};

class Features {
 public:
  explicit Features(const Shape& shape) : shape_(coreOf(shape)) {}

  std::size_t faceCount() const {
    if (shape_.type == ShapeType::Box) return 6;
    if (shape_.type == ShapeType::Triangle) return 2;
    return shape_.type == ShapeType::Hull ? shape_.hull->faces.size() : 0;
  }
  Vec3 faceNormal(std::size_t i) const {
    if (shape_.type == ShapeType::Hull) return shape_.hull->faces[i].normal;
    if (shape_.type == ShapeType::Triangle) {
      const Vec3* p = shape_.corners;
      return (i == 0 ? 1.0 : -1.0) * (p[1] - p[0]).cross(p[2] - p[0]).stableNormalized();
    }
    return (i % 2 == 0 ? -1.0 : 1.0) * Vec3::Unit(static_cast<int>(i / 2));
  }
  std::size_t edgeCount() const {
    if (shape_.type == ShapeType::Box) return 12;
    if (shape_.type == ShapeType::Hull) return shape_.hull->edges.size();
    if (shape_.type == ShapeType::Triangle) return 3;
    return shape_.type == ShapeType::Capsule ? 1 : 0;
  }
  Edge edge(std::size_t i) const {
    if (shape_.type == ShapeType::Hull) {
      const HullEdge& edge = shape_.hull->edges[i];
      const Vec3& from = shape_.hull->vertices[edge.vertex0];
      return {from, shape_.hull->vertices[edge.vertex1] - from, shape_.hull->faces[edge.face0].normal,
              shape_.hull->faces[edge.face1].normal};
    }
    if (shape_.type == ShapeType::Triangle) {
      // Its two faces look opposite ways: like a segment, an edge takes any normal across it.
      const Vec3& from = shape_.corners[i];
      return {from, shape_.corners[i == 2 ? 0 : i + 1] - from, Vec3::Zero(), Vec3::Zero()};
    }
    if (shape_.type == ShapeType::Capsule) {
      // A segment has no faces: every normal across it is its own.
      return {-shape_.halfHeight() * Vec3::UnitZ(), 2.0 * shape_.halfHeight() * Vec3::UnitZ(), Vec3::Zero(), Vec3::Zero()};
    }
    // Along an axis, at one of the four sign pairs of the other two.
    const int axis = static_cast<int>(i / 4);
    const int other = (axis + 1) % 3;
    const int third = (axis + 2) % 3;
    const double signOther = i % 2 == 0 ? -1.0 : 1.0;
    const double signThird = (i / 2) % 2 == 0 ? -1.0 : 1.0;
    Vec3 point = -shape_.size;
    point[other] *= -signOther;
    point[third] *= -signThird;
    return {point, 2.0 * shape_.size[axis] * Vec3::Unit(axis), signOther * Vec3::Unit(other), signThird * Vec3::Unit(third)};
  }

 private:
  const Shape shape_;
};

void consider(SatResult& best, const CorePair& pair, const Vec3& normal) {
  const double separation = pair.separation(normal);
  if (separation > best.separation) best = {separation, normal};
}

// Whether the arc from a to b and the arc from c to d on the unit sphere cross; a and b are the normals beside an edge along
// `ab` (parallel to a x b), likewise c, d and `cd`. Slack admits crossings at an end: one axis too many does no harm.
bool arcsCross(const Vec3& a, const Vec3& b, const Vec3& ab, const Vec3& c, const Vec3& d, const Vec3& cd) {
  constexpr double kSlack = 1e-9;
  const double cba = c.dot(ab);
  const double dba = d.dot(ab);
  const double adc = a.dot(cd);
  const double bdc = b.dot(cd);
  return cba * dba <= kSlack && adc * bdc <= kSlack && cba * bdc >= -kSlack;
}

}  // namespace

SatResult boxBoxSat(const CorePair& pair) {
  const Vec3& sizeA = pair.a->size;
  const Vec3& sizeB = pair.b->size;
  const Mat3& r = pair.rotation;
  const Vec3& t = pair.translation;
  const Mat3 absolute = r.cwiseAbs();
  SatResult best{-std::numeric_limits<double>::infinity(), Vec3::UnitX()};
  const auto offer = [&](double distance, double reach, const Vec3& axis) {
    const double separation = std::abs(distance) - reach;
    if (separation > best.separation) best = {separation, distance < 0.0 ? Vec3(-axis) : axis};
  };
  for (int i = 0; i < 3; ++i) offer(t[i], sizeA[i] + absolute.row(i).dot(sizeB), Vec3::Unit(i));
  for (int j = 0; j < 3; ++j) offer(t.dot(r.col(j)), sizeB[j] + absolute.col(j).dot(sizeA), r.col(j));
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      Vec3 axis = Vec3::Unit(i).cross(r.col(j));
      const double length = axis.norm();
      if (length < kParallelEdges) continue;
      axis /= length;
      offer(t.dot(axis), axis.cwiseAbs().dot(sizeA) + (r.transpose() * axis).cwiseAbs().dot(sizeB), axis);
    }
  }
  return best;
}

SatResult polytopeSat(const CorePair& pair) {
  const Features a(*pair.a);
  const Features b(*pair.b);
  SatResult best{-std::numeric_limits<double>::infinity(), Vec3::UnitX()};
  for (std::size_t i = 0; i < a.faceCount(); ++i) consider(best, pair, a.faceNormal(i));
  for (std::size_t i = 0; i < b.faceCount(); ++i) consider(best, pair, -(pair.rotation * b.faceNormal(i)));
  for (std::size_t j = 0; j < b.edgeCount(); ++j) {
    const Edge local = b.edge(j);
    const Edge edgeB{pair.translation + pair.rotation * local.point, pair.rotation * local.direction,
                     pair.rotation * local.normal0, pair.rotation * local.normal1};
    const Vec3 unitB = edgeB.direction.normalized();
    for (std::size_t i = 0; i < a.edgeCount(); ++i) {
      const Edge edgeA = a.edge(i);
      const Vec3 unitA = edgeA.direction.normalized();
      // The sides of B - A belong to B's normals and to A's turned around.
      if (!arcsCross(edgeA.normal0, edgeA.normal1, unitA, -edgeB.normal0, -edgeB.normal1, unitB)) continue;
      Vec3 axis = unitA.cross(unitB);
      const double length = axis.norm();
      if (length < kParallelEdges) continue;
      axis /= length;
      const bool segmentA = edgeA.normal0.isZero();
      const bool segmentB = edgeB.normal0.isZero();
      // Outward from A, or into B; between two segments both ways are the same.
      const double sense = !segmentA   ? axis.dot(edgeA.normal0 + edgeA.normal1)
                           : !segmentB ? -axis.dot(edgeB.normal0 + edgeB.normal1)
                                       : axis.dot(edgeB.point - edgeA.point);
      if (sense < 0.0) axis = -axis;
      // For crossing arcs this is the separation; the supports are asked only if it could be the best.
      if (axis.dot(edgeB.point - edgeA.point) > best.separation) consider(best, pair, axis);
    }
  }
  return best;
}

}  // namespace cairn
