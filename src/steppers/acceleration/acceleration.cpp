#include "steppers/acceleration/acceleration.hpp"

#include "math/rotation.hpp"
#include "mechanics/free_motion.hpp"
#include "mechanics/integrate.hpp"
#include "mechanics/island.hpp"
#include "mechanics/solve_islands.hpp"
#include "mechanics/warm_start.hpp"
#include "steppers/acceleration/run.hpp"
#include "steppers/lcp.hpp"

namespace cairn {

namespace {

constexpr double kLeastStabilisation = 1e-6;  // of lcp steps

void writeBodies(System& system, const SmoothIsland& island, const IslandState& state) {
  for (int i = 0; i < island.size(); ++i) {
    Body& body = system.bodies[island.bodies()[i]];
    body.center = state.bodies[i].center;
    body.rotation = state.bodies[i].rotation;
    body.velocity = state.bodies[i].velocity;
    body.spin = state.bodies[i].spin;
  }
}

void writeLoads(System& system, const SmoothIsland& island, const IslandLoads& loads) {
  for (std::size_t j = 0; j < island.joints().size(); ++j) {
    Joint& joint = system.joints[island.joints()[j].joint];
    joint.impulse = joint.totalRows = loads.joints[j].rows;
    joint.totalImpulse = loads.joints[j].linear;
    joint.totalAngularImpulse = loads.joints[j].angular;
  }
  for (const auto& [key, load] : loads.contacts) {
    const std::uint32_t first = island.pairs()[key.first].slot;
    if (first == kNone) continue;  // it came from farther away than the world looks for contacts
    // Children and features that were not there when the step began: the first contact or point stands for them.
    const std::uint32_t found = system.contacts.find(first, key.second.children), slot = found != kNone ? found : first;
    Contact& contact = system.contacts.slots[slot];
    const int point = std::max(0, system.contacts.pointOf(slot, key.second.feature));
    contact.points[point].totalImpulse += static_cast<float>(load.normal);
    contact.points[point].normalImpulse = contact.points[point].totalImpulse;
    contact.totalFriction += load.friction.cast<float>();
    contact.frictionImpulse = contact.totalFriction;
  }
}

// The rest of a step of one island by "lcp".
void finishByLcp(StepContext& context, const SmoothIsland& smooth, const IslandOutcome& outcome, double dt) {
  System& system = context.system;
  const double done = outcome.state.time;
  writeBodies(system, smooth, outcome.state);
  Island island = gather(system, smooth.bodies());
  for (Body& body : island.system.bodies)
    if (body.moves() && !body.isDynamic()) advance(body, done);
  for (Joint& joint : island.system.joints) joint.driveNow += done * joint.driveRate;
  placeColliders(island.system);
  WorldSettings settings = context.settings;
  settings.audit = Audit::None;
  // Pushing overlaps out would become speed; the next step takes them apart without.
  settings.lcp.stabilisation = kLeastStabilisation;
  Outcome finished;
  for (const std::string& solver : {settings.solver.name, std::string("auto")}) {
    settings.solver.name = solver;
    LcpStepper lcp;
    finished = advance(island, lcp, settings, context.tasks, context.time + done, dt - done);
    if (finished.report.status == StepStatus::Ok) break;
  }
  // Impulses are added to those of the time before.
  const System& late = finished.island.system;
  for (std::size_t i = 0; i < finished.island.bodies.size(); ++i) {
    if (finished.island.isOwn[i] == 0) continue;
    Body& body = system.bodies[finished.island.bodies[i]];
    body.center = late.bodies[i].center;
    body.rotation = late.bodies[i].rotation;
    body.velocity = late.bodies[i].velocity;
    body.spin = late.bodies[i].spin;
    if (body.extras != kNone) slowByDrag(body, system.extras[body.extras].drag, dt - done);
  }
  std::size_t next = 0;
  forEachContact(late, [&](std::uint32_t slot) {
    Contact& contact = system.contacts.slots[finished.island.contacts[next++]];
    const Contact& added = late.contacts.slots[slot];
    for (int p = 0; p < contact.count; ++p) contact.points[p].totalImpulse += added.points[p].totalImpulse;
    contact.totalFriction += added.totalFriction;
  });
  for (std::size_t j = 0; j < finished.island.joints.size(); ++j) {
    Joint& joint = system.joints[finished.island.joints[j]];
    for (int k = 0; k < kJointRows; ++k) joint.totalRows[k] += late.joints[j].totalRows[k];
    joint.totalImpulse += late.joints[j].totalImpulse;
    joint.totalAngularImpulse += late.joints[j].totalAngularImpulse;
  }
}

std::vector<SmoothIsland> makeIslands(const StepContext& context) {
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
  std::vector<SmoothIsland> islands;
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
  StepJudge audit(context, dt);
  const std::vector<SmoothIsland> islands = makeIslands(context);
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

  audit.finish(context);
}

}  // namespace cairn
