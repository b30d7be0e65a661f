// Room for more: large tables grow by a sixteenth, not by doubling, so that a big world does not hold twice what it needs.
#pragma once

#include <cstddef>
#include <vector>

namespace cairn {

template <class T>
void makeRoom(std::vector<T>& table, std::size_t count) {
  if (table.capacity() < count) table.reserve(count + count / 16 + 16);
}

template <class T>
void resizeGently(std::vector<T>& table, std::size_t count) {
  makeRoom(table, count);
  table.resize(count);
}

// For tables whose size comes down from a peak for good: gives the memory back.
template <class T>
void assignGently(std::vector<T>& table, std::size_t count, const T& value) {
  constexpr std::size_t kRoom = 4, kSmall = 64;
  if (table.capacity() > kRoom * count + kSmall) std::vector<T>().swap(table);
  table.assign(count, value);
}

}  // namespace cairn
