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

class SoftContacts {
 public:
  std::vector<ContactEnds> contacts;  // slots, with the batch's numbers of the bodies; group by group

  // Taking contacts in: with several parts, all are counted by their group; then they are added.
  std::uint32_t expected = 0;
  void clear(std::size_t parts);
  void count(std::uint32_t group) { ++firsts_[group + 1]; }
  void allCounted();
  // Of a group, those that are watched (contact_watch.hpp) come last.
  void add(const ContactEnds& ends, std::uint32_t group, bool watched) {
    contacts[watched ? --watchedFrom_[group] : next_[group]++] = ends;
  }
  std::uint32_t between() const { return static_cast<std::uint32_t>(groups_.size()) - 1; }  // the group between parts

  void begin(StepContext& context, SoftBodies& bodies, double dt, double h);
  void finish(StepContext& context) const;
  void refreshSpinning(SoftBodies& bodies);
  // Before each substep: takes in watched contacts that might meet.
  void look(const StepContext& context, SoftBodies& bodies);
  bool bounces() const { return bounces_; }
  int colours() const;  // the most of any group
  void arrange(int number);

  void applyImpulses(const Tasks& tasks, wide::SolverBody* bodies);
  void solve(const Tasks& tasks, wide::SolverBody* bodies, const wide::SubstepValues& values);
  void relax(const Tasks& tasks, wide::SolverBody* bodies, const wide::SubstepValues& values);
  void noteApproach(const Tasks& tasks, const wide::SolverBody* bodies);
  void bounce(const Tasks& tasks, wide::SolverBody* bodies, const wide::SubstepValues& values);

 private:
  template <class Kernel>
  void sweep(const Tasks& tasks, Kernel&& kernel);

  std::vector<ContactGroup> groups_;   // one of each part, and the one between parts if there are several
  std::vector<std::uint32_t> firsts_;  // of each group in `contacts`, and the end
  std::vector<std::uint32_t> next_;    // where the next one of a group goes
  std::vector<std::uint32_t> watchedFrom_;
  SoftContactValues values_{};
  bool bounces_ = false, watches_ = false;
};

}  // namespace cairn
