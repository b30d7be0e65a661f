#include "import/hull_cache.hpp"

#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <system_error>

#include "base/hash.hpp"
#include "import/bytes.hpp"

namespace cairn {
namespace {

constexpr std::uint64_t kMagic = 0x314c4c5548524143u;  // "CARHULL1": a new layout gets a new number
constexpr std::size_t kLargestFile = std::size_t{64} << 20;

std::uint64_t checksumOf(std::string_view bytes) {
  Hash hash;
  hash.add(static_cast<std::uint64_t>(bytes.size()));
  for (std::size_t i = 0; i < bytes.size(); i += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + i, std::min<std::size_t>(8, bytes.size() - i));
    hash.add(word);
  }
  return hash.value();
}

std::filesystem::path fileOf(const std::filesystem::path& folder, std::uint64_t key) {
  char name[32];
  std::snprintf(name, sizeof(name), "%016llx.hulls", static_cast<unsigned long long>(key));
  return folder / name;
}

}  // namespace

std::filesystem::path hullCacheFolder() {
  const char* cache = std::getenv("XDG_CACHE_HOME");
  if (cache != nullptr && cache[0] == '/') return std::filesystem::path(cache) / "cairn" / "hulls";  // others are to be ignored
  const char* home = std::getenv("HOME");
  if (home != nullptr && home[0] == '/') return std::filesystem::path(home) / ".cache" / "cairn" / "hulls";
  return {};
}

std::uint64_t hullCacheKey(const TriangleMesh& mesh, const DecomposeOptions& options) {
  Hash hash;
  hash.add(kMagic);
  hash.add(options.concavity);
  hash.add(static_cast<std::uint64_t>(options.mostVertices));
  for (const Vec3& v : mesh.vertices) hash.add(v.x()), hash.add(v.y()), hash.add(v.z());
  for (const TriangleIndices& t : mesh.triangles) {
    for (std::uint32_t v : t) hash.add(std::uint64_t{v});
  }
  return hash.value();
}

std::optional<HullPoints> readHullCache(const std::filesystem::path& folder, std::uint64_t key, const TriangleMesh& mesh) {
  if (folder.empty()) return std::nullopt;
  std::error_code error;
  const std::filesystem::path path = fileOf(folder, key);
  const auto size = std::filesystem::file_size(path, error);
  if (error || size < 16 || size > kLargestFile) return std::nullopt;
  std::ifstream file(path, std::ios::binary);
  const std::string bytes(std::istreambuf_iterator<char>(file), {});
  if (bytes.size() != size) return std::nullopt;
  const std::string_view body(bytes.data(), bytes.size() - 8);
  try {
    ByteReader end(std::string_view(bytes).substr(body.size()));
    if (end.number<std::uint64_t>() != checksumOf(body)) return std::nullopt;
    ByteReader reader(body);
    if (reader.number<std::uint64_t>() != kMagic || reader.number<std::uint64_t>() != key) return std::nullopt;
    if (reader.number<std::uint64_t>() != mesh.vertices.size() || reader.number<std::uint64_t>() != mesh.triangles.size())
      return std::nullopt;
    HullPoints hulls(reader.count(8));
    for (auto& hull : hulls) {
      hull.resize(reader.count(24));
      for (Vec3& p : hull) {
        p = reader.vector();
        if (!p.allFinite()) return std::nullopt;
      }
    }
    if (reader.left() != 0 || hulls.empty()) return std::nullopt;
    return hulls;
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

void writeHullCache(const std::filesystem::path& folder, std::uint64_t key, const TriangleMesh& mesh, const HullPoints& hulls) {
  if (folder.empty()) return;
  ByteWriter writer;
  writer.add(kMagic), writer.add(key);
  writer.add(static_cast<std::uint64_t>(mesh.vertices.size())), writer.add(static_cast<std::uint64_t>(mesh.triangles.size()));
  writer.add(static_cast<std::uint64_t>(hulls.size()));
  for (const auto& hull : hulls) {
    writer.add(static_cast<std::uint64_t>(hull.size()));
    for (const Vec3& p : hull) writer.add(p);
  }
  writer.add(checksumOf(writer.bytes()));
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  // Beside its place first, so that nobody reads half of it.
  const std::filesystem::path path = fileOf(folder, key), part = path.string() + "." + std::to_string(::getpid());
  {
    std::ofstream file(part, std::ios::binary);
    file << writer.bytes();
    file.flush();
    if (!file) {
      std::filesystem::remove(part, error);
      return;
    }
  }
  std::filesystem::rename(part, path, error);
  if (error) std::filesystem::remove(part, error);
}

}  // namespace cairn
