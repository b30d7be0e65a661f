// Balls of all sizes fall into a bin.
#include "scene/random.hpp"
#include "scenes/bin.hpp"

namespace cairn {
namespace {

constexpr double kSmallestRadius = 0.25;  // m
constexpr double kLargestRadius = 0.5;    // m
constexpr double kCell = 1.05;            // m: two of the largest balls do not touch
constexpr double kDriftSpeed = 1.0;       // m/s, sideways at the start: enough not to stack up in columns
constexpr double kDensity = 600.0;        // kg/m^3

SceneModel build(const ParameterValues& values) {
  const int count = static_cast<int>(values.at("count"));
  const double width = values.at("width");
  const Material material = withFriction(values.at("friction"));

  SceneModel model;
  model.seconds = 10.0;
  model.materials["wood"] = material;

  // The walls are as high as the balls are at the start: none can leave over the top.
  const int perSide = std::max(1, static_cast<int>(width / kCell));
  addBin(model, width, (count / (perSide * perSide) + 2) * kCell, material);

  Random random(static_cast<std::uint64_t>(values.at("seed")));
  for (int i = 0; i < count; ++i) {
    const int layer = i / (perSide * perSide);
    const int row = i / perSide % perSide;
    const int column = i % perSide;
    // One statement each: the order in which a call's arguments are evaluated is the compiler's choice.
    const double radius = random.uniform(kSmallestRadius, kLargestRadius);
    const double driftX = random.uniform(-kDriftSpeed, kDriftSpeed);
    const double driftY = random.uniform(-kDriftSpeed, kDriftSpeed);
    SceneBody ball;
    ball.desc.name = "ball." + std::to_string(i);
    ball.desc.pose.position = {(column - 0.5 * (perSide - 1)) * kCell, (row - 0.5 * (perSide - 1)) * kCell,
                               (layer + 0.5) * kCell};
    ball.desc.linearVelocity = {driftX, driftY, 0.0};
    ball.desc.shapes = {shapeOf(Sphere{radius}, material, kDensity)};
    model.bodies.push_back(std::move(ball));
  }
  return model;
}

}  // namespace

SceneBuilder spheresBuilder() {
  return {
      .name = "spheres",
      .title = "Balls of all sizes fall into a bin",
      .description =
          "Balls with diameters of 0.5 to 1 m, drawn from a seed, fall into a bin of 10 m x 10 m and come to rest. One "
          "contact point for each pair, and nothing that stops a ball from rolling but its neighbours.",
      .parameters =
          {{.name = "count", .value = 4000, .least = 1, .most = 200000, .what = "balls", .whole = true},
           {.name = "width", .value = 10, .least = 1.05, .most = 1000, .unit = "m", .what = "of the bin, inside"},
           {.name = "friction", .value = 0.5, .least = 0, .most = 100, .what = "of every surface"},
           {.name = "seed", .value = 1, .least = 0, .most = 4294967295.0, .what = "of the random sizes", .whole = true}},
      .build = build,
  };
}

}  // namespace cairn
