// A ball thrown along the ground: it slides, friction slows it and turns it, and then it rolls.
#include "scenes/builders.hpp"

namespace cairn {
namespace {

SceneModel build(const ParameterValues& values) {
  const Material material = withFriction(values.at("mu"));
  const double radius = values.at("radius");
  const Quat heading = turned(radians(values.at("heading_deg")), Vec3::UnitZ());

  SceneModel model;
  model.settings.stepper = "velocity";
  model.settings.friction.law = "cone";
  model.settings.solver.tolerance = 1e-9;
  model.settings.velocity.slop = 0.0;
  model.dt = 1e-3;
  model.seconds = 2.0;
  model.materials["surface"] = material;
  model.bodies.push_back(fixedBody("ground", Plane{}, material));
  SceneBody ball;
  ball.desc.name = "ball";
  ball.desc.pose.position = {0.0, 0.0, radius};
  ball.desc.linearVelocity = heading * Vec3(values.at("speed"), 0.0, 0.0);
  ball.desc.angularVelocity = heading * Vec3(0.0, values.at("spin"), 0.0);
  ball.desc.mass = values.at("mass");
  ball.desc.shapes = {shapeOf(Sphere{radius}, material)};
  model.bodies.push_back(std::move(ball));
  return model;
}

}  // namespace

SceneBuilder slideToRollBuilder() {
  return {
      .name = "slide_to_roll",
      .title = "A sliding ball begins to roll",
      .description =
          "Friction slows the ball at mu g until it rolls: without spin at first, after 2 v/(7 mu g), at 5/7 of its speed, "
          "in whatever direction it was thrown. From then on nothing changes.",
      .parameters = {{.name = "speed", .value = 2, .least = -100, .most = 100, .unit = "m/s", .what = "along the heading"},
                     {.name = "spin", .value = 0, .least = -1000, .most = 1000, .unit = "rad/s", .what = "forwards"},
                     {.name = "mu", .value = 0.3, .least = 0, .most = 100, .what = "friction of ball and ground"},
                     {.name = "radius", .value = 0.5, .least = 0.001, .most = 100, .unit = "m", .what = "of the ball"},
                     {.name = "mass", .value = 1, .least = 1e-6, .most = 1e6, .unit = "kg", .what = "of the ball"},
                     {.name = "heading_deg",
                      .value = 0,
                      .least = -360,
                      .most = 360,
                      .unit = "degrees",
                      .what = "where it goes, from x towards y"}},
      .build = build,
  };
}

}  // namespace cairn
