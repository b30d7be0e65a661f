// Work on several threads. How work is split depends only on the problem, never on the number of threads, so results do not
// either.
#pragma once

#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <cstddef>
#include <memory>

// The thread sanitizer cannot see into the oneTBB library: it is told what a parallel loop orders.
#if defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#define CAIRN_TSAN_RELEASE(address) __tsan_release(address)
#define CAIRN_TSAN_ACQUIRE(address) __tsan_acquire(address)
#else
#define CAIRN_TSAN_RELEASE(address) (void)(address)
#define CAIRN_TSAN_ACQUIRE(address) (void)(address)
#endif

namespace cairn {

inline constexpr int kMostThreads = 256;

class Tasks {
 public:
  explicit Tasks(int threads = 1) { setThreads(threads); }

  int threads() const { return threads_; }
  void setThreads(int threads) {
    threads_ = threads < 1 ? 1 : threads;
    arena_ = threads_ > 1 ? std::make_unique<tbb::task_arena>(threads_) : nullptr;
    // oneTBB gives no more threads than there are cores unless told otherwise, and goes by the smallest limit there is.
    if (threads_ > 1) static const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, kMostThreads);
  }

  // Runs everything inside on this object's threads: enter once per step, so that the parts below do not pay for it.
  template <class Work>
  void enter(Work&& work) const {
    if (arena_) {
      arena_->execute(work);
    } else {
      work();
    }
  }

  // Calls work(begin, end) for consecutive pieces of at most `grain` items.
  template <class Work>
  void parallelFor(std::size_t count, std::size_t grain, Work&& work) const {
    if (count == 0) return;
    if (!arena_ || count <= grain) {
      for (std::size_t begin = 0; begin < count; begin += grain) work(begin, begin + grain < count ? begin + grain : count);
      return;
    }
    const std::size_t pieces = (count + grain - 1) / grain;
    char fork = 0, join = 0;  // stand for the beginning and the end of the loop
    CAIRN_TSAN_RELEASE(&fork);
    tbb::parallel_for(
        tbb::blocked_range<std::size_t>(0, pieces, 1),
        [&](const tbb::blocked_range<std::size_t>& range) {
          CAIRN_TSAN_ACQUIRE(&fork);
          for (std::size_t piece = range.begin(); piece != range.end(); ++piece) {
            const std::size_t begin = piece * grain;
            work(begin, begin + grain < count ? begin + grain : count);
          }
          CAIRN_TSAN_RELEASE(&join);
        },
        tbb::simple_partitioner());
    CAIRN_TSAN_ACQUIRE(&join);
  }

 private:
  int threads_ = 1;
  std::unique_ptr<tbb::task_arena> arena_;
};

}  // namespace cairn
