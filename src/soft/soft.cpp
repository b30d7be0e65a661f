#include "soft/soft.hpp"

#include <algorithm>
#include <cmath>

#include "math/rotation.hpp"
#include "mechanics/free_motion.hpp"
#include "mechanics/integrate.hpp"
#include "mechanics/solve_islands.hpp"
#include "soft/plan/policy.hpp"

namespace cairn {

using namespace policy::layout;

namespace {

// Calls work(batch) for all of them. Batches that are more than a thread's share of what is left are worked on by all
// threads together, one after another. The others are worked on side by side.
template <class Work>
void forEachBatch(const Tasks& tasks, SoftBatches& batches, Work&& work) {
  const auto batch = [&](std::size_t place) -> SoftBatch& { return batches.list[batches.queue[place]]; };
  std::size_t left = 0, alone = 0;
  for (const SoftBatch& one : batches.inUse()) left += one.work();
  for (; alone < batches.count && batch(alone).work() * tasks.threads() > left; ++alone) {
    left -= batch(alone).work();
    work(batch(alone));
  }
  tasks.parallelFor(batches.count - alone, 1, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) work(batch(alone + i));
  });
}

// Kinematic bodies go exactly as told, bodies that nothing touches move freely.
void moveOthers(StepContext& context, double dt, const std::vector<std::uint32_t>& others) {
  std::vector<Body>& bodies = context.system.bodies;
  const FreeMotion motion = freeMotion(context.settings);
  const double most = context.settings.soft.substeps;
  context.tasks.parallelFor(others.size(), kFreeBodyGrain, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      Body& body = bodies[others[i]];
      if (!body.isDynamic()) {
        advance(body, dt);
        continue;
      }
      const bool damped = body.linearDamping > 0.0 || body.angularDamping > 0.0;
      const double pieces = damped ? most : std::clamp(std::ceil(gyroscopicTurn(body, dt) / kFreeTurn), 1.0, most);
      moveFree(body, motion, dt, static_cast<int>(pieces));
    }
  });
}

void report(StepContext& context, SoftBatches& batches) {
  StepReport& report = context.report;
  PhaseTimes phases{};
  for (const SoftBatch& batch : batches.inUse()) {
    for (std::size_t k = 0; k < phases.size(); ++k) phases[k] += batch.phaseMs[k];
    report.substeps = std::max(report.substeps, batch.substeps);
    report.directIslands += batch.wasDirect ? 1 : 0;
    report.colours = std::max(report.colours, batch.contacts.colours());
    report.touchingPairs += static_cast<int>(batch.contacts.contacts.size());
    report.jointError = std::max(report.jointError, batch.jointError);
    report.gainTaken += batch.gainTaken;
    if (batch.undone() > 0 && report.method.message.empty())
      report.method.message = "joints and contacts contradict each other: an island was put back to where the step began";
  }
  context.timer.finish(phases);
}

}  // namespace

void SoftStepper::step(StepContext& context, double dt) {
  StepJudge audit(context, dt);
  SoftMemory& memory = context.system.stepperMemory.as<SoftMemory>();
  articulated_.begin(context, dt);
  plan(context, dt, memory);
  attempt(context, dt, memory);
  judge(context, dt, memory);
  commit(context, dt, memory);
  articulated_.finish(context);
  audit.finish(context);
}

// How many substeps each island gets and how it is solved, and which batch it is in.
void SoftStepper::plan(StepContext& context, double dt, SoftMemory& memory) {
  System& system = context.system;
  memory.makeRoom(system);
  for (Joint& joint : system.joints) {
    joint.totalRows.fill(0.0);
    joint.totalImpulse.setZero();
    joint.totalAngularImpulse.setZero();
    for (AxisForces& forces : joint.forces) forces.total.fill(0.0);
  }
  const std::vector<IslandPlan>& plans = plan_.make(context, dt);
  if (std::any_of(plans.begin(), plans.end(), [](const IslandPlan& one) { return one.direct; }))
    resizeGently(memory.solvedDirectly, system.contacts.slots.size());
  batchMaker_.update(context, plan_, memory);
  // Which batches are judged. Joints that do not fit may throw what is at rest.
  for (SoftBatch& batch : memory.batches.inUse()) batch.limitsGain = batch.gainTaken > 0.0 || !batch.joints.joints.empty();
  const std::vector<std::uint32_t>& batchOf = batchMaker_.batchOf();
  for (std::size_t i = 0; i < batchOf.size(); ++i)
    if (batchOf[i] != kNone && plan_.isUnquiet(i, policy::gain::kLeastSpeed, policy::gain::kLeastDepth))
      memory.batches.list[batchOf[i]].limitsGain = true;
  context.timer.finish(Phase::Prepare);
}

// All substeps of all batches. Bodies, contacts and joints have the result.
void SoftStepper::attempt(StepContext& context, double dt, SoftMemory& memory) const {
  const wide::Width width = plan_.contacts().size() < kWideContacts ? wide::Width::Modest : wide::Width::Widest;
  const bool afterDirect = memory.batches.anyDirect;
  forEachBatch(context.tasks, memory.batches, [&](SoftBatch& batch) { batch.attempt(context, dt, width, afterDirect); });
}

// Energy that an island gained is taken back. An island that came apart is put back to where the step began.
void SoftStepper::judge(StepContext& context, double dt, SoftMemory& memory) const {
  const std::span<SoftBatch> batches = memory.batches.inUse();
  if (std::none_of(batches.begin(), batches.end(), [](const SoftBatch& batch) { return batch.isJudged(); })) return;
  forEachBatch(context.tasks, memory.batches, [&](SoftBatch& batch) { batch.judge(context, dt); });
}

void SoftStepper::reportIslands(StepContext& context, const SoftBatches& batches) const {
  constexpr int kPasses = 2;  // of a substep over all contacts: soft, relaxation
  const std::vector<std::uint32_t>& batchOf = batchMaker_.batchOf();
  for (std::uint32_t i = 0; i < batchOf.size(); ++i) {
    if (batchOf[i] == kNone) continue;
    const SoftBatch& batch = batches.list[batchOf[i]];
    IslandReport& own = islandReport(context.report, i);
    own.method = batch.wasDirect ? "direct" : "sweep";
    own.bodies = static_cast<int>(plan_.sizeOf(i).bodies);
    own.substeps = batch.substeps;
    own.work = static_cast<double>(plan_.sizeOf(i).contacts) * batch.substeps * kPasses;
  }
}

// What is in no batch goes its way. The report is written, and the next step may rely on what this one says of contacts.
void SoftStepper::commit(StepContext& context, double dt, SoftMemory& memory) const {
  System& system = context.system;
  report(context, memory.batches);
  if (context.settings.audit != Audit::None) reportIslands(context, memory.batches);
  memory.batches.anyDirect = context.report.directIslands > 0;
  moveOthers(context, dt, memory.batches.others);
  system.impulseSeconds = dt;
  system.contacts.resting.confirm();
  system.contacts.knowsTouch = true;
  context.timer.finish(Phase::Integrate);
}

}  // namespace cairn
