#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "wide/box_kernels.cpp"
#include <hwy/foreach_target.h>
// foreach_target first, then:
#include <hwy/highway.h>

#include "wide/box_kernels.hpp"

HWY_BEFORE_NAMESPACE();
namespace cairn::wide::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

void FindOverlaps(std::span<const BoxNode> nodes, const SingleBox& box, std::vector<std::uint32_t>& found) {
  const hn::CappedTag<float, kBoxes> tag;
  constexpr int kVector = static_cast<int>(hn::MaxLanes(hn::CappedTag<float, kBoxes>()));
  const auto low0 = hn::Set(tag, box.lower[0]), low1 = hn::Set(tag, box.lower[1]), low2 = hn::Set(tag, box.lower[2]);
  const auto high0 = hn::Set(tag, box.upper[0]), high1 = hn::Set(tag, box.upper[1]), high2 = hn::Set(tag, box.upper[2]);
  std::uint32_t stack[(kBoxes - 1) * kMostNodes + 1];
  int size = 0;
  stack[size++] = 0;
  while (size > 0) {
    const BoxNode& node = nodes[stack[--size]];
    std::uint64_t hits = 0;
    for (int at = 0; at < kBoxes; at += kVector) {
      const auto below = [&](const float* lower, auto high) HWY_ATTR { return hn::Le(hn::Load(tag, lower + at), high); };
      const auto above = [&](const float* upper, auto low) HWY_ATTR { return hn::Ge(hn::Load(tag, upper + at), low); };
      const auto first =
          hn::And(hn::And(below(node.lower[0], high0), above(node.upper[0], low0)), below(node.lower[1], high1));
      const auto second =
          hn::And(hn::And(above(node.upper[1], low1), below(node.lower[2], high2)), above(node.upper[2], low2));
      alignas(8) std::uint8_t bits[8] = {};
      hn::StoreMaskBits(tag, hn::And(first, second), bits);
      hits |= std::uint64_t{bits[0]} << at;
    }
    for (; hits != 0; hits &= hits - 1) {
      const std::uint32_t child = node.child[__builtin_ctzll(hits)];
      if ((child & kInBox) != 0) {
        found.push_back(child & ~kInBox);
      } else {
        stack[size++] = child;
      }
    }
  }
}

}  // namespace cairn::wide::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cairn::wide {

HWY_EXPORT(FindOverlaps);

void findOverlaps(std::span<const BoxNode> nodes, const SingleBox& box, std::vector<std::uint32_t>& found) {
  if (!nodes.empty()) HWY_DYNAMIC_DISPATCH(FindOverlaps)(nodes, box, found);
}

}  // namespace cairn::wide
#endif
