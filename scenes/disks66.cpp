// Anitescu's pile: 66 discs as cannonballs, on a plank between slanted walls.
#include "scenes/builders.hpp"

namespace cairn {
namespace {

constexpr double kRadius = 3.0;                        // m
constexpr double kMass = 1.0;                          // kg
constexpr double kHalfPlank = 45.0;                    // m
constexpr double kWallLength = 40.0;                   // m
constexpr double kWallAngle = std::numbers::pi / 3.0;  // rad, from the horizontal
constexpr double kThickness = 2.0;                     // m, of plank and walls
constexpr double kDepth = 6.0;                         // m

SceneModel build(const ParameterValues& values) {
  const int base = static_cast<int>(values.at("base"));
  Material material = withFriction(values.at("mu"));
  material.restitution = values.at("e");

  SceneModel model;
  model.settings.stepper = "lcp";
  // Pairs this near may meet within a step when others push them: each needs its row, or it is not kept apart.
  model.settings.speculativeDistance = 0.5;
  model.settings.solver.tolerance = 1e-9;
  model.settings.solver.iterations = 20000;
  model.dt = 0.05;
  model.seconds = 20.0;
  model.materials["disc"] = material;

  const Vec3 plank(2.0 * kHalfPlank, kDepth, kThickness), wall(kWallLength, kDepth, kThickness);
  model.bodies.push_back(fixedBody("plank", Box{0.5 * plank}, material, {{0.0, 0.0, -0.5 * kThickness}, Quat::Identity()}));
  for (const double side : {-1.0, 1.0}) {
    // Its upper face goes through the end of the plank.
    const Quat tilt = turned(-side * kWallAngle, Vec3::UnitY());
    const Vec3 middle = Vec3(side * kHalfPlank, 0.0, 0.0) + tilt * Vec3(0.5 * side * kWallLength, 0.0, -0.5 * kThickness);
    model.bodies.push_back(fixedBody(side < 0.0 ? "wall left" : "wall right", Box{0.5 * wall}, material, {middle, tilt}));
  }

  // Balls that stay in a plane collide like discs, and touch in one point; their moment of inertia is a disc's.
  for (int row = 0; row < base; ++row) {
    for (int i = 0; i < base - row; ++i) {
      SceneBody disc;
      disc.desc.name = "disc." + std::to_string(row) + "." + std::to_string(i);
      disc.desc.pose.position = {2.0 * kRadius * (i - 0.5 * (base - row - 1)), 0.0,
                                 kRadius * (1.0 + row * std::numbers::sqrt3)};
      disc.desc.massProperties = MassProperties{kMass, Vec3::Zero(), 0.5 * kMass * kRadius * kRadius * Mat3::Identity()};
      disc.desc.locks = planarLocks();
      disc.desc.shapes = {shapeOf(Sphere{kRadius}, material)};
      model.bodies.push_back(std::move(disc));
    }
  }
  return model;
}

}  // namespace

SceneBuilder disksBuilder() {
  return {
      .name = "disks66",
      .title = "66 discs stacked like cannonballs run apart",
      .description =
          "Friction of 0.15 cannot hold the heap: it runs out to the walls, swings and comes to rest. The steps are 0.05 s "
          "long. Discs must not run into each other, and the energy must never grow.",
      .parameters = {{.name = "base", .value = 11, .least = 1, .most = 15, .what = "discs in the lowest row", .whole = true},
                     {.name = "mu", .value = 0.15, .least = 0, .most = 100, .what = "friction of every surface"},
                     {.name = "e", .value = 0.4, .least = 0, .most = 1, .what = "restitution"}},
      .build = build,
  };
}

}  // namespace cairn
