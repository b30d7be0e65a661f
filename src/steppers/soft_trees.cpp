#include "steppers/soft_trees.hpp"

#include <algorithm>

namespace cairn {

namespace {
constexpr std::size_t kTreeGrain = 4;
}

void SoftTrees::begin(StepContext& context, SoftBodies& bodies, const std::vector<JointEnds>& joints, double h) {
  const System& system = context.system;
  const std::uint32_t nodes = static_cast<std::uint32_t>(bodies.preciseBodies().size());
  others_.clear();
  plan_.edges.clear();
  const auto isLocked = [&](std::uint32_t body) {
    const Body& found = system.bodies[bodies.indexOf(body)];
    return found.lockedPosition != 0 || found.lockedRotation != 0;
  };
  for (std::uint32_t i = 0; i < joints.size(); ++i) {
    const JointEnds& joint = joints[i];
    const bool movesA = joint.a < bodies.ground(), movesB = joint.b < bodies.ground();
    if (isLocked(joint.a) || isLocked(joint.b)) {
      others_.push_back(i);
    } else {
      plan_.edges.push_back({i, movesA ? bodies[joint.a].precise : kNone, movesB ? bodies[joint.b].precise : kNone});
    }
  }
  plan_.make(nodes);
  others_.insert(others_.end(), plan_.loops.begin(), plan_.loops.end());
  used_.clear();
  for (std::uint32_t at = 0; at < plan_.trees.size(); ++at) {
    const TreePlan::Tree& tree = plan_.trees[at];
    bool touches = false;
    for (std::uint32_t i = tree.firstLink; i < tree.lastLink; ++i)
      touches |= bodies[bodies.preciseBodies()[plan_.links[i].node].body].touching;
    if (!touches) {
      used_.push_back(at);
      continue;
    }
    for (std::uint32_t i = tree.firstLink; i < tree.lastLink; ++i)
      if (plan_.links[i].joint != kNone) others_.push_back(plan_.links[i].joint);
    for (std::uint32_t i = tree.firstStay; i < tree.lastStay; ++i) others_.push_back(plan_.stays[i].joint);
  }
  std::sort(others_.begin(), others_.end());
  pushed_.assign(nodes, 0);
  for (const std::uint32_t i : others_)
    for (const std::uint32_t body : {joints[i].a, joints[i].b}) pushed_[bodies[body].precise] = 1;

  if (trees_.size() < used_.size()) trees_.resize(used_.size());
  for (std::size_t i = 0; i < used_.size(); ++i)
    trees_[i].begin(system, bodies, joints, plan_, plan_.trees[used_[i]], pushed_, h);
}

template <class Work>
void SoftTrees::forEachTree(StepContext& context, Work&& work) {
  context.tasks.parallelFor(used_.size(), kTreeGrain, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) work(trees_[i]);
  });
}

void SoftTrees::refresh(StepContext& context, SoftBodies& bodies, double elapsed) {
  forEachTree(context, [&](SoftTree& tree) { tree.refresh(context.system, bodies, elapsed); });
}

void SoftTrees::solve(StepContext& context, SoftBodies& bodies) {
  forEachTree(context, [&](SoftTree& tree) { tree.solve(context.system, bodies); });
}

void SoftTrees::relax(StepContext& context, SoftBodies& bodies) {
  forEachTree(context, [&](SoftTree& tree) { tree.relax(context.system, bodies); });
}

void SoftTrees::addUp(StepContext& context) {
  forEachTree(context, [&](SoftTree& tree) { tree.addUp(context.system); });
}

void SoftTrees::finish(StepContext& context) {
  forEachTree(context, [&](SoftTree& tree) { tree.finish(context.system); });
}

}  // namespace cairn
