#include "soft/joint_tree/joint_forest.hpp"

#include <algorithm>

namespace cairn {

using policy::joint_tree::kTreeGrain;

// How many rows the contacts of each tree have. A tree has none with a stiffness of its own, and touches no other tree: what
// one does to the other would not be known.
void JointForest::findHolders(const System& system, const SoftBodies& bodies, std::span<const ContactEnds> contacts) {
  members_.assign(bodies.preciseBodies().size(), Member{});
  for (std::uint32_t at = 0; at < plan_.trees.size(); ++at)
    for (std::uint32_t i = plan_.trees[at].firstLink; i < plan_.trees[at].lastLink; ++i)
      members_[plan_.links[i].node] = {at, i - plan_.trees[at].firstLink};
  touches_.assign(plan_.trees.size(), {});
  if (plan_.trees.empty() || contacts.empty()) return;
  for (std::uint32_t at = 0; at < plan_.trees.size(); ++at)
    for (std::uint32_t i = plan_.trees[at].firstLink; i < plan_.trees[at].lastLink; ++i)
      touches_[at].weigh(bodies[bodies.preciseBodies()[plan_.links[i].node].body].mass);
  for (const ContactEnds& ends : contacts) {
    const std::uint32_t a = memberOf(bodies, ends.a).tree, b = memberOf(bodies, ends.b).tree;
    const bool cannot = system.contacts.slots[ends.contact].stiffness > 0.0f || (a != kNone && b != kNone && a != b);
    for (const std::uint32_t tree : {a, b}) {
      if (tree == kNone) continue;
      Touches& touches = touches_[tree];
      touches.rows += JointTreeContacts::rowsOf(ends);
      touches.cannotHold |= cannot;
      touches.weigh(bodies[ends.a].mass);
      touches.weigh(bodies[ends.b].mass);
    }
  }
}

void JointForest::takeContacts(const System& system, SoftBodies& bodies, std::span<const ContactEnds> contacts,
                               const SoftContactValues& values) {
  holdContacts_ = false;
  if (used_.empty()) return;
  treeAt_.assign(plan_.trees.size(), kNone);
  for (std::uint32_t i = 0; i < used_.size(); ++i) treeAt_[used_[i]] = i;
  for (const ContactEnds& ends : contacts) {
    std::uint32_t holder = kNone;
    std::array<std::uint32_t, 2> links{kNone, kNone};
    for (const int side : {0, 1}) {
      const std::uint32_t body = side == 0 ? ends.a : ends.b;
      const Member member = memberOf(bodies, body);
      if (member.tree == kNone || treeAt_[member.tree] == kNone) continue;
      holder = treeAt_[member.tree];
      links[side] = member.link;
      bodies.noteHeld(body);
    }
    if (holder == kNone) continue;
    trees_[holder].contacts().add(ends, system.contacts.slots[ends.contact], links, bodies, values);
    holdContacts_ = true;
  }
}

void JointForest::begin(StepContext& context, SoftBodies& bodies, const std::vector<JointEnds>& joints,
                        std::span<const ContactEnds> contacts, const SoftContactValues& values, double h) {
  const System& system = context.system;
  const std::uint32_t nodes = static_cast<std::uint32_t>(bodies.preciseBodies().size());
  others_.clear();
  plan_.edges.clear();
  for (std::uint32_t i = 0; i < joints.size(); ++i) {
    const JointEnds& joint = joints[i];
    if (holdsToWorld(system.joints[joint.joint].kind)) {
      others_.push_back(i);
      continue;
    }
    const bool movesA = joint.a < bodies.ground(), movesB = joint.b < bodies.ground();
    plan_.edges.push_back({i, movesA ? bodies[joint.a].precise : kNone, movesB ? bodies[joint.b].precise : kNone});
  }
  plan_.make(nodes);
  others_.insert(others_.end(), plan_.loops.begin(), plan_.loops.end());
  used_.clear();
  findHolders(system, bodies, contacts);
  for (std::uint32_t at = 0; at < plan_.trees.size(); ++at) {
    const TreePlan::Tree& tree = plan_.trees[at];
    if (touches_[at].canHold()) {
      used_.push_back(at);
      continue;
    }
    for (std::uint32_t i = tree.firstLink; i < tree.lastLink; ++i)
      if (plan_.links[i].joint != kNone) others_.push_back(plan_.links[i].joint);
    for (std::uint32_t i = tree.firstClosure; i < tree.lastClosure; ++i) others_.push_back(plan_.closures[i].joint);
  }
  std::sort(others_.begin(), others_.end());
  pushed_.assign(nodes, 0);
  for (const std::uint32_t i : others_)
    for (const std::uint32_t body : {joints[i].a, joints[i].b}) pushed_[bodies[body].precise] = 1;

  if (trees_.size() < used_.size()) trees_.resize(used_.size());
  for (std::size_t i = 0; i < used_.size(); ++i)
    trees_[i].begin(system, bodies, joints, plan_, plan_.trees[used_[i]], pushed_, touches_[used_[i]].rows > 0, h);
  takeContacts(system, bodies, contacts, values);
}

template <class Work>
void JointForest::forEachTree(StepContext& context, Work&& work) {
  // Several of them may push one and the same body.
  if (holdContacts_) {
    for (std::size_t i = 0; i < used_.size(); ++i) work(trees_[i]);
    return;
  }
  context.tasks.parallelFor(used_.size(), kTreeGrain, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) work(trees_[i]);
  });
}

void JointForest::refresh(StepContext& context, SoftBodies& bodies, double elapsed) {
  forEachTree(context, [&](JointTreeStep& tree) { tree.refresh(context.system, bodies, elapsed); });
}

void JointForest::solve(StepContext& context, SoftBodies& bodies) {
  forEachTree(context, [&](JointTreeStep& tree) { tree.solve(context.system, bodies); });
  forEachTree(context, [&](JointTreeStep& tree) { tree.obeyLaws(context.system, bodies); });
}

void JointForest::relax(StepContext& context, SoftBodies& bodies) {
  forEachTree(context, [&](JointTreeStep& tree) { tree.relax(context.system, bodies); });
}

void JointForest::noteApproach(StepContext& context, SoftBodies& bodies) {
  if (holdContacts_) forEachTree(context, [&](JointTreeStep& tree) { tree.noteApproach(bodies); });
}

void JointForest::bounce(StepContext& context, SoftBodies& bodies) {
  if (!holdContacts_) return;
  const double slowest = context.settings.restitutionSpeed;
  forEachTree(context, [&](JointTreeStep& tree) { tree.bounce(context.system, bodies, slowest); });
}

void JointForest::addUp(StepContext& context, SoftBodies& bodies) {
  forEachTree(context, [&](JointTreeStep& tree) { tree.addUp(context.system, bodies); });
}

void JointForest::finish(StepContext& context, double) {
  forEachTree(context, [&](JointTreeStep& tree) { tree.finish(context.system); });
}

}  // namespace cairn
