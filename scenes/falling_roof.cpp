// A house of bricks whose roof comes down on it.
#include "scenes/builders.hpp"

namespace cairn {
namespace {

const Vec3 kBrick(0.5, 0.25, 0.25);    // m: long, wide, high
constexpr int kLong = 10, kShort = 8;  // bricks along the two sides
constexpr int kTileColumns = 12;       // on either slope of the roof, along the ridge
constexpr int kTileRows = 4;
const Vec3 kTile(0.49, 0.7, 0.08);                 // m: along the ridge, down the slope, thick
constexpr double kPitch = std::numbers::pi / 5.0;  // rad
constexpr double kBrickDensity = 2000.0;           // kg/m^3

SceneModel build(const ParameterValues& values) {
  const int courses = static_cast<int>(values.at("courses"));
  const Material material = withFriction(values.at("mu"));

  SceneModel model;
  model.seconds = 8.0;
  model.materials["brick"] = material;
  model.bodies.push_back(fixedBody("ground", Plane{}, material));
  const auto add = [&](std::string name, const Pose& pose, const Vec3& size) {
    SceneBody body;
    body.desc.name = std::move(name);
    body.desc.pose = pose;
    body.desc.shapes = {shapeOf(Box{0.5 * size}, material, kBrickDensity)};
    model.bodies.push_back(std::move(body));
  };

  // In even courses the long walls run through to the corners, in odd ones the short walls: the bond holds both together.
  const double alongX = kLong * kBrick.x(), alongY = kShort * kBrick.x();  // m, outside
  for (int course = 0; course < courses; ++course) {
    const double z = (course + 0.5) * kBrick.z();
    const bool even = course % 2 == 0;
    int index = 0;
    const auto addWall = [&](int bricks, double inset, bool isLong, double side) {
      for (int i = 0; i < bricks; ++i) {
        const double along = -0.5 * (isLong ? alongX : alongY) + inset + (i + 0.5) * kBrick.x();
        const double across = side * 0.5 * ((isLong ? alongY : alongX) - kBrick.y());
        const Vec3 at = isLong ? Vec3(along, across, z) : Vec3(across, along, z);
        const Quat turn = isLong ? Quat::Identity() : turned(0.5 * std::numbers::pi, Vec3::UnitZ());
        add("brick." + std::to_string(course) + "." + std::to_string(index++), {at, turn}, kBrick);
      }
    };
    for (const double side : {-1.0, 1.0}) {
      addWall(even ? kLong : kLong - 1, even ? 0.0 : kBrick.y(), true, side);
      addWall(even ? kShort - 1 : kShort, even ? kBrick.y() : 0.0, false, side);
    }
  }

  // Two slopes of tiles, which nothing holds.
  const double eaves = courses * kBrick.z() + values.at("drop");
  const double slope = kTileRows * (kTile.y() + 0.01);
  for (const double side : {-1.0, 1.0}) {
    const Pose top{{0.0, side * 0.5 * kTile.z(), eaves + slope * std::sin(kPitch)}, turned(-side * kPitch, Vec3::UnitX())};
    for (int row = 0; row < kTileRows; ++row) {
      for (int column = 0; column < kTileColumns; ++column) {
        const Vec3 at((column - 0.5 * (kTileColumns - 1)) * (kTile.x() + 0.01), side * (row + 0.5) * (kTile.y() + 0.01),
                      0.0);
        add("tile." + std::to_string(side < 0.0 ? 0 : 1) + "." + std::to_string(row) + "." + std::to_string(column),
            top * Pose{at, Quat::Identity()}, kTile);
      }
    }
  }
  return model;
}

}  // namespace

SceneBuilder fallingRoofBuilder() {
  return {
      .name = "falling_roof",
      .title = "A roof falls on a house of bricks",
      .description =
          "544 bricks in four walls with bonded corners, 96 tiles above them that nothing holds. The tiles slide down and "
          "fall in; the walls take the blow.",
      .parameters =
          {{.name = "courses", .value = 16, .least = 1, .most = 200, .what = "of bricks", .whole = true},
           {.name = "drop", .value = 0.5, .least = 0.1, .most = 100, .unit = "m", .what = "from the eaves to the walls"},
           {.name = "mu", .value = 0.5, .least = 0, .most = 100, .what = "friction of every surface"}},
      .build = build,
  };
}

}  // namespace cairn
