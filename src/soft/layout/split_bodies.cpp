#include "soft/layout/split_bodies.hpp"

#include <algorithm>
#include <cmath>

#include "base/growth.hpp"
#include "soft/plan/policy.hpp"

namespace cairn {

using namespace policy::layout;

namespace {
constexpr int kMostTimes = 15;  // parts are numbered in 16 bits
}  // namespace

// How well their order in memory is told by their places along an axis: the coefficient of correlation of the two.
double BodySplitter::orderAlong(const Item* first, const Item* last, int axis) {
  const double n = static_cast<double>(last - first), x0 = first->place[axis], i0 = first->index;
  double x = 0.0, i = 0.0, xx = 0.0, ii = 0.0, xi = 0.0;
  for (const Item* item = first; item != last; ++item) {
    const double dx = item->place[axis] - x0, di = item->index - i0;
    x += dx;
    i += di;
    xx += dx * dx;
    ii += di * di;
    xi += dx * di;
  }
  const double spread = (xx - x * x / n) * (ii - i * i / n);
  return spread > 0.0 ? (xi - x * i / n) / std::sqrt(spread) : 0.0;
}

std::size_t BodySplitter::split(const std::vector<Body>& bodies, const Tasks& tasks, std::vector<std::uint32_t>& movable,
                                std::vector<std::uint16_t>& partOf, Cuts& cuts) {
  partOf.clear();
  int times = 0;
  while (movable.size() >> (times + 1) >= kSmallestPart) ++times;
  times = std::min(times, kMostTimes);
  if (times == 0) return 1;
  const bool known = cuts.times == times;
  if (!known) cuts = {times, bodies[movable[0]].center, {}};
  resizeGently(items_, movable.size());
  resizeGently(parts_, movable.size());
  tasks.parallelFor(movable.size(), kSmallestPart, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      const Vec3 place = bodies[movable[i]].center - cuts.origin;
      items_[i] = {{static_cast<float>(place.x()), static_cast<float>(place.y()), static_cast<float>(place.z())},
                   movable[i]};
    }
  });
  if (!known || !sortByParts(tasks, cuts, movable, partOf)) {
    cutAnew(tasks, bodies, cuts);
    const std::size_t parts = bounds_.size() - 1;
    partOf.resize(movable.size());
    tasks.parallelFor(parts, 1, [&](std::size_t first, std::size_t last) {
      for (std::size_t part = first; part < last; ++part) {
        for (std::uint32_t i = bounds_[part]; i < bounds_[part + 1]; ++i) {
          movable[i] = items_[i].index;
          partOf[i] = static_cast<std::uint16_t>(part);
        }
        std::sort(movable.begin() + bounds_[part], movable.begin() + bounds_[part + 1]);
      }
    });
  }
  return std::size_t{1} << times;
}

// By the cuts that there are. False, and nothing done, if parts would be too uneven.
bool BodySplitter::sortByParts(const Tasks& tasks, const Cuts& cuts, std::vector<std::uint32_t>& movable,
                               std::vector<std::uint16_t>& partOf) {
  const std::uint32_t parts = 1u << cuts.times;
  tasks.parallelFor(items_.size(), kSmallestPart, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      std::uint32_t at = 0;
      for (int time = 0; time < cuts.times; ++time) {
        const Cuts::Cut& cut = cuts.cuts[at];
        at = 2 * at + (items_[i].place[cut.axis] < cut.place ? 1 : 2);
      }
      parts_[i] = static_cast<std::uint16_t>(at - (parts - 1));
    }
  });
  bounds_.assign(parts + 1, 0);
  for (const std::uint16_t part : parts_) ++bounds_[part + 1u];
  const double most = kMostUneven * static_cast<double>(items_.size()) / parts;
  if (std::any_of(bounds_.begin(), bounds_.end(), [&](std::uint32_t size) { return size > most; }) ||
      std::any_of(bounds_.begin() + 1, bounds_.end(), [](std::uint32_t size) { return size == 0; }))
    return false;
  for (std::uint32_t part = 0; part < parts; ++part) bounds_[part + 1] += bounds_[part];
  partOf.resize(items_.size());
  for (std::size_t i = 0; i < items_.size(); ++i) {
    const std::uint32_t to = bounds_[parts_[i]]++;
    movable[to] = items_[i].index;
    partOf[to] = parts_[i];
  }
  return true;
}

