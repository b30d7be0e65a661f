// Boxes on boxes: the patch, its corners and their names.
#include <gtest/gtest.h>

#include <algorithm>

#include "collision/random_shapes.hpp"

namespace cairn::test {
namespace {

constexpr double kMargin = 0.02;

struct Point2 {
  double x, y;
};

// The overlap of two rectangles by definition: all corners of one inside the other and all crossings of their sides.
struct Rectangle {
  double cx, cy, hx, hy, angle;

  std::vector<Point2> corners() const {
    std::vector<Point2> result;
    const double c = std::cos(angle), s = std::sin(angle);
    for (const auto& [i, j] : {std::pair{1, 1}, {-1, 1}, {-1, -1}, {1, -1}}) {
      result.push_back({cx + c * i * hx - s * j * hy, cy + s * i * hx + c * j * hy});
    }
    return result;
  }
  bool contains(const Point2& p, double slack) const {
    const double c = std::cos(angle), s = std::sin(angle);
    const double x = c * (p.x - cx) + s * (p.y - cy), y = -s * (p.x - cx) + c * (p.y - cy);
    return std::abs(x) <= hx + slack && std::abs(y) <= hy + slack;
  }
};

std::vector<Point2> overlapByDefinition(const Rectangle& a, const Rectangle& b) {
  std::vector<Point2> points;
  for (const Point2& p : a.corners()) {
    if (b.contains(p, 0.0)) points.push_back(p);
  }
  for (const Point2& p : b.corners()) {
    if (a.contains(p, 0.0)) points.push_back(p);
  }
  const auto ca = a.corners(), cb = b.corners();
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 4; ++j) {
      const Point2 p = ca[i], q = ca[(i + 1) % 4], r = cb[j], s = cb[(j + 1) % 4];
      const double dx = q.x - p.x, dy = q.y - p.y, ex = s.x - r.x, ey = s.y - r.y;
      const double det = dx * ey - dy * ex;
      if (std::abs(det) < 1e-12) continue;
      const double t = ((r.x - p.x) * ey - (r.y - p.y) * ex) / det, u = ((r.x - p.x) * dy - (r.y - p.y) * dx) / det;
      if (t >= 0 && t <= 1 && u >= 0 && u <= 1) points.push_back({p.x + t * dx, p.y + t * dy});
    }
  }
  return points;
}

double nearest(const std::vector<Point2>& points, const Vec3& p) {
  double best = std::numeric_limits<double>::infinity();
  for (const Point2& q : points) best = std::min(best, std::hypot(p.x() - q.x, p.y() - q.y));
  return best;
}

double hullArea(std::vector<Point2> points) {  // monotone chain
  std::sort(points.begin(), points.end(),
            [](const Point2& a, const Point2& b) { return a.x < b.x || (a.x == b.x && a.y < b.y); });
  std::vector<Point2> chain;
  const auto turn = [](const Point2& a, const Point2& b, const Point2& c) {
    return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
  };
  for (int pass = 0; pass < 2; ++pass) {
    const std::size_t start = chain.size();
    for (const Point2& p : points) {
      while (chain.size() >= start + 2 && turn(chain[chain.size() - 2], chain.back(), p) <= 0) chain.pop_back();
      chain.push_back(p);
    }
    chain.pop_back();
    std::reverse(points.begin(), points.end());
  }
  double area = 0.0;
  for (std::size_t i = 0; i < chain.size(); ++i) {
    const Point2 &a = chain[i], &b = chain[(i + 1) % chain.size()];
    area += 0.5 * (a.x * b.y - a.y * b.x);
  }
  return area;
}

