// Staggered projections (Kaufman, Sueda, James, Pai 2008; STAR 4.3.4, eq. 83-84): normals and friction by turns.
//
//   normals:   min 1/2 n^T W_NN n + (b_N + W_NF t)^T n   over n >= 0 and intervals, t held
//   friction:  min 1/2 t^T W_FF t + (b_F + W_FN n)^T t   over t in the disc, ellipse, polygon or box that n allows, n held
//
// Both are convex and always solvable (the STAR's (83) and (84), with directions for t); a pair that reproduces itself obeys
// Coulomb's law with maximum dissipation. Joints vary along with either (as if they were eliminated, STAR eq. 52-54), or are
// a third part, solved by conjugate gradients or a factorisation; redundant joints may be in all of these. Each part is
// solved to a tenth of the present error.
//
// The alternation is blocked Gauss-Seidel and has no proof: it may cycle when friction is large, and joints as a third part
// make it slow where light bodies couple them with contacts. Anderson's acceleration with a guard (anderson.hpp) is on top;
// if there is no progress for long, the exit is Stalled with the best impulses.
//
// The parts are solved by accelerated projected gradients (`gradient`), by exact block sweeps (`sweeps`), or by any solver
// for the problem of that part alone (normals: intervals; friction: intervals, so boxes and planar contacts only).
#include "problem/cone_program.hpp"
#include "problem/split_problem.hpp"
#include "solvers/accelerated_gradient.hpp"
#include "solvers/anderson.hpp"
#include "solvers/block_sweeps.hpp"
#include "solvers/registry.hpp"

namespace cairn {
namespace {

enum class Joints { Together, Pcg, Ldlt };

struct StaggeredOptions {
  std::string normal = "gradient";    // or sweeps, or the name of a solver
  std::string friction = "gradient";  // the same
  Joints joints = Joints::Together;
  int memory = 5;    // of Anderson's acceleration; 0: plain alternation
  int steps = 1000;  // most gradient steps or sweeps for a part
};

constexpr double kInnerShare = 0.1;  // of the present error: to what parts are solved
constexpr double kLoosest = 1e-2;    // tolerance of a part that another solver solves
constexpr double kTightest = 1e-13;  // the same; rounding does not allow much more

using Varying = ConeProgram::Varying;

// A share of the speeds of the whole as the tolerance of a part, which is judged by speeds of its own.
double tighten(double share, double wholeScale, const ContactProblem& part) {
  const double scale = speedScale(part);
  return scale > 0.0 ? std::clamp(share * wholeScale / scale, kTightest, kLoosest) : kLoosest;
}

// One of the parts and its method.
class Part {
 public:
  Part(const ContactProblem& problem, const Varying& varying, const std::string& method, int steps)
      : program_(problem, varying), varying_(varying), descent_(program_), steps_(steps) {
    if (method == "sweeps") {
      sweeps_ = std::make_unique<BlockSweeps>(program_);
    } else if (method != "gradient") {
      if (varying.tangents && hasRoundFriction(problem))
        throw std::invalid_argument(
            "friction=" + method +
            ": a solver by name takes friction in boxes and in the plane only; use gradient or sweeps");
      solver_ = makeSolver(method);
    }
  }

  // Its share of `impulse`, all else held. False if it could not be solved as well as asked.
  bool solve(Vector& impulse, double share, Monitor& monitor) {
    if (solver_) return solveByName(impulse, share, monitor);
    program_.hold(impulse);
    Vector x = program_.fromImpulse(impulse);
    const double target = share * program_.speedScale();
    const bool solved = sweeps_ ? sweeps_->minimise(x, target, steps_, monitor)
                                : descent_.minimise(x, target, steps_, monitor) == AcceleratedGradient::Outcome::Solved;
    impulse = program_.toImpulse(x);
    return solved;
  }

  Exit exit() const { return exit_; }  // of a solver by name, if it cannot go on; otherwise Converged
  const std::string& message() const { return message_; }

 private:
  bool solveByName(Vector& impulse, double share, Monitor& monitor) {
    const ContactProblem& whole = program_.problem();
    const SplitProblem part = varying_.tangents                      ? frictionAlone(whole, impulse, varying_.joints)
                              : varying_.joints && !varying_.normals ? jointsAlone(whole, impulse)
                                                                     : normalsAlone(whole, impulse, varying_.joints);
    SolveLimits limits = monitor.remaining();
    limits.iterations = 0;
    limits.tolerance = tighten(share, program_.speedScale(), *part.problem);
    Vector own = part.problem->data().warmStart;
    const SolveReport report = solver_->solve(*part.problem, limits, own);
    part.putBack(own, impulse);
    monitor.countIterations(report.iterations);
    if (report.exit == Exit::Unsupported || report.exit == Exit::Inconsistent || report.exit == Exit::Infeasible) {
      exit_ = report.exit;
      message_ = std::string(solver_->name()) + ": " + std::string(nameOf(report.exit)) + ": " + report.message;
    }
    return report.exit == Exit::Converged;
  }

