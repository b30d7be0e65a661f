// Meshes from files: OBJ, STL (text and binary), PLY, glTF, GLB and COLLADA, read by assimp.
//
// All meshes of a file become one, each placed as its node says; parts keep their names. Coordinates are those of the file,
// in single precision (assimp's), times `scale`; then, if `yUp`, turned so that y becomes z; then placed. Nothing is repaired:
// geometry/mesh_check.hpp does that.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "geometry/triangle_tree.hpp"

namespace cairn {

// What is wrong, after the file's name.
class MeshFileError : public std::runtime_error {
 public:
  MeshFileError(const std::string& path, const std::string& what) : std::runtime_error(path + ": " + what) {}
};

struct MeshFileOptions {
  double scale = 1.0;  // metres per unit of the file; see metresPer()
  bool yUp = false;    // the file's y axis is up, as in glTF
  Pose placement{};
  std::size_t mostBytes = std::size_t{512} << 20;  // of the file
  std::size_t mostTriangles = 20'000'000;
  double seconds = 60.0;  // of reading
};

struct MeshFilePart {
  std::string name;  // of the node, or the mesh; "part 3" if it has none
  std::uint32_t firstTriangle = 0, triangleCount = 0;
};

struct MeshFile {
  std::vector<Vec3> vertices;  // m
  std::vector<TriangleIndices> triangles;
  std::vector<MeshFilePart> parts;
};

// Throws MeshFileError. Damaged files are refused, whatever the reading library makes of them: it works in a process of its own.
MeshFile readMeshFile(const std::string& path, const MeshFileOptions& options = {});

// Metres per m, dm, cm, mm, um, in, ft; throws std::invalid_argument that names them.
double metresPer(std::string_view unit);
std::string_view meshFileEndings();  // ".obj, .stl, ..."

}  // namespace cairn
