// Shapes come in three sorts: sets of convex children (a convex shape is a set of one), surfaces of triangles, and fields of
// distances. Two sets meet child by child; a set meets a surface child by child in patches; a field is sampled.
#include "collision/composite_touch.hpp"

#include <algorithm>
#include <chrono>

#include "collision/contact_set.hpp"
#include "collision/field_contact.hpp"
#include "collision/solid.hpp"
#include "geometry/composite.hpp"
#include "geometry/surface.hpp"

namespace cairn {
namespace {

// Calls use(child, shape, pose) for the convex children of a set that are near a box (world); of a mesh for its convex parts.
template <class Use>
void forConvexChildren(const Shape& shape, const Pose& pose, const Aabb& box, Use&& use) {
  if (shape.type == ShapeType::SphereSet || shape.type == ShapeType::Compound) {
    forChildrenIn(shape, turnedBox(box, pose.inverse()), [&](std::uint32_t child) {
      const PlacedChild placed = childOf(shape, child);
      use(child, placed.shape, pose * placed.place);
    });
  } else if (shape.type == ShapeType::Mesh) {
    const ConvexParts& parts = *meshOf(shape).parts;
    parts.tree.overlap(turnedBox(box, pose.inverse()),
                       [&](std::uint32_t child) { use(child, parts.shapes[child], pose * parts.places[child]); });
  } else {
    use(0u, shape, pose);
  }
}

void touchSets(const Shape& a, const Pose& poseA, const Shape& b, const Pose& poseB, double margin, Manifold& room,
               ManifoldVisitor visit) {
  if (a.type == ShapeType::Plane) {  // it is near everything
    for (std::uint32_t child = 0; child < childCount(b); ++child) {
      const PlacedChild placed = childOf(b, child);
      touchChildren(a, poseA, placed.shape, poseB * placed.place, {}, margin, room);
      if (room.count > 0) visit(Children{0, child}, room);
    }
    return;
  }
  const Aabb boxB = boundingBox(b, poseB).grown(margin);
  forConvexChildren(a, poseA, boxB, [&](std::uint32_t childA, const Shape& shapeA, const Pose& placeA) {
    const Aabb boxA = boundingBox(shapeA, placeA).grown(margin);
    forConvexChildren(b, poseB, boxA, [&](std::uint32_t childB, const Shape& shapeB, const Pose& placeB) {
      touchChildren(shapeA, placeA, shapeB, placeB, {}, margin, room);
      if (room.count > 0) visit(Children{childA, childB}, room);
    });
  });
}

struct Gathered {
  std::vector<NearTriangle> triangles;
  std::vector<SurfacePatch> patches;
  std::vector<Vec3> pushes;
};

// The convex shape `child` of A against the surface B.
void touchSurface(const Shape& shape, const Pose& pose, const Shape& surface, const Pose& poseB, const TouchHints& hints,
                  double margin, Gathered& work) {
  const auto start = std::chrono::steady_clock::now();
  const Vec3 at = poseB.inversePoint(pose.position);
  ShapeOnSurface placed;
  placed.core = coreOf(shape);
  placed.grown = shape.rounding();
  placed.rotation = (poseB.rotation.conjugate() * pose.rotation).normalized();
  if (placed.core.hull) placed.corePoint = placed.rotation * placed.core.hull->interior;
  const Aabb box = boundingBox(shape, Pose{at, placed.rotation}).grown(margin);
  work.triangles.clear();
  forTrianglesIn(surface, box.grown(2.0 * hints.weldDistance), [&](std::uint32_t id, const Triangle& triangle) {
    NearTriangle& near = work.triangles.emplace_back();
    near.id = id;
    near.isNear = triangle.bounds().overlaps(box);
    for (int k = 0; k < 3; ++k) near.corners[k] = triangle.corner[k] - at;
  });
  std::sort(work.triangles.begin(), work.triangles.end(),
            [](const NearTriangle& x, const NearTriangle& y) { return x.id < y.id; });
  if (hints.midPhaseSeconds != nullptr)
    *hints.midPhaseSeconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  touchTriangles(work.triangles, placed, isOneSided(surface), work.pushes, margin, hints.weldDistance, work.patches);
}

// A set (first) against a surface; `turned`: the set is B.
void touchSetAndSurface(const Shape& set, const Pose& poseSet, const Shape& surface, const Pose& poseSurface, bool turned,
                        const TouchHints& hints, double margin, Manifold& room, ManifoldVisitor visit) {
  static thread_local Gathered work;
  work.pushes.clear();
  // From A to B in the world, to from the surface to the set in the surface's axes.
  for (const Vec3& push : hints.pushes) work.pushes.push_back(poseSurface.inverseDirection(turned ? push : Vec3(-push)));
  const Aabb box = boundingBox(surface, poseSurface).grown(margin);
  forConvexChildren(set, poseSet, box, [&](std::uint32_t child, const Shape& shape, const Pose& pose) {
    touchSurface(shape, pose, surface, poseSurface, hints, margin, work);
    for (const SurfacePatch& patch : work.patches) {
      room = patch.manifold;
      room.clearance = 0.0;
      room.normal = poseSurface.direction(turned ? patch.manifold.normal : Vec3(-patch.manifold.normal));
      for (int i = 0; i < room.count; ++i)
        room.points[i].position = pose.position + poseSurface.direction(patch.manifold.points[i].position);
      const std::uint32_t name = kPatch | (patch.triangle & ~kPatch);
      visit(turned ? Children{name, child} : Children{child, name}, room);
    }
  });
}

// A plane against a closed mesh: its lowest vertices.
void touchPlaneAndMesh(const Shape& plane, const Pose& posePlane, const Shape& mesh, const Pose& poseMesh, double margin,
                       Manifold& room, ManifoldVisitor visit) {
  const Vec3 normal = posePlane.direction(plane.size).normalized(), local = poseMesh.inverseDirection(normal);
  // Height of the mesh frame's origin over the plane.
  const double height = normal.dot(poseMesh.position - posePlane.position) - plane.offset;
  const TriangleMesh& data = *meshOf(mesh).mesh;
  Aabb box = data.bounds;
  double lowest = height;
  for (int k = 0; k < 3; ++k) lowest += std::min(local[k] * box.lower[k], local[k] * box.upper[k]);
  if (lowest > margin) {
    room.count = 0;
    room.clearance = lowest;
    return;
  }
  // The part of the box that may be below the plane.
  for (int k = 0; k < 3; ++k) {
    if (std::abs(local[k]) < 1e-9) continue;
    const double rest = lowest - std::min(local[k] * box.lower[k], local[k] * box.upper[k]);
    const double limit = (margin - rest) / local[k];
    if (local[k] > 0.0) box.upper[k] = std::min(box.upper[k], limit);
    if (local[k] < 0.0) box.lower[k] = std::max(box.lower[k], limit);
  }
  ContactSet set;
  set.count = 0;
  set.isOrdered = false;
  set.parallelism = 0.0;
  set.normal = normal;
  const Tangents tangents = tangentsOf(normal);
  data.tree.boxes().overlap(box, [&](std::uint32_t t) {
    for (const std::uint32_t vertex : data.triangles[t]) {
      const double above = height + local.dot(data.vertices[vertex]);
      const std::uint32_t name = featureName(FeatureKind::Vertex, vertex);
      if (above > margin) continue;
      bool known = false;
      for (int i = 0; i < set.count && !known; ++i) known = set.points[i].feature == name;
      if (known) continue;
      const Vec3 p = poseMesh.direction(data.vertices[vertex]);
      set.add({p - 0.5 * above * normal, tangents.u.dot(p), tangents.v.dot(p), above, name});
    }
  });
  room.count = 0;
  room.clearance = 0.0;
  reduce(set, margin, room);
  for (int i = 0; i < room.count; ++i) room.points[i].position += poseMesh.position;
  if (room.count > 0) visit(Children{0, kPatch}, room);
}

// Delivers patches of the field's frame: from the field to the other, which is `child` of its shape.
void deliver(const std::vector<SurfacePatch>& patches, const Pose& poseField, std::uint32_t child, bool fieldIsB,
             Manifold& room, ManifoldVisitor visit) {
  for (const SurfacePatch& patch : patches) {
    room = patch.manifold;
    room.clearance = 0.0;
    room.normal = poseField.direction(fieldIsB ? Vec3(-patch.manifold.normal) : patch.manifold.normal);
    for (int i = 0; i < room.count; ++i) room.points[i].position = poseField.point(patch.manifold.points[i].position);
    const std::uint32_t name = kPatch | patch.triangle;
    visit(fieldIsB ? Children{child, name} : Children{name, child}, room);
  }
}

struct Sampled {
  std::vector<FieldPoint> points;
  std::vector<SurfacePatch> patches;
};

// Everything that has points against a field: children of sets, vertices of meshes and height fields, samples of a field.
void touchField(const Shape& other, const Pose& poseOther, const DistanceField& field, const Pose& poseField, bool fieldIsB,
                double margin, Manifold& room, ManifoldVisitor visit) {
  static thread_local Sampled work;
  const Pose relative = poseField.inverse() * poseOther;
  const Aabb near = field.bounds().grown(margin);
  const Aabb world = turnedBox(near, poseField);
  if (!other.isComposite() || other.type == ShapeType::SphereSet || other.type == ShapeType::Compound) {
    forConvexChildren(other, poseOther, world, [&](std::uint32_t child, const Shape& shape, const Pose& pose) {
      work.points.clear();
      const Pose place = poseField.inverse() * pose;
      if (!boundingBox(shape, place).overlaps(near)) return;
      samplePoints(shape, place, field, margin, work.points);
      mergePoints(work.points, largestSize(shape), margin, work.patches);
      deliver(work.patches, poseField, child, fieldIsB, room, visit);
    });
    return;
  }
  work.points.clear();
  const auto offer = [&](const Vec3& point, std::uint32_t name) {
    const Vec3 p = relative.point(point);
    if ((p.array() < near.lower.array()).any() || (p.array() > near.upper.array()).any()) return;
    samplePoint(field, p, 0.0, margin, featureName(FeatureKind::Vertex, name), work.points);
  };
  if (other.type == ShapeType::DistanceField) {
    const std::vector<Vec3>& samples = fieldOf(other).samples;
    for (std::uint32_t i = 0; i < samples.size(); ++i) offer(samples[i], i);
  } else {
    const Aabb box = turnedBox(near, relative.inverse());
    if (other.type == ShapeType::Mesh) {
      const TriangleMesh& mesh = *meshOf(other).mesh;
      static thread_local std::vector<std::uint32_t> vertices;
      vertices.clear();
      mesh.tree.overlap(mesh.view(), box, [&](std::uint32_t t) {
        for (const std::uint32_t vertex : mesh.triangles[t]) vertices.push_back(vertex);
      });
      std::sort(vertices.begin(), vertices.end());
      vertices.erase(std::unique(vertices.begin(), vertices.end()), vertices.end());
      for (const std::uint32_t vertex : vertices) offer(mesh.vertices[vertex], vertex);
    }
    // Large triangles have no corner where the field is: the middle of each, and of its edges, in any case.
    forTrianglesIn(other, box, [&](std::uint32_t t, const Triangle& triangle) {
      offer(triangle.centroid(), 0x20000000u + 4 * t);
      if (other.type == ShapeType::HeightField) offer(triangle.corner[0], 0x20000001u + 4 * t);
    });
  }
  mergePoints(work.points, (near.upper - near.lower).maxCoeff(), margin, work.patches);
  deliver(work.patches, poseField, 0, fieldIsB, room, visit);
}

// A plane against the samples of a field.
void touchPlaneAndField(const Shape& plane, const Pose& posePlane, const Shape& field, const Pose& poseField, double margin,
                        Manifold& room, ManifoldVisitor visit) {
  const Vec3 normal = posePlane.direction(plane.size).normalized(), local = poseField.inverseDirection(normal);
  const double height = normal.dot(poseField.position - posePlane.position) - plane.offset;
  ContactSet set;
  set.count = 0;
  set.isOrdered = false;
  set.parallelism = 0.0;
  set.normal = normal;
  const Tangents tangents = tangentsOf(normal);
  const std::vector<Vec3>& samples = fieldOf(field).samples;
  std::uint32_t lowest = 0;
  for (std::uint32_t i = 0; i < samples.size(); ++i) {
    if (local.dot(samples[i]) < local.dot(samples[lowest])) lowest = i;
    const double above = height + local.dot(samples[i]);
    if (above > margin) continue;
    const Vec3 p = poseField.direction(samples[i]);
    set.add({p - 0.5 * above * normal, tangents.u.dot(p), tangents.v.dot(p), above, featureName(FeatureKind::Vertex, i)});
  }
  // Between samples the surface bulges: the lowest one goes down to where the slope is against the plane.
  const DistanceField& data = *fieldOf(field).field;
  Vec3 p = samples[lowest];
  for (int i = 0; i < 8; ++i) {
    const FieldSample here = data.sample(p);
    const double square = here.gradient.squaredNorm();
    if (!(square > 0.01)) break;
    const Vec3 slope = here.gradient / std::sqrt(square);
    const Vec3 down = -local - slope * slope.dot(-local);  // along the surface
    p += 0.5 * down * 0.1 * field.size.maxCoeff() - here.value / square * here.gradient;
  }
  const FieldSample foot = data.sample(p);
  if (foot.gradient.squaredNorm() > 0.01) p -= foot.value / foot.gradient.squaredNorm() * foot.gradient;
  const double above = height + local.dot(p);
  if (above < height + local.dot(samples[lowest]) && above <= margin && std::abs(data.value(p)) < 1e-3 * field.size.maxCoeff()) {
    const Vec3 turned = poseField.direction(p);
    set.add({turned - 0.5 * above * normal, tangents.u.dot(turned), tangents.v.dot(turned), above, kSinglePoint});
  }
  room.count = 0;
  room.clearance = 0.0;
  reduce(set, margin, room);
  for (int i = 0; i < room.count; ++i) room.points[i].position += poseField.position;
  if (room.count > 0) visit(Children{0, kPatch}, room);
}

const DistanceField* distancesOf(const Shape& shape) {
  if (shape.type == ShapeType::DistanceField) return fieldOf(shape).field.get();
  return shape.type == ShapeType::Mesh ? meshOf(shape).field.get() : nullptr;
}

bool isSurface(const Shape& shape) { return shape.type == ShapeType::Mesh || shape.type == ShapeType::HeightField; }
bool hasParts(const Shape& shape) { return shape.type == ShapeType::Mesh && meshOf(shape).parts != nullptr; }

}  // namespace

double touchComposite(const Shape& a, const Pose& poseA, const Shape& b, const Pose& poseB, const TouchHints& hints,
                      double margin, Manifold& room, ManifoldVisitor visit) {
  room.count = 0;
  room.clearance = 0.0;
  if (a.type > b.type) {
    // The other way round, with everything turned.
    const TouchHints others{hints.weldDistance, {}, hints.midPhaseSeconds};
    static thread_local std::vector<Vec3> pushes;
    pushes.clear();
    for (const Vec3& push : hints.pushes) pushes.push_back(-push);
    TouchHints turned = others;
    turned.pushes = pushes;
    return touchComposite(b, poseB, a, poseA, turned, margin, room, [&](Children children, const Manifold& manifold) {
      Manifold back = manifold;
      back.normal = -back.normal;
      visit(Children{children.b, children.a}, back);
    });
  }
  if (a.type == ShapeType::Plane) {
    if (b.type == ShapeType::Mesh)
      touchPlaneAndMesh(a, poseA, b, poseB, margin, room, visit);
    else if (b.type == ShapeType::SphereSet || b.type == ShapeType::Compound)
      touchSets(a, poseA, b, poseB, margin, room, visit);
    else if (b.type == ShapeType::DistanceField)
      touchPlaneAndField(a, poseA, b, poseB, margin, room, visit);
    return room.count == 0 ? room.clearance : 0.0;
  }
  if (b.type == ShapeType::DistanceField) {
    touchField(a, poseA, *fieldOf(b).field, poseB, true, margin, room, visit);
    return 0.0;
  }
  if (!isSurface(b)) {
    touchSets(a, poseA, b, poseB, margin, room, visit);
    return 0.0;
  }
  if (!isSurface(a)) {
    touchSetAndSurface(a, poseA, b, poseB, false, hints, margin, room, visit);
    return 0.0;
  }
  // Two surfaces: one of them by its convex parts or by its field.
  if (hasParts(a))
    touchSetAndSurface(a, poseA, b, poseB, false, hints, margin, room, visit);
  else if (hasParts(b))
    touchSetAndSurface(b, poseB, a, poseA, true, hints, margin, room, visit);
  else if (const DistanceField* field = distancesOf(a))
    touchField(b, poseB, *field, poseA, false, margin, room, visit);
  else if (const DistanceField* other = distancesOf(b))
    touchField(a, poseA, *other, poseB, true, margin, room, visit);
  return 0.0;
}

}  // namespace cairn
