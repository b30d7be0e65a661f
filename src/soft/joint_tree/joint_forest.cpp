#include "soft/joint_tree/joint_forest.hpp"

#include <algorithm>
#include <numeric>

namespace cairn {

using policy::joint_tree::kTreeGrain;

// Which trees touch something, and which of them are one group. What cannot be moved joins nothing.
void JointForest::findGroups(const SoftBodies& bodies, std::span<const ContactEnds> contacts) {
  const auto trees = static_cast<std::uint32_t>(plan_.trees.size());
  members_.assign(bodies.preciseBodies().size(), Member{});
  for (std::uint32_t at = 0; at < trees; ++at)
    for (std::uint32_t i = plan_.trees[at].firstLink; i < plan_.trees[at].lastLink; ++i)
      members_[plan_.links[i].node] = {at, i - plan_.trees[at].firstLink};
  groupCount_ = 0;
  groupOf_.assign(trees, kNone);
  placeInGroup_.assign(trees, kNone);
  if (trees == 0 || contacts.empty()) return;
  joined_.resize(trees + bodies.ground());
  std::iota(joined_.begin(), joined_.end(), 0u);
  const auto root = [&](std::uint32_t at) {
    while (joined_[at] != at) at = joined_[at] = joined_[joined_[at]];
    return at;
  };
  const std::uint32_t touches = trees;  // any number but kNone
  for (const ContactEnds& ends : contacts) {
    const std::uint32_t a = memberOf(bodies, ends.a).tree, b = memberOf(bodies, ends.b).tree;
    if (a == kNone && b == kNone) continue;
    if (a != kNone) groupOf_[a] = touches;
    if (b != kNone) groupOf_[b] = touches;
    if (ends.a >= bodies.ground() || ends.b >= bodies.ground()) continue;
    const std::uint32_t one = root(a != kNone ? a : trees + ends.a), other = root(b != kNone ? b : trees + ends.b);
    joined_[std::max(one, other)] = std::min(one, other);
  }
  // The root of a group is its first tree.
  for (std::uint32_t at = 0; at < trees; ++at) {
    if (groupOf_[at] == kNone) continue;
    const std::uint32_t first = root(at);
    if (first == at) {
      if (groups_.size() == groupCount_) groups_.emplace_back();
      groups_[groupCount_].trees.clear();
      groups_[groupCount_].contacts.clear();
      groupOf_[at] = static_cast<std::uint32_t>(groupCount_++);
    }
    groupOf_[at] = groupOf_[first];
    placeInGroup_[at] = static_cast<std::uint32_t>(groups_[groupOf_[at]].trees.size());
    groups_[groupOf_[at]].trees.push_back(at);
  }
}

void JointForest::takeContacts(const System& system, SoftBodies& bodies, std::span<const ContactEnds> contacts,
                               const SoftContactValues& values) {
  if (groupCount_ == 0) return;
  for (std::size_t i = 0; i < groupCount_; ++i)
    for (const std::uint32_t tree : groups_[i].trees) groups_[i].contacts.addTree(trees_[tree].joints());
  moverOfBody_.assign(bodies.ground(), kNone);
  for (const ContactEnds& ends : contacts) {
    std::uint32_t group = kNone;
    std::array<JointTreeContacts::Place, 2> places;
    for (const int side : {0, 1}) {
      const std::uint32_t body = side == 0 ? ends.a : ends.b;
      const Member member = memberOf(bodies, body);
      if (member.tree == kNone) continue;
      group = groupOf_[member.tree];
      places[side] = {placeInGroup_[member.tree], member.link};
      bodies.noteHeld(body);
    }
    if (group == kNone) continue;
    groups_[group].contacts.add(ends, system.contacts.slots[ends.contact], places, bodies, values, moverOfBody_);
  }
  for (std::size_t i = 0; i < groupCount_; ++i) groups_[i].contacts.finishAdding();
}

void JointForest::begin(StepContext& context, SoftBodies& bodies, const std::vector<JointEnds>& joints,
                        std::span<const ContactEnds> contacts, const SoftContactValues& values, double h) {
  const System& system = context.system;
  const auto nodes = static_cast<std::uint32_t>(bodies.preciseBodies().size());
  plan_.edges.clear();
  others_.clear();
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
  findGroups(bodies, contacts);
  pushed_.assign(nodes, 0);
  others_.insert(others_.end(), plan_.loops.begin(), plan_.loops.end());
  std::sort(others_.begin(), others_.end());
  for (const std::uint32_t i : others_)
    for (const std::uint32_t body : {joints[i].a, joints[i].b})
      if (body < bodies.ground()) pushed_[bodies[body].precise] = 1;

  if (trees_.size() < plan_.trees.size()) trees_.resize(plan_.trees.size());
  for (std::size_t i = 0; i < plan_.trees.size(); ++i)
    trees_[i].begin(system, bodies, joints, plan_, plan_.trees[i], pushed_, groupOf_[i] != kNone, h);
  takeContacts(system, bodies, contacts, values);
}

template <class Work>
void JointForest::forEachTree(StepContext& context, Work&& work) {
  context.tasks.parallelFor(plan_.trees.size(), kTreeGrain, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) work(trees_[i]);
  });
}

template <class Work>
void JointForest::forEachGroup(StepContext& context, Work&& work) {
  context.tasks.parallelFor(groupCount_, 1, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) work(groups_[i]);
  });
}

void JointForest::refresh(StepContext& context, SoftBodies& bodies, double elapsed) {
  forEachTree(context, [&](JointTreeStep& tree) { tree.refresh(context.system, bodies, elapsed); });
}

void JointForest::solve(StepContext& context, SoftBodies& bodies) {
  forEachTree(context, [&](JointTreeStep& tree) { tree.solve(context.system, bodies); });
  forEachGroup(context, [&](Group& group) {
    group.contacts.solve(bodies);
    for (const std::uint32_t tree : group.trees) trees_[tree].takeAnswer(context.system, bodies);
  });
  forEachTree(context, [&](JointTreeStep& tree) { tree.obeyLaws(context.system, bodies); });
}

void JointForest::relax(StepContext& context, SoftBodies& bodies) {
  forEachTree(context, [&](JointTreeStep& tree) { tree.relax(context.system, bodies); });
  forEachGroup(context, [&](Group& group) {
    group.contacts.relax(bodies);
    for (const std::uint32_t tree : group.trees) trees_[tree].takeAnswer(context.system, bodies);
  });
}

void JointForest::noteApproach(StepContext& context, SoftBodies& bodies) {
  forEachGroup(context, [&](Group& group) { group.contacts.noteApproach(bodies); });
}

void JointForest::bounce(StepContext& context, SoftBodies& bodies) {
  const double slowest = context.settings.restitutionSpeed;
  forEachGroup(context, [&](Group& group) {
    if (!group.contacts.bounce(bodies, slowest)) return;
    for (const std::uint32_t tree : group.trees) trees_[tree].takeAnswer(context.system, bodies);
  });
}

void JointForest::addUp(StepContext& context, SoftBodies& bodies) {
  forEachTree(context, [&](JointTreeStep& tree) { tree.addUp(context.system, bodies); });
  forEachGroup(context, [&](Group& group) { group.contacts.addUp(); });
}

void JointForest::finish(StepContext& context, double) {
  forEachTree(context, [&](JointTreeStep& tree) { tree.finish(context.system); });
  // Not side by side: all note what they found in one cache.
  for (std::size_t i = 0; i < groupCount_; ++i) groups_[i].contacts.finish(context.system.contacts);
}

}  // namespace cairn
