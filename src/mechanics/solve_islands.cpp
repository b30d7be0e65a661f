#include "mechanics/solve_islands.hpp"

#include <algorithm>
#include <stdexcept>

#include "math/rotation.hpp"
#include "mechanics/free_motion.hpp"
#include "mechanics/integrate.hpp"
#include "mechanics/joint_rows.hpp"
#include "mechanics/push_out.hpp"
#include "mechanics/warm_start.hpp"
#include "problem/residual.hpp"

namespace cairn {

namespace {

constexpr int kMostLawPasses = 20;
constexpr double kLawTolerance = 1e-4;  // of the load
constexpr double kBlindTurn = 1.0;      // rad in a step

// What is tried in place of a problem that has no answer, or one that makes bodies far too fast.
struct Gentler {
  std::shared_ptr<const ContactProblem> (*problem)(const IslandProblem&);
  const char* note;
};
constexpr Gentler kGentler[] = {
    {withoutPushingOut, "penetrations contradict each other: the step was taken without pushing them apart"},
    {withoutDrives, "something drives what cannot give way: the step was taken as if it stood still"}};

// Where the solver starts. What contacts carried in the last step may be far too much for this one (after an impact), and a
// few sweeps do not take it back: it would be energy from nowhere. Sweeps never raise q(l) = l.(W l)/2 + l.b, so a start
// with q > q(0) = 0 is scaled to where q is least.
Vector soundStart(const ContactProblem& problem) {
  Vector start = problem.data().warmStart;
  Vector moved(start.size());
  problem.multiply(start, moved);
  const double square = start.dot(moved), slope = start.dot(problem.b());
  if (!(0.5 * square + slope <= 0.0)) start *= square > 0.0 ? std::max(0.0, -slope / square) : 0.0;
  return start;
}

}  // namespace

Law frictionLaw(const WorldSettings& settings, Law preferred) {
  const std::string& asked = settings.friction.law;
  if (asked == "none") return Law::Interval;
  if (asked == "box") return Law::Box;
  if (asked == "pyramid") return Law::Pyramid;
  if (asked == "cone") return Law::Cone;
  const Capabilities can = makeSolver(settings.solver.name)->capabilities();
  if (can.has(preferred)) return preferred;
  return can.has(Law::Cone) ? Law::Cone : can.has(Law::Pyramid) ? Law::Pyramid : Law::Box;
}

void checkSolver(const WorldSettings& settings) {
  const std::string& law = settings.friction.law;
  if (settings.friction.facets % 2 != 0)
    throw std::invalid_argument("friction.facets: found " + std::to_string(settings.friction.facets) +
                                "; allowed: an even number");
  const Capabilities can = makeSolver(settings.solver.name)->capabilities();  // throws if there is none
  if (can.has(frictionLaw(settings))) return;
  std::string takes = can.has(Law::Interval) ? "none" : "";
  for (const Law one : {Law::Box, Law::Pyramid, Law::Cone})
    if (can.has(one)) takes += (takes.empty() ? "" : ", ") + std::string(nameOf(one));
  throw std::invalid_argument("friction.law: the solver " + settings.solver.name + " does not take " +
                              (law == "auto" ? std::string("friction") : "\"" + law + "\"") +
                              "; allowed: " + (takes.empty() ? "another solver" : takes));
}

IslandReport& islandReport(StepReport& report, std::uint32_t island) {
  std::vector<IslandReport>& all = report.islandReports;
  const auto place = std::lower_bound(all.begin(), all.end(), island,
                                      [](const IslandReport& one, std::uint32_t number) { return one.island < number; });
  if (place != all.end() && place->island == island) return *place;
  return *all.insert(place, IslandReport{.island = island});
}

bool IslandSolver::solve(StepContext& context, std::vector<IslandProblem>& islands) {
  return solve(context, islands, context.settings.solver, context.settings.solver);
}

bool IslandSolver::solve(StepContext& context, std::vector<IslandProblem>& islands, const SolverSettings& settings) {
  return solve(context, islands, settings, settings);
}

bool IslandSolver::solve(StepContext& context, std::vector<IslandProblem>& islands, const SolverSettings& plain,
                         const SolverSettings& jointed) {
  const auto settingsOf = [&](const IslandProblem& island) -> const SolverSettings& {
    const bool hasJoints = std::any_of(island.origins.begin(), island.origins.end(),
                                       [](const IslandProblem::Origin& origin) { return origin.joint != kNone; });
    return hasJoints ? jointed : plain;
  };
  solvers_.resize(std::max(solvers_.size(), islands.size()));
  for (std::size_t i = 0; i < islands.size(); ++i) {
    const std::string& name = settingsOf(islands[i]).name;
    if (solvers_[i].solver == nullptr || solvers_[i].name != name) solvers_[i] = {name, makeSolver(name)};
  }
  impulses_.resize(islands.size());
  std::vector<SolveReport> reports(islands.size());
  std::vector<const char*> notes(islands.size(), nullptr);  // what had to be left out
  std::vector<char> unsettled(islands.size(), 0);           // friction laws still changed after the last pass
  context.tasks.parallelFor(islands.size(), 1, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      const SolverSettings& settings = settingsOf(islands[i]);
      const SolveLimits limits{settings.tolerance, settings.iterations, settings.milliseconds};
      impulses_[i] = soundStart(*islands[i].problem);
      reports[i] = solvers_[i].solver->solve(*islands[i].problem, limits, impulses_[i]);
      for (int pass = 0; !islands[i].laws.empty(); ++pass) {
        ProblemData data = islands[i].problem->data();
        if (!adaptLaws(data, islands[i].laws, impulses_[i], islands[i].problem->velocity(impulses_[i]), kLawTolerance))
          break;
        unsettled[i] = pass == kMostLawPasses ? 1 : 0;
        if (unsettled[i] != 0) break;
        data.warmStart = impulses_[i];
        islands[i].problem = std::make_shared<const ContactProblem>(std::move(data));
        const int before = reports[i].iterations;
        reports[i] = solvers_[i].solver->solve(*islands[i].problem, limits, impulses_[i]);
        reports[i].iterations += before;
      }
      const auto isWild = [&] {
        const bool hasNoAnswer = reports[i].exit == Exit::Infeasible || reports[i].exit == Exit::Ray;
        return (islands[i].pushesOut && hasNoAnswer) || pushesTooHard(islands[i], impulses_[i]);
      };
      for (const Gentler& gentler : kGentler) {
        if (!isWild()) break;
        islands[i].problem = gentler.problem(islands[i]);
        impulses_[i].setZero();
        reports[i] = solvers_[i].solver->solve(*islands[i].problem, limits, impulses_[i]);
        notes[i] = gentler.note;
      }
    }
  });
  SolveSummary summary = context.report.solve.value_or(SolveSummary{});
  for (std::size_t i = 0; i < islands.size(); ++i) {
    const SolveReport& report = reports[i];
    if (notes[i] != nullptr && context.report.method.message.empty())
      context.report.method.message = islands[i].problem->name() + ": " + notes[i];
    ++summary.problems;
    summary.iterations += report.iterations;
    summary.residual = std::max(summary.residual, report.residual.relative);
    summary.speed = std::max(summary.speed, report.residual.worst);
    ++summary.exits[static_cast<int>(report.exit)];
    if (context.settings.audit != Audit::None) {
      IslandReport& own = islandReport(context.report, islands[i].island);
      own.method = solvers_[i].name;
      own.bodies = static_cast<int>(islands[i].bodies.size());
      own.rows = islands[i].problem->rows();
      own.iterations += report.iterations;
      own.work += static_cast<double>(report.iterations) * own.rows;
      own.residual = std::max(own.residual, report.residual.relative);
      own.speed = std::max(own.speed, report.residual.worst);
    }
    if (report.exit == Exit::Unsupported) summary.message.clear();  // the one that matters
    if (report.exit != Exit::Converged && summary.message.empty())
      summary.message = islands[i].problem->name() + ": " + std::string(nameOf(report.exit)) +
                        (report.message.empty() ? "" : ": " + report.message);
  }
  context.report.solve = summary;
  const auto count = std::count(unsettled.begin(), unsettled.end(), 1);
  if (count > 0 && context.report.method.message.empty())
    context.report.method.message = "friction laws did not settle in " + std::to_string(kMostLawPasses) + " passes (" +
                                    std::to_string(count) + " islands): what they allow is a guess";
  if (summary.exits[static_cast<int>(Exit::Unsupported)] == 0) return true;
  context.report.status = StepStatus::Refused;
  return false;
}

