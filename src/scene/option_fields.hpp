// The options of WorldSettings in scene files: fields, reader and text, all made from the description in cairn/options.hpp.
#pragma once

#include "cairn/settings.hpp"
#include "scene/rule.hpp"

namespace cairn {

// The options of the world itself, then one field for each group: "soft", "solver", "friction", ...
std::vector<Field> optionFields();
// Reads those that are there.
void readOptions(const JsonValue& settings, WorldSettings& target);
// The options of a group with their values and units, for people: "slop 1e-06 m, ..."; empty if there is no such group.
std::string optionsText(std::string_view group, const WorldSettings& settings);

}  // namespace cairn
