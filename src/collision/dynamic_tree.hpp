// A dynamic bounding-volume tree: leaves carry a 32-bit user value and a fattened box; inner nodes hold the union of their
// children. Insertion by the surface-area heuristic, rotations keep it balanced. A value type: copying it copies the tree.
#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "geometry/aabb.hpp"
#include "wide/box_kernels.hpp"

namespace cairn {

class DynamicTree {
 public:
  using Node = std::uint32_t;
  static constexpr Node kNull = UINT32_MAX;

  Node insert(const Aabb& box, std::uint32_t value);
  void remove(Node leaf);
  void move(Node leaf, const Aabb& box);  // reinserts with the new box
  const Aabb& box(Node leaf) const { return nodes_[leaf].box; }
  std::uint32_t value(Node leaf) const { return nodes_[leaf].value(); }
  std::size_t leafCount() const { return leaves_; }
  int height() const;         // -1 if empty, 0 for a single leaf
  std::size_t bytes() const;  // memory held
  bool isConsistent() const;  // every invariant, for tests

  // Calls visit(value) for every leaf whose box overlaps; order is unspecified. Does not allocate.
  template <class Visit>
  void query(const Aabb& box, Visit&& visit) const;
  // The same for many questions in a row: a copy of the tree as it is now, eight boxes to a node, is asked in its place.
  struct WideCopy {
    std::vector<wide::BoxNode> nodes;
  };
  void copyTo(WideCopy& copy) const;
  bool mayBeCopied() const { return height() < 3 * wide::kMostNodes && nodes_.size() < wide::kInBox; }
  // `found`: room to work in.
  template <class Visit>
  void query(const WideCopy& copy, const Aabb& box, std::vector<std::uint32_t>& found, Visit&& visit) const;
  // Calls visit(value, enter) for leaves whose box the ray from origin along a unit direction enters within `length`;
  // visit returns the new length (shorter to prune, the same to go on). The nearer child is looked at first.
  template <class Visit>
  void castRay(const Vec3& origin, const Vec3& direction, double length, Visit&& visit) const;

 private:
  struct TreeNode {
    Aabb box;
    Node parent = kNull;             // of a free node: the next free one
    Node child[2] = {kNull, kNull};  // child[0] == kNull: a leaf, and child[1] is its value
    std::int32_t height = -1;        // leaf 0, free -1
    std::uint32_t value() const { return child[1]; }
  };
  // Depth of the traversal stack. Trees are balanced and stay far below it; should one not be, the traversal calls itself on
  // the subtree that did not fit, so that nothing is ever missed.
  static constexpr int kStackSize = 96;

  static wide::SingleBox single(const Aabb& box);  // a little larger
  bool isLeaf(Node node) const { return nodes_[node].child[0] == kNull; }
  Node allocateNode();
  void freeNode(Node node);
  void attach(Node leaf);  // `leaf` has its box and is in no tree
  void detach(Node leaf);
  Node bestSibling(const Aabb& box) const;
  void refitUpwards(Node node);
  void refit(Node node);
  void rotate(Node node);
  void swapNodes(Node parentOfFirst, int firstSide, Node parentOfSecond, int secondSide);
  template <class Visit>
  void queryFrom(Node start, const Aabb& box, Visit& visit) const;
  template <class Visit>
  void castRayFrom(Node start, const Vec3& origin, const Vec3& direction, double& length, Visit& visit) const;
  // Distance at which the ray enters the box, infinity if it misses it or enters beyond `length`.
  static double enterDistance(const Aabb& box, const Vec3& origin, const Vec3& direction, double length);

  std::vector<TreeNode> nodes_;
  Node root_ = kNull;
  Node free_ = kNull;
  std::size_t leaves_ = 0;
};

template <class Visit>
void DynamicTree::query(const Aabb& box, Visit&& visit) const {
  if (root_ != kNull) queryFrom(root_, box, visit);
}

template <class Visit>
void DynamicTree::query(const WideCopy& copy, const Aabb& box, std::vector<std::uint32_t>& found, Visit&& visit) const {
  found.clear();
  wide::findOverlaps(copy.nodes, single(box), found);
  for (const Node leaf : found)
    if (nodes_[leaf].box.overlaps(box)) visit(nodes_[leaf].value());
}

template <class Visit>
void DynamicTree::queryFrom(Node start, const Aabb& box, Visit& visit) const {
  std::array<Node, kStackSize> stack;
  int size = 0;
  stack[size++] = start;
  while (size > 0) {
    const TreeNode& node = nodes_[stack[--size]];
    if (!node.box.overlaps(box)) continue;
    if (node.child[0] == kNull) {
      visit(node.value());
    } else if (size + 2 <= kStackSize) {
      stack[size++] = node.child[1];
      stack[size++] = node.child[0];
    } else {
      queryFrom(node.child[0], box, visit);
      queryFrom(node.child[1], box, visit);
    }
  }
}

template <class Visit>
void DynamicTree::castRay(const Vec3& origin, const Vec3& direction, double length, Visit&& visit) const {
  if (root_ != kNull) castRayFrom(root_, origin, direction, length, visit);
}

template <class Visit>
void DynamicTree::castRayFrom(Node start, const Vec3& origin, const Vec3& direction, double& length, Visit& visit) const {
  constexpr double kMiss = std::numeric_limits<double>::infinity();
  struct Entry {
    Node node;
    double enter;
  };
  std::array<Entry, kStackSize> stack;
  int size = 0;
  const double first = enterDistance(nodes_[start].box, origin, direction, length);
  if (first == kMiss) return;
  stack[size++] = {start, first};
  while (size > 0) {
    const Entry entry = stack[--size];
    if (entry.enter > length) continue;  // something nearer was found meanwhile
    const TreeNode& node = nodes_[entry.node];
    if (node.child[0] == kNull) {
      length = visit(node.value(), entry.enter);
      continue;
    }
    Node near = node.child[0];
    Node far = node.child[1];
    double enterNear = enterDistance(nodes_[near].box, origin, direction, length);
    double enterFar = enterDistance(nodes_[far].box, origin, direction, length);
    if (enterFar < enterNear) {
      std::swap(near, far);
      std::swap(enterNear, enterFar);
    }
    if (size + 2 <= kStackSize) {
      if (enterFar != kMiss) stack[size++] = {far, enterFar};
      if (enterNear != kMiss) stack[size++] = {near, enterNear};
    } else {
      castRayFrom(near, origin, direction, length, visit);
      castRayFrom(far, origin, direction, length, visit);
    }
  }
}

}  // namespace cairn
