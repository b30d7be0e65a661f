#include "steppers/split_bodies.hpp"

#include <algorithm>

#include "base/growth.hpp"

namespace cairn {

namespace {
constexpr std::size_t kSmallestPart = 256;  // bodies
constexpr int kMostTimes = 15;
}  // namespace

std::size_t BodySplitter::split(const std::vector<Body>& bodies, std::vector<std::uint32_t>& movable,
                                std::vector<std::uint16_t>& partOf) {
  partOf.clear();
  int times = 0;
  while (movable.size() >> (times + 1) >= kSmallestPart) ++times;
  times = std::min(times, kMostTimes);
  if (times == 0) return 1;
  resizeGently(items_, movable.size());
  const Vec3 origin = bodies[movable[0]].center;
  for (std::size_t i = 0; i < movable.size(); ++i) {
    const Vec3 place = bodies[movable[i]].center - origin;
    items_[i] = {{static_cast<float>(place.x()), static_cast<float>(place.y()), static_cast<float>(place.z())}, movable[i]};
  }
  movable.clear();
  halve(items_.data(), items_.data() + items_.size(), times, movable, partOf);
  return std::size_t{1} << times;
}

void BodySplitter::halve(Item* first, Item* last, int times, std::vector<std::uint32_t>& movable,
                         std::vector<std::uint16_t>& partOf) {
  if (times == 0) {
    const auto part = static_cast<std::uint16_t>(partOf.empty() ? 0 : partOf.back() + 1);
    const std::size_t from = movable.size();
    for (const Item* item = first; item != last; ++item) movable.push_back(item->index);
    std::sort(movable.begin() + static_cast<std::ptrdiff_t>(from), movable.end());
    partOf.resize(movable.size(), part);
    return;
  }
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
  Item* middle = first + (last - first) / 2;
  std::nth_element(first, middle, last, [axis](const Item& a, const Item& b) {
    return a.place[axis] != b.place[axis] ? a.place[axis] < b.place[axis] : a.index < b.index;
  });
  halve(first, middle, times - 1, movable, partOf);
  halve(middle, last, times - 1, movable, partOf);
}

}  // namespace cairn
