#include "steppers/split_bodies.hpp"

#include <algorithm>

#include "base/growth.hpp"

namespace cairn {

namespace {
constexpr std::size_t kSmallestPart = 256;  // bodies
constexpr int kMostTimes = 15;
}  // namespace

std::size_t BodySplitter::split(const std::vector<Body>& bodies, const Tasks& tasks, std::vector<std::uint32_t>& movable,
                                std::vector<std::uint16_t>& partOf) {
  partOf.clear();
  int times = 0;
  while (movable.size() >> (times + 1) >= kSmallestPart) ++times;
  times = std::min(times, kMostTimes);
  if (times == 0) return 1;
  resizeGently(items_, movable.size());
  const Vec3 origin = bodies[movable[0]].center;
  tasks.parallelFor(movable.size(), kSmallestPart, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      const Vec3 place = bodies[movable[i]].center - origin;
      items_[i] = {{static_cast<float>(place.x()), static_cast<float>(place.y()), static_cast<float>(place.z())},
                   movable[i]};
    }
  });

  // Every second bound is new: the middle of what was between its neighbours.
  bounds_ = {0, static_cast<std::uint32_t>(items_.size())};
  for (int time = 0; time < times; ++time) {
    bounds_.resize(2 * bounds_.size() - 1);
    for (std::size_t i = bounds_.size() - 1; i > 0; i -= 2) {
      bounds_[i] = bounds_[i / 2];
      bounds_[i - 1] = bounds_[i / 2 - 1] + (bounds_[i] - bounds_[i / 2 - 1]) / 2;
    }
    tasks.parallelFor(bounds_.size() / 2, 1, [&](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i)
        halve(items_.data() + bounds_[2 * i], items_.data() + bounds_[2 * i + 1], items_.data() + bounds_[2 * i + 2]);
    });
  }

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
  return parts;
}

void BodySplitter::halve(Item* first, Item* middle, Item* last) {
  float low[3], high[3];
  std::copy_n(first->place, 3, low);
  std::copy_n(first->place, 3, high);
  for (const Item* item = first; item != last; ++item) {
    for (int k = 0; k < 3; ++k) {
      low[k] = std::min(low[k], item->place[k]);
      high[k] = std::max(high[k], item->place[k]);
    }
  }
  int axis = 0;
  for (int k = 1; k < 3; ++k)
    if (high[k] - low[k] > high[axis] - low[axis]) axis = k;
  std::nth_element(first, middle, last, [axis](const Item& a, const Item& b) {
    return a.place[axis] != b.place[axis] ? a.place[axis] < b.place[axis] : a.index < b.index;
  });
}

}  // namespace cairn
