// The options of the steppers in scene files: one table that the rules, the reader and the reference are made from.
#pragma once

#include "cairn/settings.hpp"
#include "scene/rule.hpp"

namespace cairn {

// The fields "impact", "lcp", "shock", "implicit", "gauss", "acceleration", "impulse", "penalty", "hybrid" of settings.
std::vector<Field> methodFields();
// Reads those that are there.
void readMethods(const JsonValue& settings, WorldSettings& target);
// The options of one of them with their values and units, for people: "slop 1e-06 m, ..."; empty if it is none of them.
std::string methodText(const std::string& method, const WorldSettings& settings);

}  // namespace cairn
