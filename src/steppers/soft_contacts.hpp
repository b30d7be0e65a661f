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

// For sweeps with nothing to be done first.
inline constexpr auto nothing = [](std::size_t) {};

class SoftContacts {
 public:
  std::vector<ContactEnds> contacts;  // slots, with the batch's numbers of the bodies; group by group

  // Taking contacts in: with several parts, all are counted by their group; then they are added.
  std::uint32_t expected = 0;
  void clear(std::size_t parts);
  void count(std::uint32_t group) { ++firsts_[group + 1]; }
  void allCounted();
  // Of a group, those that are watched (contact_watch.hpp) come last.
  void add(const ContactEnds& ends, std::uint32_t group) {
    contacts[ends.rank != 0 ? --watchedFrom_[group] : next_[group]++] = ends;
  }
  std::uint32_t between() const { return static_cast<std::uint32_t>(groups_.size()) - 1; }  // the group between parts

  void begin(StepContext& context, SoftBodies& bodies, double dt, double h);
  void finish(StepContext& context, const SoftBodies& bodies);
  void forgetRows();  // of a step that was not the last
  void refreshSpinning(SoftBodies& bodies);
  bool mayBounce() const { return mayBounce_; }
  int colours() const;  // the most of any group
  void arrange(int number);

  // Before each substep: takes in watched contacts that might meet in it.
  void look(const StepContext& context, SoftBodies& bodies);
  // Each of these calls first(part) for every part before that part's contacts are swept, on the same thread: what a part's
  // bodies need done need not wait for the other parts.
  template <class First>
  void applyImpulses(const Tasks& tasks, wide::SolverBody* bodies, First&& first) {
    sweep(tasks, first, [&](wide::Blocks blocks, auto* points, auto*) { wide::applyImpulses(blocks, points, bodies); });
  }
  template <class First>
  void solve(const Tasks& tasks, wide::SolverBody* bodies, const wide::SubstepValues& values, First&& first) {
    sweep(tasks, first, [&](wide::Blocks blocks, auto* points, auto*) { wide::solveSoft(blocks, points, bodies, values); });
  }
  template <class First>
  void relax(const Tasks& tasks, wide::SolverBody* bodies, const wide::SubstepValues& values, First&& first) {
    sweep(tasks, first, [&](wide::Blocks blocks, auto* points, auto*) { wide::relax(blocks, points, bodies, values); });
  }
  // The same for contacts of one part, or those between.
  void look(const StepContext& context, SoftBodies& bodies, std::size_t group) {
    groups_[group].look(context.system.contacts.slots, bodies, values_);
  }
  void noteApproach(const Tasks& tasks, const wide::SolverBody* bodies);
  void bounce(const Tasks& tasks, wide::SolverBody* bodies, const wide::SubstepValues& values);

 private:
  std::size_t parts() const { return groups_.size() == 1 ? 1 : groups_.size() - 1; }
  template <class First, class Kernel>
  void sweep(const Tasks& tasks, First&& first, Kernel&& kernel) {
    if (groups_.size() == 1) {
      first(0);
      return groups_[0].sweep(nullptr, kernel);
    }
    tasks.parallelFor(parts(), 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        first(i);
        groups_[i].sweep(nullptr, kernel);
      }
    });
    if (groups_.size() == parts()) return;
    first(parts());
    groups_.back().sweep(&tasks, kernel);
  }

  std::vector<ContactGroup> groups_;   // one of each part, and the one between parts if there are several
  std::vector<std::uint32_t> firsts_;  // of each group in `contacts`, and the end
  std::vector<std::uint32_t> next_;    // where the next one of a group goes
  std::vector<std::uint32_t> watchedFrom_;
  SoftContactValues values_{};
  bool mayBounce_ = false;
};

}  // namespace cairn
