// Contacts that are solved one colour after another: laid out in blocks by colour, swept by the wide kernels, and read back.
// Those that carry nothing are watched, and join in when they might.
#pragma once

#include <span>
#include <vector>

#include "soft/layout/watched_contacts.hpp"
#include "soft/sweep/bodies.hpp"
#include "wide/contact_block.hpp"

namespace cairn {

// What all contacts of a step share.
struct SoftContactValues {
  wide::FillValues fill;
  float h;        // s
  float near;     // m: see layout/watched_contacts.hpp
  float unscale;  // of impulses, back to what is stored
  bool operator==(const SoftContactValues&) const = default;
};

class ContactGroup {
 public:
  // `movable`: those bodies that its contacts may move. `asBefore`: both lists are those of the last step.
  void begin(std::span<const ContactEnds> contacts, std::span<const ContactEnds> watched, MovableBodies movable,
             const ContactCache& cache, SoftBodies& bodies, const SoftContactValues& values, bool asBefore);
  // Before each substep: takes in watched contacts that might meet in it.
  void joinWatched(const std::vector<Contact>& slots, SoftBodies& bodies, const SoftContactValues& values);
  void finish(System& system, float unscale, const SoftBodies& bodies);
  void forgetRows() { known_ = watchFollowed_ = false; }
  // Rows of bodies that spin fast for their shape, for the inertia that they have now.
  void refreshSpinning(SoftBodies& bodies);

  bool mayBounce() const { return !approaches_.empty() || watch_.mayBounce(); }
  int colours() const { return colouring_.colours; }
  std::size_t bytes() const {
    return blocks_.size() * sizeof(wide::ContactBlock) + points_.size() * sizeof(wide::ContactPointLanes);
  }
  // The order in which colours are swept: 0 as they are, other numbers at random. Swept in the same order again and again,
  // what one colour leaves undone for the next always points the same way, and tall stacks walk. (Low ones do not, and keep
  // their symmetry better in one order.)
  void arrange(int number);

  // Sweeps over all blocks; with `tasks`, those of a colour side by side.
  void applyImpulses(const Tasks* tasks, wide::SolverBody* bodies, const wide::SubstepValues& values) {
    sweep(tasks, [&](wide::Blocks blocks) { wide::applyImpulses(blocks, points_.data(), bodies, values); });
  }
  void solve(const Tasks* tasks, wide::SolverBody* bodies, const wide::SubstepValues& values) {
    sweep(tasks, [&](wide::Blocks blocks) { wide::solveSoft(blocks, points_.data(), bodies, values); });
  }
  void relax(const Tasks* tasks, wide::SolverBody* bodies, const wide::SubstepValues& values) {
    sweep(tasks, [&](wide::Blocks blocks) { wide::relax(blocks, points_.data(), bodies, values); });
  }
  void noteApproach(const Tasks* tasks, const wide::SolverBody* bodies) {
    sweep(tasks, [&](wide::Blocks blocks) { wide::noteApproach(blocks, points_.data(), approaches_.data(), bodies); });
  }
  void bounce(const Tasks* tasks, wide::SolverBody* bodies, const wide::SubstepValues& values) {
    sweep(tasks, [&](wide::Blocks blocks) { wide::bounce(blocks, points_.data(), approaches_.data(), bodies, values); });
  }

 private:
  template <class Kernel>
  void sweep(const Tasks* tasks, Kernel&& kernel) {
    const auto work = [&](std::size_t first, std::size_t last) {
      kernel(wide::Blocks(blocks_.data() + first, blocks_.data() + last));
    };
    if (tasks == nullptr && inOrder_) return work(0, blocks_.size());
    for (const std::uint32_t run : order_) {
      const std::size_t first = runs_[run].first, count = runs_[run].last - first;
      if (tasks == nullptr) {
        work(first, first + count);
      } else {
        tasks->parallelFor(count, policy::sweep::kBlockGrain,
                           [&](std::size_t begin, std::size_t end) { work(first + begin, first + end); });
      }
    }
  }

  // Blocks that share no body that can be moved.
  struct Run {
    std::uint32_t first, last;
  };
  // What rows were made for, save for the state of contacts and bodies.
  struct Origin {
    std::uint64_t contacts = 0;  // a hash
    MovableBodies movable{};
    std::uint32_t ground = 0;
    SoftContactValues values{};
    bool operator==(const Origin&) const = default;
  };
  void makeRows(std::span<const ContactEnds> contacts, MovableBodies movable, const std::vector<Contact>& slots,
                SoftBodies& bodies, const SoftContactValues& values);
  bool keepRows(const ContactCache& cache, SoftBodies& bodies, const SoftContactValues& values);
  void layOut();
  // Of a block, as colours gave them.
  std::span<const ContactEnds> contactsOf(std::size_t block) const {
    const std::size_t last = block + 1 < firsts_.size() ? firsts_[block + 1] : colouring_.contacts.size();
    return {colouring_.contacts.data() + firsts_[block], colouring_.contacts.data() + last};
  }
  void makeBlock(std::span<const ContactEnds> contacts, std::span<const ContactEnds> next, wide::ContactBlock& block,
                 const std::vector<Contact>& slots, SoftBodies& bodies, const SoftContactValues& values);
  // Contacts come in here, by blocks: at the step's beginning, and when they are watched no more.
  void takeIn(std::span<const ContactEnds> contacts, std::span<const ContactEnds> next, std::uint32_t block,
              const std::vector<Contact>& slots, SoftBodies& bodies, const SoftContactValues& values);
  static bool anySpinning(std::span<const ContactEnds> contacts, const SoftBodies& bodies);
  void noteBounces(wide::ContactBlock& block, const std::vector<Contact>& slots, const SoftBodies& bodies);

  Colouring colouring_;
  ColouringBuffers buffers_;
  ContactWatch watch_;
  std::vector<std::uint32_t> firsts_;  // of each block's contacts in colouring_
  std::vector<wide::ContactBlock> blocks_;
  std::vector<wide::ContactPointLanes> points_;
  std::vector<wide::ApproachLanes> approaches_;
  struct {
    std::size_t blocks = 0, points = 0, runs = 0;
  } swept_;                              // from the step's beginning on; those after them joined in
  std::vector<Run> runs_;                // of the colours, of contacts that found none, of those that joined in
  std::vector<std::uint32_t> order_;     // of the runs
  bool inOrder_ = true;                  // one after another, as they are
  std::vector<std::uint32_t> spinning_;  // blocks
  Origin origin_;
  std::uint64_t watched_ = 0;   // a hash of those
  bool known_ = false;          // rows are as the last step left them
  bool watchFollowed_ = false;  // the same of what is watched, and all of that rests
};

}  // namespace cairn
