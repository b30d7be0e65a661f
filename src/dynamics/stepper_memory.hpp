// What a stepper remembers from step to step besides bodies, joints and contacts. Each stepper derives its own.
//
// It is a member of System, so a copy of the system has a copy of it: a snapshot is complete by construction. Tables in it
// go by body, joint or contact slot, and are told when slots change hands.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>

namespace cairn {

class StepperMemory {
 public:
  virtual ~StepperMemory() = default;
  virtual std::unique_ptr<StepperMemory> clone() const = 0;
  // The body or joint was removed. Its slot may be that of another one from now on.
  virtual void forgetBody(std::uint32_t) {}
  virtual void forgetJoint(std::uint32_t) {}
  // Contacts were put in order: slot i has what slot from[i] had. There are no others.
  virtual void renumberContacts(std::span<const std::uint32_t>) {}
};

// A memory or none. A copy has its own.
class StepperMemoryHolder {
 public:
  StepperMemoryHolder() = default;
  StepperMemoryHolder(const StepperMemoryHolder& other) : memory_(other.memory_ ? other.memory_->clone() : nullptr) {}
  StepperMemoryHolder(StepperMemoryHolder&&) = default;
  StepperMemoryHolder& operator=(StepperMemoryHolder other) {
    std::swap(memory_, other.memory_);
    return *this;
  }

  explicit operator bool() const { return memory_ != nullptr; }
  StepperMemory& operator*() const { return *memory_; }
  StepperMemory* operator->() const { return memory_.get(); }
  void reset() { memory_.reset(); }
  // As this type: made anew if there is none, or it is another stepper's.
  template <class Memory>
  Memory& as() {
    if (dynamic_cast<Memory*>(memory_.get()) == nullptr) memory_ = std::make_unique<Memory>();
    return static_cast<Memory&>(*memory_);
  }

 private:
  std::unique_ptr<StepperMemory> memory_;
};

}  // namespace cairn
