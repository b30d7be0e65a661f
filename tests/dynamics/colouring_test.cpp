// Colours and islands on random contact graphs, against their definitions.
#include "dynamics/colouring.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <set>

#include "dynamics/islands.hpp"

namespace cairn {
namespace {

// Bodies, some of them static, with contacts between random pairs.
System randomSystem(std::mt19937_64& random, int bodies, int contacts) {
  System system;
  for (int i = 0; i < bodies; ++i) {
    Body body;
    body.alive = true;
    body.kind = random() % 5 == 0 ? BodyKind::Static : BodyKind::Dynamic;
    body.inverseMass = body.kind == BodyKind::Dynamic ? 1.0 : 0.0;
    system.bodies.push_back(body);
  }
  std::set<std::pair<std::uint32_t, std::uint32_t>> pairs;
  for (int i = 0; i < contacts; ++i) {
    const auto a = static_cast<std::uint32_t>(random() % static_cast<std::uint64_t>(bodies));
    // Now and then the same body again: hubs need many colours.
    const auto b = random() % 4 == 0 ? 0u : static_cast<std::uint32_t>(random() % static_cast<std::uint64_t>(bodies));
    if (a != b) pairs.insert({std::min(a, b), std::max(a, b)});
  }
  for (const auto& [a, b] : pairs) {
    const std::uint32_t slot = system.contacts.acquire(a, b);
    system.contacts.inUse.push_back(slot);
    system.contacts.slots[slot].count = static_cast<std::uint8_t>(1 + random() % 4);
    system.broad.pairs.push_back({a, b, slot});
  }
  return system;
}

TEST(Colouring, ContactsOfAColourShareNoBodyThatMovesAndNoneIsForgotten) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 200; ++round) {
    const auto bodies = static_cast<std::uint32_t>(2 + random() % 300);
    const auto movable = static_cast<std::uint32_t>(1 + random() % bodies);
    std::vector<ContactEnds> contacts;
    const std::size_t wanted = random() % 1000;
    while (contacts.size() < wanted) {
      const auto a = static_cast<std::uint32_t>(random() % movable);
      // Now and then the same body again: hubs need many colours.
      const auto b = random() % 4 == 0 ? 0u : static_cast<std::uint32_t>(random() % bodies);
      if (a != b || movable == 1) contacts.push_back({static_cast<std::uint32_t>(contacts.size()), a, a == b ? movable : b});
    }
    Colouring colouring;
    ColouringBuffers buffers;
    colourContacts(contacts, {0, movable}, buffers, colouring);
    std::vector<int> seen(contacts.size(), 0);
    for (const ContactEnds& ends : colouring.contacts) {
      ++seen[ends.contact];
      ASSERT_EQ(ends.a, contacts[ends.contact].a);
      ASSERT_EQ(ends.b, contacts[ends.contact].b);
    }
    ASSERT_EQ(std::count(seen.begin(), seen.end(), 1), static_cast<std::ptrdiff_t>(contacts.size()));
    ASSERT_LE(colouring.firstOf[static_cast<std::size_t>(colouring.colours)], colouring.serialFrom);
    for (int c = 0; c < colouring.colours; ++c) {
      std::set<std::uint32_t> used;
      for (std::uint32_t i = colouring.firstOf[c]; i < colouring.firstOf[c + 1]; ++i) {
        for (const std::uint32_t body : {colouring.contacts[i].a, colouring.contacts[i].b})
          ASSERT_TRUE(body >= movable || used.insert(body).second);
      }
    }
  }
}

// With several threads, unions meet: what one makes a child another may be about to.
TEST(Islands, AreTheSameForAnyNumberOfThreads) {
  std::mt19937_64 random(3);
  const Tasks one(1), two(2), four(4);
  for (int round = 0; round < 20; ++round) {
    System system = randomSystem(random, 5000, 4000 + static_cast<int>(random() % 4000));
    IslandScratch scratch;
    const auto islandsWith = [&](const Tasks& tasks) {
      system.islands = {};
      std::vector<std::uint32_t> found{static_cast<std::uint32_t>(findIslands(system, tasks, scratch))};
      for (const Body& body : system.bodies) found.push_back(body.island);
      return found;
    };
    const std::vector<std::uint32_t> alone = islandsWith(one);
    for (int again = 0; again < 5; ++again) {
      ASSERT_EQ(islandsWith(two), alone);
      ASSERT_EQ(islandsWith(four), alone);
    }
  }
}

