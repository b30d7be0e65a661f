// Islands that no cache holds are cut into slabs, one behind another, of which each touches none but its neighbours: sets of
// 2^n parts each, with a cut of the tree of cuts between any two of them.
//
// A step sweeps over an island once for every substep, and each time all of it would come from memory. But a slab may go on
// to the next sweep as soon as its neighbours had their turn in the last one. So sweeps follow each other in a wave that
// runs through the island once, and what it has left behind it does not come back to:
//
//     slab      0  1  2  3  4  5 ...
//     sweep 0   0  1  3  6 10           the order in which they have their turn
//     sweep 1   2  4  7 11
//     sweep 2   5  8 12
//
// Several threads have a stretch of slabs each. A wave in a stretch cannot go on where it would need the next stretch, and
// what it leaves out is done when all are through: sweep by sweep, first a slab on each side, then two, then three.
//
// If there is no room for all sweeps in one wave there are several, which go to and fro: what one came by last the next one
// finds where it left it. The first goes backwards, because rows were made forwards.
//
// Which sweeps a body gets, and in which order, is the same as without the wave, and so are all results.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "base/tasks.hpp"
#include "dynamics/colouring.hpp"

namespace cairn {

class SlabFinder {
 public:
  // How high a cut of the cut tree must be to lie between slabs: higher than this, which is at least `least`. No body has
  // contacts across two such cuts. `partOf`: of bodies that can be moved; contactsOf(cut): all between its two sides.
  int heightWithin(std::size_t parts, int least, std::span<const std::uint16_t> partOf,
                   const std::function<std::span<const ContactEnds>(std::uint32_t)>& contactsOf);

 private:
  std::vector<std::uint32_t> cutOf_;  // by body: the first that it has contacts across; there is no cut 0
};

struct Wave {
  std::size_t slabs, sweeps;
  std::size_t sweepsAtOnce;  // the island is gone through once for so many
  std::size_t stretches;     // of slabs, twice as many as sweepsAtOnce or more in each
};

// Calls slab(number, sweep) for all of them and cut(number, sweep) for what is between slab `number` and the next: a cut in
// a sweep after the slabs on both sides in the one before, and before them in this one.
template <class Cut, class Slab>
void forEachOfWave(const Tasks& tasks, const Wave& wave, Cut&& cutOf, Slab&& slabOf) {
  const std::size_t seams = wave.stretches - 1;  // between stretches
  const auto begin = [&](std::size_t stretch) { return wave.slabs * stretch / wave.stretches; };
  const std::size_t waves = (wave.sweeps + wave.sweepsAtOnce - 1) / wave.sweepsAtOnce;
  for (std::size_t number = 0; number < waves; ++number) {
    const std::size_t from = wave.sweeps * number / waves, sweeps = wave.sweeps * (number + 1) / waves - from;
    // Backwards, all is as in a mirror.
    const bool backwards = number % 2 == 0;
    const auto slab = [&](std::size_t at, std::size_t sweep) { slabOf(backwards ? wave.slabs - 1 - at : at, sweep); };
    const auto cut = [&](std::size_t at, std::size_t sweep) { cutOf(backwards ? wave.slabs - 2 - at : at, sweep); };
    tasks.parallelFor(seams, 1, [&](std::size_t i, std::size_t) { cut(begin(i + 1) - 1, from); });
    tasks.parallelFor(wave.stretches, 1, [&](std::size_t i, std::size_t) {
      const std::size_t stretch = backwards ? seams - i : i;  // the same thread has a stretch again the next time
      const std::size_t first = begin(stretch), last = begin(stretch + 1) - 1;
      const bool seamBefore = stretch > 0, seamBehind = stretch < seams;
      for (std::size_t front = first; front < last + sweeps; ++front) {
        for (std::size_t sweep = front < last ? 0 : front - last; sweep < sweeps && first + sweep <= front; ++sweep) {
          const std::size_t at = front - sweep;
          if ((seamBefore && at < first + sweep) || (seamBehind && at + sweep > last)) continue;
          if (seamBefore && sweep > 0 && at == first + sweep) cut(at - 1, from + sweep);
          if (at + 1 < wave.slabs && !(seamBehind && sweep == 0 && at == last)) cut(at, from + sweep);
          slab(at, from + sweep);
        }
      }
    });
    for (std::size_t sweep = 1; seams > 0 && sweep < sweeps; ++sweep) {
      const std::size_t wide = 2 * sweep;  // slabs about a seam
      const auto leftOut = [&](std::size_t seam, std::size_t i) { return begin(seam + 1) - sweep + i; };
      tasks.parallelFor(seams * (wide - 1), 1,
                        [&](std::size_t i, std::size_t) { cut(leftOut(i / (wide - 1), i % (wide - 1)), from + sweep); });
      tasks.parallelFor(seams * wide, 1,
                        [&](std::size_t i, std::size_t) { slab(leftOut(i / wide, i % wide), from + sweep); });
    }
  }
}

}  // namespace cairn
