// Contacts that carry nothing: apart, and on no course to meet within the step. Neighbours in a wall, with a crack between
// them, or bodies that fly side by side. They get no rows and are not swept; before every substep they are looked at, all
// points of a contact at once, and join the others as soon as they might meet.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "dynamics/colouring.hpp"
#include "dynamics/system.hpp"
#include "soft/plan/policy.hpp"
#include "wide/watch_kernels.hpp"

namespace cairn {

// A gap (m) that is no longer looked at from afar: contacts closer than this, or closer within a step, are swept.
inline double nearGap(double speculativeDistance) { return policy::layout::kNearShare * speculativeDistance; }

// How a body moves, as far as that bears on when it meets others.
struct BodyMotion {
  Float3 velocity = Float3::Zero();  // m/s
  float spin = 0.0f;                 // rad/s, about whatever axis
};

// Not 0 if a contact can be watched in a step dt: it pressed nothing in the last one and stays wider than `near`. The
// larger, the less likely that it meets all the same. Contacts of like rank are watched together: when one meets, all do.
std::uint8_t watchRank(const Contact& contact, const BodyMotion& a, const BodyMotion& b, float near, float dt);
// From this rank on the gap is so wide (twice nearGap) that a hair more or less does not matter.
inline constexpr std::uint16_t kWideRank = 2;
// As if the last step had found it so.
void clearImpulses(Contact& contact);

class ContactWatch {
 public:
  void begin(std::span<const ContactEnds> contacts, MovableBodies movable, const std::vector<Contact>& slots, float near,
             std::uint32_t ground, ColouringBuffers& buffers);
  void beginAgain() {  // with the same contacts as the last time, and nothing has changed
    for (wide::WatchBlock& block : blocks_) block.joined = false;
  }
  bool empty() const { return blocks_.empty(); }
  bool mayBounce() const { return mayBounce_; }
  bool anyJoined() const {
    return std::any_of(blocks_.begin(), blocks_.end(), [](const wide::WatchBlock& block) { return block.joined; });
  }

  // Calls join(contacts) for contacts that might meet within `ahead` seconds. They share no body that can be moved, and are
  // not watched any more.
  template <class Join>
  void check(const wide::SolverBody* bodies, float ahead, Join&& join) {
    wide::watch(blocks_, bodies, ahead, closest_);
    for (wide::WatchBlock& block : blocks_) {
      if (block.joined || !block.meets) continue;
      block.joined = true;
      join(std::span<const ContactEnds>(colouring_.contacts.data() + block.first, block.lanes));
    }
  }
  // Calls use(contact) for all that have not joined.
  template <class Use>
  void forEachLeft(Use&& use) const {
    for (const wide::WatchBlock& block : blocks_)
      for (std::uint32_t i = 0; i < block.lanes && !block.joined; ++i) use(colouring_.contacts[block.first + i]);
  }

 private:
  Colouring colouring_;
  std::vector<wide::WatchBlock> blocks_;
  float closest_ = 0.0f;  // m
  bool mayBounce_ = false;
};

}  // namespace cairn
