#include "geometry/mesh_check.hpp"

#include <gtest/gtest.h>

#include "geometry/mesh_mass.hpp"
#include "geometry/mesh_testing.hpp"

namespace cairn::testing {
namespace {

RepairedMesh repair(const MeshData& data, const RepairOptions& options = {}) {
  return repairMesh(data.vertices, data.triangles, options);
}
double volumeOf(const RepairedMesh& mesh) { return meshVolume({mesh.vertices, mesh.triangles}); }

// Only the named defects are found, with their counts and first triangles.
struct Expected {
  MeshDefect defect;
  std::size_t count;
  std::uint32_t triangle;
};
void expectDefects(const MeshReport& report, std::vector<Expected> expected) {
  for (std::size_t d = 0; d < kMeshDefects; ++d) {
    const auto defect = static_cast<MeshDefect>(d);
    const auto wanted = std::ranges::find(expected, defect, &Expected::defect);
    EXPECT_EQ(report[defect].count, wanted == expected.end() ? 0u : wanted->count) << nameOf(defect);
    if (wanted != expected.end()) {
      EXPECT_EQ(report[defect].triangle, wanted->triangle) << nameOf(defect);
    }
  }
}

TEST(MeshCheck, GoodMeshesPassUnchanged) {
  for (const MeshData& data : {boxMesh({1, 2, 3}), sphereMesh(1.0, 3), torusMesh(2.0, 0.5, 40, 20)}) {
    const RepairedMesh mesh = repair(data);
    expectDefects(mesh.report, {});
    EXPECT_TRUE(mesh.report.isWatertight);
    EXPECT_EQ(mesh.report.solidRefusal, "");
    EXPECT_EQ(mesh.report.parts, 1u);
    EXPECT_EQ(mesh.triangles, data.triangles);
    EXPECT_EQ(mesh.vertices, data.vertices);
  }
}

TEST(MeshCheck, SmallAndDistantMeshesAreNotDegenerate) {
  for (double scale : {1e-3, 1e3}) {
    expectDefects(repair(torusMesh(2.0, 0.5, 40, 20).scale(scale)).report, {});
  }
  expectDefects(repair(torusMesh(2.0, 0.5, 40, 20).move({1e6, 1e6, 1e6})).report, {});
}

// As STL files are: no triangle shares a vertex with another.
TEST(MeshCheck, VerticesThatCoincideAreWelded) {
  const MeshData whole = torusMesh(2.0, 0.5, 40, 20);
  MeshData soup;
  Random random(1);
  for (const TriangleIndices& t : whole.triangles) {
    for (std::uint32_t v : t) soup.vertices.push_back(whole.vertices[v] + randomVector(random, 2e-8));  // single precision
    const auto n = static_cast<std::uint32_t>(soup.vertices.size());
    soup.triangles.push_back({n - 3, n - 2, n - 1});
  }
  const RepairedMesh mesh = repair(soup);
  expectDefects(mesh.report, {{MeshDefect::DuplicateVertices, 4800 - 800, 1}});
  EXPECT_EQ(mesh.vertices.size(), whole.vertices.size());
  EXPECT_TRUE(mesh.report[MeshDefect::DuplicateVertices].isRepaired);
  EXPECT_EQ(mesh.report.solidRefusal, "");
  EXPECT_NEAR(volumeOf(mesh), meshVolume(whole.view()), 1e-6);
}

TEST(MeshCheck, AnOpenBoxIsNoSolidAndTheTriangleIsNamed) {
  MeshData data = boxMesh(Vec3::Ones());
  data.triangles.erase(data.triangles.begin() + 5);
  const RepairedMesh mesh = repair(data);
  expectDefects(mesh.report, {{MeshDefect::OpenEdges, 3, 0}});
  EXPECT_FALSE(mesh.report.isWatertight);
  EXPECT_EQ(mesh.report.refusal, "");
  EXPECT_EQ(mesh.report.solidRefusal, "open edges: 3, the first at triangle 0");
}

TEST(MeshCheck, TrianglesTurnedTheWrongWayAreTurnedBack) {
  MeshData data = sphereMesh(1.0, 2);
  const double volume = meshVolume(data.view());
  for (std::uint32_t t : {7u, 30u, 31u, 100u}) std::swap(data.triangles[t][0], data.triangles[t][1]);
  const RepairedMesh mesh = repair(data);
  expectDefects(mesh.report, {{MeshDefect::InconsistentWinding, 4, 7}});
  EXPECT_NEAR(volumeOf(mesh), volume, 1e-12);
}

TEST(MeshCheck, AnInvertedSolidIsTurnedOutwardsWithItsCavity) {
  MeshData hollow = boxMesh(Vec3::Constant(2.0));
  MeshData cavity = sphereMesh(1.0, 2);
  for (TriangleIndices& t : cavity.triangles) std::swap(t[1], t[2]);
  hollow.append(cavity);
  const double volume = meshVolume(hollow.view());
  RepairedMesh mesh = repair(hollow);
  expectDefects(mesh.report, {});
  EXPECT_EQ(mesh.report.parts, 2u);
  for (TriangleIndices& t : hollow.triangles) std::swap(t[1], t[2]);
  mesh = repair(hollow);
  expectDefects(mesh.report, {{MeshDefect::InvertedParts, 1, 0}});
  EXPECT_NEAR(volumeOf(mesh), volume, 1e-12);
  EXPECT_EQ(mesh.part.front(), 0u);
  EXPECT_EQ(mesh.part.back(), 1u);
}

TEST(MeshCheck, PartsSideBySideAreTurnedOneByOne) {
  MeshData data = boxMesh(Vec3::Ones());
  MeshData other = boxMesh(Vec3::Ones()).move({5, 0, 0});
  for (TriangleIndices& t : other.triangles) std::swap(t[1], t[2]);
  const RepairedMesh mesh = repair(data.append(other));
  expectDefects(mesh.report, {{MeshDefect::InvertedParts, 1, 12}});
  EXPECT_NEAR(volumeOf(mesh), 16.0, 1e-12);
}

TEST(MeshCheck, CrossingPartsAreFoundAndNotMended) {
  MeshData data = boxMesh(Vec3::Ones());
  data.append(boxMesh(Vec3::Ones()).move({0.5, 0.3, 0.2}));
  const RepairedMesh mesh = repair(data);
  EXPECT_GT(mesh.report[MeshDefect::SelfIntersections].count, 0u);
  EXPECT_FALSE(mesh.report[MeshDefect::SelfIntersections].isRepaired);
  EXPECT_EQ(mesh.report.solidRefusal.substr(0, 19), "self-intersections:");
}

TEST(MeshCheck, BoxesThatOnlyTouchDoNotCross) {
  MeshData data = boxMesh(Vec3::Ones());
  data.append(boxMesh(Vec3::Ones()).move({2.0, 0.3, 0.2}));
  const auto mesh = data.build();
  // The two faces lie in one plane and overlap there: that is a crossing of surfaces. Edge against face is not.
  const CrossingCount flat = findCrossings(mesh->view(), mesh->tree);
  EXPECT_GT(flat.pairs, 0u);
  MeshData edge = boxMesh(Vec3::Ones());
  MeshData turned = boxMesh(Vec3::Ones());
  for (Vec3& v : turned.vertices) v = Eigen::AngleAxisd(0.25 * std::numbers::pi, Vec3::UnitZ()) * v;
  edge.append(turned.move({1.0 + std::sqrt(2.0), 0.2, 0.1}));
  const auto other = edge.build();
  EXPECT_EQ(findCrossings(other->view(), other->tree).pairs, 0u);
}

// Whether segments of one triangle pass the other, by sampling: no code in common.
TEST(MeshCheck, CrossingsAgreeWithSampledTriangles) {
  Random random(3);
  int crossing = 0, apart = 0;
  for (int i = 0; i < 3000; ++i) {
    MeshData data;
    for (int k = 0; k < 6; ++k) data.vertices.push_back(randomVector(random, 1.0));
    data.triangles = {{0, 1, 2}, {3, 4, 5}};
    const auto mesh = data.build();
    const bool found = findCrossings(mesh->view(), mesh->tree).pairs == 1;
    // Distance between the two by sampling edges of each against the other.
    double least = 1e9;
    for (int side = 0; side < 2; ++side) {
      const Triangle a = mesh->triangle(side), b = mesh->triangle(1 - side);
      for (int k = 0; k < 3; ++k) {
        for (int s = 0; s <= 40; ++s) {
          const Vec3 p = a.corner[k] + s / 40.0 * (a.corner[(k + 1) % 3] - a.corner[k]);
          least = std::min(least, (closestOnTriangle(b, p).point - p).norm());
        }
      }
    }
    if (found) {
      ASSERT_LT(least, 0.09);
    }
    if (least > 0.09) {
      ASSERT_FALSE(found);
    }
    crossing += found ? 1 : 0;
    apart += least > 0.09 ? 1 : 0;
  }
  EXPECT_GT(crossing, 300);
  EXPECT_GT(apart, 300);
}

TEST(MeshCheck, SliversAreMergedWithoutOpeningTheSurface) {
  // A needle (two corners 1e-7 m apart) and a cap (a corner on the edge across) in a closed box.
  MeshData data = boxMesh(Vec3::Ones());
  const double volume = meshVolume(data.view());
  // Split the edge between the first two triangles' shared diagonal near its end: a needle on both sides.
  const TriangleIndices first = data.triangles[0], second = data.triangles[1];
  const auto middle = static_cast<std::uint32_t>(data.vertices.size());
  data.vertices.push_back(0.5 * (data.vertices[first[0]] + data.vertices[first[2]]) + Vec3(0, 0, 2e-6));
  data.triangles[0] = {first[0], first[1], middle};
  data.triangles.push_back({first[1], first[2], middle});
  // The other side keeps the whole diagonal, and a cap closes the gap.
  data.triangles.push_back({first[0], middle, first[2]});
  EXPECT_EQ(data.triangles[1], second);
  const auto near = static_cast<std::uint32_t>(data.vertices.size());
  data.vertices.push_back(data.vertices[7] + Vec3(-4e-6, -3e-6, 0));
  for (TriangleIndices& t : data.triangles) {
    // Every triangle of the face z = 1 that uses vertex 7 takes the near one; a needle fills the gap on each side.
    if (t == TriangleIndices{4, 5, 7} || t == TriangleIndices{4, 7, 6}) std::ranges::replace(t, 7u, near);
  }
  data.triangles.push_back({5, 7, near});
  data.triangles.push_back({7, 6, near});
  ASSERT_TRUE(data.build()->isClosed);
  const RepairedMesh mesh = repair(data);
  expectDefects(mesh.report, {{MeshDefect::DegenerateTriangles, 3, 13}});
  EXPECT_TRUE(mesh.report.isWatertight);
  EXPECT_EQ(mesh.report.solidRefusal, "");
  EXPECT_NEAR(volumeOf(mesh), volume, 1e-4);
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    EXPECT_GE((TriangleView{mesh.vertices, mesh.triangles}.triangle(t).altitude()), 1e-5);
  }
}

TEST(MeshCheck, EqualTrianglesAreKeptOnce) {
  MeshData data = boxMesh(Vec3::Ones());
  const TriangleIndices t = data.triangles[4];
  data.triangles.push_back({t[1], t[2], t[0]});
  const RepairedMesh mesh = repair(data);
  expectDefects(mesh.report, {{MeshDefect::DuplicateTriangles, 1, 12}});
  EXPECT_EQ(mesh.triangles.size(), 12u);
  EXPECT_EQ(mesh.report.solidRefusal, "");
}

TEST(MeshCheck, NonManifoldEdgesAndVerticesAreCounted) {
  MeshData data = boxMesh(Vec3::Ones());
  data.vertices.push_back({3, 3, 3});
  data.triangles.push_back({6, 7, 8});  // a fin on an edge
  RepairedMesh mesh = repair(data);
  EXPECT_EQ(mesh.report[MeshDefect::NonManifoldEdges].count, 1u);
  EXPECT_EQ(mesh.report[MeshDefect::OpenEdges].count, 2u);
  MeshData two = boxMesh(Vec3::Ones()).append(boxMesh(Vec3::Ones()).move(Vec3::Constant(2.0)));
  mesh = repair(two);  // welding makes the two corners one vertex
  expectDefects(mesh.report, {{MeshDefect::DuplicateVertices, 1, 12}, {MeshDefect::NonManifoldVertices, 1, 2}});
  EXPECT_EQ(mesh.report.parts, 1u);
  EXPECT_EQ(mesh.report.solidRefusal, "") << "two solids that touch in a point are still solids";
}

TEST(MeshCheck, AMoebiusStripCannotBeOriented) {
  MeshData strip;
  constexpr std::uint32_t n = 30;
  for (std::uint32_t i = 0; i < n; ++i) {
    const double u = 2.0 * std::numbers::pi * i / n;
    for (double s : {-0.3, 0.3}) {
      const double r = 1.0 + s * std::cos(0.5 * u);
      strip.vertices.push_back({r * std::cos(u), r * std::sin(u), s * std::sin(0.5 * u)});
    }
  }
  for (std::uint32_t i = 0; i < n; ++i) {
    const std::uint32_t a = 2 * i, b = 2 * i + 1, c = i + 1 < n ? 2 * i + 2 : 1, d = i + 1 < n ? 2 * i + 3 : 0;
    strip.triangles.push_back({a, c, d});
    strip.triangles.push_back({a, d, b});
  }
  const RepairedMesh mesh = repair(strip);
  EXPECT_EQ(mesh.report[MeshDefect::Unorientable].count, 1u);
  EXPECT_FALSE(mesh.report.isWatertight);
}

TEST(MeshCheck, BadNumbersAndIndicesAreRefusedWithTheTriangle) {
  MeshData data = boxMesh(Vec3::Ones());
  data.vertices[7].x() = std::numeric_limits<double>::infinity();
  RepairedMesh mesh = repair(data);
  expectDefects(mesh.report, {{MeshDefect::NotFinite, 1, 2}});
  EXPECT_EQ(mesh.report.refusal, "coordinates that are no numbers: 1, the first at triangle 2");
  EXPECT_TRUE(mesh.triangles.empty());
  data = boxMesh(Vec3::Ones());
  data.triangles[9][2] = 4000000000u;
  mesh = repair(data);
  expectDefects(mesh.report, {{MeshDefect::IndexOutOfRange, 1, 9}});
  EXPECT_EQ(repair({}).report.refusal, "no triangles");
  MeshData flat{{{0, 0, 0}, {1, 0, 0}, {2, 0, 0}}, {{0, 1, 2}}};
  EXPECT_EQ(repair(flat).report.refusal.substr(0, 28), "all triangles are degenerate");
}

// Any soup of numbers and indices is judged, not crashed on, and what comes out can be built.
TEST(MeshCheck, RandomRubbishIsJudged) {
  Random random(5);
  for (int i = 0; i < 500; ++i) {
    MeshData data;
    const int vertices = 1 + static_cast<int>(random() % 12), triangles = static_cast<int>(random() % 40);
    for (int v = 0; v < vertices; ++v) {
      Vec3 p = randomVector(random, 2.0).array().round();
      if (i % 5 == 0) p *= 1e-9;
      data.vertices.push_back(p);
    }
    for (int t = 0; t < triangles; ++t) {
      TriangleIndices indices;
      for (std::uint32_t& v : indices) v = static_cast<std::uint32_t>(random() % (vertices + (i % 10 == 0 ? 1 : 0)));
      data.triangles.push_back(indices);
    }
    const RepairedMesh mesh = repair(data);
    if (!mesh.report.refusal.empty()) continue;
    const auto built = buildTriangleMesh(mesh.vertices, mesh.triangles);
    EXPECT_EQ(built->isClosed, mesh.report.isWatertight);
    EXPECT_EQ(mesh.source.size(), mesh.triangles.size());
  }
}

}  // namespace
}  // namespace cairn::testing
