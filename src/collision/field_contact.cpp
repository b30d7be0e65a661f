// Along an edge or a segment the value is sampled at a few places and the least one made less by cutting its surroundings
// in the golden ratio; over a face it goes down the slope, kept inside the face. Normals are slopes at the foot: where the
// shape's point would be on the surface.
#include "collision/field_contact.hpp"

#include <algorithm>
#include <cmath>

#include "collision/contact_set.hpp"
#include "collision/solid.hpp"

namespace cairn {
namespace {

constexpr int kSearchSteps = 8;
constexpr int kPlaces = 5;            // of an edge, before the search
constexpr int kRimPoints = 12;        // of a cap
constexpr double kFieldPatch = 0.9962;  // cosine of five degrees
constexpr double kFieldOffset = 1e-3;   // m
constexpr double kFieldShare = 0.02;    // of the shape's size, if that is less
constexpr std::size_t kMostFieldPatches = 16;

// Where along the segment the value is least: 0 to 1.
double leastAlong(const DistanceField& field, const Vec3& from, const Vec3& to) {
  double best = 0.0, least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < kPlaces; ++i) {
    const double t = static_cast<double>(i) / (kPlaces - 1);
    const double value = field.value(from + t * (to - from));
    if (value < least) least = value, best = t;
  }
  constexpr double kGolden = 0.6180339887498949;
  double low = std::max(0.0, best - 1.0 / (kPlaces - 1)), high = std::min(1.0, best + 1.0 / (kPlaces - 1));
  double x = high - kGolden * (high - low), y = low + kGolden * (high - low);
  double atX = field.value(from + x * (to - from)), atY = field.value(from + y * (to - from));
  for (int i = 0; i < kSearchSteps; ++i) {
    if (atX < atY) {
      high = y;
      y = x, atY = atX;
      x = high - kGolden * (high - low), atX = field.value(from + x * (to - from));
    } else {
      low = x;
      x = y, atX = atY;
      y = low + kGolden * (high - low), atY = field.value(from + y * (to - from));
    }
  }
  const double middle = 0.5 * (low + high);
  return field.value(from + middle * (to - from)) < least ? middle : best;
}

void sampleEdge(const DistanceField& field, const Vec3& from, const Vec3& to, double radius, double margin,
                std::uint32_t name, std::vector<FieldPoint>& points) {
  const double t = leastAlong(field, from, to);
  if (t > 0.02 && t < 0.98) samplePoint(field, from + t * (to - from), radius, margin, name, points);
}

void samplePolytope(const Solid& solid, double grown, const DistanceField& field, double margin,
                    std::vector<FieldPoint>& points) {
  BoxParts parts;
  const Polytope polytope = polytopeOf(solid, parts);
  const auto placed = [&](std::uint32_t v) { return Vec3(solid.position + solid.rotation * polytope.vertices[v]); };
  for (std::uint32_t v = 0; v < polytope.vertexCount; ++v)
    samplePoint(field, placed(v), grown, margin, featureName(FeatureKind::Vertex, v), points);
  for (std::uint32_t e = 0; e < polytope.edgeCount; ++e)
    sampleEdge(field, placed(polytope.edges[e].vertex0), placed(polytope.edges[e].vertex1), grown, margin,
               featureName(FeatureKind::Edges, e), points);
  for (std::uint32_t f = 0; f < polytope.faceCount; ++f) {
    const HullFace& face = polytope.faces[f];
    Vec3 middle = Vec3::Zero();
    double reach = 0.0;
    for (std::uint32_t i = 0; i < face.count; ++i) middle += placed(polytope.loop(f)[i]) / face.count;
    for (std::uint32_t i = 0; i < face.count; ++i) reach = std::max(reach, (placed(polytope.loop(f)[i]) - middle).norm());
    if (field.value(middle) > margin + grown + reach) continue;
    const Vec3 normal = solid.rotation * face.normal;
    Vec3 p = middle;
    double step = 0.5 * reach, here = field.value(p);
    for (int i = 0; i < kSearchSteps; ++i) {
      Vec3 slope = field.sample(p).gradient;
      slope -= normal * normal.dot(slope);
      const double length = slope.norm();
      if (!(length > 1e-6)) break;
      Vec3 next = p - slope * (step / length);
      for (std::uint32_t k = 0; k < face.count; ++k) {  // back to the face's side of each of its edges
        const Vec3 a = placed(polytope.loop(f)[k]), b = placed(polytope.loop(f)[k + 1 < face.count ? k + 1 : 0]);
        const Vec3 out = (b - a).cross(normal).normalized();
        const double beyond = out.dot(next - a);
        if (beyond > 0.0) next -= beyond * out;
      }
      const double there = field.value(next);
      if (there < here) p = next, here = there;
      else step *= 0.5;
    }
    samplePoint(field, p, grown, margin, featureName(FeatureKind::Corner, f), points);
  }
}

}  // namespace

