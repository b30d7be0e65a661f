// A bounding volume hierarchy over boxes that do not move relative to each other: the triangles of a mesh, the children of a
// compound, the balls of a sphere set. Four children to a node of 64 bytes (one cache line), up to four items to a leaf.
//
// Bounds are kept on a grid of 65,535 cells per axis over the box of all items: a bound is the 16-bit number of its cell, so
// that overlap is a comparison of whole numbers, four children at once. x goes to its cell by one monotonic function for items
// and queries alike; rounding therefore never separates what touches. Answers are candidates: what is not visited is apart,
// what is visited shares a leaf with something within a cell of the query.
//
// Known limit: items that lie in one cell (extent / 65,535) are not told apart, and a query of that place visits all of them.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "base/tasks.hpp"
#include "geometry/aabb.hpp"

namespace cairn {

class BoxTree {
 public:
  static constexpr std::size_t kMostItems = std::size_t{1} << 28;
  static constexpr int kLeafItems = 4;
  static constexpr std::size_t kParallelItems = 4096;  // fewer are built by one thread

  BoxTree() = default;
  // boxOf(i) -> Aabb for i < count; called from several threads. The same tree for any number of threads. Throws
  // std::invalid_argument if a box is not finite or there are too many.
  template <class BoxOf>
  BoxTree(std::size_t count, BoxOf&& boxOf, const Tasks& tasks = Tasks());
  explicit BoxTree(std::span<const Aabb> boxes, const Tasks& tasks = Tasks())
      : BoxTree(boxes.size(), [&](std::size_t i) { return boxes[i]; }, tasks) {}

  std::size_t size() const { return items_.size(); }
  bool isEmpty() const { return items_.empty(); }
  const Aabb& bounds() const { return bounds_; }
  std::size_t bytes() const { return nodes_.size() * sizeof(Node) + items_.size() * sizeof(std::uint32_t); }
  // Expected number of nodes that a random ray through the bounds visits: what the build makes small.
  double surfaceCost() const;
  std::uint64_t hash() const;  // of all that queries read

  // Calls visit(item) for each item whose box may overlap. A visitor that returns bool ends the query with false; then this is
  // false too.
  template <class Visit>
  bool overlap(const Aabb& box, Visit&& visit) const;

  // A box of these half extents (zero: a point, hence a ray) moves from `center` along `direction`, times 0 to `length`. Calls
  // test(item, best) -> double for items whose box it may touch before `best`, near ones first as far as the hierarchy knows; what
  // test returns becomes the new `best` if it is smaller. A negative one ends the query. Returns the last `best`, `length` if
  // nothing was hit.
  template <class Test>
  double cast(const Vec3& center, const Vec3& halfExtents, const Vec3& direction, double length, Test&& test) const;

  // Calls test(item, best) -> squared distance for items that may be nearer to the point than `best` (squared, too); returns the
  // least. A negative one ends the query.
  template <class Test>
  double nearest(const Vec3& point, double best, Test&& test) const;

 private:
  using Short8 = std::int16_t __attribute__((vector_size(16)));
  using Short4 = std::int16_t __attribute__((vector_size(8)));
  using Int4 = std::int32_t __attribute__((vector_size(16)));
  using Float4 = float __attribute__((vector_size(16)));

  // Lanes 0-3: lower bounds of the four children on an axis, lanes 4-7: the upper ones, complemented, so that one comparison
  // serves both and a union is a minimum.
  struct alignas(64) Node {
    Short8 bound[3];
    std::uint32_t child[4];
  };
  static_assert(sizeof(Node) == 64);

  // A box on the grid: lower x y z, complement of upper x y z, and the item's number in the last two lanes.
  struct Entry {
    Short8 box;
    std::uint32_t item() const;
  };
  class Builder;

  // A child is a node's number, or a leaf: kLeaf | (count - 1) << 28 | first item.
  static constexpr std::uint32_t kLeaf = 0x80000000u, kNone = 0xffffffffu, kFirstMask = 0x0fffffffu;
  static constexpr int kCells = 65535, kShift = 32768;
  // Binary depth is at most twice this (the build goes over to halves), and a level of four children leaves three waiting.
  static constexpr int kDepthOfCostSplits = 36;
  static constexpr std::size_t kStack = 3 * (kDepthOfCostSplits + 32) + 4;
  // Cells. Single precision is off by up to 1/128 of a cell on numbers up to 65,536; far away by its unit roundoff.
  static constexpr float kPad = 1.0f / 16.0f, kRoundoff = 3e-7f;

  struct Waiting {
    float at;
    std::uint32_t child;
  };

