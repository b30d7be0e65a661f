// GJK, EPA and SAT against exhaustive search over features, written without any of them.
#include <gtest/gtest.h>

#include "geometry/epa.hpp"
#include "geometry/gjk.hpp"
#include "geometry/sat.hpp"
#include "geometry/testing.hpp"

namespace cairn::testing {
namespace {

double pointSegment(const Vec3& p, const Vec3& a, const Vec3& b) {
  const double t = std::clamp((p - a).dot(b - a) / (b - a).squaredNorm(), 0.0, 1.0);
  return (p - a - t * (b - a)).norm();
}

// The least of: each end against the other segment, and the feet of the common perpendicular if both are inside.
double segmentSegment(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
  double best = std::min({pointSegment(a, c, d), pointSegment(b, c, d), pointSegment(c, a, b), pointSegment(d, a, b)});
  const Vec3 u = b - a;
  const Vec3 v = d - c;
  const Vec3 n = u.cross(v);
  if (n.squaredNorm() < 1e-20 * u.squaredNorm() * v.squaredNorm()) return best;
  const double s = (c - a).cross(v).dot(n) / n.squaredNorm();
  const double t = (c - a).cross(u).dot(n) / n.squaredNorm();
  if (s >= 0 && s <= 1 && t >= 0 && t <= 1) best = std::min(best, std::abs((c - a).dot(n)) / n.norm());
  return best;
}

// Distance of a point to the inside of a face (infinity if its foot is outside: edges cover that).
double pointFace(const Vec3& p, const Hull& hull, const HullFace& face, const Pose& pose) {
  const auto loop = hull.loop(face);
  const Vec3 n = pose.direction(face.normal);
  for (std::size_t i = 0; i < loop.size(); ++i) {
    const Vec3 a = pose.point(hull.vertices[loop[i]]);
    const Vec3 b = pose.point(hull.vertices[loop[(i + 1) % loop.size()]]);
    if (n.dot((b - a).cross(p - a)) < 0.0) return INFINITY;
  }
  return std::abs(n.dot(p - pose.point(hull.vertices[loop[0]])));
}

// Exhaustive, for hulls that are apart.
double featureDistance(const Hull& a, const Pose& poseA, const Hull& b, const Pose& poseB) {
  double best = INFINITY;
  for (const Vec3& v : a.vertices) {
    for (const HullFace& face : b.faces) best = std::min(best, pointFace(poseA.point(v), b, face, poseB));
  }
  for (const Vec3& v : b.vertices) {
    for (const HullFace& face : a.faces) best = std::min(best, pointFace(poseB.point(v), a, face, poseA));
  }
  for (const HullEdge& e : a.edges) {
    for (const HullEdge& f : b.edges) {
      best = std::min(best, segmentSegment(poseA.point(a.vertices[e.vertex0]), poseA.point(a.vertices[e.vertex1]),
                                           poseB.point(b.vertices[f.vertex0]), poseB.point(b.vertices[f.vertex1])));
    }
  }
  return best;
}

// Largest separation over every face normal and every cross product of edges, both ways, without any pruning.
double exhaustiveSeparation(const Shape& a, const Pose& poseA, const Shape& b, const Pose& poseB) {
  double best = -INFINITY;
  const auto offer = [&](const Vec3& n) { best = std::max(best, separation(a, poseA, b, poseB, n)); };
  for (const HullFace& face : a.hull->faces) offer(poseA.direction(face.normal));
  for (const HullFace& face : b.hull->faces) offer(-poseB.direction(face.normal));
  for (const HullEdge& e : a.hull->edges) {
    for (const HullEdge& f : b.hull->edges) {
      const Vec3 u = poseA.direction(a.hull->vertices[e.vertex1] - a.hull->vertices[e.vertex0]);
      const Vec3 v = poseB.direction(b.hull->vertices[f.vertex1] - b.hull->vertices[f.vertex0]);
      const Vec3 n = u.cross(v);
      if (n.norm() < 1e-9 * u.norm() * v.norm()) continue;
      offer(n.normalized());
      offer(-n.normalized());
    }
  }
  return best;
}

Shape asHull(const Shape& box) { return makeShape(ConvexHull{boxHull(box.size).vertices}); }

TEST(Gjk, DistanceMatchesBruteForceForRandomHullPairs) {
  Random random(1);
  int apart = 0;
  for (int i = 0; i < 500; ++i) {
    const Shape a = randomShape(random, ShapeType::Hull);
    const Shape b = randomShape(random, ShapeType::Hull);
    const Pose poseA = randomPose(random, 1.0);
    const Pose poseB = randomPose(random, 2.0);
    const GjkResult result = gjk(makeCorePair(a, poseA, b, poseB));
    const bool separated = exhaustiveSeparation(a, poseA, b, poseB) > 0.0;
    ASSERT_EQ(result.overlapping, !separated) << i;
    if (!separated) continue;
    ++apart;
    EXPECT_NEAR(result.distance, featureDistance(*a.hull, poseA, *b.hull, poseB), 1e-13) << i;
    EXPECT_LE(result.lowerBound, result.distance + 1e-14);
    EXPECT_NEAR((result.pointB - result.pointA - result.difference).norm(), 0.0, 1e-13);
  }
  EXPECT_GT(apart, 200);
}

TEST(Gjk, BoundsMeetForCurvedShapesApart) {
  // The distance from above and the plane that proves it from below: where they meet there is nothing left to doubt.
  Random random(2);
  double worst = 0.0;
  int worstIterations = 0;
  for (int i = 0; i < 3000; ++i) {
    const auto type = [&] {
      return std::array{ShapeType::Cylinder, ShapeType::Ellipsoid, ShapeType::Hull, ShapeType::Capsule}[random() % 4];
    };
    const Shape a = randomShape(random, type());
    const Shape b = randomShape(random, type());
    const GjkResult result = gjk(makeCorePair(a, randomPose(random, 1.0), b, randomPose(random, 2.5)));
    worstIterations = std::max(worstIterations, result.iterations);
    if (!result.overlapping) worst = std::max(worst, result.distance - result.lowerBound);
  }
  EXPECT_LT(worst, 1e-6);
  EXPECT_LT(worstIterations, kGjkMaximumIterations);
}

TEST(Gjk, RandomPairsOfExtremeSizeRatioKeepTheSmallOnesDigits) {
  Random random(3);
  for (int i = 0; i < 500; ++i) {
    // A small hull hovers above the large box's top, where the distance is known: its lowest corner's height.
    const Shape big = makeShape(Box{Vec3::Constant(1e3)});
    const Shape small = randomShape(random, ShapeType::Hull, 1e-3);
    const Quat turn = randomRotation(random);
    double lowest = INFINITY;
    for (const Vec3& v : small.hull->vertices) lowest = std::min(lowest, (turn * v).z());
    const double gap = logUniform(random, 1e-5, 1e-3);
    const Pose pose{{uniform(random, -900, 900), uniform(random, -900, 900), 1e3 + gap - lowest}, turn};
    const GjkResult result = gjk(makeCorePair(big, Pose{}, small, pose));
    ASSERT_FALSE(result.overlapping);
    // The position itself is rounded to 1.1e-13 (half the spacing of doubles at 1e3).
    EXPECT_NEAR(result.distance, gap, 1e-12);
    EXPECT_NEAR(result.normal.z(), 1.0, 1e-12);
  }
}

TEST(Epa, DepthMatchesBruteForceForRandomOverlappingHulls) {
  Random random(4);
  int overlapping = 0;
  for (int i = 0; i < 400; ++i) {
    const Shape a = randomShape(random, ShapeType::Hull);
    const Shape b = randomShape(random, ShapeType::Hull);
    const Pose poseA = randomPose(random, 0.4);
    const Pose poseB = randomPose(random, 0.4);
    const double exact = exhaustiveSeparation(a, poseA, b, poseB);
    if (exact > 0.0) continue;
    ++overlapping;
    const CorePair pair = makeCorePair(a, poseA, b, poseB);
    const GjkResult start = gjk(pair);
    ASSERT_TRUE(start.overlapping);
    const EpaResult deep = epa(pair, start);
    EXPECT_TRUE(deep.converged);
    EXPECT_NEAR(deep.depth, -exact, 1e-13) << i;
    EXPECT_NEAR(polytopeSat(pair).separation, exact, 1e-13) << i;
    EXPECT_NEAR(outsideness(a, deep.pointA), 0.0, 1e-12);
  }
  EXPECT_GT(overlapping, 150);
}

TEST(Epa, AgreesWithSatForBoxesInEveryPosition) {
  // Aligned, turned by right angles, coincident: where many axes tie and the difference has large flat faces.
  Random random(5);
  const double angles[] = {0.0, M_PI / 2, M_PI, M_PI / 4, 1e-10, 0.3};
  for (int i = 0; i < 2000; ++i) {
    const Shape a = randomShape(random, ShapeType::Box);
    const Shape b = i % 3 == 0 ? a : randomShape(random, ShapeType::Box);
    const Quat turn(Eigen::AngleAxisd(angles[random() % 6], Vec3::Unit(static_cast<int>(random() % 3))));
    const Vec3 shift = i % 2 == 0 ? Vec3(0.3 * Vec3::Unit(static_cast<int>(random() % 3))) : randomVector(random, 0.3);
    const Pose poseB{i % 5 == 0 ? Vec3(Vec3::Zero()) : shift, turn};
    const CorePair pair = makeCorePair(a, Pose{}, b, poseB);
    const SatResult axes = boxBoxSat(pair);
    if (axes.separation > 0.0) continue;
    EXPECT_NEAR(epa(pair, gjk(pair)).depth, -axes.separation, 1e-13) << i;
    EXPECT_NEAR(polytopeSat(pair).separation, axes.separation, 1e-13) << i;
    if (i % 10 != 0) continue;
    EXPECT_NEAR(exhaustiveSeparation(asHull(a), Pose{}, asHull(b), poseB), axes.separation, 1e-13);
  }
}

TEST(Epa, NeverFailsFromAnyStart) {
  // Starts that GJK would not give: one corner, repeated corners, a flat tetrahedron, one that does not hold the origin.
  Random random(6);
  for (int i = 0; i < 500; ++i) {
    const Shape a = randomShape(random, ShapeType::Hull);
    const Shape b = randomShape(random, i % 2 ? ShapeType::Hull : ShapeType::Box);
    const CorePair pair = makeCorePair(a, randomPose(random, 0.1), b, randomPose(random, 0.1));
    const SatResult axes = polytopeSat(pair);
    if (axes.separation > 0.0) continue;
    GjkResult start = gjk(pair);
    start.count = 1 + i % 4;
    for (int k = 0; k < 4; ++k)
      start.simplex[k] = differenceSupport(pair, k % 2 == 0 ? randomUnit(random) : Vec3(Vec3::UnitX()));
    const EpaResult deep = epa(pair, start);
    EXPECT_NEAR(deep.depth, -axes.separation, 1e-13);
    EXPECT_LE(deep.iterations, kEpaMaximumVertices);
  }
}

TEST(Sat, PolytopesOfManyVerticesFallBackExactlyWhereEpaRunsOut) {
  // Two round hulls about one centre: hundreds of faces at nearly the same depth.
  Random random(7);
  ConvexHull round;
  for (int i = 0; i < 450; ++i) round.points.push_back(randomUnit(random));
  const Shape a = makeShape(round);
  const Pose poseB = randomPose(random, 0.0);
  const CorePair pair = makeCorePair(a, Pose{}, a, poseB);
  EXPECT_FALSE(epa(pair, gjk(pair)).converged) << "the case is too easy to test the fall back";
  const SignedDistance result = signedDistance(a, Pose{}, a, poseB);
  EXPECT_NEAR(result.distance, separation(a, Pose{}, a, poseB, result.normal), 1e-14);
  EXPECT_GE(result.distance, searchSeparation(a, Pose{}, a, poseB, random, 4000, 20, 1000) - 1e-14);
  EXPECT_GE(result.distance, -epa(pair, gjk(pair)).depth);
  EXPECT_NEAR(outsideness(a, result.pointA), 0.0, 1e-12);
  EXPECT_NEAR(outsideness(a, poseB.inversePoint(result.pointB)), 0.0, 1e-12);
}

}  // namespace
}  // namespace cairn::testing
