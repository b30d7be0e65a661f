// The curves of `cairn compare`, as SVG.
#pragma once

#include <string>

#include "app/comparison.hpp"

namespace cairn {

std::string motionPlot(const MethodComparison& comparison);  // energy and penetration against time
std::string effortPlot(const MethodComparison& comparison);  // residual and time per step against time

}  // namespace cairn
