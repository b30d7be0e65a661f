// The only file that speaks to assimp.
#pragma once

#include <string>

namespace cairn {

// The triangles of a file as bytes: parts (name, count of triangles), vertices and indices; see mesh_file.cpp. Nodes' transforms are
// applied. Throws std::runtime_error with assimp's own words.
std::string readWithAssimp(const std::string& path, std::size_t mostTriangles);

}  // namespace cairn
