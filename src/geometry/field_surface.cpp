#include "geometry/field_surface.hpp"

#include <array>
#include <cmath>

namespace cairn {

SurfaceTriangles fieldSurface(const DistanceField& field, int cells) {
  SurfaceTriangles surface;
  const Aabb& bounds = field.bounds();
  const double cell = (bounds.upper - bounds.lower).maxCoeff() / cells;
  const Vec3 origin = bounds.lower.array() - cell;
  std::array<int, 3> nodes;
  for (int k = 0; k < 3; ++k) nodes[k] = static_cast<int>(std::ceil((bounds.upper[k] - bounds.lower[k]) / cell)) + 4;
  const auto node = [&](int x, int y, int z) { return Vec3(origin + cell * Vec3(x, y, z)); };
  const auto index = [&](int x, int y, int z) {
    return (static_cast<std::size_t>(z) * static_cast<std::size_t>(nodes[1]) + static_cast<std::size_t>(y)) *
               static_cast<std::size_t>(nodes[0]) +
           static_cast<std::size_t>(x);
  };
  std::vector<float> values(index(0, 0, nodes[2]));
  for (int z = 0; z < nodes[2]; ++z)
    for (int y = 0; y < nodes[1]; ++y)
      for (int x = 0; x < nodes[0]; ++x) values[index(x, y, z)] = static_cast<float>(field.value(node(x, y, z)));
  const auto inside = [&](int x, int y, int z) { return values[index(x, y, z)] < 0.0f; };

  constexpr std::uint32_t kNone = 0xffffffffu;
  std::vector<std::uint32_t> vertexOf(values.size(), kNone);  // by the cell's lowest node
  for (int z = 0; z + 1 < nodes[2]; ++z) {
    for (int y = 0; y + 1 < nodes[1]; ++y) {
      for (int x = 0; x + 1 < nodes[0]; ++x) {
        Vec3 sum = Vec3::Zero();
        int crossings = 0;
        for (int axis = 0; axis < 3; ++axis) {
          for (int corner = 0; corner < 4; ++corner) {
            std::array<int, 3> from{x, y, z};
            from[(axis + 1) % 3] += corner & 1;
            from[(axis + 2) % 3] += corner >> 1;
            std::array<int, 3> to = from;
            ++to[axis];
            const double a = values[index(from[0], from[1], from[2])], b = values[index(to[0], to[1], to[2])];
            if ((a < 0.0) == (b < 0.0)) continue;
            const Vec3 start = node(from[0], from[1], from[2]), end = node(to[0], to[1], to[2]);
            sum += start + a / (a - b) * (end - start);
            ++crossings;
          }
        }
        if (crossings == 0) continue;
        Vec3 p = sum / crossings;
        for (int i = 0; i < 3; ++i) {
          const FieldSample here = field.sample(p);
          const double square = here.gradient.squaredNorm();
          if (!(square > 0.01)) break;
          const Vec3 step = here.value / square * here.gradient;
          if (!(step.norm() < cell)) break;
          p -= step;
        }
        vertexOf[index(x, y, z)] = static_cast<std::uint32_t>(surface.vertices.size());
        surface.vertices.push_back(p);
      }
    }
  }
  // Around every edge that is crossed, the four cells that share it.
  const auto add = [&](std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    const Vec3& p = surface.vertices[a];
    const Vec3 area = (surface.vertices[b] - p).cross(surface.vertices[c] - p);
    if (area.norm() > 1e-12 * cell * cell) surface.triangles.push_back({a, b, c});
  };
  for (int z = 1; z + 1 < nodes[2]; ++z) {
    for (int y = 1; y + 1 < nodes[1]; ++y) {
      for (int x = 1; x + 1 < nodes[0]; ++x) {
        for (int axis = 0; axis < 3; ++axis) {
          std::array<int, 3> to{x, y, z};
          ++to[axis];
          const bool from = inside(x, y, z), end = inside(to[0], to[1], to[2]);
          if (from == end) continue;
          const int u = (axis + 1) % 3, v = (axis + 2) % 3;
          std::array<std::uint32_t, 4> around;
          for (int k = 0; k < 4; ++k) {
            std::array<int, 3> at{x, y, z};
            at[u] -= k == 1 || k == 2 ? 1 : 0;
            at[v] -= k >= 2 ? 1 : 0;
            around[k] = vertexOf[index(at[0], at[1], at[2])];
          }
          if (std::find(around.begin(), around.end(), kNone) != around.end()) continue;
          if (!from) std::swap(around[1], around[3]);
          add(around[0], around[1], around[2]);
          add(around[0], around[2], around[3]);
        }
      }
    }
  }
  return surface;
}

}  // namespace cairn
