// The build: binned surface-area heuristic (Wald 2007, "On fast construction of SAH-based bounding volume hierarchies"), on boxes
// that are on the grid already, so that all but the costs is whole numbers. The upper nodes are split level by level, ranges of
// a level by several threads; below kTaskItems a range is one task. Neither depends on the number of threads.
#include "geometry/box_tree.hpp"

#include <bit>

#include "base/hash.hpp"

namespace cairn {

class BoxTree::Builder {
 public:
  Builder(std::vector<Entry>& entries, const Vec3& cellSize) : entries_(entries), cellSize_(cellSize) {}

  struct Range {
    std::uint32_t first, count;
    int depth;
    Short8 box;  // of its entries
  };
  struct Split {
    std::array<Range, 4> part;
    int parts = 0;
  };

  Short8 boxOf(std::uint32_t first, std::uint32_t count) const {
    Short8 box = entries_[first].box;
    for (std::uint32_t i = first + 1; i < first + count; ++i) box = smaller(box, entries_[i].box);
    return box;
  }

  // Cut in two, then the larger part again, until there are four.
  Split splitInFour(const Range& range) {
    Split split;
    split.part[split.parts++] = range;
    while (split.parts < 4) {
      int widest = -1;
      double most = -1.0;
      for (int k = 0; k < split.parts; ++k) {
        const double area = halfArea(split.part[k].box);
        if (split.part[k].count > kLeafItems && area > most) most = area, widest = k;
      }
      if (widest < 0) break;
      // The second half goes behind the first, so that the order of children is the order of items.
      const auto [left, right] = splitInTwo(split.part[widest]);
      for (int k = split.parts; k > widest + 1; --k) split.part[k] = split.part[k - 1];
      split.part[widest] = left;
      split.part[widest + 1] = right;
      ++split.parts;
    }
    return split;
  }

  static Node emptyNode() {
    Node node;
    constexpr std::int16_t nothing = std::numeric_limits<std::int16_t>::max();
    for (Short8& bound : node.bound) bound = Short8{} + nothing;
    std::ranges::fill(node.child, kNone);
    return node;
  }
  static void setChild(Node& node, int k, const Range& range, std::uint32_t child) {
    for (int axis = 0; axis < 3; ++axis) {
      node.bound[axis][k] = range.box[axis];
      node.bound[axis][k + 4] = range.box[axis + 3];
    }
    node.child[k] = child;
  }
  std::uint32_t leaf(const Range& range) {
    std::sort(entries_.begin() + range.first, entries_.begin() + range.first + range.count,
              [](const Entry& a, const Entry& b) { return a.item() < b.item(); });
    return kLeaf | (range.count - 1) << 28 | range.first;
  }

  // The whole subtree, depth first; returns its root's place in `nodes`.
  std::uint32_t subtree(const Range& range, std::vector<Node>& nodes) {
    const auto self = static_cast<std::uint32_t>(nodes.size());
    nodes.push_back(emptyNode());
    const Split split = splitInFour(range);
    for (int k = 0; k < split.parts; ++k) {
      const Range& part = split.part[k];
      const std::uint32_t child = part.count <= kLeafItems ? leaf(part) : subtree(part, nodes);
      setChild(nodes[self], k, part, child);
    }
    return self;
  }

 private:
  static constexpr int kBins = 16;

  static Short8 smaller(const Short8& a, const Short8& b) { return a < b ? a : b; }
  static int lower(const Short8& box, int axis) { return box[axis]; }
  static int upper(const Short8& box, int axis) { return ~box[axis + 3]; }
  static int middle(const Short8& box, int axis) { return lower(box, axis) + upper(box, axis); }  // twice the middle
  double halfArea(const Short8& box) const {
    const double x = (upper(box, 0) - lower(box, 0) + 1) * cellSize_.x();
    const double y = (upper(box, 1) - lower(box, 1) + 1) * cellSize_.y();
    const double z = (upper(box, 2) - lower(box, 2) + 1) * cellSize_.z();
    return x * y + y * z + z * x;
  }

  struct Scale {  // from a middle to its bin
    int least = 0;
    std::uint64_t factor = 0;
    int bin(int at) const { return static_cast<int>((static_cast<std::uint64_t>(at - least) * factor) >> 32); }
  };

  std::pair<Range, Range> parts(const Range& range, std::uint32_t leftCount, const Short8& left, const Short8& right) const {
    return {{range.first, leftCount, range.depth + 1, left},
            {range.first + leftCount, range.count - leftCount, range.depth + 1, right}};
  }