void samplePoint(const DistanceField& field, const Vec3& point, double radius, double margin, std::uint32_t feature,
                 std::vector<FieldPoint>& points) {
  const FieldSample here = field.sample(point);
  if (!(here.value - radius <= margin)) return;
  const double slope = here.gradient.norm();
  if (!(slope > 1e-9)) return;
  Vec3 normal = here.gradient / slope;
  // At the foot the slope is that of the surface.
  const FieldSample foot = field.sample(point - here.value * normal);
  const double atFoot = foot.gradient.norm();
  if (atFoot > 1e-9 && foot.gradient.dot(normal) > 0.0) normal = foot.gradient / atFoot;
  points.push_back({point - radius * normal, normal, here.value - radius, feature});
}

void samplePoints(const Shape& shape, const Pose& pose, const DistanceField& field, double margin,
                  std::vector<FieldPoint>& points) {
  const Solid solid(shape, pose.rotation, pose.position);
  const Vec3 axis = solid.axis();
  switch (shape.type) {
    case ShapeType::Sphere:
      return samplePoint(field, pose.position, shape.radius(), margin, kSinglePoint, points);
    case ShapeType::Capsule: {
      const Vec3 arm = axis * shape.halfHeight();
      samplePoint(field, pose.position - arm, shape.radius(), margin, featureName(FeatureKind::Curved, 0), points);
      samplePoint(field, pose.position + arm, shape.radius(), margin, featureName(FeatureKind::Curved, 1), points);
      return sampleEdge(field, pose.position - arm, pose.position + arm, shape.radius(), margin,
                        featureName(FeatureKind::Curved, 2), points);
    }
    case ShapeType::Cylinder:
    case ShapeType::Cone: {
      std::uint32_t name = 0x10;
      for (const double side : {-1.0, 1.0}) {
        const Vec3 center = pose.position + side * shape.halfHeight() * axis;
        samplePoint(field, center, 0.0, margin, featureName(FeatureKind::Curved, name++), points);
        if (shape.type == ShapeType::Cone && side > 0.0) break;
        for (int i = 0; i < kRimPoints; ++i) {
          const double angle = 2.0 * EIGEN_PI * i / kRimPoints;
          const Vec3 out = solid.rotation.col(0) * std::cos(angle) + solid.rotation.col(1) * std::sin(angle);
          samplePoint(field, center + shape.radius() * out, 0.0, margin, featureName(FeatureKind::Curved, name++), points);
        }
      }
      [[fallthrough]];
    }
    case ShapeType::Ellipsoid: {
      // The point that lies farthest against the slope, again and again.
      Vec3 p = pose.position;
      for (int i = 0; i < kSearchSteps; ++i) {
        const Vec3 slope = field.sample(p).gradient;
        if (!(slope.norm() > 1e-9)) return;
        p = pose.point(support(shape, pose.inverseDirection(-slope)));
      }
      return samplePoint(field, p, 0.0, margin, kSinglePoint, points);
    }
    case ShapeType::Box:
    case ShapeType::Hull:
      return samplePolytope(solid, 0.0, field, margin, points);
    case ShapeType::RoundBox:
    case ShapeType::RoundHull: {
      const Shape core = coreOf(shape);
      return samplePolytope(Solid(core, pose.rotation, pose.position), shape.rounding(), field, margin, points);
    }
    default:
      return;
  }
}

void mergePoints(std::vector<FieldPoint>& points, double size, double margin, std::vector<SurfacePatch>& patches) {
  patches.clear();
  std::sort(points.begin(), points.end(), [](const FieldPoint& a, const FieldPoint& b) {
    return a.separation != b.separation ? a.separation < b.separation : a.feature < b.feature;
  });
  const double offset = std::min(kFieldOffset, kFieldShare * size);
  static thread_local std::vector<int> patchOf;
  patchOf.assign(points.size(), -1);
  for (std::size_t i = 0; i < points.size() && patches.size() < kMostFieldPatches; ++i) {
    if (patchOf[i] >= 0) continue;
    const FieldPoint& first = points[i];
    const Vec3 foot = first.position - first.separation * first.normal;
    ContactSet set;
    set.count = 0;
    set.isOrdered = false;
    set.parallelism = 0.0;
    set.normal = first.normal;
    const Tangents tangents = tangentsOf(first.normal);
    for (std::size_t k = i; k < points.size(); ++k) {
      const FieldPoint& p = points[k];
      if (patchOf[k] >= 0 || p.normal.dot(first.normal) < kFieldPatch) continue;
      if (std::abs(first.normal.dot(p.position - p.separation * p.normal - foot)) > offset) continue;
      patchOf[k] = static_cast<int>(patches.size());
      const Vec3 middle = p.position - 0.5 * p.separation * first.normal;
      set.add({middle, tangents.u.dot(middle), tangents.v.dot(middle), p.separation, p.feature});
    }
    SurfacePatch& patch = patches.emplace_back();
    patch.triangle = first.feature & ~0xc0000000u;
    reduce(set, margin, patch.manifold);
    if (patch.manifold.count == 0) patches.pop_back();
  }
}

}  // namespace cairn
