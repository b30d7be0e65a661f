#include "geometry/hull.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <stdexcept>

#include "geometry/testing.hpp"

namespace cairn::testing {
namespace {

double extentOf(std::span<const Vec3> points) {
  Aabb box;
  for (const Vec3& p : points) box = box.united({p, p});
  return (box.upper - box.lower).maxCoeff();
}

// Everything that a proper convex polyhedron around the points must be.
void expectProperHull(const Hull& hull, std::span<const Vec3> points) {
  const double extent = extentOf(points);
  // Twice the coplanar tolerance: a point may be merged away, and the face that it was merged into is itself off by as much.
  const double tolerance = 2.0 * kHullCoplanarTolerance * extent;
  ASSERT_EQ(hull.vertices.size() + hull.faces.size(), hull.edges.size() + 2) << "Euler";
  ASSERT_GE(hull.faces.size(), 4u);
  std::set<std::uint32_t> used;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> sides;
  Vec3 areaSum = Vec3::Zero();
  double volume = 0.0;
  for (std::uint32_t f = 0; f < hull.faces.size(); ++f) {
    const HullFace& face = hull.faces[f];
    const auto loop = hull.loop(face);
    ASSERT_GE(loop.size(), 3u);
    EXPECT_NEAR(face.normal.norm(), 1.0, 1e-14);
    for (const Vec3& p : points) ASSERT_LE(face.normal.dot(p) - face.offset, tolerance);
    Vec3 area = Vec3::Zero();
    for (std::size_t i = 0; i < loop.size(); ++i) {
      const Vec3& p = hull.vertices[loop[i]];
      const Vec3& q = hull.vertices[loop[(i + 1) % loop.size()]];
      EXPECT_NEAR(face.normal.dot(p), face.offset, tolerance);
      EXPECT_TRUE((sides.emplace(std::pair{loop[i], loop[(i + 1) % loop.size()]}, f).second)) << "a side occurs twice";
      used.insert(loop[i]);
      area += 0.5 * (p - hull.interior).cross(q - hull.interior);
    }
    EXPECT_GT(area.dot(face.normal), 0.0) << "the loop runs clockwise";
    EXPECT_LT(face.normal.dot(hull.interior), face.offset);
    areaSum += area;
    volume += area.dot(face.normal) * (face.offset - face.normal.dot(hull.interior)) / 3.0;
  }
  EXPECT_LT(areaSum.norm(), 1e-9 * extent * extent) << "the surface is not closed";
  EXPECT_GT(volume, 0.0);
  EXPECT_EQ(used.size(), hull.vertices.size()) << "a vertex belongs to no face";
  for (const HullEdge& edge : hull.edges) {
    ASSERT_NE(edge.face0, edge.face1);
    EXPECT_EQ(sides.at({edge.vertex0, edge.vertex1}), edge.face0);
    EXPECT_EQ(sides.at({edge.vertex1, edge.vertex0}), edge.face1);
  }
}

std::vector<Vec3> gridPoints(int steps) {
  std::vector<Vec3> points;
  for (int x = 0; x <= steps; ++x) {
    for (int y = 0; y <= steps; ++y) {
      for (int z = 0; z <= steps; ++z) points.emplace_back(x, y, z);
    }
  }
  return points;
}

std::string refusal(const std::vector<Vec3>& points) {
  try {
    buildHull(points);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Hull, RandomCloudsOfAllSizesBecomeProperPolyhedra) {
  Random random(1);
  for (int i = 0; i < 200; ++i) {
    const double size = logUniform(random, 1e-6, 1e6);
    const Vec3 half = size * Vec3(1.0, logUniform(random, 1e-3, 1.0), logUniform(random, 1e-3, 1.0));
    const Pose pose = randomPose(random, size);
    std::vector<Vec3> points = randomCloud(random, 5 + i % 60, half).points;
    for (Vec3& p : points) p = pose.point(p);
    SCOPED_TRACE(i);
    expectProperHull(*buildHull(points), points);
  }
}

TEST(Hull, GridOfManyCoplanarPointsIsABoxOfSixQuads) {
  Random random(2);
  for (int steps : {1, 2, 3, 6}) {
    for (int turn = 0; turn < 10; ++turn) {
      const Pose pose = turn == 0 ? Pose{} : randomPose(random, 5.0);
      std::vector<Vec3> points = gridPoints(steps);
      for (Vec3& p : points) p = pose.point(p);
      const auto hull = buildHull(points);
      expectProperHull(*hull, points);
      EXPECT_EQ(hull->vertices.size(), 8u);
      EXPECT_EQ(hull->faces.size(), 6u);
      EXPECT_EQ(hull->edges.size(), 12u);
    }
  }
}

TEST(Hull, BoxReadFromSinglePrecisionHasSixFaces) {
  Random random(3);
  for (int i = 0; i < 50; ++i) {
    const Pose pose = randomPose(random, 0.2);
    std::vector<Vec3> points;
    for (const Vec3& corner : boxHull({1.0, 0.5, 0.7}).vertices) {
      points.push_back(pose.point(corner).cast<float>().cast<double>());
    }
    const auto hull = buildHull(points);
    expectProperHull(*hull, points);
    EXPECT_EQ(hull->faces.size(), 6u);
  }
}

TEST(Hull, PrismOverAPolygonHasItsSidesAndTwoCaps) {
  for (int sides : {3, 5, 8, 32, 100}) {
    std::vector<Vec3> points;
    for (int i = 0; i < sides; ++i) {
      const double angle = 2.0 * M_PI * i / sides;
      for (double z : {-1.0, 1.0}) points.emplace_back(std::cos(angle), std::sin(angle), z);
    }
    const auto hull = buildHull(points);
    expectProperHull(*hull, points);
    EXPECT_EQ(hull->faces.size(), static_cast<std::size_t>(sides + 2));
  }
}

TEST(Hull, DuplicatesAndInnerPointsAreDroppedAndVerticesKeepTheirBits) {
  Random random(4);
  for (int i = 0; i < 50; ++i) {
    std::vector<Vec3> points = randomCloud(random, 30, Vec3::Constant(0.3)).points;
    for (int k = 0; k < 20; ++k) points.push_back(points[k]);
    const auto hull = buildHull(points);
    expectProperHull(*hull, points);
    for (const Vec3& vertex : hull->vertices) EXPECT_EQ(std::ranges::count(points, vertex) > 0, true);
  }
}

TEST(Hull, SamePointsGiveTheSameHullBitForBit) {
  Random random(5);
  const std::vector<Vec3> points = randomCloud(random, 80, Vec3::Ones()).points;
  const auto first = buildHull(points);
  const auto second = buildHull(points);
  EXPECT_EQ(first->vertices, second->vertices);
  EXPECT_EQ(first->faceVertices, second->faceVertices);
  ASSERT_EQ(first->faces.size(), second->faces.size());
  for (std::size_t i = 0; i < first->faces.size(); ++i) EXPECT_EQ(first->faces[i].normal, second->faces[i].normal);
}

TEST(Hull, PointsWithoutVolumeAreRefusedWithAReason) {
  Random random(6);
  std::vector<Vec3> flat, line, same(10, Vec3(1, 2, 3));
  const Pose pose = randomPose(random, 3.0);
  for (int i = 0; i < 20; ++i) {
    flat.push_back(pose.point({uniform(random, -1, 1), uniform(random, -1, 1), 0.0}));
    line.push_back(pose.point({uniform(random, -1, 1), 0.0, 0.0}));
  }
  EXPECT_NE(refusal(flat).find("one plane"), std::string::npos) << refusal(flat);
  EXPECT_NE(refusal(line).find("one line"), std::string::npos) << refusal(line);
  EXPECT_NE(refusal(same).find("same point"), std::string::npos) << refusal(same);
  EXPECT_NE(refusal({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}).find("at least 4"), std::string::npos);
  EXPECT_NE(refusal({}).find("at least 4"), std::string::npos);
  EXPECT_NE(refusal({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, NAN}}).find("point 3 is not finite"), std::string::npos);
  EXPECT_NE(refusal({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, INFINITY}}).find("not finite"), std::string::npos);
}

TEST(Hull, RefusalSaysNothingOnTheTerminal) {
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  refusal({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}, {0.3, 0.3, 1e-15}});
  buildHull(gridPoints(3));
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

TEST(Hull, BoxHullIsWhatQhullMakesOfItsCorners) {
  const Hull box = boxHull({1.0, 2.0, 3.0});
  expectProperHull(box, box.vertices);
  EXPECT_EQ(box.vertices.size(), 8u);
  EXPECT_EQ(box.edges.size(), 12u);
  EXPECT_EQ(box.interior, Vec3::Zero().eval());
  EXPECT_EQ(buildHull(box.vertices)->faces.size(), 6u);
}

}  // namespace
}  // namespace cairn::testing
