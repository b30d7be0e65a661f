#include "lab/added_shapes.hpp"

#include <stdexcept>
#include <string>

namespace cairn {
namespace {

// A stone: corners of an uneven lump that fits into a ball of diameter 1.
const Vec3 kStone[] = {{0.42, 0.10, 0.05},   {0.22, 0.36, -0.12},  {-0.15, 0.40, 0.08},  {-0.43, 0.12, -0.10},
                       {-0.36, -0.26, 0.10}, {-0.05, -0.42, 0.02}, {0.32, -0.30, -0.08}, {0.14, 0.12, 0.40},
                       {-0.20, 0.04, 0.36},  {0.02, -0.22, 0.35},  {0.16, 0.05, -0.40},  {-0.18, -0.12, -0.38}};

}  // namespace

std::vector<std::string_view> addedShapes() { return {"box", "sphere", "capsule", "cylinder", "hull"}; }

Geometry addedShape(std::string_view name, double size) {
  if (name == "box") return Box{Vec3::Constant(0.5 * size)};
  if (name == "sphere") return Sphere{0.5 * size};
  if (name == "capsule") return Capsule{0.25 * size, 0.25 * size};
  if (name == "cylinder") return Cylinder{0.35 * size, 0.5 * size};
  if (name == "hull") {
    ConvexHull hull;
    for (const Vec3& corner : kStone) hull.points.push_back(size * corner);
    return hull;
  }
  throw std::invalid_argument("there is no shape \"" + std::string(name) + "\" to add");
}

}  // namespace cairn
