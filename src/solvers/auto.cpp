// Whatever is best for the problem at hand: sweeps as long as they get there soon, then Newton's method.
//
// Blocked Gauss-Seidel (block_step.hpp) is cheap and rough: most problems are solved, or nearly so, after some ten sweeps.
// From then on sweeps are steps of nonlinear conjugate gradients (nncg.cpp), which takes a third as many in towers. The
// change shrinks by a factor r a sweep, which tells how many more it takes:
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
constexpr int kPlainSweeps = 16;      // before directions are made conjugate
constexpr int kForecastFrom = 24;     // sweeps left that are not worth thinking about
constexpr double kNeverWorth = 60.0;  // sweeps: kUsualSteps costOfStep >= 60 costOfSweep
constexpr int kAlmostThere = 8;       // sweeps left that are done in any case
constexpr double kUsualSteps = 6.0;   // of Newton's method
constexpr double kRounding = 4e-16;   // sweeps whose change relative to the impulses is below do nothing any more
constexpr int kStillSweeps = 20;
constexpr int kMostUnjudged = 32;  // sweeps

// Multiply-adds, or what takes as long. Fitted to problems of running simulations.
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

// Conjugate directions of sweeps: Fletcher and Reeves' rule, begun again where steps grow (see nncg.cpp). The sweeper's own
// state goes along.
class Conjugate {
 public:
  Conjugate(const Vector& x, const Vector& state)
      : direction_(Vector::Zero(x.size())), stateDirection_(Vector::Zero(state.size())) {}
  void begin(const Vector& x, const Vector& state) {
    from_ = x;
    stateFrom_ = state;
  }
  // After a sweep whose change was |r|^2.
  void advance(Vector& x, Vector& state, double change) {
    const double beta = previous_ > 0.0 ? change / previous_ : 0.0;
    previous_ = change;
    if (beta > 1.0) {
      direction_.setZero();
      stateDirection_.setZero();
      return;
    }
    from_ = x - from_;
    stateFrom_ = state - stateFrom_;
    direction_ *= beta;
    stateDirection_ *= beta;
    x += direction_;
    state += stateDirection_;
    direction_ += from_;
    stateDirection_ += stateFrom_;
  }

 private:
  Vector direction_, stateDirection_, from_, stateFrom_;
  double previous_ = 0.0;
};

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
  double ratio = 1.0;  // residual over the relative change of a sweep, as the judge last saw it
  double least = std::numeric_limits<double>::infinity(), before = 0.0;  // change: since the last forecast, and at it
  int still = 0, unjudged = 0;
  Conjugate conjugate(impulse, sweeper->state());
  Vector x = impulse;  // where the next sweep begins
  for (int sweep = 1; !monitor.stop(); ++sweep) {
    if (sweep > kPlainSweeps) conjugate.begin(x, sweeper->state());
    const SweepChange moved = sweeper->sweep(x);
    impulse = x;  // obeys the bounds; x need not, a direction later
    const double change = moved.size > 0.0 ? std::sqrt(moved.change / moved.size) : 0.0;
    if (!std::isfinite(change)) break;
    least = std::min(least, change);
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
    if (sweep > kPlainSweeps) conjugate.advance(x, sweeper->state(), moved.change);

    if (!newtonFits || sweep % options_.sweeps != 0) continue;
    const double shrunk = before > 0.0 ? least / before : 1.0;
    before = least;
    least = std::numeric_limits<double>::infinity();
    if (sweep == options_.sweeps) continue;  // no rate yet
    const auto sweepsLeft = [&] {
      if (!(shrunk < 1.0)) return std::numeric_limits<double>::infinity();
      return options_.sweeps * std::log(monitor.tolerance() / (ratio * before)) / std::log(shrunk);
    };
    // To prepare Newton's method takes as long as a hundred sweeps: not if even its steps alone, without their
    // factorisations, would cost more than what is left. By the costs below that is so up to 60 sweeps, whatever the
    // pattern.
    const double most = options_.newton * kNeverWorth;
    if ((sweepsLeft() < kForecastFrom && sweep < kForecastFrom) || (sweepsLeft() <= most && sweep <= most)) continue;
    newtonFits = prepareNewton();
    const double blocks = static_cast<double>(problem.blocks().size());
    const double steps = options_.newton * kUsualSteps * costOfStep(blocks, newton->entries(), newton->work());
    const double one = costOfSweep(blocks, newton->entries());
    // Forecasts may be too hopeful time and again: no more than Newton's cost is spent on them.
    const auto isWorthIt = [&] {
      return newtonFits && ((sweep * one > steps && sweepsLeft() > kAlmostThere) || sweepsLeft() * one > steps);
    };
    if (!isWorthIt()) continue;
    // The judge knows better how far it is.
    if (unjudged > 0) {
      unjudged = 0;
      if (monitor.judgeNow(impulse)) return Exit::Converged;
      if (change > 0.0) ratio = monitor.residual().forTolerance() / change;
    }
    if (isWorthIt()) break;
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
