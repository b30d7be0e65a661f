// Cuts the bodies of a large island into parts of about equal size with few contacts between them: halves it across its
// longest side, and each half again. Depends on where the bodies are and on nothing else.
#pragma once

#include <vector>

#include "base/tasks.hpp"
#include "dynamics/body.hpp"

namespace cairn {

class BodySplitter {
 public:
  // Puts `movable` (indices of bodies, ascending) in the order of parts, ascending within a part, and says which part each
  // is in. Returns how many parts there are; an island that is not worth cutting is left as it is.
  std::size_t split(const std::vector<Body>& bodies, const Tasks& tasks, std::vector<std::uint32_t>& movable,
                    std::vector<std::uint16_t>& partOf);

 private:
  struct Item {
    float place[3];  // m, from the first body
    std::uint32_t index;
  };
  static void halve(Item* first, Item* middle, Item* last);

  std::vector<Item> items_;
  std::vector<std::uint32_t> bounds_;  // of the parts so far
};

}  // namespace cairn
