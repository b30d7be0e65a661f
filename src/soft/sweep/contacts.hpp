// Contacts of a batch within a step of the soft stepper.
//
// The bodies of a large island are cut into parts (split_bodies.hpp). Contacts within a part are a group that one thread
// sweeps from colour to colour without waiting for anyone. Those across a cut are a group too, which has its turn when both
// sides had theirs: so threads can go on by themselves on the sides of the first cuts, and only there wait for each other;
// and a cut is not far in time, and in memory, from what it is between.
#pragma once

#include <bit>
#include <vector>

#include "mechanics/stepper.hpp"
#include "soft/layout/cut_tree.hpp"
#include "soft/layout/slabs.hpp"
#include "soft/sweep/contact_group.hpp"

namespace cairn {

class SoftContacts {
 public:
  std::vector<ContactEnds> contacts;  // slots, with the batch's numbers of the bodies; group by group

  // Taking contacts in. They lie column by column: for each group, those that are swept and then those that are watched
  // (layout/watched_contacts.hpp). `firsts`: where columns begin.
  void clear(std::size_t parts);
  std::size_t columns() const { return 2 * groups_.size(); }
  static std::uint32_t columnOf(std::uint32_t group, bool watched) { return 2 * group + (watched ? 1 : 0); }
  void makeRoom(std::span<const std::uint32_t> firsts, std::uint32_t end);
  // The same for some groups alone, by how many there are in each column now: the contacts of all others stay in.
  // Afterwards `counts` says where columns begin.
  void makeRoomFor(std::span<const std::uint8_t> changed, std::span<std::uint32_t> counts);
  std::uint32_t countOf(std::size_t column) const { return firsts_[column + 1] - firsts_[column]; }
  void findSlabs(SlabFinder& finder, const SoftBodies& bodies);  // when all are in

  static SoftContactValues valuesFor(const StepContext& context, double dt, double h);
  void begin(StepContext& context, SoftBodies& bodies, const SoftContactValues& values);
  void finish(StepContext& context, const SoftBodies& bodies);
  void forgetRows();  // of a step that was not the last
  bool mayBounce() const { return mayBounce_; }
  int colours() const;  // the most of any group
  bool fillsCaches() const;

  // Before a substep: takes in watched contacts of a group that might meet in it.
  void joinWatched(const StepContext& context, SoftBodies& bodies, ContactGroup& group) const {
    group.joinWatched(context.system.contacts.slots, bodies, values_);
  }

  // Calls down(group number, group, tasks) for cuts, part(part, group) for parts and up(...) for cuts again: of every cut
  // `down` comes before all that is on its two sides, and `up` after all of that. Sides of the first cuts are gone through
  // side by side; a cut that all threads wait for gets the tasks. What is done, and in which order for any one body, does
  // not depend on the number of threads.
  template <class Down, class Part, class Up>
  void traverse(const Tasks& tasks, Down&& down, Part&& part, Up&& up) {
    const std::uint32_t parts = partCount();
    const int height = std::countr_zero(parts), most = height - std::countr_zero(cut_tree::partsOfUnit(parts));
    int levels = 0;  // of cuts that threads meet at
    while (levels < most && (1 << levels) < tasks.threads()) ++levels;
    const auto forCuts = [&](int cutHeight, auto&& work) {
      const std::uint32_t cuts = parts >> cutHeight;
      const auto cut = [&](std::size_t index) {
        return cut_tree::cutOfHeight(cutHeight, static_cast<std::uint32_t>(index));
      };
      if (cuts == 1) return work(cut(0), groups_[cut(0)], &tasks);
      tasks.parallelFor(cuts, 1, [&](std::size_t i, std::size_t) { work(cut(i), groups_[cut(i)], nullptr); });
    };
    for (int level = 0; level < levels; ++level) forCuts(height - level, down);
    const std::uint32_t side = parts >> levels;
    tasks.parallelFor(std::size_t{1} << levels, 1, [&](std::size_t i, std::size_t) {
      visit(static_cast<std::uint32_t>(i) * side, side, down, part, up);
    });
    for (int level = levels; level-- > 0;) forCuts(height - level, up);
  }
  // As many sweeps, each as traverse() goes; what is called gets the number of the sweep first. Large islands go through
  // them in a wave (slabs.hpp).
  template <class Down, class Part, class Up>
  void sweepAll(const Tasks& tasks, std::size_t sweeps, Down&& down, Part&& part, Up&& up) {
    const auto numbered = [](std::size_t sweep, auto& work) {
      return [sweep, &work](auto&&... arguments) { work(sweep, arguments...); };
    };
    const Wave wave = waveOf(sweeps, tasks.threads());
    if (wave.sweepsAtOnce < 2) {
      for (std::size_t sweep = 0; sweep < sweeps; ++sweep)
        traverse(tasks, numbered(sweep, down), numbered(sweep, part), numbered(sweep, up));
      return;
    }
    const auto slabParts = std::uint32_t{1} << heightWithinSlabs_;
    const auto cutBehind = [&](std::size_t slab, std::size_t sweep, auto& work) {
      const std::uint32_t cut = 2 * slabParts * static_cast<std::uint32_t>(slab + 1) - 1;
      work(sweep, cut, groups_[cut], nullptr);
    };
    forEachOfWave(
        tasks, wave,
        [&](std::size_t slab, std::size_t sweep) {
          if (sweep > 0) cutBehind(slab, sweep - 1, up);
          cutBehind(slab, sweep, down);
        },
        [&](std::size_t slab, std::size_t sweep) {
          auto downs = numbered(sweep, down), parts = numbered(sweep, part), ups = numbered(sweep, up);
          visit(slabParts * static_cast<std::uint32_t>(slab), slabParts, downs, parts, ups);
        });
    for (std::size_t slab = 0; slab + 1 < wave.slabs; ++slab) cutBehind(slab, sweeps - 1, up);
  }

 private:
  // As traverse(), for `count` parts.
  template <class Down, class Part, class Up>
  void visit(std::uint32_t first, std::uint32_t count, Down& down, Part& part, Up& up) {
    const auto onPart = [&](std::uint32_t i) { part(i, groups_[cut_tree::groupOfPart(i)]); };
    if (count == 1) return onPart(first);
    const std::uint32_t cut = cut_tree::cutOf(first, count);
    down(cut, groups_[cut], nullptr);
    if (count <= cut_tree::partsOfUnit(partCount())) {
      for (std::uint32_t i = first; i < first + count; ++i) onPart(i);
    } else {
      visit(first, count / 2, down, part, up);
      visit(first + count / 2, count / 2, down, part, up);
    }
    up(cut, groups_[cut], nullptr);
  }
  // Calls work(i, group) for all groups, side by side.
  template <class Work>
  void forAll(const Tasks& tasks, Work&& work) {
    tasks.parallelFor(groups_.size(), 1,
                      [&](std::size_t i, std::size_t) { work(static_cast<std::uint32_t>(i), groups_[i]); });
  }

  std::uint32_t partCount() const { return static_cast<std::uint32_t>((groups_.size() + 1) / 2); }
  Wave waveOf(std::size_t sweeps, int threads) const;

  std::vector<ContactGroup> groups_;   // see cut_tree.hpp
  std::vector<std::uint32_t> firsts_;  // of each column in `contacts`, and the end
  std::vector<std::uint8_t> changed_;  // by group: its list is not that of the last step
  int heightWithinSlabs_ = 0;          // of cuts
  std::size_t rowBytes_ = 0;           // of this step
  SoftContactValues values_{};
  bool mayBounce_ = false;
};

}  // namespace cairn
