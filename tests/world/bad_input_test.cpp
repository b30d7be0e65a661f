// Nonsense in: an error or a quarantined body out; never a crash, a hang, or a number that is not one in another body.
#include <cmath>
#include <limits>

#include "world/building.hpp"

namespace cairn::test {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::string refusal(const BodyDesc& desc) {
  World world;
  const std::uint64_t before = world.stateHash();
  try {
    world.addBody(desc);
  } catch (const std::invalid_argument& error) {
    EXPECT_EQ(world.stateHash(), before);
    EXPECT_TRUE(world.bodies().empty());
    return error.what();
  }
  return "";
}

void expectAllFinite(const World& world) {
  for (const BodyId id : world.bodies()) {
    const BodyState s = *world.state(id);
    ASSERT_TRUE(s.center.allFinite() && s.linearVelocity.allFinite() && s.angularVelocity.allFinite() &&
                s.pose.rotation.coeffs().allFinite())
        << world.name(id);
  }
}

TEST(BadInput, ShapesWithImpossibleSizesAreRefusedByName) {
  for (const double bad : {0.0, -1.0, kNan, kInfinity, -kInfinity, 1e300, 1e-300}) {
    EXPECT_NE(refusal(solid(Sphere{bad}, Vec3::Zero())).find("radius"), std::string::npos) << bad;
    EXPECT_NE(refusal(solid(Box{Vec3(1, bad, 1)}, Vec3::Zero())), "") << bad;
    EXPECT_NE(refusal(solid(Capsule{bad, 1}, Vec3::Zero())), "") << bad;
    EXPECT_NE(refusal(solid(Cylinder{1, bad}, Vec3::Zero())), "") << bad;
    EXPECT_NE(refusal(solid(Ellipsoid{Vec3(1, 1, bad)}, Vec3::Zero())), "") << bad;
  }
  EXPECT_NE(refusal(solid(ConvexHull{}, Vec3::Zero())), "");
  EXPECT_NE(refusal(solid(ConvexHull{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}}}, Vec3::Zero())), "");
  EXPECT_NE(refusal(solid(ConvexHull{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, kNan}}}, Vec3::Zero())), "");
  EXPECT_NE(refusal(solid(Plane{}, Vec3::Zero())).find("plane"), std::string::npos);
  EXPECT_NE(refusal(fixedSolid(Plane{Vec3::Zero(), 0.0})), "");
}

TEST(BadInput, BodiesWithImpossibleNumbersAreRefusedByName) {
  const BodyDesc good = solid(Sphere{0.5}, Vec3::Zero());
  for (const double bad : {0.0, -1.0, kNan, kInfinity}) {
    BodyDesc desc = good;
    desc.mass = bad;
    EXPECT_NE(refusal(desc).find("mass"), std::string::npos) << bad;
    desc = good;
    desc.shapes[0].density = bad;
    EXPECT_NE(refusal(desc).find("density"), std::string::npos) << bad;
  }
  for (const double bad : {kNan, kInfinity, 1e300}) {
    BodyDesc desc = good;
    desc.pose.position.x() = bad;
    EXPECT_NE(refusal(desc).find("position"), std::string::npos) << bad;
    desc = good;
    desc.linearVelocity.y() = bad;
    EXPECT_NE(refusal(desc).find("linearVelocity"), std::string::npos) << bad;
    desc = good;
    desc.angularVelocity.z() = bad;
    EXPECT_NE(refusal(desc).find("angularVelocity"), std::string::npos) << bad;
    desc = good;
    desc.shapes[0].material.friction = bad;
    EXPECT_NE(refusal(desc).find("friction"), std::string::npos) << bad;
  }
  BodyDesc desc = good;
  desc.pose.rotation = Quat(0, 0, 0, 0);
  EXPECT_NE(refusal(desc).find("rotation"), std::string::npos);
  desc = good;
  desc.shapes[0].material.restitution = 1.5;
  EXPECT_NE(refusal(desc).find("restitution"), std::string::npos);
  desc = good;
  desc.shapes[0].material.stiffness = 1e5;
  EXPECT_NE(refusal(desc).find("damping"), std::string::npos);
  desc = good;
  desc.massProperties = MassProperties{1.0, Vec3::Zero(), Vec3(1, 1, 5).asDiagonal()};
  EXPECT_NE(refusal(desc).find("inertia"), std::string::npos);
  EXPECT_NE(refusal(BodyDesc{}).find("shapes"), std::string::npos);
}

