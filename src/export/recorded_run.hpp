// A recording (.h5) read back, moment by moment. The file may be wrong in any way; what it claims is checked before it is
// believed.
#pragma once

#include <memory>
#include <string>

#include "export/moment.hpp"
#include "export/scene_description.hpp"

namespace cairn {

class RecordedRun {
 public:
  explicit RecordedRun(const std::string& path);  // throws ProblemFileError, like next()
  ~RecordedRun();
  RecordedRun(const RecordedRun&) = delete;
  RecordedRun& operator=(const RecordedRun&) = delete;

  const SceneDescription& scene() const { return scene_; }
  const std::string& report() const { return report_; }  // JSON; empty if the run did not get to its end
  double interval() const { return interval_; }          // s between moments
  long moments() const { return moments_; }              // that are whole in the file
  bool next(Moment& moment);                             // without contacts and state hash; false after the last

 private:
  void readBlock();

  std::unique_ptr<struct RecordedRunFile> file_;
  SceneDescription scene_;
  std::string report_;
  double interval_ = 0.0;
  long moments_ = 0;
  long next_ = 0;        // moment to give
  long blockStart_ = 0;  // first moment of the block in memory
  double lastTime_;
};

}  // namespace cairn
