#include "wide/width.hpp"

#include <algorithm>

namespace cairn::wide {

namespace {

#if HWY_ARCH_X86
// Better sets have lower bits.
constexpr std::int64_t kModestTargets = ~(static_cast<std::int64_t>(HWY_AVX2) - 1);
#else
constexpr std::int64_t kModestTargets = ~std::int64_t{0};
#endif

// Asking the processor takes longer than a small step.
const hwy::ChosenTarget& modestTarget() {
  struct Modest : hwy::ChosenTarget {
    Modest() { Update(hwy::SupportedTargets() & kModestTargets); }
  };
  static const Modest target;
  return target;
}

std::size_t indexOf(Width width) {
  const hwy::ChosenTarget& widest = hwy::GetChosenTarget();
  if (width == Width::Widest || !widest.IsInitialized()) return widest.GetIndex();
  return std::max(modestTarget().GetIndex(), widest.GetIndex());
}

}  // namespace

constinit thread_local std::size_t saidIndex = 0;

WidthScope::WidthScope(Width width) : before_(saidIndex) { saidIndex = indexOf(width); }

WidthScope::~WidthScope() { saidIndex = before_; }

std::size_t widestIndex() { return hwy::GetChosenTarget().GetIndex(); }

}  // namespace cairn::wide
