// The stepper "acceleration" against closed forms and against reference values that no engine computed. Those come from
// files of reference values named beside them (a_tippe_top.json and so on), made by closed form or by integration to 1e-11.
#include <ctime>
#include <random>

#include "cairn/contact_problem.hpp"
#include "world/building.hpp"

namespace cairn {
namespace {

using test::fixedSolid;
using test::solid;

WorldSettings acceleration() {
  WorldSettings settings;
  settings.stepper = "acceleration";
  settings.restitutionSpeed = 0.0;
  return settings;
}

void advance(World& world, double seconds, double dt) {
  const int steps = static_cast<int>(std::ceil(seconds / dt - 1e-9));
  for (int i = 0; i < steps; ++i) ASSERT_EQ(world.step(seconds / steps).status, StepStatus::Ok);
}

Material rough(double friction, double restitution = 0.0) {
  Material material;
  material.friction = friction;
  material.restitution = restitution;
  return material;
}

// d_sphere_slide_roll.json: v, spin and t = 2 (v0 - w0 R)/(7 mu g) in closed form.
TEST(Acceleration, AThrownBallRollsAtTheRightTime) {
  struct Case {
    double v0, omega0, mu, radius, mass, tRoll, vFinal, xAtRoll;
  };
  for (const Case& c : {Case{2.0, 0.0, 0.3, 0.5, 1.0, 0.19416533178, 1.42857142857, 0.33285485448},
                        Case{5.0, 0.0, 0.1, 0.1, 2.0, 1.45623998835, 3.57142857143, 6.2410285215},
                        Case{1.0, 0.0, 0.8, 0.25, 0.5, 0.0364059997088, 0.714285714286, 0.0312051426075},
                        Case{3.0, -20.0, 0.25, 0.2, 1.0, 0.815494393476, 1.0, 1.63098878695},
                        Case{0.0, 40.0, 0.4, 0.15, 1.0, 0.436871996505, 1.71428571429, 0.37446171129}}) {
    World world(acceleration());
    world.addBody(fixedSolid(Plane{}, Vec3::Zero(), rough(c.mu)));
    BodyDesc desc = solid(Sphere{c.radius}, {0, 0, c.radius}, rough(c.mu));
    desc.mass = c.mass;
    desc.linearVelocity = {c.v0, 0, 0};
    desc.angularVelocity = {0, c.omega0, 0};
    const BodyId ball = world.addBody(desc);
    const auto slip = [&] {
      const BodyState state = *world.state(ball);
      return std::abs(state.linearVelocity.x() - c.radius * state.angularVelocity.y());
    };
    advance(world, c.tRoll - 1e-7, 1.0 / 60);
    // Slip ends at the rate 7/2 mu g.
    EXPECT_NEAR(slip() / (3.5 * c.mu * 9.81), 1e-7, 1e-8);
    advance(world, 2e-7, 2e-7);
    EXPECT_LT(slip(), 1e-12);
    EXPECT_NEAR(world.state(ball)->center.x(), c.xAtRoll + 1e-7 * c.vFinal, 2e-9);
    advance(world, 0.5, 1.0 / 60);
    EXPECT_NEAR(world.state(ball)->linearVelocity.x(), c.vFinal, 1e-9);
    EXPECT_NEAR(world.state(ball)->center.z(), c.radius, 1e-12);
  }
}

// e_incline.json: sticks iff tan(angle) <= mu, else g (sin - mu cos); v0 = 1 stops after v0/(g (mu cos - sin)).
TEST(Acceleration, ABlockOnASlopeSticksOrSlidesAsCoulombSays) {
  for (const double mu : {0.3, 0.8}) {
    for (const double ratio : {0.5, 0.999, 1.001, 1.1, 1.5}) {
      const double angle = std::atan(ratio * mu), g = 9.81;
      WorldSettings settings = acceleration();
      settings.gravity = {g * std::sin(angle), 0, -g * std::cos(angle)};
      World world(settings);
      world.addBody(fixedSolid(Plane{}, Vec3::Zero(), rough(mu)));
      const BodyId box = world.addBody(solid(Box{Vec3(0.5, 0.5, 0.1)}, {0, 0, 0.1}, rough(mu)));
      advance(world, 1.0, 1.0 / 60);
      const double expected = ratio <= 1.0 ? 0.0 : g * (std::sin(angle) - mu * std::cos(angle));
      // Slip that begins slower than the integration's tolerance (1e-9 of what gravity adds in a step, for each step) has a
      // direction to find.
      EXPECT_NEAR(world.state(box)->linearVelocity.x(), expected, 1e-8) << mu << " " << ratio;
      EXPECT_NEAR(world.state(box)->center.x(), 0.5 * expected, 1e-8);
      if (ratio != 0.5) continue;
      const double stop = 1.0 / (g * (mu * std::cos(angle) - std::sin(angle)));
      const double from = world.state(box)->center.x();
      world.setVelocity(box, {1.0, 0, 0}, Vec3::Zero());
      advance(world, stop + 0.1, 1.0 / 60);
      EXPECT_NEAR(world.state(box)->center.x() - from, 0.5 * stop, 1e-8);
      EXPECT_LT(world.state(box)->linearVelocity.norm(), 1e-12);
    }
  }
}

// f_bouncing_ball.json, H = 1 m: bounces at t1 (1 + 2 e + 2 e^2 + ...), t1 = sqrt(2 H/g).
TEST(Acceleration, ABallBouncesAtTheRightTimes) {
  for (const std::string location : {"bisection", "conservative"}) {
    for (const double e : {0.5, 0.8, 0.95}) {
      WorldSettings settings = acceleration();
      settings.acceleration.location = location;
      World world(settings);
      world.addBody(fixedSolid(Plane{}, Vec3::Zero(), rough(0.5, e)));
      const BodyId ball = world.addBody(solid(Sphere{0.1}, {0, 0, 1.1}, rough(0.5, e)));
      const double fall = std::sqrt(2.0 / 9.81);
      double bounce = fall, flight = 2.0 * e * fall;
      for (int n = 1; n <= 12; ++n) {
        // Just before the bounce it falls, just after it rises, with e^n of the first speed.
        const double speed = 9.81 * fall * std::pow(e, n);
        advance(world, bounce - 1e-7 - world.time(), 1.0 / 60);
        EXPECT_NEAR(world.state(ball)->linearVelocity.z(), -speed / e + 9.81e-7, 2e-7) << e << " bounce " << n;
        advance(world, 2e-7, 2e-7);
        EXPECT_NEAR(world.state(ball)->linearVelocity.z(), speed - 9.81e-7, 2e-7) << e << " bounce " << n;
        bounce += flight;
        flight *= e;
      }
      if (e > 0.9) continue;
      advance(world, fall * (1.0 + 2.0 * e / (1.0 - e)) + 0.1 - world.time(), 1.0 / 60);
      EXPECT_LT(world.state(ball)->linearVelocity.norm(), 1e-12);
      EXPECT_NEAR(world.state(ball)->center.z(), 0.1, 1e-9);
    }
  }
}

// Every law of impact gives a ball without friction the same: v+ = -e v-.
TEST(Acceleration, TakesEveryImpactLaw) {
  for (const ImpactLaw law : {ImpactLaw::Newton, ImpactLaw::Poisson, ImpactLaw::Stronge, ImpactLaw::ChatterjeeRuina}) {
    for (const std::string order : {"simultaneous", "sequential"}) {
      WorldSettings settings = acceleration();
      settings.impact.order = order;
      World world(settings);
      Material material = rough(0.0, 0.6);
      material.impact = law;
      world.addBody(fixedSolid(Plane{}, Vec3::Zero(), material));
      BodyDesc desc = solid(Sphere{0.1}, {0, 0, 0.15}, material);
      desc.linearVelocity = {1, 0, -3};
      const BodyId ball = world.addBody(desc);
      const double energy = world.energy().kinetic;
      const StepReport report = world.step(1.0 / 30);
      ASSERT_EQ(world.impacts().size(), 1u);
      const ImpactRecord& impact = world.impacts()[0];
      const double approach = std::sqrt(9.0 + 2.0 * 9.81 * 0.05);
      EXPECT_NEAR(impact.approach, approach, 1e-9);
      EXPECT_NEAR(world.state(ball)->linearVelocity.z(), 0.6 * approach - 9.81 * (1.0 / 30 - (approach - 3.0) / 9.81), 1e-7);
      EXPECT_NEAR(impact.gain(), -0.5 * world.massProperties(ball)->mass * 0.64 * approach * approach, 1e-6);
      EXPECT_NEAR(report.impacts.energyLost, -impact.gain(), 1e-12);
      EXPECT_GT(energy, 0.0);
    }
  }
}

// c_heavy_top.json: the tip held by a ball joint. I_transverse is about the pivot.
TEST(Acceleration, AHeavyTopPrecesses) {
  struct Case {
    Vec3 spin, axis05, axis1, axis2;
  };
  const Case cuspidal{{0, 0, 120},
                      {0.468860901015, 0.279358590092, 0.837930924146},
                      {-0.563472589558, 0.17834434352, 0.806654781149},
                      {0.270834504559, 0.421644430832, 0.865369658059}};
  for (const double dt : {1.0 / 60, 1.0 / 100}) {
    World world(acceleration());
    const BodyId ground = world.addBody({.kind = BodyKind::Static});
    const Quat rotation = Quat(0.965925826289, 0.258819045103, 0, 0).normalized();
    const double mass = 0.5, length = 0.04;
    const Vec3 up(0, 0, length);
    BodyDesc desc;
    desc.pose.rotation = rotation;
    desc.massProperties =
        MassProperties{mass, up, Vec3(0.001 - mass * length * length, 0.001 - mass * length * length, 0.0004).asDiagonal()};
    desc.angularVelocity = rotation * cuspidal.spin;
    desc.linearVelocity = desc.angularVelocity.cross(rotation * up);
    const BodyId top = world.addBody(desc);
    world.addJoint({.a = ground, .b = top});
    const double energy = world.energy().total();
    const auto axis = [&] { return Vec3(world.state(top)->pose.rotation * Vec3::UnitZ()); };
    advance(world, 0.5, dt);
    EXPECT_LT((axis() - cuspidal.axis05).norm(), 1e-6);
    advance(world, 0.5, dt);
    EXPECT_LT((axis() - cuspidal.axis1).norm(), 1e-6);
    advance(world, 1.0, dt);
    EXPECT_LT((axis() - cuspidal.axis2).norm(), 1e-6);
    EXPECT_NEAR(world.energy().total(), energy, 1e-7 * energy);
    EXPECT_LT(world.jointError(), 1e-12);
  }
}

// b_dzhanibekov.json, book_flip at 3 s.
TEST(Acceleration, AFreeBodyFlips) {
  World world(acceleration());
  BodyDesc desc = test::spinningBody({1, 2, 3}, {0.01, 5.0, 0.01});
  desc.gravityScale = 0.0;
  const BodyId body = world.addBody(desc);
  advance(world, 3.0, 1.0 / 60);
  const BodyState state = *world.state(body);
  const Vec3 spin = state.pose.rotation.conjugate() * state.angularVelocity;
  EXPECT_LT((spin - Vec3(-3.86814180836, -3.16821384228, 2.23328764005)).norm(), 1e-6);
  const Quat expected(0.149678441899, -0.694741679451, 0.400944747616, 0.578077565924);
  EXPECT_LT(state.pose.rotation.angularDistance(expected), 1e-6);
}

// h_pendula.json: rods of 1 m and 1 kg from horizontal; theta from straight down.
TEST(Acceleration, PendulaSwing) {
  for (const int links : {1, 2}) {
    World world(acceleration());
    const BodyId ground = world.addBody({.kind = BodyKind::Static});
    BodyId last = ground;
    std::vector<BodyId> rods;
    for (int i = 0; i < links; ++i) {
      BodyDesc desc;
      desc.pose.position = {i + 0.5, 0, 0};
      desc.massProperties = MassProperties{1.0, Vec3::Zero(), Vec3(1e-3, 1.0 / 12, 1.0 / 12).asDiagonal()};
      rods.push_back(world.addBody(desc));
      JointDesc joint;
      joint.a = last;
      joint.b = rods.back();
      joint.anchorA = i == 0 ? Vec3(0, 0, 0) : Vec3(0.5, 0, 0);
      joint.anchorB = {-0.5, 0, 0};
      joint.kind = HingeJoint{Vec3::UnitY(), Vec3::UnitY()};
      world.addJoint(joint);
      last = rods.back();
    }
    advance(world, 2.0, 1.0 / 60);
    const Vec3 tip = world.state(last)->pose.point({0.5, 0, 0});
    const Vec3 expected = links == 1 ? Vec3(0.999465489518, 0, -0.0326915166742) : Vec3(0.31352477645, 0, -1.91474661756);
    EXPECT_LT((tip - expected).norm(), 1e-6);
    EXPECT_LT(world.jointError(), 1e-12);
    EXPECT_NEAR(world.energy().total(), 0.0, 1e-6);
  }
}

// a_tippe_top.json. Two spheres on a plane, y up.
TEST(Acceleration, ATippeTopInvertsAtTheRightTime) {
  WorldSettings settings = acceleration();
  settings.gravity = {0, -9.81, 0};
  World world(settings);
  world.addBody(fixedSolid(Plane{Vec3::UnitY(), 0.0}, Vec3::Zero(), rough(0.6)));
  BodyDesc desc;
  desc.pose.rotation = Quat(-0.316031446693, 0.0650064684654, -0.938093344932, -0.126012538871).normalized();
  const double cosine = (desc.pose.rotation * Vec3::UnitY()).y();
  desc.pose.position = {0, 0.025 - 0.005 * cosine, 0};
  ShapeDesc ball, stem;
  ball.geometry = Sphere{0.025};
  ball.local.position = {0, 0.005, 0};
  ball.material = rough(0.6);
  stem.geometry = Sphere{0.01};
  stem.local.position = {0, 0.03, 0};
  stem.material = rough(0.6);
  desc.shapes = {ball, stem};
  desc.massProperties = MassProperties{0.015, Vec3::Zero(), Vec3::Constant(3.75e-6).asDiagonal()};
  desc.angularVelocity = {0, 150, 0};
  // The ball's centre keeps its height: v_y = -(w x 0.005 axis)_y.
  const Vec3 arm = desc.pose.rotation * Vec3(0, 0.005, 0);
  desc.linearVelocity = {0.1, -desc.angularVelocity.cross(arm).y(), 0.2};
  const BodyId top = world.addBody(desc);
  const auto height = [&] { return (world.state(top)->pose.rotation * Vec3::UnitY()).y(); };
  const auto rate = [&] {
    return world.state(top)->angularVelocity.cross(world.state(top)->pose.rotation * Vec3::UnitY()).y();
  };
  advance(world, 0.378816099741, 1.0 / 200);
  EXPECT_LT(std::abs(height() / rate()), 1e-6);
  advance(world, 0.538077731741 - 1e-6 - world.time(), 1.0 / 200);
  EXPECT_LT(std::abs((height() + 0.6) / rate() + 1e-6), 1e-6);
  EXPECT_TRUE(world.impacts().empty());
  world.step(2e-6);
  EXPECT_FALSE(world.impacts().empty());  // the stem touches
  advance(world, 0.2, 1.0 / 200);
  EXPECT_LT(height(), -0.9);  // it stands on its stem
}

// A thin rod whose end slides on the floor. p = W_nn - mu W_nt = 1 + 3 cos^2 - 3 mu sin cos over m: at tan(theta) = 2 it
// vanishes for mu = 4/3.
StepReport slidingRod(double friction) {
  World world(acceleration());
  world.addBody(fixedSolid(Plane{}, Vec3::Zero(), rough(friction)));
  const double theta = std::atan(2.0), half = 0.5, radius = 1e-3;
  BodyDesc desc;
  desc.pose.position = {0, 0, half * std::sin(theta)};
  desc.massProperties = MassProperties{1.0, Vec3::Zero(), Vec3::Constant(half * half / 3.0).asDiagonal()};
  ShapeDesc end;
  end.geometry = Sphere{radius};
  end.local.position = {-half * std::cos(theta), 0, -half * std::sin(theta) + radius};
  end.material = rough(friction);
  desc.shapes = {end};
  desc.linearVelocity = {-1.0, 0, 0};  // its upper end first: friction presses the lower one down
  world.addBody(desc);
  StepReport report = world.step(1e-3);
  for (const BodyId body : world.bodies()) EXPECT_TRUE(world.state(body)->center.allFinite());
  return report;
}

TEST(Acceleration, PainleveBeginsAtFourThirds) {
  const StepReport below = slidingRod(4.0 / 3 - 0.01);
  EXPECT_EQ(below.method.inconsistent, 0) << below.method.message;
  const StepReport above = slidingRod(4.0 / 3 + 0.01);
  EXPECT_GT(above.method.inconsistent, 0);
  EXPECT_NE(above.method.message.find("bodies 0 and 1"), std::string::npos) << above.method.message;
  EXPECT_LE(above.impacts.energyGained, 0.0);
}

TEST(Acceleration, ABoxAndAStackRest) {
  World world(acceleration());
  world.addBody(fixedSolid(Plane{}));
  std::vector<BodyId> boxes;
  boxes.push_back(world.addBody(solid(Box{}, {5, 0, 0.5})));
  for (int i = 0; i < 3; ++i) boxes.push_back(world.addBody(solid(Box{}, {0.1 * i, 0.05 * i, 0.5 + i})));
  std::vector<Vec3> start;
  for (const BodyId box : boxes) start.push_back(world.state(box)->center);
  advance(world, 1.0, 1.0 / 60);
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    EXPECT_LT((world.state(boxes[i])->center - start[i]).norm(), 1e-10);
    EXPECT_LT(world.state(boxes[i])->linearVelocity.norm(), 1e-10);
  }
  double load = 0.0;
  for (const ContactEvent& event : world.contactEvents())
    if (event.bodyB == boxes[0] || event.bodyA == boxes[0]) load += event.normalImpulse;
  EXPECT_NEAR(load, 1000.0 * 9.81 / 60, 1e-3);
}

// Kinematic bodies, driven joints, wheels, locks: the step moves them all, and what they hold.
TEST(Acceleration, APlatformCarriesABox) {
  World world(acceleration());
  BodyDesc platform = solid(Box{Vec3(2, 2, 0.1)}, {0, 0, -0.1}, rough(0.5));
  platform.kind = BodyKind::Kinematic;
  platform.linearVelocity = {0.2, 0, 0.1};
  world.addBody(platform);
  const BodyId box = world.addBody(solid(Box{}, {0, 0, 0.5}, rough(0.5)));
  advance(world, 1.0, 1.0 / 60);
  // The platform starts with an impact: a jump to its 0.1 m/s upwards and, by friction, to mu 0.1 m/s along. Friction then
  // takes (0.2 - mu 0.1)/(mu g) s for the rest.
  const double slip = 0.2 - 0.5 * 0.1, lag = 0.5 * slip * slip / (0.5 * 9.81);
  EXPECT_LT((world.state(box)->center - Vec3(0.2 - lag, 0, 0.6)).norm(), 1e-7);
}

TEST(Acceleration, ADrivenHingeTurnsAsItIsTold) {
  World world(acceleration());
  const BodyId ground = world.addBody({.kind = BodyKind::Static});
  BodyDesc desc;
  desc.pose.position = {1, 0, 0};
  desc.massProperties = MassProperties{1.0, Vec3::Zero(), Vec3::Constant(0.1).asDiagonal()};
  const BodyId arm = world.addBody(desc);
  JointDesc joint;
  joint.a = ground;
  joint.b = arm;
  joint.anchorB = {-1, 0, 0};
  joint.kind = HingeJoint{};  // about z
  joint.drive = JointDrive{.rate = 2.0};
  world.addJoint(joint);
  advance(world, 1.0, 1.0 / 60);
  EXPECT_LT((world.state(arm)->center - Vec3(std::cos(2.0), std::sin(2.0), 0)).norm(), 1e-9);
}

TEST(Acceleration, AWheelRollsStraight) {
  World world(acceleration());
  const BodyId ground = world.addBody({.kind = BodyKind::Static});
  BodyDesc desc;
  desc.pose.position = {0, 0, 0.5};
  desc.massProperties = MassProperties{1.0, Vec3::Zero(), Vec3(0.0625, 0.125, 0.0625).asDiagonal()};
  desc.linearVelocity = {1, 0, 0};
  desc.angularVelocity = {0, 2, 0};
  const BodyId wheel = world.addBody(desc);
  world.addJoint({.a = ground, .b = wheel, .kind = WheelJoint{}});
  world.addForce(wheel, {3, 0, 0});
  world.step(0.1);
  // (m + I/r^2) a = F
  EXPECT_NEAR(world.state(wheel)->linearVelocity.x(), 1.0 + 0.1 * 3.0 / 1.5, 1e-9);
  EXPECT_NEAR(world.state(wheel)->angularVelocity.y(), 2.0 * world.state(wheel)->linearVelocity.x(), 1e-12);
  EXPECT_NEAR(world.state(wheel)->center.z(), 0.5, 1e-12);
}

TEST(Acceleration, LockedAxesStayLocked) {
  World world(acceleration());
  world.addBody(fixedSolid(Plane{Vec3(0.6, 0, 0.8), 0.0}, Vec3::Zero(), rough(0.2)));
  BodyDesc desc = solid(Sphere{0.5}, {0, 0, 2.0}, rough(0.2));
  desc.locks.position = {true, false, false};
  const BodyId ball = world.addBody(desc);
  advance(world, 1.0, 1.0 / 60);
  EXPECT_EQ(world.state(ball)->center.x(), 0.0);
  EXPECT_NEAR(0.8 * world.state(ball)->center.z(), 0.5, 1e-9);
}

// Bodies of all shapes thrown into a box of walls, some joined, with every law of impact.
void fuzz(int seed, const std::string& solver, const std::string& order) {
  std::mt19937 random(seed);
  const auto number = [&](double low, double high) { return low + (high - low) * (random() / 4294967296.0); };
  WorldSettings settings = acceleration();
  settings.solver.name = solver;
  settings.impact.order = order;
  settings.restitutionSpeed = seed % 2 == 0 ? 0.0 : 0.1;
  World world(settings);
  Material ground = rough(number(0.0, 1.5), number(0.0, 0.9));
  world.addBody(fixedSolid(Plane{}, Vec3::Zero(), ground));
  if (seed % 3 == 0) world.addBody(fixedSolid(Plane{Vec3(1, 0, 0.2).normalized(), -1.0}, Vec3::Zero(), ground));
  std::vector<BodyId> bodies;
  for (int i = 0; i < 2 + seed % 5; ++i) {
    const double size = number(0.1, 0.5);
    const std::vector<Geometry> shapes = {Sphere{size}, Box{Vec3(size, 0.5 * size, 0.7 * size)}, Capsule{0.5 * size, size},
                                          Cylinder{size, 0.5 * size}, Ellipsoid{Vec3(size, 0.6 * size, 0.8 * size)}};
    Material material = rough(number(0.0, 1.5), number(0.0, 0.9));
    material.impact = static_cast<ImpactLaw>(random() % 4);
    material.tangentialRestitution = number(-1.0, 1.0);
    BodyDesc desc =
        solid(shapes[random() % shapes.size()], {number(-0.6, 0.6), number(-0.6, 0.6), number(0.2, 2.0)}, material);
    desc.pose.rotation = Quat(number(-1, 1), number(-1, 1), number(-1, 1), number(-1, 1)).normalized();
    desc.linearVelocity = {number(-5, 5), number(-5, 5), number(-5, 5)};
    desc.angularVelocity = {number(-20, 20), number(-20, 20), number(-20, 20)};
    bodies.push_back(world.addBody(desc));
  }
  if (seed % 4 == 0) {
    JointDesc joint;
    joint.a = bodies[0];
    joint.b = bodies[1];
    joint.anchorA = {0.3, 0, 0};
    joint.anchorB = {-0.3, 0, 0};
    if (seed % 8 == 0) joint.kind = HingeJoint{};
    world.addJoint(joint);
  }
  for (int i = 0; i < 60; ++i) {
    const StepReport report = world.step(1.0 / 60);
    ASSERT_EQ(report.status, StepStatus::Ok) << report.method.message;
    EXPECT_TRUE(report.quarantined.empty()) << report.method.message;
    for (const BodyId body : bodies) ASSERT_TRUE(world.state(body)->center.allFinite());
  }
}

// The same bits for any number of threads, and an audit that says how far the step is from one contact problem.
TEST(Acceleration, IsDeterministicAndCanBeAudited) {
  std::vector<std::uint64_t> hashes;
  for (const int threads : {1, 4}) {
    WorldSettings settings = acceleration();
    settings.threads = threads;
    settings.audit = Audit::Problems;
    World world(settings);
    world.addBody(fixedSolid(Plane{}));
    for (int i = 0; i < 6; ++i) {
      BodyDesc desc = solid(Box{Vec3(0.3, 0.2, 0.25)}, {3.0 * (i / 2), 0.05 * i, 0.25 + 0.5 * (i % 2)}, rough(0.6));
      desc.linearVelocity = {0.1 * i, 0, 0};
      world.addBody(desc);
    }
    StepReport report;
    for (int i = 0; i < 30; ++i) report = world.step(1.0 / 60);
    ASSERT_TRUE(report.solve);
    EXPECT_EQ(world.contactProblems().size(), 3u);
    EXPECT_LT(report.solve->residual, 1e-3);  // at rest by now
    hashes.push_back(world.stateHash());
  }
  EXPECT_EQ(hashes[0], hashes[1]);
}

TEST(Acceleration, RefusesWhatItDoesNotTake) {
  World world(acceleration());
  Material spring = rough(0.5);
  spring.stiffness = 1e5;
  spring.damping = 1e2;
  world.addBody(solid(Box{}, Vec3::Zero(), spring));
  EXPECT_EQ(world.step(0.01).status, StepStatus::Refused);
}

TEST(Acceleration, RandomScenesNeitherCrashNorHang) {
  for (int seed = 0; seed < 25; ++seed) {
    SCOPED_TRACE(seed);
    const std::clock_t start = std::clock();
    fuzz(seed, seed % 5 == 4 ? "bgs" : "auto", seed % 2 == 0 ? "simultaneous" : "sequential");
    EXPECT_LT(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC, 10.0);  // s, of the processor
  }
}

}  // namespace
}  // namespace cairn
