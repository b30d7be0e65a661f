// Counts allocations through operator new in the whole test program.
#pragma once

#include <cstddef>

namespace cairn::test {
std::size_t allocationCount();  // since the program began
std::size_t liveBytes();        // held now
void failAfter(long news);      // so many calls of operator new from now one throws std::bad_alloc; negative: none
}  // namespace cairn::test
