#include "base/team.hpp"

#include <utility>

#if defined(__x86_64__) || defined(__i386__)
#include <immintrin.h>
#endif

namespace cairn {

namespace {

// How long a thread looks for work before it lets others have its core: a few microseconds. With more threads than cores,
// the one that is waited for may need that core.
constexpr int kLooks = 256;
// How often it lets others go first, when no step is under way, before it sleeps.
constexpr int kYields = 8;

constexpr std::uint32_t kNoPiece = 0xFFFFFFFF;

thread_local bool isInPiece = false;

void pause() {
#if defined(__x86_64__) || defined(__i386__)
  _mm_pause();
#endif
}

std::uint64_t packed(std::uint32_t loop, std::uint32_t piece) { return (std::uint64_t{loop} << 32) | piece; }

}  // namespace

Team::Team(int threads) : shares_(static_cast<std::size_t>(threads)) {
  try {
    for (std::size_t i = 1; i < shares_.size(); ++i) workers_.emplace_back([this, i] { workerLoop(i); });
  } catch (...) {  // the system gives no more threads
    dismiss();
    throw;
  }
}

Team::~Team() { dismiss(); }

void Team::dismiss() {
  stop_.store(true);
  loop_.fetch_add(1);
  loop_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

bool Team::run(std::uint32_t pieces, Work work, const void* context) {
  if (isInPiece) return false;
  const std::unique_lock lock(running_, std::try_to_lock);
  if (!lock) return false;
  const std::uint32_t loop = loop_.load(std::memory_order_relaxed) + 1;
  work_.store(work, std::memory_order_relaxed);
  context_.store(context, std::memory_order_relaxed);
  done_.store(0, std::memory_order_relaxed);
  const auto threads = static_cast<std::uint64_t>(shares_.size());
  for (std::uint64_t i = 0; i < threads; ++i) {
    Share& share = shares_[i];
    // First none can be taken of: a thread that is still at the last loop must not take the old place for one before the new
    // end.
    share.next.store(packed(loop, kNoPiece), std::memory_order_relaxed);
    share.end.store(static_cast<std::uint32_t>(pieces * (i + 1) / threads), std::memory_order_release);
    share.next.store(packed(loop, static_cast<std::uint32_t>(pieces * i / threads)), std::memory_order_release);
  }
  loop_.store(loop, std::memory_order_release);
  loop_.notify_all();  // costs nothing while no one sleeps

  helpWith(loop, 0);
  for (int looks = 0; done_.load(std::memory_order_acquire) != pieces; ++looks) {
    if (looks < kLooks) {
      pause();
    } else {
      std::this_thread::yield();
    }
  }
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
  return true;
}

// Takes pieces until none are left: its own first, then those of the threads after it.
void Team::helpWith(std::uint32_t loop, std::size_t self) {
  isInPiece = true;
  for (std::size_t k = 0; k < shares_.size(); ++k) {
    Share& share = shares_[(self + k) % shares_.size()];
    std::uint64_t next = share.next.load(std::memory_order_acquire);
    while (next >> 32 == loop) {
      // What belongs to the loop is read before a piece of it is taken: if that succeeds, the loop was not over.
      const Work work = work_.load(std::memory_order_relaxed);
      const void* context = context_.load(std::memory_order_relaxed);
      const auto piece = static_cast<std::uint32_t>(next);
      if (piece >= share.end.load(std::memory_order_acquire)) break;
      if (!share.next.compare_exchange_weak(next, next + 1, std::memory_order_acq_rel, std::memory_order_acquire)) continue;
      try {
        work(context, piece);
      } catch (...) {
        const std::lock_guard lock(failing_);
        if (!failure_) failure_ = std::current_exception();
      }
      done_.fetch_add(1, std::memory_order_acq_rel);
      next = share.next.load(std::memory_order_acquire);
    }
  }
  isInPiece = false;
}

std::uint32_t Team::waitForLoopAfter(std::uint32_t loop) const {
  for (int looks = 0;; ++looks) {
    const std::uint32_t now = loop_.load(std::memory_order_acquire);
    if (now != loop) return now;
    if (looks < kLooks) {
      pause();
    } else if (busy_.load(std::memory_order_relaxed) || looks < kLooks + kYields) {
      std::this_thread::yield();
    } else {
      loop_.wait(loop, std::memory_order_acquire);
    }
  }
}

void Team::workerLoop(std::size_t self) {
  std::uint32_t loop = 0;
  while (true) {
    loop = waitForLoopAfter(loop);
    if (stop_.load()) return;
    helpWith(loop, self);
  }
}

}  // namespace cairn
