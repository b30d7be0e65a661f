// What is wrong with a triangle mesh, what of it can be mended safely, and what a body cannot be made of.
//
// Mended: vertices that coincide are welded, triangles without height are merged into their neighbours, equal triangles kept
// once, neighbours wound alike, closed surfaces turned with their front outwards. Nothing else: holes are not closed and
// crossings not resolved, since what was meant there is a guess.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "geometry/triangle_mesh.hpp"

namespace cairn {

enum class MeshDefect : std::uint8_t {
  NotFinite,            // a coordinate that is no number
  IndexOutOfRange,      // a triangle names a vertex that is not there
  DuplicateVertices,    // vertices at one place
  DegenerateTriangles,  // no area, or hardly a height
  DuplicateTriangles,   // the same corners in the same sense
  InconsistentWinding,  // triangles whose front is where their neighbour's back is
  Unorientable,         // no winding makes neighbours agree, as on a Moebius strip
  InvertedParts,        // closed, with the front inside
  NonManifoldEdges,     // more than two triangles
  NonManifoldVertices,  // triangles that touch in a vertex alone
  OpenEdges,            // one triangle
  SelfIntersections,    // pairs of triangles that cross
};
inline constexpr std::size_t kMeshDefects = 12;
std::string_view nameOf(MeshDefect defect);  // as in "open edges"

struct DefectCount {
  std::size_t count = 0;
  std::uint32_t triangle = kNoTriangle;  // the first, by its number in the input; of a vertex: the first triangle that uses it
  bool isRepaired = false;
};

struct MeshReport {
  std::size_t vertices = 0, triangles = 0;  // of the input
  std::size_t keptVertices = 0, keptTriangles = 0;
  std::size_t parts = 0;  // pieces that share no vertex
  std::array<DefectCount, kMeshDefects> defects{};
  bool isWatertight = false;  // no open edges after the repair
  std::string refusal;        // why there is no mesh at all; empty: there is one
  std::string solidRefusal;   // why it is not the surface of a solid, with the triangle; empty: it is

  const DefectCount& operator[](MeshDefect defect) const { return defects[static_cast<std::size_t>(defect)]; }
  DefectCount& operator[](MeshDefect defect) { return defects[static_cast<std::size_t>(defect)]; }
};

struct RepairOptions {
  // Lengths relative to the largest side of the mesh's box. 1e-7: the rounding of single-precision files.
  double weldShare = 1e-7;
  // Triangles lower than either are degenerate.
  double leastAltitude = 1e-5;       // m
  double leastAltitudeShare = 1e-5;  // of the largest side: what makes the first fit small meshes
  bool findsCrossings = true;        // they take the longest: some microseconds per triangle
  const Tasks* tasks = nullptr;
};

struct RepairedMesh {
  std::vector<Vec3> vertices;
  std::vector<TriangleIndices> triangles;
  std::vector<std::uint32_t> source;      // by triangle: its number in the input
  std::vector<std::uint32_t> part;        // by triangle: which piece, numbered by their first triangles
  MeshReport report;
};

// Never throws for what is in the mesh: the report says it.
RepairedMesh repairMesh(std::vector<Vec3> vertices, std::vector<TriangleIndices> triangles, const RepairOptions& options = {});

// Pairs of triangles that cross: pass through each other, or overlap in one plane. Those that share an edge or only touch
// (within 1e-9 of the extent) do not. Indices are in range, numbers finite.
struct CrossingCount {
  std::size_t pairs = 0;
  std::uint32_t first = kNoTriangle;  // the smallest triangle number among them
};
CrossingCount findCrossings(const TriangleView& view, const TriangleTree& tree, const Tasks& tasks = Tasks());

}  // namespace cairn
