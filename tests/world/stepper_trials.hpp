// Trials that every stepper takes: each gives one number that says how wrong it went, and the most that is allowed.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <string>
#include <vector>

#include "world/building.hpp"

namespace cairn::test {

struct TrialResult {
  double wrong = 0.0;
  std::string refusal{};  // not empty: the stepper does not take it, and says why
};
struct Trial {
  std::string name;
  std::string unit;  // of what it measures
  double most;
  std::function<TrialResult(const std::string& stepper)> run;
};

// A world under a stepper. Steppers without friction get a smooth one, if friction is not what is tried.
class TrialWorld {
 public:
  explicit TrialWorld(const std::string& stepper, bool needsFriction = false, const Vec3& gravity = {0, 0, -kGravity})
      : hasFriction_(stepper != "gauss" || needsFriction) {
    WorldSettings settings;
    settings.stepper = stepper;
    settings.gravity = gravity;
    world_ = World(settings);
  }
  World& operator*() { return world_; }
  World* operator->() { return &world_; }
  Material material(double friction = 0.5, double restitution = 0.0) const {
    return {.friction = hasFriction_ ? friction : 0.0, .restitution = restitution};
  }
  // False if it was refused, or did not go on.
  bool step(double dt = kDt) {
    const StepReport report = world_.step(dt);
    if (report.status == StepStatus::Ok) return true;
    refusal_ = report.refusal();
    if (refusal_.empty()) refusal_ = "(no reason given)";
    return false;
  }
  TrialResult result(double wrong) const { return {wrong, refusal_}; }

