// Work inside a library that cannot look at a flag (base/stop.hpp): it is done in a thread of its own, and left alone with
// it when the flag is raised. It must own all that it touches, since it goes on to its end behind the caller's back.
#pragma once

#include <chrono>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include "base/stop.hpp"

namespace cairn {

// What work() returns, or Stopped. Without a flag it is called as it is.
template <class Work>
auto stoppable(Work work) -> decltype(work()) {
  const StopFlag* flag = StopScope::current();
  if (flag == nullptr) return work();
  struct Shared {
    explicit Shared(Work&& given) : work(std::move(given)) {}
    Work work;
    std::mutex mutex;
    std::condition_variable wake;
    bool isDone = false;
    std::optional<decltype(work())> result;
    std::exception_ptr failure;
  };
  const auto shared = std::make_shared<Shared>(std::move(work));
  const auto run = [shared] {
    std::optional<decltype(work())> result;
    std::exception_ptr failure;
    try {
      result.emplace(shared->work());
    } catch (...) {
      failure = std::current_exception();
    }
    const std::lock_guard lock(shared->mutex);
    shared->result = std::move(result);
    shared->failure = failure;
    shared->isDone = true;
    shared->wake.notify_all();
  };
  try {
    std::thread(run).detach();
  } catch (const std::system_error&) {  // there are no more threads
    return shared->work();
  }
  std::unique_lock lock(shared->mutex);
  while (!shared->wake.wait_for(lock, std::chrono::milliseconds(5), [&] { return shared->isDone; }))
    if (isRaised(flag)) throw Stopped{};
  if (shared->failure) std::rethrow_exception(shared->failure);
  return std::move(*shared->result);
}

}  // namespace cairn
