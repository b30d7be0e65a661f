// The options of WorldSettings, each described once: name, place, meaning, range, unit. The world's checks, scene files, the
// `cairn` command and the generated documents all read this description. Defaults are those of the structs in settings.hpp.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "cairn/settings.hpp"

namespace cairn {

// Where an option is, in one WorldSettings.
using OptionPlace = std::variant<double*, int*, bool*, std::string*>;
using ConstOptionPlace = std::variant<const double*, const int*, const bool*, const std::string*>;

struct Option {
  std::string_view name;  // as in scene files: "push_out_speed"
  OptionPlace (*place)(WorldSettings& settings);
  std::string_view meaning;
  double least = 0.0, most = 0.0;           // of numbers
  std::string_view unit{};                  // of numbers; empty: a pure number
  std::vector<std::string_view> choices{};  // of texts; empty: any text that its user takes (SolverSettings::name)

  ConstOptionPlace placeIn(const WorldSettings& settings) const;
  std::string member() const;  // its name in the struct: "pushOutSpeed"
};

struct OptionGroup {
  std::string_view name;  // as in scene files and WorldSettings: "soft"; empty: of the world itself
  std::string_view meaning;
  std::vector<Option> options;
};

// All but gravity and the pairs of materials, which are no single values.
std::span<const OptionGroup> optionGroups();
// Nullptr if there is none. The group's name is empty for options of the world itself.
const OptionGroup* findOptions(std::string_view group);
const Option* findOption(std::string_view group, std::string_view name);

}  // namespace cairn
