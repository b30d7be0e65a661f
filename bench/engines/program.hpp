// `cairn bench` as a function.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace cairn::bench {

// Runs the benchmark with its arguments (without the program's name) and returns an exit code, those of `cairn`. Throws
// nothing.
int runBench(std::vector<std::string> arguments, std::ostream& out, std::ostream& err);

}  // namespace cairn::bench