void judgeIslands(StepContext& context, const std::vector<IslandProblem>& islands, const std::vector<Vector>& impulses) {
  std::vector<Residual> residuals(islands.size());
  context.tasks.parallelFor(islands.size(), 1, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i)
      residuals[i] =
          judgeVelocities(*islands[i].problem, impulses[i], rowVelocities(context.system, islands[i], impulses[i]));
  });
  SolveSummary summary = context.report.solve.value_or(SolveSummary{});
  for (std::size_t i = 0; i < islands.size(); ++i) {
    const Residual& residual = residuals[i];
    IslandReport& own = islandReport(context.report, islands[i].island);
    own.bodies = static_cast<int>(islands[i].bodies.size());
    own.rows = islands[i].problem->rows();
    own.residual = residual.relative;
    own.speed = residual.worst;
    ++summary.problems;
    summary.residual = std::max(summary.residual, residual.relative);
    summary.speed = std::max(summary.speed, residual.worst);
  }
  context.report.solve = summary;
}

StepJudge::StepJudge(StepContext& context, double dt) {
  if (context.settings.audit == Audit::None) return;
  // Contacts may close their gaps and no more, and bounce if they must.
  Formulation formulation;
  formulation.speedFloor = dt * context.settings.gravity.norm();
  formulation.normalBias = [&](const ContactTerms& contact) {
    const bool reached = contact.gap + dt * contact.freeApproach <= 0.0;
    const bool bounces = reached && contact.approach < -context.settings.restitutionSpeed;
    return std::max(contact.gap, 0.0) / dt + (bounces ? contact.restitution * contact.approach : 0.0);
  };
  formulation.storedContacts = true;
  islands_ = buildProblems(context.system, context.settings, dt, formulation);
  context.timer.skip();
}

