// Where readers get the triangles of a mesh file from, when masses depend on them.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "cairn/math.hpp"

namespace cairn {

struct MeshTriangles {
  std::vector<Vec3> vertices{};  // as in the file
  std::vector<std::array<std::uint32_t, 3>> triangles{};
};

class MeshSource {
 public:
  virtual ~MeshSource() = default;
  // Throws std::runtime_error that says what is wrong with the file.
  virtual MeshTriangles load(const std::string& file) const = 0;
};

}  // namespace cairn