TEST(BoxManifold, PointsAreCornersOfTheOverlapPolygonAndSpanMostOfIt) {
  Random random(1);
  int patches = 0;
  for (int k = 0; k < samples(3000); ++k) {
    const Vec3 halfA(uniform(random, 0.2, 1.0), uniform(random, 0.2, 1.0), 0.5);
    const Vec3 halfB(uniform(random, 0.2, 1.0), uniform(random, 0.2, 1.0), 0.5);
    const double angle = k % 3 == 0 ? 0.0 : (k % 3 == 1 ? std::numbers::pi / 4 : uniform(random, -3.0, 3.0));
    const double gap = uniform(random, -0.01, 0.01);
    const Vec3 center(uniform(random, -1.0, 1.0), uniform(random, -1.0, 1.0), 1.0 + gap);
    const std::vector<Point2> expected =
        overlapByDefinition({0, 0, halfA.x(), halfA.y(), 0}, {center.x(), center.y(), halfB.x(), halfB.y(), angle});
    if (expected.size() < 3 || hullArea(expected) < 0.05) continue;  // slivers have a shorter way out sideways
    Manifold manifold;
    collide(makeShape(Box{halfA}), {}, makeShape(Box{halfB}), {center, Quat(Eigen::AngleAxisd(angle, Vec3::UnitZ()))},
            kMargin, manifold);
    ASSERT_GE(manifold.count, 3) << k;
    ++patches;
    EXPECT_LE((manifold.normal - Vec3::UnitZ()).norm(), 1e-12);
    std::vector<Point2> corners;
    for (int i = 0; i < manifold.count; ++i) {
      const ManifoldPoint& p = manifold.points[i];
      EXPECT_LE(nearest(expected, p.position), 3e-7) << k;  // kClipSlop of a metre, along a slanted side
      EXPECT_NEAR(p.separation, gap, 1e-12);
      EXPECT_NEAR(p.position.z(), 0.5 + 0.5 * gap, 1e-12);
      corners.push_back({p.position.x(), p.position.y()});
    }
    // The largest quadrilateral in any convex region has at least 2/pi of its area (Sas 1939); the ellipse is the worst.
    EXPECT_GE(hullArea(corners), 2.0 / std::numbers::pi * hullArea(expected)) << k;
    EXPECT_TRUE(angle != 0.0 || std::abs(hullArea(corners) - hullArea(expected)) < 1e-6) << k;
  }
  EXPECT_GT(patches, samples(1500));
}

TEST(BoxManifold, BrickOnTwoBricksHasAllCornersOfBothPatches) {
  // Running bond: half of the upper brick on each lower one, with a joint of 1 cm between them.
  const Shape brick = makeShape(Box{{0.25, 0.125, 0.1}});
  const Pose upper{{0.0, 0.0, 0.2}, Quat::Identity()};
  for (const double side : {-1.0, 1.0}) {
    Manifold manifold;
    collide(brick, {{side * 0.255, 0.0, 0.0}, Quat::Identity()}, brick, upper, kMargin, manifold);
    ASSERT_EQ(manifold.count, 4);
    for (const double x : {side * 0.005, side * 0.25}) {
      for (const double y : {-0.125, 0.125}) {
        double best = 1.0;
        for (const ManifoldPoint& p : manifold.points) best = std::min(best, (p.position - Vec3(x, y, 0.1)).norm());
        EXPECT_LE(best, 1e-7);
      }
    }
  }
}

TEST(BoxManifold, EachPointOfATiltedFaceHasItsOwnDistanceToTheReferenceFace) {
  Random random(3);
  const Shape ground = makeShape(Box{{5, 5, 1}});
  const Shape box = makeShape(Box{{0.5, 0.5, 0.5}});
  for (int k = 0; k < samples(500); ++k) {
    Pose pose{{uniform(random, -3, 3), uniform(random, -3, 3), 1.5},
              Quat(Eigen::AngleAxisd(uniform(random, -0.01, 0.01), randomDirection(random)))};
    Manifold manifold;
    collide(ground, {}, box, pose, kMargin, manifold);
    ASSERT_EQ(manifold.count, 4);
    EXPECT_EQ(manifold.normal, Vec3::UnitZ());
    for (const ManifoldPoint& p : manifold.points) {
      // The nearest corner of the box, in the world.
      double best = 1.0, height = 0.0;
      for (int c = 0; c < 8; ++c) {
        const Vec3 corner = pose.point({c & 1 ? 0.5 : -0.5, c & 2 ? 0.5 : -0.5, c & 4 ? 0.5 : -0.5});
        if ((corner - p.position).norm() < best) {
          best = (corner - p.position).norm();
          height = corner.z() - 1.0;
        }
      }
      EXPECT_NEAR(p.separation, height, 1e-12);
      EXPECT_NEAR(p.position.z(), 1.0 + 0.5 * height, 1e-12);
    }
  }
}

