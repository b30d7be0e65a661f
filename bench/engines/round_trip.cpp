#include "round_trip.hpp"

#include <atomic>
#include <chrono>
#include <thread>

namespace cairn::bench {

double roundTripNs() {
  if (std::thread::hardware_concurrency() < 2) return 0.0;
  constexpr int kWarmUp = 500, kTrips = 2000;
  struct alignas(128) Line {
    std::atomic<int> number{0};
  };
  Line there, back;
  const auto waitFor = [](const Line& line, int number) {
    constexpr int kPatience = 100000;  // looks: then the other one may be waiting for this core
    for (int looks = 0; line.number.load(std::memory_order_acquire) != number; ++looks)
      if (looks > kPatience) std::this_thread::yield();
  };
  std::thread other([&] {
    for (int i = 1; i <= kWarmUp + kTrips; ++i) {
      waitFor(there, i);
      back.number.store(i, std::memory_order_release);
    }
  });
  const auto trips = [&](int from, int to) {
    for (int i = from; i <= to; ++i) {
      there.number.store(i, std::memory_order_release);
      waitFor(back, i);
    }
  };
  trips(1, kWarmUp);
  const auto start = std::chrono::steady_clock::now();
  trips(kWarmUp + 1, kWarmUp + kTrips);
  const double ns = std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count();
  other.join();
  return ns / kTrips;
}

}  // namespace cairn::bench
