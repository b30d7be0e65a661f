// Counts allocations through operator new in the whole test program.
#pragma once

#include <cstddef>

namespace cairn::test {
std::size_t allocationCount();  // since the program began
std::size_t liveBytes();        // held now
}  // namespace cairn::test
