#include "import/mesh_file.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "import/assimp_reader.hpp"
#include "import/bytes.hpp"
#include "import/isolated.hpp"

namespace cairn {
namespace {

constexpr std::array<std::string_view, 6> kEndings{".obj", ".stl", ".ply", ".gltf", ".glb", ".dae"};

std::string oneLine(std::string text) {
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < 32 || static_cast<unsigned char>(c) == 127) c = ' ';
  }
  constexpr std::size_t kLongest = 160;
  if (text.size() > kLongest) text = text.substr(0, kLongest) + "...";
  while (!text.empty() && text.back() == ' ') text.pop_back();
  return text;
}

void checkPath(const std::string& path, const MeshFileOptions& options) {
  std::string ending = std::filesystem::path(path).extension().string();
  std::ranges::transform(ending, ending.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (std::ranges::find(kEndings, ending) == kEndings.end())
    throw MeshFileError(path, "the name ends in \"" + ending + "\"; allowed: " + std::string(meshFileEndings()));
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) throw MeshFileError(path, "no such file");
  if (!std::filesystem::is_regular_file(status)) throw MeshFileError(path, "not a file");
  const auto size = std::filesystem::file_size(path, error);
  if (error || !std::ifstream(path)) throw MeshFileError(path, "cannot be read");
  if (size > options.mostBytes)
    throw MeshFileError(path, std::to_string(size) + " bytes; at most " + std::to_string(options.mostBytes));
  if (size == 0) throw MeshFileError(path, "it is empty");
}

}  // namespace

std::string_view meshFileEndings() { return ".obj, .stl, .ply, .gltf, .glb, .dae"; }

double metresPer(std::string_view unit) {
  constexpr std::array<std::pair<std::string_view, double>, 7> kUnits{
      {{"m", 1.0}, {"dm", 0.1}, {"cm", 0.01}, {"mm", 0.001}, {"um", 1e-6}, {"in", 0.0254}, {"ft", 0.3048}}};
  for (const auto& [name, metres] : kUnits) {
    if (name == unit) return metres;
  }
  throw std::invalid_argument("unit: found \"" + std::string(unit) + "\"; allowed: m, dm, cm, mm, um, in, ft");
}

MeshFile readMeshFile(const std::string& path, const MeshFileOptions& options) {
  if (!(options.scale >= 1e-9 && options.scale <= 1e9)) throw std::invalid_argument("scale: from 1e-9 to 1e9");
  checkPath(path, options);
  MeshFile file;
  try {
    const IsolatedLimits limits{.seconds = options.seconds, .bytes = (std::size_t{1} << 30) + 16 * options.mostBytes};
    const std::string bytes = runIsolated([&] { return readWithAssimp(path, options.mostTriangles); }, limits);
    ByteReader reader(bytes);
    const auto partCount = reader.number<std::uint64_t>(), vertexCount = reader.number<std::uint64_t>();
    const auto triangleCount = reader.number<std::uint64_t>();
    std::uint64_t first = 0;
    for (std::uint64_t i = 0; i < partCount; ++i) {
      MeshFilePart part{oneLine(reader.text()), static_cast<std::uint32_t>(first), 0};
      const auto count = reader.number<std::uint64_t>();
      part.triangleCount = static_cast<std::uint32_t>(count);
      first += count;
      if (part.name.empty()) part.name = "part " + std::to_string(i + 1);
      file.parts.push_back(std::move(part));
    }
    if (first != triangleCount || reader.left() / 24 < vertexCount || reader.left() != 24 * vertexCount + 12 * triangleCount)
      throw std::runtime_error("the reader's answer is damaged");
    file.vertices.reserve(vertexCount);
    for (std::uint64_t v = 0; v < vertexCount; ++v) {
      Vec3 p = options.scale * reader.vector();
      if (options.yUp) p = Vec3(p.x(), -p.z(), p.y());
      if (!p.allFinite()) throw std::runtime_error("vertex " + std::to_string(v) + " is not finite");
      file.vertices.push_back(options.placement.point(p));
    }
    file.triangles.reserve(triangleCount);
    for (std::uint64_t t = 0; t < triangleCount; ++t) {
      TriangleIndices triangle;
      for (std::uint32_t& v : triangle) {
        v = reader.number<std::uint32_t>();
        if (v >= vertexCount) throw std::runtime_error("triangle " + std::to_string(t) + " names a vertex that is not there");
      }
      file.triangles.push_back(triangle);
    }
  } catch (const std::bad_alloc&) {
    throw MeshFileError(path, "too large for the memory of this machine");
  } catch (const std::exception& error) {
    throw MeshFileError(path, oneLine(error.what()));
  }
  if (file.triangles.empty()) throw MeshFileError(path, "it has no triangles");
  return file;
}

}  // namespace cairn
