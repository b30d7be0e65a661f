// Numbers and names on the command line, checked by us so that every refusal names the option and what is allowed.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "scene/rule.hpp"
#include "scene/scene_file.hpp"

namespace cairn {

double readNumberOption(std::string_view option, const std::string& text, const Range& range);  // throws BadInput
int readWholeOption(std::string_view option, const std::string& text, int least, int most);     // throws BadInput
void checkNameOption(std::string_view option, const std::string& text, const std::vector<std::string_view>& names);
Override readSetOption(const std::string& text);  // "key=value"; throws BadInput

}  // namespace cairn