 private:
  World world_;
  bool hasFriction_;
  std::string refusal_;
};

// A ball of 10 cm falls 2 m on a plate of 5 cm: how deep it gets into it, m.
inline TrialResult thinPlate(const std::string& stepper) {
  TrialWorld world(stepper);
  world->addBody(fixedSolid(Box{Vec3(1, 1, 0.025)}, Vec3(0, 0, -0.025), world.material()));
  const BodyId ball = world->addBody(solid(Sphere{0.05}, Vec3(0.1, 0.07, 2.05), world.material()));
  double deepest = 0.0;
  for (int i = 0; i < 90 && world.step(); ++i) deepest = std::max(deepest, 0.05 - world->state(ball)->center.z());
  return world.result(deepest);
}

// Balls of 10 mm against a sheet of 2 mm at 5 and 900 m/s: how far the fastest got beyond its surface, m.
inline TrialResult bullet(const std::string& stepper) {
  TrialResult worst;
  for (const double speed : {5.0, 30.0, 900.0}) {
    TrialWorld world(stepper, false, Vec3::Zero());
    world->addBody(fixedSolid(Box{Vec3(0.001, 0.5, 0.5)}, Vec3::Zero(), world.material()));
    BodyDesc desc = solid(Sphere{0.005}, Vec3(-1.03, 0.01, 0.02), world.material());
    desc.linearVelocity = Vec3(speed, 0, 0);
    const BodyId ball = world->addBody(desc);
    const int steps = std::max(4, static_cast<int>(1.5 / (speed * kDt)));
    for (int i = 0; i < steps && world.step(); ++i)
      worst.wrong = std::max(worst.wrong, world->state(ball)->center.x() + 0.005 + 0.001);
    worst.refusal = world.result(0.0).refusal;
  }
  return worst;
}

// A rod of 2 m turns into a post: of ten speeds, at how many it is not stopped in half a second, or gains energy.
inline TrialResult spinningRod(const std::string& stepper) {
  TrialResult worst;
  for (const double spin : {5.0, 20.0, 50.0, 90.0, 96.0, 100.0, 150.0, 200.0, 300.0, 400.0}) {
    TrialWorld world(stepper, false, Vec3::Zero());
    world->addBody(fixedSolid(Box{Vec3(0.05, 0.05, 0.5)}, Vec3(0.8, 0, 0), world.material()));
    BodyDesc rod = solid(Box{Vec3(0.03, 1.0, 0.03)}, Vec3::Zero(), world.material());
    rod.angularVelocity = Vec3(0, 0, spin);
    const BodyId id = world->addBody(rod);
    const double start = world->energy().kinetic;
    double most = 0.0;
    for (int i = 0; i < 30 && world.step(); ++i) most = std::max(most, world->energy().kinetic);
    const bool touched = (world->state(id)->angularVelocity - Vec3(0, 0, spin)).norm() > 0.01 * spin;
    worst.wrong += touched && most < 1.001 * start ? 0.0 : 1.0;
    worst.refusal = world.result(0.0).refusal;
  }
  return worst;
}

// A ball rolls at 3 m/s over abutting boxes of 0.5 m: how high it hops, m.
inline TrialResult tiledFloor(const std::string& stepper) {
  TrialWorld world(stepper);
  for (int i = 0; i < 22; ++i)
    world->addBody(fixedSolid(Box{Vec3(0.25, 0.5, 0.1)}, Vec3(0.5 * i, 0, -0.1), world.material()));
  BodyDesc ball = solid(Sphere{0.2}, Vec3(0, 0.03, 0.2), world.material());
  ball.linearVelocity = Vec3(3, 0, 0);
  ball.angularVelocity = Vec3(0, 15, 0);
  const BodyId id = world->addBody(ball);
  double highest = 0.0;
  for (int i = 0; i < 180 && world.step(); ++i) highest = std::max(highest, world->state(id)->center.z() - 0.2);
  return world.result(highest);
}

// e = 1, dropped from 1 m, twenty bounces: how far the highest apex is above the start, or the first one below it, m.
inline TrialResult elasticBounces(const std::string& stepper) {
  TrialWorld world(stepper);
  world->addBody(fixedSolid(Plane{}, Vec3::Zero(), world.material(0.5, 1.0)));
  const BodyId ball = world->addBody(solid(Sphere{0.1}, Vec3(0, 0, 1.1), world.material(0.5, 1.0)));
  double before = 0.0, first = 0.0, highest = 0.0;
  int apexes = 0;
  for (int i = 0; i < 1200 && apexes < 20 && world.step(); ++i) {
    const BodyState state = *world->state(ball);
    // Its own apex, from where it is and how fast it rises.
    const double rise = state.linearVelocity.z();
    if (before > 0.0 && rise <= 0.0) {
      const double apex = state.center.z() - 0.1 + 0.5 * rise * rise / kGravity;
      if (apexes++ == 0) first = apex;
      highest = std::max(highest, apex);
    }
    before = rise;
  }
  return world.result(std::max(highest - 1.0, 1.0 - first));
}

// A ball bounces beside a lift with a load of a ton: by which share its speed after the bounce is off from that without.
inline TrialResult liftBesideBall(const std::string& stepper) {
  double speeds[2] = {};
  TrialResult result;
  for (const bool lift : {false, true}) {
    TrialWorld world(stepper);
    world->addBody(fixedSolid(Plane{}, Vec3::Zero(), world.material(0.5, 0.0)));
    const BodyId ball = world->addBody(solid(Sphere{0.1}, Vec3(0, 0, 1.1), world.material(0.5, 0.8)));
    if (lift) {
      BodyDesc platform = fixedSolid(Box{Vec3(0.5, 0.5, 0.1)}, Vec3(3, 0, 1.0), world.material());
      platform.kind = BodyKind::Kinematic;
      platform.linearVelocity = Vec3(0, 0, 2.0);
      world->addBody(platform);
      BodyDesc load = solid(Box{Vec3(0.4, 0.4, 0.4)}, Vec3(3, 0, 1.5), world.material());
      load.mass = 1000.0;
      load.linearVelocity = Vec3(0, 0, 2.0);
      world->addBody(load);
    }
    for (int i = 0; i < 50 && world.step(); ++i)
      speeds[lift ? 1 : 0] = std::max(speeds[lift ? 1 : 0], world->state(ball)->linearVelocity.z());
    result = world.result(0.0);
  }
  result.wrong = speeds[0] > 0.0 ? std::abs(speeds[1] / speeds[0] - 1.0) : 1.0;
  return result;
}

// A plank on a ridge with a weight at one end: by which share its angle after 0.4 s is off from that of a rigid see-saw.
inline TrialResult seeSaw(const std::string& stepper) {
  TrialWorld world(stepper, true);
  constexpr double kLoad = 40.0, kPlank = 20.0, kArm = 1.5, kHalf = 2.0;
  world->addBody(fixedSolid(Plane{}, Vec3::Zero(), world.material(0.8)));
  world->addBody(
      fixedSolid(ConvexHull{{{-0.3, -0.5, 0}, {0.3, -0.5, 0}, {0, -0.5, 1.0}, {-0.3, 0.5, 0}, {0.3, 0.5, 0}, {0, 0.5, 1.0}}},
                 Vec3::Zero(), world.material(0.8)));
  BodyDesc plank = solid(Box{Vec3(kHalf, 0.3, 0.025)}, Vec3(0, 0, 1.025), world.material(0.8));
  plank.mass = kPlank;
  BodyDesc load = solid(Box{Vec3(0.15, 0.15, 0.15)}, Vec3(kArm, 0, 1.2), world.material(0.8));
  load.mass = kLoad;
  const BodyId id = world->addBody(plank);
  world->addBody(load);
  for (int i = 0; i < 24 && world.step(); ++i) {
  }
  const Vec3 along = world->state(id)->pose.rotation * Vec3::UnitX();
  const double angle = -std::asin(std::clamp(along.z(), -1.0, 1.0));
  // About the ridge: I a = M g d cos(angle) + ..., integrated in small steps; centres are a little above the ridge.
  const double inertia = kPlank * (4.0 * kHalf * kHalf + 0.05 * 0.05) / 12.0 + kPlank * 0.025 * 0.025 +
                         kLoad * (kArm * kArm + 0.2 * 0.2 + 0.3 * 0.3 / 6.0);
  double wanted = 0.0, rate = 0.0;
  constexpr int kPieces = 40000;
  for (int i = 0; i < kPieces; ++i) {
    const double torque =
        kGravity * (kLoad * (kArm * std::cos(wanted) + 0.2 * std::sin(wanted)) + kPlank * 0.025 * std::sin(wanted));
    rate += 24 * kDt / kPieces * torque / inertia;
    wanted += 24 * kDt / kPieces * rate;
  }
  return world.result(std::abs(angle / wanted - 1.0));
}

// A disc slides to a stop from 2 m/s, along thirty headings: by which share the way is off from v^2/(2 mu g), at worst.
inline TrialResult diagonalFriction(const std::string& stepper) {
  TrialResult worst;
  for (int heading = 0; heading < 30; ++heading) {
    TrialWorld world(stepper, true);
    const Material material = world.material(0.4);
    world->addBody(fixedSolid(Plane{}, Vec3::Zero(), material));
    const double angle = heading * std::numbers::pi / 30.0;
    BodyDesc disc = solid(Cylinder{0.3, 0.05}, Vec3(0, 0, 0.05), material);
    disc.linearVelocity = 2.0 * Vec3(std::cos(angle), std::sin(angle), 0);
    const BodyId id = world->addBody(disc);
    for (int i = 0; i < 60 && world.step(); ++i) {
    }
    const Vec3 end = world->state(id)->center;
    const double way = 4.0 / (2.0 * 0.4 * kGravity);
    const double off = (Vec3(end.x(), end.y(), 0) - way * Vec3(std::cos(angle), std::sin(angle), 0)).norm();
    worst.wrong = std::max(worst.wrong, off / way);
    worst.refusal = world.result(0.0).refusal;
  }
  return worst;
}

// A ball falls through air with drag 1/s for 1 s: by which share its speed is off from g (1 - exp(-t)).
inline TrialResult drag(const std::string& stepper) {
  TrialWorld world(stepper);
  BodyDesc ball = solid(Sphere{0.1}, Vec3(0, 0, 10), world.material());
  ball.mass = 2.0;
  ball.drag.linear = 2.0;
  const BodyId id = world->addBody(ball);
  for (int i = 0; i < 60 && world.step(); ++i) {
  }
  return world.result(std::abs(-world->state(id)->linearVelocity.z() / (kGravity * (1.0 - std::exp(-1.0))) - 1.0));
}

// A box between two walls that are 2 mm too close: how fast it ever gets, m/s. It cannot be pushed out.
inline TrialResult wedge(const std::string& stepper) {
  TrialWorld world(stepper);
  world->addBody(fixedSolid(Plane{}, Vec3::Zero(), world.material()));
  for (const double side : {-1.0, 1.0})
    world->addBody(fixedSolid(Box{Vec3(0.2, 0.5, 0.5)}, Vec3(0.699 * side, 0, 0.5), world.material()));
  const BodyId box = world->addBody(solid(Box{Vec3(0.5, 0.3, 0.3)}, Vec3(0, 0, 0.3), world.material()));
  double fastest = 0.0;
  for (int i = 0; i < 120 && world.step(); ++i) fastest = std::max(fastest, world->state(box)->linearVelocity.norm());
  return world.result(fastest);
}

inline std::vector<Trial> stepperTrials() {
  return {{"thin plate", "m", 0.02, thinPlate},
          {"bullet", "m", 0.005, bullet},
          {"spinning rod", "of 10 speeds", 0.0, spinningRod},
          {"tiled floor", "m", 0.001, tiledFloor},
          {"elastic bounces", "m", 0.02, elasticBounces},
          {"lift beside a ball", "", 0.01, liftBesideBall},
          {"see-saw", "", 0.1, seeSaw},
          {"diagonal friction", "", 0.05, diagonalFriction},
          {"drag", "", 0.02, drag},
          {"wedge", "m/s", 0.2, wedge}};
}

}  // namespace cairn::test
