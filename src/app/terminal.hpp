// Whether a stream is a terminal that a person looks at, and colours for it.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>

namespace cairn {

bool isTerminal(const std::ostream& stream);
bool wantsColour(const std::ostream& stream);  // a terminal, and neither NO_COLOR nor TERM=dumb

// Wraps text in colours, or leaves it alone.
class Paint {
 public:
  explicit Paint(bool on) : on_(on) {}
  std::string bold(std::string_view text) const { return wrap("1", text); }
  std::string dim(std::string_view text) const { return wrap("2", text); }
  std::string good(std::string_view text) const { return wrap("32", text); }
  std::string warn(std::string_view text) const { return wrap("33", text); }
  std::string bad(std::string_view text) const { return wrap("31", text); }

 private:
  std::string wrap(const char* code, std::string_view text) const {
    std::string wrapped(text);
    if (on_) wrapped.insert(0, std::string("\x1b[").append(code).append("m")).append("\x1b[0m");
    return wrapped;
  }
  bool on_;
};

}  // namespace cairn
