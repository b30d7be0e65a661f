#include "soft/soft.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>
#include <utility>

#include "math/rotation.hpp"
#include "mechanics/free_motion.hpp"
#include "mechanics/solve_islands.hpp"
#include "soft/plan/policy.hpp"

namespace cairn {

using namespace policy::layout;

namespace {
std::atomic<std::uint64_t> numbersGiven = 0;  // see SoftBatches::number
}  // namespace

// The number of a body in a batch. What stands still and holds no joint is the batch's ground.
std::uint32_t SoftStepper::numberIn(std::uint32_t batch, std::uint32_t body, const System& system, bool hasJoint) {
  Place& place = places_[body];
  if (place.batch == batch) return place.number;
  if (!hasJoint && !drives(system.bodies[body])) return made_.list[batch].bodies.ground();
  place = {batch, made_.list[batch].bodies.addOther(body), 0};
  return place.number;
}

void SoftStepper::numberBodies(const Tasks& tasks, const SoftBodies& bodies) {
  tasks.parallelFor(bodies.movable.size(), kNumberGrain, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      Place& place = places_[bodies.movable[i]];
      place.number = static_cast<std::uint32_t>(i);
      place.part = bodies.parts == 1 ? 0 : bodies.partOf[i];
    }
  });
}

void SoftStepper::makeBatches(StepContext& context, const std::vector<IslandPlan>& plans) {
  System& system = context.system;
  const std::size_t islands = plans.size();

  assignGently(batchOf_, islands, kNone);
  const auto forEachJoint = [&](auto&& work) {
    for (std::uint32_t i = 0; i < system.joints.size(); ++i) {
      const Joint& joint = system.joints[i];
      if (!joint.alive) continue;
      const std::uint32_t a = plan_.islandOf(joint.a), b = plan_.islandOf(joint.b);
      if (a != kNone || b != kNone) work(i, joint, a != kNone ? a : b);
    }
  };

  // Small islands with the same plan share a batch.
  made_.count = 0;
  open_.clear();
  for (std::size_t i = 0; i < islands; ++i) {
    const SubstepPlan::Size size = plan_.sizeOf(i);
    if (size.contacts + size.joints == 0) continue;
    auto at = std::find_if(open_.begin(), open_.end(), [&](const Open& open) { return open.plan == plans[i]; });
    if (at == open_.end() || plans[i].direct || at->size.bodies + size.bodies > kBatchBodies) {
      if (at == open_.end()) at = open_.insert(open_.end(), Open{});
      *at = {plans[i], static_cast<std::uint32_t>(made_.count++), {}};
      if (made_.list.size() < made_.count) made_.list.emplace_back();
      made_.list[at->batch].clear(plans[i]);
    }
    at->size.bodies += size.bodies;
    at->size.contacts += size.contacts;
    batchOf_[i] = at->batch;
    makeRoom(made_.list[at->batch].bodies.movable, at->size.bodies);
  }

  // A few are kept for when islands come apart again.
  made_.list.resize(std::min(made_.list.size(), made_.count + kSpareBatches));
  for (std::size_t i = made_.count; i < made_.list.size(); ++i) {
    made_.list[i].clear({});
    made_.list[i].contacts.forgetRows();
  }

  // Who is in them.
  places_.assign(system.bodies.size(), Place{});
  made_.others.clear();
  for (std::uint32_t i = 0; i < system.bodies.size(); ++i) {
    const std::uint32_t island = plan_.islandOf(i);
    if (island == kNone || batchOf_[island] == kNone) {
      if (system.bodies[i].moves()) made_.others.push_back(i);
      continue;
    }
    places_[i].batch = batchOf_[island];
    made_.list[batchOf_[island]].bodies.movable.push_back(i);
  }
  for (std::size_t b = 0; b < made_.count; ++b) {
    SoftBodies& bodies = made_.list[b].bodies;
    bodies.parts = splitter_.split(system.bodies, context.tasks, bodies.movable, bodies.partOf, bodies.cuts);
    bodies.clearShared();
    made_.list[b].contacts.clear(bodies.parts);
    numberBodies(context.tasks, bodies);
  }
  takeContacts(context);
  for (std::size_t b = 0; b < made_.count; ++b) made_.list[b].contacts.findSlabs(slabFinder_, made_.list[b].bodies);
  forEachJoint([&](std::uint32_t index, const Joint& joint, std::uint32_t island) {
    const std::uint32_t batch = batchOf_[island];
    const std::uint32_t a = numberIn(batch, joint.a, system, true);
    const std::uint32_t b = numberIn(batch, joint.b, system, true);
    made_.list[batch].joints.joints.push_back({index, a, b});
  });

  made_.number = numbersGiven.fetch_add(1) + 1;
  placesFor_ = made_.number;
  made_.queue.resize(made_.count);
  std::iota(made_.queue.begin(), made_.queue.end(), 0u);
  const auto work = [&](std::uint32_t i) { return made_.list[i].work(); };
  std::sort(made_.queue.begin(), made_.queue.end(),
            [&](std::uint32_t a, std::uint32_t b) { return std::pair(work(b), a) < std::pair(work(a), b); });
}

