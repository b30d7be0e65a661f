#include "geometry/height_field.hpp"

#include <gtest/gtest.h>

#include "geometry/mesh_testing.hpp"

namespace cairn::testing {
namespace {

HeightFieldDesc randomField(Random& random, std::uint32_t rows, std::uint32_t columns, bool hasHoles, double scale = 1.0) {
  HeightFieldDesc desc;
  desc.rows = rows, desc.columns = columns;
  desc.spacingX = 0.5 * scale, desc.spacingY = 0.3 * scale;
  for (std::uint32_t i = 0; i < rows * columns; ++i) desc.heights.push_back(static_cast<float>(scale * uniform(random, -0.5, 0.5)));
  for (std::uint32_t i = 0; hasHoles && i < (rows - 1) * (columns - 1); ++i) desc.holes.push_back(random() % 5 == 0 ? 1 : 0);
  return desc;
}

// The same triangles as a mesh, with the numbers that they have in the field.
struct AsMesh {
  MeshData data;
  std::vector<std::uint32_t> number;
};
AsMesh meshOf(const HeightField& field) {
  AsMesh mesh;
  for (std::uint32_t v = 0; v < field.rows() * field.columns(); ++v) mesh.data.vertices.push_back(field.vertex(v));
  for (std::uint32_t t = 0; t < 2 * field.cells(); ++t) {
    if (field.isHole(t / 2)) continue;
    mesh.data.triangles.push_back(field.triangleVertices(t));
    mesh.number.push_back(t);
  }
  return mesh;
}

// Every query against the general mesh, which shares only the arithmetic of single triangles.
TEST(HeightField, AgreesWithTheMeshOfItsTriangles) {
  Random random(1);
  int hits = 0;
  for (int i = 0; i < 12; ++i) {
    const double scale = i % 3 == 0 ? 1e-3 : i % 3 == 1 ? 1.0 : 1e3;
    const std::uint32_t rows = 2 + static_cast<std::uint32_t>(random() % 40), columns = 2 + static_cast<std::uint32_t>(random() % 40);
    HeightFieldDesc desc = randomField(random, rows, columns, i % 2 == 1, scale);
    desc.isExact = i % 4 < 2;
    const HeightField field(desc);
    const AsMesh whole = meshOf(field);
    if (whole.number.empty()) continue;
    const auto mesh = whole.data.build();
    const Vec3 half = 0.5 * (field.bounds().upper - field.bounds().lower);
    for (std::uint32_t m = 0; m < mesh->size(); ++m) {
      const std::uint32_t t = whole.number[m];
      for (int k = 0; k < 3; ++k) {
        const std::uint32_t other = mesh->neighbour(m, k);
        ASSERT_EQ(field.neighbour(t, k), other == kNoTriangle ? kNoTriangle : whole.number[other]);
        ASSERT_EQ(field.edgeKind(t, k), mesh->edgeKind(m, k));
        if (other != kNoTriangle) {
          ASSERT_EQ(field.edgeName(t, k), field.edgeName(whole.number[other], static_cast<int>(mesh->oppositeEdge(m, k) % 3)));
        }
      }
    }
    for (int q = 0; q < 200; ++q) {
      const Vec3 at = 1.3 * randomVector(random, 1.0).cwiseProduct(half), size = 0.3 * randomVector(random, 1.0).cwiseProduct(half).cwiseAbs();
      const Aabb box{at - size, at + size};
      std::vector<std::uint32_t> found, expected;
      field.overlap(box, [&](std::uint32_t t) { found.push_back(t); });
      mesh->tree.overlap(mesh->view(), box, [&](std::uint32_t m) { expected.push_back(whole.number[m]); });
      std::ranges::sort(found);
      std::ranges::sort(expected);
      ASSERT_EQ(found, expected);
      const auto near = field.closest(at), expectedNear = mesh->tree.closest(mesh->view(), at);
      ASSERT_TRUE(near && expectedNear);
      ASSERT_EQ(near->distance, expectedNear->distance);
      const Vec3 to = randomVector(random, 1.0).cwiseProduct(half);
      for (const Vec3& direction : {Vec3((to - at).normalized()), Vec3(-Vec3::UnitZ()), Vec3(Vec3::UnitX())}) {
        const auto hit = field.nearestHit(at, direction, 10.0 * half.norm());
        const auto expectedHit = mesh->tree.nearestHit(mesh->view(), at, direction, 10.0 * half.norm());
        ASSERT_EQ(hit.has_value(), expectedHit.has_value());
        if (!hit) continue;
        ASSERT_EQ(hit->distance, expectedHit->distance);
        ASSERT_EQ(hit->isFront, expectedHit->isFront);
        ++hits;
      }
      const auto ground = field.groundAt(at.x(), at.y());
      const Vec3 above(at.x(), at.y(), 100.0 * half.norm());
      const auto under = mesh->tree.nearestHit(mesh->view(), above, -Vec3::UnitZ(), 1000.0 * half.norm());
      ASSERT_EQ(ground.has_value(), under.has_value());
      if (ground) {
        ASSERT_NEAR(ground->height, above.z() - under->distance, 1e-12 * half.norm());
      }
    }
  }
  EXPECT_GT(hits, 1000);
}

TEST(HeightField, SixteenBitsKeepHeightsWithinHalfAStepAtTwoBytes) {
  Random random(2);
  const HeightFieldDesc desc = randomField(random, 300, 200, false);
  const HeightField field(desc);
  for (std::uint32_t i = 0; i < desc.heights.size(); ++i) {
    ASSERT_NEAR(field.height(i / 200, i % 200), desc.heights[i], 0.5001 * field.heightStep());
  }
  EXPECT_LT(field.heightStep(), 1.6e-5);
  EXPECT_LT(static_cast<double>(field.bytes()) / static_cast<double>(desc.heights.size()), 2.2);
  HeightFieldDesc exact = desc;
  exact.isExact = true;
  EXPECT_EQ(HeightField(exact).height(7, 11), static_cast<double>(desc.heights[7 * 200 + 11]));
}

TEST(HeightField, AFlatFieldIsFlat) {
  HeightFieldDesc desc;
  desc.rows = desc.columns = 5;
  desc.heights.assign(25, 2.5f);
  const HeightField field(desc);
  EXPECT_EQ(field.groundAt(0.3, -0.7)->height, 2.5);
  EXPECT_EQ(field.groundAt(0.3, -0.7)->normal, Vec3::UnitZ());
  EXPECT_EQ(field.edgeKind(6, 2), EdgeKind::Flat);
  EXPECT_FALSE(field.groundAt(2.1, 0.0));
}

std::string refusalOf(const HeightFieldDesc& desc) {
  try {
    HeightField field(desc);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

TEST(HeightField, BadInputIsRefusedByField) {
  Random random(3);
  HeightFieldDesc desc = randomField(random, 4, 5, true);
  EXPECT_EQ(refusalOf(desc), "");
  desc.heights.pop_back();
  EXPECT_EQ(refusalOf(desc), "heights: 19; rows * columns is 20");
  desc.heights.push_back(std::numeric_limits<float>::quiet_NaN());
  EXPECT_EQ(refusalOf(desc), "heights[19]: not finite");
  desc.heights[19] = 0.0f;
  desc.holes.pop_back();
  EXPECT_EQ(refusalOf(desc), "holes: 11; (rows - 1) * (columns - 1) is 12");
  desc.holes.clear();
  desc.spacingY = 0.0;
  EXPECT_EQ(refusalOf(desc), "spacing: must be positive and finite");
  desc.rows = 1;
  EXPECT_EQ(refusalOf(desc), "rows, columns: at least 2 each");
}

}  // namespace
}  // namespace cairn::testing
