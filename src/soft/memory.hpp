// What the default step remembers from step to step. All of its own state is here, and nowhere in bodies, joints and
// contacts.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "dynamics/system.hpp"
#include "soft/layout/batch.hpp"
#include "soft/plan/contact_summary.hpp"

namespace cairn {

// Batches that a step made, and the next one may find fit for itself. Rows that are kept differ from fresh ones in their
// last bits: this is state.
struct SoftBatches {
  std::vector<SoftBatch> list;  // the first `count` are in use
  std::size_t count = 0;
  std::vector<std::uint32_t> others;            // bodies that move, and are in no batch
  std::vector<std::uint32_t> queue;             // batches, the largest first
  std::optional<std::uint64_t> signature = {};  // SubstepPlan's, if the batches follow from that
  // By slot of the contacts, as these were numbered: what a contact is listed as (layout/listing.cpp).
  std::vector<std::uint32_t> listedAs;
  std::uint64_t numbering = 0;
  std::uint64_t number = 0;  // no other batches have it, save for copies of these
  bool anyDirect = false;    // of the last step

  std::span<SoftBatch> inUse() { return {list.data(), count}; }
};

class SoftMemory final : public StepperMemory {
 public:
  // By body. Path length: no point of it has moved farther (m) since its contacts were last brought up to date.
  std::vector<float> pathLengths;
  std::vector<std::uint16_t> substeps;  // that its island had last, in eighths
  // By joint: energy (J) that its joint tree lost lately, see joint_tree/joint_tree_step.hpp. The first joint of the tree
  // keeps it.
  std::vector<double> spareEnergies;
  // By contact slot.
  std::vector<ContactSummary> summaries;  // of those that rest; `isUpright` is by this direction:
  Float3 summariesUp = Float3::Zero();
  std::vector<std::uint8_t> solvedDirectly;  // impulses are of an island that was; empty if none ever was
  SoftBatches batches;

  std::unique_ptr<StepperMemory> clone() const override { return std::make_unique<SoftMemory>(*this); }
  void forgetBody(std::uint32_t body) override;
  void forgetJoint(std::uint32_t joint) override;
  void renumberContacts(std::span<const std::uint32_t> from) override;
  void makeRoom(const System& system);  // for bodies, joints and contacts that are new
};

// Of a system that the soft stepper steps.
inline SoftMemory& softMemory(System& system) { return static_cast<SoftMemory&>(*system.stepperMemory); }
inline const SoftMemory& softMemory(const System& system) { return static_cast<const SoftMemory&>(*system.stepperMemory); }

}  // namespace cairn
