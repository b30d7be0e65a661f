// From the exact distance and its normal to a manifold.
#include <algorithm>
#include <cmath>

#include "collision/collide_pairs.hpp"
#include "collision/manifold_tolerances.hpp"

namespace cairn {
namespace {

// The flat of the shape that faces the direction most squarely.
bool facingFlat(const Solid& solid, const Polytope* polytope, const Vec3& direction, bool ownerIsB, Flat& flat,
                double& cosine) {
  if (solid.isPolytope()) {
    const Vec3 local = solid.rotation.transpose() * direction;
    std::uint32_t best = 0;
    cosine = -2.0;
    for (std::uint32_t f = 0; f < polytope->faceCount; ++f) {
      const double dot = polytope->faces[f].normal.dot(local);
      if (dot > cosine) {
        cosine = dot;
        best = f;
      }
    }
    flat = polygonFlat(solid, *polytope, best, ownerIsB);
    return true;
  }
  if (solid.type() == ShapeType::Cylinder) {
    const double dot = solid.axis().dot(direction);
    cosine = std::abs(dot);
    flat = capFlat(solid, dot < 0.0 ? -1.0 : 1.0, ownerIsB);
    return true;
  }
  if (solid.type() == ShapeType::Cone) {
    cosine = -solid.axis().dot(direction);
    flat = capFlat(solid, -1.0, ownerIsB);
    return true;
  }
  return false;
}

// A straight piece of surface that faces the direction: a core with its radius, a generator, or an edge.
struct Line {
  Vec3 center, axis;  // unit axis
  double half;        // m
  double radius;      // m, about it
};

bool facingLine(const Solid& solid, const Polytope* polytope, const Vec3& direction, const Vec3* along, Line& line) {
  switch (solid.type()) {
    case ShapeType::Capsule:
    case ShapeType::Cylinder: {
      line = {solid.position, solid.axis(), solid.shape.halfHeight(), solid.shape.radius()};
      const double slope = line.axis.dot(direction);
      if (std::abs(slope) > kParallelSine) return false;
      if (solid.type() == ShapeType::Cylinder) {
        line.center += (direction - line.axis * slope).normalized() * line.radius;
        line.radius = 0.0;
      }
      return true;
    }
    case ShapeType::Cone: {
      const Vec3 axis = solid.axis();
      Vec3 radial = direction - axis * axis.dot(direction);
      const double length = radial.norm();
      if (!(length > kParallelSine)) return false;
      const Vec3 apex = solid.position + axis * solid.shape.halfHeight();
      const Vec3 rim = solid.position - axis * solid.shape.halfHeight() + radial * (solid.shape.radius() / length);
      const double side = (apex - rim).norm();
      line = {0.5 * (apex + rim), (apex - rim) / side, 0.5 * side, 0.0};
      return std::abs(line.axis.dot(direction)) <= kParallelSine;
    }
    case ShapeType::Triangle:
    case ShapeType::Box:
    case ShapeType::Hull: {
      // The edge most nearly at right angles to the direction among those at the farthest vertex (and, if the partner's line
      // is known, the one most nearly along it).
      const Vec3 local = solid.rotation.transpose() * direction;
      const Vec3 localAlong = along != nullptr ? Vec3(solid.rotation.transpose() * *along) : Vec3(Vec3::Zero());
      double farthest = -std::numeric_limits<double>::infinity();
      for (std::uint32_t i = 0; i < polytope->vertexCount; ++i)
        farthest = std::max(farthest, local.dot(polytope->vertices[i]));
      double best = -1.0;
      for (std::uint32_t e = 0; e < polytope->edgeCount; ++e) {
        const Vec3& p = polytope->vertices[polytope->edges[e].vertex0];
        const Vec3& q = polytope->vertices[polytope->edges[e].vertex1];
        const Vec3 d = q - p;
        const double length = d.norm();
        const double low = std::min(local.dot(p), local.dot(q)), high = std::max(local.dot(p), local.dot(q));
        if (farthest - high > 1e-6 * length || high - low > kParallelSine * length) continue;
        const double score = along != nullptr ? std::abs(localAlong.dot(d)) / length : 1.0 - (high - low) / length;
        if (score <= best) continue;
        best = score;
        line = {solid.position + solid.rotation * (0.5 * (p + q)), solid.rotation * (d / length), 0.5 * length, 0.0};
      }
      return best >= 0.0;
    }
    default:
      return false;
  }
}

bool touchLines(const Line& a, const Line& b, const Vec3& normal, ContactSet& set) {
  if (a.axis.cross(b.axis).norm() > kParallelSine) return false;
  const double middle = a.axis.dot(b.center - a.center), half = b.half * std::abs(a.axis.dot(b.axis));
  const double low = std::max(-a.half, middle - half), high = std::min(a.half, middle + half);
  if (high - low <= 1e-3 * std::min(a.half, b.half)) return false;
  set.count = 0;
  set.isOrdered = false;
  set.parallelism = 0.0;
  set.normal = normal;
  std::uint32_t end = 0;
  for (const double place : {low, high}) {
    const Vec3 first = a.center + a.axis * place + normal * a.radius;
    const double t = std::clamp(b.axis.dot(first - b.center), -b.half, b.half);
    const Vec3 second = b.center + b.axis * t - normal * b.radius;
    set.add({0.5 * (first + second), place, 0.0, normal.dot(second - first), featureName(FeatureKind::Curved, end++)});
  }
  return true;
}

}  // namespace

bool patchAgrees(const ContactSet& set, double exact, double cosine, double smallerSize, double margin, double grown) {
  const double tolerance = kPatchAbsolute * smallerSize;
  // So close to touching the direction of the exact normal means little; the distances have to speak.
  if (cosine < kPatchCosine && std::abs(exact) > tolerance) return false;
  if (!(std::abs(set.deepest() - exact) <= kPatchShare * std::abs(exact - grown) + tolerance)) return false;
  int near = 0;
  for (int i = 0; i < set.count; ++i) near += set.points[i].separation <= margin ? 1 : 0;
  return near > 1;
}

bool isShortestWayOut(const Solid& owner, bool ownerIsB, const Polytope* polytope, const Solid& other, const ContactSet& set,
                      double separation) {
  if (separation >= 0.0) return true;
  if ((other.type() == ShapeType::Capsule || other.type() == ShapeType::Sphere) && separation >= -other.shape.radius())
    return true;
  // The middle of the deepest points, which is as deep as they are and farther from the outline.
  Vec3 sum = Vec3::Zero();
  int count = 0;
  for (int i = 0; i < set.count; ++i) {
    if (set.points[i].separation > separation * (1.0 - kDepthProof)) continue;
    sum += set.points[i].position;
    ++count;
  }
  if (count == 0) return false;
  const Vec3 inwards = ownerIsB ? set.normal : Vec3(-set.normal);
  const Vec3 point = sum / count + inwards * (-0.5 * separation);
  return innerDistance(owner, polytope, point) >= -separation * (1.0 - 10.0 * kDepthProof);
}

void contactFromDistance(const Solid& a, const Polytope* polytopeA, const Solid& b, const Polytope* polytopeB,
                         const SignedDistance& exact, double margin, ContactSet& set, Manifold& manifold) {
  if (!(exact.distance <= margin)) return;
  const double smaller = pairScale(a, b).smaller;
  const double slop = kClipSlop * smaller, grown = a.grown + b.grown;
  Flat flatA, flatB;
  double cosineA = -2.0, cosineB = -2.0;
  facingFlat(a, polytopeA, exact.normal, false, flatA, cosineA);
  facingFlat(b, polytopeB, -exact.normal, true, flatB, cosineB);
  const bool firstB = cosineB > cosineA + kAxisTie;
  for (int attempt = 0; attempt < 2; ++attempt) {
    const bool useB = (attempt == 0) == firstB;
    const double cosine = useB ? cosineB : cosineA;
    if (cosine < kPatchCosine) continue;
    if (useB) {
      touchFlat(flatB, a, polytopeA, slop, set);
    } else {
      touchFlat(flatA, b, polytopeB, slop, set);
    }
    if (patchAgrees(set, exact.distance, cosine, smaller, margin, grown)) {
      reduce(set, margin, manifold);
      return;
    }
  }
  Line lineA, lineB;
  bool hasA = facingLine(a, polytopeA, exact.normal, nullptr, lineA);
  if (hasA && facingLine(b, polytopeB, -exact.normal, &lineA.axis, lineB)) {
    if (a.isPolytope()) facingLine(a, polytopeA, exact.normal, &lineB.axis, lineA);
    if (touchLines(lineA, lineB, exact.normal, set) && patchAgrees(set, exact.distance, 1.0, smaller, margin, grown)) {
      reduce(set, margin, manifold);
      return;
    }
  }
  setSinglePoint(exact, kSinglePoint, manifold);
}

}  // namespace cairn
