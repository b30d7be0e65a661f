// Contacts that are solved one colour after another: laid out in blocks by colour, swept by the wide kernels, and read back.
#pragma once

#include <span>
#include <vector>

#include "dynamics/colouring.hpp"
#include "steppers/soft_bodies.hpp"
#include "wide/contact_block.hpp"

namespace cairn {

// What all contacts of a step share.
struct SoftContactValues {
  wide::FillValues fill;
  float h;        // s
  float unscale;  // of impulses, back to what is stored
};

class ContactGroup {
 public:
  // `movable`: those bodies that its contacts may move.
  void begin(std::span<const ContactEnds> contacts, MovableBodies movable, const std::vector<Contact>& slots,
             SoftBodies& bodies, const SoftContactValues& values);
  void finish(std::vector<Contact>& slots, float unscale) const;
  // Rows of bodies that spin fast for their shape, for the inertia that they have now.
  void refreshSpinning(SoftBodies& bodies);

  bool bounces() const { return !approaches_.empty(); }
  int colours() const { return colouring_.colours; }
  // The order in which colours are swept: 0 as they are, other numbers at random. Swept in the same order again and again,
  // what one colour leaves undone for the next always points the same way, and tall stacks walk. (Low ones do not, and keep
  // their symmetry better in one order.)
  void arrange(int number);

  // Calls kernel(blocks, points, approaches) for all blocks; with `tasks`, those of a colour side by side.
  template <class Kernel>
  void sweep(const Tasks* tasks, Kernel&& kernel) {
    constexpr std::size_t kBlockGrain = 4;
    const auto work = [&](std::size_t first, std::size_t last) {
      kernel(wide::Blocks(blocks_.data() + first, blocks_.data() + last), points_.data(), approaches_.data());
    };
    for (const std::uint32_t run : order_) {
      const std::size_t first = runs_[run], count = runs_[run + 1] - first;
      if (tasks == nullptr) {
        work(first, first + count);
      } else {
        tasks->parallelFor(count, kBlockGrain,
                           [&](std::size_t begin, std::size_t end) { work(first + begin, first + end); });
      }
    }
    if (serialFrom_ < blocks_.size()) work(serialFrom_, blocks_.size());
  }

 private:
  struct BlockPlace {
    std::uint32_t first, lanes;  // of colouring_.contacts
    std::uint32_t firstPoint;
  };
  void layOut();
  void fillBlock(std::size_t index, const std::vector<Contact>& slots, const SoftBodies& bodies,
                 const SoftContactValues& values);

  Colouring colouring_;
  std::vector<ContactEnds> sorting_;
  std::vector<BlockPlace> places_;  // of the blocks
  std::vector<wide::ContactBlock> blocks_;
  std::vector<wide::ContactPointLanes> points_;
  std::vector<wide::ApproachLanes> approaches_;
  std::vector<std::size_t> runs_;        // blocks of one colour: runs_[c] .. runs_[c + 1]
  std::vector<std::uint32_t> order_;     // of the colours
  std::vector<std::uint32_t> spinning_;  // blocks
  std::size_t serialFrom_ = 0;           // blocks from here on share bodies
};

}  // namespace cairn
