// Adjacency by vertex: the triangle edges at a vertex are few, and sorted there, so that all is linear in the mesh and split
// over threads without a table of edges.
#include "geometry/triangle_mesh.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace cairn {
namespace {

constexpr std::size_t kVerticesAtOnce = 4096;

[[noreturn]] void refuseMesh(const std::string& what) { throw std::invalid_argument(what); }

void checkMeshInput(const TriangleView& mesh, const Tasks& tasks) {
  if (mesh.triangles.empty()) refuseMesh("triangles: none; a mesh has at least one");
  if (mesh.size() > BoxTree::kMostItems)
    refuseMesh("triangles: " + std::to_string(mesh.size()) + "; at most " + std::to_string(BoxTree::kMostItems));
  for (std::size_t v = 0; v < mesh.vertices.size(); ++v) {
    if (!mesh.vertices[v].allFinite()) refuseMesh("vertices[" + std::to_string(v) + "]: not finite");
  }
  tasks.parallelFor(mesh.size(), kVerticesAtOnce, [&](std::size_t begin, std::size_t end) {
    for (std::size_t t = begin; t < end; ++t) {
      const auto where = [t] { return "triangles[" + std::to_string(t) + "]: "; };
      for (std::uint32_t index : mesh.triangles[t]) {
        if (index >= mesh.vertices.size())
          refuseMesh(where() + "vertex " + std::to_string(index) + " of " + std::to_string(mesh.vertices.size()));
      }
      const Triangle triangle = mesh.triangle(t);
      double farthest = 0.0;
      for (const Vec3& corner : triangle.corner) farthest = std::max(farthest, corner.cwiseAbs().maxCoeff());
      const double altitude = triangle.altitude();
      if (!(altitude > 4.0 * std::numeric_limits<double>::epsilon() * farthest) || !std::isfinite(altitude))
        refuseMesh(where() + "it has no area");
    }
  });
}

void listCorners(TriangleMesh& mesh) {
  mesh.firstCorner.assign(mesh.vertices.size() + 1, 0);
  for (const TriangleIndices& triangle : mesh.triangles) {
    for (std::uint32_t v : triangle) ++mesh.firstCorner[v + 1];
  }
  for (std::size_t v = 0; v < mesh.vertices.size(); ++v) mesh.firstCorner[v + 1] += mesh.firstCorner[v];
  mesh.corners.resize(3 * mesh.triangles.size());
  std::vector<std::uint32_t> next(mesh.firstCorner.begin(), mesh.firstCorner.end() - 1);
  for (std::uint32_t t = 0; t < mesh.size(); ++t) {
    for (std::uint32_t k = 0; k < 3; ++k) mesh.corners[next[mesh.triangles[t][k]]++] = 3 * t + k;
  }
}

// The triangle edges that make up one edge of the mesh.
struct EdgeUse {
  std::uint32_t other;  // the vertex at the far end, the larger of the two
  std::uint32_t edge;   // 3 t + k
  bool isForward;       // it goes from the smaller vertex to the larger
  bool operator<(const EdgeUse& o) const { return other != o.other ? other < o.other : edge < o.edge; }
};

EdgeKind kindOf(const TriangleMesh& mesh, std::uint32_t edge, std::uint32_t opposite, double flatSine) {
  const Triangle here = mesh.triangle(edge / 3), there = mesh.triangle(opposite / 3);
  const Vec3 n = here.normal(), m = there.normal();
  const Vec3& apex = there.corner[(opposite % 3 + 2) % 3];  // the corner across the edge
  const double height = n.dot(apex - here.corner[edge % 3]);
  const double sine = n.cross(m).norm();
  if (sine <= flatSine && n.dot(m) > 0.0) return EdgeKind::Flat;
  return height < 0.0 || (height == 0.0 && n.dot(m) < 0.0) ? EdgeKind::Convex : EdgeKind::Concave;
}

// Links the edges whose smaller vertex is `vertex`. Each triangle edge has one smaller vertex, so pieces write to places of
// their own, but for the kinds: a byte per edge.
void linkEdges(TriangleMesh& mesh, std::uint32_t vertex, double flatSine, std::vector<EdgeUse>& uses,
               std::vector<std::uint8_t>& kinds, bool& isClosed, bool& isManifold) {
  uses.clear();
  for (std::uint32_t corner : mesh.cornersAt(vertex)) {
    const std::uint32_t t = corner / 3, k = corner % 3, before = (k + 2) % 3;
    const TriangleIndices& triangle = mesh.triangles[t];
    if (triangle[(k + 1) % 3] > vertex) uses.push_back({triangle[(k + 1) % 3], corner, true});
    if (triangle[before] > vertex) uses.push_back({triangle[before], 3 * t + before, false});
  }
  std::sort(uses.begin(), uses.end());
  for (std::size_t begin = 0, end = 0; begin < uses.size(); begin = end) {
    int balance = 0;
    for (end = begin; end < uses.size() && uses[end].other == uses[begin].other; ++end) balance += uses[end].isForward ? 1 : -1;
    for (std::size_t i = begin; i < end; ++i) mesh.nextAround[uses[i].edge] = uses[i + 1 < end ? i + 1 : begin].edge;
    if (balance != 0) isClosed = false;
    const bool isPair = end - begin == 2 && balance == 0;
    if (!isPair && end - begin > 1) isManifold = false;
    if (!isPair) continue;
    const EdgeKind kind = kindOf(mesh, uses[begin].edge, uses[begin + 1].edge, flatSine);
    kinds[uses[begin].edge] = kinds[uses[begin + 1].edge] = static_cast<std::uint8_t>(kind);
  }
}

}  // namespace

