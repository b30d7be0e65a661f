#include "soft/layout/slabs.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <bit>
#include <random>
#include <set>

#include "soft/layout/cut_tree.hpp"

namespace cairn {
namespace {

// Every slab and cut has every sweep once, in an order that is as good as one sweep after another: for a cut both sides must
// be through with the sweep before, and for a slab both cuts with this one.
TEST(Slabs, AWaveKeepsTheOrderOfNeighbours) {
  std::mt19937 random(1);
  const auto below = [&](std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random); };
  for (const int threads : {1, 2, 3, 4}) {
    const Tasks tasks(threads);
    for (int trial = 0; trial < 200; ++trial) {
      const auto stretches = static_cast<std::size_t>(threads);
      const std::size_t atOnce = 1 + below(6), sweeps = 1 + below(20);
      const Wave wave{std::max<std::size_t>(2, 2 * atOnce * stretches) + below(20), sweeps, atOnce, stretches};
      std::vector<std::atomic<std::size_t>> slabs(wave.slabs), cuts(wave.slabs - 1);
      std::atomic<int> wrong = 0;
      const auto expect = [&](bool holds) { wrong += holds ? 0 : 1; };
      forEachOfWave(
          tasks, wave,
          [&](std::size_t cut, std::size_t sweep) {
            if (cut >= cuts.size()) return expect(false);
            expect(slabs[cut] == sweep && slabs[cut + 1] == sweep);
            expect(cuts[cut]++ == sweep);
          },
          [&](std::size_t slab, std::size_t sweep) {
            expect(slab == 0 || cuts[slab - 1] == sweep + 1);
            expect(slab + 1 == wave.slabs || cuts[slab] == sweep + 1);
            expect(slabs[slab]++ == sweep);
          });
      EXPECT_EQ(wrong, 0) << wave.slabs << " slabs, " << sweeps << " sweeps, " << atOnce << " at once, " << threads
                          << " threads";
      for (const auto& done : slabs) EXPECT_EQ(done, sweeps);
      for (const auto& done : cuts) EXPECT_EQ(done, sweeps);
    }
  }
}

// With one thread, what is in use at a time is as many slabs as sweeps at once: between two visits of a slab there are no
// more others than that.
TEST(Slabs, AWaveComesBackSoon) {
  const std::size_t atOnce = 4;
  std::vector<std::size_t> visits;
  forEachOfWave(
      Tasks(1), {40, 8, atOnce, 1}, [](std::size_t, std::size_t) {},
      [&](std::size_t slab, std::size_t) { visits.push_back(slab); });
  std::size_t far = 0;  // visits of slabs that come again from farther away
  for (std::size_t i = 0; i < visits.size(); ++i) {
    std::size_t before = i;
    while (before > 0 && visits[before - 1] != visits[i]) --before;
    const std::set<std::size_t> between(visits.begin() + static_cast<std::ptrdiff_t>(before),
                                        visits.begin() + static_cast<std::ptrdiff_t>(i));
    far += before == 0 || between.size() > atOnce ? 1 : 0;
  }
  // Once for the first four sweeps, and once for the others save for those slabs that the first wave ended with.
  EXPECT_EQ(far, 2u * 40u - (atOnce + 1));
}

// Against what slabs are: of the cuts that are high enough, no body has contacts across two, and no contact reaches over
// two.
TEST(Slabs, BodiesTouchNoOneBeyondTheNextSlab) {
  std::mt19937 random(2);
  const auto below = [&](std::uint32_t n) { return std::uniform_int_distribution<std::uint32_t>(0, n - 1)(random); };
  std::set<int> found;
  for (int trial = 0; trial < 500; ++trial) {
    const int times = 3 + static_cast<int>(below(4)), least = static_cast<int>(below(3));
    const std::uint32_t parts = 1u << times, bodies = 8 * parts, reach = 1 + below(1u << below(9));
    std::vector<std::uint16_t> partOf(bodies);
    for (std::uint32_t i = 0; i < bodies; ++i) partOf[i] = static_cast<std::uint16_t>(i / 8);
    std::vector<std::vector<ContactEnds>> groups(cut_tree::groupCount(parts));
    std::vector<ContactEnds> all;
    for (std::uint32_t i = below(2 * bodies); i-- > 0;) {
      ContactEnds ends{};
      ends.a = below(bodies + 8);  // some are not to be moved
      ends.b = ends.a < bodies ? ends.a + below(reach) : below(bodies);
      if (ends.a >= bodies || ends.b >= bodies) continue;
      all.push_back(ends);
      groups[cut_tree::groupBetween(partOf[ends.a], partOf[ends.b], 1)].push_back(ends);
    }
    const auto isFit = [&](int within) {
      std::vector<std::set<std::uint32_t>> cutsOf(bodies);  // by the slab behind each
      for (const ContactEnds& ends : all) {
        const std::uint32_t a = partOf[ends.a] >> within, b = partOf[ends.b] >> within;
        if (std::max(a, b) > std::min(a, b) + 1) return false;
        if (a == b) continue;
        cutsOf[ends.a].insert(std::max(a, b));
        cutsOf[ends.b].insert(std::max(a, b));
      }
      return std::all_of(cutsOf.begin(), cutsOf.end(), [](const auto& cuts) { return cuts.size() < 2; });
    };
    int fit = least;
    while (!isFit(fit)) ++fit;
    SlabFinder finder;
    EXPECT_EQ(finder.heightWithin(parts, least, partOf,
                                  [&](std::uint32_t cut) { return std::span<const ContactEnds>(groups[cut]); }),
              fit);
    found.insert(fit);
  }
  EXPECT_GE(found.size(), 5u);  // all sorts were met
}

}  // namespace
}  // namespace cairn
