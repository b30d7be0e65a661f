// Motions with known answers under the midpoint rule: pendula and tops of the reference set; and inverse kinematics.
#include <gtest/gtest.h>

#include "articulation/random_trees.hpp"
#include "articulation/robot.hpp"

namespace cairn {
namespace {

using namespace test;

// Thin rods hanging on each other in the x-z plane; the angle of each counts from the one before.
ArticulationDesc pendulum(int links, double length, double mass) {
  ArticulationDesc desc;
  for (int i = 0; i < links; ++i) {
    LinkDesc link;
    link.parent = i - 1;
    if (i > 0) link.placement.position = {0.0, 0.0, -length};
    link.axis = -Vec3::UnitY();  // a positive angle swings towards +x
    MassProperties rod;
    rod.mass = mass;
    rod.center = {0.0, 0.0, -0.5 * length};
    rod.inertia = mass * length * length / 12.0 * Vec3(1.0, 1.0, 0.0).asDiagonal().toDenseMatrix();
    link.massProperties = rod;
    desc.links.push_back(link);
  }
  return desc;
}

struct PendulumRun {
  double error = 0.0;  // rad, of any angle at any of the listed times
  double drift = 0.0;  // J, largest difference of energy at any step, over that of all links falling by their own length
};

PendulumRun runPendulum(const rapidjson::Value& one, double h) {
  const int links = one["links"].GetInt();
  const double length = one["L"].GetDouble(), mass = one["M"].GetDouble();
  Articulation a(pendulum(links, length, mass));
  Vector q = Vector::Zero(links), none = Vector::Zero(links);
  q[0] = one["theta0"].GetDouble();
  a.setState(q, none);
  const double energy = a.kineticEnergy() + a.potentialEnergy();
  const double scale = mass * 9.81 * length * links * links;
  PendulumRun run;
  long steps = 0;
  for (const auto& sample : one["samples"].GetArray()) {
    const long until = std::lround(sample["t"].GetDouble() / h);
    for (; steps < until; ++steps) {
      EXPECT_TRUE(a.step(h, none));
      run.drift = std::max(run.drift, std::abs(a.kineticEnergy() + a.potentialEnergy() - energy) / scale);
    }
    const Vector wanted = numbers(sample["theta"]);
    double angle = 0.0;
    for (int i = 0; i < links; ++i) run.error = std::max(run.error, std::abs((angle += a.q()[i]) - wanted[i]));
  }
  return run;
}

TEST(Pendula, AreWhereTheyMustBeAndConvergeInSecondOrder) {
  if (!std::filesystem::exists(truthFolder() / "h_pendula.json"))
    GTEST_SKIP() << "no reference values beside the source folder";
  const rapidjson::Document file = readJson(truthFolder() / "h_pendula.json");
  // Twice what was measured at h = 1e-3 s, by case. Errors are those of a phase, and chaos makes them larger.
  constexpr double kErrors[] = {4e-5, 6e-3, 1.3e-4, 6e-3, 6e-2, 4e-4}, kDrifts[] = {7e-7, 9e-6, 6e-9, 5e-5, 1.5e-3, 1.1e-9};
  std::size_t index = 0;
  for (const auto& one : file["cases"].GetArray()) {
    SCOPED_TRACE(index);
    const PendulumRun coarse = runPendulum(one, 1e-3), fine = runPendulum(one, 5e-4);
    EXPECT_NEAR(std::log2(coarse.error / fine.error), 2.0, 0.08);
    EXPECT_LT(coarse.error, kErrors[index]);
    EXPECT_LT(coarse.drift, kDrifts[index]);
    ++index;
  }
}

// A symmetric top on a ball joint: energy and both angular momenta, and where its axis is.
TEST(HeavyTop, KeepsItsInvariantsAndPrecesses) {
  if (!std::filesystem::exists(truthFolder() / "c_heavy_top.json"))
    GTEST_SKIP() << "no reference values beside the source folder";
  const rapidjson::Document file = readJson(truthFolder() / "c_heavy_top.json");
  for (const auto& one : file["cases"].GetArray()) {
    double error[2] = {0.0, 0.0};
    for (const int fine : {0, 1}) {
      const double h = fine != 0 ? 1e-4 : 2e-4;
      ArticulationDesc desc;
      LinkDesc top;
      top.joint = LinkJoint::Spherical;
      const double m = one["m"].GetDouble(), l = one["l"].GetDouble();
      MassProperties mass;
      mass.mass = m;
      mass.center = {0.0, 0.0, l};
      const double transverse = one["I_transverse_about_pivot"].GetDouble() - m * l * l;
      mass.inertia = Vec3(transverse, transverse, one["I_axial"].GetDouble()).asDiagonal();
      top.massProperties = mass;
      desc.links.push_back(top);
      Articulation a(desc);
      a.setState(numbers(one["q0_scalar_first"]), numbers(one["omega0_body"]));
      const double energy = a.kineticEnergy() + a.potentialEnergy();
      EXPECT_NEAR(energy, one["energy"].GetDouble(), 1e-9);
      long steps = 0;
      double upright = 0.0, along = 0.0;  // of the two angular momenta, the worst
      for (const auto& sample : one["samples"].GetArray()) {
        const long until = std::lround(sample["t"].GetDouble() / h);
        for (; steps < until; ++steps) ASSERT_TRUE(a.step(h, Vector::Zero(3)));
        const Vec3 axis = a.linkPose(0).rotation * Vec3::UnitZ();
        error[fine] = std::max(error[fine], (axis - Vec3(numbers(sample["axis_world"]))).norm());
        const Vec6 u = a.centroidalMomentum();
        const Vec3 about = u.tail<3>() + a.centerOfMass().cross(u.head<3>());
        upright = std::max(upright, std::abs(about.z() - one["L_vertical"].GetDouble()));
        along = std::max(along, std::abs(about.dot(axis) - one["L_axis"].GetDouble()));
        const double theta = std::acos(axis.z());
        EXPECT_GT(theta, one["theta_min_max"][0].GetDouble() - 1e-4);
        EXPECT_LT(theta, one["theta_min_max"][1].GetDouble() + 1e-4);
      }
      EXPECT_LT(upright, fine != 0 ? 2e-7 : 8e-7);  // measured 7.9e-8 and 3.2e-7: of second order
      EXPECT_LT(along, 6e-17);
      EXPECT_LT(std::abs(a.kineticEnergy() + a.potentialEnergy() - energy), fine != 0 ? 4e-9 : 1.6e-8);
    }
    EXPECT_NEAR(std::log2(error[0] / error[1]), 2.0, 0.05);
    EXPECT_LT(error[1], 5e-4);  // measured 2.4e-4, after 1.5 s and 30 turns
  }
}

// 10,000 links in a row: every algorithm is a loop, and forward and inverse dynamics still agree.
TEST(LongChain, OfTenThousandLinksIsSolved) {
  Random random(3);
  ArticulationDesc desc = pendulum(10000, 0.1, 1.0);
  for (LinkDesc& link : desc.links) link.axis = random.direction();
  Articulation a(desc);
  a.setState(random.numbers(10000, 0.01), random.numbers(10000, 0.01));
  const Vector efforts = random.numbers(10000);
  const Vector back = a.inverseDynamics(a.forwardDynamics(efforts));
  EXPECT_LT((back - efforts).norm(), 3e-16 * a.biasForces().norm());  // measured 9.4e-17
}

TEST(InverseKinematics, ReachesWhatCanBeReachedWithinLimits) {
  Random random(4);
  int reached = 0;
  constexpr int kTrials = 50;
  for (int trial = 0; trial < kTrials; ++trial) {
    ArticulationDesc desc;
    for (int i = 0; i < 7; ++i) {
      LinkDesc link;
      link.parent = i - 1;
      link.placement.position = i == 0 ? Vec3(Vec3::Zero()) : Vec3(0.0, 0.0, 0.3);
      link.axis = i % 2 == 0 ? Vec3(Vec3::UnitZ()) : Vec3(Vec3::UnitY());
      link.axes.push_back({.lower = -2.5, .upper = 2.5});
      desc.links.push_back(link);
    }
    Articulation a(desc);
    a.setState(random.numbers(7, 2.0), Vector::Zero(7));
    const Vec3 tool(0.0, 0.0, 0.2);
    const Pose goal{a.linkPose(6).point(tool), a.linkPose(6).rotation};
    a.setState(random.numbers(7, 1.0), Vector::Zero(7));
    const InverseKinematicsResult result = a.solveInverseKinematics(6, tool, goal, {.iterations = 500, .restarts = 20});
    EXPECT_LT(a.q().cwiseAbs().maxCoeff(), 2.5 + 1e-12);
    reached += result.converged ? 1 : 0;
    if (!result.converged) continue;
    EXPECT_LT((a.linkPose(6).point(tool) - goal.position).norm(), 1e-8);
    EXPECT_LT(a.linkPose(6).rotation.angularDistance(goal.rotation), 1e-7);
  }
  EXPECT_EQ(reached, kTrials);
}

TEST(Articulations, AreRefusedByNameIfTheyMakeNoSense) {
  const auto message = [](const ArticulationDesc& desc) {
    try {
      Articulation a(desc);
    } catch (const std::invalid_argument& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  ArticulationDesc desc = pendulum(2, 1.0, 1.0);
  EXPECT_EQ(message(desc), "");
  desc.links[1].parent = 1;
  EXPECT_NE(message(desc).find("links[1].parent"), std::string::npos);
  desc = pendulum(2, 1.0, 1.0);
  desc.links[0].axis.setZero();
  EXPECT_NE(message(desc).find("links[0].axis"), std::string::npos);
  desc = pendulum(2, 1.0, 1.0);
  desc.links[0].massProperties->mass = -1.0;
  EXPECT_NE(message(desc).find("massProperties.mass"), std::string::npos);
  desc = pendulum(2, 1.0, 1.0);
  desc.links[1].axes.push_back({.lower = 1.0, .upper = 0.0});
  EXPECT_NE(message(desc).find("links[1].axes[0].upper"), std::string::npos);
  desc = pendulum(2, 1.0, 1.0);
  desc.positions = {0.0};
  EXPECT_NE(message(desc).find("positions"), std::string::npos);
  desc = pendulum(2, 1.0, 1.0);
  desc.links[0].joint = LinkJoint::Spherical;
  desc.positions = {0.0, 0.0, 0.0, 0.0, 0.0};
  EXPECT_NE(message(desc).find("quaternion"), std::string::npos);
  EXPECT_NE(message({}).find("links"), std::string::npos);
}

// A massless link at the end has nothing that could be accelerated: it stays, everything else is as without it.
TEST(Articulations, WithMasslessEndsSaySoAndStayFinite) {
  ArticulationDesc desc = pendulum(3, 1.0, 1.0);
  desc.links[2].massProperties->mass = 0.0;
  desc.links[2].massProperties->inertia.setZero();
  Articulation a(desc), two(pendulum(2, 1.0, 1.0));
  a.setState(Vec3(0.3, 0.2, 0.1), Vec3(1.0, -1.0, 0.5));
  two.setState(Eigen::Vector2d(0.3, 0.2), Eigen::Vector2d(1.0, -1.0));
  const Vector found = a.forwardDynamics(Vector::Zero(3));
  EXPECT_TRUE(a.isSingular());
  EXPECT_TRUE(found.allFinite());
  EXPECT_LT((found.head<2>() - two.forwardDynamics(Vector::Zero(2))).norm(), 1e-12);
}

}  // namespace
}  // namespace cairn
