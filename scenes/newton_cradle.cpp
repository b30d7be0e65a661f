// Newton's cradle: five balls, each hung from two rods.
#include "cairn/world.hpp"
#include "scenes/builders.hpp"

namespace cairn {
namespace {

constexpr int kBalls = 5;
constexpr double kRadius = 0.05;   // m
constexpr double kSteel = 7870.0;  // kg/m^3
constexpr double kDrop = 0.5;      // m, from the rails to the balls
constexpr double kRail = 0.2;      // m, from the middle to either rail

SceneModel build(const ParameterValues& values) {
  const int lifted = static_cast<int>(values.at("balls"));
  const double angle = radians(values.at("angle_deg"));
  const double spacing = 2.0 * kRadius + values.at("gap");
  Material material = withFriction(0.0);
  material.restitution = values.at("restitution");

  SceneModel model;
  model.settings.stepper = "lcp";
  model.settings.solver.tolerance = 1e-10;
  model.settings.speculativeDistance = 0.005;
  model.dt = 2e-4;
  model.seconds = 5.0;
  model.materials["steel"] = material;

  model.bodies.push_back(worldAnchor());

  // The frame is there to be seen: the pendula hang from the world.
  const double length = spacing * kBalls + 0.3;
  SceneBody frame = fixedBody("frame", Box{}, material);
  frame.desc.shapes.clear();
  const auto addBar = [&](const Vec3& position, const Vec3& size) {
    ShapeDesc bar = shapeOf(Box{0.5 * size}, material);
    bar.local.position = position;
    bar.collidesWith = 0;
    frame.desc.shapes.push_back(bar);
  };
  const double top = kDrop + 2.0 * kRadius;
  for (const double side : {-1.0, 1.0}) {
    addBar({0.0, side * kRail, top}, {length, 0.02, 0.02});
    for (const double end : {-1.0, 1.0}) addBar({0.5 * end * length, side * kRail, 0.5 * top}, {0.02, 0.02, top + 0.02});
  }
  addBar({0.0, 0.0, -0.01}, {length + 0.1, 2.0 * kRail + 0.1, 0.02});
  model.bodies.push_back(std::move(frame));

  for (int i = 0; i < kBalls; ++i) {
    const Vec3 rest((i - 0.5 * (kBalls - 1)) * spacing, 0.0, top - kDrop);
    const Vec3 pivot(rest.x(), 0.0, top);
    const Quat swing = turned(i < lifted ? angle : 0.0, Vec3::UnitY());
    // Hung from a rod to either rail, which make one rigid pendulum with it; all of the mass is the ball's.
    SceneBody ball;
    ball.desc.name = "ball." + std::to_string(i);
    ball.desc.pose = {pivot + swing * (rest - pivot), swing};
    ball.desc.massProperties = massProperties(Sphere{kRadius}, kSteel);
    ball.desc.shapes = {shapeOf(Sphere{kRadius}, material)};
    for (const double side : {-1.0, 1.0}) {
      const Vec3 up(0.0, side * kRail, kDrop);
      ShapeDesc rod = shapeOf(Capsule{0.003, 0.5 * up.norm()}, material);
      rod.local = {0.5 * up, Quat::FromTwoVectors(Vec3::UnitZ(), up)};
      rod.collidesWith = 0;
      ball.desc.shapes.push_back(rod);
    }
    SceneJoint hinge;
    hinge.desc.name = "hinge." + std::to_string(i);
    hinge.desc.kind = HingeJoint{Vec3::UnitY(), Vec3::UnitY()};
    hinge.desc.anchorA = pivot;
    hinge.desc.anchorB = {0.0, 0.0, kDrop};
    hinge.a = std::string(kWorldBodyName);
    hinge.b = ball.desc.name;
    model.joints.push_back(std::move(hinge));
    model.bodies.push_back(std::move(ball));
  }
  return model;
}

}  // namespace

SceneBuilder newtonCradleBuilder() {
  return {
      .name = "newton_cradle",
      .title = "Newton's cradle",
      .description =
          "As many balls leave on the right as came in on the left, if the hits come one after the other, which a gap "
          "between the balls makes sure of. Without a gap (--set gap=0) all are hit at one instant, and what happens is the "
          "law's choice: Newton's sends the first ball back with 0.6 of its speed and all others ahead with 0.4.",
      .parameters =
          {{.name = "balls", .value = 1, .least = 0, .most = 4, .what = "lifted at the start", .whole = true},
           {.name = "restitution", .value = 1, .least = 0, .most = 1, .what = "of the balls"},
           {.name = "angle_deg", .value = 40, .least = 0, .most = 80, .unit = "degrees", .what = "how far they are lifted"},
           {.name = "gap", .value = 0.002, .least = 0, .most = 0.05, .unit = "m", .what = "between balls at rest"}},
      .build = build,
  };
}

}  // namespace cairn
