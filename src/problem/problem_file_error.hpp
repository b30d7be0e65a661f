// A file that should hold a contact problem and does not. The message names the file and the place in it, what was found
// there, and what is allowed.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace cairn {

class ProblemFileError : public std::runtime_error {
 public:
  explicit ProblemFileError(const std::string& message) : std::runtime_error(message) {}
};

// Words of a file, fit to print in a message: in quotes, short, and without anything that a terminal would obey.
inline std::string quotedWord(std::string_view word) {
  constexpr std::size_t kLongest = 40;
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text = "\"";
  for (const char c : word.substr(0, kLongest)) {
    const auto byte = static_cast<unsigned char>(c);
    if (c >= ' ' && c <= '~') {
      text += c;
    } else {
      text += {'\\', 'x', kDigits[byte >> 4], kDigits[byte & 15]};
    }
  }
  return text + (word.size() > kLongest ? "...\"" : "\"");
}

}  // namespace cairn