TEST(BoxManifold, TheDeepestCornerIsAlwaysThere) {
  Random random(4);
  for (int k = 0; k < samples(3000); ++k) {
    const Shape ground = makeShape(Box{{uniform(random, 0.3, 3), uniform(random, 0.3, 3), 1}});
    const Shape box = makeShape(Box{{uniform(random, 0.2, 0.6), uniform(random, 0.2, 0.6), 0.5}});
    const Quat turn(Eigen::AngleAxisd(uniform(random, -3, 3), Vec3::UnitZ()));
    const Quat tilt(Eigen::AngleAxisd(uniform(random, -0.03, 0.03), randomDirection(random)));
    Pose pose{{uniform(random, -0.5, 0.5), uniform(random, -0.5, 0.5), 1.5 + uniform(random, -0.03, 0.01)},
              (tilt * turn).normalized()};
    Manifold manifold;
    collide(ground, {}, box, pose, kMargin, manifold);
    const SignedDistance exact = signedDistance(ground, {}, box, pose);
    if (exact.distance > kMargin) continue;
    ASSERT_GT(manifold.count, 0);
    // The exact normal may be that of crossing edges up to 8 degrees off (kPatchShare), or the faces within a degree
    // (flush).
    EXPECT_LE(deepest(manifold), exact.distance + 0.02 * std::abs(exact.distance) + 0.02 * 0.03) << k;
  }
}

TEST(BoxManifold, FeaturesOfAStackDoNotChangeWhileItTrembles) {
  // Equal boxes exactly on top of each other are the worst case: every corner lies on two sides of the other box.
  const Shape box = makeShape(Box{{0.5, 0.5, 0.5}});
  Random random(5);
  std::vector<std::uint32_t> names;
  for (int k = 0; k < samples(1000); ++k) {
    Pose pose{{0, 0, 1}, Quat::Identity()};
    if (k > 0) {
      pose.position += 1e-8 * randomDirection(random);
      pose.rotation = Quat(Eigen::AngleAxisd(1e-8, randomDirection(random))).normalized();
    }
    Manifold manifold;
    collide(box, {}, box, pose, kMargin, manifold);
    ASSERT_EQ(manifold.count, 4);
    std::vector<std::uint32_t> now;
    for (const ManifoldPoint& p : manifold.points) now.push_back(p.feature);
    std::sort(now.begin(), now.end());
    if (k == 0) names = now;
    EXPECT_EQ(now, names) << k;
  }
}

TEST(BoxManifold, TheChoiceOfFourFromEightDoesNotFlickerWhileAPatchTrembles) {
  // Two equal squares at 45 degrees overlap in a regular octagon, where any tie-break by rounding would show.
  const Shape box = makeShape(Box{{0.5, 0.5, 0.5}});
  Random random(6);
  std::vector<std::uint32_t> names;
  for (int k = 0; k < samples(1000); ++k) {
    Pose pose{{0, 0, 1}, Quat(Eigen::AngleAxisd(std::numbers::pi / 4, Vec3::UnitZ()))};
    if (k > 0) {
      pose.position += 1e-9 * randomDirection(random);
      pose.rotation = (Quat(Eigen::AngleAxisd(1e-9, randomDirection(random))) * pose.rotation).normalized();
    }
    Manifold manifold;
    collide(box, {}, box, pose, kMargin, manifold);
    ASSERT_EQ(manifold.count, 4);
    std::vector<std::uint32_t> now;
    for (const ManifoldPoint& p : manifold.points) now.push_back(p.feature);
    std::sort(now.begin(), now.end());
    if (k == 0) names = now;
    EXPECT_EQ(now, names) << k;
  }
}

