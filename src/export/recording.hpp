// Something that is written while a run goes, or while a recording is read back.
#pragma once

#include <stdexcept>
#include <string>

#include "export/moment.hpp"

namespace cairn {

// The machine failed us: a full disk, a program that is not there.
class ExportFailure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class Recording {
 public:
  Recording() = default;
  virtual ~Recording() = default;
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  virtual bool wantsContacts() const { return false; }
  virtual void record(const Moment& moment) = 0;
  // After the last moment. `report` is the report of the run as JSON; empty if none is known.
  virtual void finish(const std::string& report) = 0;
};

}  // namespace cairn
