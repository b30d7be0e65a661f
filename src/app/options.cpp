#include "app/options.hpp"

#include <fmt/format.h>

#include <charconv>

#include "app/bad_input.hpp"
#include "scene/suggest.hpp"

namespace cairn {

double readNumberOption(std::string_view option, const std::string& text, const Range& range) {
  double value = 0.0;
  const char* end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, value);
  const bool good = result.ec == std::errc{} && result.ptr == end && range.contains(value) && std::isfinite(value);
  if (!good) throw BadInput(fmt::format("{}: found \"{}\"; allowed: a number {}", option, text, range.describe()));
  return value;
}

int readWholeOption(std::string_view option, const std::string& text, int least, int most) {
  int value = 0;
  const char* end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, value);
  if (result.ec != std::errc{} || result.ptr != end || value < least || value > most) {
    throw BadInput(fmt::format("{}: found \"{}\"; allowed: a whole number from {} to {}", option, text, least, most));
  }
  return value;
}

void checkNameOption(std::string_view option, const std::string& text, const std::vector<std::string_view>& names) {
  if (std::find(names.begin(), names.end(), text) != names.end()) return;
  throw BadInput(fmt::format("{}: found \"{}\"{}{} allowed: {}", option, text, suggestion(text, names),
                             nearestName(text, names).empty() ? ";" : "", listNames(names)));
}

Override readSetOption(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size()) {
    throw BadInput(fmt::format("--set: found \"{}\"; allowed: key=value, such as --set friction=0.6", text));
  }
  return {text.substr(0, equals), text.substr(equals + 1)};
}

}  // namespace cairn
