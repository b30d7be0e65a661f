#include "server/step_watch.hpp"

#include <unistd.h>

#include <cstdio>

namespace cairn {
namespace {

constexpr auto kLook = std::chrono::milliseconds(50);
constexpr double kTellAgain = 0.5;  // s

// Bytes that this program has in memory now; 0 if the system does not say.
std::size_t residentBytes() {
  std::FILE* file = std::fopen("/proc/self/statm", "r");
  if (file == nullptr) return 0;
  unsigned long all = 0, resident = 0;
  const int read = std::fscanf(file, "%lu %lu", &all, &resident);
  std::fclose(file);
  return read == 2 ? resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) : 0;
}

}  // namespace

StepWatch::StepWatch(const StepLimits& limits, std::function<void(std::optional<double>)> tell)
    : limits_(limits), tell_(std::move(tell)), thread_([this] { loop(); }) {}

StepWatch::~StepWatch() {
  {
    const std::lock_guard lock(mutex_);
    isOver_ = true;
  }
  wake_.notify_all();
  thread_.join();
}

void StepWatch::begin() {
  const std::lock_guard lock(mutex_);
  start_ = Clock::now();
  isFirstLook_ = true;
  tookTooMuch_ = false;
}

void StepWatch::end() {
  bool wasTold = false;
  {
    const std::lock_guard lock(mutex_);
    start_.reset();
    wasTold = std::exchange(wasTold_, false);
    if (tookTooMuch_) flag_ = isOver_;
  }
  if (wasTold) tell_(std::nullopt);
}

void StepWatch::hurry(std::chrono::milliseconds patience) {
  const std::lock_guard lock(mutex_);
  hurry_ = std::min(hurry_.value_or(patience), patience);
}

void StepWatch::calm() {
  const std::lock_guard lock(mutex_);
  hurry_.reset();
  flag_ = isOver_;
}

void StepWatch::stopForGood() {
  const std::lock_guard lock(mutex_);
  isOver_ = true;
  flag_ = true;
}

void StepWatch::loop() {
  std::unique_lock lock(mutex_);
  while (!wake_.wait_for(lock, kLook, [&] { return isOver_; })) poll();
}

void StepWatch::poll() {
  if (!start_) return;
  const Clock::time_point now = Clock::now();
  const Clock::duration age = now - *start_;
  if (age < kLook) return;
  if (hurry_ && age >= *hurry_) flag_ = true;
  const std::size_t memory = residentBytes();
  if (std::exchange(isFirstLook_, false)) memoryBefore_ = memory;
  if (memory > memoryBefore_ + limits_.memory && !flag_) {
    tookTooMuch_ = true;
    flag_ = true;
  }
  if (age < limits_.slow || (wasTold_ && now - told_ < seconds(kTellAgain))) return;
  told_ = now;
  wasTold_ = true;
  tell_(Seconds(age).count());
}

}  // namespace cairn
