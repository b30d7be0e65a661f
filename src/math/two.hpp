// Two numbers side by side, for code that does the same with both: every 64-bit machine has instructions for that. What
// comes out is the same as one after the other, to the bit.
#pragma once

#include <cstring>

namespace cairn {

using Two [[gnu::vector_size(16)]] = double;

inline Two both(double x) { return Two{x, x}; }
inline Two firsts(Two a, Two b) { return Two{a[0], b[0]}; }
inline Two seconds(Two a, Two b) { return Two{a[1], b[1]}; }
inline double sum(Two a) { return a[0] + a[1]; }
inline Two sums(Two a, Two b) { return firsts(a, b) + seconds(a, b); }  // a[0] + a[1] and b[0] + b[1]

inline Two load(const double* from) {
  Two two;
  std::memcpy(&two, from, sizeof two);
  return two;
}
inline void store(double* to, Two two) { std::memcpy(to, &two, sizeof two); }

}  // namespace cairn
