#include "geometry/surface.hpp"

#include <stdexcept>

#include "cairn/surface.hpp"

namespace cairn {

std::shared_ptr<const TriangleMesh> makeMesh(SurfaceTriangles triangles) {
  return buildTriangleMesh(std::move(triangles.vertices), std::move(triangles.triangles));
}

bool isClosed(const TriangleMesh& mesh) { return mesh.isClosed; }

SurfaceTriangles trianglesOf(const TriangleMesh& mesh) { return {mesh.vertices, mesh.triangles}; }

std::shared_ptr<const MeshParts> buildMeshParts(const MeshShape& shape) {
  if (!shape.mesh) throw std::invalid_argument("mesh: must be given");
  const TriangleMesh& mesh = *shape.mesh;
  auto parts = std::make_shared<MeshParts>();
  parts->mesh = shape.mesh;
  parts->oneSided = shape.oneSided;
  parts->field = shape.field;
  if (shape.parts) {
    parts->parts = buildParts(*shape.parts);
    parts->partsGeometry = shape.parts;
  }
  parts->bounds = mesh.bounds;
  for (const Vec3& vertex : mesh.vertices) parts->radius = std::max(parts->radius, vertex.norm());
  if (!(parts->bounds.lower.cwiseAbs().cwiseMax(parts->bounds.upper.cwiseAbs()).maxCoeff() <= kLargestSize))
    throw std::invalid_argument("vertices must be within +-1e7 m");
  return parts;
}

}  // namespace cairn