  ConeProgram program_;
  Varying varying_;
  AcceleratedGradient descent_;
  std::unique_ptr<BlockSweeps> sweeps_;
  std::unique_ptr<ContactSolver> solver_;
  int steps_;
  Exit exit_ = Exit::Converged;
  std::string message_;
};

class Staggered final : public ContactSolver {
 public:
  explicit Staggered(StaggeredOptions options) : options_(std::move(options)) {}
  std::string_view name() const override { return "staggered"; }
  Capabilities capabilities() const override { return {.laws = {true, true, true, true, true}}; }

 private:
  int iterationLimit() const override { return 200000; }

  Exit iterate(const ContactProblem& problem, Monitor& monitor, Vector& impulse) override {
    const ConeProgram scaling(problem);
    if (scaling.speedScale() == 0.0) impulse.setZero();  // nothing moves, nothing has to
    if (monitor.judgeNow(impulse)) return Exit::Converged;
    std::vector<std::unique_ptr<Part>> parts;
    try {
      parts = makeParts(problem);
    } catch (const std::invalid_argument& error) {
      monitor.explain(error.what());
      return Exit::Unsupported;
    }
    FixedPointSearch search(options_.memory);
    monitor.keepBest(true);
    Vector x = scaling.fromImpulse(impulse);
    double floor = std::min(kInnerShare * monitor.tolerance(), kLoosest);
    double share = kLoosest;
    for (;;) {
      scaling.project(x);
      impulse = scaling.toImpulse(x);
      bool solved = true;
      for (const std::unique_ptr<Part>& part : parts) {
        solved = part->solve(impulse, share, monitor) && solved;
        if (part->exit() == Exit::Converged) continue;
        monitor.explain(part->message());
        monitor.restoreBest(impulse);
        return part->exit();
      }
      if (monitor.judgeNow(impulse)) return Exit::Converged;
      if (monitor.stop()) {
        monitor.restoreBest(impulse);
        return monitor.exit();
      }
      const double error = monitor.residual().forTolerance();
      x = search.next(x, scaling.fromImpulse(impulse), error, solved);
      if (search.hopeless() || !x.allFinite()) {
        monitor.restoreBest(impulse);
        monitor.explain("normals and friction do not come to terms: no progress any more");
        return Exit::Stalled;
      }
      // The judge has a measure of its own: if it is not content with errors this small, they must become smaller. An
      // unfinished part goes on from where it is before it is asked for more.
      if (solved && monitor.residual().relative <= floor) floor = std::max(kInnerShare * floor, kTightest);
      const int idle = std::min(search.stepsWithoutProgress(), 8);
      if (solved) share = std::clamp(kInnerShare * monitor.residual().relative * std::pow(0.5, idle), floor, kLoosest);
    }
  }

  std::vector<std::unique_ptr<Part>> makeParts(const ContactProblem& problem) const {
    bool joints = false, normals = false, friction = false;
    for (const Block& block : problem.blocks()) {
      joints = joints || block.law == Law::Free;
      normals = normals || block.law != Law::Free;
      friction = friction || isContact(block.law);
    }
    const bool together = options_.joints == Joints::Together;
    std::vector<std::unique_ptr<Part>> parts;
    const auto add = [&](const Varying& varying, const std::string& method) {
      parts.push_back(std::make_unique<Part>(problem, varying, method, options_.steps));
    };
    if (joints && !together)
      add({.joints = true, .intervals = false, .normals = false, .tangents = false},
          options_.joints == Joints::Pcg ? "pcg" : "ldlt");
    if (normals || together)
      add({.joints = together, .intervals = true, .normals = true, .tangents = false}, options_.normal);
    if (friction) add({.joints = together, .intervals = false, .normals = false, .tangents = true}, options_.friction);
    return parts;
  }

  StaggeredOptions options_;
};

}  // namespace

std::unique_ptr<ContactSolver> makeStaggered(OptionReader& reader) {
  StaggeredOptions options;
  reader.text("normal", options.normal);
  reader.text("friction", options.friction);
  reader.choice("joints", options.joints, {{"together", Joints::Together}, {"pcg", Joints::Pcg}, {"ldlt", Joints::Ldlt}});
  reader.whole("memory", options.memory, 0, 100);
  reader.whole("steps", options.steps, 1, 1000000);
  return std::make_unique<Staggered>(std::move(options));
}

}  // namespace cairn
