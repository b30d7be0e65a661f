// Threads that work off loops together. A loop costs well under a microsecond to hand out and to end, so that short ones
// pay: a sweep over a large island is hundreds of loops of some ten microseconds each.
//
// Each thread begins with its own share of a loop and then helps the others. Loops that follow each other and are cut alike
// so find their data in the cache of the thread that had it before.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace cairn {

class Team {
 public:
  using Work = void (*)(const void* context, std::size_t piece);
  static constexpr std::size_t kMostPieces = 0xFFFFFE;

  explicit Team(int threads);  // with the one that calls run()
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  // Calls work(context, i) for i = 0 … pieces - 1, and returns when all are done. The first exception is thrown again.
  // False, and nothing done: another thread, or a loop that this call is inside of, has the team.
  bool run(std::uint32_t pieces, Work work, const void* context);

  // Between these two, workers that have nothing to do stay awake.
  void stayAwake() { busy_.store(true, std::memory_order_relaxed); }
  void mayRest() { busy_.store(false, std::memory_order_relaxed); }

 private:
  // A thread's share of the loop, with the loop's number in the upper bits: a thread that comes late cannot take a piece of
  // one loop for a piece of another, and no one has to make shares ready for a loop. What another thread is to see costs
  // some 100 ns each time: so a thread writes to its own share alone, unless it takes a piece of another's, and finds all
  // else in one place that only the one who calls run() writes to.
  struct alignas(64) Share {
    std::atomic<std::uint64_t> next{0};  // piece that is to be taken next
    std::atomic<std::uint64_t> done{0};  // how many pieces the thread has done, of whatever share
  };

  void dismiss();
  void workerLoop(std::size_t self);
  void helpWith(std::uint64_t loop, std::size_t self);
  std::uint64_t waitForLoopAfter(std::uint64_t loop) const;

  std::vector<Share> shares_;
  alignas(64) std::atomic<std::uint64_t> loop_{0};  // number of the loop that is under way, and of its pieces
  std::atomic<Work> work_{nullptr};
  std::atomic<const void*> context_{nullptr};
  std::atomic<bool> busy_{false}, stop_{false};
  alignas(64) std::mutex running_;
  std::mutex failing_;
  std::exception_ptr failure_;
  std::vector<std::thread> workers_;
};

}  // namespace cairn
