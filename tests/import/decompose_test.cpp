#include "import/decompose.hpp"

#include <gtest/gtest.h>

#include "geometry/mesh_mass.hpp"
#include "import/hull_cache.hpp"
#include "import/mesh_file.hpp"
#include "import/sample_files.hpp"

namespace cairn::testing {
namespace {

// Two boxes that share a face, as one surface: concave along one edge.
MeshData ellMesh() {
  // Outline of an L in the xz plane, pulled along y; the caps as two quads each.
  const double x[6] = {0, 2, 2, 1, 1, 0}, z[6] = {0, 0, 1, 1, 2, 2};
  MeshData mesh;
  for (double y : {0.0, 1.0}) {
    for (int i = 0; i < 6; ++i) mesh.vertices.push_back({x[i], y, z[i]});
  }
  const std::uint32_t caps[4][3] = {{0, 1, 2}, {0, 2, 3}, {0, 3, 4}, {0, 4, 5}};
  for (const auto& c : caps) {
    mesh.triangles.push_back({c[0], c[1], c[2]});
    mesh.triangles.push_back({c[0] + 6, c[2] + 6, c[1] + 6});
  }
  for (std::uint32_t i = 0; i < 6; ++i) {
    const std::uint32_t j = (i + 1) % 6;
    mesh.triangles.push_back({i, i + 6, j + 6});
    mesh.triangles.push_back({i, j + 6, j});
  }
  return mesh;
}

struct CacheFolder : Folder {
  CacheFolder() { ::setenv("XDG_CACHE_HOME", path().c_str(), 1); }
  ~CacheFolder() { ::unsetenv("XDG_CACHE_HOME"); }
};

TEST(Decompose, AConvexSolidIsOneHullWithoutError) {
  const auto mesh = sphereMesh(1.0, 2).build();
  ASSERT_GT(meshVolume(mesh->view()), 0.0);
  const Decomposition result = decompose(*mesh, {.mostVertices = 256, .usesCache = false});
  EXPECT_EQ(result.hulls.size(), 1u);
  EXPECT_LT(result.overfill, 1e-9);
  EXPECT_LT(result.underfill, 1e-9);
  EXPECT_NEAR(result.volume, meshVolume(mesh->view()), 1e-9);
}

TEST(Decompose, ATighterBoundGivesMoreHullsAndASmallerError) {
  const auto mesh = torusMesh(2.0, 0.5, 32, 16).build();
  const Decomposition coarse = decompose(*mesh, {.concavity = 0.2, .usesCache = false});
  const Decomposition fine = decompose(*mesh, {.concavity = 0.03, .usesCache = false});
  RecordProperty("hulls", std::to_string(coarse.hulls.size()) + " and " + std::to_string(fine.hulls.size()));
  RecordProperty("overfill", std::to_string(coarse.overfill) + " and " + std::to_string(fine.overfill));
  EXPECT_GT(fine.hulls.size(), coarse.hulls.size());
  EXPECT_LT(fine.overfill, coarse.overfill);
  EXPECT_LT(fine.overfill, 0.25) << "the hole has a radius of 1.5";
  EXPECT_LT(fine.underfill, 0.05) << "hulls have at most 64 vertices";
}

TEST(Decompose, AnEllIsAFewHullsAndPartsAreTakenOneByOne) {
  MeshData data = ellMesh();
  ASSERT_TRUE(data.build()->isClosed);
  ASSERT_NEAR(meshVolume(data.view()), 3.0, 1e-12);
  data.append(boxMesh(Vec3::Constant(0.5)).move({5, 0, 0}));
  const auto mesh = data.build();
  const Decomposition result = decompose(*mesh, {.concavity = 0.01, .usesCache = false});
  EXPECT_GE(result.hulls.size(), 3u);
  EXPECT_LT(result.underfill, 0.01);
  EXPECT_LT(result.overfill, 0.05);
}

// The measure on hulls that are known: a box for a sphere.
TEST(Decompose, TheMeasureFindsAKnownError) {
  const auto mesh = sphereMesh(1.0, 4).build();
  Decomposition result;
  const MeshData box = boxMesh(Vec3::Ones());
  result.hulls.push_back(buildHull(box.vertices));
  measureDecomposition(*mesh, result);
  EXPECT_NEAR(result.overfill, std::sqrt(3.0) - 1.0, 0.01);
  EXPECT_EQ(result.underfill, 0.0);
  const MeshData small = boxMesh(Vec3::Constant(0.5));
  result.hulls[0] = buildHull(small.vertices);
  measureDecomposition(*mesh, result);
  EXPECT_NEAR(result.underfill, 0.5, 0.02) << "from the pole to the face";
  EXPECT_NEAR(result.volume, 1.0, 1e-12);
}

TEST(Decompose, TheCacheReturnsTheSameHullsAndADamagedOneIsRebuilt) {
  const CacheFolder cache;
  const auto mesh = ellMesh().build();
  const Decomposition first = decompose(*mesh), second = decompose(*mesh);
  EXPECT_FALSE(first.isFromCache);
  EXPECT_TRUE(second.isFromCache);
  ASSERT_EQ(first.hulls.size(), second.hulls.size());
  for (std::size_t h = 0; h < first.hulls.size(); ++h) EXPECT_EQ(first.hulls[h]->vertices, second.hulls[h]->vertices);
  EXPECT_FALSE(decompose(*mesh, {.concavity = 0.5}).isFromCache) << "other options are another key";

  const std::uint64_t key = hullCacheKey(*mesh, {});
  const std::filesystem::path folder = hullCacheFolder();
  EXPECT_EQ(folder, cache.path() / "cairn" / "hulls");
  std::filesystem::path file;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (readHullCache(folder, key, *mesh) && entry.path().filename().string().size() == 22) file = entry.path();
  }
  ASSERT_FALSE(file.empty());
  ASSERT_TRUE(readHullCache(folder, key, *mesh));
  char name[32];
  std::snprintf(name, sizeof(name), "%016llx.hulls", static_cast<unsigned long long>(key));
  file = folder / name;
  std::ifstream in(file, std::ios::binary);
  const std::string good(std::istreambuf_iterator<char>(in), {});
  Random random(1);
  for (int i = 0; i < 400; ++i) {
    std::string bad = good;
    if (i % 4 == 0) {
      bad.resize(random() % bad.size());
    } else {
      bad[random() % bad.size()] ^= static_cast<char>(1 << (random() % 8));
    }
    std::ofstream(file, std::ios::binary) << bad;
    ASSERT_FALSE(readHullCache(folder, key, *mesh)) << i;
  }
  EXPECT_FALSE(decompose(*mesh).isFromCache);
  EXPECT_TRUE(decompose(*mesh).isFromCache) << "it was written anew";
}

TEST(Decompose, BadInputIsRefused) {
  const auto mesh = boxMesh(Vec3::Ones()).build();
  EXPECT_THROW(decompose(*mesh, {.concavity = 0.0}), std::invalid_argument);
  EXPECT_THROW(decompose(*mesh, {.mostVertices = 3}), std::invalid_argument);
  EXPECT_THROW(decompose(*mesh, {.mostTriangles = 11}), std::invalid_argument);
  const auto open = gridMesh(1.0, 2, [](double, double) { return 0.0; }).build();
  EXPECT_THROW(decompose(*open), std::invalid_argument);
}

TEST(Decompose, TheExportCanBeReadBack) {
  const auto mesh = ellMesh().build();
  const Decomposition result = decompose(*mesh, {.usesCache = false});
  const Folder folder;
  const MeshFile file = readMeshFile(folder.write("hulls.obj", hullsAsObj(result)));
  EXPECT_EQ(file.parts.size(), result.hulls.size());
  EXPECT_EQ(file.parts[0].name, "hull1");
  EXPECT_NEAR(meshVolume({file.vertices, file.triangles}), result.volume, 1e-5);
}

}  // namespace
}  // namespace cairn::testing