TEST(BadInput, SettingsAndNamesAreChecked) {
  for (const double bad : {kNan, kInfinity, -1.0}) {
    WorldSettings settings;
    settings.speculativeDistance = bad;
    EXPECT_THROW(World{settings}, std::invalid_argument) << bad;
  }
  WorldSettings settings;
  settings.stepper = "sfot";
  EXPECT_THROW(World{settings}, std::invalid_argument);
  settings = {};
  settings.threads = 0;
  EXPECT_THROW(World{settings}, std::invalid_argument);
  settings = {};
  settings.soft.substeps = 0;
  EXPECT_THROW(World{settings}, std::invalid_argument);
  World world;
  BodyDesc named = solid(Sphere{0.5}, Vec3::Zero());
  named.name = "ball";
  world.addBody(named);
  EXPECT_THROW(world.addBody(named), std::invalid_argument);
}

TEST(BadInput, TimeStepsThatAreNoneChangeNothing) {
  World world;
  world.addBody(solid(Sphere{0.5}, Vec3::Zero()));
  const std::uint64_t before = world.stateHash();
  for (const double dt : {0.0, -1.0, kNan, kInfinity, -kInfinity, 1e9, 1.0001}) {
    const StepReport report = world.step(dt);
    EXPECT_EQ(report.status, StepStatus::InvalidTimeStep) << dt;
    EXPECT_NE(report.refusal().find("allowed: above 0 and at most 1 s"), std::string::npos) << report.refusal();
    EXPECT_EQ(world.stateHash(), before);
    EXPECT_EQ(world.time(), 0.0);
  }
  for (const double dt : {1e-300, 1e-12, 1.0}) EXPECT_EQ(world.step(dt).status, StepStatus::Ok) << dt;
  expectAllFinite(world);
}

TEST(BadInput, AnyLegalTimeStepKeepsContactsFinite) {
  for (const double dt : {1e-300, 1e-30, 1e-12, 1e-6, 0.1, 1.0}) {
    World world;
    world.addBody(fixedSolid(Plane{}));
    for (int i = 0; i < 5; ++i) world.addBody(solid(Box{}, {0, 0, 0.5 + 0.99 * i}));
    for (int i = 0; i < 20; ++i) world.step(dt);
    expectAllFinite(world);
  }
}

TEST(BadInput, StaleIdsAreErrorValues) {
  World world;
  const BodyId id = world.addBody(solid(Sphere{0.5}, Vec3::Zero()));
  const ShapeId shape = world.shapes(id)[0];
  EXPECT_TRUE(world.removeBody(id));
  const BodyId reused = world.addBody(solid(Sphere{0.5}, Vec3::Zero()));
  EXPECT_EQ(reused.index, id.index);
  EXPECT_NE(reused, id);
  EXPECT_FALSE(world.isValid(id));
  EXPECT_FALSE(world.isValid(shape));
  EXPECT_FALSE(world.state(id).has_value());
  EXPECT_FALSE(world.removeBody(id));
  EXPECT_FALSE(world.addForce(id, Vec3::Zero()));
  EXPECT_FALSE(world.setVelocity(id, Vec3::Zero(), Vec3::Zero()));
  EXPECT_FALSE(world.setPose(id, {}));
  EXPECT_FALSE(world.shape(shape).has_value());
  EXPECT_EQ(world.name(id), "");
  EXPECT_FALSE(world.state(BodyId{}).has_value());
  EXPECT_THROW(world.addJoint({.a = id, .b = reused}), std::invalid_argument);
}

TEST(BadInput, LoadsThatAreNotNumbersAreRefused) {
  World world;
  const BodyId id = world.addBody(solid(Sphere{0.5}, Vec3::Zero()));
  EXPECT_THROW(world.addForce(id, {0, 0, kNan}), std::invalid_argument);
  EXPECT_THROW(world.applyImpulse(id, {0, 0, kInfinity}), std::invalid_argument);
  EXPECT_THROW(world.setVelocity(id, {0, kNan, 0}, Vec3::Zero()), std::invalid_argument);
  EXPECT_THROW(world.setPose(id, {.position = {kNan, 0, 0}}), std::invalid_argument);
  world.step(kDt);
  expectAllFinite(world);
}

