// What must never happen: no NaN, no hang, no heap, whatever the shapes.
#include <gtest/gtest.h>

#include "collision/contact_set.hpp"
#include "collision/random_shapes.hpp"
#include "counting_new.hpp"

namespace cairn::test {
namespace {

void expectSane(const Manifold& manifold, double margin, const char* what) {
  ASSERT_GE(manifold.count, 0) << what;
  ASSERT_LE(manifold.count, kManifoldPoints) << what;
  if (manifold.count == 0) return;
  EXPECT_NEAR(manifold.normal.norm(), 1.0, 1e-9) << what;
  for (int i = 0; i < manifold.count; ++i) {
    EXPECT_TRUE(manifold.points[i].position.allFinite()) << what;
    EXPECT_TRUE(std::isfinite(manifold.points[i].separation)) << what;
    EXPECT_LE(manifold.points[i].separation, margin) << what;
  }
}

std::string describe(int a, int b) { return std::string(kTypeNames[a]) + " " + kTypeNames[b]; }

TEST(Degenerate, CoincidentShapesHaveAFiniteUnitNormal) {
  Random random(1);
  for (int a = 0; a < kShapeTypeCount; ++a) {
    for (int b = std::max(a, 1); b < kShapeTypeCount; ++b) {
      for (int k = 0; k < samples(60); ++k) {
        const Shape first = randomShape(random, static_cast<ShapeType>(a));
        const Shape second = a == b && k % 2 ? first : randomShape(random, static_cast<ShapeType>(b));
        const Pose pose{k % 3 ? randomVector(random, 1.0) : Vec3(Vec3::Zero()),
                        k % 4 ? randomRotation(random) : Quat::Identity()};
        Manifold manifold;
        collide(first, pose, second, pose, 0.02, manifold);
        EXPECT_TRUE(a == 0 || manifold.count > 0) << describe(a, b);
        expectSane(manifold, 0.02, describe(a, b).c_str());
      }
    }
  }
}

TEST(Degenerate, DeepOverlapsComeOutByTheShortestWay) {
  Random random(2);
  for (int a = 1; a < kShapeTypeCount; ++a) {
    for (int b = a; b < kShapeTypeCount; ++b) {
      for (int k = 0; k < samples(100); ++k) {
        const Shape first = randomShape(random, static_cast<ShapeType>(a)),
                    second = randomShape(random, static_cast<ShapeType>(b));
        const Pose poseA{Vec3::Zero(), randomRotation(random)}, poseB{randomVector(random, 0.2), randomRotation(random)};
        const SignedDistance exact = signedDistance(first, poseA, second, poseB);
        if (exact.distance > -0.05) continue;
        Manifold manifold;
        collide(first, poseA, second, poseB, 0.02, manifold);
        ASSERT_GT(manifold.count, 0) << describe(a, b);
        expectSane(manifold, 0.02, describe(a, b).c_str());
        // Faces within eight degrees of the way out may stand for it; a search on curved shapes ends within a thousandth.
        EXPECT_NEAR(deepest(manifold), exact.distance, 0.03 * std::abs(exact.distance)) << describe(a, b) << " " << k;
      }
    }
  }
}

TEST(Degenerate, SizesFromAMicrometreToAThousandKilometresAndTheirRatiosStayFinite) {
  Random random(3);
  for (int a = 0; a < kShapeTypeCount; ++a) {
    for (int b = std::max(a, 1); b < kShapeTypeCount; ++b) {
      for (int k = 0; k < samples(60); ++k) {
        const double sizeA = std::pow(10.0, uniform(random, -5.0, 5.5));
        const double sizeB = k % 2 ? sizeA : std::pow(10.0, uniform(random, -5.0, 5.5));
        if (std::max(sizeA, sizeB) / std::min(sizeA, sizeB) > 1e6) continue;
        const Shape first = randomShape(random, static_cast<ShapeType>(a), sizeA);
        const Shape second = randomShape(random, static_cast<ShapeType>(b), sizeB);
        const Pose poseA{randomVector(random, 1.0), randomRotation(random)};
        const double small = a == 0 ? sizeB : std::min(sizeA, sizeB), large = a == 0 ? sizeB : std::max(sizeA, sizeB);
        Pose poseB{poseA.position + large * randomDirection(random), randomRotation(random)};
        SignedDistance exact = signedDistance(first, poseA, second, poseB);
        poseB.position -= exact.normal * (exact.distance - uniform(random, -0.01, 0.01) * small);
        exact = signedDistance(first, poseA, second, poseB);
        const double margin = 0.02 * small;
        Manifold manifold;
        collide(first, poseA, second, poseB, margin, manifold);
        expectSane(manifold, margin, describe(a, b).c_str());
        if (std::abs(exact.distance - margin) < 1e-3 * small + 1e-9 * large) continue;
        EXPECT_EQ(manifold.count > 0, exact.distance < margin) << describe(a, b) << " sizes " << sizeA << " " << sizeB;
        if (manifold.count > 0) {
          EXPECT_NEAR(deepest(manifold), exact.distance, 2e-3 * small + 1e-9 * large)
              << describe(a, b) << " " << sizeA << " " << sizeB;
        }
      }
    }
  }
}

TEST(Degenerate, FacesThatOnlyTouchAtZeroDistanceStillMakeAPatch) {
  const Shape box = makeShape(Box{{0.5, 0.5, 0.5}});
  const Shape cylinder = makeShape(Cylinder{0.5, 0.5});
  const Shape hull = makeShape(prism(6, 0.5, 0.5));
  for (const Shape& lower : {box, cylinder, hull}) {
    for (const Shape& upper : {box, cylinder, hull}) {
      Manifold manifold;
      collide(lower, {}, upper, {{0.0, 0.0, 1.0}, Quat::Identity()}, 0.0, manifold);
      EXPECT_EQ(manifold.count, 4);
      EXPECT_LE((manifold.normal - Vec3::UnitZ()).norm(), 1e-9);
      EXPECT_NEAR(deepest(manifold), 0.0, 1e-15);
    }
  }
}

TEST(Degenerate, FacesOfThousandsOfSidesAreThinnedNotOverrun) {
  const Shape wheel = makeShape(prism(1000, 0.5, 0.1));
  const Shape plate = makeShape(prism(300, 0.5, 0.1));
  const Shape box = makeShape(Box{{0.4, 0.4, 0.1}});
  for (const Shape& upper : {wheel, plate, box}) {
    for (const Shape& lower : {wheel, plate}) {
      Manifold manifold;
      collide(lower, {}, upper, {{0.1, 0.05, 0.2 - 1e-4}, Quat::Identity()}, 0.02, manifold);
      ASSERT_EQ(manifold.count, 4);
      EXPECT_LE((manifold.normal - Vec3::UnitZ()).norm(), 1e-9);
      EXPECT_NEAR(deepest(manifold), -1e-4, 1e-9);
    }
  }
}

TEST(Degenerate, NoPairAllocates) {
  Random random(4);
  for (int a = 0; a < kShapeTypeCount; ++a) {
    for (int b = std::max(a, 1); b < kShapeTypeCount; ++b) {
      for (int k = 0; k < samples(100); ++k) {
        const Shape first = randomShape(random, static_cast<ShapeType>(a)),
                    second = randomShape(random, static_cast<ShapeType>(b));
        const Pose poseA{randomVector(random, 1.0), randomRotation(random)};
        Pose poseB{randomVector(random, 2.0), randomRotation(random)};
        if (k % 2) placeAtGap(first, poseA, second, poseB, uniform(random, -0.02, 0.02));
        Manifold manifold;
        const std::size_t before = allocationCount();
        collide(first, poseA, second, poseB, 0.02, manifold);
        ASSERT_EQ(allocationCount() - before, 0u) << describe(a, b);
      }
    }
  }
}

// Any set of points: the deepest survives, and never more than four do.
TEST(Reduction, KeepsTheDeepestOfAnySet) {
  Random random(5);
  for (int k = 0; k < samples(5000); ++k) {
    ContactSet set;
    set.normal = Vec3::UnitZ();
    const int n = 1 + static_cast<int>(random() % (k % 10 == 0 ? 400 : 12));
    double lowest = std::numeric_limits<double>::infinity();
    for (int i = 0; i < n; ++i) {
      const double x = uniform(random, -1, 1), y = uniform(random, -1, 1), s = uniform(random, -0.05, 0.05);
      set.add({Vec3(x, y, 0), x, y, s, static_cast<std::uint32_t>(i)});
      lowest = std::min(lowest, s);
    }
    Manifold manifold;
    reduce(set, 0.02, manifold);
    EXPECT_LE(manifold.count, kManifoldPoints);
    EXPECT_EQ(manifold.count > 0, lowest <= 0.02);
    if (manifold.count == 0) continue;
    EXPECT_LE(deepest(manifold), lowest + 2e-6);  // kDepthTie of a patch two metres wide
  }
}

}  // namespace
}  // namespace cairn::test
