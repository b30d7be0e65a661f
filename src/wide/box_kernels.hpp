// Boxes eight at a time: a tree that is asked which of its boxes another one overlaps. Boxes are a little too large, because
// single precision is: whoever asks looks again at what was found.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace cairn::wide {

inline constexpr int kBoxes = 8;

struct alignas(64) BoxNode {
  float lower[3][kBoxes], upper[3][kBoxes];  // m; of an empty place lower is above upper
  std::uint32_t child[kBoxes];               // a node, or, with the highest bit set, what is in the box
};
inline constexpr std::uint32_t kInBox = 0x80000000u;

struct SingleBox {
  float lower[3], upper[3];  // m
};

// Appends to `found` what is in boxes that overlap, without the highest bit, in no order. The first node is the root. Every
// path from there to a box has at most kMostNodes nodes.
inline constexpr int kMostNodes = 72;
void findOverlaps(std::span<const BoxNode> nodes, const SingleBox& box, std::vector<std::uint32_t>& found);

}  // namespace cairn::wide