void StepJudge::finish(StepContext& context) {
  if (context.settings.audit == Audit::None) return;
  std::vector<Vector> impulses;
  for (const IslandProblem& island : islands_) impulses.push_back(storedImpulses(context.system, island));
  if (context.report.solve) context.report.solve->residual = context.report.solve->speed = 0.0;
  judgeIslands(context, islands_, impulses);
  keepProblems(context, islands_, impulses);
  context.timer.skip();
}

void keepProblems(StepContext& context, const std::vector<IslandProblem>& islands, const std::vector<Vector>& impulses) {
  if (context.settings.audit != Audit::Problems) return;
  for (std::size_t i = 0; i < islands.size(); ++i) context.problems.push_back({islands[i].problem, impulses[i]});
}

namespace {

// Which points of contacts with static friction stuck; what else is remembered of points stays if they do.
void rememberPoints(System& system, const std::vector<IslandProblem>& islands, const std::vector<Vector>& impulses) {
  std::unordered_map<ContactKey, PointMemory, ContactKeyHash> next;
  for (std::size_t i = 0; i < islands.size(); ++i) {
    if (islands[i].laws.empty() && system.memory.points.empty()) continue;
    for (const IslandProblem::Origin& origin : islands[i].origins) {
      if (origin.point < 0) continue;
      if (const PointMemory* old = system.memory.find(origin.key)) next[origin.key] = *old;
    }
    if (islands[i].laws.empty()) continue;
    const ContactProblem& problem = *islands[i].problem;
    const Vector velocity = problem.velocity(impulses[i]);
    for (const AdaptiveLaw& law : islands[i].laws) {
      if (law.kind != AdaptiveLaw::Kind::Static) continue;
      const int first = problem.blocks()[law.block].first;
      next[islands[i].origins[law.block].key].stuck =
          impulses[i][first] > 0.0 && velocity.segment<2>(first + 1).norm() <= slipSpeed(problem.data());
    }
  }
  system.memory.points.swap(next);
}

}  // namespace

