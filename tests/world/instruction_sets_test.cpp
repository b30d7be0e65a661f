// The kernels give the same bits on every instruction set that this machine has.
#include <hwy/targets.h>

#include <set>

#include "wide/contact_block.hpp"
#include "world/building.hpp"

namespace cairn::test {
namespace {

std::uint64_t hashOfACollapse() {
  World world;
  world.addBody(fixedSolid(Plane{}, Vec3::Zero(), {.friction = 0.6, .restitution = 0.4}));
  for (int i = 0; i < 60; ++i) {
    BodyDesc desc = i % 3 == 0 ? solid(Sphere{0.3}, {0.3 * (i % 4), 0.2 * (i % 3), 0.5 + 0.5 * i})
                               : solid(Box{Vec3(0.3, 0.25, 0.2)}, {0.3 * (i % 4), 0.2 * (i % 3), 0.5 + 0.5 * i});
    desc.pose.rotation = turn(0.3 * i, Vec3(1, 2, 3).normalized());
    world.addBody(desc);
  }
  run(world, 3.0);
  return world.stateHash();
}

TEST(InstructionSets, AllGiveTheSameBits) {
  const std::uint64_t best = hashOfACollapse();
  const std::int64_t supported = hwy::SupportedTargets();
  std::set<std::string> tried = {wide::instructionSet()};
  for (std::int64_t bit = 1; bit > 0 && bit <= supported; bit <<= 1) {
    if ((supported & bit) == 0) continue;
    hwy::SetSupportedTargetsForTest(bit);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    if (!tried.insert(wide::instructionSet()).second) continue;
    EXPECT_EQ(hashOfACollapse(), best) << wide::instructionSet();
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  for (const std::string& name : tried) RecordProperty(name, "ran");
  EXPECT_GE(tried.size(), 2u);
}

}  // namespace
}  // namespace cairn::test
