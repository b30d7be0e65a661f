// What the user gave is wrong; the message says what was found and what is allowed.
#pragma once

#include <stdexcept>
#include <string>

namespace cairn {

class BadInput : public std::runtime_error {
 public:
  explicit BadInput(const std::string& message) : std::runtime_error(message) {}
};

// The machine failed us while we worked: a full disk, a closed pipe.
class OutputFailure : public std::runtime_error {
 public:
  explicit OutputFailure(const std::string& message) : std::runtime_error(message) {}
};

}  // namespace cairn
