// Geometry is asked a million times a step: it must not touch the heap.
#include <gtest/gtest.h>

#include "counting_new.hpp"
#include "geometry/distance.hpp"
#include "geometry/mass.hpp"
#include "geometry/ray.hpp"
#include "geometry/testing.hpp"

namespace cairn::testing {
namespace {

TEST(Allocation, NoQueryTouchesTheHeap) {
  Random random(1);
  std::vector<Shape> shapes;
  for (int type = 0; type < kShapeTypeCount; ++type) shapes.push_back(randomShape(random, static_cast<ShapeType>(type)));
  std::size_t used = 0;
  for (int k = 0; k < 50; ++k) {
    for (const Shape& a : shapes) {
      for (const Shape& b : shapes) {
        if (a.type == ShapeType::Plane && b.type == ShapeType::Plane) continue;
        const Pose poseA = randomPose(random, 0.5);
        const Pose poseB = randomPose(random, 0.5);
        const std::size_t before = test::allocationCount();
        const SignedDistance distance = signedDistance(a, poseA, b, poseB);
        const Aabb box = boundingBox(b, poseB);
        // The mass of a rounded shape is made from lists of normals, once, when its body is.
        const MassProperties mass = b.rounding() > 0.0 ? MassProperties{} : shapeMass(b, 1.0);
        const PrincipalAxes axes = principalAxes(mass.inertia);
        const auto hit =
            castRay(b, poseB, poseA.position, distance.normal, 5.0 + box.lower.x() * 0.0 + axes.moments.x() * 0.0);
        used += test::allocationCount() - before + (hit ? 0 : 0);
      }
    }
  }
  EXPECT_EQ(used, 0u);
}

}  // namespace
}  // namespace cairn::testing
