// The least that reads the mesh files of the tests' robots: triangles of STL (binary or text) and OBJ.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>

#include "import/robot/mesh_source.hpp"

namespace cairn {

class TestMeshes : public MeshSource {
 public:
  MeshTriangles load(const std::string& file) const override {
    std::ifstream stream(file, std::ios::binary);
    std::ostringstream bytes;
    bytes << stream.rdbuf();
    const std::string text = bytes.str();
    if (text.empty()) throw std::runtime_error("cannot read " + file);
    const std::string end = file.substr(file.size() - 4);
    if (end == ".obj" || end == ".OBJ") return readObj(text);
    if (end == ".stl" || end == ".STL") return readStl(text);
    throw std::runtime_error("only .obj and .stl here, not " + file);
  }

 private:
  static MeshTriangles readStl(const std::string& text) {
    MeshTriangles mesh;
    std::uint32_t count = 0;
    if (text.size() >= 84) std::memcpy(&count, text.data() + 80, 4);
    if (text.size() != 84 + 50 * static_cast<std::size_t>(count)) {
      std::istringstream words(text);
      for (std::string word; words >> word;) {
        if (word != "vertex") continue;
        float x, y, z;
        words >> x >> y >> z;
        add(mesh, x, y, z);
      }
      return mesh;
    }
    for (std::uint32_t i = 0; i < count; ++i)
      for (int k = 0; k < 3; ++k) {
        float v[3];
        std::memcpy(v, text.data() + 84 + 50 * i + 12 + 12 * k, 12);
        add(mesh, v[0], v[1], v[2]);
      }
    return mesh;
  }
  static void add(MeshTriangles& mesh, double x, double y, double z) {
    const std::uint32_t at = static_cast<std::uint32_t>(mesh.vertices.size());
    mesh.vertices.emplace_back(x, y, z);
    if (at % 3 == 2) mesh.triangles.push_back({at - 2, at - 1, at});
  }
  static MeshTriangles readObj(const std::string& text) {
    MeshTriangles mesh;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      std::istringstream words(line);
      std::string kind;
      words >> kind;
      if (kind == "v") {
        float x, y, z;  // as other readers do
        words >> x >> y >> z;
        mesh.vertices.emplace_back(x, y, z);
      } else if (kind == "f") {
        std::vector<std::uint32_t> corners;
        for (std::string word; words >> word;) {
          const long index = std::stol(word);
          corners.push_back(static_cast<std::uint32_t>(index > 0 ? index - 1 : static_cast<long>(mesh.vertices.size()) + index));
        }
        // A quad along its shorter diagonal, as the reference does it: with MuJoCo's legacy rule the mass depends on it.
        const auto side = [&](int a, int b) { return (mesh.vertices.at(corners[a]) - mesh.vertices.at(corners[b])).norm(); };
        if (corners.size() == 4 && !(side(0, 2) < side(1, 3))) std::rotate(corners.begin(), corners.begin() + 1, corners.end());
        for (std::size_t i = 2; i < corners.size(); ++i) mesh.triangles.push_back({corners[0], corners[i - 1], corners[i]});
      }
    }
    for (const auto& triangle : mesh.triangles)
      for (const std::uint32_t index : triangle)
        if (index >= mesh.vertices.size()) throw std::runtime_error("a face of a vertex that is not there");
    return mesh;
  }
};

}  // namespace cairn
