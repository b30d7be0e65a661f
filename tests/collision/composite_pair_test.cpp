// A pair of shapes of which one has several children: every pair of children has a contact of its own, which comes, stays,
// goes and comes again by itself. The test plays a shape of its own: a row of balls over a plane.
#include <gtest/gtest.h>

#include <map>

#include "collision/narrow_phase.hpp"

namespace cairn {
namespace {

constexpr double kRadius = 0.5;  // m, of a ball
constexpr std::uint32_t kPlane = 0, kRow = 1;

// How high each ball of the row is: what the test moves.
std::map<std::uint32_t, double> heights;
int wholeVisits = 0;

// Delivers the children in falling order: the narrow phase must not rely on any.
double touchRow(const Collider& a, const Collider& b, const TouchHints&, double margin, Manifold& room,
                ManifoldVisitor visit) {
  ++wholeVisits;
  Shape ball;
  ball.type = ShapeType::Sphere;
  ball.size = Vec3::Constant(kRadius);
  for (auto child = heights.rbegin(); child != heights.rend(); ++child) {
    const Children children{0, child->first};
    const Vec3 place = b.pose.position + Vec3(2.0 * child->first, 0.0, child->second);
    touchChildren(a.shape, a.pose, ball, {place, Quat::Identity()}, {}, margin, room);
    if (room.count > 0) visit(children, room);
  }
  return 0.0;
}

class CompositePair : public testing::Test {
 protected:
  CompositePair() : colliders_(2), gates_(2), places_(2), materials_(1) {
    heights.clear();
    wholeVisits = 0;
    colliders_[kPlane].shape = makeShape(Plane{});
    colliders_[kRow].shape = makeShape(Sphere{kRadius});
    for (std::uint32_t i = 0; i < 2; ++i) {
      colliders_[i].body = i;
      colliders_[i].radius = 10.0;
      colliders_[i].alive = colliders_[i].enabled = true;
      gates_[i].active = gates_[i].dynamic = i == kRow;
      gates_[i].radius = 10.0f;
      places_[i] = {Vec3::Zero(), Quat::Identity()};
    }
    gates_[kRow].composite = true;
    pairs_.push_back({kPlane, kRow});
  }

  void update(int threads = 1) {
    NarrowPhaseInput input{colliders_, gates_, places_, materials_, mixed_, 0.02, 1.0 / 60.0};
    input.anyComposite = true;
    input.composites = touchRow;
    updateContacts(pairs_, cache_, input, Tasks(threads), scratch_, endings_);
  }

  // The children of B that have a contact, in the order of the list; all else that the list must be is checked.
  std::vector<std::uint32_t> children() const {
    std::vector<std::uint32_t> found, slots;
    cache_.forEachOf(pairs_[0], [&](std::uint32_t slot) {
      found.push_back(cache_.links[slot].children.b);
      slots.push_back(slot);
      EXPECT_EQ(cache_.find(pairs_[0].contact, {0, found.back()}), slot);
      EXPECT_EQ(cache_.slots[slot].colliderA, kPlane);
      EXPECT_EQ(cache_.slots[slot].colliderB, kRow);
      EXPECT_EQ(cache_.slots[slot].count, 1);
    });
    EXPECT_TRUE(std::is_sorted(found.begin(), found.end()));
    EXPECT_EQ(cache_.inUse, slots);
    EXPECT_EQ(cache_.chained, found.empty() ? 0 : found.size() - 1);
    EXPECT_EQ(cache_.slots.size(), cache_.freeSlots.size() + slots.size());
    return found;
  }
  Contact& contactOf(std::uint32_t child) {
    const std::uint32_t slot = cache_.find(pairs_[0].contact, {0, child});
    EXPECT_NE(slot, kNone);
    return cache_.slots[slot];
  }

