// Cuts the bodies of a large island into parts of about equal size with few contacts between them: halves it across its
// longest side, or one that is about as long and better for memory, and each half again. Islands that caches do not hold are
// cut across the same side several times first, into slabs that are swept as slabs.hpp tells. The cuts serve for later steps
// too, until parts are no longer about equal. Depends on where the bodies are, and were when they were cut, and on their
// size.
#pragma once

#include <vector>

#include "base/tasks.hpp"
#include "dynamics/body.hpp"

namespace cairn {

// Where an island was cut: the first in two, the next two the halves, and so on.
struct Cuts {
  struct Cut {
    int axis;
    float place;  // m from the origin: bodies before it are in the first half
  };
  int times = 0;
  Vec3 origin = Vec3::Zero();
  std::vector<Cut> cuts;  // 2^times - 1
};

class BodySplitter {
 public:
  // Puts `movable` (indices of bodies, ascending) in the order of parts, ascending within a part, and says which part each
  // is in. Returns how many parts there are; an island that is not worth cutting is left as it is. `cuts`: of the last time;
  // any will do.
  std::size_t split(const std::vector<Body>& bodies, const Tasks& tasks, std::vector<std::uint32_t>& movable,
                    std::vector<std::uint16_t>& partOf, Cuts& cuts);

 private:
  struct Item {
    float place[3];  // m, from the origin
    std::uint32_t index;
  };
  struct Side {
    int axis;
    double length;  // m
  };
  void cutAnew(const Tasks& tasks, const std::vector<Body>& bodies, Cuts& cuts);
  int slabTimes(const std::vector<Body>& bodies, int times, double length) const;
  bool sortByParts(const Tasks& tasks, const Cuts& cuts, std::vector<std::uint32_t>& movable,
                   std::vector<std::uint16_t>& partOf);
  static double orderAlong(const Item* first, const Item* last, int axis);
  static Side sideToCut(const Item* first, const Item* last);
  static Cuts::Cut halve(Item* first, Item* middle, Item* last, int axis);

  std::vector<Item> items_;
  std::vector<std::uint16_t> parts_;   // of the items
  std::vector<std::uint32_t> bounds_;  // of the parts so far
};

}  // namespace cairn
