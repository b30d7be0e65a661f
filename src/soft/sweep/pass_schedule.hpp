// Which passes a batch makes in a step, as a list.
//
// A pass is work on the batch as a whole, or a sweep: one traversal of the groups of contacts (sweep/contacts.hpp). A sweep
// says what is done at a cut before both of its sides, at a part, and at a cut after both of its sides. Sweeps that follow
// each other with no other work between may overlap, in a wave (layout/slabs.hpp).
//
// If there are contacts alone, the relaxation of a substep and the soft pass of the next are fused into one sweep.
// Relaxation begins with the contacts across a cut and the soft pass ends with them. So what is on one side of a cut waits
// for no other in between, and its contacts come from memory once for the two.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace cairn {

// What a sweep does to a group of contacts, and to the bodies of its part: bits, done in this order.
struct GroupWork {
  static constexpr std::uint16_t kMoveBodies = 1;  // by their velocities; at a cut: those that are shared across it
  static constexpr std::uint16_t kRelax = 2;
  static constexpr std::uint16_t kArrange = 4;      // the order of colours
  static constexpr std::uint16_t kJoinWatched = 8;  // contacts that might meet in this substep
  static constexpr std::uint16_t kNoteApproach = 16;
  static constexpr std::uint16_t kIntegrateVelocities = 32;  // of bodies, by loads
  static constexpr std::uint16_t kApplyImpulses = 64;        // warm start
  static constexpr std::uint16_t kRefreshSpinning = 128;     // rows of bodies that spin fast
  static constexpr std::uint16_t kSolve = 256;
  static constexpr std::uint16_t kAddGains = 512;  // of impulses, to velocities in double
  static constexpr std::uint16_t kBounce = 1024;
};

enum class BatchWork : std::uint8_t {
  None,  // it is a sweep
  PollStop,
  NoteTreeApproach,
  IntegrateVelocities,
  WarmStartJoints,
  SolveJoints,
  MoveBodies,
  MoveDriven,  // those that cannot be moved, and move
  RelaxJoints,
  ClearGains,
  TakeGains,
  BounceTrees,
  AddUpJoints,
  MarkContactChange,
  BeforeBounce,
  TakeBounce,
  EndIntegrate,  // of a phase of the report
  EndSolve,
};

struct Pass {
  BatchWork work = BatchWork::None;
  std::uint16_t substep = 0;
  // Of a sweep: bits of GroupWork.
  std::uint16_t before = 0;  // at cuts, before their sides
  std::uint16_t part = 0;
  std::uint16_t after = 0;  // at cuts, after their sides
};

class PassSchedule {
 public:
  // What passes depend on.
  struct Needs {
    int substeps = 0;
    bool changesOrder = false;  // of colours, in every substep
    bool contacts = false, joints = false;
    bool driven = false;      // bodies that cannot be moved, and move
    bool mayBounce = false;   // some contact
    bool spins = false;       // some body, fast for its shape
    bool exact = false;       // velocities are added up in double
    bool lockedAxes = false;  // of some body
    bool operator==(const Needs&) const = default;
    bool canFuse() const { return !joints && !mayBounce && !exact && !lockedAxes; }
  };
  void make(const Needs& needs);
  const std::vector<Pass>& passes() const { return passes_; }

 private:
  void makeFused();
  void makeSubstep(std::uint16_t substep);
  void add(BatchWork work) { passes_.push_back({work}); }
  // Nothing if no group has work to do.
  void addSweep(std::uint16_t substep, std::uint16_t before, std::uint16_t part, std::uint16_t after);

  Needs needs_;  // that passes_ were made for
  std::vector<Pass> passes_;
};

}  // namespace cairn
