// Work with code that is not ours, on data that nobody has checked, in a process of its own. Whatever happens there (a crash, a
// loop without end, all memory taken) is an error here and no more.
#pragma once

#include <cstddef>
#include <functional>
#include <stdexcept>
#include <string>

namespace cairn {

struct IsolatedLimits {
  double seconds = 60.0;                       // of processor time, and twice that of waiting
  std::size_t bytes = std::size_t{4} << 30;    // of memory, and of what it returns
};

class IsolatedFailure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// What `work` returns, from a copy of this process. Throws IsolatedFailure with the message of a std::exception that it threw, or
// with how it ended. What it writes to the terminal is dropped.
std::string runIsolated(const std::function<std::string()>& work, const IsolatedLimits& limits);

}  // namespace cairn