  void makeGrid();
  std::int16_t cell(double x, int axis) const {
    const double c = (x - bounds_.lower[axis]) * perCell_[axis];
    return static_cast<std::int16_t>(static_cast<int>(std::clamp(c, 0.0, kCells - 1.0)) - kShift);
  }
  double onGrid(double x, int axis) const { return (x - bounds_.lower[axis]) * perCell_[axis] - kShift; }
  static std::array<Float4, 2> extentsOf(const Short8& bound) {
    Short4 lower, upper;
    for (int k = 0; k < 4; ++k) lower[k] = bound[k], upper[k] = static_cast<std::int16_t>(~bound[k + 4]);
    const Int4 low = __builtin_convertvector(lower, Int4), high = __builtin_convertvector(upper, Int4) + 1;
    return {__builtin_convertvector(low, Float4), __builtin_convertvector(high, Float4)};
  }
  // Puts children with a finite key on the stack, the least last.
  static void pushSorted(const Node& node, const Float4& key, Waiting* stack, std::size_t& top) {
    const std::size_t base = top;
    for (int k = 0; k < 4; ++k) {
      if (!(key[k] < std::numeric_limits<float>::infinity()) || node.child[k] == kNone) continue;
      std::size_t i = top++;
      for (; i > base && stack[i - 1].at < key[k]; --i) stack[i] = stack[i - 1];
      stack[i] = {key[k], node.child[k]};
    }
  }
  void build(std::vector<Entry>& entries, const Tasks& tasks);

  Aabb bounds_;
  Vec3 cellSize_ = Vec3::Ones(), perCell_ = Vec3::Ones();
  std::vector<Node> nodes_;
  std::vector<std::uint32_t> items_;
};

inline std::uint32_t BoxTree::Entry::item() const {
  return static_cast<std::uint32_t>(static_cast<std::uint16_t>(box[6])) |
         static_cast<std::uint32_t>(static_cast<std::uint16_t>(box[7])) << 16;
}

template <class BoxOf>
BoxTree::BoxTree(std::size_t count, BoxOf&& boxOf, const Tasks& tasks) {
  if (count > kMostItems) throw std::invalid_argument("items: " + std::to_string(count) + "; a hierarchy holds 2^28");
  if (count == 0) return;
  constexpr std::size_t kGrain = kParallelItems;
  std::vector<Aabb> pieces((count + kGrain - 1) / kGrain);
  tasks.parallelFor(count, kGrain, [&](std::size_t begin, std::size_t end) {
    Aabb& all = pieces[begin / kGrain];
    for (std::size_t i = begin; i < end; ++i) {
      const Aabb box = boxOf(i);
      if (!box.lower.allFinite() || !box.upper.allFinite() || (box.lower.array() > box.upper.array()).any())
        throw std::invalid_argument("item " + std::to_string(i) + ": its box is not finite");
      all = all.united(box);
    }
  });
  for (const Aabb& piece : pieces) bounds_ = bounds_.united(piece);
  if (!(bounds_.upper - bounds_.lower).allFinite()) throw std::invalid_argument("items: too far apart");
  makeGrid();
  std::vector<Entry> entries(count);
  tasks.parallelFor(count, kGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const Aabb box = boxOf(i);
      Entry& entry = entries[i];
      for (int axis = 0; axis < 3; ++axis) {
        entry.box[axis] = cell(box.lower[axis], axis);
        entry.box[axis + 3] = static_cast<std::int16_t>(~cell(box.upper[axis], axis));
      }
      entry.box[6] = static_cast<std::int16_t>(i & 0xffffu);
      entry.box[7] = static_cast<std::int16_t>(i >> 16);
    }
  });
  build(entries, tasks);
}

template <class Visit>
bool BoxTree::overlap(const Aabb& box, Visit&& visit) const {
  if (nodes_.empty() || !bounds_.overlaps(box)) return true;
  Short8 query[3];
  for (int axis = 0; axis < 3; ++axis) {
    const std::int16_t low = static_cast<std::int16_t>(~cell(box.lower[axis], axis)), high = cell(box.upper[axis], axis);
    query[axis] = Short8{high, high, high, high, low, low, low, low};
  }
  std::uint32_t stack[kStack];
  std::size_t top = 0;
  stack[top++] = 0;
  while (top > 0) {
    const Node& node = nodes_[stack[--top]];
    const Short8 apart = (node.bound[0] > query[0]) | (node.bound[1] > query[1]) | (node.bound[2] > query[2]);
    const auto halves = std::bit_cast<std::array<std::uint64_t, 2>>(apart);
    const std::uint64_t lanes = halves[0] | halves[1];
    for (int k = 3; k >= 0; --k) {
      if ((lanes >> (16 * k)) & 1u) continue;  // an empty place has bounds that nothing overlaps
      const std::uint32_t child = node.child[k];
      if (!(child & kLeaf)) {
        stack[top++] = child;
        continue;
      }
      const std::uint32_t first = child & kFirstMask, last = first + ((child >> 28) & 3u);
      for (std::uint32_t i = first; i <= last; ++i) {
        if constexpr (std::is_same_v<std::invoke_result_t<Visit&, std::uint32_t>, bool>) {
          if (!visit(items_[i])) return false;
        } else {
          visit(items_[i]);
        }
      }
    }
  }
  return true;
}

