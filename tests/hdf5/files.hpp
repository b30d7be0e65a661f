// A folder for a test's files, and comparison of problems to the bit.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "../solvers/random_problems.hpp"
#include "hdf5/problem_file.hpp"

namespace cairn::testing {

class ProblemFile : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("cairn-hdf5-" + std::to_string(::getpid()) + "-" +
                                                        ::testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  int fileCount() const {
    return static_cast<int>(
        std::distance(std::filesystem::directory_iterator(folder_), std::filesystem::directory_iterator()));
  }
  std::filesystem::path folder_;
};

// What a ProblemFileError says; empty if none comes.
template <class Work>
std::string errorOf(Work work) {
  try {
    work();
  } catch (const ProblemFileError& error) {
    return error.what();
  }
  return {};
}

template <class A, class B>
bool sameBits(const A& a, const B& b) {
  return a.rows() == b.rows() && a.cols() == b.cols() &&
         (a.size() == 0 || std::memcmp(a.data(), b.data(), sizeof(double) * static_cast<std::size_t>(a.size())) == 0);
}

inline void expectSame(const ContactProblem& problem, const ContactProblem& other) {
  const ProblemData &a = problem.data(), &b = other.data();
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.speedFloor, b.speedFloor);
  EXPECT_EQ(a.groupSolvers, b.groupSolvers);
  ASSERT_EQ(a.blocks.size(), b.blocks.size());
  for (std::size_t i = 0; i < a.blocks.size(); ++i) {
    const Block &x = a.blocks[i], &y = b.blocks[i];
    EXPECT_EQ(x.law, y.law);
    EXPECT_EQ(x.first, y.first);
    EXPECT_EQ(x.size, y.size);
    EXPECT_EQ(x.friction, y.friction);
    EXPECT_EQ(x.facets, y.facets);
    EXPECT_EQ(x.group, y.group);
  }
  EXPECT_TRUE(sameBits(a.lower, b.lower));
  EXPECT_TRUE(sameBits(a.upper, b.upper));
  EXPECT_TRUE(sameBits(a.bias, b.bias));
  EXPECT_TRUE(sameBits(a.compliance, b.compliance));
  EXPECT_TRUE(sameBits(a.warmStart, b.warmStart));
  ASSERT_EQ(problem.hasBodies(), other.hasBodies());
  if (problem.hasBodies()) {
    EXPECT_TRUE(sameBits(a.freeVelocity, b.freeVelocity));
    const auto& x = dynamic_cast<const FreeBodies&>(*a.inverseMass).items();
    const auto& y = dynamic_cast<const FreeBodies&>(*b.inverseMass).items();
    ASSERT_EQ(x.size(), y.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      EXPECT_EQ(x[i].inverseMass, y[i].inverseMass);
      EXPECT_TRUE(sameBits(x[i].inverseInertia, y[i].inverseInertia));
    }
    ASSERT_EQ(a.jacobians.size(), b.jacobians.size());
    for (std::size_t i = 0; i < a.jacobians.size(); ++i) {
      EXPECT_EQ(a.jacobians[i].a, b.jacobians[i].a);
      EXPECT_EQ(a.jacobians[i].b, b.jacobians[i].b);
      EXPECT_TRUE(sameBits(a.jacobians[i].partA, b.jacobians[i].partA));
      EXPECT_TRUE(sameBits(a.jacobians[i].partB, b.jacobians[i].partB));
    }
  } else {
    ASSERT_EQ(a.delassus.nonZeros(), b.delassus.nonZeros());
    EXPECT_TRUE(sameBits(Matrix(a.delassus), Matrix(b.delassus)));
  }
}

}  // namespace cairn::testing
