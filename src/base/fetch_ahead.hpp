// Asks memory for what will be needed soon. Processors guess by themselves what comes next when a table is gone through from
// one end to the other, not when one entry is here and the next one there.
#pragma once

#include <cstddef>

namespace cairn {

// All of it, or its first bytes.
template <class T>
inline void prefetch(const T& what, std::size_t bytes = sizeof(T)) {
  constexpr std::size_t kLine = 64;
  for (std::size_t at = 0; at < bytes; at += kLine) __builtin_prefetch(reinterpret_cast<const char*>(&what) + at);
}

}  // namespace cairn
