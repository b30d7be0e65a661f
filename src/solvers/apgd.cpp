// Accelerated projected gradient descent for contact problems, with De Saxce's term in an outer loop.
//
// Inside: the cone complementarity problem (problem/cone_program.hpp), min 1/2 l^T W l + (b + s)^T l over l in K, by
// accelerated_gradient.hpp; s is a speed added to the normal row of each contact. Outside: the s that makes the answer obey
// Coulomb's law,
//
//   s = G(s),   G(s)_c = support of the friction set at the slip = mu |v_t| for circles, with v the answer for s
//
// (De Saxce and Feng; Cadoux; Acary, Cadoux, Lemarechal, Malick 2011). Plain s <- G(s) contracts for moderate friction only.
// Here: inner problems are solved to a tenth of the present outer error, no more, and s is found by Anderson's acceleration
// with a guard (anderson.hpp). law=ccp solves the convex problem alone (s = 0).
//
// Cost: a product with W (matrix-free) and a projection per iteration. Fails: large friction may have no fixed point that
// this finds (Stalled); infeasible problems never settle (Stalled or a limit); an unsymmetric W is no minimisation any more,
// but works while the unsymmetric part is small. law=ccp lets sliding contacts separate at the speed G.
#include <cstdio>

#include "problem/cone_program.hpp"
#include "solvers/accelerated_gradient.hpp"
#include "solvers/anderson.hpp"
#include "solvers/registry.hpp"

namespace cairn {
namespace {

enum class ContactLaw { Coulomb, Convex };

struct ApgdOptions {
  ContactLaw law = ContactLaw::Coulomb;
  int memory = 5;    // of Anderson's acceleration; 0: plain steps
  int steps = 1000;  // most gradient steps for one s
};

constexpr double kInnerShare = 0.1;  // of the outer error: to what inner problems are solved
constexpr double kProgress = 0.9;    // a residual below that share of the best is progress
constexpr int kPatience = 20;        // rounds of `steps` that neither solve the inner problem nor bring progress
constexpr double kRounding = 1e-15;  // of the speeds that impulses make: smaller errors cannot be told from none

using Outcome = AcceleratedGradient::Outcome;

std::string inDigits(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1e", value);
  return text;
}

class Apgd final : public ContactSolver {
 public:
  explicit Apgd(const ApgdOptions& options) : options_(options) {}
  std::string_view name() const override { return "apgd"; }
  Capabilities capabilities() const override { return {.laws = {true, true, true, true, true}}; }

 private:
  int iterationLimit() const override { return 200000; }

  Exit iterate(const ContactProblem& problem, Monitor& monitor, Vector& impulse) override {
    ConeProgram program(problem);
    if (program.speedScale() == 0.0) impulse.setZero();  // nothing moves, nothing has to
    if (monitor.judgeNow(impulse)) return Exit::Converged;
    if (options_.law == ContactLaw::Convex) return solveConvex(program, monitor, impulse);
    AcceleratedGradient descent(program);
    const double scale = program.speedScale();
    Vector x = program.fromImpulse(impulse);
    program.project(x);
    Vector shift = program.saxceShift(program.velocity(x));
    FixedPointSearch search(options_.memory);
    monitor.keepBest(true);
    double floor = kInnerShare * monitor.tolerance() * scale;
    double target = std::max(kInnerShare * scale, floor);
    int unsolved = 0;
    for (;;) {
      program.setShift(shift);
      const Outcome outcome = descent.minimise(x, target, options_.steps, monitor);
      impulse = program.toImpulse(x);
      if (monitor.judgeNow(impulse)) return Exit::Converged;
      if (outcome == Outcome::LimitReached) {
        monitor.restoreBest(impulse);
        return monitor.exit();
      }
      const Vector velocity = problem.velocity(impulse);
      const Vector wanted = program.saxceShift(velocity);
      const double rounding = kRounding * std::max(scale, (velocity - problem.b()).lpNorm<Eigen::Infinity>());
      const double change = (wanted - shift).lpNorm<Eigen::Infinity>();
      const double error = std::max(change, descent.residual());
      const bool solved = outcome == Outcome::Solved;
      shift = search.next(shift, wanted, error, solved).cwiseMax(0.0);
      const int idle = search.stepsWithoutProgress();
      if (solved && error <= rounding) {
        monitor.restoreBest(impulse);
        monitor.explain("rounding leaves no more than " + inDigits(error) + " m/s to be gained");
        return Exit::Inaccurate;
      }
      unsolved = solved || idle == 0 ? 0 : unsolved + 1;
      if (search.hopeless() || unsolved > kPatience) {
        monitor.restoreBest(impulse);
        monitor.explain(change > descent.residual()
                            ? "the normal speeds of sliding contacts do not settle: still " + inDigits(change) + " m/s apart"
                            : "gradient steps do not help any more: " + inDigits(descent.residual()) + " m/s are left");
        return Exit::Stalled;
      }
      // The judge has a measure of its own: if it is not content with errors this small, they must become smaller.
      if (solved && error <= floor) floor *= kInnerShare;
      if (solved) target = std::max({kInnerShare * error * std::pow(0.5, std::min(idle, 8)), floor, rounding});
    }
  }

  Exit solveConvex(const ConeProgram& program, Monitor& monitor, Vector& impulse) const {
    AcceleratedGradient descent(program);
    const double scale = program.speedScale();
    Vector x = program.fromImpulse(impulse);
    double best = std::numeric_limits<double>::infinity();
    int idle = 0;
    for (;;) {
      const Outcome outcome = descent.minimise(x, monitor.tolerance() * scale, options_.steps, monitor);
      impulse = program.toImpulse(x);
      monitor.record(impulse);
      monitor.explain("the convex cone problem is solved to " + inDigits(descent.residual() / scale) +
                      " of the largest speed; that is not Coulomb's law where contacts slide");
      if (outcome == Outcome::Solved) return Exit::Converged;
      if (outcome == Outcome::LimitReached) return monitor.exit();
      idle = descent.residual() < kProgress * best ? 0 : idle + 1;
      best = std::min(best, descent.residual());
      if (idle > kPatience) return Exit::Stalled;
    }
  }

  ApgdOptions options_;
};

}  // namespace

std::unique_ptr<ContactSolver> makeApgd(OptionReader& reader) {
  ApgdOptions options;
  reader.choice("law", options.law, {{"coulomb", ContactLaw::Coulomb}, {"ccp", ContactLaw::Convex}});
  reader.whole("memory", options.memory, 0, 100);
  reader.whole("steps", options.steps, 1, 1000000);
  return std::make_unique<Apgd>(options);
}

}  // namespace cairn
