// Slots of contacts that are renumbered: everyone must find what was theirs.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "collision/contact.hpp"

namespace cairn {
namespace {

// Pairs, some of them with a contact that is marked by the pair's own numbers.
struct Table {
  std::vector<Pair> pairs;
  ContactCache cache;
  std::vector<float> loads;  // by slot, as a stepper might remember them

  Table(std::size_t count, unsigned seed) {
    std::mt19937 random(seed);
    for (std::uint32_t i = 0; i < count; ++i) pairs.push_back({i, i + 1 + static_cast<std::uint32_t>(random() % 9)});
    std::vector<std::uint32_t> order(count);
    for (std::uint32_t i = 0; i < count; ++i) order[i] = i;
    std::shuffle(order.begin(), order.end(), random);
    for (const std::uint32_t i : order) give(pairs[i]);
    for (Pair& pair : pairs) {
      if (random() % 5 != 0) continue;
      cache.release(pair.contact);
      pair.contact = kNone;
    }
    for (const Pair& pair : pairs)
      if (pair.contact != kNone) cache.inUse.push_back(pair.contact);
  }
  void give(Pair& pair) {
    pair.contact = cache.acquire(pair.a + 100, pair.b + 100);
    cache.slots[pair.contact].colliderA = pair.a;
    cache.slots[pair.contact].colliderB = pair.b;
    cache.kept[pair.contact].margin = static_cast<float>(pair.a);
    cache.resting.set(pair.contact, pair.a % 2 != 0);
    loads.resize(cache.slots.size());
    loads[pair.contact] = static_cast<float>(pair.b);
    cache.touch[pair.contact] = static_cast<std::uint8_t>(pair.a % 7);
  }
  void arrange() {
    const std::vector<std::uint32_t> moved = cache.arrange(pairs);
    if (moved.empty()) return;
    ASSERT_EQ(moved.size(), cache.slots.size());
    const std::vector<float> old = loads;
    loads.resize(moved.size());
    for (std::size_t i = 0; i < moved.size(); ++i) loads[i] = old[moved[i]];
  }
  void expectSound() const {
    std::set<std::uint32_t> seen(cache.freeSlots.begin(), cache.freeSlots.end());
    EXPECT_EQ(seen.size(), cache.freeSlots.size());
    for (const Pair& pair : pairs) {
      if (pair.contact == kNone) continue;
      ASSERT_LT(pair.contact, cache.slots.size());
      EXPECT_TRUE(seen.insert(pair.contact).second) << pair.contact;
      EXPECT_EQ(cache.slots[pair.contact].colliderA, pair.a);
      EXPECT_EQ(cache.slots[pair.contact].colliderB, pair.b);
      EXPECT_EQ(cache.ends[pair.contact].a, pair.a + 100);
      EXPECT_EQ(cache.ends[pair.contact].b, pair.b + 100);
      EXPECT_EQ(cache.kept[pair.contact].margin, static_cast<float>(pair.a));
      EXPECT_EQ(cache.resting[pair.contact], pair.a % 2 != 0);
      EXPECT_EQ(loads[pair.contact], static_cast<float>(pair.b));
      EXPECT_EQ(cache.touch[pair.contact], pair.a % 7);
    }
    EXPECT_EQ(seen.size(), cache.slots.size());
    for (const std::uint32_t slot : cache.freeSlots) EXPECT_EQ(cache.slots[slot].colliderA, kNone);
  }
};

TEST(ContactCache, ArrangedSlotsGoInTheOrderOfPairsAndLoseNothing) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    Table table(3000, seed);
    table.arrange();
    table.expectSound();
    std::uint32_t next = 0;
    for (const Pair& pair : table.pairs) {
      if (pair.contact == kNone) continue;
      EXPECT_EQ(pair.contact, next);
      EXPECT_EQ(table.cache.inUse[next], next);
      ++next;
    }
    EXPECT_EQ(table.cache.inUse.size(), next);
    // And the next one in goes on from there.
    for (Pair& pair : table.pairs)
      if (pair.contact == kNone) table.give(pair);
    table.expectSound();
  }
}

TEST(ContactCache, SlotsThatAreFarTooManyAreGivenBack) {
  Table table(3000, 3);
  std::mt19937 random(4);
  for (Pair& pair : table.pairs) {
    if (pair.contact == kNone || random() % 4 == 0) continue;
    table.cache.release(pair.contact);
    pair.contact = kNone;
  }
  table.cache.inUse.clear();
  for (const Pair& pair : table.pairs)
    if (pair.contact != kNone) table.cache.inUse.push_back(pair.contact);
  const std::size_t used = table.cache.inUse.size();
  ASSERT_LT(used, 1000u);
  table.arrange();
  table.expectSound();
  EXPECT_EQ(table.cache.inUse.size(), used);
  EXPECT_LT(table.cache.slots.capacity(), used + used / 8 + 128);
  for (Pair& pair : table.pairs)
    if (pair.contact == kNone) table.give(pair);
  table.expectSound();
}

TEST(ContactCache, FewContactsAndFewNewcomersAreLeftWhereTheyAre) {
  Table few(500, 1);
  const std::vector<Pair> before = few.pairs;
  few.arrange();
  for (std::size_t i = 0; i < before.size(); ++i) EXPECT_EQ(few.pairs[i].contact, before[i].contact);

  Table many(3000, 2);
  many.arrange();
  Pair& last = many.pairs.back();
  if (last.contact != kNone) many.cache.release(last.contact);
  many.give(last);
  std::swap(many.pairs.front(), last);  // out of order now
  const std::uint32_t slot = many.pairs.front().contact;
  many.arrange();
  EXPECT_EQ(many.pairs.front().contact, slot);
}

}  // namespace
}  // namespace cairn
