// Contacts of a batch within a step of the soft stepper.
//
// The bodies of a large island are cut into parts (split_bodies.hpp). Contacts within a part are a group that one thread
// sweeps from colour to colour without waiting for anyone; what is between parts comes last, in a group of its own, whose
// colours are worked on by all threads.
#pragma once

#include <vector>

#include "steppers/contact_group.hpp"
#include "steppers/stepper.hpp"

namespace cairn {

// When contacts between parts have their turn.
enum class BetweenParts { First, Last };

class SoftContacts {
 public:
  std::vector<ContactEnds> contacts;  // slots, with the batch's numbers of the bodies; group by group

  // Taking contacts in. They lie column by column: for each group, those that are swept and then those that are watched
  // (contact_watch.hpp). `firsts`: where columns begin, and the end.
  void clear(std::size_t parts);
  std::uint32_t between() const { return static_cast<std::uint32_t>(groups_.size()) - 1; }  // the group between parts
  std::size_t columns() const { return 2 * groups_.size(); }
  static std::uint32_t columnOf(std::uint32_t group, bool watched) { return 2 * group + (watched ? 1 : 0); }
  void makeRoom(std::span<const std::uint32_t> firsts);

  void begin(StepContext& context, SoftBodies& bodies, double dt, double h);
  void finish(StepContext& context, const SoftBodies& bodies);
  void forgetRows();  // of a step that was not the last
  void refreshSpinning(const Tasks& tasks, SoftBodies& bodies);
  bool mayBounce() const { return mayBounce_; }
  int colours() const;  // the most of any group
  void arrange(int number);

  // Before each substep: takes in watched contacts that might meet in it.
  void look(const StepContext& context, SoftBodies& bodies);
  void look(const StepContext& context, SoftBodies& bodies, ContactGroup& group) const {
    group.look(context.system.contacts.slots, bodies, values_);
  }

  std::size_t parts() const { return groups_.size() == 1 ? 1 : groups_.size() - 1; }
  // Calls work(i, group) for the contacts within each part, side by side.
  template <class Work>
  void forEachPart(const Tasks& tasks, Work&& work) {
    tasks.parallelFor(parts(), 1, [&](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i) work(i, groups_[i]);
    });
  }
  ContactGroup* betweenParts() { return groups_.size() == 1 ? nullptr : &groups_.back(); }
  // Calls work(group, tasks) for all contacts; those between parts get the tasks.
  template <class Work>
  void forEachGroup(const Tasks& tasks, BetweenParts when, Work&& work) {
    ContactGroup* const between = betweenParts();
    if (between != nullptr && when == BetweenParts::First) work(*between, &tasks);
    forEachPart(tasks, [&](std::size_t, ContactGroup& group) { work(group, nullptr); });
    if (between != nullptr && when == BetweenParts::Last) work(*between, &tasks);
  }

 private:
  // Calls work(i, group) for all groups, side by side. With many parts, what is between them is far larger than any, and is
  // begun first; with few it comes last, so that a thread gets the same parts as in forEachPart.
  template <class Work>
  void forAll(const Tasks& tasks, Work&& work) {
    constexpr std::size_t kManyParts = 8;
    const std::size_t count = groups_.size(), shift = count > kManyParts ? count - 1 : 0;
    tasks.parallelFor(count, 1, [&](std::size_t first, std::size_t) {
      const std::size_t i = (first + shift) % count;
      work(i, groups_[i]);
    });
  }

  std::vector<ContactGroup> groups_;   // one of each part, and the one between parts if there are several
  std::vector<std::uint32_t> firsts_;  // of each column in `contacts`, and the end
  SoftContactValues values_{};
  bool mayBounce_ = false;
};

}  // namespace cairn
