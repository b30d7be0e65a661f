#include "app/terminal.hpp"

#include <unistd.h>

#include <cstdlib>
#include <iostream>

namespace cairn {

bool isTerminal(const std::ostream& stream) {
  // Only the process's own streams can be one; a test's string stream never is.
  if (&stream == &std::cout) return isatty(STDOUT_FILENO) != 0;
  if (&stream == &std::cerr) return isatty(STDERR_FILENO) != 0;
  return false;
}

bool wantsColour(const std::ostream& stream) {
  const char* noColour = std::getenv("NO_COLOR");
  if (noColour && *noColour) return false;
  const char* kind = std::getenv("TERM");
  if (kind && std::string_view(kind) == "dumb") return false;
  return isTerminal(stream);
}

}  // namespace cairn
