// The stepper "implicit" on mechanisms: what its joints hold, and what they leave alone.
#include <numbers>

#include "world/building.hpp"

namespace cairn::test {
namespace {

WorldSettings implicitly() {
  WorldSettings settings;
  settings.stepper = "implicit";
  return settings;
}

// A rod of 1 m, let go horizontally. Backward Euler loses a fifth of its energy in 10 s; SHAKE none, but for what swings
// with the step: velocities are those of half a step before.
TEST(Implicit, APendulumSwingsOn) {
  for (const bool hinged : {false, true}) {
    World world(implicitly());
    const BodyId rod = world.addBody(solid(Box{Vec3(0.5, 0.05, 0.05)}, {0.5, 0, 0}));
    JointDesc joint;
    joint.a = addAnchor(world);
    joint.b = rod;
    joint.anchorB = {-0.5, 0, 0};
    if (hinged) joint.kind = HingeJoint{{0, 1, 0}, {0, 1, 0}};
    world.addJoint(joint);
    double worst = 0.0, highest = -1.0;
    for (int i = 0; i < 600; ++i) {
      worst = std::max(worst, world.step(kDt).jointError);
      if (i > 500) highest = std::max(highest, world.state(rod)->center.z());
    }
    EXPECT_LT(worst, 1e-8);
    EXPECT_NEAR(highest, 0.0, 2e-3);  // the last apex
  }
}

// A crank of 0.1 m on a coupler of 0.35 m and a rocker of 0.25 m, spun at one turn a second, without gravity: the energy
// stays, so the crank goes on turning.
TEST(Implicit, ACrankRockerTurnsOn) {
  WorldSettings settings = implicitly();
  settings.gravity = Vec3::Zero();
  World world(settings);
  const BodyId ground = addAnchor(world);
  const Vec3 pin(0, 0, 0.1), pivot(0.35, 0, 0), across = pivot - pin;
  const double length = across.norm(), along = (0.35 * 0.35 - 0.25 * 0.25 + length * length) / (2.0 * length);
  const Vec3 ahead = across / length, aside(-ahead.z(), 0, ahead.x());
  const Vec3 knee = pin + along * ahead + std::sqrt(0.35 * 0.35 - along * along) * aside;
  const auto turned = [](double spin, const Vec3& arm) { return Vec3(0, spin, 0).cross(arm); };
  const auto link = [&](const Vec3& from, const Vec3& to, const Vec3& fromSpeed, double spin) {
    BodyDesc desc = solid(Box{Vec3(0.5 * (to - from).norm(), 0.01, 0.01)}, 0.5 * (from + to));
    desc.pose.rotation = Quat::FromTwoVectors(Vec3::UnitX(), (to - from).normalized());
    desc.shapes[0].collidesWith = 0;
    desc.angularVelocity = {0, spin, 0};
    desc.linearVelocity = fromSpeed + turned(spin, 0.5 * (to - from));
    return world.addBody(desc);
  };
  // v_pin + w_coupler x (knee - pin) = w_rocker x (knee - pivot)
  const double crankSpin = 2.0 * std::numbers::pi;
  const Vec3 speed = turned(crankSpin, pin), r = knee - pin, s = knee - pivot;
  const double det = r.z() * s.x() - s.z() * r.x();
  const double couplerSpin = (-speed.x() * s.x() - s.z() * speed.z()) / det;
  const double rockerSpin = (-r.z() * speed.z() - r.x() * speed.x()) / det;
  const BodyId crank = link(Vec3::Zero(), pin, Vec3::Zero(), crankSpin);
  const BodyId coupler = link(pin, knee, speed, couplerSpin);
  const BodyId rocker = link(pivot, knee, Vec3::Zero(), rockerSpin);
  const auto hinge = [&](BodyId a, BodyId b, const Vec3& at) {
    const Pose poseA = world.state(a)->pose, poseB = world.state(b)->pose;
    JointDesc joint;
    joint.a = a;
    joint.b = b;
    joint.kind = HingeJoint{poseA.inverseDirection(Vec3::UnitY()), poseB.inverseDirection(Vec3::UnitY())};
    joint.anchorA = poseA.inversePoint(at);
    joint.anchorB = poseB.inversePoint(at);
    world.addJoint(joint);
  };
  hinge(ground, crank, Vec3::Zero());
  hinge(crank, coupler, pin);
  hinge(coupler, rocker, knee);
  hinge(ground, rocker, pivot);
  const double start = world.energy().total();
  double angle = 0.0, least = start, most = start;
  for (int i = 0; i < 600; ++i) {
    const StepReport report = world.step(kDt);
    EXPECT_TRUE(report.method.message.empty()) << report.method.message;
    EXPECT_LT(report.jointError, 1e-7);
    angle += kDt * world.state(crank)->angularVelocity.y();
    least = std::min(least, world.energy().total());
    most = std::max(most, world.energy().total());
  }
  EXPECT_GT(least, 0.99 * start);
  EXPECT_LT(most, 1.08 * start);
  EXPECT_NEAR(angle, 11.8 * 2.0 * std::numbers::pi, 0.1 * 2.0 * std::numbers::pi);  // 11.80: soft, 11.85: implicit
}

}  // namespace
}  // namespace cairn::test
