// Room for more: large tables grow by a thirty-second, not by doubling, so that a big world does not hold twice what it
// needs.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace cairn {

template <class T>
void makeRoom(std::vector<T>& table, std::size_t count) {
  constexpr std::size_t kSpare = sizeof(T) < 512 ? 1024 / sizeof(T) : 2;
  if (table.capacity() < count) table.reserve(count + count / 32 + kSpare);
}

template <class T>
void resizeGently(std::vector<T>& table, std::size_t count) {
  makeRoom(table, count);
  table.resize(count);
}

// Gives memory back that was needed once; what the table holds it keeps.
template <class T>
void shrinkGently(std::vector<T>& table, std::size_t count) {
  if (table.capacity() <= count + count / 4 + 64) return;
  table.resize(std::min(table.size(), count));
  std::vector<T> smaller;
  makeRoom(smaller, count);
  smaller.assign(table.begin(), table.end());
  table.swap(smaller);
}

// For large tables whose old contents do not matter: gives back what is far more than needed.
template <class T>
void resizeAnew(std::vector<T>& table, std::size_t count) {
  if (table.capacity() > count + count / 8 + 1024 / sizeof(T) + 4) std::vector<T>().swap(table);
  if (table.capacity() < count) {
    std::vector<T>().swap(table);
    table.reserve(count + count / 32 + 1);
  }
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
