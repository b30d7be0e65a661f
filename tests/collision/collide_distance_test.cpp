// Every pair of shape types against the exact signed distance.
#include <gtest/gtest.h>

#include "collision/random_shapes.hpp"

namespace cairn::test {
namespace {

constexpr double kMargin = 0.02;
// A single point is the exact distance: closed forms on both sides, or the same GJK and EPA. What remains is the 5e-8 of a
// radius that nearly parallel cylinders may take (kSideOffset).
constexpr double kSingleTolerance = 4e-8;
// A patch of nearly parallel faces may stand for a distance along a slightly different normal (kPatchShare, kPatchCosine).
constexpr double kPatchShareAllowed = 0.021;
constexpr double kPatchAngle = 0.1416;  // rad, acos 0.99
// Faces within a degree of parallel are taken as a patch outright; where they overhang, its deepest point may differ from
// the distance by the angle times the overhang (shapes here are at most about a metre wide).
constexpr double kFlushAllowed = 2e-3;  // m

struct PairTypes {
  ShapeType a, b;
  bool isRounded() const { return b == ShapeType::RoundBox || b == ShapeType::RoundHull; }
  double hasSlope() const { return isRounded() ? 2.0 : a == ShapeType::Capsule ? 1.0 : 2.5e-3; }
};

class EveryPair : public testing::TestWithParam<PairTypes> {
 protected:
  Random random{static_cast<std::uint64_t>(GetParam().a) * 16 + static_cast<std::uint64_t>(GetParam().b) + 1};

