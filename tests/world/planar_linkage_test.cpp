// Linkages in a plane under the default stepper: bodies with locked axes are links of a tree like any other.
#include <numbers>

#include "world/building.hpp"

namespace cairn {
namespace {

// A crank-rocker on hinges, in the plane z = 0: lengths 0.3, 0.9 and 0.7 m (crank, coupler, rocker), 1 m of ground between
// the two pivots, rods of 1 kg/m, gravity along -y. Angles from +x.
struct Linkage {
  World world;
  std::array<BodyId, 3> rods;
  double angle, before;  // rad, of the crank

  explicit Linkage(bool locked) : world(settings()) {
    constexpr std::array<double, 3> kLengths{0.3, 0.9, 0.7};
    constexpr std::array<double, 3> kAngles{1.57079632679, 0.430827928783, 1.83417617636};
    constexpr std::array<double, 3> kSpins{10.0, -0.88012785358, 3.94932503058};
    const auto along = [&](int i) { return Vec3(std::cos(kAngles[i]), std::sin(kAngles[i]), 0.0); };
    const Vec3 end = kLengths[0] * along(0), top = end + kLengths[1] * along(1);
    const std::array<Vec3, 3> starts{Vec3::Zero(), end, Vec3::UnitX()};
    const BodyId ground = test::addAnchor(world);
    for (int i = 0; i < 3; ++i) {
      const Vec3 half = 0.5 * kLengths[i] * along(i), spin = kSpins[i] * Vec3::UnitZ();
      const double moment = std::pow(kLengths[i], 3) / 12.0;
      BodyDesc desc;
      desc.pose = {starts[i] + half, test::turn(kAngles[i], Vec3::UnitZ())};
      desc.massProperties = MassProperties{kLengths[i], Vec3::Zero(), Vec3(0.01 * moment, moment, moment).asDiagonal()};
      desc.angularVelocity = spin;
      desc.linearVelocity = spin.cross(half) + (i == 1 ? Vec3(kSpins[0] * Vec3::UnitZ().cross(end)) : Vec3::Zero());
      if (locked) desc.locks = {{false, false, true}, {true, true, false}};
      rods[i] = world.addBody(desc);
    }
    hinge(ground, rods[0], Vec3::Zero());
    hinge(rods[0], rods[1], end);
    hinge(rods[1], rods[2], top);
    hinge(ground, rods[2], Vec3::UnitX());
    angle = before = kAngles[0];
  }

  static WorldSettings settings() {
    WorldSettings settings;
    settings.gravity = {0.0, -test::kGravity, 0.0};
    return settings;
  }
  void hinge(BodyId a, BodyId b, const Vec3& place) {
    const auto local = [&](BodyId body) {
      const Pose pose = world.state(body)->pose;
      return Vec3(pose.rotation.conjugate() * (place - pose.position));
    };
    JointDesc joint;
    joint.a = a;
    joint.b = b;
    joint.anchorA = local(a);
    joint.anchorB = local(b);
    joint.kind = HingeJoint{};
    world.addJoint(joint);
  }
  void step(double dt) {
    ASSERT_EQ(world.step(dt).status, StepStatus::Ok);
    const Vec3 now = world.state(rods[0])->pose.rotation * Vec3::UnitX();
    angle += std::remainder(std::atan2(now.y(), now.x()) - before, 2.0 * std::numbers::pi);
    before = std::atan2(now.y(), now.x());
  }
};

// The crank's angle after a second, by integration of the closed chain to 1e-11 (its energy drifts by 5e-12 J).
constexpr double kAngleAfterASecond = 15.1474116522;

TEST(PlanarLinkage, ACrankRockerWithLockedAxesTurnsAsItShould) {
  for (const double dt : {1.0 / 60.0, 1e-3}) {
    Linkage linkage(true);
    double worst = 0.0;
    const int steps = static_cast<int>(std::lround(1.0 / dt));
    for (int i = 0; i < steps; ++i) {
      linkage.step(dt);
      worst = std::max(worst, linkage.world.jointError());
    }
    EXPECT_NEAR(linkage.angle, kAngleAfterASecond, 2e-3) << dt;  // 4e-4 and 7e-4
    EXPECT_LT(worst, 4e-4) << dt;                                // m: 1.3e-4
    for (const BodyId rod : linkage.rods) {
      const BodyState state = *linkage.world.state(rod);
      EXPECT_EQ(state.center.z(), 0.0);
      EXPECT_EQ(state.angularVelocity.x(), 0.0);
      EXPECT_EQ(state.angularVelocity.y(), 0.0);
    }
  }
}

// A slider that locks alone guide: it bears what the rod pushes across its way.
TEST(PlanarLinkage, ASliderOnLockedAxesKeepsToItsWay) {
  World world(Linkage::settings());
  BodyDesc slider;
  slider.massProperties = MassProperties{2.0, Vec3::Zero(), 0.01 * Mat3::Identity()};
  slider.locks = {{false, true, true}, {true, true, true}};
  const BodyId guide = world.addBody(slider);
  BodyDesc rod;
  rod.pose.position = {0.5, 0.0, 0.0};
  rod.massProperties = MassProperties{1.0, Vec3::Zero(), Vec3(0.001, 1.0 / 12.0, 1.0 / 12.0).asDiagonal()};
  const BodyId swing = world.addBody(rod);
  JointDesc joint;
  joint.a = guide;
  joint.b = swing;
  joint.anchorB = {-0.5, 0.0, 0.0};
  joint.kind = HingeJoint{};
  world.addJoint(joint);
  const double energy = world.energy().total();
  double worst = 0.0, drift = 0.0;
  for (int i = 0; i < 120; ++i) {
    ASSERT_EQ(world.step(test::kDt).status, StepStatus::Ok);
    worst = std::max(worst, world.jointError());
    drift = std::max(drift, std::abs(world.energy().total() - energy));
  }
  const BodyState end = *world.state(guide);
  EXPECT_EQ(end.center.y(), 0.0);
  EXPECT_EQ(end.angularVelocity.norm(), 0.0);
  EXPECT_LT(worst, 6e-5);  // m: 2.2e-5
  EXPECT_LT(drift, 0.15);  // J, of 9.81 that the swing turns over: 0.10
  // Nothing pushes along x: the centre of mass of the two stays where it was.
  const double middle = (2.0 * end.center.x() + world.state(swing)->center.x()) / 3.0;
  EXPECT_NEAR(middle, 0.5 / 3.0, 1e-3);
}

}  // namespace
}  // namespace cairn
