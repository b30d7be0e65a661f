// Tables whose slots are used again.
#pragma once

#include <vector>

#include "dynamics/system.hpp"

namespace cairn {

template <class Table>
std::uint32_t takeSlot(Table& table, std::vector<std::uint32_t>& freeSlots) {
  if (freeSlots.empty()) {
    makeRoom(table, table.size() + 1);
    table.emplace_back();
    return static_cast<std::uint32_t>(table.size() - 1);
  }
  const std::uint32_t slot = freeSlots.back();
  freeSlots.pop_back();
  const std::uint32_t generation = table[slot].generation;
  table[slot] = {};
  table[slot].generation = generation;
  return slot;
}

}  // namespace cairn