TEST(BadInput, ABodyThatGoesWildIsQuarantinedByNameAndAlone) {
  World world;
  world.addBody(fixedSolid(Plane{}));
  BodyDesc wild = solid(Box{}, {0, 0, 0.5});
  wild.name = "wild one";
  const BodyId id = world.addBody(wild);
  const BodyId other = world.addBody(solid(Box{}, {0, 0, 1.5}));
  run(world, 0.5);
  world.addForce(id, {1e300, 0, 0});
  const StepReport report = world.step(kDt);
  ASSERT_EQ(report.quarantined.size(), 1u);
  EXPECT_EQ(report.quarantined[0].name, "wild one");
  EXPECT_FALSE(report.quarantined[0].reason.empty());
  EXPECT_TRUE(world.isQuarantined(id));
  run(world, 2.0);
  expectAllFinite(world);
  EXPECT_NEAR(world.state(other)->center.z(), 0.5, 1e-2);  // it fell to where the wild one had been
  EXPECT_FALSE(world.isQuarantined(other));
}

TEST(BadInput, ABodyThatFallsForeverIsQuarantinedInTheEnd) {
  WorldSettings settings;
  settings.maximumCoordinate = 100.0;
  World world(settings);
  const BodyId id = world.addBody(solid(Sphere{0.5}, Vec3::Zero()));
  for (int i = 0; i < 600; ++i) world.step(kDt);
  EXPECT_TRUE(world.isQuarantined(id));
  expectAllFinite(world);
}

TEST(BadInput, CoincidentBodiesComeApartAtBoundedSpeed) {
  const std::vector<Geometry> shapes = {Sphere{0.5},
                                        Box{},
                                        Capsule{0.3, 0.3},
                                        Cylinder{0.4, 0.5},
                                        Ellipsoid{Vec3(0.5, 0.4, 0.3)},
                                        ConvexHull{{{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}}}};
  for (const Geometry& a : shapes) {
    for (const Geometry& b : shapes) {
      World world;
      world.addBody(fixedSolid(Plane{}, {0, 0, -2}));
      world.addBody(solid(a, {0, 0, 0}));
      world.addBody(solid(b, {0, 0, 0}));
      double fastest = 0.0;
      for (int i = 0; i < 300; ++i) {
        ASSERT_TRUE(world.step(kDt).quarantined.empty());
        for (const BodyId id : world.bodies()) fastest = std::max(fastest, world.state(id)->linearVelocity.norm());
      }
      expectAllFinite(world);
      EXPECT_LT(fastest, 12.0) << a.index() << " " << b.index();  // a fall of 2 m gives 6 m/s
      EXPECT_LT(world.deepestPenetration().depth, 0.02) << a.index() << " " << b.index();
    }
  }
}

TEST(BadInput, AMillionMetresAwayThingsStandTheSame) {
  WorldSettings settings;
  World world(settings);
  const Vec3 far(1e6, -1e6, 1e6);
  world.addBody(fixedSolid(Box{Vec3(10, 10, 1)}, far - Vec3(0, 0, 1)));
  std::vector<BodyId> ids;
  for (int i = 0; i < 10; ++i) ids.push_back(world.addBody(solid(Box{}, far + Vec3(0, 0, i + 0.5))));
  run(world, 5.0);
  for (int i = 0; i < 10; ++i) EXPECT_LT((world.state(ids[i])->center - far - Vec3(0, 0, i + 0.5)).norm(), 0.02) << i;
}

TEST(BadInput, SizesOfAMillionToOneLiveTogether) {
  World world;
  world.addBody(fixedSolid(Box{Vec3(1000, 1000, 1000)}, {0, 0, -1000}));
  const BodyId grain = world.addBody(solid(Sphere{1e-3}, {0.1, 0, 0.01}));
  const BodyId cube = world.addBody(solid(Box{Vec3(1e-3, 1e-3, 1e-3)}, {-0.1, 0, 0.01}));
  const BodyId boulder = world.addBody(solid(Sphere{100.0}, {0, 300, 100.0}));
  run(world, 3.0);
  expectAllFinite(world);
  EXPECT_NEAR(world.state(grain)->center.z(), 1e-3, 1e-4);
  EXPECT_NEAR(world.state(cube)->center.z(), 1e-3, 1e-4);
  EXPECT_NEAR(world.state(boulder)->center.z(), 100.0, 0.05);
}

TEST(BadInput, HugeMassRatiosStayFinite) {
  for (const double ratio : {1e-12, 1e-6, 1e6, 1e12}) {
    World world;
    world.addBody(fixedSolid(Plane{}));
    BodyDesc lower = solid(Box{}, {0, 0, 0.5}), upper = solid(Box{}, {0, 0, 1.5});
    lower.mass = 1.0;
    upper.mass = ratio;
    world.addBody(lower);
    world.addBody(upper);
    run(world, 3.0);
    expectAllFinite(world);
  }
}

}  // namespace
}  // namespace cairn::test
