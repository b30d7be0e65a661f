// The joints of the soft stepper that form trees, each tree solved exactly in every substep (see joint_tree_step.hpp).
#pragma once

#include "soft/joint_tree/joint_tree_step.hpp"

namespace cairn {

class JointForest {
 public:
  // Sorts the joints into trees, in the order given. Of the contacts, trees take those of their bodies.
  void begin(StepContext& context, SoftBodies& bodies, const std::vector<JointEnds>& joints,
             std::span<const ContactEnds> contacts, const SoftContactValues& values, double h);
  // Joints that would close a loop or hold bodies to the world (gears, pulleys), by their place in that order: someone else
  // must solve these.
  const std::vector<std::uint32_t>& others() const { return others_; }
  bool holdContacts() const { return groupCount_ > 0; }

  void refresh(StepContext& context, SoftBodies& bodies, double elapsed);
  void solve(StepContext& context, SoftBodies& bodies);
  void relax(StepContext& context, SoftBodies& bodies);
  void noteApproach(StepContext& context, SoftBodies& bodies);
  void bounce(StepContext& context, SoftBodies& bodies);
  void addUp(StepContext& context, SoftBodies& bodies);
  void finish(StepContext& context, double dt);

 private:
  struct Member {
    std::uint32_t tree = kNone, link = 0;  // of the plan; in the tree
  };
  // Trees that contacts join together, with the free bodies between them.
  struct Group {
    std::vector<std::uint32_t> trees;
    JointTreeContacts contacts;
  };
  Member memberOf(const SoftBodies& bodies, std::uint32_t body) const {
    return body < bodies.ground() && bodies[body].precise != kNone ? members_[bodies[body].precise] : Member{};
  }
  void findGroups(const SoftBodies& bodies, std::span<const ContactEnds> contacts);
  void takeContacts(const System& system, SoftBodies& bodies, std::span<const ContactEnds> contacts,
                    const SoftContactValues& values);
  template <class Work>
  void forEachTree(StepContext& context, Work&& work);
  template <class Work>
  void forEachGroup(StepContext& context, Work&& work);

  TreePlan plan_;
  std::vector<std::uint32_t> others_;
  std::vector<JointTreeStep> trees_;  // as in the plan; never shrinks: it keeps their memory
  std::vector<Group> groups_;         // the first groupCount_; likewise
  std::size_t groupCount_ = 0;
  std::vector<Member> members_;              // by SoftBody::precise
  std::vector<std::uint32_t> joined_;        // union-find over trees, then bodies of the batch
  std::vector<std::uint32_t> groupOf_;       // by tree; kNone: it touches nothing
  std::vector<std::uint32_t> placeInGroup_;  // by tree
  std::vector<std::uint32_t> moverOfBody_;   // see JointTreeContacts::add()
  std::vector<char> pushed_;                 // by SoftBody::precise: other joints push it
};

}  // namespace cairn
