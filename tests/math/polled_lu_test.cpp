#include "math/polled_lu.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace cairn {
namespace {

TEST(PolledLu, HasTheBitsOfEigens) {
  for (const int n : {3, 255, 257, 400, 700, 1001}) {
    std::srand(static_cast<unsigned>(n));
    const Eigen::MatrixXd a = Eigen::MatrixXd::Random(n, n);
    const Eigen::VectorXd b = Eigen::VectorXd::Random(n);
    const Eigen::PartialPivLU<Eigen::MatrixXd> expected(a);
    const PolledLu found(a);
    EXPECT_TRUE(found.matrixLU() == expected.matrixLU()) << n;
    EXPECT_TRUE(found.permutationP().indices() == expected.permutationP().indices()) << n;
    EXPECT_EQ(found.determinant(), expected.determinant()) << n;
    EXPECT_EQ(found.rcond(), expected.rcond()) << n;
    EXPECT_TRUE(found.solve(b) == expected.solve(b)) << n;
  }
}

TEST(PolledLu, IsStopped) {
  StopFlag flag{true};
  const StopScope scope(&flag);
  EXPECT_THROW(PolledLu(Eigen::MatrixXd::Identity(300, 300)), Stopped);
  EXPECT_NO_THROW(PolledLu(Eigen::MatrixXd::Identity(30, 30))) << "too short to look";
}

}  // namespace
}  // namespace cairn
