// Work on several threads. How work is split depends only on the problem, never on the number of threads, so results do not
// either.
#pragma once

#include <cstddef>
#include <memory>

#include "base/stop.hpp"
#include "base/team.hpp"

namespace cairn {

inline constexpr int kMostThreads = 256;

class Tasks {
 public:
  explicit Tasks(int threads = 1) { setThreads(threads); }

  int threads() const { return threads_; }
  void setThreads(int threads) {
    team_ = threads > 1 ? std::make_unique<Team>(threads) : nullptr;  // throws if the system gives no more threads
    threads_ = threads < 1 ? 1 : threads;
  }

  // Runs everything inside with threads that stay awake between loops: enter once per step.
  template <class Work>
  void enter(Work&& work) const {
    const Awake awake(team_.get());
    work();
  }

  // Calls work(begin, end) for consecutive pieces of at most `grain` items. A loop inside another loop's piece is worked off
  // by the thread that has the piece. Ends with Stopped, at the next piece, once the caller's flag is raised.
  template <class Work>
  void parallelFor(std::size_t count, std::size_t grain, Work&& work) const {
    const StopFlag* stop = StopScope::current();
    const auto piece = [&](std::size_t index) {
      const StopScope scope(stop);
      pollStop();
      const std::size_t begin = index * grain;
      work(begin, begin + grain < count ? begin + grain : count);
    };
    const std::size_t pieces = (count + grain - 1) / grain;
    using Piece = decltype(piece);
    const auto call = [](const void* context, std::size_t index) { (*static_cast<const Piece*>(context))(index); };
    if (team_ && pieces > 1 && pieces <= Team::kMostPieces && team_->run(static_cast<std::uint32_t>(pieces), call, &piece))
      return;
    for (std::size_t i = 0; i < pieces; ++i) piece(i);
  }

 private:
  struct Awake {
    explicit Awake(Team* toWake) : team(toWake) {
      if (team != nullptr) team->stayAwake();
    }
    ~Awake() {
      if (team != nullptr) team->mayRest();
    }
    Team* team;
  };

  int threads_ = 1;
  std::unique_ptr<Team> team_;
};

}  // namespace cairn
