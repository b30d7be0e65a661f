// How well hulls stand for a mesh: points spread over both surfaces by area, in a fixed low-discrepancy order.
#include <algorithm>
#include <cmath>

#include "geometry/mesh_mass.hpp"
#include "geometry/winding_number.hpp"
#include "import/decompose.hpp"

namespace cairn {
namespace {

constexpr std::size_t kSamples = 20000;

// Calls visit(point, triangle) about `count` times, evenly by area: the i-th sample of a triangle is the i-th point of the
// R2 sequence (Roberts 2018), folded into the triangle; corners come first.
template <class Visit>
void sampleSurface(const TriangleView& view, std::size_t count, Visit&& visit) {
  const double area = meshArea(view);
  double owed = 0.0;
  for (std::uint32_t t = 0; t < view.size(); ++t) {
    const Triangle triangle = view.triangle(t);
    for (const Vec3& corner : triangle.corner) visit(corner, t);
    owed += triangle.area() / area * static_cast<double>(count);
    for (int i = 1; owed >= 1.0; owed -= 1.0, ++i) {
      double u = std::fmod(0.5 + 0.7548776662466927 * i, 1.0), v = std::fmod(0.5 + 0.5698402909980532 * i, 1.0);
      if (u + v > 1.0) u = 1.0 - u, v = 1.0 - v;
      visit(triangle.corner[0] + u * (triangle.corner[1] - triangle.corner[0]) + v * (triangle.corner[2] - triangle.corner[0]), t);
    }
  }
}

double heightOver(const Hull& hull, const Vec3& p) {
  double most = -std::numeric_limits<double>::infinity();
  for (const HullFace& face : hull.faces) most = std::max(most, face.normal.dot(p) - face.offset);
  return most;
}

}  // namespace

void measureDecomposition(const TriangleMesh& mesh, Decomposition& result) {
  std::vector<Vec3> vertices;
  std::vector<TriangleIndices> triangles;
  std::vector<std::uint32_t> owner;
  std::vector<Aabb> boxes;
  result.volume = 0.0;
  for (std::uint32_t h = 0; h < result.hulls.size(); ++h) {
    const Hull& hull = *result.hulls[h];
    const auto base = static_cast<std::uint32_t>(vertices.size());
    const std::size_t first = triangles.size();
    vertices.insert(vertices.end(), hull.vertices.begin(), hull.vertices.end());
    for (const HullFace& face : hull.faces) {
      const auto loop = hull.loop(face);
      for (std::size_t i = 1; i + 1 < loop.size(); ++i) {
        triangles.push_back({base + loop[0], base + loop[i], base + loop[i + 1]});
        owner.push_back(h);
      }
    }
    Aabb box;
    for (const Vec3& v : hull.vertices) box = box.united({v, v});
    boxes.push_back(box);
    result.volume += meshVolume({vertices, std::span(triangles).subspan(first)});
  }
  const TriangleView all{vertices, triangles};
  const TriangleTree tree(all);
  const BoxTree hullTree(boxes);
  const double touch = 1e-9 * (mesh.bounds.upper - mesh.bounds.lower).norm();
  const auto isInside = [&](const Vec3& p, std::uint32_t except) {
    return !hullTree.overlap({p, p}, [&](std::uint32_t h) { return h == except || heightOver(*result.hulls[h], p) > touch; });
  };
  const WindingNumber winding(mesh.view());
  result.overfill = result.underfill = result.hollow = 0.0;
  sampleSurface(all, kSamples, [&](const Vec3& p, std::uint32_t t) {
    if (isInside(p, owner[t])) return;  // within another hull: not on the union's surface
    const double distance = mesh.tree.closest(mesh.view(), p)->distance;
    double& error = winding.at(p) > 0.5 ? result.hollow : result.overfill;
    error = std::max(error, distance);
  });
  sampleSurface(mesh.view(), kSamples, [&](const Vec3& p, std::uint32_t) {
    if (isInside(p, kNoTriangle)) return;
    result.underfill = std::max(result.underfill, tree.closest(all, p)->distance);
  });
  result.spacing = std::sqrt(std::max(meshArea(all), meshArea(mesh.view())) / static_cast<double>(kSamples));
}

}  // namespace cairn