  std::vector<Collider> colliders_;
  std::vector<ColliderGate> gates_;
  std::vector<Placement> places_;
  std::vector<Material> materials_;
  std::vector<MaterialPair> mixed_;
  std::vector<Pair> pairs_;
  ContactCache cache_;
  NarrowPhaseScratch scratch_;
  std::vector<ContactParties> endings_;
};

using Numbers = std::vector<std::uint32_t>;

TEST_F(CompositePair, ChildrenComeStayGoAndComeAgainOneByOne) {
  heights = {{0, 3.0}, {1, kRadius}, {2, kRadius - 0.01}, {3, 3.0}, {4, kRadius}};
  update();
  EXPECT_EQ(children(), (Numbers{1, 2, 4}));
  EXPECT_EQ(wholeVisits, 1);  // new ones are made with the rest
  EXPECT_NEAR(contactOf(2).points[0].separation, -0.01, 1e-6);
  for (const std::uint32_t child : {1u, 2u, 4u}) {
    contactOf(child).points[0].normalImpulse = static_cast<float>(child);
    cache_.touch[cache_.find(pairs_[0].contact, {0, child})] |= Touch::kTold;
  }

  // One goes from the middle, one comes before the first, one after the last.
  heights = {{0, kRadius}, {1, kRadius}, {2, 3.0}, {4, kRadius + 0.01}, {7, kRadius}};
  update();
  EXPECT_EQ(children(), (Numbers{0, 1, 4, 7}));
  EXPECT_EQ(endings_.size(), 1u);  // of child 2, which was touching
  EXPECT_EQ(contactOf(1).points[0].normalImpulse, 1.0f);
  EXPECT_EQ(contactOf(4).points[0].normalImpulse, 4.0f);
  EXPECT_EQ(contactOf(4).oldPoints, 1);
  EXPECT_EQ(contactOf(0).points[0].normalImpulse, 0.0f);
  EXPECT_EQ(contactOf(7).oldPoints, 0);

  // Whoever comes again begins anew, whatever slot it gets.
  heights = {{2, kRadius}, {4, kRadius}};
  update();
  EXPECT_EQ(children(), (Numbers{2, 4}));
  EXPECT_EQ(contactOf(2).points[0].normalImpulse, 0.0f);
  EXPECT_EQ(contactOf(4).points[0].normalImpulse, 4.0f);

  heights = {{4, 9.0}};
  update();
  EXPECT_EQ(children(), Numbers{});
  EXPECT_EQ(pairs_[0].contact, kNone);
  heights = {{4, kRadius}};
  update();
  EXPECT_EQ(children(), Numbers{4});
  EXPECT_EQ(contactOf(4).points[0].normalImpulse, 0.0f);
}

TEST_F(CompositePair, StaysAsItIsWhileAllOfItIsStillOrAsleep) {
  heights = {{0, kRadius}, {1, kRadius}};
  update();
  const int visits = wholeVisits;
  for (std::uint32_t slot = 0; slot < cache_.slots.size(); ++slot) cache_.resting.set(slot, true);
  cache_.resting.confirm();
  update();
  EXPECT_EQ(wholeVisits, visits);
  cache_.resting.confirm();
  cache_.resting.set(cache_.find(pairs_[0].contact, {0, 1}), false);  // one of them is not
  update();
  EXPECT_EQ(wholeVisits, visits + 1);
  gates_[kRow].active = false;
  heights.clear();
  update();
  EXPECT_EQ(children(), (Numbers{0, 1}));
}

TEST_F(CompositePair, ArrangedSlotsKeepTheirListsAndTheirChildren) {
  for (std::uint32_t child = 0; child < 500; ++child) heights[child] = kRadius;
  update();
  for (const std::uint32_t child : children()) contactOf(child).points[0].normalImpulse = static_cast<float>(child);
  for (std::uint32_t child = 0; child < 500; child += 2) heights[child] = 9.0;  // many slots become free
  update();
  cache_.arrange(pairs_);
  EXPECT_EQ(cache_.numbering, 1u);
  const Numbers left = children();
  ASSERT_EQ(left.size(), 250u);
  for (const std::uint32_t child : left) EXPECT_EQ(contactOf(child).points[0].normalImpulse, static_cast<float>(child));
  for (std::uint32_t i = 0; i < 250; ++i) EXPECT_EQ(cache_.inUse[i], i);
}

TEST_F(CompositePair, ReleasesAllContactsWithThePair) {
  heights = {{0, kRadius}, {1, kRadius}, {2, kRadius}};
  update();
  cache_.touch[pairs_[0].contact] |= Touch::kTold;
  releaseContacts(pairs_[0], cache_, colliders_, endings_);
  EXPECT_EQ(pairs_[0].contact, kNone);
  EXPECT_EQ(cache_.chained, 0u);
  EXPECT_EQ(cache_.freeSlots.size(), cache_.slots.size());
  EXPECT_EQ(endings_.size(), 1u);
}

}  // namespace
}  // namespace cairn
