#include "geometry/triangle_mesh.hpp"

#include <gtest/gtest.h>

#include <set>

#include "geometry/mesh_testing.hpp"

namespace cairn::testing {
namespace {

// Names, neighbours and cycles against a plain map of edges.
void expectConsistent(const TriangleMesh& mesh) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::uint32_t>> edges;
  for (std::uint32_t t = 0; t < mesh.size(); ++t) {
    for (std::uint32_t k = 0; k < 3; ++k)
      edges[std::minmax(mesh.triangles[t][k], mesh.triangles[t][(k + 1) % 3])].push_back(3 * t + k);
  }
  for (const auto& [ends, uses] : edges) {
    for (std::uint32_t use : uses) {
      ASSERT_EQ(mesh.edgeName(use / 3, static_cast<int>(use % 3)), uses.front());
      std::vector<std::uint32_t> found;
      mesh.trianglesAtEdge(use, [&](std::uint32_t t) { found.push_back(t); });
      std::ranges::sort(found);
      std::vector<std::uint32_t> expected;
      for (std::uint32_t u : uses) expected.push_back(u / 3);
      ASSERT_EQ(found, expected);
      const std::uint32_t other = mesh.oppositeEdge(use / 3, static_cast<int>(use % 3));
      if (other == kNoTriangle) continue;
      ASSERT_EQ(uses.size(), 2u);
      ASSERT_EQ(other, uses[0] == use ? uses[1] : uses[0]);
      const auto here = mesh.edgeVertices(use), there = mesh.edgeVertices(other);
      ASSERT_EQ(here[0], there[1]);
      ASSERT_EQ(here[1], there[0]);
      ASSERT_EQ(mesh.edgeKind(use / 3, static_cast<int>(use % 3)), mesh.edgeKind(other / 3, static_cast<int>(other % 3)));
    }
  }
  std::size_t count = 0;
  for (std::uint32_t v = 0; v < mesh.vertices.size(); ++v) {
    const auto at = mesh.cornersAt(v);
    count += at.size();
    ASSERT_TRUE(std::ranges::is_sorted(at));
    for (std::uint32_t corner : at) ASSERT_EQ(mesh.triangles[corner / 3][corner % 3], v);
  }
  ASSERT_EQ(count, 3 * mesh.size());
}

std::map<EdgeKind, int> countKinds(const TriangleMesh& mesh) {
  std::map<EdgeKind, int> kinds;
  for (std::uint32_t t = 0; t < mesh.size(); ++t) {
    for (int k = 0; k < 3; ++k) ++kinds[mesh.edgeKind(t, k)];
  }
  return kinds;
}

TEST(TriangleMesh, BoxHasTwelveConvexEdgesAndSixFlatDiagonals) {
  const auto mesh = boxMesh({1, 2, 3}).build();
  expectConsistent(*mesh);
  EXPECT_TRUE(mesh->isClosed);
  EXPECT_TRUE(mesh->isManifold);
  EXPECT_EQ(countKinds(*mesh), (std::map<EdgeKind, int>{{EdgeKind::Flat, 12}, {EdgeKind::Convex, 24}}));
  EXPECT_EQ(mesh->bounds.upper, Vec3(1, 2, 3));
}

// Seen from inside, the same box has only valleys.
TEST(TriangleMesh, RoomHasConcaveEdges) {
  MeshData room = boxMesh({1, 2, 3});
  for (TriangleIndices& t : room.triangles) std::swap(t[1], t[2]);
  const auto mesh = room.build();
  expectConsistent(*mesh);
  EXPECT_EQ(countKinds(*mesh), (std::map<EdgeKind, int>{{EdgeKind::Flat, 12}, {EdgeKind::Concave, 24}}));
}

TEST(TriangleMesh, FlatGridHasOpenBordersAndFlatEdgesElsewhereAlsoFarAway) {
  const auto mesh = gridMesh(10.0, 20, [](double, double) { return 0.0; }).move({1e6, 1e6, -1e6}).build();
  expectConsistent(*mesh);
  EXPECT_FALSE(mesh->isClosed);
  EXPECT_TRUE(mesh->isManifold);
  EXPECT_EQ(countKinds(*mesh), (std::map<EdgeKind, int>{{EdgeKind::Flat, 800 * 3 - 80}, {EdgeKind::Open, 80}}));
}

TEST(TriangleMesh, TheFlatAngleDecides) {
  for (double angle : {0.5e-3, 2e-3}) {
    MeshData fold{{{0, -1, 0}, {0, 1, 0}, {-1, 0, 0}, {std::cos(angle), 0, std::sin(angle)}}, {{0, 1, 2}, {1, 0, 3}}};
    const auto mesh = fold.build();
    EXPECT_EQ(mesh->edgeKind(0, 0), angle < 1e-3 ? EdgeKind::Flat : EdgeKind::Concave);
    fold.vertices[3].z() *= -1.0;
    EXPECT_EQ(fold.build()->edgeKind(0, 0), angle < 1e-3 ? EdgeKind::Flat : EdgeKind::Convex);
  }
}

// A sheet folded by 180 degrees has two triangles face to face, or back to back.
TEST(TriangleMesh, ThinSheetEdgesAreConvex) {
  const MeshData sheet{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0, 1, 2}, {0, 2, 1}}};
  const auto mesh = sheet.build();
  expectConsistent(*mesh);
  EXPECT_TRUE(mesh->isClosed);
  EXPECT_EQ(countKinds(*mesh), (std::map<EdgeKind, int>{{EdgeKind::Convex, 6}}));
}

