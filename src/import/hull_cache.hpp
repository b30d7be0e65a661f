// Decompositions on disk, by content: the name is a hash of the mesh and the options. What is read back is believed only if its own
// checksum, its key and its numbers are right; else it is as if it were not there.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "import/decompose.hpp"

namespace cairn {

using HullPoints = std::vector<std::vector<Vec3>>;  // by hull

// Where this user's files are kept; empty: nowhere.
std::filesystem::path hullCacheFolder();
std::uint64_t hullCacheKey(const TriangleMesh& mesh, const DecomposeOptions& options);

std::optional<HullPoints> readHullCache(const std::filesystem::path& folder, std::uint64_t key, const TriangleMesh& mesh);
// A cache that cannot be written is no error.
void writeHullCache(const std::filesystem::path& folder, std::uint64_t key, const TriangleMesh& mesh, const HullPoints& hulls);

}  // namespace cairn
