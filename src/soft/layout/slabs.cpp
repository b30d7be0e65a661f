#include "soft/layout/slabs.hpp"

#include <bit>

#include "base/growth.hpp"
#include "soft/layout/cut_tree.hpp"

namespace cairn {

namespace {
// Of the cuts between parts first .. last, the highest; 0 if there are none.
int highestCut(std::uint32_t first, std::uint32_t last) {
  int height = 0;
  while ((last >> height << height) > first) ++height;
  return height;
}
}  // namespace

int SlabFinder::heightWithin(std::size_t parts, int least, std::span<const std::uint16_t> partOf,
                             const std::function<std::span<const ContactEnds>(std::uint32_t)>& contactsOf) {
  assignGently(cutOf_, partOf.size(), 0u);
  int within = least;
  for (int height = std::countr_zero(parts); height > within; --height) {
    for (std::uint32_t index = 0; index < parts >> height; ++index) {
      const std::uint32_t cut = cut_tree::cutOfHeight(height, index), behind = (cut + 1) / 2;  // the first part behind it
      for (const ContactEnds& ends : contactsOf(cut)) {
        for (const std::uint32_t body : {ends.a, ends.b}) {
          if (body >= partOf.size()) continue;
          if (cutOf_[body] == 0) cutOf_[body] = cut;
          if (cutOf_[body] != cut) within = std::max(within, height);
          // The contact may reach over lower cuts besides.
          const std::uint32_t part = partOf[body];
          const int other = part < behind ? highestCut(part, behind - 1) : highestCut(behind, part);
          within = std::max(within, other);
        }
      }
    }
  }
  return within;
}

}  // namespace cairn
