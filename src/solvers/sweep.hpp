// One pass over all blocks, and what the splitting methods do around it: the order of the blocks, when to ask the judge,
// when to give up.
#pragma once

#include <random>

#include "cairn/contact_problem.hpp"
#include "solvers/monitor.hpp"
#include "solvers/options.hpp"

namespace cairn {

inline constexpr int kSweepLimit = 10000;  // of the splitting methods, if nothing else was asked for

// Which block comes when. Gauss-Seidel methods depend on it.
struct SweepOrder {
  enum class Kind { Natural, Reverse, Symmetric, Random };
  Kind kind = Kind::Natural;
  int seed = 1;  // of Random
  void read(OptionReader& options);
};

class BlockOrder {
 public:
  BlockOrder(const SweepOrder& order, int blocks);
  const std::vector<int>& next();  // for one more sweep: Symmetric turns round, Random shuffles

 private:
  SweepOrder::Kind kind_;
  std::mt19937 random_;
  std::vector<int> order_;
  bool first_ = true;
};

// Both sums weigh rows by W_ii, so that rows of different units may be added: they are energies (J).
struct SweepChange {
  double change = 0.0;  // sum of W_ii (change of lambda_i)^2 over one sweep
  double size = 0.0;    // sum of W_ii lambda_i^2 after it
};

// A pass of some method, prepared for one problem. No pass allocates.
class Sweeper {
 public:
  virtual ~Sweeper() = default;
  virtual void start(const Vector& impulse) = 0;  // before the first sweep, and when impulses were changed from outside
  virtual SweepChange sweep(Vector& impulse) = 0;
  // What is kept besides the impulses and is linear in them (dV of the bodies; empty if W is used): whoever adds to the
  // impulses adds to this too, or calls start().
  virtual Vector& state() = 0;
  // From the next sweep on: over- or under-relaxation, and W + regularisation diag(W) in place of W (row sweeps only).
  virtual void damp(double relaxation, double regularisation) = 0;
};

// Row by row (row_step.hpp), or one block exactly at a time (block_step.hpp).
std::unique_ptr<Sweeper> makeRowSweeper(const ContactProblem& problem, const SweepOrder& order);
enum class LocalSolver { Auto, Newton, Quartic, FixedPoint };
std::unique_ptr<Sweeper> makeBlockSweeper(const ContactProblem& problem, const SweepOrder& order, LocalSolver local);

// Looks at each sweep and decides whether it was the last:
//
//   while (!monitor.stop())
//     if (watch.last(impulse, sweeper.sweep(impulse))) return watch.exit();
//   return monitor.exit();
//
// The estimate that it hands to the monitor is the size of the sweep's change, calibrated by what the judge last said.
class SweepWatch {
 public:
  explicit SweepWatch(Monitor& monitor) : monitor_(monitor) {}
  bool last(const Vector& impulse, const SweepChange& change);
  Exit exit() const { return exit_; }

 private:
  Monitor& monitor_;
  double ratio_ = 1.0;  // residual over change
  int still_ = 0;       // sweeps that changed nothing but the last digits
  Exit exit_ = Exit::Stalled;
};

// Friction can make sweeps go round in circles, the more so the further each step goes. When 256 sweeps bring no change
// smaller than before (with over-relaxation: half as small, as an energy), steps go 0.8 times as far from then on, down to
// 0.3 of the way.
class CircleWatch {
 public:
  explicit CircleWatch(double relaxation) : relaxation_(relaxation) {}
  double relaxation(const SweepChange& last);  // for the next sweep

 private:
  double relaxation_;
  int since_ = 0;  // sweeps since the smallest change
  double least_ = std::numeric_limits<double>::infinity();
};

// Sweeps from `impulse` until the judge is content, a limit is reached, or nothing moves any more.
Exit sweepUntilSolved(Sweeper& sweeper, Monitor& monitor, Vector& impulse, double relaxation);

}  // namespace cairn
