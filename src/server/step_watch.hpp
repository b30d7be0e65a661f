// Watches over steps from a thread of its own: says which take long, and stops those that are in the way of something or
// take too much memory. A stopped step has not happened (World::setStopFlag).
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

#include "server/limits.hpp"
#include "server/pacing.hpp"

namespace cairn {

class StepWatch {
 public:
  // `tell` gets the seconds that a step has taken so far, again and again while it takes long, and nothing when it is over.
  // It is called in the watch's thread.
  StepWatch(const StepLimits& limits, std::function<void(std::optional<double>)> tell);
  ~StepWatch();

  const std::atomic<bool>* flag() const { return &flag_; }

  // By whoever steps.
  void begin();
  void end();
  bool tookTooMuch() const { return tookTooMuch_; }  // memory: the last step, which was stopped for it

  // By anybody. Something waits that a step must make room for, once it has taken `patience`; no more of that.
  void hurry(std::chrono::milliseconds patience);
  void calm();
  void stopForGood();  // this step and all that follow

 private:
  void loop();
  void poll();

  const StepLimits limits_;
  const std::function<void(std::optional<double>)> tell_;
  std::atomic<bool> flag_{false}, tookTooMuch_{false};
  std::mutex mutex_;
  std::condition_variable wake_;
  bool isOver_ = false;
  std::optional<Clock::time_point> start_;          // of the step that is being done
  std::optional<std::chrono::milliseconds> hurry_;  // somebody waits
  bool isFirstLook_ = true;                         // at this step
  std::size_t memoryBefore_ = 0;                    // bytes
  Clock::time_point told_{};
  bool wasTold_ = false;  // that it takes long
  std::thread thread_;
};

}  // namespace cairn
