// As in contact_kernels.cpp nothing is fused, so that the bits are the same on every instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "wide/watch_kernels.cpp"
#include <hwy/foreach_target.h>
// foreach_target first, then:
#include "wide/lanes-inl.hpp"
#include "wide/watch_kernels.hpp"
#include "wide/width.hpp"

HWY_BEFORE_NAMESPACE();
namespace cairn::wide::HWY_NAMESPACE {

// No shorter than the vector.
HWY_INLINE V lengthBound(const V3& v) { return hn::Add(hn::Add(hn::Abs(v.x), hn::Abs(v.y)), hn::Abs(v.z)); }

// By how much a gap opens at least, if the bodies move like this.
HWY_INLINE V opening(const WatchBlock& block, const V3& normal, const Motion& a, const Motion& b, int at) {
  const V turning = hn::Add(hn::Mul(load(block.reachA + at), lengthBound(a.angular)),
                            hn::Mul(load(block.reachB + at), lengthBound(b.angular)));
  return hn::Sub(dot(normal, sub(b.linear, a.linear)), turning);
}

void Watch(std::span<WatchBlock> blocks, const SolverBody* bodies, float ahead, float closest) {
  const V seconds = hn::Set(kTag, ahead), least = hn::Set(kTag, closest);
  for (WatchBlock& block : blocks) {
    if (block.joined) continue;
    block.meets = false;
    for (int at = 0; at < static_cast<int>(block.lanes); at += static_cast<int>(hn::Lanes(kTag))) {
      const std::uint32_t* a = block.bodyA + at;
      const std::uint32_t* b = block.bodyB + at;
      const V3 normal = load(block.normal, at);
      const V soFar = opening(block, normal, gather<8>(bodies, a), gather<8>(bodies, b), at);
      const V speed = opening(block, normal, gather<0>(bodies, a), gather<0>(bodies, b), at);
      const V gap = hn::Add(hn::Add(load(block.gap + at), soFar), hn::Mul(speed, seconds));
      block.meets |= !hn::AllTrue(kTag, hn::Ge(gap, least));
    }
  }
}

}  // namespace cairn::wide::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cairn::wide {

HWY_EXPORT(Watch);

void watch(std::span<WatchBlock> blocks, const SolverBody* bodies, float ahead, float closest) {
  CAIRN_WIDE_DISPATCH(Watch)(blocks, bodies, ahead, closest);
}

}  // namespace cairn::wide
#endif
