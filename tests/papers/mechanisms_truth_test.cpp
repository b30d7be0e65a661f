// Pendula and linkages in maximal coordinates against reference values that no engine computed (tests/data: h, i).
#include <gtest/gtest.h>

#include <numbers>

#include "cairn/cairn.hpp"
#include "papers/truth.hpp"

namespace cairn {
namespace {

Quat aboutY(double angle) { return Quat(Eigen::AngleAxisd(angle, Vec3::UnitY())); }

WorldSettings settingsOf(const std::string& stepper) {
  WorldSettings settings;
  settings.stepper = stepper;
  settings.sleep.enabled = false;
  settings.solver.tolerance = 1e-9;
  return settings;
}

BodyId addGround(World& world) {
  BodyDesc desc;
  desc.kind = BodyKind::Static;
  return world.addBody(desc);
}

// A uniform rod from `start` along `direction`, in the plane of x and z, its own x axis along it.
BodyId addRod(World& world, const Vec3& start, const Vec3& direction, double length, double mass, const Vec3& velocity,
              double spin) {
  BodyDesc desc;
  const double moment = mass * length * length / 12.0;
  desc.pose = {start + 0.5 * length * direction, aboutY(-std::atan2(direction.z(), direction.x()))};
  desc.massProperties = MassProperties{mass, Vec3::Zero(), Vec3(0.01 * moment, moment, moment).asDiagonal()};
  desc.angularVelocity = spin * Vec3::UnitY();
  desc.linearVelocity = velocity + desc.angularVelocity.cross(0.5 * length * direction);
  return world.addBody(desc);
}

JointId addHinge(World& world, BodyId a, BodyId b, const Vec3& place) {
  const auto local = [&](BodyId body) -> Vec3 { return world.state(body)->pose.inversePoint(place); };
  const auto axis = [&](BodyId body) -> Vec3 { return world.state(body)->pose.inverseDirection(Vec3::UnitY()); };
  JointDesc joint;
  joint.a = a;
  joint.b = b;
  joint.anchorA = local(a);
  joint.anchorB = local(b);
  joint.kind = HingeJoint{axis(a), axis(b)};
  return world.addJoint(joint);
}

struct Outcome {
  double farthest = 0.0;  // m, of the tip from where it should be, over the samples
  double drift = 0.0;     // of the energy, over the energy that could be
};

// All links start parallel, at theta from straight down.
Outcome pendulum(const rapidjson::Value& one, const std::string& stepper, double dt, double until) {
  World world(settingsOf(stepper));
  const int links = one["links"].GetInt();
  const double length = one["L"].GetDouble(), mass = one["M"].GetDouble(), theta = one["theta0"].GetDouble();
  const Vec3 direction(std::sin(theta), 0.0, -std::cos(theta));
  BodyId before = addGround(world);
  Vec3 place = Vec3::Zero();
  for (int i = 0; i < links; ++i) {
    const BodyId rod = addRod(world, place, direction, length, mass, Vec3::Zero(), 0.0);
    addHinge(world, before, rod, place);
    before = rod;
    place += length * direction;
  }
  const double start = world.energy().total(), scale = links * mass * 9.81 * links * length;
  Outcome outcome;
  double time = 0.0;
  for (const rapidjson::Value& sample : one["samples"].GetArray()) {
    if (sample["t"].GetDouble() > until) break;
    for (; time < sample["t"].GetDouble() - 0.5 * dt; time += dt) {
      EXPECT_EQ(world.step(dt).status, StepStatus::Ok);
      outcome.drift = std::max(outcome.drift, std::abs(world.energy().total() - start) / scale);
    }
    const Pose pose = world.state(before)->pose;
    const Vec3 tip = pose.point({0.5 * length, 0.0, 0.0});
    const Vec3 truth(sample["tip_xy"][0].GetDouble(), 0.0, sample["tip_xy"][1].GetDouble());
    outcome.farthest = std::max(outcome.farthest, (tip - truth).norm());
  }
  return outcome;
}

TEST(MechanismTruth, Pendula) {
  const rapidjson::Document data = truth("h_pendula");
  struct Bound {
    std::size_t which;
    double until, soft, implicit;  // s; m, three times what was measured at 1e-3 s
  };
  // Longer ones are chaos: the error of a step grows tenfold in half a second.
  for (const Bound& bound : {Bound{0, 10.0, 2.7e-3, 8.1e-3}, Bound{1, 1.0, 3.9e-3, 1.2e-2}, Bound{2, 10.0, 7.7e-4, 2.3e-3},
                             Bound{3, 0.5, 4.8e-3, 1.4e-2}, Bound{4, 0.25, 1.4e-3, 4.2e-3}, Bound{5, 1.0, 4.9e-4, 1.4e-3}}) {
    const rapidjson::Value& one = data["cases"][static_cast<rapidjson::SizeType>(bound.which)];
    for (const char* stepper : {"soft", "implicit"}) {
      const Outcome outcome = pendulum(one, stepper, 1e-3, bound.until);
      std::printf("pendulum %zu, %s: %.2e m, energy %.1e\n", bound.which, stepper, outcome.farthest, outcome.drift);
      EXPECT_LT(outcome.farthest, std::string(stepper) == "soft" ? bound.soft : bound.implicit) << bound.which << " " << stepper;
      EXPECT_LT(outcome.drift, 0.01) << bound.which << " " << stepper;
    }
  }
}

TEST(MechanismTruth, CrankRocker) {
  const rapidjson::Document data = truth("i_linkages");
  const rapidjson::Value& one = data["crank_rocker"];
  for (const char* stepper : {"soft", "implicit"}) {
    World world(settingsOf(stepper));
    const BodyId ground = addGround(world);
    std::array<Vec3, 3> along;
    std::array<double, 3> lengths{}, spins{};
    for (rapidjson::SizeType i = 0; i < 3; ++i) {
      const double angle = one["y0"][i].GetDouble();
      along[i] = Vec3(std::cos(angle), 0.0, std::sin(angle));
      lengths[i] = one["lengths"][i].GetDouble();
      spins[i] = -one["y0"][i + 3].GetDouble();  // counter-clockwise as seen from -y
    }
    const Vec3 pin = lengths[0] * along[0], top = pin + lengths[1] * along[1];
    const BodyId crank = addRod(world, Vec3::Zero(), along[0], lengths[0], lengths[0], Vec3::Zero(), spins[0]);
    const BodyId coupler = addRod(world, pin, along[1], lengths[1], lengths[1], spins[0] * Vec3::UnitY().cross(pin), spins[1]);
    const BodyId rocker = addRod(world, Vec3::UnitX(), along[2], lengths[2], lengths[2], Vec3::Zero(), spins[2]);
    const JointId axle = addHinge(world, ground, crank, Vec3::Zero());
    addHinge(world, crank, coupler, pin);
    addHinge(world, coupler, rocker, top);
    addHinge(world, ground, rocker, Vec3::UnitX());
    double time = 0.0, worst = 0.0, gap = 0.0;
    for (const rapidjson::Value& sample : one["samples"].GetArray()) {
      if (sample["t"].GetDouble() > 1.0) break;
      for (; time < sample["t"].GetDouble() - 5e-4; time += 1e-3) {
        ASSERT_EQ(world.step(1e-3).status, StepStatus::Ok);
        gap = std::max(gap, world.jointError());
      }
      // The axis counts turns from the start.
      const double turned = -world.axis(axle, 0)->position;
      worst = std::max(worst, std::abs(turned - (sample["q"][0].GetDouble() - one["y0"][0].GetDouble())));
    }
    std::printf("crank-rocker, %s: %.2e rad, gap %.1e m\n", stepper, worst, gap);
    EXPECT_LT(worst, 5e-3) << stepper;
    EXPECT_LT(gap, 1e-4) << stepper;
  }
}

// N+1 upright rods with bars across their tops: all collinear twice in a revolution.
TEST(MechanismTruth, FourBarsInARow) {
  const rapidjson::Document data = truth("i_linkages");
  for (const rapidjson::SizeType which : {0u, 1u}) {
    const rapidjson::Value& one = data["n_four_bar"]["cases"][which];
    const int n = one["N"].GetInt();
    World world(settingsOf("implicit"));
    const BodyId ground = addGround(world);
    // 1 m/s to the right at the top: the energy says.
    const double energy = one["total_energy_zero_at_pivots"].GetDouble();
    const double potential = 9.81 * (0.5 * (n + 1) + n);
    const double inertia = (n + 1) / 3.0 + n, spin = std::sqrt(2.0 * (energy - potential) / inertia);
    std::vector<BodyId> rods;
    for (int i = 0; i <= n; ++i) {
      rods.push_back(addRod(world, {1.0 * i, 0.0, 0.0}, Vec3::UnitZ(), 1.0, 1.0, Vec3::Zero(), spin));
      addHinge(world, ground, rods.back(), {1.0 * i, 0.0, 0.0});
    }
    for (int i = 0; i < n; ++i) {
      const BodyId bar = addRod(world, {1.0 * i, 0.0, 1.0}, Vec3::UnitX(), 1.0, 1.0, {spin, 0.0, 0.0}, 0.0);
      addHinge(world, rods[i], bar, {1.0 * i, 0.0, 1.0});
      addHinge(world, rods[i + 1], bar, {i + 1.0, 0.0, 1.0});
    }
    EXPECT_NEAR(world.energy().total(), energy, 1e-3);
    double time = 0.0, worst = 0.0;
    for (const rapidjson::Value& sample : one["samples"].GetArray()) {
      if (sample["t"].GetDouble() > 2.0) break;
      for (; time < sample["t"].GetDouble() - 5e-4; time += 1e-3) ASSERT_EQ(world.step(1e-3).status, StepStatus::Ok);
      const Vec3 tip = world.state(rods[0])->pose.point({0.5, 0.0, 0.0});
      worst = std::max(worst, (tip - Vec3(sample["B0_xy"][0].GetDouble(), 0.0, sample["B0_xy"][1].GetDouble())).norm());
    }
    std::printf("%d four-bars: %.2e m, energy %.1e\n", n, worst, std::abs(world.energy().total() - energy) / energy);
    EXPECT_LT(worst, 2e-2) << n;
    EXPECT_LT(std::abs(world.energy().total() - energy), 0.1) << n;
  }
}

}  // namespace
}  // namespace cairn
