#include "lab/replay.hpp"

#include <fmt/format.h>

#include "lab/session.hpp"

namespace cairn {
namespace {

std::string hashes(std::uint64_t then, std::uint64_t now) {
  return fmt::format("the log has the hash {:016x}, the replay {:016x}", then, now);
}

class Replay {
 public:
  Replay(InputLogReader& log, ReplayResult& result, const std::atomic<bool>* stop)
      : log_(log), result_(result), session_(reopen(log.header().origin)) {
    session_.setStopFlag(stop);
    const LogHeader& header = log.header();
    if (session_.settings().dt != header.dt) {
      differ(0, fmt::format("the log has steps of {} s, the scene now {} s", header.dt, session_.settings().dt));
    } else if (session_.stateHash() != header.hash) {
      differ(0, hashes(header.hash, session_.stateHash()));
    }
  }

  void operator()(const LoggedEdit& line) {
    checkPlace(line.step);
    try {
      session_.apply(line.edit);
    } catch (const EditRefused& error) {
      log_.fail(fmt::format("the edit \"{}\" cannot be done: {}", nameOf(line.edit), error.what()));
    }
    ++result_.edits;
  }
  void operator()(const LoggedStep& line) {
    checkPlace(line.step - 1);
    const StepReport report = session_.step();
    if (report.status == StepStatus::Stopped) {
      result_.wasStopped = true;
    } else if (report.status != StepStatus::Ok) {
      differ(line.step, fmt::format("the log has a step, the replay a refusal: {}", report.refusal()));
    } else if (session_.stateHash() != line.hash) {
      differ(line.step, hashes(line.hash, session_.stateHash()));
    } else {
      result_.steps = line.step;
    }
  }
  void operator()(const LoggedRefusal& line) {
    checkPlace(line.step);
    const StepStatus status = session_.step().status;
    result_.wasStopped = status == StepStatus::Stopped;
    if (status == StepStatus::Ok) differ(line.step + 1, "the log has a refusal, the replay a step");
  }
  void operator()(const LogEnd& line) { checkPlace(line.steps); }

 private:
  void checkPlace(long step) const {
    if (step == session_.steps()) return;
    log_.fail(fmt::format("found a line that belongs after step {}; {} were taken up to here", step, session_.steps()));
  }
  void differ(long step, std::string how) {
    result_.firstDifferent = step;
    result_.difference = std::move(how);
  }

  InputLogReader& log_;
  ReplayResult& result_;
  LabSession session_;
};

}  // namespace

ReplayResult replayLog(InputLogReader& log, const std::function<bool(double)>& onStep, const std::atomic<bool>* stop) {
  ReplayResult result;
  Replay replay(log, result, stop);
  while (!result.firstDifferent) {
    const std::optional<LogLine> line = log.next();
    if (!line) break;
    std::visit(replay, *line);
    if (result.wasStopped) break;
    if (onStep && !onStep(log.share())) {
      result.wasStopped = true;
      break;
    }
  }
  result.isComplete = log.isComplete() || result.wasStopped || result.firstDifferent.has_value();
  return result;
}

}  // namespace cairn
