// The single repairs that mesh_check puts together; each keeps `source`, the number that a triangle has in the input.
#pragma once

#include "geometry/mesh_check.hpp"

namespace cairn {

// Of vertices within `distance` of each other the first stays: what each vertex becomes. Counts those that go.
std::vector<std::uint32_t> weldVertices(const std::vector<Vec3>& vertices, double distance, std::size_t& welded);

// Takes out triangles lower than `altitude`, without opening what was closed: a short edge is drawn together, a corner that
// lies on the edge across is given to the neighbour there. What is left without a neighbour is dropped.
void mendThinTriangles(RepairedMesh& mesh, double altitude);

void dropEqualTriangles(RepairedMesh& mesh);

// Turns triangles so that neighbours agree, within what an edge of two triangles connects, the majority deciding; then closed parts
// outwards. A part inside another is turned with it, so that a cavity stays one.
void orient(RepairedMesh& mesh);

// Numbers pieces that share no vertex, by their first triangles.
std::size_t findParts(const RepairedMesh& mesh, std::vector<std::uint32_t>& part);

// Keeps the vertices that are used, in their order.
void dropUnusedVertices(RepairedMesh& mesh);

}  // namespace cairn