TEST(TriangleMesh, ThreeTrianglesAtAnEdgeAreOneNameAndNoNeighbours) {
  const MeshData fan{{{0, 0, 0}, {0, 0, 1}, {1, 0, 0}, {-1, 1, 0}, {-1, -1, 0}}, {{0, 1, 2}, {0, 1, 3}, {1, 0, 4}}};
  const auto mesh = fan.build();
  expectConsistent(*mesh);
  EXPECT_FALSE(mesh->isManifold);
  EXPECT_EQ(mesh->neighbour(0, 0), kNoTriangle);
  EXPECT_EQ(mesh->edgeName(2, 0), 0u);
}

TEST(TriangleMesh, TwoCubesThatShareAVertexAreClosedButNotManifold) {
  MeshData two = boxMesh(Vec3::Ones()).append(boxMesh(Vec3::Ones()).move(Vec3::Constant(2.0)));
  for (TriangleIndices& t : two.triangles) {
    for (std::uint32_t& v : t) v = v == 8 ? 7 : v;  // the lowest corner of the second is the highest of the first
  }
  const auto mesh = two.build();
  expectConsistent(*mesh);
  EXPECT_TRUE(mesh->isClosed);
  EXPECT_FALSE(mesh->isManifold);
}

TEST(TriangleMesh, SphereAndTorusAreClosedManifolds) {
  for (const MeshData& data : {sphereMesh(1.0, 3), torusMesh(2.0, 0.5, 40, 20)}) {
    const auto mesh = data.build();
    expectConsistent(*mesh);
    EXPECT_TRUE(mesh->isClosed);
    EXPECT_TRUE(mesh->isManifold);
    EXPECT_EQ(countKinds(*mesh)[EdgeKind::Open], 0);
  }
  EXPECT_EQ(countKinds(*sphereMesh(1.0, 3).build()).size(), 1u) << "a sphere has convex edges only";
  EXPECT_GT(countKinds(*torusMesh(2.0, 0.5, 40, 20).build())[EdgeKind::Concave], 0);
}

TEST(TriangleMesh, TheSameForAnyNumberOfThreads) {
  const MeshData data = torusMesh(2.0, 0.5, 200, 100);
  const auto alone = data.build();
  const Tasks tasks(4);
  const auto many = data.build({.tasks = &tasks});
  EXPECT_EQ(alone->tree.boxes().hash(), many->tree.boxes().hash());
  EXPECT_EQ(alone->nextAround, many->nextAround);
  EXPECT_EQ(alone->edgeKinds, many->edgeKinds);
  EXPECT_EQ(alone->corners, many->corners);
}

std::string refusalOf(const MeshData& data) {
  try {
    data.build();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

TEST(TriangleMesh, BadInputIsRefusedByTriangleOrVertex) {
  MeshData data = boxMesh(Vec3::Ones());
  data.vertices[3].y() = std::nan("");
  EXPECT_EQ(refusalOf(data), "vertices[3]: not finite");
  data = boxMesh(Vec3::Ones());
  data.triangles[5][1] = 8;
  EXPECT_EQ(refusalOf(data), "triangles[5]: vertex 8 of 8");
  data.triangles[5] = {0, 1, 1};
  EXPECT_EQ(refusalOf(data), "triangles[5]: it has no area");
  EXPECT_EQ(refusalOf(MeshData{}), "triangles: none; a mesh has at least one");
}

}  // namespace
}  // namespace cairn::testing