  std::pair<Range, Range> splitInTwo(const Range& range) {
    const std::span<Entry> mine(entries_.data() + range.first, range.count);
    std::array<int, 3> least, most;
    for (int axis = 0; axis < 3; ++axis) least[axis] = most[axis] = middle(mine[0].box, axis);
    for (const Entry& entry : mine) {
      for (int axis = 0; axis < 3; ++axis) {
        const int at = middle(entry.box, axis);
        least[axis] = std::min(least[axis], at);
        most[axis] = std::max(most[axis], at);
      }
    }
    int widest = 0;
    for (int axis = 1; axis < 3; ++axis) {
      if ((most[axis] - least[axis]) * cellSize_[axis] > (most[widest] - least[widest]) * cellSize_[widest]) widest = axis;
    }
    if (most[widest] == least[widest] || range.depth >= kDepthOfCostSplits) return halves(range, mine, widest);

    std::array<Scale, 3> scale;
    for (int axis = 0; axis < 3; ++axis) {
      scale[axis].least = least[axis];
      scale[axis].factor = (std::uint64_t{kBins} << 32) / static_cast<std::uint64_t>(most[axis] - least[axis] + 1);
    }
    constexpr std::int16_t nothing = std::numeric_limits<std::int16_t>::max();
    Short8 boxes[3][kBins];
    std::uint32_t counts[3][kBins] = {};
    for (auto& row : boxes) std::ranges::fill(row, Short8{} + nothing);
    for (const Entry& entry : mine) {
      for (int axis = 0; axis < 3; ++axis) {
        const int bin = scale[axis].bin(middle(entry.box, axis));
        boxes[axis][bin] = smaller(boxes[axis][bin], entry.box);
        ++counts[axis][bin];
      }
    }
    double bestCost = std::numeric_limits<double>::infinity();
    int bestAxis = -1, bestBin = 0;
    std::uint32_t bestCount = 0;
    Short8 bestLeft{}, bestRight{};
    for (int axis = 0; axis < 3; ++axis) {
      if (most[axis] == least[axis]) continue;
      Short8 fromRight[kBins];
      fromRight[kBins - 1] = boxes[axis][kBins - 1];
      for (int bin = kBins - 2; bin > 0; --bin) fromRight[bin] = smaller(boxes[axis][bin], fromRight[bin + 1]);
      Short8 left = boxes[axis][0];
      std::uint32_t leftCount = 0;
      for (int bin = 0; bin + 1 < kBins; ++bin) {
        left = smaller(left, boxes[axis][bin]);
        leftCount += counts[axis][bin];
        const std::uint32_t rightCount = range.count - leftCount;
        if (leftCount == 0 || rightCount == 0) continue;
        const double cost = leavesFor(leftCount) * halfArea(left) + leavesFor(rightCount) * halfArea(fromRight[bin + 1]);
        if (cost < bestCost) {
          bestCost = cost, bestAxis = axis, bestBin = bin, bestCount = leftCount;
          bestLeft = left, bestRight = fromRight[bin + 1];
        }
      }
    }
    const Scale& on = scale[bestAxis];
    std::partition(mine.begin(), mine.end(), [&](const Entry& e) { return on.bin(middle(e.box, bestAxis)) <= bestBin; });
    return parts(range, bestCount, bestLeft, bestRight);
  }

  // Items cost by the leaf that they fill: five items in one place would be two leaves.
  static double leavesFor(std::uint32_t items) {
    return static_cast<double>((items + kLeafItems - 1) / kLeafItems) + 0.125 * items;
  }

  // By count, whole leaves on the left: for items that all have the same middle, and below the depth of cost splits.
  std::pair<Range, Range> halves(const Range& range, std::span<Entry> mine, int axis) const {
    std::uint32_t count = range.count / 2;
    if (range.count > 2 * kLeafItems) count = (count + kLeafItems - 1) / kLeafItems * kLeafItems;
    std::nth_element(mine.begin(), mine.begin() + count, mine.end(), [&](const Entry& a, const Entry& b) {
      const int atA = middle(a.box, axis), atB = middle(b.box, axis);
      return atA != atB ? atA < atB : a.item() < b.item();
    });
    return parts(range, count, boxOf(range.first, count), boxOf(range.first + count, range.count - count));
  }

