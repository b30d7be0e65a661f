// The default stepper: several small substeps per step, soft contacts and joints, a relaxation pass that takes the push-out
// velocity back, warm starting throughout. docs/how-a-step-works.md tells it slowly.
#pragma once

#include <optional>

#include "mechanics/stepper.hpp"
#include "soft/layout/batch.hpp"
#include "soft/layout/split_bodies.hpp"
#include "soft/plan/substep_plan.hpp"

namespace cairn {

// What a step made, and the next one may find fit for itself. Rows that are kept differ from fresh ones in their last bits:
// this is state, and is copied with the system.
struct SoftBatches {
  std::vector<SoftBatch> list;  // the first `count` are in use
  std::size_t count = 0;
  std::vector<std::uint32_t> others;            // bodies that move, and are in no batch
  std::vector<std::uint32_t> queue;             // batches, the largest first
  std::optional<std::uint64_t> signature = {};  // SubstepPlan's, if who is in which batch follows from that
  // By slot of the contacts, as these were numbered: what a contact is listed as (layout/listing.cpp).
  std::vector<std::uint32_t> listedAs;
  std::uint64_t numbering = 0;
  std::uint64_t number = 0;  // no other batches have it, save for copies of these
  bool anyDirect = false;    // of the last step
};

class SoftStepper : public Stepper {
 public:
  void step(StepContext& context, double dt) override;

 private:
  // Where a body is. Those that cannot be moved may be in many batches: this is the last one that asked.
  struct Place {
    std::uint32_t batch = kNone, number = kNone;
    std::uint32_t part = 0;
  };
  void makeBatches(StepContext& context, const std::vector<IslandPlan>& plans);
  void stepBatches(StepContext& context, double dt);
  void numberBodies(const Tasks& tasks, const SoftBodies& bodies);
  // layout/listing.cpp
  void takeContacts(StepContext& context);
  bool renewContacts(StepContext& context, const std::vector<IslandPlan>& plans);
  std::optional<std::uint32_t> columnOfFresh(const LiveContact& contact, const System& system) const;
  void findColumns();
  void placeBodies(const StepContext& context, std::size_t islands);
  static bool drives(const Body& body) { return body.moves() && !(body.velocity.isZero(0.0) && body.spin.isZero(0.0)); }
  std::uint32_t groupOf(const LiveContact& contact, const SoftBatch& batch) const;
  std::uint32_t numberIn(std::uint32_t batch, std::uint32_t body, const System& system, bool hasJoint);
  std::uint32_t numberOf(std::uint32_t batch, std::uint32_t body) const {  // if none drives another
    return places_[body].batch == batch ? places_[body].number : made_.list[batch].bodies.ground();
  }
  void moveOthers(StepContext& context, double dt) const;
  void report(StepContext& context) const;

  // A batch that takes in more islands.
  struct Open {
    IslandPlan plan;
    std::uint32_t batch;
    SubstepPlan::Size size;
  };

  SubstepPlan plan_;
  BodySplitter splitter_;
  SlabFinder slabFinder_;
  SoftBatches made_;             // between steps it is the system's
  std::vector<Place> places_;    // by body
  std::uint64_t placesFor_ = 0;  // SoftBatches::number that these and batchOf_ are true for
  std::vector<Open> open_;
  std::vector<std::uint32_t> batchOf_;  // by island; kNone: nothing touches it
  // Contacts on their way into batches: columns are those of SoftContacts, batch after batch.
  std::vector<std::uint32_t> firstColumns_;  // by batch
  std::vector<std::uint32_t> columnOf_;      // by contact
  std::vector<std::uint32_t> counts_;        // by piece of the contacts and column; then where the next one goes
  std::vector<std::uint32_t> columnFirsts_;
  std::vector<std::uint8_t> changed_;  // by group, batch after batch: its list is not that of the last step
};

}  // namespace cairn
