// Geometry is asked a million times a step: it must not touch the heap. Counts calls of operator new in this program.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "geometry/distance.hpp"
#include "geometry/mass.hpp"
#include "geometry/ray.hpp"
#include "geometry/testing.hpp"

namespace {
std::atomic<long> allocations{0};
}

// A sanitizer brings its own operator new, and does not like two.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define CAIRN_COUNTS_ALLOCATIONS 1
// NOLINTBEGIN: replaced on purpose
void* operator new(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
// NOLINTEND
#endif

namespace cairn::testing {
namespace {

TEST(Allocation, NoQueryTouchesTheHeap) {
#ifndef CAIRN_COUNTS_ALLOCATIONS
  GTEST_SKIP() << "built with a sanitizer";
#endif
  Random random(1);
  std::vector<Shape> shapes;
  for (int type = 0; type < kShapeTypeCount; ++type) shapes.push_back(randomShape(random, static_cast<ShapeType>(type)));
  long used = 0;
  for (int k = 0; k < 50; ++k) {
    for (const Shape& a : shapes) {
      for (const Shape& b : shapes) {
        if (a.type == ShapeType::Plane && b.type == ShapeType::Plane) continue;
        const Pose poseA = randomPose(random, 0.5);
        const Pose poseB = randomPose(random, 0.5);
        const long before = allocations;
        const SignedDistance distance = signedDistance(a, poseA, b, poseB);
        const Aabb box = boundingBox(b, poseB);
        const MassProperties mass = shapeMass(b, 1.0);
        const PrincipalAxes axes = principalAxes(mass.inertia);
        const auto hit =
            castRay(b, poseB, poseA.position, distance.normal, 5.0 + box.lower.x() * 0.0 + axes.moments.x() * 0.0);
        used += allocations - before + (hit ? 0 : 0);
      }
    }
  }
  EXPECT_EQ(used, 0);
}

}  // namespace
}  // namespace cairn::testing
