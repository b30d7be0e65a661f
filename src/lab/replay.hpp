// Doing again what a log says, and comparing every step.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>

#include "lab/input_log.hpp"

namespace cairn {

struct ReplayResult {
  long steps = 0;                      // that came out the same
  long edits = 0;                      // that were done again
  bool isComplete = true;              // false: the log was cut off, and holds up to here
  bool wasStopped = false;             // by the caller
  std::optional<long> firstDifferent;  // step; 0: the scene itself before its first step
  std::string difference;              // what differs there
};

// Replays up to the end of the log or the first step that differs. `onStep` gets the share of the log that is done, and ends
// the replay by returning false; `stop`, if raised, ends a step that takes long. Throws LogReadError for a log that makes no
// sense, and SceneError for its scene.
ReplayResult replayLog(InputLogReader& log, const std::function<bool(double)>& onStep = {},
                       const std::atomic<bool>* stop = nullptr);

}  // namespace cairn
