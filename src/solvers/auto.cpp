// Whatever is best for the problem at hand: sweeps as long as they get there soon, then Newton's method.
//
// Blocked Gauss-Seidel (block_step.hpp) is cheap and rough: most problems are solved, or nearly so, after some ten sweeps.
// Its change shrinks by a steady factor r a sweep, which tells how many more it takes:
//
//   n = log(residual/tolerance)/log(1/r)
//
// Where contacts are redundant or masses very different r is near 1 and n is large. Newton's method (contact_newton.hpp)
// does not mind, but each of its steps costs a factorisation. Both costs are counted in multiply-adds, from the pattern of
// W, not measured: the same problem takes the same path on every machine. When n sweeps cost more than Newton's usual number
// of steps, Newton begins, from where the solve began. If it gets stuck it takes turns with sweeps (newton_search.hpp).
//
// Known failures: problems without a solution (joints that contradict each other) end as Exit::Stalled with the best that
// was found; problems too large to be factorised are left to the sweeps.
#include "solvers/newton_search.hpp"
#include "solvers/registry.hpp"

namespace cairn {

namespace {

struct AutoOptions {
  int sweeps = 4;       // before the first forecast, and from one to the next
  double newton = 1.0;  // above 1: Newton is thought dearer than it is, and tried later
};

constexpr int kIterationLimit = 20000;
constexpr int kForecastFrom = 24;    // sweeps left that are not worth thinking about
constexpr int kAlmostThere = 8;      // sweeps left that are done in any case
constexpr double kUsualSteps = 6.0;  // of Newton's method
constexpr double kRounding = 4e-16;  // sweeps whose change relative to the impulses is below do nothing any more
constexpr int kStillSweeps = 20;
constexpr int kMostUnjudged = 32;  // sweeps

// Multiply-adds, or what takes as long. Fitted to the problems of tests/data.
double costOfSweep(double blocks, double entries) { return 25.0 * blocks + 5.0 * entries; }
double costOfStep(double blocks, double entries, double work) { return 250.0 * blocks + 60.0 * entries + work; }

class Auto final : public ContactSolver {
 public:
  explicit Auto(const AutoOptions& options) : options_(options) {}
  std::string_view name() const override { return "auto"; }
  Capabilities capabilities() const override { return {.laws = {true, true, true, true, true}}; }

 protected:
  int iterationLimit() const override { return kIterationLimit; }
  Exit iterate(const ContactProblem& problem, Monitor& monitor, Vector& impulse) override;

 private:
  AutoOptions options_;
};

// Nothing pushes and nothing has to.
bool startsAtRest(const ContactProblem& problem, const Vector& impulse) {
  return std::all_of(problem.blocks().begin(), problem.blocks().end(),
                     [&](const Block& block) { return isContact(block.law) && problem.b()[block.first] >= 0.0; }) &&
         (impulse.array() == 0.0).all();
}

Exit Auto::iterate(const ContactProblem& problem, Monitor& monitor, Vector& impulse) {
  monitor.keepBest(true);
  if (startsAtRest(problem, impulse) && monitor.judgeNow(impulse)) return Exit::Converged;
  const Vector initial = impulse;
  auto sweeper = makeBlockSweeper(problem, {}, LocalSolver::Auto);
  sweeper->start(impulse);
  std::unique_ptr<ContactNewton> newton;
  const auto prepareNewton = [&] {
    if (newton == nullptr) newton = std::make_unique<ContactNewton>(problem, NewtonOptions{});
    return newton->fits();
  };
  bool newtonFits = true;
  double ratio = 1.0;   // residual over the relative change of a sweep, as the judge last saw it
  double before = 0.0;  // change at the last forecast
  int still = 0, unjudged = 0;
  for (int sweep = 1; !monitor.stop(); ++sweep) {
    const SweepChange moved = sweeper->sweep(impulse);
    const double change = moved.size > 0.0 ? std::sqrt(moved.change / moved.size) : 0.0;
    if (!std::isfinite(change)) break;
    // The judge takes as long as some sweeps: it is asked when the change is small, and once in a while.
    if (monitor.logging() || ratio * change <= monitor.tolerance() || ++unjudged >= kMostUnjudged) {
      unjudged = 0;
      if (monitor.solved(impulse)) return Exit::Converged;
      if (change > 0.0) ratio = monitor.residual().forTolerance() / change;
    } else {
      monitor.countIterations(1);
    }
    still = moved.change <= kRounding * kRounding * moved.size ? still + 1 : 0;
    if (still >= kStillSweeps) break;

    if (!newtonFits || sweep % options_.sweeps != 0) continue;
    const double shrunk = before > 0.0 ? change / before : 1.0;
    before = change;
    if (sweep == options_.sweeps) continue;  // no rate yet
    const auto sweepsLeft = [&] {
      if (!(shrunk < 1.0)) return std::numeric_limits<double>::infinity();
      return options_.sweeps * std::log(monitor.tolerance() / (ratio * change)) / std::log(shrunk);
    };
    if (sweepsLeft() < kForecastFrom && sweep < kForecastFrom) continue;
    if (unjudged > 0) {
      unjudged = 0;
      if (monitor.judgeNow(impulse)) return Exit::Converged;
      if (change > 0.0) ratio = monitor.residual().forTolerance() / change;
    }
    newtonFits = prepareNewton();
    const double blocks = static_cast<double>(problem.blocks().size());
    const double steps = options_.newton * kUsualSteps * costOfStep(blocks, newton->entries(), newton->work());
    const double one = costOfSweep(blocks, newton->entries());
    // Forecasts may be too hopeful time and again: no more than Newton's cost is spent on them.
    const bool spent = sweep * one > steps && sweepsLeft() > kAlmostThere;
    if (newtonFits && (spent || sweepsLeft() * one > steps)) break;
  }
  if (monitor.stop()) {
    monitor.judgeNow(impulse);
    monitor.restoreBest(impulse);
    return monitor.exit();
  }
  if (!prepareNewton()) return Exit::Stalled;
  // From where it all began: the sweeps put impulses on contacts that Newton would have to take off again.
  impulse = initial;
  return searchByNewton(problem, *newton, std::move(sweeper), SearchOptions{}, monitor, impulse);
}

}  // namespace

std::unique_ptr<ContactSolver> makeAuto(OptionReader& options) {
  AutoOptions read;
  options.whole("sweeps", read.sweeps, 2, 10000);
  options.number("newton", read.newton, 0.0, 1e9);
  return std::make_unique<Auto>(read);
}

}  // namespace cairn
