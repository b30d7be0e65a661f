// cairn replay: does a log again and says whether every bit is the same.
#include "lab/replay.hpp"

#include <fmt/format.h>

#include <ostream>

#include "app/bad_input.hpp"
#include "app/command.hpp"
#include "app/commands.hpp"
#include "app/interrupt.hpp"
#include "app/progress.hpp"
#include "app/terminal.hpp"

namespace cairn {

int commandReplay(const std::string& path, bool quiet, std::ostream& out, std::ostream& err) {
  const InterruptGuard interrupt;
  try {
    InputLogReader log(path);
    ReplayResult result;
    {
      ProgressLine progress(err, !quiet && isTerminal(err));
      result = replayLog(
          log,
          [&](double share) {
            if (progress.isDue()) progress.draw(share, fmt::format("line {}", log.line()));
            return interrupt.signal() == 0;
          },
          InterruptGuard::flag());
    }
    if (result.firstDifferent) {
      out << fmt::format("differs at step {}: {}\n", *result.firstDifferent, result.difference);
      if (log.header().version != CAIRN_VERSION) {
        out << fmt::format("  the log was written by cairn {}, this is {}\n", log.header().version, CAIRN_VERSION);
      }
      return kExitInternal;
    }
    if (interrupt.signal() != 0) {
      err << fmt::format("cairn: interrupted; the same bits up to step {}\n", result.steps);
      return interrupt.exitCode();
    }
    if (!quiet) {
      out << fmt::format("the same bits in all {} steps, {} edit{}\n", result.steps, result.edits,
                         result.edits == 1 ? "" : "s");
      if (!result.isComplete) {
        out << fmt::format("  the log was cut off after line {}: what came later is not known\n", log.line());
      }
    }
    return kExitOk;
  } catch (const LogReadError& error) {
    throw BadInput(error.what());
  }
}

}  // namespace cairn