// Kinematic bodies go exactly as told, bodies that nothing touches move freely.
void SoftStepper::moveOthers(StepContext& context, double dt) const {
  std::vector<Body>& bodies = context.system.bodies;
  const FreeMotion motion = freeMotion(context.settings);
  const double most = context.settings.soft.substeps;
  context.tasks.parallelFor(made_.others.size(), kFreeBodyGrain, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      Body& body = bodies[made_.others[i]];
      if (!body.isDynamic()) {
        body.center += dt * body.velocity;
        body.rotation = rotated(body.rotation, dt * body.spin);
        continue;
      }
      const bool damped = body.linearDamping > 0.0 || body.angularDamping > 0.0;
      const double pieces = damped ? most : std::clamp(std::ceil(gyroscopicTurn(body, dt) / kFreeTurn), 1.0, most);
      moveFree(body, motion, dt, static_cast<int>(pieces));
    }
  });
}

void SoftStepper::report(StepContext& context) const {
  StepReport& report = context.report;
  PhaseTimes phases{};
  for (std::size_t i = 0; i < made_.count; ++i) {
    const SoftBatch& batch = made_.list[i];
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

void SoftStepper::stepBatches(StepContext& context, double dt) {
  // Batches that are more than a thread's share of what is left are worked on by all threads together, one after another;
  // the others side by side.
  const wide::Width width = plan_.contacts().size() < kWideContacts ? wide::Width::Modest : wide::Width::Widest;
  const bool afterDirect = made_.anyDirect;
  std::size_t left = 0, alone = 0;
  for (SoftBatch& batch : std::span(made_.list).first(made_.count))  // joints that do not fit may throw what is at rest
    batch.limitsGain = batch.gainTaken > 0.0 || !batch.joints.joints.empty();
  for (std::size_t i = 0; i < batchOf_.size(); ++i)
    if (batchOf_[i] != kNone && plan_.isUnquiet(i, policy::gain::kLeastSpeed, policy::gain::kLeastDepth))
      made_.list[batchOf_[i]].limitsGain = true;
  for (std::size_t i = 0; i < made_.count; ++i) left += made_.list[i].work();
  for (; alone < made_.count && made_.list[made_.queue[alone]].work() * context.tasks.threads() > left; ++alone) {
    left -= made_.list[made_.queue[alone]].work();
    made_.list[made_.queue[alone]].step(context, dt, width, afterDirect);
  }
  context.tasks.parallelFor(made_.count - alone, 1, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) made_.list[made_.queue[alone + i]].step(context, dt, width, afterDirect);
  });
}

void SoftStepper::step(StepContext& context, double dt) {
  System& system = context.system;
  StepJudge judge(context, dt);
  for (Joint& joint : system.joints) {
    joint.totalRows.fill(0.0);
    joint.totalImpulse.setZero();
    joint.totalAngularImpulse.setZero();
  }
  if (std::any_cast<SoftBatches>(&system.rows) == nullptr) system.rows = SoftBatches();
  std::swap(made_, std::any_cast<SoftBatches&>(system.rows));
  const std::vector<IslandPlan>& plans = plan_.make(context, dt);
  // Where nothing touches, batches follow from bodies and joints alone.
  const bool jointsOnly = plan_.contacts().empty() && !system.joints.empty();
  const std::uint64_t signature = plan_.signature(jointsOnly ? &system : nullptr);
  if (made_.signature != signature || !renewContacts(context, plans)) {
    makeBatches(context, plans);
    // Otherwise joints, and what moves but cannot be moved, are not in the signature.
    const bool complete = jointsOnly || (system.joints.empty() &&
                                         std::all_of(made_.list.begin(), made_.list.end(),
                                                     [](const SoftBatch& batch) { return batch.bodies.others.empty(); }));
    made_.signature = complete ? std::optional(signature) : std::nullopt;
  }
  context.timer.finish(Phase::Prepare);
  stepBatches(context, dt);
  report(context);
  made_.anyDirect = context.report.directIslands > 0;
  moveOthers(context, dt);
  std::swap(made_, std::any_cast<SoftBatches&>(system.rows));
  system.impulseSeconds = dt;
  system.contacts.knowsStill = system.contacts.knowsTouch = true;
  context.timer.finish(Phase::Integrate);
  judge.finish(context);
}

}  // namespace cairn
