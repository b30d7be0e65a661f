// What a world costs in memory.
#include "counting_new.hpp"
#include "world/building.hpp"

namespace cairn::test {
namespace {

void fillBin(World& world, int count) {
  world.addBody(fixedSolid(Plane{}));
  for (const double side : {-1.0, 1.0}) {
    world.addBody(fixedSolid(Box{Vec3(0.5, 4, 10)}, {side * 3.5, 0, 10}));
    world.addBody(fixedSolid(Box{Vec3(4, 0.5, 10)}, {0, side * 3.5, 10}));
  }
  for (int i = 0; i < count; ++i) {
    BodyDesc box = solid(Box{Vec3(0.25 + 0.02 * (i % 7), 0.3, 0.25 + 0.03 * (i % 5))},
                         {(i % 5 - 2) * 1.1, (i / 5 % 5 - 2) * 1.1, 0.8 + i / 25});
    box.pose.rotation = turn(0.1 * i, Vec3(1, i % 3, 1).normalized());
    world.addBody(box);
  }
}

TEST(Memory, AStepAllocatesNothingOnceWarm) {
  World world;
  fillBin(world, 300);
  run(world, 8.0);  // down, and every buffer as large as it needs to be
  const std::size_t before = allocationCount();
  for (int i = 0; i < 60; ++i) world.step(kDt);
  EXPECT_EQ(allocationCount() - before, 0u);
}

TEST(Memory, ABodyInAPileTakesLessThanFiveKilobytes) {
  {  // the table of options and what threads keep for themselves is made once, and stays
    World first;
    fillBin(first, 1000);
    run(first, 6.0);
  }
  const std::size_t before = liveBytes();
  {
    World world;
    fillBin(world, 1000);
    run(world, 6.0);
    const double perBody = static_cast<double>(liveBytes() - before) / 1000.0;
    EXPECT_LT(perBody, 4800.0);  // 4,640 measured; 4,096 is the aim: contacts with immovable shapes are put down to be welded
  }
  EXPECT_EQ(liveBytes(), before);  // and all of it is given back
}

}  // namespace
}  // namespace cairn::test