bool TriangleMesh::isOneFan(std::uint32_t vertex) const {
  const auto around = cornersAt(vertex);
  if (around.empty()) return true;
  std::size_t reached = 1;
  const std::uint32_t start = around.front();
  for (int turn = 0; turn < 2; ++turn) {
    std::uint32_t corner = start;
    while (reached <= around.size()) {
      // The edge that leaves the vertex, or the one that comes to it.
      const std::uint32_t t = corner / 3, k = turn == 0 ? corner % 3 : (corner % 3 + 2) % 3;
      const std::uint32_t over = oppositeEdge(t, static_cast<int>(k));
      if (over == kNoTriangle) break;
      corner = turn == 0 ? over / 3 * 3 + (over % 3 + 1) % 3 : over;
      if (corner == start) return reached == around.size();
      ++reached;
    }
  }
  return reached == around.size();
}

std::size_t TriangleMesh::bytes() const {
  return vertices.size() * sizeof(Vec3) + triangles.size() * sizeof(TriangleIndices) + edgeKinds.size() +
         (nextAround.size() + firstCorner.size() + corners.size()) * sizeof(std::uint32_t) + tree.bytes();
}

std::shared_ptr<const TriangleMesh> buildTriangleMesh(std::vector<Vec3> vertices, std::vector<TriangleIndices> triangles,
                                                      const MeshOptions& options) {
  if (!(options.flatAngle >= 0.0 && options.flatAngle < 1.0)) refuseMesh("flatAngle: from 0 to 1 rad");
  const Tasks alone;
  const Tasks& tasks = options.tasks != nullptr ? *options.tasks : alone;
  const auto mesh = std::make_shared<TriangleMesh>();
  mesh->vertices = std::move(vertices);
  mesh->triangles = std::move(triangles);
  checkMeshInput(mesh->view(), tasks);
  mesh->tree = TriangleTree(mesh->view(), tasks);
  mesh->bounds = mesh->tree.bounds();
  listCorners(*mesh);

  mesh->nextAround.resize(3 * mesh->size());
  std::vector<std::uint8_t> kinds(3 * mesh->size(), static_cast<std::uint8_t>(EdgeKind::Open));
  const std::size_t pieces = (mesh->vertices.size() + kVerticesAtOnce - 1) / kVerticesAtOnce;
  std::vector<char> closed(pieces, 1), manifold(pieces, 1);
  const double flatSine = std::sin(options.flatAngle);
  tasks.parallelFor(mesh->vertices.size(), kVerticesAtOnce, [&](std::size_t begin, std::size_t end) {
    std::vector<EdgeUse> uses;
    bool isClosed = true, isManifold = true;
    for (std::size_t v = begin; v < end; ++v)
      linkEdges(*mesh, static_cast<std::uint32_t>(v), flatSine, uses, kinds, isClosed, isManifold);
    closed[begin / kVerticesAtOnce] = isClosed;
    manifold[begin / kVerticesAtOnce] = isManifold;
  });
  mesh->edgeKinds.resize(mesh->size());
  for (std::size_t t = 0; t < mesh->size(); ++t)
    mesh->edgeKinds[t] = static_cast<std::uint8_t>(kinds[3 * t] | kinds[3 * t + 1] << 2 | kinds[3 * t + 2] << 4);
  tasks.parallelFor(mesh->vertices.size(), kVerticesAtOnce, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) {
      if (!mesh->isOneFan(static_cast<std::uint32_t>(v))) manifold[begin / kVerticesAtOnce] = 0;
    }
  });
  mesh->isClosed = std::ranges::all_of(closed, [](char c) { return c != 0; });
  mesh->isManifold = std::ranges::all_of(manifold, [](char c) { return c != 0; });
  return mesh;
}

}  // namespace cairn
