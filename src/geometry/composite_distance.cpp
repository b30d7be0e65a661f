#include "geometry/composite_distance.hpp"

#include <limits>

#include "geometry/surface.hpp"

namespace cairn {
namespace {

// The nearer of two; `whose` is the one that is turned to have its normal from A to B.
void takeNearer(const SignedDistance& other, SignedDistance& best) {
  if (other.distance < best.distance) best = other;
}

const BoxTree& treeOf(const Shape& set) {
  return set.type == ShapeType::SphereSet ? ballsOf(set).tree : childrenOf(set).tree;
}

// Points of a surface or field: vertices, or samples.
template <class Use>
void forPoints(const Shape& shape, Use&& use) {
  if (shape.type == ShapeType::Mesh)
    for (const Vec3& vertex : meshOf(shape).mesh->vertices) use(vertex);
  if (shape.type == ShapeType::DistanceField)
    for (const Vec3& sample : fieldOf(shape).samples) use(sample);
  if (shape.type == ShapeType::HeightField) {
    const HeightField& field = *heightsOf(shape).field;
    for (std::uint32_t v = 0; v < field.rows() * field.columns(); ++v) use(field.vertex(v));
  }
}

bool hasTriangles(const Shape& shape) { return shape.type == ShapeType::Mesh || shape.type == ShapeType::HeightField; }

// A convex shape to the triangles of B. One that is as near as the triangle nearest to the middle of A is within as much of
// A's box.
void nearestTriangle(const Shape& a, const Pose& poseA, const Shape& b, const Pose& poseB, SignedDistance& best) {
  const Pose relative = poseB.inverse() * poseA;
  std::optional<ClosestTriangle> first;
  if (b.type == ShapeType::Mesh) {
    const TriangleMesh& mesh = *meshOf(b).mesh;
    first = mesh.tree.closest(mesh.view(), relative.position);
  } else {
    first = heightsOf(b).field->closest(relative.position);
  }
  if (!first) return;
  const double most = std::min(first->distance, std::max(0.0, best.distance));
  forTrianglesIn(b, boundingBox(a, relative).grown(most), [&](std::uint32_t, const Triangle& triangle) {
    Vec3 corners[3];
    for (int k = 0; k < 3; ++k) corners[k] = triangle.corner[k] - relative.position;
    Shape flat;
    flat.type = ShapeType::Triangle;
    flat.corners = corners;
    const Pose place{poseA.position, poseB.rotation};  // about the middle of A: no digits are lost
    takeNearer(signedDistance(a, poseA, flat, place), best);
  });
}

// A convex shape to a field: from several starts the point that lies farthest against the slope.
void nearestOfField(const Shape& a, const Pose& poseA, const Shape& b, const Pose& poseB, SignedDistance& best) {
  const DistanceField& field = *fieldOf(b).field;
  const Pose relative = poseB.inverse() * poseA;
  const auto offer = [&](const Vec3& p) {
    const FieldSample here = field.sample(p);
    const double slope = here.gradient.norm();
    if (!(here.value < best.distance) || !(slope > 1e-9)) return;
    best.distance = here.value;
    best.normal = -poseB.direction(here.gradient / slope);
    best.pointA = poseB.point(p);
    best.pointB = best.pointA + best.distance * best.normal;
  };
  for (int start = 0; start < 7; ++start) {
    Vec3 p = relative.position;
    if (start > 0) p = relative.point(support(a, (start % 2 ? 1.0 : -1.0) * Vec3::Unit((start - 1) / 2)));
    offer(start > 0 ? p : relative.point(support(a, Vec3::UnitZ())));
    for (int i = 0; i < 8; ++i) {
      const Vec3 slope = field.sample(p).gradient;
      if (!(slope.norm() > 1e-9)) break;
      p = relative.point(support(a, relative.inverseDirection(-slope)));
      offer(p);
    }
  }
}

// Of a convex shape or plane to the children of B.
void nearestChild(const Shape& a, const Pose& poseA, const Shape& b, const Pose& poseB, SignedDistance& best) {
  const auto offer = [&](std::uint32_t i) {
    const PlacedChild child = childOf(b, i);
    takeNearer(signedDistance(a, poseA, child.shape, poseB * child.place), best);
  };
  if (a.type == ShapeType::Plane && (hasTriangles(b) || b.type == ShapeType::DistanceField)) {
    const Vec3 normal = poseA.direction(a.size).normalized();
    const double offset = normal.dot(poseB.position - poseA.position) - a.offset;
    const Vec3 local = poseB.inverseDirection(normal);
    forPoints(b, [&](const Vec3& point) {
      const double height = offset + local.dot(point);
      if (!(height < best.distance)) return;
      best.distance = height;
      best.normal = normal;
      best.pointB = poseB.point(point);
      best.pointA = best.pointB - height * normal;
    });
    return;
  }
  if (hasTriangles(b)) return nearestTriangle(a, poseA, b, poseB, best);
  if (b.type == ShapeType::DistanceField) return nearestOfField(a, poseA, b, poseB, best);
  if (a.type == ShapeType::Plane) {
    for (std::uint32_t i = 0; i < childCount(b); ++i) offer(i);
    return;
  }
  // No child is nearer to A than to the middle of A less its radius.
  const double reach = boundingRadius(a);
  const auto bound = [&] {
    const double farthest = std::max(best.distance, 0.0) + reach;
    return farthest < 1e150 ? farthest * farthest : std::numeric_limits<double>::infinity();
  };
  const BoxTree& tree = treeOf(b);
  tree.nearest(poseB.inversePoint(poseA.position), bound(), [&](std::uint32_t i, double) {
    offer(i);
    return bound();
  });
}

}  // namespace

SignedDistance compositeDistance(const Shape& a, const Pose& poseA, const Shape& b, const Pose& poseB) {
  SignedDistance best;
  best.distance = std::numeric_limits<double>::infinity();
  if (!a.isComposite()) {
    nearestChild(a, poseA, b, poseB, best);
    return best;
  }
  if (hasTriangles(a) || a.type == ShapeType::DistanceField) {
    // Two surfaces or fields: points of the first.
    Shape point;
    point.type = ShapeType::Sphere;
    point.size = Vec3::Constant(kSmallestSize);
    const Aabb near = boundingBox(b, poseB);
    forPoints(a, [&](const Vec3& vertex) {
      const Vec3 p = poseA.point(vertex);
      const Vec3 beyond = (near.lower - p).cwiseMax(p - near.upper).cwiseMax(0.0);
      if (beyond.norm() > best.distance) return;
      nearestChild(point, {p, Quat::Identity()}, b, poseB, best);
    });
    return best;
  }
  for (std::uint32_t i = 0; i < childCount(a); ++i) {
    const PlacedChild child = childOf(a, i);
    nearestChild(child.shape, poseA * child.place, b, poseB, best);
  }
  return best;
}

std::optional<ShapeRayHit> castRayAtComposite(const Shape& shape, const Vec3& origin, const Vec3& direction, double length) {
  std::optional<ShapeRayHit> best;
  if (hasTriangles(shape)) {
    const RaySides sides = isOneSided(shape) ? RaySides::Front : RaySides::Both;
    std::optional<TriangleRayHit> hit;
    Vec3 normal = Vec3::Zero();
    if (shape.type == ShapeType::Mesh) {
      const TriangleMesh& mesh = *meshOf(shape).mesh;
      hit = mesh.tree.nearestHit(mesh.view(), origin, direction, length, sides);
      if (hit) normal = mesh.normal(hit->triangle);
    } else {
      hit = heightsOf(shape).field->nearestHit(origin, direction, length, sides);
      if (hit) normal = heightsOf(shape).field->triangle(hit->triangle).normal();
    }
    if (hit) best = ShapeRayHit{hit->distance, hit->isFront ? normal : Vec3(-normal)};
    return best;
  }
  if (shape.type == ShapeType::DistanceField) {
    // The value bounds the path to the surface from below.
    const DistanceField& field = *fieldOf(shape).field;
    constexpr int kMostLooks = 400;
    const double near = 1e-7 * partsOf(shape).radius;
    double path = 0.0;
    for (int look = 0; look < kMostLooks && path <= length; ++look) {
      const FieldSample here = field.sample(origin + path * direction);
      if (here.value <= near) return ShapeRayHit{path, here.gradient.stableNormalized()};
      path += here.value;
    }
    return best;
  }
  const BoxTree& tree = treeOf(shape);
  tree.cast(origin, Vec3::Zero(), direction, length, [&](std::uint32_t i, double nearest) {
    const PlacedChild child = childOf(shape, i);
    const std::optional<ShapeRayHit> hit = castRay(child.shape, child.place, origin, direction, nearest);
    if (!hit || (best && hit->distance >= best->distance)) return nearest;
    best = hit;
    return hit->distance;
  });
  return best;
}

}  // namespace cairn