// They are not looked for again while what changes cannot have joined or parted them: whatever does must be noticed.
TEST(Islands, AreTheSameAsIfLookedForAnew) {
  std::mt19937_64 random(4);
  for (int round = 0; round < 50; ++round) {
    System system = randomSystem(random, 2 + static_cast<int>(random() % 60), static_cast<int>(random() % 80));
    for (int edit = 0; edit < 40; ++edit) {
      const std::size_t index = random() % system.bodies.size();
      Body& body = system.bodies[index];
      ContactCache& cache = system.contacts;
      const auto takeOut = [&](auto&& isMeant) {
        std::erase_if(cache.inUse, [&](std::uint32_t slot) {
          const bool goes = isMeant(slot);
          if (goes) cache.release(slot);
          return goes;
        });
      };
      switch (random() % 9) {
        case 0:
          body.kind = body.kind == BodyKind::Dynamic ? BodyKind::Static : BodyKind::Dynamic;
          break;
        case 1:
          body.quarantined = !body.quarantined;
          break;
        case 2:
          body.awake = !body.awake;
          break;
        case 3:  // taken out, its contacts too; another one may be in its place at once
          takeOut([&](std::uint32_t slot) { return cache.ends[slot].a == index || cache.ends[slot].b == index; });
          body = Body{};
          body.alive = random() % 2 == 0;
          break;
        case 4:
          if (cache.inUse.empty()) break;
          takeOut([gone = cache.inUse[random() % cache.inUse.size()]](std::uint32_t slot) { return slot == gone; });
          break;
        case 5:
        case 6:
          if (const auto other = static_cast<std::uint32_t>(random() % system.bodies.size()); other != index)
            cache.inUse.push_back(cache.acquire(static_cast<std::uint32_t>(index), other));
          break;
        case 7:
          for (const std::uint32_t slot : cache.inUse)
            if (random() % 2 == 0) cache.touch[slot] ^= Touch::kNow;
          break;
        default:
          break;
      }
      System anew = system;
      anew.islands = {};
      IslandScratch scratch, scratchAnew;
      ASSERT_EQ(findIslands(system, Tasks(), scratch), findIslands(anew, Tasks(), scratchAnew));
      ASSERT_EQ(scratch.anyAsleep, scratchAnew.anyAsleep);
      for (std::size_t i = 0; i < system.bodies.size(); ++i) ASSERT_EQ(system.bodies[i].island, anew.bodies[i].island) << i;
    }
  }
}

TEST(Islands, AreTheConnectedComponentsOfBodiesThatMove) {
  std::mt19937_64 random(2);
  for (int round = 0; round < 200; ++round) {
    System system = randomSystem(random, 2 + static_cast<int>(random() % 100), static_cast<int>(random() % 120));
    IslandScratch scratch;
    const int islands = findIslands(system, Tasks(), scratch);
    // Brute force: spread labels until nothing changes.
    std::vector<std::size_t> label(system.bodies.size());
    std::iota(label.begin(), label.end(), std::size_t{0});
    for (bool changed = true; changed;) {
      changed = false;
      for (const Pair& pair : system.broad.pairs) {
        const Contact& contact = system.contacts.slots[pair.contact];
        if (contact.count == 0 || !system.bodies[contact.bodyA].isDynamic() || !system.bodies[contact.bodyB].isDynamic())
          continue;
        const std::size_t least = std::min(label[contact.bodyA], label[contact.bodyB]);
        changed |= label[contact.bodyA] != least || label[contact.bodyB] != least;
        label[contact.bodyA] = label[contact.bodyB] = least;
      }
    }
    std::set<std::size_t> components;
    for (std::size_t i = 0; i < label.size(); ++i) {
      if (!system.bodies[i].isDynamic()) {
        ASSERT_EQ(system.bodies[i].island, kNone);
        continue;
      }
      components.insert(label[i]);
      for (std::size_t j = 0; j < i; ++j) {
        if (!system.bodies[j].isDynamic()) continue;
        ASSERT_EQ(label[i] == label[j], system.bodies[i].island == system.bodies[j].island);
      }
    }
    ASSERT_EQ(static_cast<std::size_t>(islands), components.size());
  }
}

}  // namespace
}  // namespace cairn
