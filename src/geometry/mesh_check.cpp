#include "geometry/mesh_check.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "geometry/mesh_repair.hpp"

namespace cairn {
namespace {

std::string at(std::string_view what, const DefectCount& defect) {
  return std::string(what) + ": " + std::to_string(defect.count) +
         (defect.triangle == kNoTriangle ? "" : ", the first at triangle " + std::to_string(defect.triangle));
}

// Numbers and indices, before anything is computed with them.
void checkNumbers(RepairedMesh& mesh) {
  MeshReport& report = mesh.report;
  std::vector<char> isBad(mesh.vertices.size(), 0);
  for (std::size_t v = 0; v < mesh.vertices.size(); ++v) {
    // Beyond this, products of three lengths overflow.
    constexpr double kLargest = 1e100;
    isBad[v] = mesh.vertices[v].allFinite() && mesh.vertices[v].cwiseAbs().maxCoeff() <= kLargest ? 0 : 1;
    report[MeshDefect::NotFinite].count += static_cast<std::size_t>(isBad[v]);
  }
  for (std::uint32_t t = 0; t < mesh.triangles.size(); ++t) {
    bool isOutside = false, usesBad = false;
    for (std::uint32_t v : mesh.triangles[t]) {
      isOutside |= v >= mesh.vertices.size();
      usesBad |= v < mesh.vertices.size() && isBad[v];
    }
    DefectCount &outside = report[MeshDefect::IndexOutOfRange], &number = report[MeshDefect::NotFinite];
    if (isOutside) {
      ++outside.count;
      outside.triangle = std::min(outside.triangle, t);
    }
    if (usesBad) number.triangle = std::min(number.triangle, t);
  }
  if (report[MeshDefect::NotFinite].count > 0) report.refusal = at("coordinates that are no numbers", report[MeshDefect::NotFinite]);
  if (report[MeshDefect::IndexOutOfRange].count > 0)
    report.refusal = at("triangles that name a vertex that is not there", report[MeshDefect::IndexOutOfRange]);
}

void countThin(RepairedMesh& mesh, double altitude) {
  DefectCount& thin = mesh.report[MeshDefect::DegenerateTriangles];
  const TriangleView view{mesh.vertices, mesh.triangles};
  for (std::uint32_t t = 0; t < mesh.triangles.size(); ++t) {
    if (view.triangle(t).altitude() >= altitude) continue;
    ++thin.count;
    thin.triangle = std::min(thin.triangle, t);
  }
  thin.isRepaired = true;
}

// Edges and vertices of what is left, by the adjacency that contacts will use.
void checkTopology(RepairedMesh& mesh, const TriangleMesh& built) {
  MeshReport& report = mesh.report;
  const auto note = [&](MeshDefect defect, std::uint32_t triangle) {
    ++report[defect].count;
    report[defect].triangle = std::min(report[defect].triangle, mesh.source[triangle]);
  };
  for (std::uint32_t t = 0; t < built.size(); ++t) {
    for (int k = 0; k < 3; ++k) {
      const std::uint32_t self = 3 * t + static_cast<std::uint32_t>(k);
      if (built.edgeName(t, k) != self) continue;  // once per mesh edge
      std::size_t count = 0;
      built.trianglesAtEdge(self, [&](std::uint32_t) { ++count; });
      if (count == 1) note(MeshDefect::OpenEdges, t);
      if (count > 2) note(MeshDefect::NonManifoldEdges, t);
    }
  }
  for (std::uint32_t v = 0; v < built.vertices.size(); ++v) {
    const auto corners = built.cornersAt(v);
    if (corners.empty() || built.isOneFan(v)) continue;
    bool hasManifoldEdges = true;  // at an edge of three triangles the fan breaks anyway
    for (std::uint32_t corner : corners) {
      const std::uint32_t t = corner / 3, before = (corner % 3 + 2) % 3;
      for (std::uint32_t k : {corner % 3, before}) {
        std::size_t count = 0;
        built.trianglesAtEdge(3 * t + k, [&](std::uint32_t) { ++count; });
        hasManifoldEdges &= count <= 2;
      }
    }
    if (hasManifoldEdges) note(MeshDefect::NonManifoldVertices, corners.front() / 3);
  }
  report.isWatertight = built.isClosed;
}

void judgeSolid(MeshReport& report) {
  constexpr std::array kForbidden{MeshDefect::OpenEdges, MeshDefect::Unorientable, MeshDefect::SelfIntersections};
  for (MeshDefect defect : kForbidden) {
    if (report[defect].count == 0) continue;
    report.solidRefusal = at(nameOf(defect), report[defect]);
    return;
  }
  if (!report.isWatertight) report.solidRefusal = at(nameOf(MeshDefect::NonManifoldEdges), report[MeshDefect::NonManifoldEdges]);
}

}  // namespace

std::string_view nameOf(MeshDefect defect) {
  constexpr std::array<std::string_view, kMeshDefects> kNames{
      "coordinates that are no numbers", "indices out of range", "duplicate vertices",  "degenerate triangles",
      "duplicate triangles",             "inconsistent winding", "unorientable parts",  "inverted parts",
      "non-manifold edges",              "non-manifold vertices", "open edges",          "self-intersections"};
  return kNames[static_cast<std::size_t>(defect)];
}

RepairedMesh repairMesh(std::vector<Vec3> vertices, std::vector<TriangleIndices> triangles, const RepairOptions& options) {
  RepairedMesh mesh;
  mesh.vertices = std::move(vertices);
  mesh.triangles = std::move(triangles);
  mesh.source.resize(mesh.triangles.size());
  std::iota(mesh.source.begin(), mesh.source.end(), 0u);
  MeshReport& report = mesh.report;
  report.vertices = mesh.vertices.size();
  report.triangles = mesh.triangles.size();
  const auto refuse = [&](std::string why) -> RepairedMesh {
    if (report.refusal.empty()) report.refusal = std::move(why);
    report.solidRefusal = report.refusal;
    mesh.vertices.clear();
    mesh.triangles.clear();
    mesh.source.clear();
    mesh.part.clear();
    return std::move(mesh);
  };
  if (mesh.triangles.empty()) return refuse("no triangles");
  if (mesh.triangles.size() > BoxTree::kMostItems || mesh.vertices.size() > BoxTree::kMostItems) return refuse("too many triangles");
  checkNumbers(mesh);
  if (!report.refusal.empty()) return refuse("");
  dropUnusedVertices(mesh);

  Aabb box;
  for (const Vec3& v : mesh.vertices) box = box.united({v, v});
  const double extent = (box.upper - box.lower).maxCoeff();
  const double altitude = std::min(options.leastAltitude, options.leastAltitudeShare * extent);
  countThin(mesh, altitude);

  std::size_t welded = 0;
  const std::vector<std::uint32_t> becomes = weldVertices(mesh.vertices, options.weldShare * extent, welded);
  DefectCount& duplicates = report[MeshDefect::DuplicateVertices];
  duplicates.count = welded;
  duplicates.isRepaired = true;
  for (std::uint32_t t = 0; t < mesh.triangles.size(); ++t) {
    for (std::uint32_t& v : mesh.triangles[t]) {
      if (becomes[v] != v) duplicates.triangle = std::min(duplicates.triangle, t);
      v = becomes[v];
    }
  }
  mendThinTriangles(mesh, altitude);
  dropEqualTriangles(mesh);
  if (mesh.triangles.empty()) return refuse("all triangles are degenerate (lower than " + std::to_string(altitude) + " m)");
  dropUnusedVertices(mesh);
  report.parts = findParts(mesh, mesh.part);
  orient(mesh);
  report.keptVertices = mesh.vertices.size();
  report.keptTriangles = mesh.triangles.size();

  const Tasks alone;
  const Tasks& tasks = options.tasks != nullptr ? *options.tasks : alone;
  std::shared_ptr<const TriangleMesh> built;
  try {
    built = buildTriangleMesh(mesh.vertices, mesh.triangles, {.tasks = &tasks});
  } catch (const std::invalid_argument& error) {
    return refuse(error.what());
  }
  checkTopology(mesh, *built);
  if (options.findsCrossings) {
    const CrossingCount crossings = findCrossings(built->view(), built->tree, tasks);
    if (crossings.pairs > 0)
      report[MeshDefect::SelfIntersections] = {crossings.pairs, mesh.source[crossings.first], false};
  }
  judgeSolid(report);
  return mesh;
}

}  // namespace cairn
