// Convex shapes on meshes, height fields, compounds and fields: against the plane that they stand for, and against brute
// force over triangles.
#include <gtest/gtest.h>

#include "cairn/surface.hpp"
#include "collision/composite_touch.hpp"
#include "collision/random_shapes.hpp"

namespace cairn::test {
namespace {

constexpr double kMargin = 0.02;

MeshShape flatGrid(int cells, double size) {
  SurfaceTriangles surface;
  for (int row = 0; row <= cells; ++row)
    for (int column = 0; column <= cells; ++column)
      surface.vertices.push_back({size * (column - 0.5 * cells), size * (row - 0.5 * cells), 0.0});
  const auto at = [&](int row, int column) { return static_cast<std::uint32_t>(row * (cells + 1) + column); };
  for (int row = 0; row < cells; ++row)
    for (int column = 0; column < cells; ++column) {
      surface.triangles.push_back({at(row, column), at(row, column + 1), at(row + 1, column + 1)});
      surface.triangles.push_back({at(row, column), at(row + 1, column + 1), at(row + 1, column)});
    }
  MeshShape shape;
  shape.mesh = makeMesh(std::move(surface));
  return shape;
}

struct Found {
  std::vector<Manifold> manifolds;
  double deepest = std::numeric_limits<double>::infinity();
};
Found touchAll(const Shape& a, const Pose& poseA, const Shape& b, const Pose& poseB, double margin = kMargin) {
  Found found;
  Manifold room;
  touch(a, poseA, b, poseB, margin, room, [&](Children, const Manifold& manifold) {
    found.manifolds.push_back(manifold);
    found.deepest = std::min(found.deepest, deepest(manifold));
  });
  return found;
}

// On a flat grid of triangles every shape has the contact that it has with a plane: one patch, the same depth, the same
// normal.
TEST(SurfaceContact, AFlatGridIsAPlane) {
  Random random(11);
  const Shape plane = makeShape(Plane{});
  for (const double cell : {0.05, 0.3, 2.0}) {
    const Shape grid = makeShape(flatGrid(cell < 0.1 ? 80 : 16, cell));
    for (int type = 1; type < kShapeTypeCount; ++type) {
      for (int k = 0; k < samples(60); ++k) {
        const Shape shape = randomShape(random, static_cast<ShapeType>(type), 0.5);
        Pose pose{Vec3(uniform(random, -0.5, 0.5), uniform(random, -0.5, 0.5), 0.0), randomRotation(random)};
        if (k % 3 == 0) pose.rotation = Quat::Identity();
        const double lowest = (pose.rotation * support(shape, pose.inverseDirection(-Vec3::UnitZ()))).z();
        pose.position.z() = -lowest + uniform(random, -0.01, 0.015);
        const Found onPlane = touchAll(plane, {}, shape, pose), onGrid = touchAll(grid, {}, shape, pose);
        SCOPED_TRACE(std::string(kTypeNames[type]) + " " + std::to_string(k) + " cells of " + std::to_string(cell));
        ASSERT_EQ(onGrid.manifolds.size(), 1u);
        EXPECT_NEAR(onGrid.deepest, onPlane.deepest, 1e-7);
        EXPECT_LE((onGrid.manifolds[0].normal - Vec3::UnitZ()).norm(), 1e-9);
        for (int i = 0; i < onGrid.manifolds[0].count; ++i) {
          // Each point has the height of a point of the shape over the plane.
          EXPECT_GE(onGrid.manifolds[0].points[i].separation, onPlane.deepest - 1e-7);
          for (int j = 0; j < i; ++j)
            EXPECT_NE(onGrid.manifolds[0].points[i].feature, onGrid.manifolds[0].points[j].feature);
        }
      }
    }
  }
}

TEST(SurfaceContact, ABoxThatLiesOnManyTrianglesHasItsFourCorners) {
  const Shape grid = makeShape(flatGrid(80, 0.05)), box = makeShape(Box{{0.4, 0.3, 0.1}});
  const Pose pose{{0.013, 0.021, 0.099}, Quat(Eigen::AngleAxisd(0.3, Vec3::UnitZ()))};
  const Found found = touchAll(grid, {}, box, pose);
  ASSERT_EQ(found.manifolds.size(), 1u);
  ASSERT_EQ(found.manifolds[0].count, 4);
  for (int i = 0; i < 4; ++i) {
    const ManifoldPoint& point = found.manifolds[0].points[i];
    EXPECT_NEAR(point.separation, -0.001, 1e-9);
    const Vec3 local = pose.inversePoint(point.position).cwiseAbs();
    EXPECT_NEAR(local.x(), 0.4, 1e-6);
    EXPECT_NEAR(local.y(), 0.3, 1e-6);
  }
}

// Apart from a rough surface: the distance is the least over all triangles, each by itself.
TEST(SurfaceContact, DistanceToARoughSurfaceIsTheLeastOverItsTriangles) {
  Random random(5);
  HeightGrid heights;
  heights.rows = heights.columns = 13;
  heights.spacing = 0.3;
  for (int i = 0; i < 169; ++i) heights.heights.push_back(static_cast<float>(uniform(random, -0.15, 0.15)));
  const auto field = makeHeightField(heights);
  const SurfaceTriangles triangles = trianglesOf(*field);
  MeshShape mesh;
  mesh.mesh = makeMesh(triangles);
  for (const Shape& surface : {makeShape(mesh), makeShape(HeightFieldShape{field})}) {
    for (int type = 1; type < kShapeTypeCount; ++type) {
      for (int k = 0; k < samples(60); ++k) {
        const Shape shape = randomShape(random, static_cast<ShapeType>(type), 0.4);
        Pose pose{Vec3(uniform(random, -1.0, 1.0), uniform(random, -1.0, 1.0), 1.0), randomRotation(random)};
        const auto brute = [&] {
          double least = std::numeric_limits<double>::infinity();
          for (const auto& [a, b, c] : triangles.triangles) {
            const Vec3 corners[3] = {triangles.vertices[a], triangles.vertices[b], triangles.vertices[c]};
            Shape triangle;
            triangle.type = ShapeType::Triangle;
            triangle.corners = corners;
            least = std::min(least, signedDistance(triangle, {}, shape, pose).distance);
          }
          return least;
        };
        pose.position.z() -= brute() - uniform(random, 0.002, 0.015);
        const double least = brute();
        if (least < 1e-4) continue;
        SCOPED_TRACE(std::string(kTypeNames[type]) + " " + std::to_string(k));
        EXPECT_NEAR(signedDistance(surface, {}, shape, pose).distance, least, 1e-9);
        const Found found = touchAll(surface, {}, shape, pose);
        if (least > kMargin - 1e-4) continue;
        ASSERT_FALSE(found.manifolds.empty());
        EXPECT_NEAR(found.deepest, least, 0.02 * least + 1e-6);
      }
    }
  }
}

TEST(SurfaceContact, ChildrenOfCompoundsTouchAsTheyWouldAlone) {
  Random random(3);
  Compound compound;
  std::vector<std::pair<Shape, Pose>> alone;
  for (int i = 0; i < 200; ++i) {
    const Box box{{uniform(random, 0.05, 0.2), uniform(random, 0.05, 0.2), uniform(random, 0.05, 0.2)}};
    const Pose place{randomVector(random, 1.5), randomRotation(random)};
    compound.children.push_back({box, place});
    alone.push_back({makeShape(box), place});
  }
  const Shape whole = makeShape(compound);
  for (int k = 0; k < samples(200); ++k) {
    const Shape shape = randomShape(random, static_cast<ShapeType>(1 + k % (kShapeTypeCount - 1)), 0.4);
    const Pose pose{randomVector(random, 1.5), randomRotation(random)};
    const Pose placed{randomVector(random, 0.2), randomRotation(random)};
    std::size_t expected = 0;
    Manifold manifold;
    for (const auto& [one, place] : alone) {
      touchChildren(one, placed * place, shape, pose, {}, kMargin, manifold);
      expected += manifold.count > 0 ? 1 : 0;
    }
    EXPECT_EQ(touchAll(whole, placed, shape, pose).manifolds.size(), expected);
    EXPECT_EQ(touchAll(shape, pose, whole, placed).manifolds.size(), expected);
  }
}

TEST(SurfaceContact, ABallInADistanceFieldHasTheFieldsDistance) {
  FieldSolid ring;
  ring.kind = FieldSolid::Kind::Torus;
  ring.size = {1.0, 0.25, 0.25};
  const Shape field = makeShape(DistanceFieldShape{makeDistanceField(ring)});
  Random random(9);
  const Shape ball = makeShape(Sphere{0.1});
  for (int k = 0; k < samples(300); ++k) {
    const double angle = uniform(random, 0.0, 6.28), around = uniform(random, 0.0, 6.28), gap = uniform(random, -0.03, 0.015);
    const Vec3 out(std::cos(angle), std::sin(angle), 0.0);
    const Vec3 normal = std::cos(around) * out + std::sin(around) * Vec3::UnitZ();
    const Pose pose{out + (0.35 + gap) * normal, Quat::Identity()};
    const Found found = touchAll(ball, pose, field, {});
    ASSERT_EQ(found.manifolds.size(), 1u);
    EXPECT_NEAR(found.deepest, gap, 1e-9);
    EXPECT_LE((found.manifolds[0].normal + normal).norm(), 1e-6);
  }
}

}  // namespace
}  // namespace cairn::test