  std::vector<Entry>& entries_;
  Vec3 cellSize_;
};

void BoxTree::makeGrid() {
  const Vec3 extent = bounds_.upper - bounds_.lower;
  const double least = std::max(1e-6 * extent.maxCoeff(), 1e-30);
  for (int axis = 0; axis < 3; ++axis) {
    cellSize_[axis] = std::max(extent[axis], least) / kCells * (1.0 + 1e-12);
    perCell_[axis] = 1.0 / cellSize_[axis];
  }
}

void BoxTree::build(std::vector<Entry>& entries, const Tasks& tasks) {
  using Range = Builder::Range;
  constexpr std::uint32_t kTaskItems = kParallelItems;
  Builder builder(entries, cellSize_);
  const auto count = static_cast<std::uint32_t>(entries.size());
  const Range all{0, count, 0, builder.boxOf(0, count)};

  struct Place {  // of a range that is still to be built
    Range range;
    std::uint32_t node;
    int slot;
  };
  std::vector<Place> level, jobs;
  if (count <= kLeafItems) {
    nodes_.push_back(Builder::emptyNode());
    Builder::setChild(nodes_[0], 0, all, builder.leaf(all));
  } else if (count <= kTaskItems) {
    builder.subtree(all, nodes_);
  } else {
    level.push_back({all, kNone, 0});
  }
  while (!level.empty()) {
    std::vector<Builder::Split> splits(level.size());
    tasks.parallelFor(level.size(), 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) splits[i] = builder.splitInFour(level[i].range);
    });
    std::vector<Place> next;
    for (std::size_t i = 0; i < level.size(); ++i) {
      const auto self = static_cast<std::uint32_t>(nodes_.size());
      nodes_.push_back(Builder::emptyNode());
      if (level[i].node != kNone) Builder::setChild(nodes_[level[i].node], level[i].slot, level[i].range, self);
      for (int k = 0; k < splits[i].parts; ++k) {
        const Range& part = splits[i].part[k];
        if (part.count <= kLeafItems) {
          Builder::setChild(nodes_[self], k, part, builder.leaf(part));
        } else {
          (part.count <= kTaskItems ? jobs : next).push_back({part, self, k});
        }
      }
    }
    level = std::move(next);
  }
  std::vector<std::vector<Node>> built(jobs.size());
  tasks.parallelFor(jobs.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      built[i].reserve(jobs[i].range.count / 6 + 4);
      builder.subtree(jobs[i].range, built[i]);
    }
  });
  std::size_t total = nodes_.size();
  for (const auto& part : built) total += part.size();
  nodes_.reserve(total);
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const auto base = static_cast<std::uint32_t>(nodes_.size());
    Builder::setChild(nodes_[jobs[i].node], jobs[i].slot, jobs[i].range, base);
    for (Node node : built[i]) {
      for (std::uint32_t& child : node.child) {
        if (!(child & kLeaf)) child += base;
      }
      nodes_.push_back(node);
    }
  }
  items_.resize(count);
  tasks.parallelFor(count, kParallelItems, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) items_[i] = entries[i].item();
  });
}

double BoxTree::surfaceCost() const {
  const auto area = [&](const Vec3& d) { return d.x() * d.y() + d.y() * d.z() + d.z() * d.x(); };
  const double whole = area((bounds_.upper - bounds_.lower).cwiseMax(cellSize_));
  double sum = nodes_.empty() ? 0.0 : 1.0;
  for (const Node& node : nodes_) {
    for (int k = 0; k < 4; ++k) {
      if (node.child[k] == kNone) continue;
      Vec3 d;
      for (int axis = 0; axis < 3; ++axis) {
        const int low = node.bound[axis][k], high = ~node.bound[axis][k + 4];
        d[axis] = (high - low + 1) * cellSize_[axis];
      }
      sum += area(d) / whole;
    }
  }
  return sum;
}

std::uint64_t BoxTree::hash() const {
  Hash hash;
  for (int axis = 0; axis < 3; ++axis) hash.add(bounds_.lower[axis]), hash.add(bounds_.upper[axis]);
  for (const Node& node : nodes_) {
    for (std::uint64_t word : std::bit_cast<std::array<std::uint64_t, sizeof(Node) / 8>>(node)) hash.add(word);
  }
  for (std::uint32_t item : items_) hash.add(std::uint64_t{item});
  return hash.value();
}

}  // namespace cairn
