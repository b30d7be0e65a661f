// Hierarchical solving: groups of blocks by turns, each by a solver of its own (STAR 4.3.3, the end: blocked Gauss-Seidel
// with any partition and specialised solvers for the parts).
//
//   for each group g:  lambda_g <- solution of its own laws with v_g = W_gg lambda_g + (b_g + sum over others W_gh lambda_h)
//
// A group is what Block::group says, its solver ProblemData::groupSolvers; without those, joints (Free blocks) are one group
// and the rest is the other. The groups' problems are ContactProblem::restricted(). Each is solved to a share of the present
// error, no more. The sweep over all groups is a map whose fixed points solve the whole problem; Anderson's acceleration
// with a guard finds one faster (anderson.hpp).
//
// Fails: groups that pull at each other through light bodies converge slowly or cycle (Stalled, with the best that was
// seen); a group that its solver does not take (Unsupported, naming both); joints that contradict each other (Inconsistent).
#include <map>

#include "problem/cone_program.hpp"
#include "solvers/anderson.hpp"
#include "solvers/monitor.hpp"
#include "solvers/registry.hpp"

namespace cairn {
namespace {

struct HierarchicalOptions {
  std::string joints = "ldlt";
  std::string contacts = "bgs";
  int memory = 5;
};

constexpr double kInnerShare = 0.1;  // of the present error: to what groups are solved
constexpr double kLoosest = 1e-2;    // tolerance of a group
constexpr double kTightest = 1e-12;  // the same; rounding does not allow much more

class Hierarchical final : public ContactSolver {
 public:
  explicit Hierarchical(HierarchicalOptions options) : options_(std::move(options)) {}
  std::string_view name() const override { return "hierarchical"; }
  Capabilities capabilities() const override { return {.laws = {true, true, true, true, true}}; }

 private:
  struct Group {
    std::string spec;
    std::vector<int> blocks;
    std::unique_ptr<ContactSolver> solver;
  };

  int iterationLimit() const override { return 2000; }

  Exit iterate(const ContactProblem& problem, Monitor& monitor, Vector& impulse) override {
    std::vector<Group> groups;
    try {
      groups = makeGroups(problem);
    } catch (const std::invalid_argument& error) {
      monitor.explain(error.what());
      return Exit::Unsupported;
    }
    const ConeProgram scaling(problem);  // mixing compares impulses of different kinds: in scaled coordinates
    if (scaling.speedScale() == 0.0) impulse.setZero();  // nothing moves, nothing has to
    if (monitor.judgeNow(impulse)) return Exit::Converged;
    FixedPointSearch search(options_.memory);
    monitor.keepBest(true);
    Vector trial = impulse;
    double tolerance = kLoosest;
    if (groups.size() == 1) {
      const SolveReport report = groups[0].solver->solve(problem, monitor.remaining(), impulse);
      monitor.countIterations(report.iterations);
      monitor.explain(report.message);
      return report.exit;
    }
    std::string trouble;
    while (!monitor.stop()) {
      impulse = trial;
      trouble.clear();
      for (Group& group : groups) {
        const std::unique_ptr<ContactProblem> part = problem.restricted(group.blocks, impulse);
        SolveLimits limits = monitor.remaining();
        const double scale = speedScale(*part);  // a group is judged by speeds of its own
        limits.tolerance =
            scale > 0.0 ? std::clamp(tolerance * scaling.speedScale() / scale, kTightest, kLoosest) : kLoosest;
        limits.iterations = 0;
        Vector own = part->data().warmStart;
        const SolveReport report = group.solver->solve(*part, limits, own);
        if (report.exit == Exit::Unsupported || report.exit == Exit::Inconsistent || report.exit == Exit::Infeasible) {
          monitor.explain("group of " + std::to_string(group.blocks.size()) + " blocks: " + group.spec + ": " +
                          std::string(nameOf(report.exit)) + ": " + report.message);
          monitor.restoreBest(impulse);
          return report.exit;
        }
        if (report.exit != Exit::Converged)
          trouble = "; " + group.spec + " ended with " + std::string(nameOf(report.exit)) + " in its group";
        putBack(problem, group.blocks, own, impulse);
      }
      if (monitor.solved(impulse)) return Exit::Converged;
      if (!impulse.allFinite()) break;
      const double error = monitor.residual().forTolerance();
      const Vector next = search.next(scaling.fromImpulse(trial), scaling.fromImpulse(impulse), error, trouble.empty());
      if (search.hopeless()) {
        monitor.restoreBest(impulse);
        monitor.explain("the groups do not come to terms: no progress any more" + trouble);
        return Exit::Stalled;
      }
      trial = scaling.toImpulse(next);
      // Inaccurate groups make no good mixtures: without progress, tighter.
      tolerance = kInnerShare * error * std::pow(0.5, std::min(search.stepsWithoutProgress(), 8));
    }
    monitor.restoreBest(impulse);
    if (!trouble.empty()) monitor.explain(trouble.substr(2));
    return monitor.exit();
  }

  std::vector<Group> makeGroups(const ContactProblem& problem) const {
    const std::vector<std::string>& specs = problem.data().groupSolvers;
    std::map<int, Group> found;
    for (int i = 0; i < static_cast<int>(problem.blocks().size()); ++i) {
      const Block& block = problem.blocks()[i];
      const bool joint = block.law == Law::Free;
      const int index = specs.empty() ? (joint ? 0 : 1) : block.group;
      if (!specs.empty() && index >= static_cast<int>(specs.size()))
        throw std::invalid_argument("block " + std::to_string(i) + " names group " + std::to_string(index) + ", but only " +
                                    std::to_string(specs.size()) + " groups have solvers");
      Group& group = found[index];
      group.spec = !specs.empty() ? specs[index] : joint ? options_.joints : options_.contacts;
      group.blocks.push_back(i);
    }
    std::vector<Group> groups;
    for (auto& [index, group] : found) {
      if (group.spec.substr(0, group.spec.find(':')) == name())
        throw std::invalid_argument("a group cannot be solved by \"hierarchical\" again");
      group.solver = makeSolver(group.spec);
      groups.push_back(std::move(group));
    }
    return groups;
  }

  static void putBack(const ContactProblem& problem, const std::vector<int>& blocks, const Vector& own, Vector& impulse) {
    int row = 0;
    for (const int index : blocks) {
      const Block& block = problem.blocks()[index];
      impulse.segment(block.first, block.size) = own.segment(row, block.size);
      row += block.size;
    }
  }

  HierarchicalOptions options_;
};

}  // namespace

std::unique_ptr<ContactSolver> makeHierarchical(OptionReader& reader) {
  HierarchicalOptions options;
  reader.text("joints", options.joints);
  reader.text("contacts", options.contacts);
  reader.whole("memory", options.memory, 0, 100);
  return std::make_unique<Hierarchical>(std::move(options));
}

}  // namespace cairn
