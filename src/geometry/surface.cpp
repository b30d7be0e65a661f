#include "geometry/surface.hpp"

#include <stdexcept>

#include "cairn/surface.hpp"
#include "geometry/field_surface.hpp"

namespace cairn {

namespace {
constexpr int kSurfaceCells = 48;  // of fields that are looked at
constexpr int kSampleCells = 24;   // of fields that meet planes and fields
}  // namespace

std::shared_ptr<const TriangleMesh> makeMesh(SurfaceTriangles triangles) {
  return buildTriangleMesh(std::move(triangles.vertices), std::move(triangles.triangles));
}

bool isClosed(const TriangleMesh& mesh) { return mesh.isClosed; }

SurfaceTriangles trianglesOf(const TriangleMesh& mesh) { return {mesh.vertices, mesh.triangles}; }

std::shared_ptr<const HeightField> makeHeightField(HeightGrid grid) {
  return std::make_shared<const HeightField>(
      HeightFieldDesc{grid.rows, grid.columns, grid.spacing, grid.spacing, std::move(grid.heights), std::move(grid.holes)});
}

SurfaceTriangles trianglesOf(const HeightField& field) {
  SurfaceTriangles surface;
  for (std::uint32_t v = 0; v < field.rows() * field.columns(); ++v) surface.vertices.push_back(field.vertex(v));
  for (std::uint32_t cell = 0; cell < field.cells(); ++cell) {
    if (field.isHole(cell)) continue;
    for (const std::uint32_t t : {2 * cell, 2 * cell + 1}) surface.triangles.push_back(field.triangleVertices(t));
  }
  return surface;
}

std::shared_ptr<const DistanceField> makeDistanceField(const TriangleMesh& mesh, int cells) {
  DistanceFieldOptions options;
  options.cells = cells;
  return std::make_shared<const DistanceField>(mesh, options);
}

namespace {

AnalyticField analyticOf(const FieldSolid& solid) {
  static constexpr FieldKind kKinds[] = {FieldKind::Sphere, FieldKind::Box, FieldKind::Torus, FieldKind::Union,
                                         FieldKind::Difference};
  AnalyticField field;
  field.kind = kKinds[static_cast<int>(solid.kind)];
  field.pose = solid.pose;
  field.size = solid.size;
  field.rounding = solid.rounding;
  field.seam = solid.seam;
  for (const FieldSolid& child : solid.children) field.children.push_back(analyticOf(child));
  return field;
}

}  // namespace

std::shared_ptr<const DistanceField> makeDistanceField(const FieldSolid& solid) {
  return std::make_shared<const DistanceField>(analyticOf(solid));
}

SurfaceTriangles trianglesOf(const DistanceField& field) { return fieldSurface(field, kSurfaceCells); }

std::shared_ptr<const HeightParts> buildHeightParts(const HeightFieldShape& shape) {
  if (!shape.field) throw std::invalid_argument("field: must be given");
  auto parts = std::make_shared<HeightParts>();
  parts->field = shape.field;
  parts->bounds = shape.field->bounds();
  parts->radius = parts->bounds.lower.cwiseAbs().cwiseMax(parts->bounds.upper.cwiseAbs()).norm();
  return parts;
}

std::shared_ptr<const FieldParts> buildFieldParts(const DistanceFieldShape& shape) {
  if (!shape.field) throw std::invalid_argument("field: must be given");
  auto parts = std::make_shared<FieldParts>();
  parts->field = shape.field;
  parts->bounds = shape.field->bounds();
  parts->samples = fieldSurface(*shape.field, kSampleCells).vertices;
  if (parts->samples.empty()) throw std::invalid_argument("field: it has no surface");
  for (const Vec3& point : parts->samples) parts->radius = std::max(parts->radius, point.norm());
  return parts;
}

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
