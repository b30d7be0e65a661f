// Insertion: the sibling that adds the least surface over the whole path to the root is found by branch and bound (a subtree
// is left out when even a perfect fit inside it would cost more than the best so far). On the way back up each node is
// rotated: first to keep heights balanced, then, where that leaves freedom, to make the boxes smaller.
#include "collision/dynamic_tree.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "base/growth.hpp"

namespace cairn {
namespace {

// A plane's box is as large as doubles go; squares of that would be infinite, and infinities subtract to NaN.
constexpr double kLargestExtent = 1e100;  // m
// How much taller one child may be than its sibling. Some freedom lets the surface heuristic do its work, and the height is
// still logarithmic: the smallest tree of height h has at least 1.38^h leaves.
constexpr int kHeightSlack = 3;
// Boxes that overlap everything leave branch and bound nothing to prune; a good sibling is found long before this.
constexpr int kMostVisits = 256;
// A leaf that moves keeps its sibling while the box around the two has no more than this times the surface of both.
constexpr double kGoodSibling = 1.1;

double cost(const Aabb& box) {
  const Vec3 d = (box.upper - box.lower).cwiseMin(kLargestExtent).cwiseMax(0.0);
  return d.x() * d.y() + d.y() * d.z() + d.z() * d.x();
}

}  // namespace

int DynamicTree::height() const { return root_ == kNull ? -1 : nodes_[root_].height; }

std::size_t DynamicTree::bytes() const { return nodes_.capacity() * sizeof(TreeNode); }

DynamicTree::Node DynamicTree::allocateNode() {
  if (free_ == kNull) {
    nodes_.emplace_back();
    return static_cast<Node>(nodes_.size() - 1);
  }
  const Node node = free_;
  free_ = nodes_[node].parent;
  nodes_[node] = TreeNode{};
  return node;
}

void DynamicTree::freeNode(Node node) {
  nodes_[node] = TreeNode{};
  nodes_[node].parent = free_;
  free_ = node;
}

DynamicTree::Node DynamicTree::insert(const Aabb& box, std::uint32_t value) {
  const Node leaf = allocateNode();
  nodes_[leaf].box = box;
  nodes_[leaf].child[1] = value;
  nodes_[leaf].height = 0;
  ++leaves_;
  attach(leaf);
  return leaf;
}

void DynamicTree::remove(Node leaf) {
  assert(leaf < nodes_.size() && nodes_[leaf].height == 0);
  detach(leaf);
  freeNode(leaf);
  --leaves_;
}

void DynamicTree::move(Node leaf, const Aabb& box) {
  assert(leaf < nodes_.size() && nodes_[leaf].height == 0);
  const Node parent = nodes_[leaf].parent;
  if (parent != kNull) {
    const Aabb& sibling = nodes_[nodes_[parent].child[nodes_[parent].child[0] == leaf ? 1 : 0]].box;
    if (cost(box.united(sibling)) <= kGoodSibling * (cost(box) + cost(sibling))) {
      nodes_[leaf].box = box;
      for (Node node = parent; node != kNull; node = nodes_[node].parent) {
        TreeNode& inner = nodes_[node];
        inner.box = nodes_[inner.child[0]].box.united(nodes_[inner.child[1]].box);
      }
      return;
    }
  }
  detach(leaf);
  nodes_[leaf].box = box;
  attach(leaf);
}

DynamicTree::Node DynamicTree::bestSibling(const Aabb& box) const {
  struct Entry {
    Node node;
    double inherited;  // surface added to the ancestors
  };
  std::array<Entry, kStackSize> stack;
  int size = 0;
  stack[size++] = {root_, 0.0};
  const double own = cost(box);
  Node best = root_;
  double bestCost = std::numeric_limits<double>::infinity();
  for (int visits = 0; size > 0 && visits < kMostVisits; ++visits) {
    const Entry entry = stack[--size];
    if (entry.inherited + own >= bestCost && bestCost < std::numeric_limits<double>::infinity()) continue;
    const TreeNode& node = nodes_[entry.node];
    const double direct = cost(node.box.united(box));
    if (entry.inherited + direct < bestCost) {
      bestCost = entry.inherited + direct;
      best = entry.node;
    }
    if (node.child[0] == kNull) continue;
    const double inherited = entry.inherited + std::max(0.0, direct - cost(node.box));
    if (inherited + own >= bestCost || size + 2 > kStackSize) continue;  // a full stack only costs quality
    const double growth0 = cost(nodes_[node.child[0]].box.united(box)) - cost(nodes_[node.child[0]].box);
    const double growth1 = cost(nodes_[node.child[1]].box.united(box)) - cost(nodes_[node.child[1]].box);
    const int likely = growth1 < growth0 ? 1 : 0;
    stack[size++] = {node.child[1 - likely], inherited};
    stack[size++] = {node.child[likely], inherited};
  }
  return best;
}

wide::SingleBox DynamicTree::single(const Aabb& box) {
  constexpr double kFarthest = 1e38;  // m
  constexpr float kRounding = 1.2e-7f, kLeast = 1e-37f;
  wide::SingleBox out;
  for (int k = 0; k < 3; ++k) {
    const auto low = static_cast<float>(std::clamp(box.lower[k], -kFarthest, kFarthest));
    const auto high = static_cast<float>(std::clamp(box.upper[k], -kFarthest, kFarthest));
    out.lower[k] = low - (std::abs(low) * kRounding + kLeast);
    out.upper[k] = high + (std::abs(high) * kRounding + kLeast);
  }
  return out;
}

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr wide::SingleBox kNowhere{{kInfinity, kInfinity, kInfinity}, {-kInfinity, -kInfinity, -kInfinity}};

// Three levels of this tree become one of the copy.
void DynamicTree::copyTo(WideCopy& copy) const {
  std::vector<wide::BoxNode>& out = copy.nodes;
  out.clear();
  if (root_ == kNull) return;
  makeRoom(out, leaves_ / 4 + 1);  // about as many as there will be
  struct Entry {
    Node node;
    std::uint32_t to;
  };
  std::array<Entry, 8 * kStackSize> stack;
  int size = 0;
  stack[size++] = {root_, 0};
  resizeGently(out, 1);
  while (size > 0) {
    const Entry entry = stack[--size];
    std::array<Node, wide::kBoxes> found;
    int count = 0;
    const auto collect = [&](const auto& self, Node node, int levels) -> void {
      if (levels == 0 || isLeaf(node)) {
        found[count++] = node;
        return;
      }
      for (const Node child : nodes_[node].child) self(self, child, levels - 1);
    };
    collect(collect, entry.node, 3);
    for (int i = 0; i < wide::kBoxes; ++i) {
      const bool used = i < count;
      const wide::SingleBox box = used ? single(nodes_[found[i]].box) : kNowhere;
      std::uint32_t child = wide::kInBox;
      if (used && isLeaf(found[i])) {
        child |= found[i];
      } else if (used) {
        child = static_cast<std::uint32_t>(out.size());
        resizeGently(out, child + 1);
        stack[size++] = {found[i], child};
      }
      wide::BoxNode& to = out[entry.to];
      for (int k = 0; k < 3; ++k) {
        to.lower[k][i] = box.lower[k];
        to.upper[k][i] = box.upper[k];
      }
      to.child[i] = child;
    }
  }
}

void DynamicTree::attach(Node leaf) {
  nodes_[leaf].parent = kNull;
  if (root_ == kNull) {
    root_ = leaf;
    return;
  }
  const Node sibling = bestSibling(nodes_[leaf].box);
  const Node inner = allocateNode();  // may move nodes_: no references are held
  const Node parent = nodes_[sibling].parent;
  nodes_[inner].parent = parent;
  nodes_[inner].child[0] = sibling;
  nodes_[inner].child[1] = leaf;
  nodes_[sibling].parent = inner;
  nodes_[leaf].parent = inner;
  if (parent == kNull) {
    root_ = inner;
  } else {
    nodes_[parent].child[nodes_[parent].child[0] == sibling ? 0 : 1] = inner;
  }
  refitUpwards(inner);
}

void DynamicTree::detach(Node leaf) {
  const Node parent = nodes_[leaf].parent;
  if (parent == kNull) {
    root_ = kNull;
    return;
  }
  const Node sibling = nodes_[parent].child[nodes_[parent].child[0] == leaf ? 1 : 0];
  const Node grandparent = nodes_[parent].parent;
  nodes_[sibling].parent = grandparent;
  if (grandparent == kNull) {
    root_ = sibling;
  } else {
    nodes_[grandparent].child[nodes_[grandparent].child[0] == parent ? 0 : 1] = sibling;
  }
  freeNode(parent);
  nodes_[leaf].parent = kNull;
  refitUpwards(grandparent);
}

void DynamicTree::refit(Node index) {
  TreeNode& node = nodes_[index];
  const TreeNode& first = nodes_[node.child[0]];
  const TreeNode& second = nodes_[node.child[1]];
  node.box = first.box.united(second.box);
  node.height = 1 + std::max(first.height, second.height);
}

void DynamicTree::refitUpwards(Node node) {
  while (node != kNull) {
    refit(node);
    rotate(node);
    node = nodes_[node].parent;
  }
}

void DynamicTree::swapNodes(Node parentOfFirst, int firstSide, Node parentOfSecond, int secondSide) {
  const Node first = nodes_[parentOfFirst].child[firstSide];
  const Node second = nodes_[parentOfSecond].child[secondSide];
  nodes_[parentOfFirst].child[firstSide] = second;
  nodes_[parentOfSecond].child[secondSide] = first;
  nodes_[second].parent = parentOfFirst;
  nodes_[first].parent = parentOfSecond;
}

// Exchanges a child with a grandchild on the other side: the only move needed, because it leaves the node's own box as it
// is.
void DynamicTree::rotate(Node index) {
  if (nodes_[index].height < 2) return;
  // A leaf put beside a tall subtree leans by its whole height: the shorter child goes down in place of the taller
  // grandchild, level by level, until it is among its like.
  const auto lean = [&] { return nodes_[nodes_[index].child[1]].height - nodes_[nodes_[index].child[0]].height; };
  while (std::abs(lean()) > kHeightSlack) {
    const int tall = lean() > 0 ? 1 : 0;
    const Node tallChild = nodes_[index].child[tall];
    const Node* grandchild = nodes_[tallChild].child;
    const int side = nodes_[grandchild[1]].height > nodes_[grandchild[0]].height ? 1 : 0;
    const int before = nodes_[index].height;
    swapNodes(index, 1 - tall, tallChild, side);
    refit(tallChild);
    rotate(tallChild);
    refit(index);
    if (nodes_[index].height >= before) break;
  }
  const Node child[2] = {nodes_[index].child[0], nodes_[index].child[1]};
  double bestGain = 0.0;
  int bestSide = -1;  // side whose child goes down
  int bestGrandchild = 0;
  for (int side = 0; side < 2; ++side) {
    const TreeNode& down = nodes_[child[side]];
    const TreeNode& other = nodes_[child[1 - side]];
    if (other.child[0] == kNull) continue;
    const double before = cost(other.box);
    for (int grandchild = 0; grandchild < 2; ++grandchild) {
      const TreeNode& up = nodes_[other.child[grandchild]];
      const TreeNode& kept = nodes_[other.child[1 - grandchild]];
      const int newHeight = 1 + std::max(down.height, kept.height);
      if (std::abs(newHeight - up.height) > kHeightSlack || std::abs(down.height - kept.height) > kHeightSlack) continue;
      const double gain = before - cost(down.box.united(kept.box));
      if (gain > bestGain) {
        bestGain = gain;
        bestSide = side;
        bestGrandchild = grandchild;
      }
    }
  }
  if (bestSide < 0) return;
  swapNodes(index, bestSide, child[1 - bestSide], bestGrandchild);
  refit(child[1 - bestSide]);
  refit(index);
}

bool DynamicTree::isConsistent() const {
  std::vector<char> seen(nodes_.size(), 0);
  std::size_t freeCount = 0;
  for (Node node = free_; node != kNull; node = nodes_[node].parent) {
    if (node >= nodes_.size() || seen[node] || nodes_[node].height != -1) return false;
    seen[node] = 1;
    ++freeCount;
  }
  std::size_t leaves = 0;
  std::size_t used = 0;
  if (root_ != kNull) {
    if (root_ >= nodes_.size() || nodes_[root_].parent != kNull) return false;
    std::vector<Node> stack{root_};
    while (!stack.empty()) {
      const Node index = stack.back();
      stack.pop_back();
      if (seen[index]) return false;
      seen[index] = 1;
      ++used;
      const TreeNode& node = nodes_[index];
      if (node.child[0] == kNull) {
        if (node.height != 0) return false;
        ++leaves;
        continue;
      }
      for (const Node child : node.child) {
        if (child >= nodes_.size() || nodes_[child].parent != index) return false;
        stack.push_back(child);
      }
      const TreeNode& first = nodes_[node.child[0]];
      const TreeNode& second = nodes_[node.child[1]];
      if (node.height != 1 + std::max(first.height, second.height)) return false;
      const Aabb both = first.box.united(second.box);
      if (both.lower != node.box.lower || both.upper != node.box.upper) return false;
    }
  }
  return leaves == leaves_ && used + freeCount == nodes_.size() && used == (leaves == 0 ? 0 : 2 * leaves - 1);
}

}  // namespace cairn
