#include "wide/width.hpp"

namespace cairn::wide {

namespace {

#if HWY_ARCH_X86
// Better sets have lower bits.
constexpr std::int64_t kModestTargets = ~(static_cast<std::int64_t>(HWY_AVX2) - 1);
#else
constexpr std::int64_t kModestTargets = ~std::int64_t{0};
#endif

constinit thread_local Width current = Width::Widest;

// Asking the processor takes longer than a small step.
const hwy::ChosenTarget& modestTarget() {
  struct Modest : hwy::ChosenTarget {
    Modest() { Update(hwy::SupportedTargets() & kModestTargets); }
  };
  static const Modest target;
  return target;
}

}  // namespace

WidthScope::WidthScope(Width width) : before_(current) { current = width; }

WidthScope::~WidthScope() { current = before_; }

const hwy::ChosenTarget& chosenTarget() {
  const hwy::ChosenTarget& widest = hwy::GetChosenTarget();
  if (current == Width::Widest || !widest.IsInitialized()) return widest;
  const hwy::ChosenTarget& modest = modestTarget();
  return modest.GetIndex() > widest.GetIndex() ? modest : widest;
}

}  // namespace cairn::wide
