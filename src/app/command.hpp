// The `cairn` command as a function.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace cairn {

inline constexpr int kExitOk = 0;
inline constexpr int kExitInternal = 1;  // our fault, or the machine's: say so and stop
inline constexpr int kExitBadInput = 2;  // the user's arguments or files
inline constexpr int kExitInterrupted = 130;
inline constexpr int kExitTerminated = 143;

// Runs the command with its arguments (without the program's name) and returns its exit code. Throws nothing.
int runCommand(std::vector<std::string> arguments, std::ostream& out, std::ostream& err);

}  // namespace cairn
