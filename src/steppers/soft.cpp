#include "steppers/soft.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "math/rotation.hpp"
#include "steppers/free_motion.hpp"
#include "steppers/solve_islands.hpp"

namespace cairn {

namespace {
// Bodies of a batch of small islands: with their contacts about what a processor's second cache holds.
constexpr std::uint32_t kBatchBodies = 256;
constexpr std::size_t kBodyGrain = 256;
constexpr std::size_t kSpareBatches = 1;

// Free rotation is cut into pieces of about this much turning of the spin (rad).
constexpr double kFreeTurn = 0.02;

bool isMoving(const Body& body) { return body.moves() && !(body.velocity.isZero(0.0) && body.spin.isZero(0.0)); }
}  // namespace

// The number of a body in a batch. What stands still and holds no joint is the batch's ground.
std::uint32_t SoftStepper::numberIn(std::uint32_t batch, std::uint32_t body, const System& system, bool hasJoint) {
  Place& place = places_[body];
  if (place.batch == batch) return place.number;
  if (!hasJoint && !isMoving(system.bodies[body])) return batches_[batch].bodies.ground();
  place = {batch, batches_[batch].bodies.addOther(body)};
  return place.number;
}

void SoftStepper::makeBatches(StepContext& context, double dt) {
  System& system = context.system;
  const std::vector<IslandPlan>& plans = plan_.make(context, dt);
  const std::size_t islands = plans.size();

  // How large islands are.
  assignGently(sizes_, islands, Size{});
  assignGently(batchOf_, islands, kNone);
  const auto forEachJoint = [&](auto&& work) {
    for (std::uint32_t i = 0; i < system.joints.size(); ++i) {
      const Joint& joint = system.joints[i];
      if (!joint.alive) continue;
      const std::uint32_t a = plan_.islandOf(joint.a), b = plan_.islandOf(joint.b);
      if (a != kNone || b != kNone) work(i, joint, a != kNone ? a : b);
    }
  };
  for (const LiveContact& contact : plan_.contacts()) ++sizes_[contact.island].contacts;
  forEachJoint([&](std::uint32_t, const Joint&, std::uint32_t island) { ++sizes_[island].joints; });
  for (std::uint32_t i = 0; i < system.bodies.size(); ++i)
    if (plan_.islandOf(i) != kNone) ++sizes_[plan_.islandOf(i)].bodies;

  // Small islands with the same plan share a batch.
  count_ = 0;
  open_.clear();
  for (std::size_t i = 0; i < islands; ++i) {
    const Size& size = sizes_[i];
    if (size.contacts + size.joints == 0) continue;
    auto at = std::find_if(open_.begin(), open_.end(), [&](const Open& open) { return open.plan == plans[i]; });
    if (at == open_.end() || at->size.bodies + size.bodies > kBatchBodies) {
      if (at == open_.end()) at = open_.insert(open_.end(), Open{});
      *at = {plans[i], static_cast<std::uint32_t>(count_++), {}};
      if (batches_.size() < count_) batches_.emplace_back();
      batches_[at->batch].clear(plans[i]);
    }
    at->size.bodies += size.bodies;
    at->size.contacts += size.contacts;
    batchOf_[i] = at->batch;
    makeRoom(batches_[at->batch].bodies.movable, at->size.bodies);
    makeRoom(batches_[at->batch].contacts.contacts, at->size.contacts);
  }

  // A few are kept for when islands come apart again.
  batches_.resize(std::min(batches_.size(), count_ + kSpareBatches));
  for (std::size_t i = count_; i < batches_.size(); ++i) batches_[i].clear({});

  // Who is in them.
  places_.assign(system.bodies.size(), Place{});
  for (std::uint32_t i = 0; i < system.bodies.size(); ++i) {
    const std::uint32_t island = plan_.islandOf(i);
    if (island == kNone || batchOf_[island] == kNone) continue;
    std::vector<std::uint32_t>& movable = batches_[batchOf_[island]].bodies.movable;
    places_[i] = {batchOf_[island], static_cast<std::uint32_t>(movable.size())};
    movable.push_back(i);
  }
  for (const LiveContact& contact : plan_.contacts()) {
    const std::uint32_t batch = batchOf_[contact.island];
    const std::uint32_t a = numberIn(batch, contact.a, system, false);
    const std::uint32_t b = numberIn(batch, contact.b, system, false);
    batches_[batch].contacts.contacts.push_back({contact.contact, a, b});
  }
  forEachJoint([&](std::uint32_t index, const Joint& joint, std::uint32_t island) {
    const std::uint32_t batch = batchOf_[island];
    const std::uint32_t a = numberIn(batch, joint.a, system, true);
    const std::uint32_t b = numberIn(batch, joint.b, system, true);
    batches_[batch].joints.joints.push_back({index, a, b});
  });

  queue_.resize(count_);
  std::iota(queue_.begin(), queue_.end(), 0u);
  const auto work = [&](std::uint32_t i) {
    return static_cast<std::size_t>(batches_[i].plan.substeps) * batches_[i].contacts.contacts.size();
  };
  std::sort(queue_.begin(), queue_.end(),
            [&](std::uint32_t a, std::uint32_t b) { return std::pair(work(b), a) < std::pair(work(a), b); });
}

// Kinematic bodies go exactly as told, bodies that nothing touches move freely.
void SoftStepper::moveOthers(StepContext& context, double dt) const {
  std::vector<Body>& bodies = context.system.bodies;
  const FreeMotion motion = freeMotion(context.settings);
  const double most = context.settings.soft.substeps;
  context.tasks.parallelFor(bodies.size(), kBodyGrain, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      Body& body = bodies[i];
      if (!body.moves()) continue;
      if (!body.isDynamic()) {
        body.center += dt * body.velocity;
        body.rotation = rotated(body.rotation, dt * body.spin);
      } else if (batchOf_[body.island] == kNone) {
        const bool damped = body.linearDamping > 0.0 || body.angularDamping > 0.0;
        const double pieces = damped ? most : std::clamp(std::ceil(gyroscopicTurn(body, dt) / kFreeTurn), 1.0, most);
        moveFree(body, motion, dt, static_cast<int>(pieces));
      }
    }
  });
}

void SoftStepper::report(StepContext& context) const {
  StepReport& report = context.report;
  PhaseTimes phases{};
  for (std::size_t i = 0; i < count_; ++i) {
    const SoftBatch& batch = batches_[i];
    for (std::size_t k = 0; k < phases.size(); ++k) phases[k] += batch.phaseMs[k];
    report.substeps = std::max(report.substeps, batch.plan.substeps);
    report.colours = std::max(report.colours, batch.contacts.colours());
    report.touchingPairs += static_cast<int>(batch.contacts.contacts.size());
    report.jointError = std::max(report.jointError, batch.jointError);
  }
  context.timer.finish(phases);
}

void SoftStepper::step(StepContext& context, double dt) {
  System& system = context.system;
  StepJudge judge(context, dt);
  for (Joint& joint : system.joints) {
    joint.totalRows.fill(0.0);
    joint.totalImpulse.setZero();
    joint.totalAngularImpulse.setZero();
  }
  makeBatches(context, dt);
  context.timer.finish(Phase::Prepare);

  context.tasks.parallelFor(count_, 1, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) batches_[queue_[i]].step(context, dt);
  });
  report(context);
  moveOthers(context, dt);
  system.impulseSeconds = dt;
  context.timer.finish(Phase::Integrate);
  judge.finish(context);
}

}  // namespace cairn
