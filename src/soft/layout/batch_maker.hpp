// Puts islands into batches and contacts into the groups of these: anew, or by changing those of the last step where
// something is different.
#pragma once

#include <optional>
#include <vector>

#include "mechanics/stepper.hpp"
#include "soft/layout/slabs.hpp"
#include "soft/layout/split_bodies.hpp"
#include "soft/memory.hpp"
#include "soft/plan/substep_plan.hpp"

namespace cairn {

class BatchMaker {
 public:
  // Brings the batches of the memory up to date with a plan.
  void update(StepContext& context, const SubstepPlan& plan, SoftMemory& memory);
  // By island: the batch that it is in. kNone: nothing touches it.
  const std::vector<std::uint32_t>& batchOf() const { return batchOf_; }

 private:
  // Where a body is. Those that cannot be moved may be in many batches: this is the last one that asked.
  struct Place {
    std::uint32_t batch = kNone, number = kNone;
    std::uint32_t part = 0;
  };
  // A batch that takes in more islands.
  struct Open {
    IslandPlan plan;
    std::uint32_t batch;
    SubstepPlan::Size size;
  };
  void makeBatches(StepContext& context);
  void numberBodies(const Tasks& tasks, const SoftBodies& bodies);
  static bool drives(const Body& body) { return body.moves() && !(body.velocity.isZero(0.0) && body.spin.isZero(0.0)); }
  std::uint32_t numberIn(std::uint32_t batch, std::uint32_t body, const System& system, bool hasJoint);
  std::uint32_t numberOf(std::uint32_t batch, std::uint32_t body) const {  // if none drives another
    return places_[body].batch == batch ? places_[body].number : made_->list[batch].bodies.ground();
  }
  // layout/listing.cpp
  void takeContacts(StepContext& context);
  bool renewContacts(StepContext& context);
  std::optional<std::uint32_t> columnOfFresh(const LiveContact& contact, const System& system) const;
  void findColumns();
  void placeBodies(const StepContext& context, std::size_t islands);
  std::uint32_t groupOf(const LiveContact& contact, const SoftBatch& batch) const;
  void forgetFormer(std::uint32_t slot, ContactCache& cache);

  // Of the present update.
  const SubstepPlan* plan_ = nullptr;
  SoftMemory* memory_ = nullptr;
  SoftBatches* made_ = nullptr;

  BodySplitter splitter_;
  SlabFinder slabFinder_;
  std::vector<Place> places_;    // by body
  std::uint64_t placesFor_ = 0;  // SoftBatches::number that these and batchOf_ are true for
  std::vector<Open> open_;
  std::vector<std::uint32_t> batchOf_;
  // Contacts on their way into batches: columns are those of SoftContacts, batch after batch.
  std::vector<std::uint32_t> firstColumns_;  // by batch
  std::vector<std::uint32_t> columnOf_;      // by contact
  std::vector<std::uint32_t> counts_;        // by piece of the contacts and column; then where the next one goes
  std::vector<std::uint32_t> columnFirsts_;
  std::vector<std::uint8_t> changed_;  // by group, batch after batch: its list is not that of the last step
};

}  // namespace cairn
