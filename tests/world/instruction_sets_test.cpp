// The kernels give the same bits on every instruction set that this machine has.
#include <hwy/targets.h>

#include <algorithm>
#include <set>

#include "wide/contact_block.hpp"
#include "world/building.hpp"

namespace cairn::test {
namespace {

// With many contacts it takes the widest instructions, with few at most 256 bits.
std::uint64_t hashOfACollapse(int bodies, int* contacts = nullptr) {
  World world;
  world.addBody(fixedSolid(Plane{}, Vec3::Zero(), {.friction = 0.6, .restitution = 0.4}));
  for (int i = 0; i < bodies; ++i) {
    const Vec3 place(0.4 * (i % 6) + 0.05 * (i % 5), 0.4 * (i / 6 % 5), 0.5 + 0.5 * (i / 30) + 0.02 * (i % 7));
    BodyDesc desc = i % 3 == 0 ? solid(Sphere{0.2}, place) : solid(Box{Vec3(0.2, 0.18, 0.15)}, place);
    desc.pose.rotation = turn(0.3 * i, Vec3(1, 2, 3).normalized());
    world.addBody(desc);
  }
  for (int i = 0; i < 180; ++i) {
    const StepReport report = world.step(kDt);
    if (contacts != nullptr) *contacts = std::max(*contacts, report.touchingPairs);
  }
  return world.stateHash();
}

TEST(InstructionSets, AllGiveTheSameBits) {
  constexpr int kFew = 60, kMany = 300;
  int fewContacts = 0, manyContacts = 0;
  const std::uint64_t few = hashOfACollapse(kFew, &fewContacts), many = hashOfACollapse(kMany, &manyContacts);
  EXPECT_LT(fewContacts, 256);
  EXPECT_GT(manyContacts, 400);
  const std::int64_t supported = hwy::SupportedTargets();
  std::set<std::string> tried = {wide::instructionSet()};
  for (std::int64_t bit = 1; bit > 0 && bit <= supported; bit <<= 1) {
    if ((supported & bit) == 0) continue;
    hwy::SetSupportedTargetsForTest(bit);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    if (!tried.insert(wide::instructionSet()).second) continue;
    EXPECT_EQ(hashOfACollapse(kFew), few) << wide::instructionSet();
    EXPECT_EQ(hashOfACollapse(kMany), many) << wide::instructionSet();
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  for (const std::string& name : tried) RecordProperty(name, "ran");
  EXPECT_GE(tried.size(), 2u);
}

}  // namespace
}  // namespace cairn::test
