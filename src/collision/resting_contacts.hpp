// What a stepper tells the narrow phase: which contacts rest.
//
// Neither body of a resting contact has moved by more than a hair since the contact was brought up to date. The narrow phase
// leaves such a contact as it is, and the solver keeps its rows: it follows the separations itself
// (docs/decisions/0010-rows-are-kept.md). A stepper that says so of every contact in a step confirms it. Without that, all
// contacts are brought up to date in the next step.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace cairn {

class RestingContacts {
 public:
  // Of the stepper. Mostly it is what it was: then others may go on reading it.
  void set(std::uint32_t slot, bool rests) {
    if ((resting_[slot] != 0) != rests) resting_[slot] = rests ? 1 : 0;
  }
  void confirm() { confirmed_ = true; }
  // Of whoever changes what contacts depend on.
  void withdraw() { confirmed_ = false; }
  // Of the narrow phase, before it brings contacts up to date.
  void begin() {
    if (!std::exchange(confirmed_, false)) std::fill(resting_.begin(), resting_.end(), std::uint8_t{0});
  }
  bool operator[](std::uint32_t slot) const { return resting_[slot] != 0; }
  std::vector<std::uint8_t>& table() { return resting_; }  // by slot, for ContactCache

 private:
  std::vector<std::uint8_t> resting_;
  bool confirmed_ = false;
};

}  // namespace cairn