void finishStep(StepContext& context, const std::vector<IslandProblem>& islands, const std::vector<Vector>& impulses,
                double dt, bool movesFree) {
  System& system = context.system;
  forgetImpulses(system);
  for (std::size_t i = 0; i < islands.size(); ++i) storeImpulses(system, islands[i], impulses[i]);
  moveSolved(context, islands, impulses, dt, movesFree);
  rememberPoints(system, islands, impulses);
  system.impulseSeconds = dt;
  noteJointError(context);
  keepProblems(context, islands, impulses);
}

void noteContacts(StepContext& context) {
  System& system = context.system;
  float deepest = 0.0f;
  forEachContact(system, [&](std::uint32_t slot) {
    Contact& contact = system.contacts.slots[slot];
    const Body& a = system.bodies[contact.bodyA];
    const Body& b = system.bodies[contact.bodyB];
    const bool pushes = (a.moves() && a.isDynamic()) || (b.moves() && b.isDynamic());
    if (contact.count == 0 || !pushes) return;
    context.report.contacts += contact.count;
    ++context.report.touchingPairs;
    Float3 armA = Float3::Zero(), armB = Float3::Zero();
    for (int i = 0; i < contact.count; ++i) {
      deepest = std::min(deepest, contact.points[i].separation);
      armA += contact.anchorA(i) / contact.count;
      armB += contact.anchorB(i) / contact.count;
    }
    const Vec3 closing = a.velocity + a.spin.cross(armA.cast<double>()) - b.velocity - b.spin.cross(armB.cast<double>());
    contact.approachSpeed = static_cast<float>(closing.dot(contact.normal.cast<double>()));
  });
  context.report.solverPenetration = -static_cast<double>(deepest);
}

void noteBlindTurns(StepContext& context, double dt) {
  const System& system = context.system;
  double most = 0.0;  // rad
  std::uint32_t blind = kNone;
  const auto note = [&](std::uint32_t index) {
    const Collider& collider = system.colliders[index];
    const Body& body = system.bodies[collider.body];
    if (!body.moves() || !(body.spin.norm() * dt > kBlindTurn)) return;
    // Turning about an axis that it is round about leaves a shape where it is.
    const ShapeType type = collider.shape.type;
    if (type == ShapeType::Sphere || type == ShapeType::Plane) return;
    Vec3 spin = body.spin;
    if (type == ShapeType::Capsule || type == ShapeType::Cylinder) {
      const Vec3 axis = collider.pose.rotation * Vec3::UnitZ();
      spin -= axis.dot(spin) * axis;
    }
    if (!(spin.norm() * dt > std::max(most, kBlindTurn))) return;
    most = spin.norm() * dt;
    blind = collider.body;
  };
  forEachContact(system, [&](std::uint32_t slot) {
    const Contact& contact = system.contacts.slots[slot];
    if (contact.count == 0) return;
    note(contact.colliderA);
    note(contact.colliderB);
  });
  if (blind == kNone || !context.report.method.message.empty()) return;
  context.report.method.message = "body " + std::to_string(blind) + " turned by " + std::to_string(most) +
                                  " rad in one step: what it swept on the way was not seen";
}

void noteJointError(StepContext& context) {
  const System& system = context.system;
  for (const Joint& joint : system.joints) {
    if (!joint.alive) continue;
    const double error = wrongBy(joint, system.bodies[joint.a], system.bodies[joint.b], context.report.dt);
    context.report.jointError = std::max(context.report.jointError, error);
  }
}

}  // namespace cairn
