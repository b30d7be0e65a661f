// A car on springs drives over bumps, steers, and stops. Its wheels are bodies on the road: nothing holds them but friction.
#include "scenes/builders.hpp"

namespace cairn {
namespace {

constexpr double kWheelbase = 2.6, kTrack = 1.6, kRadius = 0.33, kTyre = 0.22;  // m
constexpr double kMass = 1200.0, kWheelMass = 25.0;                            // kg
constexpr double kStiffness = 35e3, kDamping = 3500.0;                         // N/m, N s/m: of a suspension

SceneModel build(const ParameterValues& values) {
  SceneModel model;
  model.seconds = 16.0;
  const Material rubber = withFriction(1.0);
  model.bodies.push_back(fixedBody("road", Plane{}, rubber));
  const double height = values.at("bump");
  for (int i = 0; i < 4; ++i) {
    // A cylinder across the road, of which `bump` looks out; every other one is for one side only.
    const double radius = 0.5, y = i % 2 == 0 ? 0.0 : 1.5;
    model.bodies.push_back(fixedBody("bump." + std::to_string(i), Cylinder{radius, i % 2 == 0 ? 3.0 : 1.5}, rubber,
                                     {{12.0 + 5.0 * i, y, height - radius}, turned(0.5 * std::numbers::pi, Vec3::UnitX())}));
  }
  SceneBody chassis;
  chassis.desc.name = "chassis";
  chassis.desc.pose.position = {0.0, 0.0, kRadius};
  chassis.desc.shapes = {shapeOf(Box{{2.0, 0.65, 0.25}}, withFriction(0.4)), shapeOf(Box{{0.9, 0.6, 0.25}}, withFriction(0.4))};
  chassis.desc.shapes[0].local.position = {0.0, 0.0, 0.25};
  chassis.desc.shapes[1].local.position = {-0.2, 0.0, 0.75};
  chassis.desc.massProperties =
      MassProperties{kMass, {0.0, 0.0, 0.15}, Vec3(450.0, 1700.0, 1900.0).asDiagonal()};
  model.bodies.push_back(std::move(chassis));
  // Where the spring bears a quarter of the car, the wheel is where it is drawn.
  const double rest = -kMass * 9.81 / 4.0 / kStiffness;
  for (const double x : {1.0, -1.0}) {
    for (const double y : {1.0, -1.0}) {
      const std::string name = std::string(x > 0.0 ? "front" : "rear") + (y > 0.0 ? " left" : " right");
      SceneBody wheel;
      wheel.desc.name = name;
      const Vec3 at(0.5 * x * kWheelbase, 0.5 * y * kTrack, 0.0);
      wheel.desc.pose.position = at + Vec3(0.0, 0.0, kRadius);
      wheel.desc.shapes = {shapeOf(Cylinder{kRadius, 0.5 * kTyre}, rubber)};
      wheel.desc.shapes[0].local.rotation = turned(0.5 * std::numbers::pi, Vec3::UnitX());
      wheel.desc.mass = kWheelMass;
      model.bodies.push_back(std::move(wheel));
      SceneJoint joint;
      joint.desc.name = name + " suspension";
      joint.a = "chassis";
      joint.b = name;
      joint.desc.anchorA = at;
      joint.desc.kind = SuspensionJoint{Vec3::UnitZ(), Vec3::UnitY()};
      joint.desc.axes.resize(3);
      joint.desc.axes[0].spring = AxisSpring{kStiffness, kDamping, rest};
      joint.desc.axes[0].limits = AxisLimits{-0.15, 0.15, 3e5, 5e3};
      AxisMotor steering;
      steering.kind = MotorKind::Position;
      steering.stiffness = 2e4;
      steering.damping = 300.0;
      // Straight over the bumps, then a bend to the left, then straight again.
      if (x > 0.0)
        steering.keys = {{0.0, 0.0}, {7.0, 0.0}, {8.0, radians(14.0)}, {11.0, radians(14.0)}, {12.0, 0.0}};
      joint.desc.axes[1].motor = steering;
      AxisMotor drive;
      drive.kind = MotorKind::Velocity;
      drive.maximumEffort = x > 0.0 ? 0.0 : 900.0;
      const double top = values.at("speed") / kRadius;
      drive.keys = {{0.0, 0.0}, {3.0, top}, {11.0, top}, {14.0, 0.0}};
      if (x < 0.0) joint.desc.axes[2].motor = drive;
      model.joints.push_back(std::move(joint));
    }
  }
  return model;
}

}  // namespace

SceneBuilder vehicleBuilder() {
  return {
      .name = "vehicle",
      .title = "A car with springs, steering and a motor drives over bumps",
      .description = "Two driven wheels, two steered ones, four suspensions. The car crosses four bumps, takes a bend to the "
                     "left and stops. It must not turn over, and its wheels must stay on their axles.",
      .parameters = {{.name = "speed", .value = 5, .least = 0.1, .most = 20, .unit = "m/s", .what = "that it drives at"},
                     {.name = "bump", .value = 0.1, .least = 0, .most = 0.3, .unit = "m", .what = "height of the bumps"}},
      .build = build,
  };
}

}  // namespace cairn
