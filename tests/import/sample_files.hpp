// Small mesh files, written by the tests: one solid in every format.
#pragma once

#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "geometry/mesh_testing.hpp"

namespace cairn::testing {

// A folder of its own that goes with the test.
class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "cairn-import-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no folder");
    path_ = name;
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  std::string write(const std::string& name, const std::string& bytes) const {
    const std::string path = (path_ / name).string();
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

template <class T>
void put(std::string& bytes, T number) {
  bytes.append(reinterpret_cast<const char*>(&number), sizeof(T));
}

inline std::string asObj(const MeshData& mesh) {
  std::ostringstream out;
  out << "o thing\n";
  for (const Vec3& v : mesh.vertices) out << "v " << v.x() << " " << v.y() << " " << v.z() << "\n";
  for (const auto& t : mesh.triangles) out << "f " << t[0] + 1 << " " << t[1] + 1 << " " << t[2] + 1 << "\n";
  return out.str();
}
inline std::string asTextStl(const MeshData& mesh) {
  std::ostringstream out;
  out << "solid thing\n";
  for (const auto& t : mesh.triangles) {
    out << "facet normal 0 0 0\n outer loop\n";
    for (std::uint32_t v : t) out << "  vertex " << mesh.vertices[v].transpose() << "\n";
    out << " endloop\nendfacet\n";
  }
  out << "endsolid thing\n";
  return out.str();
}
inline std::string asBinaryStl(const MeshData& mesh) {
  std::string bytes(80, ' ');
  put(bytes, static_cast<std::uint32_t>(mesh.triangles.size()));
  for (const auto& t : mesh.triangles) {
    for (int i = 0; i < 3; ++i) put(bytes, 0.0f);
    for (std::uint32_t v : t) {
      for (int i = 0; i < 3; ++i) put(bytes, static_cast<float>(mesh.vertices[v][i]));
    }
    put(bytes, std::uint16_t{0});
  }
  return bytes;
}
inline std::string asPly(const MeshData& mesh) {
  std::ostringstream out;
  out << "ply\nformat ascii 1.0\nelement vertex " << mesh.vertices.size() << "\nproperty float x\nproperty float y\nproperty float z\n"
      << "element face " << mesh.triangles.size() << "\nproperty list uchar int vertex_indices\nend_header\n";
  for (const Vec3& v : mesh.vertices) out << v.transpose() << "\n";
  for (const auto& t : mesh.triangles) out << "3 " << t[0] << " " << t[1] << " " << t[2] << "\n";
  return out.str();
}

// One mesh in a node that is moved by (1, 2, 3); as GLB, or as glTF with the buffer in a data address.
inline std::string gltfJson(const MeshData& mesh, const std::string& buffer) {
  const std::size_t positions = 12 * mesh.vertices.size(), indices = 12 * mesh.triangles.size();
  Aabb box;
  for (const Vec3& v : mesh.vertices) box = box.united({v, v});
  std::ostringstream out;
  const auto vector = [](const Vec3& v) {
    std::ostringstream text;
    text << "[" << v.x() << "," << v.y() << "," << v.z() << "]";
    return text.str();
  };
  out << R"({"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0]}],"nodes":[{"mesh":0,"name":"place","translation":[1,2,3]}],)"
      << R"("meshes":[{"name":"thing","primitives":[{"attributes":{"POSITION":0},"indices":1}]}],"buffers":[{)" << buffer << R"("byteLength":)"
      << positions + indices << R"(}],"bufferViews":[{"buffer":0,"byteOffset":0,"byteLength":)" << positions
      << R"(},{"buffer":0,"byteOffset":)" << positions << R"(,"byteLength":)" << indices
      << R"(}],"accessors":[{"bufferView":0,"componentType":5126,"count":)" << mesh.vertices.size() << R"(,"type":"VEC3","min":)"
      << vector(box.lower) << R"(,"max":)" << vector(box.upper) << R"(},{"bufferView":1,"componentType":5125,"count":)"
      << 3 * mesh.triangles.size() << R"(,"type":"SCALAR"}]})";
  return out.str();
}
inline std::string gltfBuffer(const MeshData& mesh) {
  std::string bytes;
  for (const Vec3& v : mesh.vertices) {
    for (int i = 0; i < 3; ++i) put(bytes, static_cast<float>(v[i]));
  }
  for (const auto& t : mesh.triangles) {
    for (std::uint32_t v : t) put(bytes, v);
  }
  return bytes;
}
inline std::string asGlb(const MeshData& mesh) {
  std::string json = gltfJson(mesh, "");
  json.resize((json.size() + 3) / 4 * 4, ' ');
  const std::string buffer = gltfBuffer(mesh);
  std::string bytes = "glTF";
  put(bytes, std::uint32_t{2});
  put(bytes, static_cast<std::uint32_t>(12 + 8 + json.size() + 8 + buffer.size()));
  put(bytes, static_cast<std::uint32_t>(json.size()));
  bytes += "JSON" + json;
  put(bytes, static_cast<std::uint32_t>(buffer.size()));
  bytes += std::string("BIN\0", 4) + buffer;
  return bytes;
}
inline std::string asGltf(const MeshData& mesh) {
  static constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const std::string buffer = gltfBuffer(mesh);
  std::string text;
  for (std::size_t i = 0; i < buffer.size(); i += 3) {  // a multiple of three: 12 bytes each
    const auto byte = [&](std::size_t k) { return static_cast<std::uint32_t>(static_cast<unsigned char>(buffer[i + k])); };
    const std::uint32_t word = byte(0) << 16 | byte(1) << 8 | byte(2);
    for (int shift : {18, 12, 6, 0}) text += kDigits[(word >> shift) & 63u];
  }
  return gltfJson(mesh, "\"uri\":\"data:application/octet-stream;base64," + text + "\",");
}
inline std::string asCollada(const MeshData& mesh, double metre = 1.0) {
  std::ostringstream out;
  out << R"(<?xml version="1.0"?><COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1"><asset><unit meter=")" << metre
      << R"(" name="unit"/><up_axis>Z_UP</up_axis></asset><library_geometries><geometry id="g" name="thing"><mesh><source id="p"><float_array id="a" count=")"
      << 3 * mesh.vertices.size() << "\">";
  for (const Vec3& v : mesh.vertices) out << v.transpose() << " ";
  out << R"(</float_array><technique_common><accessor source="#a" count=")" << mesh.vertices.size()
      << R"(" stride="3"><param name="X" type="float"/><param name="Y" type="float"/><param name="Z" type="float"/></accessor></technique_common></source>)"
      << R"(<vertices id="v"><input semantic="POSITION" source="#p"/></vertices><triangles count=")" << mesh.triangles.size()
      << R"("><input semantic="VERTEX" source="#v" offset="0"/><p>)";
  for (const auto& t : mesh.triangles) out << t[0] << " " << t[1] << " " << t[2] << " ";
  out << R"(</p></triangles></mesh></geometry></library_geometries><library_visual_scenes><visual_scene id="s"><node id="n" name="place">)"
      << R"(<translate>1 2 3</translate><instance_geometry url="#g"/></node></visual_scene></library_visual_scenes>)"
      << R"(<scene><instance_visual_scene url="#s"/></scene></COLLADA>)";
  return out.str();
}

struct SampleFile {
  std::string name, bytes;
  bool isPlaced;  // moved by (1, 2, 3)
};
inline std::vector<SampleFile> sampleFiles(const MeshData& mesh) {
  return {{"a.obj", asObj(mesh), false},  {"a.stl", asTextStl(mesh), false}, {"b.stl", asBinaryStl(mesh), false},
          {"a.ply", asPly(mesh), false},  {"a.glb", asGlb(mesh), true},      {"a.gltf", asGltf(mesh), true},
          {"a.dae", asCollada(mesh), true}};
}

}  // namespace cairn::testing
