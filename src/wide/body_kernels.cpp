// Free motion, one body's row of eight numbers at a time. As in contact_kernels.cpp nothing is fused, so that the bits are
// the same on every instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "wide/body_kernels.cpp"
#include <hwy/foreach_target.h>
// foreach_target first, then:
#include <hwy/highway.h>

#include "wide/body_kernels.hpp"

HWY_BEFORE_NAMESPACE();
namespace cairn::wide::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Tag = hn::CappedTag<float, 8>;
using V = hn::Vec<Tag>;
constexpr Tag kTag;
constexpr int kRow = 8;

void IntegrateVelocities(const BodyRows& rows, std::size_t first, std::size_t last, float h, const BodyRow& limits,
                         bool marked) {
  const V step = hn::Set(kTag, h);
  for (std::size_t i = first; i < last; ++i) {
    float* velocity = rows.bodies[i].velocity;
    float* mark = rows.marks[i].linear;
    for (int at = 0; at < kRow; at += static_cast<int>(hn::Lanes(kTag))) {
      const V v = hn::Load(kTag, velocity + at), m = hn::Load(kTag, mark + at);
      const V change = marked ? m : hn::Sub(v, m);
      const V moved = hn::Add(v, hn::Mul(step, hn::Load(kTag, rows.accelerations[i].linear + at)));
      const V damped = rows.damping == nullptr ? moved : hn::Mul(moved, hn::Load(kTag, rows.damping[i].linear + at));
      const V limit = hn::Load(kTag, limits.linear + at);
      const V free = hn::Max(hn::Min(damped, limit), hn::Neg(limit));
      hn::Store(free, kTag, mark + at);
      hn::Store(hn::Add(free, change), kTag, velocity + at);
    }
  }
}

void MarkChange(const BodyRows& rows, std::size_t first, std::size_t last) {
  for (std::size_t i = first; i < last; ++i) {
    for (int at = 0; at < kRow; at += static_cast<int>(hn::Lanes(kTag))) {
      float* mark = rows.marks[i].linear + at;
      hn::Store(hn::Sub(hn::Load(kTag, rows.bodies[i].velocity + at), hn::Load(kTag, mark)), kTag, mark);
    }
  }
}

void IntegratePositions(SolverBody* bodies, std::size_t first, std::size_t last, float h) {
  const V step = hn::Set(kTag, h);
  for (std::size_t i = first; i < last; ++i) {
    for (int at = 0; at < kRow; at += static_cast<int>(hn::Lanes(kTag))) {
      float* moved = bodies[i].moved + at;
      hn::Store(hn::Add(hn::Load(kTag, moved), hn::Mul(step, hn::Load(kTag, bodies[i].velocity + at))), kTag, moved);
    }
  }
}

}  // namespace cairn::wide::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cairn::wide {

HWY_EXPORT(IntegrateVelocities);
HWY_EXPORT(MarkChange);
HWY_EXPORT(IntegratePositions);

void integrateVelocities(const BodyRows& rows, std::size_t first, std::size_t last, float h, const BodyRow& limits,
                         bool marked) {
  HWY_DYNAMIC_DISPATCH(IntegrateVelocities)(rows, first, last, h, limits, marked);
}
void markChange(const BodyRows& rows, std::size_t first, std::size_t last) {
  HWY_DYNAMIC_DISPATCH(MarkChange)(rows, first, last);
}
void integratePositions(SolverBody* bodies, std::size_t first, std::size_t last, float h) {
  HWY_DYNAMIC_DISPATCH(IntegratePositions)(bodies, first, last, h);
}

}  // namespace cairn::wide
#endif
