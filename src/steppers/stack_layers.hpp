// How high bodies stand: the layers of stacks, by breadth-first search from what is fixed (Erleben §4).
#pragma once

#include "dynamics/system.hpp"

namespace cairn {

// By body: 0 for what cannot be moved, 1 for what touches that, and so on. Bodies that joints hold together are one: they
// share a height. What nothing supports (a group in free fall) takes the greatest height found, at least 1.
// If asked for, also what carries each body in the end: the kinematic body at the bottom of its stack, kNone if that is
// fixed or nothing.
std::vector<int> stackHeights(const System& system, std::vector<std::uint32_t>* carriers = nullptr);

}  // namespace cairn
