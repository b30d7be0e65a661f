// What `cairn compare` found, for the terminal and for programs.
#pragma once

#include <string>

#include "app/comparison.hpp"
#include "app/terminal.hpp"

namespace cairn {

std::string compareTable(const MethodComparison& comparison, const Paint& paint);
std::string compareJson(const MethodComparison& comparison);

// "velocity was left out: ..." or "velocity was cut off at 1.2 of 10 s: ...". Empty if it ran to the end.
std::string shortfall(const MethodComparison& comparison, const MethodRun& method);

}  // namespace cairn
