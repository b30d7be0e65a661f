#include "soft/layout/watched_contacts.hpp"

#include <gtest/gtest.h>

#include "soft/hand_made.hpp"

namespace cairn {
namespace {

using hand_made::HandMade;

constexpr float kNear = 0.001f;        // m
constexpr float kStep = 1.0f / 60.0f;  // s

// Two cubes above each other, that far apart.
struct Pair {
  HandMade world;
  Contact* contact = nullptr;
  explicit Pair(double gap) {
    const std::uint32_t a = world.addBox({0, 0, 0.5}, Vec3::Ones(), 1.0);
    const std::uint32_t b = world.addBox({0, 0, 1.5 + gap}, Vec3::Ones(), 1.0);
    contact = &world.addPatch(a, b, 1.0, 1.0, 1.0, gap);
  }
};

TEST(WatchedContacts, WhatIsNearOrPressedIsNotWatched) {
  const BodyMotion rest;
  EXPECT_EQ(watchRank(*Pair(0.0).contact, rest, rest, kNear, kStep), 0);
  EXPECT_EQ(watchRank(*Pair(kNear).contact, rest, rest, kNear, kStep), 0);
  Pair apart(0.01);
  EXPECT_GT(watchRank(*apart.contact, rest, rest, kNear, kStep), 0);
  apart.contact->points[2].normalImpulse = 1e-6f;
  EXPECT_EQ(watchRank(*apart.contact, rest, rest, kNear, kStep), 0);
}

TEST(WatchedContacts, RanksRiseWithWhatIsLeftOfTheGap) {
  const BodyMotion rest;
  int last = 0;
  for (const double gap : {0.0015, 0.003, 0.006, 0.012}) {
    const int rank = watchRank(*Pair(gap).contact, rest, rest, kNear, kStep);
    EXPECT_GT(rank, last) << gap;
    last = rank;
  }
}

TEST(WatchedContacts, WhatIsOnCourseToMeetIsNotWatched) {
  const Pair pair(0.01);
  const BodyMotion rest, down{Float3(0, 0, -0.3f), 0.0f}, up{Float3(0, 0, 0.3f), 0.0f}, spinning{Float3::Zero(), 1.0f};
  EXPECT_GT(watchRank(*pair.contact, rest, down, kNear, kStep), 0);      // 5 mm of 10 in the step
  EXPECT_EQ(watchRank(*pair.contact, up, down, kNear, kStep), 0);        // all of it
  EXPECT_EQ(watchRank(*pair.contact, rest, spinning, kNear, kStep), 0);  // corners, 0.7 m from the axis, at 0.7 m/s
  EXPECT_GT(watchRank(*pair.contact, down, up, kNear, kStep),            // they part
            watchRank(*pair.contact, rest, rest, kNear, kStep));
}

TEST(WatchedContacts, ClearImpulsesLeavesNoneOfThem) {
  Pair pair(0.01);
  Contact& contact = *pair.contact;
  contact.twistImpulse = contact.totalTwist = contact.approachSpeed = 1.0f;
  contact.frictionImpulse = contact.totalFriction = Float3::Ones();
  for (ContactPoint& point : contact.points) point.normalImpulse = point.totalImpulse = 1.0f;
  clearImpulses(contact);
  EXPECT_EQ(contact.twistImpulse, 0.0f);
  EXPECT_EQ(contact.totalTwist, 0.0f);
  EXPECT_EQ(contact.approachSpeed, 0.0f);
  EXPECT_TRUE(contact.frictionImpulse.isZero(0.0f));
  EXPECT_TRUE(contact.totalFriction.isZero(0.0f));
  for (const ContactPoint& point : contact.points) {
    EXPECT_EQ(point.normalImpulse, 0.0f);
    EXPECT_EQ(point.totalImpulse, 0.0f);
  }
}

TEST(WatchedContacts, JoinOnceTheyMightMeetAndOnlyOnce) {
  Pair pair(0.01);
  const SoftBodies bodies = pair.world.batch();
  ColouringBuffers buffers;
  ContactWatch watch;
  watch.begin(pair.world.contacts, {0, bodies.ground()}, pair.world.system.contacts.slots, kNear, bodies.ground(), buffers);
  ASSERT_FALSE(watch.empty());
  EXPECT_FALSE(watch.mayBounce());
  std::vector<wide::SolverBody> solver(bodies.ground() + 1);
  int joined = 0, left = 0;
  const auto checkAhead = [&](float ahead) {
    watch.check(solver.data(), ahead, [&](std::span<const ContactEnds> some) { joined += static_cast<int>(some.size()); });
  };
  checkAhead(kStep);
  EXPECT_EQ(joined, 0);
  EXPECT_FALSE(watch.anyJoined());
  watch.forEachLeft([&](const ContactEnds&) { ++left; });
  EXPECT_EQ(left, 1);
  solver[1].velocity[2] = -2.0f;  // m/s: through the gap in a third of a step
  checkAhead(kStep);
  EXPECT_EQ(joined, 1);
  EXPECT_TRUE(watch.anyJoined());
  checkAhead(kStep);
  EXPECT_EQ(joined, 1);
  left = 0;
  watch.forEachLeft([&](const ContactEnds&) { ++left; });
  EXPECT_EQ(left, 0);
  watch.beginAgain();
  EXPECT_FALSE(watch.anyJoined());
}

}  // namespace
}  // namespace cairn
