#include "solvers/newton_search.hpp"

#include <random>

namespace cairn {

namespace {

constexpr std::array<double, 6> kStepFactors{1.0, 3.0, 0.3, 10.0, 1.0, 0.1};  // by restart
constexpr int kPatience = 15;                                                 // steps without progress
constexpr double kProgress = 0.9;                                             // of the merit
constexpr double kMostCaution = 1e4;                                          // of the proximal term
constexpr int kMostSweeps = 80;
constexpr int kShakeFrom = 6;   // restarts
constexpr double kShake = 0.5;  // of each impulse, at most

// A generator that is cheap to set up: most solves never need it.
void shake(std::minstd_rand& random, Vector& impulse) {
  for (double& l : impulse) l *= 1.0 + kShake * (2.0 * (random() / 2147483647.0) - 1.0);
}

}  // namespace

Exit searchByNewton(const ContactProblem& problem, ContactNewton& newton, std::unique_ptr<Sweeper> sweeper,
                    const SearchOptions& options, Monitor& monitor, Vector& impulse) {
  monitor.keepBest(true);
  newton.start(impulse);
  Vector best = newton.impulse();
  double bestMerit = newton.merit();
  int idle = 0, sweeps = options.sweeps;
  std::minstd_rand random(1);
  const auto end = [&](Exit exit) {
    const bool solved = monitor.judgeNow(best);
    monitor.restoreBest(impulse);
    return solved ? Exit::Converged : exit;
  };
  for (int restart = 0; !monitor.stop();) {
    if (newton.step()) {
      if (monitor.solved(newton.impulse(), newton.estimate())) return end(Exit::Converged);
      ++idle;
      if (newton.merit() < kProgress * bestMerit) {
        bestMerit = newton.merit();
        best = newton.impulse();
        idle = 0;
      }
    } else {
      monitor.countIterations(1);
    }
    if (idle < kPatience && newton.caution() <= kMostCaution) continue;

    if (monitor.judgeNow(best)) return end(Exit::Converged);
    if (++restart > options.restarts) return end(Exit::Stalled);
    if (restart > kShakeFrom) shake(random, best);
    if (sweeper == nullptr && sweeps > 0) sweeper = makeBlockSweeper(problem, {}, LocalSolver::Auto);
    if (sweeper != nullptr) sweeper->start(best);
    for (int i = 0; i < sweeps && !monitor.stop(); ++i) {
      sweeper->sweep(best);
      monitor.countIterations(1);
    }
    if (!best.allFinite()) monitor.restoreBest(best);
    sweeps = std::min(2 * sweeps, kMostSweeps);
    newton.changeSteps(kStepFactors[restart % kStepFactors.size()]);
    newton.start(best);
    bestMerit = newton.merit();
    idle = 0;
  }
  return end(monitor.exit());
}

}  // namespace cairn
