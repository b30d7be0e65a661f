// A dynamic bounding-volume tree: leaves carry a 32-bit user value and a fattened box; inner nodes hold the union of their
// children. Insertion by the surface-area heuristic, rotations keep it balanced. A value type: copying it copies the tree.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
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
  // With `half`, boxes are larger by that much on all sides: the ray is the centre of a box that is cast.
  template <class Visit>
  void castRay(const Vec3& origin, const Vec3& direction, double length, Visit&& visit) const {
    castBox(origin, Vec3::Zero(), direction, length, visit);
  }
  template <class Visit>
  void castBox(const Vec3& origin, const Vec3& half, const Vec3& direction, double length, Visit&& visit) const;
  // Calls visit(value, distance) for leaves whose box is nearer to the point than `within`, the nearer child first; visit
  // returns the new distance to look within.
  template <class Visit>
  void findNear(const Vec3& point, double within, Visit&& visit) const;

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
  // A ray as boxes are asked with it.
  struct Line {
    Vec3 low, high;  // what is subtracted from lower and upper bounds: the origin, and half the box that is cast
    Vec3 inverse;    // of the direction; +-kFlat along axes that it does not move along
  };
  // Stands for one over zero: products with it are never not-a-number, and beyond every length.
  static constexpr double kFlat = 1e200;
  static Line lineOf(const Vec3& origin, const Vec3& half, const Vec3& direction);
  // Distance at which the ray enters the box, infinity if it misses it or enters beyond `length`.
  static double enterDistance(const Aabb& box, const Line& line, double length);
  // Visits nodes in the order of distance(box, limit), which is infinity for those that are out of the question.
  template <class Distance, class Visit>
  void visitNear(Node start, const Distance& distance, double& limit, Visit& visit) const;

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
void DynamicTree::castBox(const Vec3& origin, const Vec3& half, const Vec3& direction, double length, Visit&& visit) const {
  if (root_ == kNull) return;
  const Line line = lineOf(origin, half, direction);
  visitNear(root_, [&](const Aabb& box, double limit) { return enterDistance(box, line, limit); }, length, visit);
}

template <class Visit>
void DynamicTree::findNear(const Vec3& point, double within, Visit&& visit) const {
  if (root_ == kNull) return;
  const auto distance = [&](const Aabb& box, double limit) {
    const double squared = ((box.lower - point).cwiseMax(point - box.upper)).cwiseMax(0.0).squaredNorm();
    return squared <= limit * limit ? std::sqrt(squared) : std::numeric_limits<double>::infinity();
  };
  visitNear(root_, distance, within, visit);
}

inline DynamicTree::Line DynamicTree::lineOf(const Vec3& origin, const Vec3& half, const Vec3& direction) {
  Line line{origin + half, origin - half, Vec3::Zero()};
  for (int k = 0; k < 3; ++k) line.inverse[k] = std::abs(direction[k]) > 1.0 / kFlat ? 1.0 / direction[k] : kFlat;
  return line;
}

inline double DynamicTree::enterDistance(const Aabb& box, const Line& line, double length) {
  const Vec3 first = (box.lower - line.low).cwiseProduct(line.inverse);
  const Vec3 second = (box.upper - line.high).cwiseProduct(line.inverse);
  const double enter = std::max(first.cwiseMin(second).maxCoeff(), 0.0);
  const double leave = std::min(first.cwiseMax(second).minCoeff(), length);
  return enter <= leave ? enter : std::numeric_limits<double>::infinity();
}

template <class Distance, class Visit>
void DynamicTree::visitNear(Node start, const Distance& distance, double& limit, Visit& visit) const {
  constexpr double kMiss = std::numeric_limits<double>::infinity();
  struct Entry {
    Node node;
    double enter;
  };
  std::array<Entry, kStackSize> stack;
  int size = 0;
  const double first = distance(nodes_[start].box, limit);
  if (first == kMiss) return;
  stack[size++] = {start, first};
  while (size > 0) {
    const Entry entry = stack[--size];
    if (entry.enter > limit) continue;  // something nearer was found meanwhile
    const TreeNode& node = nodes_[entry.node];
    if (node.child[0] == kNull) {
      limit = visit(node.value(), entry.enter);
      continue;
    }
    Node near = node.child[0];
    Node far = node.child[1];
    double enterNear = distance(nodes_[near].box, limit);
    double enterFar = distance(nodes_[far].box, limit);
    if (enterFar < enterNear) {
      std::swap(near, far);
      std::swap(enterNear, enterFar);
    }
    if (size + 2 <= kStackSize) {
      if (enterFar != kMiss) stack[size++] = {far, enterFar};
      if (enterNear != kMiss) stack[size++] = {near, enterNear};
    } else {
      visitNear(near, distance, limit, visit);
      visitNear(far, distance, limit, visit);
    }
  }
}

}  // namespace cairn
