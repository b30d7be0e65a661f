// Bricks that overhang a table as far as bricks can: by the harmonic series.
#include "scenes/builders.hpp"

namespace cairn {
namespace {

const Vec3 kBrick(1.0, 0.5, 0.25);        // m: long, wide, high
const Vec3 kTable(4.0, 2.0, 0.25);        // m
constexpr double kBrickDensity = 2000.0;  // kg/m^3

SceneModel build(const ParameterValues& values) {
  const int bricks = static_cast<int>(values.at("bricks"));
  const Material material = withFriction(values.at("mu"));

  SceneModel model;
  model.settings.stepper = "lcp";
  model.settings.solver.tolerance = 1e-8;
  model.seconds = 20.0;
  model.stands = values.at("share") < 1.0;
  model.materials["brick"] = material;
  model.bodies.push_back(fixedBody("ground", Plane{.offset = -2.0}, material));
  model.bodies.push_back(
      fixedBody("table", Box{0.5 * kTable}, material, {{-0.5 * kTable.x(), 0.0, -0.5 * kTable.z()}, Quat::Identity()}));

  // The centre of mass of the k bricks above an edge may lie over it: each lies 1/(2 k) lengths beyond the one below.
  double x = -0.5 * kBrick.x();
  for (int i = 0; i < bricks; ++i) {
    x += values.at("share") * kBrick.x() / (2.0 * (bricks - i));
    SceneBody brick;
    brick.desc.name = "brick." + std::to_string(i);
    brick.desc.pose.position = {x, 0.0, (i + 0.5) * kBrick.z()};
    brick.desc.shapes = {shapeOf(Box{0.5 * kBrick}, material, kBrickDensity)};
    model.bodies.push_back(std::move(brick));
  }
  return model;
}

}  // namespace

SceneBuilder overhangBuilder() {
  return {
      .name = "overhang",
      .title = "Bricks lean over the edge of a table",
      .description =
          "n bricks can overhang by 1/2 + 1/4 + 1/6 + ... + 1/(2 n) of a brick's length and no more. At 0.97 of that they "
          "stand; at 1.03 (--set share=1.03) they fall, slowly at first.",
      .parameters = {{.name = "bricks", .value = 10, .least = 1, .most = 100, .what = "in the stack", .whole = true},
                     {.name = "share", .value = 0.97, .least = 0, .most = 2, .what = "of the largest overhang"},
                     {.name = "mu", .value = 0.6, .least = 0, .most = 100, .what = "friction of every surface"}},
      .build = build,
  };
}

}  // namespace cairn
