#include "mechanics/plan_trees.hpp"

namespace cairn {

std::uint32_t TreePlan::root(std::uint32_t node) {
  while (group_[node] != node) {
    group_[node] = group_[group_[node]];  // halve the path as it is walked
    node = group_[node];
  }
  return node;
}

// One tree, breadth first from a node that is held by `joint`.
void TreePlan::grow(std::uint32_t node, std::uint32_t joint) {
  Tree tree{static_cast<std::uint32_t>(links.size()), 0, static_cast<std::uint32_t>(closures.size()), 0};
  links.push_back({node, joint, kNone});
  placed_[node] = 1;
  for (std::uint32_t at = tree.firstLink; at < links.size(); ++at) {
    const Link link = links[at];
    for (std::uint32_t k = firstOf_[link.node]; k < firstOf_[link.node + 1]; ++k) {
      const Edge& edge = edges[edgesOf_[k]];
      if (edge.joint == link.joint) continue;
      const std::uint32_t other = edge.a == link.node ? edge.b : edge.a;
      if (other == kNone) {
        closures.push_back({at - tree.firstLink, edge.joint});
      } else {
        placed_[other] = 1;
        links.push_back({other, edge.joint, at - tree.firstLink});
      }
    }
  }
  tree.lastLink = static_cast<std::uint32_t>(links.size());
  tree.lastClosure = static_cast<std::uint32_t>(closures.size());
  trees.push_back(tree);
}

void TreePlan::make(std::uint32_t nodes) {
  if (nodes == madeNodes_ && edges == madeOf_) return;
  madeNodes_ = nodes;
  madeOf_ = edges;
  trees.clear();
  links.clear();
  closures.clear();
  loops.clear();
  placed_.assign(nodes, 0);
  kept_.assign(edges.size(), 1);
  firstOf_.assign(nodes + 1, 0);
  group_.resize(nodes);
  for (std::uint32_t i = 0; i < nodes; ++i) group_[i] = i;

  for (std::size_t i = 0; i < edges.size(); ++i) {
    const Edge& edge = edges[i];
    if (edge.a != kNone && edge.b != kNone) {
      const std::uint32_t a = root(edge.a), b = root(edge.b);
      kept_[i] = a != b;
      if (a == b) loops.push_back(edge.joint);
      group_[a < b ? b : a] = a < b ? a : b;
    }
    if (kept_[i] == 0) continue;
    for (const std::uint32_t node : {edge.a, edge.b})
      if (node != kNone) ++firstOf_[node];
  }
  // Counts become ends, and ends become beginnings as the edges go in from the last to the first.
  for (std::uint32_t i = 1; i <= nodes; ++i) firstOf_[i] += firstOf_[i - 1];
  edgesOf_.resize(firstOf_[nodes]);
  for (std::uint32_t i = static_cast<std::uint32_t>(edges.size()); i-- > 0;) {
    if (kept_[i] == 0) continue;
    for (const std::uint32_t node : {edges[i].a, edges[i].b})
      if (node != kNone) edgesOf_[--firstOf_[node]] = i;
  }

  for (const Edge& edge : edges) {
    if (edge.a != kNone && edge.b != kNone) continue;
    const std::uint32_t node = edge.a != kNone ? edge.a : edge.b;
    if (placed_[node] == 0) grow(node, edge.joint);
  }
  for (std::size_t i = 0; i < edges.size(); ++i) {
    const Edge& edge = edges[i];
    if (kept_[i] != 0 && edge.a != kNone && edge.b != kNone && placed_[edge.a] == 0) grow(edge.a, kNone);
  }
}

}  // namespace cairn
