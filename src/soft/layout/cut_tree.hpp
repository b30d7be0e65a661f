// Parts of a large island and the cuts between them (split_bodies.hpp): the island is cut in two, each half again, until
// there are 2^n parts. Contacts are swept in groups, one of each part and one of each cut: those between bodies on its two
// sides that no earlier cut parted. A group of few contacts leaves many lanes empty, and so only the first cuts have their
// own: what these leave whole is a unit, and all contacts between its parts are one group, that of its first cut.
//
// Groups are numbered from one end of the island to the other: 0 the first part, 1 the cut between it and the next, 2 the
// second part, 3 the cut after that, and so on. Whatever is on one side of a cut then lies together, and two cuts have no
// body in common unless one is within a side of the other.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "soft/plan/policy.hpp"

namespace cairn {

struct PartRange {
  std::uint32_t first, last;  // without the last
};

namespace cut_tree {

inline constexpr std::uint32_t groupCount(std::uint32_t parts) { return 2 * parts - 1; }
inline constexpr std::uint32_t groupOfPart(std::uint32_t part) { return 2 * part; }
inline constexpr bool isPart(std::uint32_t group) { return group % 2 == 0; }
inline constexpr std::uint32_t partsOfUnit(std::uint32_t parts) {
  return std::clamp(parts / policy::layout::kFewestUnits, 1u, policy::layout::kMostPartsOfUnit);
}

// Of the two halves of so many parts from the first one on.
inline constexpr std::uint32_t cutOf(std::uint32_t first, std::uint32_t count) { return 2 * (first + count / 2) - 1; }

// Where contacts between bodies of two parts belong, which may be one and the same; `unit`: see partsOfUnit.
inline constexpr std::uint32_t groupBetween(std::uint32_t a, std::uint32_t b, std::uint32_t unit) {
  if (a == b) return groupOfPart(a);
  const std::uint32_t count = std::max(2 * std::bit_floor(a ^ b), unit);  // parts that the cut is between
  return cutOf(a & ~(count - 1), count);
}

// 0: a part. A cut of height h has 2^h parts about it, half of them on each side.
inline constexpr int heightOf(std::uint32_t group) { return isPart(group) ? 0 : std::countr_zero((group + 1) / 2) + 1; }

inline constexpr PartRange partsOf(std::uint32_t group) {
  if (isPart(group)) return {group / 2, group / 2 + 1};
  const std::uint32_t middle = (group + 1) / 2, half = middle & (~middle + 1);
  return {middle - half, middle + half};
}

// The cut number `index` of those that are so high.
inline constexpr std::uint32_t cutOfHeight(int height, std::uint32_t index) {
  return 2 * ((2 * index + 1) << (height - 1)) - 1;
}

}  // namespace cut_tree
}  // namespace cairn
