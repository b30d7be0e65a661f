// Shapes made of others, as triangles to look at. Their curved parts are facets: which child a point belongs to, and hence its
// exact normal, is not asked for each pixel.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "picture/picture_mesh.hpp"

namespace cairn {
namespace {

constexpr int kFewChildren = 50;   // of more than this many, each is drawn with few chords
constexpr int kCoarse = 12;

// Adds a child's triangles; where its normal varies each gets a flat one of its own.
void append(const Mesh& child, const Pose& pose, Mesh& all) {
  const auto base = static_cast<std::uint32_t>(all.vertices.size());
  const auto faces = static_cast<std::uint32_t>(all.faceNormals.size());
  for (const Vec3& vertex : child.vertices) all.vertices.push_back(pose.point(vertex));
  for (const Vec3& normal : child.faceNormals) all.faceNormals.push_back(pose.direction(normal));
  for (const MeshTriangle& triangle : child.triangles) {
    MeshTriangle moved{base + triangle.a, base + triangle.b, base + triangle.c, faces + triangle.face};
    if (child.faceNormals[triangle.face].isZero(0.0)) {
      const Vec3& a = all.vertices[moved.a];
      const Vec3 normal = (all.vertices[moved.b] - a).cross(all.vertices[moved.c] - a);
      if (!(normal.norm() > 0.0)) continue;
      moved.face = static_cast<std::uint32_t>(all.faceNormals.size());
      all.faceNormals.push_back(normal.normalized());
    }
    all.triangles.push_back(moved);
  }
}

}  // namespace

Mesh compositeMesh(const SphereSet& set, int segments) {
  Mesh all;
  const int chords = set.centers.size() > kFewChildren ? kCoarse : segments;
  for (std::size_t i = 0; i < set.centers.size(); ++i)
    append(buildMesh(Sphere{set.radii[i]}, chords), {set.centers[i], Quat::Identity()}, all);
  return all;
}

Mesh compositeMesh(const Compound& compound, int segments) {
  Mesh all;
  const int chords = compound.children.size() > kFewChildren ? kCoarse : segments;
  for (const CompoundChild& child : compound.children)
    append(std::visit([&](const auto& one) { return buildMesh(one, chords); }, child.geometry), child.local, all);
  return all;
}

Mesh surfaceMesh(const SurfaceTriangles& surface) {
  Mesh mesh;
  mesh.vertices = surface.vertices;
  for (const auto& [a, b, c] : surface.triangles) {
    const Vec3 normal = (mesh.vertices[b] - mesh.vertices[a]).cross(mesh.vertices[c] - mesh.vertices[a]);
    if (!(normal.norm() > 0.0)) continue;
    mesh.triangles.push_back({a, b, c, static_cast<std::uint32_t>(mesh.faceNormals.size())});
    mesh.faceNormals.push_back(normal.normalized());
  }
  return mesh;
}

Mesh roundedHullMesh(const ConvexHull& hull, int segments) {
  Mesh round = buildMesh(Sphere{1.0}, segments);
  for (Vec3& vertex : round.vertices) {
    const Vec3 direction = vertex.normalized();
    const Vec3* farthest = &hull.points[0];
    for (const Vec3& point : hull.points) {
      if (point.dot(direction) > farthest->dot(direction)) farthest = &point;
    }
    vertex = *farthest + hull.rounding * direction;
  }
  Mesh mesh;
  append(round, {}, mesh);
  return mesh;
}

}  // namespace cairn
