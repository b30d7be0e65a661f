// The joints of the soft stepper that form trees, each tree solved exactly in every substep (see soft_tree.hpp).
#pragma once

#include "steppers/soft_tree.hpp"

namespace cairn {

class SoftTrees {
 public:
  // Sorts the joints into trees, in the order given.
  void begin(StepContext& context, SoftBodies& bodies, const std::vector<JointEnds>& joints, double h);
  // Joints that would close a loop, or whose bodies have locked axes, or whose tree touches something, by their place in
  // that order: someone else must solve these. (A contact that is solved by turns with a whole tree sees the mass of one
  // link where it pushes them all, and feeds energy in.)
  const std::vector<std::uint32_t>& others() const { return others_; }

  void refresh(StepContext& context, SoftBodies& bodies, double elapsed);
  void solve(StepContext& context, SoftBodies& bodies);
  void relax(StepContext& context, SoftBodies& bodies);
  void addUp(StepContext& context);
  void finish(StepContext& context);

 private:
  template <class Work>
  void forEachTree(StepContext& context, Work&& work);

  TreePlan plan_;
  std::vector<SoftTree> trees_;      // those in use; never shrinks: it keeps their memory
  std::vector<std::uint32_t> used_;  // which trees of the plan they are: those that touch nothing
  std::vector<std::uint32_t> others_;
  std::vector<char> pushed_;  // by SoftBody::precise: other joints push it
};

}  // namespace cairn
