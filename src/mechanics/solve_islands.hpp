// What steppers with an exchangeable solver share: solving their islands, on all threads, and saying how it went.
#pragma once

#include "mechanics/island_problem.hpp"
#include "mechanics/stepper.hpp"

namespace cairn {

// The law for contacts that the settings ask for: "auto" is the one that the stepper prefers, or the roundest one that the
// solver takes.
Law frictionLaw(const WorldSettings& settings, Law preferred = Law::Cone);
// Throws std::invalid_argument, naming the field, if solver and law do not go together.
void checkSolver(const WorldSettings& settings);

class IslandSolver {
 public:
  // From the problems' warm starts. Adds to the report how well it went. False, with the reason in the report, if the solver
  // does not take one of the problems.
  bool solve(StepContext& context, std::vector<IslandProblem>& islands);
  bool solve(StepContext& context, std::vector<IslandProblem>& islands, const SolverSettings& settings);
  // With other settings for islands that have joints in their rows.
  bool solve(StepContext& context, std::vector<IslandProblem>& islands, const SolverSettings& plain,
             const SolverSettings& jointed);

  const Vector& impulse(std::size_t island) const { return impulses_[island]; }
  const std::vector<Vector>& impulses() const { return impulses_; }

 private:
  struct Named {
    std::string name;
    std::unique_ptr<ContactSolver> solver;
  };
  std::vector<Named> solvers_;  // one for each island: they keep scratch memory
  std::vector<Vector> impulses_;
};

// The report of an island, made if there is none.
IslandReport& islandReport(StepReport& report, std::uint32_t island);

// Judges impulses that were found without a solver, together with the velocities that the bodies have now, and adds that to
// the report.
void judgeIslands(StepContext& context, const std::vector<IslandProblem>& islands, const std::vector<Vector>& impulses);

// Gives the bodies the velocities that the impulses mean and moves them all by dt, those without a problem freely; stores
// the impulses and hands the problems on. `movesFree`: false if those without a problem were moved already.
void finishStep(StepContext& context, const std::vector<IslandProblem>& islands, const std::vector<Vector>& impulses,
                double dt, bool movesFree = true);

// The part of it that moves: velocities, then poses.
void moveSolved(StepContext& context, const std::vector<IslandProblem>& islands, const std::vector<Vector>& impulses,
                double dt, bool movesFree = true);

// Judges a step that is not one contact problem as if it were: made when the step begins, finished when it is over. Does
// nothing unless the settings' audit asks for it.
class StepJudge {
 public:
  StepJudge(StepContext& context, double dt);
  void finish(StepContext& context);

 private:
  std::vector<IslandProblem> islands_;
};

// Hands the problems on to whoever asked for them.
void keepProblems(StepContext& context, const std::vector<IslandProblem>& islands, const std::vector<Vector>& impulses);

// Counts, depths and approach speeds of the contacts that the step begins with; how far joints are off at its end.
void noteContacts(StepContext& context);
// Says so if a body that is near another turns so far in this step that straight rows do not see what it sweeps.
void noteBlindTurns(StepContext& context, double dt);
void noteJointError(StepContext& context);

}  // namespace cairn
