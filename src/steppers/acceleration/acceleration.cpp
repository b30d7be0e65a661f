#include "steppers/acceleration/acceleration.hpp"

#include "math/rotation.hpp"
#include "mechanics/free_motion.hpp"
#include "mechanics/integrate.hpp"
#include "mechanics/solve_islands.hpp"
#include "mechanics/warm_start.hpp"
#include "steppers/acceleration/run.hpp"
#include "steppers/lcp.hpp"

namespace cairn {

namespace {

constexpr double kLeastStabilisation = 1e-6;  // of lcp steps

// The step as one contact problem, for the audit: contacts may close their gaps and no more, and bounce if they must.
std::vector<IslandProblem> rigidProblems(const StepContext& context, double dt) {
  Formulation formulation;
  formulation.speedFloor = dt * context.settings.gravity.norm();
  formulation.normalBias = [&](const ContactTerms& contact) {
    const bool reached = contact.gap + dt * contact.freeApproach <= 0.0;
    const bool bounces = reached && contact.approach < -context.settings.restitutionSpeed;
    return std::max(contact.gap, 0.0) / dt + (bounces ? contact.restitution * contact.approach : 0.0);
  };
  return buildProblems(context.system, context.settings, dt, formulation);
}

void writeBodies(System& system, const Island& island, const IslandState& state) {
  for (int i = 0; i < island.size(); ++i) {
    Body& body = system.bodies[island.bodies()[i]];
    body.center = state.bodies[i].center;
    body.rotation = state.bodies[i].rotation;
    body.velocity = state.bodies[i].velocity;
    body.spin = state.bodies[i].spin;
  }
}

void writeLoads(System& system, const Island& island, const IslandLoads& loads) {
  for (std::size_t j = 0; j < island.joints().size(); ++j) {
    Joint& joint = system.joints[island.joints()[j].joint];
    joint.impulse = joint.totalRows = loads.joints[j].rows;
    joint.totalImpulse = loads.joints[j].linear;
    joint.totalAngularImpulse = loads.joints[j].angular;
  }
  for (const auto& [key, load] : loads.contacts) {
    const std::uint32_t slot = island.pairs()[key.first].slot;
    if (slot == kNone) continue;  // it came from farther away than the world looks for contacts
    Contact& contact = system.contacts.slots[slot];
    // Features that were not there when the step began: the first point stands for them.
    int point = 0;
    for (int p = 0; p < contact.count; ++p)
      if (system.contacts.kept[slot].features[p] == key.second) point = p;
    contact.points[point].totalImpulse += static_cast<float>(load.normal);
    contact.points[point].normalImpulse = contact.points[point].totalImpulse;
    contact.totalFriction += load.friction.cast<float>();
    contact.frictionImpulse = contact.totalFriction;
  }
}

// The rest of a step of one island by "lcp", in a copy of the world where nothing else is awake.
void finishByLcp(StepContext& context, const Island& island, const IslandOutcome& outcome, double dt) {
  System copy = context.system;
  const double done = outcome.state.time;
  for (Body& body : copy.bodies) {
    if (!body.moves()) continue;
    if (body.isDynamic()) {
      body.awake = false;
    } else {
      advance(body, done);
    }
  }
  for (const std::uint32_t index : island.bodies()) copy.bodies[index].awake = true;
  writeBodies(copy, island, outcome.state);
  for (Joint& joint : copy.joints) joint.driveNow += done * joint.driveRate;
  placeColliders(copy);
  WorldSettings settings = context.settings;
  settings.audit = Audit::None;
  // Pushing overlaps out would become speed; the next step takes them apart without.
  settings.lcp.stabilisation = kLeastStabilisation;
  for (const std::string& solver : {settings.solver.name, std::string("auto")}) {
    settings.solver.name = solver;
    StepReport report;
    PhaseTimer timer(report.phaseMs);
    std::vector<StepProblem> problems;
    std::vector<ImpactRecord> impacts;
    StepContext inner{copy, settings, context.tasks, report, timer, problems, impacts, context.time + done};
    LcpStepper().step(inner, dt - done);
    if (report.status == StepStatus::Ok) break;
  }
  for (const std::uint32_t index : island.bodies()) {
    Body& body = context.system.bodies[index];
    body = copy.bodies[index];
    if (body.extras != kNone) slowByDrag(body, context.system.extras[body.extras].drag, dt - done);
  }
  for (const IslandPair& pair : island.pairs()) {
    if (pair.slot == kNone) continue;
    Contact& contact = context.system.contacts.slots[pair.slot];
    const Contact& late = copy.contacts.slots[pair.slot];
    for (int p = 0; p < contact.count; ++p) contact.points[p].totalImpulse += late.points[p].totalImpulse;
    contact.totalFriction += late.totalFriction;
  }
  for (const IslandJoint& one : island.joints()) {
    Joint& joint = context.system.joints[one.joint];
    for (int k = 0; k < kJointRows; ++k) joint.totalRows[k] += copy.joints[one.joint].totalRows[k];
    joint.totalImpulse += copy.joints[one.joint].totalImpulse;
    joint.totalAngularImpulse += copy.joints[one.joint].totalAngularImpulse;
  }
}

std::vector<Island> makeIslands(const StepContext& context) {
  const System& system = context.system;
  std::vector<int> numbers(system.bodies.size(), -1);
  std::vector<std::vector<std::uint32_t>> members;
  for (std::uint32_t i = 0; i < system.bodies.size(); ++i) {
    const Body& body = system.bodies[i];
    if (!body.moves() || !body.isDynamic() || body.island == kNone) continue;
    if (members.size() <= body.island) members.resize(body.island + 1);
    numbers[i] = static_cast<int>(members[body.island].size());
    members[body.island].push_back(i);
  }
  std::vector<Island> islands;
  for (std::uint32_t k = 0; k < members.size(); ++k)
    if (!members[k].empty()) islands.emplace_back(system, context.settings, k, members[k], numbers);
  return islands;
}

void note(StepContext& context, const std::vector<IslandOutcome>& outcomes, double dt) {
  StepReport& report = context.report;
  std::vector<TimedImpact> impacts;
  for (const IslandOutcome& outcome : outcomes) {
    report.method.events += outcome.events;
    report.method.inconsistent += outcome.inconsistent;
    if (report.method.message.empty()) report.method.message = outcome.message;
    report.impacts.count += outcome.book.summary.count;
    report.impacts.energyLost += outcome.book.summary.energyLost;
    report.impacts.energyGained += outcome.book.summary.energyGained;
    report.impacts.restitutionFactor = std::min(report.impacts.restitutionFactor, outcome.book.summary.restitutionFactor);
    impacts.insert(impacts.end(), outcome.book.impacts.begin(), outcome.book.impacts.end());
    if (outcome.state.time < dt)
      report.method.message += (report.method.message.empty() ? "" : "; ") + std::string("the rest was one step of lcp");
  }
  std::stable_sort(impacts.begin(), impacts.end(),
                   [](const TimedImpact& a, const TimedImpact& b) { return a.time < b.time; });
  for (const TimedImpact& impact : impacts) context.impacts.push_back(impact.record);
}

}  // namespace

void AccelerationStepper::step(StepContext& context, double dt) {
  System& system = context.system;
  noteContacts(context);
  const bool audited = context.settings.audit != Audit::None;
  std::vector<IslandProblem> problems;
  if (audited) {
    problems = rigidProblems(context, dt);
    context.timer.skip();
  }
  const std::vector<Island> islands = makeIslands(context);
  context.timer.finish(Phase::Prepare);

  std::vector<IslandOutcome> outcomes(islands.size());
  context.tasks.parallelFor(islands.size(), 1, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) outcomes[i] = runIsland(islands[i], dt);
  });
  context.timer.finish(Phase::Solve);

  forgetImpulses(system);
  for (std::size_t i = 0; i < islands.size(); ++i) {
    writeLoads(system, islands[i], outcomes[i].loads);
    if (outcomes[i].state.time < dt)
      finishByLcp(context, islands[i], outcomes[i], dt);
    else
      writeBodies(system, islands[i], outcomes[i].state);
  }
  for (Body& body : system.bodies) {
    if (!body.moves() || body.isDynamic()) continue;
    advance(body, dt);
  }
  system.impulseSeconds = dt;
  note(context, outcomes, dt);
  noteJointError(context);
  context.timer.finish(Phase::Integrate);

  if (!audited) return;
  std::vector<Vector> impulses;
  for (const IslandProblem& problem : problems) impulses.push_back(storedImpulses(system, problem));
  judgeIslands(context, problems, impulses);
  keepProblems(context, problems, impulses);
  context.timer.skip();
}

}  // namespace cairn
