// Back from a shape to what it was made of.
#include <utility>

#include "geometry/surface.hpp"

namespace cairn {

Geometry geometryOf(const Shape& shape) {
  switch (shape.type) {
    case ShapeType::Plane:
      return Plane{shape.size, shape.offset};
    case ShapeType::Sphere:
      return Sphere{shape.radius()};
    case ShapeType::Capsule:
      return Capsule{shape.radius(), shape.halfHeight()};
    case ShapeType::Box:
    case ShapeType::RoundBox:
      return Box{shape.size, shape.rounding()};
    case ShapeType::Cylinder:
      return Cylinder{shape.radius(), shape.halfHeight()};
    case ShapeType::Ellipsoid:
      return Ellipsoid{shape.size};
    case ShapeType::Hull:
    case ShapeType::RoundHull:
      return ConvexHull{shape.hull->vertices, shape.rounding()};
    case ShapeType::Cone:
      return Cone{shape.radius(), shape.halfHeight()};
    case ShapeType::SphereSet:
      return SphereSet{ballsOf(shape).centers, ballsOf(shape).radii};
    case ShapeType::Compound:
      return compoundOf(childrenOf(shape));
    case ShapeType::Mesh: {
      const MeshParts& mesh = meshOf(shape);
      return MeshShape{mesh.mesh, mesh.oneSided, mesh.field, mesh.partsGeometry};
    }
    case ShapeType::HeightField:
      return HeightFieldShape{heightsOf(shape).field};
    case ShapeType::DistanceField:
      return DistanceFieldShape{fieldOf(shape).field};
    case ShapeType::Triangle:
      break;
  }
  return Sphere{};
}

Compound compoundOf(const ConvexParts& parts) {
  Compound compound;
  for (std::size_t i = 0; i < parts.shapes.size(); ++i) {
    CompoundChild child;
    child.local = parts.places[i];
    std::visit(
        [&](auto&& one) {
          if constexpr (std::is_constructible_v<ConvexGeometry, decltype(one)>) child.geometry = std::move(one);
        },
        geometryOf(parts.shapes[i]));
    compound.children.push_back(std::move(child));
  }
  return compound;
}

}  // namespace cairn
