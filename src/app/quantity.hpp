// Numbers with units, as people read them. Plain ASCII, for terminals.
#pragma once

#include <string>

namespace cairn {

std::string metres(double value);  // "3.21 mm"
// With this many digits: 3 for differences, more for values that are compared with each other.
std::string joules(double value, int digits = 3);
std::string percent(double share);          // 0.01 is "1 %"
std::string wallTime(double seconds);       // "12.3 s"
std::string milliseconds(double ms);        // "0.123 ms"
std::string residualText(double residual);  // "1.2e-06"

}  // namespace cairn
