#include "base/tasks.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

namespace cairn {
namespace {

class TasksOn : public testing::TestWithParam<int> {
 protected:
  Tasks tasks{GetParam()};
};

TEST_P(TasksOn, EveryItemIsVisitedOnceInPiecesOfTheGrain) {
  for (const std::size_t count : {0, 1, 7, 8, 9, 64, 1000}) {
    std::vector<std::atomic<int>> visits(count);
    tasks.parallelFor(count, 8, [&](std::size_t begin, std::size_t end) {
      EXPECT_EQ(begin % 8, 0u);
      EXPECT_TRUE(end == begin + 8 || end == count);
      for (std::size_t i = begin; i < end; ++i) ++visits[i];
    });
    for (const std::atomic<int>& visit : visits) EXPECT_EQ(visit.load(), 1);
  }
}

TEST_P(TasksOn, WhatOneLoopWroteTheNextOneReads) {
  std::vector<long> values(512, 0);
  tasks.enter([&] {
    for (int round = 0; round < 2000; ++round) {
      const auto shifted = [&](std::size_t i) { return (i + static_cast<std::size_t>(round) * 37) % values.size(); };
      tasks.parallelFor(values.size(), 32, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) ++values[shifted(i)];
      });
    }
  });
  for (const long value : values) EXPECT_EQ(value, 2000);
}

// Loops so short that threads which come late find the next one under way, with more pieces or fewer than there are threads.
TEST_P(TasksOn, WhoComesLateTakesNothingTwice) {
  std::vector<std::atomic<int>> visits(40);
  tasks.enter([&] {
    for (std::size_t round = 0; round < 20000; ++round) {
      const std::size_t count = 1 + round * 7 % visits.size();
      tasks.parallelFor(count, 1, [&](std::size_t begin, std::size_t) { ++visits[begin]; });
      for (std::size_t i = 0; i < visits.size(); ++i) ASSERT_EQ(visits[i].exchange(0), i < count ? 1 : 0) << round;
    }
  });
}

TEST_P(TasksOn, LoopsInsideLoopsAreWorkedOffWhereTheyAre) {
  std::atomic<long> sum = 0;
  tasks.parallelFor(20, 1, [&](std::size_t begin, std::size_t) {
    const std::thread::id here = std::this_thread::get_id();
    tasks.parallelFor(10, 1, [&](std::size_t i, std::size_t) {
      EXPECT_EQ(std::this_thread::get_id(), here);
      sum += static_cast<long>(10 * begin + i);
    });
  });
  EXPECT_EQ(sum.load(), 199 * 200 / 2);
}

TEST_P(TasksOn, AnExceptionComesOutAfterAllIsDoneAndTheNextLoopWorks) {
  std::atomic<int> visits = 0;
  const auto work = [&](std::size_t begin, std::size_t) {
    ++visits;
    if (begin == 13) throw std::runtime_error("thirteen");
  };
  EXPECT_THROW(tasks.parallelFor(40, 1, work), std::runtime_error);
  visits = 0;
  tasks.parallelFor(13, 1, work);
  EXPECT_EQ(visits.load(), 13);
}

TEST_P(TasksOn, TwoThreadsMayAskAtOnce) {
  std::atomic<long> sum = 0;
  const auto ask = [&] {
    for (int i = 0; i < 200; ++i)
      tasks.parallelFor(50, 1, [&](std::size_t begin, std::size_t) { sum += static_cast<long>(begin); });
  };
  std::thread other(ask);
  ask();
  other.join();
  EXPECT_EQ(sum.load(), 2 * 200 * 49 * 50 / 2);
}

INSTANTIATE_TEST_SUITE_P(Threads, TasksOn, testing::Values(1, 2, 3, 8));

TEST(Tasks, ThreadsThatSleepAreWokenUp) {
  Tasks tasks(2);
  std::set<std::thread::id> seen;
  std::mutex mutex;
  for (int round = 0; round < 50 && seen.size() < 2; ++round) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    tasks.parallelFor(2, 1, [&](std::size_t, std::size_t) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      const std::lock_guard lock(mutex);
      seen.insert(std::this_thread::get_id());
    });
  }
  EXPECT_EQ(seen.size(), 2u);
}

TEST(Tasks, TheNumberOfThreadsMayChange) {
  Tasks tasks;
  for (const int threads : {3, 1, 2, 8, 2}) {
    tasks.setThreads(threads);
    EXPECT_EQ(tasks.threads(), threads);
    std::atomic<int> visits = 0;
    tasks.parallelFor(100, 1, [&](std::size_t, std::size_t) { ++visits; });
    EXPECT_EQ(visits.load(), 100);
  }
}

}  // namespace
}  // namespace cairn
