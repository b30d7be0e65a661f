// The passes of a step as data: every substep has all it needs, once, and in the right order.
#include "soft/sweep/pass_schedule.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace cairn {
namespace {

int sweepsWith(const PassSchedule& schedule, std::uint16_t Pass::*where, std::uint16_t bit, int substep = -1) {
  return static_cast<int>(std::count_if(schedule.passes().begin(), schedule.passes().end(), [&](const Pass& pass) {
    return pass.work == BatchWork::None && (pass.*where & bit) != 0 && (substep < 0 || pass.substep == substep);
  }));
}
int countOf(const PassSchedule& schedule, BatchWork work) {
  return static_cast<int>(std::count_if(schedule.passes().begin(), schedule.passes().end(),
                                        [&](const Pass& pass) { return pass.work == work; }));
}

TEST(PassSchedule, ContactsAloneAreOneRunOfFusedSweeps) {
  PassSchedule schedule;
  schedule.make({.substeps = 8, .contacts = true});
  EXPECT_EQ(schedule.passes().size(), 10u);  // warm start, eight substeps, the last relaxation
  EXPECT_EQ(countOf(schedule, BatchWork::None), 10);
  schedule.make({.substeps = 8, .contacts = true, .driven = true});
  EXPECT_EQ(countOf(schedule, BatchWork::MoveDriven), 8);
}

TEST(PassSchedule, EverySubstepIsSolvedAndRelaxedOnce) {
  for (const bool joints : {false, true}) {
    for (const bool mayBounce : {false, true}) {
      for (const bool exact : {false, true}) {
        PassSchedule schedule;
        schedule.make({.substeps = 5, .contacts = true, .joints = joints, .mayBounce = mayBounce, .exact = exact});
        // Contacts across cuts are solved after their sides, and relaxed before them.
        for (int substep = 0; substep < 5; ++substep) {
          EXPECT_EQ(sweepsWith(schedule, &Pass::part, GroupWork::kSolve, substep), 1);
          EXPECT_EQ(sweepsWith(schedule, &Pass::after, GroupWork::kSolve, substep), 1);
        }
        EXPECT_EQ(sweepsWith(schedule, &Pass::before, GroupWork::kSolve), 0);
        EXPECT_EQ(sweepsWith(schedule, &Pass::part, GroupWork::kRelax), 5);
        EXPECT_EQ(sweepsWith(schedule, &Pass::before, GroupWork::kRelax), 5);
        EXPECT_EQ(sweepsWith(schedule, &Pass::after, GroupWork::kRelax), 0);
        EXPECT_EQ(sweepsWith(schedule, &Pass::part, GroupWork::kApplyImpulses), 1);
        EXPECT_EQ(sweepsWith(schedule, &Pass::part, GroupWork::kJoinWatched), 4);
        EXPECT_EQ(sweepsWith(schedule, &Pass::part, GroupWork::kBounce), mayBounce ? 5 : 0);
        EXPECT_EQ(countOf(schedule, BatchWork::SolveJoints), joints ? 5 : 0);
        EXPECT_EQ(countOf(schedule, BatchWork::TakeGains), exact ? 5 : 0);
      }
    }
  }
}

TEST(PassSchedule, JointsAloneSweepNothing) {
  PassSchedule schedule;
  schedule.make({.substeps = 3, .joints = true});
  EXPECT_EQ(countOf(schedule, BatchWork::None), 0);
  EXPECT_EQ(countOf(schedule, BatchWork::RelaxJoints), 3);
}

}  // namespace
}  // namespace cairn
