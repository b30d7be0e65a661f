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

thread_local bool isInPiece = false;

void pause() {
#if defined(__x86_64__) || defined(__i386__)
  _mm_pause();
#endif
}

// A loop's number in the upper bits, how many pieces, or which one, in the lower.
constexpr int kPieceBits = 24;
static_assert(Team::kMostPieces < (std::size_t{1} << kPieceBits));
std::uint64_t packed(std::uint64_t loop, std::uint64_t pieces) { return loop << kPieceBits | pieces; }
std::uint64_t loopOf(std::uint64_t word) { return word >> kPieceBits; }
std::uint64_t piecesOf(std::uint64_t word) { return word & ((std::uint64_t{1} << kPieceBits) - 1); }

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
  loop_.store(packed(loopOf(loop_.load()) + 1, 0));
  loop_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

bool Team::run(std::uint32_t pieces, Work work, const void* context) {
  if (isInPiece) return false;
  const std::unique_lock lock(running_, std::try_to_lock);
  if (!lock) return false;
  const std::uint64_t loop = packed(loopOf(loop_.load(std::memory_order_relaxed)) + 1, pieces);
  work_.store(work, std::memory_order_relaxed);
  context_.store(context, std::memory_order_relaxed);
  loop_.store(loop, std::memory_order_release);
  loop_.notify_all();  // costs nothing while no one sleeps

  helpWith(loop, 0);
  const auto done = [&] {
    std::uint64_t sum = 0;
    for (const Share& share : shares_) {
      const std::uint64_t word = share.done.load(std::memory_order_acquire);
      if (loopOf(word) == loopOf(loop)) sum += piecesOf(word);
    }
    return sum;
  };
  for (int looks = 0; done() != pieces; ++looks) {
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
void Team::helpWith(std::uint64_t loop, std::size_t self) {
  isInPiece = true;
  const std::uint64_t pieces = piecesOf(loop), threads = shares_.size();
  std::uint64_t done = 0;
  for (std::size_t k = 0; k < threads; ++k) {
    const std::uint64_t owner = (self + k) % threads;
    const std::uint64_t begin = pieces * owner / threads, end = pieces * (owner + 1) / threads;
    Share& share = shares_[owner];
    std::uint64_t next = share.next.load(std::memory_order_acquire);
    while (begin < end) {
      // What belongs to the loop is read before a piece of it is taken: if that succeeds, the loop was not over. Once it is
      // over, every share that is not empty has its number, and none of its pieces is left.
      const Work work = work_.load(std::memory_order_relaxed);
      const void* context = context_.load(std::memory_order_relaxed);
      if (loopOf(next) > loopOf(loop)) break;
      const std::uint64_t piece = loopOf(next) == loopOf(loop) ? piecesOf(next) : begin;  // or no one has begun with it
      if (piece >= end) break;
      if (!share.next.compare_exchange_weak(next, packed(loopOf(loop), piece + 1), std::memory_order_acq_rel,
                                            std::memory_order_acquire))
        continue;
      try {
        work(context, piece);
      } catch (...) {
        const std::lock_guard lock(failing_);
        if (!failure_) failure_ = std::current_exception();
      }
      shares_[self].done.store(packed(loopOf(loop), ++done), std::memory_order_release);
      next = share.next.load(std::memory_order_acquire);
    }
  }
  isInPiece = false;
}

std::uint64_t Team::waitForLoopAfter(std::uint64_t loop) const {
  for (int looks = 0;; ++looks) {
    const std::uint64_t now = loop_.load(std::memory_order_acquire);
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
  std::uint64_t loop = 0;
  while (true) {
    loop = waitForLoopAfter(loop);
    if (stop_.load()) return;
    helpWith(loop, self);
  }
}

}  // namespace cairn
