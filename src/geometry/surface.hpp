// Shapes that are surfaces of triangles, seen alike: meshes and height fields.
#pragma once

#include "geometry/composite.hpp"
#include "geometry/distance_field.hpp"
#include "geometry/height_field.hpp"
#include "geometry/triangle_mesh.hpp"

namespace cairn {

struct MeshParts : CompositeParts {
  std::shared_ptr<const TriangleMesh> mesh;
  bool oneSided = true;
  std::shared_ptr<const DistanceField> field;      // if it has one
  std::shared_ptr<const ConvexParts> parts;        // if it has any
  std::shared_ptr<const Compound> partsGeometry;
};
inline const MeshParts& meshOf(const Shape& shape) { return static_cast<const MeshParts&>(partsOf(shape)); }

struct HeightParts : CompositeParts {
  std::shared_ptr<const HeightField> field;
};
inline const HeightParts& heightsOf(const Shape& shape) { return static_cast<const HeightParts&>(partsOf(shape)); }

struct FieldParts : CompositeParts {
  std::shared_ptr<const DistanceField> field;
  std::vector<Vec3> samples;  // m, on its surface: what it meets planes and other fields with
};
inline const FieldParts& fieldOf(const Shape& shape) { return static_cast<const FieldParts&>(partsOf(shape)); }

// Throw std::invalid_argument that names what is missing.
std::shared_ptr<const MeshParts> buildMeshParts(const MeshShape& shape);
std::shared_ptr<const HeightParts> buildHeightParts(const HeightFieldShape& shape);
std::shared_ptr<const FieldParts> buildFieldParts(const DistanceFieldShape& shape);

inline bool isOneSided(const Shape& surface) { return surface.type != ShapeType::Mesh || meshOf(surface).oneSided; }

// Calls visit(number, triangle) for triangles of a mesh or height field whose box overlaps this one, all in its own frame.
template <class Visit>
void forTrianglesIn(const Shape& surface, const Aabb& box, Visit&& visit) {
  if (surface.type == ShapeType::Mesh) {
    const TriangleMesh& mesh = *meshOf(surface).mesh;
    mesh.tree.overlap(mesh.view(), box, [&](std::uint32_t t) { visit(t, mesh.triangle(t)); });
  } else if (surface.type == ShapeType::HeightField) {
    const HeightField& field = *heightsOf(surface).field;
    field.overlap(box, [&](std::uint32_t t) { visit(t, field.triangle(t)); });
  }
}

}  // namespace cairn
