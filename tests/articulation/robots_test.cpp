// Robots of the reference set: two independent computations outside of this engine agree on every figure there.
#include <gtest/gtest.h>

#include <Eigen/LU>

#include "articulation/robot.hpp"

namespace cairn {
namespace {

using namespace test;

constexpr double kRelative = 1e-9;  // the files have 12 digits

std::vector<std::filesystem::path> robotFiles() {
  std::vector<std::filesystem::path> files;
  const std::filesystem::path folder = truthFolder() / "robots";
  if (!std::filesystem::is_directory(folder)) return files;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

double relative(const Matrix& found, const Matrix& wanted) {
  const double size = wanted.cwiseAbs().maxCoeff();
  const double worst = (found - wanted).cwiseAbs().maxCoeff();
  return size > 0.0 ? worst / size : worst;
}

TEST(Robots, HaveTheirMassMatricesForcesAccelerationsJacobiansAndEnergies) {
  const auto files = robotFiles();
  if (files.empty()) GTEST_SKIP() << "no reference robots beside the source folder";
  for (const auto& path : files) {
    const Robot robot(path);
    Articulation a(robot.desc, numbers(robot.file["gravity"]));
    ASSERT_EQ(a.degrees(), robot.file["nv"].GetInt()) << path;
    ASSERT_EQ(a.positions(), robot.file["nq"].GetInt()) << path;
    double total = 0.0;
    for (const LinkDesc& link : robot.desc.links) total += link.massProperties->mass;
    EXPECT_NEAR(total, robot.file["total_mass"].GetDouble(), kRelative * total) << path;
    for (const auto& state : robot.file["states"].GetArray()) {
      SCOPED_TRACE(path.filename().string() + " " + state["label"].GetString());
      a.setState(robot.q(state["q"]), robot.v(state["v"]));
      const Matrix positions = matrix(state["body_pos"]), turns = matrix(state["body_quat"]);
      int row = 0;
      for (const auto& body : robot.file["bodies"].GetArray()) {
        const Pose pose = a.linkPose(robot.links.at(body["name"].GetString()));
        EXPECT_LT((pose.position.transpose() - positions.row(row)).norm(), kRelative);
        const Quat turn(turns(row, 0), turns(row, 1), turns(row, 2), turns(row, 3));
        EXPECT_LT(pose.rotation.angularDistance(turn.normalized()), 1e-7);  // an angle by acos: half the digits
        ++row;
      }
      const Matrix mass = robot.square(state["M"]);
      EXPECT_LT(relative(a.massMatrix(), mass), kRelative);
      const Vector bias = robot.v(state["bias"]);
      EXPECT_LT(relative(a.biasForces(), bias), kRelative);
      if (!state["qacc"].IsNull()) {
        ASSERT_FALSE(a.isSingular());
        EXPECT_LT(relative(a.forwardDynamics(Vector::Zero(a.degrees())), robot.v(state["qacc"])), kRelative);
        EXPECT_LT(a.inverseDynamics(robot.v(state["qacc"])).cwiseAbs().maxCoeff(), kRelative * bias.cwiseAbs().maxCoeff());
      }
      const auto& jacobian = state["jacobian"];
      const int link = robot.links.at(jacobian["body"].GetString());
      const Vec3 point = numbers(jacobian["point_in_body"]);
      const Matrix found = a.jacobian(link, point);
      EXPECT_LT(relative(found.topRows(3), robot.columns(jacobian["linear"])), kRelative);
      EXPECT_LT(relative(found.bottomRows(3), robot.columns(jacobian["angular"])), kRelative);
      EXPECT_NEAR(a.kineticEnergy(), state["energy"]["kinetic"].GetDouble(),
                  kRelative * std::max(1e-3, state["energy"]["kinetic"].GetDouble()));
      EXPECT_NEAR(a.potentialEnergy(), state["energy"]["potential"].GetDouble(),
                  kRelative * std::max(1.0, std::abs(state["energy"]["potential"].GetDouble())));
    }
  }
}

// Half a second from a random state without efforts. By the classical Runge-Kutta method at 1e-4 s.
TEST(Robots, FollowTheirReferenceMotions) {
  const auto files = robotFiles();
  if (files.empty()) GTEST_SKIP() << "no reference robots beside the source folder";
  for (const auto& path : files) {
    const Robot robot(path);
    if (!robot.file.HasMember("rollout") || !robot.file["rollout"].HasMember("t")) continue;
    const auto& rollout = robot.file["rollout"];
    Articulation a(robot.desc, numbers(robot.file["gravity"]));
    a.setState(robot.q(rollout["q"][0]), robot.v(rollout["v"][0]));
    const double energy = a.kineticEnergy() + a.potentialEnergy();
    double time = 0.0, worst = 0.0;
    for (rapidjson::SizeType i = 1; i < rollout["t"].Size(); ++i) {
      const int steps = static_cast<int>(std::lround((rollout["t"][i].GetDouble() - time) / 1e-4));
      for (int k = 0; k < steps; ++k) rungeKutta(a, 1e-4);
      time = rollout["t"][i].GetDouble();
      Vector off(a.degrees());
      off = a.difference(robot.q(rollout["q"][i]), a.q());
      worst = std::max({worst, off.cwiseAbs().maxCoeff(), (a.v() - robot.v(rollout["v"][i])).cwiseAbs().maxCoeff()});
    }
    // Measured: 5.3e-10 (the Allegro hand, whose two references differ by 4.9e-10), others 2.9e-10 and less.
    EXPECT_LT(worst, 1e-9) << path;
    EXPECT_LT(std::abs(a.kineticEnergy() + a.potentialEnergy() - energy), 2e-9) << path;
  }
}

}  // namespace
}  // namespace cairn