// How often an island is cut across one and the same side, of this length, before other sides have their turn.
int BodySplitter::slabTimes(const std::vector<Body>& bodies, int times, double length) const {
  if (items_.size() < kLargeIsland) return 1;
  double radii = 0.0, sampled = 0.0;
  for (std::size_t i = 0; i < items_.size(); i += kSampled, sampled += 1.0) radii += bodies[items_[i].index].size;
  const double thickness = kSlabBodies * 2.0 * radii / sampled;
  int slabs = 1;
  while (slabs < times - kSlabTimes && std::ldexp(length, -(slabs + 1)) > thickness) ++slabs;
  return slabs;
}

// Every second bound is new: the middle of what was between its neighbours.
void BodySplitter::cutAnew(const Tasks& tasks, const std::vector<Body>& bodies, Cuts& cuts) {
  cuts.cuts.resize((std::size_t{1} << cuts.times) - 1);
  bounds_ = {0, static_cast<std::uint32_t>(items_.size())};
  const Side whole = sideToCut(items_.data(), items_.data() + items_.size());
  const int alike = slabTimes(bodies, cuts.times, whole.length);
  for (int time = 0; time < cuts.times; ++time) {
    Cuts::Cut* const made = cuts.cuts.data() + (bounds_.size() - 2);
    bounds_.resize(2 * bounds_.size() - 1);
    for (std::size_t i = bounds_.size() - 1; i > 0; i -= 2) {
      bounds_[i] = bounds_[i / 2];
      bounds_[i - 1] = bounds_[i / 2 - 1] + (bounds_[i] - bounds_[i / 2 - 1]) / 2;
    }
    tasks.parallelFor(bounds_.size() / 2, 1, [&](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i) {
        Item* const begin = items_.data() + bounds_[2 * i];
        Item* const end = items_.data() + bounds_[2 * i + 2];
        const int axis = time < alike ? whole.axis : sideToCut(begin, end).axis;
        made[i] = halve(begin, items_.data() + bounds_[2 * i + 1], end, axis);
      }
    });
  }
}

// The longest side; but if bodies follow each other in memory along another one that is hardly shorter, that one: what is on
// a side of the cut then lies together, and stays with the thread that also has it in loops over all bodies.
BodySplitter::Side BodySplitter::sideToCut(const Item* first, const Item* last) {
  Side side{};
  double best = -1.0;
  for (int k = 0; k < 3; ++k) {
    const auto [low, high] =
        std::minmax_element(first, last, [k](const Item& a, const Item& b) { return a.place[k] < b.place[k]; });
    const double order = orderAlong(first, last, k), length = high->place[k] - low->place[k];
    if (length * (1.0 + order * order) <= best) continue;
    best = length * (1.0 + order * order);
    side = {k, length};
  }
  return side;
}

Cuts::Cut BodySplitter::halve(Item* first, Item* middle, Item* last, int axis) {
  std::nth_element(first, middle, last, [axis](const Item& a, const Item& b) {
    return a.place[axis] != b.place[axis] ? a.place[axis] < b.place[axis] : a.index < b.index;
  });
  // Half way to the last one before it: what trembles does not change sides.
  float before = first->place[axis];
  for (const Item* item = first; item != middle; ++item) before = std::max(before, item->place[axis]);
  return {axis, before + 0.5f * (middle->place[axis] - before)};
}

}  // namespace cairn