  struct Sample {
    Shape a, b;
    Pose poseA, poseB;
    SignedDistance exact;
    Manifold manifold;
  };
  Sample sample(double smallestGap = -0.03, double largestGap = 0.03) {
    Sample s{randomShape(random, GetParam().a),
             randomShape(random, GetParam().b),
             Pose{randomVector(random, 1.0), randomRotation(random)},
             Pose{randomVector(random, 3.0), randomRotation(random)},
             {},
             {}};
    placeAtGap(s.a, s.poseA, s.b, s.poseB, uniform(random, smallestGap, largestGap));
    s.exact = signedDistance(s.a, s.poseA, s.b, s.poseB);
    collide(s.a, s.poseA, s.b, s.poseB, kMargin, s.manifold);
    return s;
  }
  // No point so near the margin that rounding decides about it.
  static bool isClear(const Sample& s) {
    if (std::abs(s.exact.distance - kMargin) < 1e-6) return false;
    for (int i = 0; i < s.manifold.count; ++i) {
      if (std::abs(s.manifold.points[i].separation - kMargin) < 1e-6) return false;
    }
    return true;
  }
};

double tolerance(const Manifold& manifold, double exact) {
  return manifold.count == 1 ? kSingleTolerance : kPatchShareAllowed * std::abs(exact) + 1e-6;
}

TEST_P(EveryPair, DeepestPointIsTheSignedDistanceAndTheNormalIsItsNormal) {
  int touching = 0, flush = 0;
  for (int k = 0; k < samples(2000); ++k) {
    const Sample s = sample();
    if (!isClear(s)) continue;
    ASSERT_EQ(s.manifold.count > 0, s.exact.distance <= kMargin) << "sample " << k << " distance " << s.exact.distance;
    if (s.manifold.count == 0) continue;
    ++touching;
    EXPECT_NEAR(s.manifold.normal.norm(), 1.0, 1e-12);
    const double error = std::abs(deepest(s.manifold) - s.exact.distance);
    if (error > tolerance(s.manifold, s.exact.distance)) {
      ++flush;
      EXPECT_GT(s.manifold.count, 1) << "sample " << k;
      EXPECT_LE(error, kFlushAllowed) << "sample " << k;
      continue;
    }
    // A normal is right if the separation along it proves the distance; the exact one may be another of two equally good
    // ones.
    if (s.manifold.count == 1) {
      EXPECT_NEAR(separationAlong(s.a, s.poseA, s.b, s.poseB, s.manifold.normal), s.exact.distance, kSingleTolerance)
          << "sample " << k;
    } else {
      const double angle = (s.manifold.normal - s.exact.normal).norm();
      EXPECT_LE(angle, std::abs(s.exact.distance) < 1e-5 ? 0.2 : kPatchAngle)
          << "sample " << k << " distance " << s.exact.distance;
    }
    for (int i = 0; i < s.manifold.count; ++i) {
      EXPECT_LE(s.manifold.points[i].separation, kMargin);
      for (int j = 0; j < i; ++j) EXPECT_NE(s.manifold.points[i].feature, s.manifold.points[j].feature) << "sample " << k;
    }
  }
  EXPECT_GT(touching, samples(1000));
  EXPECT_LE(flush, 20);  // one in a hundred
}

TEST_P(EveryPair, PointsLieHalfWayBetweenTheSurfaces) {
  const double probe = 1e-6;
  const Shape ball = makeShape(Sphere{probe});
  for (int k = 0; k < samples(500); ++k) {
    const Sample s = sample();
    for (int i = 0; i < s.manifold.count; ++i) {
      const ManifoldPoint& p = s.manifold.points[i];
      const Pose at{p.position, Quat::Identity()};
      const double half = 0.5 * std::abs(p.separation);
      for (const auto& [shape, pose] : {std::pair<const Shape&, const Pose&>{s.a, s.poseA}, {s.b, s.poseB}}) {
        const double distance = signedDistance(ball, at, shape, pose).distance + probe;
        // A cut through a sloping capsule is up to 1.25e-3 radii nearer than its lowest line says (kSlope).
        // The normal may leave a corner or a curved end at an angle, so that some other point of the surface is nearer.
        EXPECT_LE(std::abs(distance), half * 1.03 + 4e-4 * GetParam().hasSlope())
            << "sample " << k << " separation " << p.separation;
      }
    }
  }
}

TEST_P(EveryPair, SwappingTheShapesTurnsTheNormalAndChangesNothingElse) {
  for (int k = 0; k < samples(500); ++k) {
    const Sample s = sample();
    if (!isClear(s)) continue;
    Manifold swapped;
    collide(s.b, s.poseB, s.a, s.poseA, kMargin, swapped);
    ASSERT_EQ(swapped.count > 0, s.manifold.count > 0) << "sample " << k;
    if (swapped.count == 0) continue;
    if (GetParam().a != GetParam().b) {  // canonical order: the same computation
      ASSERT_EQ(swapped.count, s.manifold.count);
      EXPECT_EQ(swapped.normal, -s.manifold.normal);
      for (int i = 0; i < swapped.count; ++i) {
        EXPECT_EQ(swapped.points[i].position, s.manifold.points[i].position);
        EXPECT_EQ(swapped.points[i].separation, s.manifold.points[i].separation);
        EXPECT_EQ(swapped.points[i].feature, s.manifold.points[i].feature);
      }
    } else {
      EXPECT_NEAR(deepest(swapped), deepest(s.manifold), 1e-7 + 0.02 * std::abs(s.exact.distance));
      EXPECT_LE((swapped.normal + s.manifold.normal).norm(), swapped.count > 1 ? kPatchAngle : 1e-5);
    }
  }
}

TEST_P(EveryPair, MovingBothTogetherMovesTheManifoldWithThemAlsoAMillionMetresAway) {
  for (int k = 0; k < samples(500); ++k) {
    const Sample s = sample();
    if (!isClear(s)) continue;
    for (const double distance : {3.0, 1e6}) {
      const Pose motion{distance * randomDirection(random), distance < 10.0 ? randomRotation(random) : Quat::Identity()};
      const Pose movedA = motion * s.poseA, movedB = motion * s.poseB;
      Manifold moved;
      collide(s.a, movedA, s.b, movedB, kMargin, moved);
      // A coordinate of 1e6 m is stored to 1.2e-10 m.
      const double rounding = distance < 10.0 ? 1e-11 : 1e-9;
      ASSERT_EQ(moved.count, s.manifold.count) << "sample " << k << " at " << distance;
      if (moved.count == 0) continue;
      EXPECT_NEAR(deepest(moved), deepest(s.manifold), 10.0 * rounding) << "sample " << k << " at " << distance;
      // Normals of points that nearly coincide amplify rounding by 1 / |distance|; those of curved overlaps are found by a
      // search that ends when the depth, not the normal, has converged.
      EXPECT_LE((moved.normal - motion.direction(s.manifold.normal)).norm(),
                1e-4 + 1e3 * rounding / std::max(1e-3, std::abs(s.exact.distance)));
    }
  }
}

TEST_P(EveryPair, FeaturesAreTheSameAfterATinyMove) {
  int compared = 0, changed = 0;
  for (int k = 0; k < samples(500); ++k) {
    const Sample s = sample();
    if (!isClear(s) || s.manifold.count == 0) continue;
    Pose nudged = s.poseB;
    nudged.position += 1e-7 * randomDirection(random);
    nudged.rotation = (Quat(Eigen::AngleAxisd(1e-7, randomDirection(random))) * nudged.rotation).normalized();
    Manifold after;
    collide(s.a, s.poseA, s.b, nudged, kMargin, after);
    ++compared;
    std::vector<std::uint32_t> first, second;
    for (int i = 0; i < s.manifold.count; ++i) first.push_back(s.manifold.points[i].feature);
    for (int i = 0; i < after.count; ++i) second.push_back(after.points[i].feature);
    std::sort(first.begin(), first.end());
    std::sort(second.begin(), second.end());
    changed += first != second ? 1 : 0;
  }
  EXPECT_GT(compared, samples(200));
  EXPECT_LE(changed, 1);  // a random pose is within 1e-7 of a change of features almost never
}

std::vector<PairTypes> allPairs() {
  std::vector<PairTypes> pairs;
  for (int a = 0; a < kShapeTypeCount; ++a) {
    for (int b = a; b < kShapeTypeCount; ++b) {
      if (b > 0) pairs.push_back({static_cast<ShapeType>(a), static_cast<ShapeType>(b)});
    }
  }
  return pairs;
}

INSTANTIATE_TEST_SUITE_P(Collide, EveryPair, testing::ValuesIn(allPairs()), [](const auto& pair) {
  return std::string(kTypeNames[static_cast<int>(pair.param.a)]) + "_" + kTypeNames[static_cast<int>(pair.param.b)];
});

TEST(Collide, TwoPlanesHaveNoContact) {
  const Shape plane = makeShape(Plane{});
  Manifold manifold;
  manifold.count = 3;
  collide(plane, {}, plane, {}, 1.0, manifold);
  EXPECT_EQ(manifold.count, 0);
}

}  // namespace
}  // namespace cairn::test
