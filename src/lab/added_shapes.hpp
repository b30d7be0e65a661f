// The bodies that a person can drop into a scene.
#pragma once

#include <string_view>
#include <vector>

#include "cairn/shape.hpp"

namespace cairn {

std::vector<std::string_view> addedShapes();
// A shape about as large as `size` (m) in every direction. The name must be one of addedShapes().
Geometry addedShape(std::string_view name, double size);

}  // namespace cairn
