// How work that takes long is ended from outside. Whoever starts it names a flag for the time it takes:
//
//   const StopScope scope(flag);      // in this thread; Tasks carries it to the threads that help
//   try { ... pollStop() now and then ... } catch (const Stopped&) { ... }
//
// The flag belongs to the thread and not to the arguments, so that loops deep inside (a pivot, a column of a factorisation)
// need no way to be told of it. A poll is two loads: every loop whose turns take microseconds or more can afford it.
#pragma once

#include <atomic>

namespace cairn {

using StopFlag = std::atomic<bool>;

// Thrown by pollStop(). No std::exception, so that nobody who handles errors takes it for one.
struct Stopped {};

namespace detail {
inline thread_local const StopFlag* stopFlag = nullptr;
}

class StopScope {
 public:
  explicit StopScope(const StopFlag* flag) : before_(detail::stopFlag) { detail::stopFlag = flag; }
  ~StopScope() { detail::stopFlag = before_; }
  StopScope(const StopScope&) = delete;
  StopScope& operator=(const StopScope&) = delete;

  static const StopFlag* current() { return detail::stopFlag; }

 private:
  const StopFlag* before_;
};

inline bool isRaised(const StopFlag* flag) { return flag != nullptr && flag->load(std::memory_order_relaxed); }

inline void pollStop() {
  if (isRaised(detail::stopFlag)) [[unlikely]]
    throw Stopped{};
}

}  // namespace cairn
