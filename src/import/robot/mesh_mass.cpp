// Over the tetrahedron o, a, b, c of volume V: the centroid is (o + a + b + c)/4; with o at the origin the integral of
// x x^T is V/20 (s s^T + a a^T + b b^T + c c^T), s = a + b + c. Over the triangle a, b, c of area A the centroid is s/3 and
// the integral A/12 of the same sum (Zhang and Chen 2001).
#include "import/robot/mesh_mass.hpp"

#include <cmath>

#include "geometry/hull.hpp"
#include "geometry/mass.hpp"

namespace cairn {
namespace {

struct Corners {
  Vec3 a, b, c;
};

Corners corners(const MeshTriangles& mesh, const std::array<std::uint32_t, 3>& t, const Vec3& origin) {
  return {mesh.vertices[t[0]] - origin, mesh.vertices[t[1]] - origin, mesh.vertices[t[2]] - origin};
}

double area(const Corners& t) { return 0.5 * (t.b - t.a).cross(t.c - t.a).norm(); }

// Of the tetrahedron from the origin, or of the triangle.
double measure(const Corners& t, MeshInertia rule) {
  if (rule == MeshInertia::Shell) return area(t);
  const double volume = t.a.dot(t.b.cross(t.c)) / 6.0;
  return rule == MeshInertia::Legacy ? std::abs(volume) : volume;
}

Vec3 surfaceCentroid(const MeshTriangles& mesh) {
  Vec3 sum = Vec3::Zero();
  double total = 0.0;
  for (const auto& triangle : mesh.triangles) {
    const Corners t = corners(mesh, triangle, Vec3::Zero());
    total += area(t);
    sum += area(t) / 3.0 * (t.a + t.b + t.c);
  }
  return total > 0.0 ? Vec3(sum / total) : Vec3::Zero();
}

}  // namespace

MassProperties meshMass(const MeshTriangles& mesh, MeshInertia rule) {
  if (rule == MeshInertia::Convex || mesh.triangles.empty()) {
    Shape shape;
    shape.type = ShapeType::Hull;
    shape.hull = buildHull(mesh.vertices);
    return shapeMass(shape, 1.0);
  }
  MassProperties result;
  const Vec3 origin = surfaceCentroid(mesh);
  Vec3 first = Vec3::Zero();
  for (const auto& triangle : mesh.triangles) {
    const Corners t = corners(mesh, triangle, origin);
    const double part = measure(t, rule);
    result.mass += part;
    first += part / (rule == MeshInertia::Shell ? 3.0 : 4.0) * (t.a + t.b + t.c);
  }
  if (!(result.mass > 0.0)) return result;
  result.center = origin + first / result.mass;
  // About the centre of mass, in a second pass: with all tetrahedra counted as positive even the volume
  // depends on the origin, and MuJoCo's mass is this second one.
  Mat3 second = Mat3::Zero();
  result.mass = 0.0;
  for (const auto& triangle : mesh.triangles) {
    const Corners t = corners(mesh, triangle, result.center);
    const Vec3 s = t.a + t.b + t.c;
    result.mass += measure(t, rule);
    second += measure(t, rule) / (rule == MeshInertia::Shell ? 12.0 : 20.0) *
              (s * s.transpose() + t.a * t.a.transpose() + t.b * t.b.transpose() + t.c * t.c.transpose());
  }
  result.inertia = second.trace() * Mat3::Identity() - second;
  return result;
}

}  // namespace cairn
