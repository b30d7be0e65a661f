#include "soft/layout/batch_maker.hpp"

#include <algorithm>
#include <atomic>
#include <numeric>
#include <utility>

#include "soft/plan/policy.hpp"

namespace cairn {

using namespace policy::layout;

namespace {
std::atomic<std::uint64_t> numbersGiven = 0;  // see SoftBatches::number
}  // namespace

void BatchMaker::update(StepContext& context, const SubstepPlan& plan, SoftMemory& memory) {
  const System& system = context.system;
  plan_ = &plan;
  memory_ = &memory;
  made_ = &memory.batches;
  // Where nothing touches, batches follow from bodies and joints alone.
  const bool jointsOnly = plan.contacts().empty() && !system.joints.empty();
  const std::uint64_t signature = plan.signature(jointsOnly ? &system : nullptr);
  if (made_->signature == signature && renewContacts(context)) return;
  makeBatches(context);
  // Otherwise joints, and what moves but cannot be moved, are not in the signature.
  const bool complete = jointsOnly || (system.joints.empty() &&
                                       std::all_of(made_->list.begin(), made_->list.end(),
                                                   [](const SoftBatch& batch) { return batch.bodies.others.empty(); }));
  made_->signature = complete ? std::optional(signature) : std::nullopt;
}

// The number of a body in a batch. What stands still and holds no joint is the batch's ground.
std::uint32_t BatchMaker::numberIn(std::uint32_t batch, std::uint32_t body, const System& system, bool hasJoint) {
  Place& place = places_[body];
  if (place.batch == batch) return place.number;
  if (!hasJoint && !drives(system.bodies[body])) return made_->list[batch].bodies.ground();
  place = {batch, made_->list[batch].bodies.addOther(body), 0};
  return place.number;
}

void BatchMaker::numberBodies(const Tasks& tasks, const SoftBodies& bodies) {
  tasks.parallelFor(bodies.movable.size(), kNumberGrain, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      Place& place = places_[bodies.movable[i]];
      place.number = static_cast<std::uint32_t>(i);
      place.part = bodies.parts == 1 ? 0 : bodies.partOf[i];
    }
  });
}

void BatchMaker::makeBatches(StepContext& context) {
  const std::vector<IslandPlan>& plans = plan_->plans();
  System& system = context.system;
  const std::size_t islands = plans.size();

  assignGently(batchOf_, islands, kNone);
  const auto forEachJoint = [&](auto&& work) {
    for (std::uint32_t i = 0; i < system.joints.size(); ++i) {
      const Joint& joint = system.joints[i];
      if (!joint.alive) continue;
      const std::uint32_t a = plan_->islandOf(joint.a), b = plan_->islandOf(joint.b);
      if (a != kNone || b != kNone) work(i, joint, a != kNone ? a : b);
    }
  };

  // Small islands with the same plan share a batch.
  made_->count = 0;
  open_.clear();
  for (std::size_t i = 0; i < islands; ++i) {
    const SubstepPlan::Size size = plan_->sizeOf(i);
    if (size.contacts + size.joints == 0) continue;
    auto at = std::find_if(open_.begin(), open_.end(), [&](const Open& open) { return open.plan == plans[i]; });
    if (at == open_.end() || plans[i].direct || at->size.bodies + size.bodies > kBatchBodies) {
      if (at == open_.end()) at = open_.insert(open_.end(), Open{});
      *at = {plans[i], static_cast<std::uint32_t>(made_->count++), {}};
      if (made_->list.size() < made_->count) made_->list.emplace_back();
      made_->list[at->batch].clear(plans[i]);
    }
    at->size.bodies += size.bodies;
    at->size.contacts += size.contacts;
    batchOf_[i] = at->batch;
    makeRoom(made_->list[at->batch].bodies.movable, at->size.bodies);
  }

  // A few are kept for when islands come apart again.
  made_->list.resize(std::min(made_->list.size(), made_->count + kSpareBatches));
  for (std::size_t i = made_->count; i < made_->list.size(); ++i) {
    made_->list[i].clear({});
    made_->list[i].contacts.forgetRows();
  }

  // Who is in them.
  places_.assign(system.bodies.size(), Place{});
  made_->others.clear();
  for (std::uint32_t i = 0; i < system.bodies.size(); ++i) {
    const std::uint32_t island = plan_->islandOf(i);
    if (island == kNone || batchOf_[island] == kNone) {
      if (system.bodies[i].moves()) made_->others.push_back(i);
      continue;
    }
    places_[i].batch = batchOf_[island];
    made_->list[batchOf_[island]].bodies.movable.push_back(i);
  }
  for (std::size_t b = 0; b < made_->count; ++b) {
    SoftBodies& bodies = made_->list[b].bodies;
    bodies.parts = splitter_.split(system.bodies, context.tasks, bodies.movable, bodies.partOf, bodies.cuts);
    bodies.clearShared();
    made_->list[b].contacts.clear(bodies.parts);
    numberBodies(context.tasks, bodies);
  }
  takeContacts(context);
  for (std::size_t b = 0; b < made_->count; ++b) made_->list[b].contacts.findSlabs(slabFinder_, made_->list[b].bodies);
  forEachJoint([&](std::uint32_t index, const Joint& joint, std::uint32_t island) {
    const std::uint32_t batch = batchOf_[island];
    const std::uint32_t a = numberIn(batch, joint.a, system, true);
    const std::uint32_t b = numberIn(batch, joint.b, system, true);
    made_->list[batch].joints.joints.push_back({index, a, b});
  });

  made_->number = numbersGiven.fetch_add(1) + 1;
  placesFor_ = made_->number;
  made_->queue.resize(made_->count);
  std::iota(made_->queue.begin(), made_->queue.end(), 0u);
  const auto work = [&](std::uint32_t i) { return made_->list[i].work(); };
  std::sort(made_->queue.begin(), made_->queue.end(),
            [&](std::uint32_t a, std::uint32_t b) { return std::pair(work(b), a) < std::pair(work(a), b); });
}

}  // namespace cairn