TEST(BoxManifold, NamesDoNotDependOnWhichBoxIsTheReference) {
  const Shape box = makeShape(Box{{0.5, 0.5, 0.5}});
  // Tilting one way makes A's face the better axis, the other way B's.
  std::vector<std::vector<std::uint32_t>> names;
  for (const double tilt : {1e-5, -1e-5}) {
    for (const Vec3& axis : {Vec3(1, 0, 0), Vec3(0, 1, 0)}) {
      Manifold manifold;
      collide(box, {}, box, {{0.2, 0.1, 1.0}, Quat(Eigen::AngleAxisd(tilt, axis))}, kMargin, manifold);
      ASSERT_EQ(manifold.count, 4);
      std::vector<std::uint32_t> now;
      for (const ManifoldPoint& p : manifold.points) now.push_back(p.feature);
      std::sort(now.begin(), now.end());
      names.push_back(now);
    }
  }
  for (const auto& other : names) EXPECT_EQ(other, names[0]);
}

TEST(BoxManifold, CrossedEdgesTouchInOnePointBetweenThem) {
  const Shape box = makeShape(Box{{0.5, 0.5, 0.5}});
  const Quat edgeUp(Eigen::AngleAxisd(std::numbers::pi / 4, Vec3::UnitX()));    // edge along x on top
  const Quat edgeDown(Eigen::AngleAxisd(std::numbers::pi / 4, Vec3::UnitY()));  // edge along y below
  for (const double gap : {-0.01, 0.0, 0.01}) {
    Manifold manifold;
    collide(box, {Vec3::Zero(), edgeUp}, box, {{0.1, -0.2, std::sqrt(2.0) + gap}, edgeDown}, kMargin, manifold);
    ASSERT_EQ(manifold.count, 1);
    EXPECT_NEAR(manifold.points[0].separation, gap, 1e-12);
    EXPECT_LE((manifold.normal - Vec3::UnitZ()).norm(), 1e-12);
    EXPECT_LE((manifold.points[0].position - Vec3(0.1, 0.0, std::sqrt(0.5) + 0.5 * gap)).norm(), 1e-12);
  }
}

TEST(BoxManifold, AHullInTheShapeOfABoxHasTheBoxesPatch) {
  Random random(8);
  for (int k = 0; k < samples(300); ++k) {
    const Vec3 half(0.5, 0.4, 0.3);
    ConvexHull points;
    for (int c = 0; c < 8; ++c)
      points.points.push_back(half.cwiseProduct(Vec3(c & 1 ? 1 : -1, c & 2 ? 1 : -1, c & 4 ? 1 : -1)));
    const Shape box = makeShape(Box{half}), hull = makeShape(points), ground = makeShape(Box{{0.6, 0.6, 0.6}});
    Pose pose{{uniform(random, -0.5, 0.5), uniform(random, -0.5, 0.5), 0.9 + uniform(random, -0.005, 0.005)},
              Quat(Eigen::AngleAxisd(uniform(random, -3, 3), Vec3::UnitZ()))};
    Manifold ofBox, ofHull;
    collide(ground, {}, box, pose, kMargin, ofBox);
    collide(ground, {}, hull, pose, kMargin, ofHull);
    ASSERT_EQ(ofBox.count, ofHull.count) << k;
    std::vector<Point2> first, second;
    for (int i = 0; i < ofBox.count; ++i) {
      first.push_back({ofBox.points[i].position.x(), ofBox.points[i].position.y()});
      second.push_back({ofHull.points[i].position.x(), ofHull.points[i].position.y()});
    }
    EXPECT_NEAR(hullArea(first), hullArea(second), 1e-5 * hullArea(first));
    EXPECT_NEAR(deepest(ofBox), deepest(ofHull), 1e-12);
  }
}

}  // namespace
}  // namespace cairn::test