template <class Test>
double BoxTree::cast(const Vec3& center, const Vec3& halfExtents, const Vec3& direction, double length, Test&& test) const {
  if (nodes_.empty()) return length;
  // First the part of the path along the bounds, in double precision: what follows is then about small numbers.
  double from = 0.0, to = length;
  for (int axis = 0; axis < 3; ++axis) {
    const double slack = halfExtents[axis] + cellSize_[axis] + 1e-12 * std::abs(center[axis]);
    const double low = bounds_.lower[axis] - slack - center[axis], high = bounds_.upper[axis] + slack - center[axis];
    const double d = direction[axis];
    if (d == 0.0) {
      if (!(low <= 0.0 && high >= 0.0)) return length;
      continue;
    }
    from = std::max(from, std::min(low / d, high / d));
    to = std::min(to, std::max(low / d, high / d));
  }
  if (!(from <= to)) return length;

  float start[3], inverse[3], reach[3];
  for (int axis = 0; axis < 3; ++axis) {
    start[axis] = static_cast<float>(onGrid(center[axis] + from * direction[axis], axis));
    const auto half = static_cast<float>(halfExtents[axis] * perCell_[axis]);
    reach[axis] = half + kPad + kRoundoff * (std::abs(start[axis]) + half);
    // Path over cells as the parameter goes from 0 to 1. One that is almost nothing counts as a little: within the pad.
    const auto path = static_cast<float>((to - from) * direction[axis] * perCell_[axis]);
    inverse[axis] = 1.0f / std::copysign(std::max(std::abs(path), 1e-5f), path);
  }
  const double span = to - from;
  const auto limitOf = [&](double best) {
    return best >= to ? 1.000001f : static_cast<float>((best - from) / span) * 1.000001f + 1e-6f;
  };
  double best = length;
  float limit = limitOf(best);
  Waiting stack[kStack];
  std::size_t top = 0;
  stack[top++] = {0.0f, 0};
  while (top > 0) {
    const Waiting next = stack[--top];
    if (next.at > limit) continue;
    if (next.child & kLeaf) {
      const std::uint32_t first = next.child & kFirstMask, last = first + ((next.child >> 28) & 3u);
      for (std::uint32_t i = first; i <= last; ++i) {
        const double found = test(items_[i], best);
        if (!(found < best)) continue;
        best = found;
        if (found < 0.0) return found;
      }
      limit = limitOf(best);
      continue;
    }
    const Node& node = nodes_[next.child];
    Float4 enter = Float4{}, leave = Float4{} + limit;
    for (int axis = 0; axis < 3; ++axis) {
      const auto [lower, upper] = extentsOf(node.bound[axis]);
      const Float4 one = (lower - reach[axis] - start[axis]) * inverse[axis];
      const Float4 two = (upper + reach[axis] - start[axis]) * inverse[axis];
      const Float4 near = one < two ? one : two, far = one < two ? two : one;
      enter = near > enter ? near : enter;
      leave = far < leave ? far : leave;
    }
    pushSorted(node, enter <= leave + 1e-6f ? enter : Float4{} + std::numeric_limits<float>::infinity(), stack, top);
  }
  return best;
}

template <class Test>
double BoxTree::nearest(const Vec3& point, double best, Test&& test) const {
  if (nodes_.empty()) return best;
  float place[3], size[3], slack[3];
  for (int axis = 0; axis < 3; ++axis) {
    place[axis] = static_cast<float>(onGrid(point[axis], axis));
    size[axis] = static_cast<float>(cellSize_[axis]);
    slack[axis] = kPad + kRoundoff * std::abs(place[axis]);
  }
  Waiting stack[kStack];
  std::size_t top = 0;
  stack[top++] = {0.0f, 0};
  while (top > 0) {
    const Waiting next = stack[--top];
    if (static_cast<double>(next.at) > best) continue;
    if (next.child & kLeaf) {
      const std::uint32_t first = next.child & kFirstMask, last = first + ((next.child >> 28) & 3u);
      for (std::uint32_t i = first; i <= last; ++i) {
        const double found = test(items_[i], best);
        if (!(found < best)) continue;
        best = found;
        if (found < 0.0) return found;
      }
      continue;
    }
    const Node& node = nodes_[next.child];
    Float4 square = Float4{};
    for (int axis = 0; axis < 3; ++axis) {
      const auto [lower, upper] = extentsOf(node.bound[axis]);
      const Float4 below = lower - slack[axis] - place[axis], above = place[axis] - slack[axis] - upper;
      Float4 gap = below > above ? below : above;
      gap = gap > Float4{} ? gap * size[axis] : Float4{};
      square += gap * gap;
    }
    square *= 1.0f - 1e-6f;
    // Compared in double: best may be beyond single precision.
    Float4 key = square;
    for (int k = 0; k < 4; ++k) {
      if (static_cast<double>(square[k]) > best) key[k] = std::numeric_limits<float>::infinity();
    }
    pushSorted(node, key, stack, top);
  }
  return best;
}

}  // namespace cairn
