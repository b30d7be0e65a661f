// Erleben's tower: rings of bricks, a block that falls on it, a cannonball through its side.
#include <numbers>

#include "scene/patterns.hpp"
#include "scenes/builders.hpp"

namespace cairn {
namespace {

const Vec3 kBrick(0.25, 0.5, 0.2);        // m: radial, tangential, high
constexpr double kBrickDensity = 2000.0;  // kg/m^3, which makes a brick weigh 50 kg
constexpr double kCornerGap = 0.01;       // m, between the inner corners of neighbours
constexpr double kBlockTime = 5.0;        // s
constexpr double kBlockDrop = 2.0;        // m, from the block's lower face to the tower's top
constexpr double kBlockThickness = 0.25;  // m
constexpr double kHitTime = 10.0;         // s
constexpr double kFlightTime = 0.1;       // s, from the ball's appearance to its hit
constexpr double kHitHeight = 0.6;        // of the tower's height
constexpr double kIron = 7870.0;          // kg/m^3

SceneModel build(const ParameterValues& values) {
  const int layers = static_cast<int>(values.at("layers"));
  const int perLayer = static_cast<int>(values.at("per_layer"));
  const Material material = withFriction(values.at("friction"));
  const double brickMass = kBrick.prod() * kBrickDensity;

  // Half the angle between neighbours; their inner corners lie kCornerGap apart.
  const double half = std::numbers::pi / perLayer;
  const double inner = (0.5 * kCornerGap + 0.5 * kBrick.y() * std::cos(half)) / std::sin(half);
  const double radius = inner + 0.5 * kBrick.x();
  const double outer = inner + kBrick.x();
  const double height = layers * kBrick.z();

  SceneModel model;
  model.seconds = 15.0;
  model.stands = true;
  model.materials["stone"] = material;

  SceneBody ground;
  ground.desc.name = "ground";
  ground.desc.kind = BodyKind::Static;
  ground.desc.shapes = {shapeOf(Plane{}, material)};
  model.bodies.push_back(ground);

  for (int layer = 0; layer < layers; ++layer) {
    const RingPattern ring{.count = perLayer, .radius = radius, .start = layer % 2 == 0 ? 0.0 : half};
    for (const PatternCopy& copy : expandPatterns({ring})) {
      SceneBody brick;
      brick.desc.name = "brick." + std::to_string(layer) + copy.suffix;
      brick.desc.pose = copy.pose;
      brick.desc.pose.position.z() = (layer + 0.5) * kBrick.z();
      brick.desc.shapes = {shapeOf(Box{0.5 * kBrick}, material, kBrickDensity)};
      model.bodies.push_back(std::move(brick));
    }
  }

  if (const double masses = values.at("block"); masses > 0.0) {
    // Wide enough to rest on the whole ring, corners of the bricks included.
    const double width = 2.0 * std::hypot(outer, 0.5 * kBrick.y()) + 0.25;
    SceneBody block;
    block.appear = kBlockTime;
    block.desc.name = "block";
    block.desc.pose.position = {0.0, 0.0, height + kBlockDrop + 0.5 * kBlockThickness};
    block.desc.shapes = {shapeOf(Box{0.5 * Vec3(width, width, kBlockThickness)}, material)};
    block.desc.mass = masses * brickMass;
    model.bodies.push_back(std::move(block));
  }
  if (const double masses = values.at("cannonball"); masses > 0.0) {
    const double mass = masses * brickMass;
    const double ballRadius = std::cbrt(mass / kIron * 3.0 / (4.0 * std::numbers::pi));
    const double speed = values.at("speed");
    SceneBody ball;
    ball.appear = kHitTime - kFlightTime;
    ball.desc.name = "cannonball";
    const double hitHeight = std::max(kHitHeight * height, ballRadius);
    ball.desc.pose.position = {-(outer + ballRadius + speed * kFlightTime), 0.0, hitHeight};
    // Thrown a little upwards, so that it is back at that height when it hits.
    ball.desc.linearVelocity = {speed, 0.0, 0.5 * -model.settings.gravity.z() * kFlightTime};
    ball.desc.shapes = {shapeOf(Sphere{ballRadius}, material)};
    ball.desc.mass = mass;
    model.bodies.push_back(std::move(ball));
  }
  return model;
}

}  // namespace

SceneBuilder towerBuilder() {
  return {
      .name = "tower",
      .title = "A tower of 800 bricks, a falling block and a cannonball",
      .description =
          "Rings of bricks, each turned by half a brick against the one below, as in Erleben's work on shock "
          "propagation. The tower stands alone for 5 s; then a block of 100 brick masses appears 2 m above it and "
          "falls; at 10 s a cannonball of 50 brick masses hits its side at 30 m/s.",
      .parameters = {{.name = "layers", .value = 40, .least = 1, .most = 1000, .what = "rings of bricks", .whole = true},
                     {.name = "per_layer", .value = 20, .least = 5, .most = 1000, .what = "bricks in a ring", .whole = true},
                     {.name = "friction", .value = 0.5, .least = 0, .most = 100, .what = "of every surface"},
                     {.name = "block",
                      .value = 100,
                      .least = 0,
                      .most = 1e6,
                      .unit = "brick masses",
                      .what = "of the block; 0: no block"},
                     {.name = "cannonball",
                      .value = 50,
                      .least = 0,
                      .most = 1e6,
                      .unit = "brick masses",
                      .what = "of the cannonball; 0: none"},
                     {.name = "speed", .value = 30, .least = 1, .most = 1000, .unit = "m/s", .what = "of the cannonball"}},
      .build = build,
  };
}

}  // namespace cairn
