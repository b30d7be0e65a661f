#include "picture/picture_mesh.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace cairn {
namespace {

constexpr double kChordError = 0.12;  // pixels between a circle and its chords: below what anti-aliasing shows
constexpr int kFewestSegments = 12;
constexpr int kMostSegments = 256;

template <class... Ts>
struct Overloaded : Ts... {
  using Ts::operator()...;
};

void addQuad(Mesh& mesh, std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t d, std::uint32_t face) {
  mesh.triangles.push_back({a, b, c, face});
  mesh.triangles.push_back({a, c, d, face});
}

Mesh boxMesh(const Vec3& half) {
  Mesh mesh;
  for (int i = 0; i < 8; ++i) {
    mesh.vertices.push_back(half.cwiseProduct(Vec3(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1)));
  }
  constexpr std::uint32_t kQuads[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                          {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
  for (std::uint32_t face = 0; face < 6; ++face) {
    const auto& quad = kQuads[face];
    addQuad(mesh, quad[0], quad[1], quad[2], quad[3], face);
    mesh.faceNormals.push_back((face % 2 ? 1.0 : -1.0) * Vec3::Unit(face / 2));
  }
  return mesh;
}

// A surface of revolution about z, closed by a pole at both ends: rings of (radius, height) from the bottom up.
Mesh revolve(const std::vector<Eigen::Vector2d>& rings, double bottom, double top, int segments) {
  Mesh mesh;
  const auto count = static_cast<std::uint32_t>(segments);
  mesh.vertices.emplace_back(0, 0, bottom);
  for (const Eigen::Vector2d& ring : rings) {
    for (std::uint32_t i = 0; i < count; ++i) {
      const double angle = 2.0 * std::numbers::pi * i / count;
      mesh.vertices.emplace_back(ring.x() * std::cos(angle), ring.x() * std::sin(angle), ring.y());
    }
  }
  mesh.vertices.emplace_back(0, 0, top);
  const auto last = static_cast<std::uint32_t>(mesh.vertices.size() - 1);
  const auto ringCount = static_cast<std::uint32_t>(rings.size());
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t next = (i + 1) % count;
    mesh.triangles.push_back({0, 1 + next, 1 + i, 0});
    for (std::uint32_t ring = 0; ring + 1 < ringCount; ++ring) {
      const std::uint32_t low = 1 + ring * count, high = low + count;
      addQuad(mesh, low + i, low + next, high + next, high + i, 0);
    }
    const std::uint32_t high = 1 + (ringCount - 1) * count;
    mesh.triangles.push_back({last, high + i, high + next, 0});
  }
  mesh.faceNormals = {Vec3::Zero()};
  return mesh;
}

Mesh ellipsoidMesh(const Vec3& radii, int segments) {
  const int rows = std::max(segments / 2, 4);
  std::vector<Eigen::Vector2d> rings;
  for (int row = 1; row < rows; ++row) {
    const double angle = std::numbers::pi * (static_cast<double>(row) / rows - 0.5);
    rings.emplace_back(std::cos(angle), std::sin(angle));
  }
  Mesh mesh = revolve(rings, -1.0, 1.0, segments);
  for (Vec3& vertex : mesh.vertices) vertex = vertex.cwiseProduct(radii);
  return mesh;
}

Mesh capsuleMesh(const Capsule& capsule, int segments) {
  const int rows = std::max(segments / 4, 2);
  std::vector<Eigen::Vector2d> rings;
  for (const double side : {-1.0, 1.0}) {
    for (int row = 0; row < rows; ++row) {
      const int step = side < 0 ? row + 1 - rows : row;  // from the bottom pole to the equator, then to the top pole
      const double angle = 0.5 * std::numbers::pi * step / rows;
      rings.emplace_back(capsule.radius * std::cos(angle), side * capsule.halfHeight + capsule.radius * std::sin(angle));
    }
  }
  const double end = capsule.halfHeight + capsule.radius;
  return revolve(rings, -end, end, segments);
}

Mesh cylinderMesh(const Cylinder& cylinder, int segments) {
  Mesh mesh = revolve({{cylinder.radius, -cylinder.halfHeight}, {cylinder.radius, cylinder.halfHeight}},
                      -cylinder.halfHeight, cylinder.halfHeight, segments);
  const auto last = static_cast<std::uint32_t>(mesh.vertices.size() - 1);
  for (MeshTriangle& triangle : mesh.triangles) {
    if (triangle.a == 0) triangle.face = 1;
    if (triangle.a == last) triangle.face = 2;
  }
  mesh.faceNormals = {Vec3::Zero(), -Vec3::UnitZ(), Vec3::UnitZ()};
  return mesh;
}

Mesh coneMesh(const Cone& cone, int segments) {
  Mesh mesh = revolve({{cone.radius, -cone.halfHeight}}, -cone.halfHeight, cone.halfHeight, segments);
  for (MeshTriangle& triangle : mesh.triangles) {
    if (triangle.a == 0) triangle.face = 1;
  }
  mesh.faceNormals = {Vec3::Zero(), -Vec3::UnitZ()};
  return mesh;
}

// A ball whose eight parts are moved apart; triangles between them become the faces and the edges.
Mesh roundBoxMesh(const Box& box, int segments) {
  Mesh mesh = ellipsoidMesh(Vec3::Constant(box.rounding), segments);
  for (Vec3& vertex : mesh.vertices) {
    for (int k = 0; k < 3; ++k) vertex[k] += std::copysign(box.halfExtents[k] - box.rounding, vertex[k]);
  }
  return mesh;
}

double farthestOf(const SurfaceTriangles& surface, const Vec3& direction) {
  double most = -1e300;
  for (const Vec3& point : surface.vertices) most = std::max(most, point.dot(direction));
  return most;
}

}  // namespace

int segmentsFor(double radiusInPixels) {
  const double wanted = std::numbers::pi / std::sqrt(2.0 * kChordError / std::max(radiusInPixels, 1e-3));
  const int segments = static_cast<int>(std::clamp(wanted, 1.0 * kFewestSegments, 1.0 * kMostSegments));
  return (segments + 3) / 4 * 4;
}

Mesh buildMesh(const Geometry& geometry, int segments) {
  return std::visit(Overloaded{
                        [](const Plane&) { return Mesh{}; },
                        [&](const Sphere& s) { return ellipsoidMesh(Vec3::Constant(s.radius), segments); },
                        [&](const Box& s) { return s.rounding > 0.0 ? roundBoxMesh(s, segments) : boxMesh(s.halfExtents); },
                        [&](const Capsule& s) { return capsuleMesh(s, segments); },
                        [&](const Cylinder& s) { return cylinderMesh(s, segments); },
                        [&](const Ellipsoid& s) { return ellipsoidMesh(s.radii, segments); },
                        [&](const ConvexHull& s) {
                          return s.rounding > 0.0 ? roundedHullMesh(s, segments) : buildHullMesh(s.points);
                        },
                        [&](const Cone& s) { return coneMesh(s, segments); },
                        [&](const SphereSet& s) { return compositeMesh(s, segments); },
                        [&](const Compound& s) { return compositeMesh(s, segments); },
                        [](const MeshShape& s) { return surfaceMesh(trianglesOf(*s.mesh)); },
                        [](const HeightFieldShape& s) { return surfaceMesh(trianglesOf(*s.field)); },
                        [](const DistanceFieldShape& s) { return surfaceMesh(trianglesOf(*s.field)); },
                    },
                    geometry);
}

Vec3 curvedNormal(const Geometry& geometry, const Vec3& point) {
  return std::visit(
      Overloaded{
          [&](const Capsule& s) -> Vec3 {
            Vec3 out = point;
            out.z() -= std::clamp(point.z(), -s.halfHeight, s.halfHeight);
            return out.normalized();
          },
          [&](const Cylinder&) -> Vec3 { return Vec3(point.x(), point.y(), 0).normalized(); },
          [&](const Cone& s) -> Vec3 {
            const Vec3 radial = Vec3(point.x(), point.y(), 0).normalized();
            return (2.0 * s.halfHeight * radial + s.radius * Vec3::UnitZ()).normalized();
          },
          [&](const Box& s) -> Vec3 {
            const Vec3 core = s.halfExtents.array() - s.rounding;
            return (point - point.cwiseMax(-core).cwiseMin(core)).normalized();
          },
          [&](const Ellipsoid& s) -> Vec3 { return point.cwiseQuotient(s.radii).cwiseQuotient(s.radii).normalized(); },
          [&](const auto&) -> Vec3 { return point.normalized(); },
      },
      geometry);
}

double support(const Geometry& geometry, const Vec3& direction) {
  return std::visit(
      Overloaded{
          [](const Plane&) { return 0.0; },
          [&](const Sphere& s) { return s.radius * direction.norm(); },
          [&](const Box& s) {
            return Vec3(s.halfExtents.array() - s.rounding).dot(direction.cwiseAbs()) + s.rounding * direction.norm();
          },
          [&](const Capsule& s) { return s.radius * direction.norm() + s.halfHeight * std::abs(direction.z()); },
          [&](const Cylinder& s) { return s.radius * direction.head<2>().norm() + s.halfHeight * std::abs(direction.z()); },
          [&](const Ellipsoid& s) { return s.radii.cwiseProduct(direction).norm(); },
          [&](const ConvexHull& s) {
            double most = -1e300;
            for (const Vec3& point : s.points) most = std::max(most, point.dot(direction));
            return most + s.rounding * direction.norm();
          },
          [&](const Cone& s) {
            return std::max(s.halfHeight * direction.z(),
                            s.radius * direction.head<2>().norm() - s.halfHeight * direction.z());
          },
          [&](const SphereSet& s) {
            double most = -1e300;
            for (std::size_t i = 0; i < s.centers.size(); ++i)
              most = std::max(most, s.centers[i].dot(direction) + s.radii[i] * direction.norm());
            return most;
          },
          [&](const Compound& s) {
            double most = -1e300;
            for (const CompoundChild& child : s.children) {
              const Geometry geometryOfChild = std::visit([](const auto& one) { return Geometry{one}; }, child.geometry);
              most = std::max(most, child.local.position.dot(direction) +
                                        support(geometryOfChild, child.local.inverseDirection(direction)));
            }
            return most;
          },
          [&](const MeshShape& s) { return farthestOf(trianglesOf(*s.mesh), direction); },
          [&](const HeightFieldShape& s) { return farthestOf(trianglesOf(*s.field), direction); },
          [&](const DistanceFieldShape& s) { return farthestOf(trianglesOf(*s.field), direction); },
      },
      geometry);
}

double featureSize(const Geometry& geometry, const Mesh& mesh) {
  if (const auto* box = std::get_if<Box>(&geometry)) return 2.0 * box->halfExtents.minCoeff();
  if (const auto* cylinder = std::get_if<Cylinder>(&geometry)) return 2.0 * std::min(cylinder->radius, cylinder->halfHeight);
  if (geometry.index() < 6) return 0.0;  // curved ones without edges
  double area = 0.0;
  for (const MeshTriangle& triangle : mesh.triangles) {
    const Vec3& a = mesh.vertices[triangle.a];
    area += 0.5 * (mesh.vertices[triangle.b] - a).cross(mesh.vertices[triangle.c] - a).norm();
  }
  return std::sqrt(area / std::max<std::size_t>(mesh.faceNormals.size(), 1));
}

}  // namespace cairn
