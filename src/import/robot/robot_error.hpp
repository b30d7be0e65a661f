// What is wrong with a robot file: the message names the file, the line, the element, what was found and what is allowed.
#pragma once

#include <stdexcept>
#include <string>

#include "import/robot/robot_model.hpp"

namespace cairn {

class RobotFileError : public std::runtime_error {
 public:
  RobotFileError(RobotPlace place, const std::string& message);
  const RobotPlace& place() const { return place_; }
  const std::string& message() const { return message_; }  // without the place

 private:
  RobotPlace place_;
  std::string message_;
};

// "file:line: what"
std::string format(const RobotRemark& remark);

}  // namespace cairn
