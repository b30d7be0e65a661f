// Meshes with known properties, made by formula.
#pragma once

#include <cmath>
#include <map>
#include <numbers>
#include <utility>
#include <vector>

#include "geometry/testing.hpp"
#include "geometry/triangle_mesh.hpp"

namespace cairn::testing {

struct MeshData {
  std::vector<Vec3> vertices;
  std::vector<TriangleIndices> triangles;

  TriangleView view() const { return {vertices, triangles}; }
  std::shared_ptr<const TriangleMesh> build(const MeshOptions& options = {}) const {
    return buildTriangleMesh(vertices, triangles, options);
  }
  MeshData& scale(double factor) {
    for (Vec3& v : vertices) v *= factor;
    return *this;
  }
  MeshData& move(const Vec3& by) {
    for (Vec3& v : vertices) v += by;
    return *this;
  }
  MeshData& append(const MeshData& other) {
    const auto base = static_cast<std::uint32_t>(vertices.size());
    vertices.insert(vertices.end(), other.vertices.begin(), other.vertices.end());
    for (const TriangleIndices& t : other.triangles) triangles.push_back({t[0] + base, t[1] + base, t[2] + base});
    return *this;
  }
};

inline MeshData boxMesh(const Vec3& half) {
  MeshData mesh;
  for (int i = 0; i < 8; ++i)
    mesh.vertices.push_back(Vec3((i & 1) ? 1.0 : -1.0, (i & 2) ? 1.0 : -1.0, (i & 4) ? 1.0 : -1.0).cwiseProduct(half));
  const std::uint32_t quads[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
  for (const auto& q : quads) {
    mesh.triangles.push_back({q[0], q[1], q[2]});
    mesh.triangles.push_back({q[0], q[2], q[3]});
  }
  return mesh;
}

// An icosahedron, each triangle cut in four `times` times, corners on the sphere: 20 * 4^times triangles.
inline MeshData sphereMesh(double radius, int times) {
  const double g = std::numbers::phi;
  MeshData mesh;
  mesh.vertices = {{-1, g, 0}, {1, g, 0}, {-1, -g, 0}, {1, -g, 0}, {0, -1, g}, {0, 1, g},
                   {0, -1, -g}, {0, 1, -g}, {g, 0, -1}, {g, 0, 1}, {-g, 0, -1}, {-g, 0, 1}};
  mesh.triangles = {{0, 11, 5}, {0, 5, 1}, {0, 1, 7}, {0, 7, 10}, {0, 10, 11}, {1, 5, 9}, {5, 11, 4},
                    {11, 10, 2}, {10, 7, 6}, {7, 1, 8}, {3, 9, 4}, {3, 4, 2}, {3, 2, 6}, {3, 6, 8},
                    {3, 8, 9}, {4, 9, 5}, {2, 4, 11}, {6, 2, 10}, {8, 6, 7}, {9, 8, 1}};
  for (int i = 0; i < times; ++i) {
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> middles;
    const auto middle = [&](std::uint32_t a, std::uint32_t b) {
      const auto [it, isNew] = middles.try_emplace(std::minmax(a, b), static_cast<std::uint32_t>(mesh.vertices.size()));
      if (isNew) mesh.vertices.push_back(mesh.vertices[a] + mesh.vertices[b]);
      return it->second;
    };
    std::vector<TriangleIndices> finer;
    for (const auto& [a, b, c] : mesh.triangles) {
      const std::uint32_t ab = middle(a, b), bc = middle(b, c), ca = middle(c, a);
      for (const TriangleIndices& t : {TriangleIndices{a, ab, ca}, {b, bc, ab}, {c, ca, bc}, {ab, bc, ca}}) finer.push_back(t);
    }
    mesh.triangles = std::move(finer);
    for (Vec3& v : mesh.vertices) v.normalize();
  }
  for (Vec3& v : mesh.vertices) v = radius * v.normalized();
  return mesh;
}

// Around z: `ring` the distance of the tube's middle from the axis.
inline MeshData torusMesh(double ring, double tube, int around, int across) {
  MeshData mesh;
  for (int i = 0; i < around; ++i) {
    for (int j = 0; j < across; ++j) {
      const double u = 2.0 * std::numbers::pi * i / around, v = 2.0 * std::numbers::pi * j / across;
      const double r = ring + tube * std::cos(v);
      mesh.vertices.push_back({r * std::cos(u), r * std::sin(u), tube * std::sin(v)});
    }
  }
  const auto at = [&](int i, int j) { return static_cast<std::uint32_t>((i % around) * across + j % across); };
  for (int i = 0; i < around; ++i) {
    for (int j = 0; j < across; ++j) {
      mesh.triangles.push_back({at(i, j), at(i + 1, j), at(i + 1, j + 1)});
      mesh.triangles.push_back({at(i, j), at(i + 1, j + 1), at(i, j + 1)});
    }
  }
  return mesh;
}

// cells x cells squares over [-half, half]^2, height by formula.
template <class Height>
MeshData gridMesh(double half, int cells, Height&& height) {
  MeshData mesh;
  for (int i = 0; i <= cells; ++i) {
    for (int j = 0; j <= cells; ++j) {
      const double x = half * (2.0 * i / cells - 1.0), y = half * (2.0 * j / cells - 1.0);
      mesh.vertices.push_back({x, y, height(x, y)});
    }
  }
  const auto at = [&](int i, int j) { return static_cast<std::uint32_t>(i * (cells + 1) + j); };
  for (int i = 0; i < cells; ++i) {
    for (int j = 0; j < cells; ++j) {
      mesh.triangles.push_back({at(i, j), at(i + 1, j), at(i + 1, j + 1)});
      mesh.triangles.push_back({at(i, j), at(i + 1, j + 1), at(i, j + 1)});
    }
  }
  return mesh;
}

// Triangles of many sizes, each with corners of its own.
inline MeshData soupMesh(Random& random, int count, double half) {
  MeshData mesh;
  for (int i = 0; i < count; ++i) {
    const Vec3 at = randomVector(random, half);
    const double size = half * logUniform(random, 0.003, 0.5);
    const auto base = static_cast<std::uint32_t>(mesh.vertices.size());
    for (int k = 0; k < 3; ++k) mesh.vertices.push_back(at + randomVector(random, size));
    mesh.triangles.push_back({base, base + 1, base + 2});
  }
  return mesh;
}

}  // namespace cairn::testing
