// How wide the instructions are that the kernels use. The widest ones slow a core's clock down, for all that it does and for
// about a millisecond: a small world steps faster without them. The bits are the same either way.
#pragma once

#include <hwy/highway.h>

namespace cairn::wide {

enum class Width {
  Widest,  // that the machine has
  Modest,  // no more than 256 bits
};

// What kernels that this thread calls are to use, as long as it lives.
class WidthScope {
 public:
  explicit WidthScope(Width width);
  ~WidthScope();
  WidthScope(const WidthScope&) = delete;
  WidthScope& operator=(const WidthScope&) = delete;

 private:
  std::size_t before_;
};

// Where this thread finds its kernels in the tables of Highway; 0: nothing was said.
extern constinit thread_local std::size_t saidIndex;
std::size_t widestIndex();
inline std::size_t kernelIndex() { return saidIndex != 0 ? saidIndex : widestIndex(); }

}  // namespace cairn::wide

// As HWY_DYNAMIC_DISPATCH.
#if (HWY_TARGETS & (HWY_TARGETS - 1)) == 0
#define CAIRN_WIDE_DISPATCH(FUNCTION) HWY_DYNAMIC_DISPATCH(FUNCTION)
#else
#define CAIRN_WIDE_DISPATCH(FUNCTION) (*(HWY_DISPATCH_TABLE(FUNCTION)[cairn::wide::kernelIndex()]))
#endif
