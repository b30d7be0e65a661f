// The memory of the default step goes with the system, and follows slots that change hands.
#include "soft/memory.hpp"

#include <gtest/gtest.h>

namespace cairn {
namespace {

TEST(SoftMemory, ACopyOfTheSystemHasItsOwn) {
  System system;
  EXPECT_FALSE(system.stepperMemory);
  system.stepperMemory.as<SoftMemory>().pathLengths = {1.0f, 2.0f};
  System copy = system;
  softMemory(system).pathLengths[0] = 3.0f;
  EXPECT_EQ(softMemory(copy).pathLengths[0], 1.0f);
  copy = system;
  EXPECT_EQ(softMemory(copy).pathLengths[0], 3.0f);
  EXPECT_NE(&softMemory(copy), &softMemory(system));
}

TEST(SoftMemory, AnotherSteppersMemoryIsReplaced) {
  struct Other : StepperMemory {
    std::unique_ptr<StepperMemory> clone() const override { return std::make_unique<Other>(*this); }
  };
  System system;
  system.stepperMemory.as<SoftMemory>().substeps = {8};
  EXPECT_EQ(system.stepperMemory.as<SoftMemory>().substeps.size(), 1u);
  system.stepperMemory.as<Other>();
  EXPECT_TRUE(system.stepperMemory.as<SoftMemory>().substeps.empty());
}

TEST(SoftMemory, WhatIsRemovedIsForgotten) {
  SoftMemory memory;
  memory.pathLengths = {1.0f, 2.0f};
  memory.substeps = {64, 72};
  memory.spareEnergies = {0.5};
  memory.forgetBody(1);
  memory.forgetBody(7);  // came since the last step
  memory.forgetJoint(0);
  EXPECT_EQ(memory.pathLengths, (std::vector<float>{1.0f, 0.0f}));
  EXPECT_EQ(memory.substeps, (std::vector<std::uint16_t>{64, 0}));
  EXPECT_EQ(memory.spareEnergies[0], 0.0);
}

TEST(SoftMemory, SlotsAreRenumberedWithTheContacts) {
  SoftMemory memory;
  memory.summaries.resize(3);
  for (int i = 0; i < 3; ++i) memory.summaries[i].load = static_cast<float>(i + 1);
  memory.solvedDirectly = {0, 1, 0};
  const std::vector<std::uint32_t> from = {2, 4, 1};  // slot 4 was handed out since the last step
  memory.renumberContacts(from);
  ASSERT_EQ(memory.summaries.size(), 3u);
  EXPECT_EQ(memory.summaries[0].load, 3.0f);
  EXPECT_EQ(memory.summaries[1].load, 0.0f);
  EXPECT_EQ(memory.summaries[2].load, 2.0f);
  EXPECT_EQ(memory.solvedDirectly, (std::vector<std::uint8_t>{0, 0, 1}));
}

}  // namespace
}  // namespace cairn
