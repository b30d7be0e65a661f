// The joints of the soft stepper that form trees, each tree solved exactly in every substep (see joint_tree_step.hpp).
#pragma once

#include "soft/joint_tree/joint_tree_step.hpp"

namespace cairn {

class JointForest {
 public:
  // Sorts the joints into trees, in the order given. Of the contacts, trees take those of their bodies.
  void begin(StepContext& context, SoftBodies& bodies, const std::vector<JointEnds>& joints,
             std::span<const ContactEnds> contacts, const SoftContactValues& values, double h);
  // Joints that would close a loop, or whose bodies have locked axes, or whose tree has contacts that it cannot take, by
  // their place in that order: someone else must solve these.
  const std::vector<std::uint32_t>& others() const { return others_; }
  bool holdContacts() const { return holdContacts_; }

  void refresh(StepContext& context, SoftBodies& bodies, double elapsed);
  void solve(StepContext& context, SoftBodies& bodies);
  void relax(StepContext& context, SoftBodies& bodies);
  void noteApproach(StepContext& context, SoftBodies& bodies);
  void bounce(StepContext& context, SoftBodies& bodies);
  void addUp(StepContext& context, SoftBodies& bodies);
  void finish(StepContext& context, double dt);

 private:
  // The contacts of a tree.
  struct Touches {
    std::size_t rows = 0;
    bool cannotHold = false;
    float heaviest = 0.0f, lightest = 0.0f;  // 1/kg: of its bodies and what they touch
    void weigh(const wide::MassRow& mass) {
      const float now = mass.inverseMass;
      if (!(now > 0.0f)) return;
      heaviest = heaviest > 0.0f ? std::min(heaviest, now) : now;
      lightest = std::max(lightest, now);
    }
    bool canHold() const {
      return rows == 0 || (!cannotHold && static_cast<double>(rows) <= JointTreeContacts::mostRows(lightest / heaviest));
    }
  };
  struct Member {
    std::uint32_t tree = kNone, link = 0;  // of the plan; in the tree
  };
  Member memberOf(const SoftBodies& bodies, std::uint32_t body) const {
    return body < bodies.ground() && bodies[body].precise != kNone ? members_[bodies[body].precise] : Member{};
  }
  void findHolders(const System& system, const SoftBodies& bodies, std::span<const ContactEnds> contacts);
  void takeContacts(const System& system, SoftBodies& bodies, std::span<const ContactEnds> contacts,
                    const SoftContactValues& values);
  template <class Work>
  void forEachTree(StepContext& context, Work&& work);

  TreePlan plan_;
  std::vector<JointTreeStep> trees_;   // those in use; never shrinks: it keeps their memory
  std::vector<std::uint32_t> used_;    // which trees of the plan they are
  std::vector<std::uint32_t> treeAt_;  // by tree of the plan: in use
  std::vector<Member> members_;        // by SoftBody::precise
  std::vector<Touches> touches_;       // by tree of the plan
  bool holdContacts_ = false;          // some tree does
  std::vector<std::uint32_t> others_;
  std::vector<char> pushed_;  // by SoftBody::precise: other joints push it
};

}  // namespace cairn
