// Balls run down a slope in which a word is engraved, and fill its letters.
#include <array>
#include <string_view>

#include "scene/random.hpp"
#include "scenes/builders.hpp"

namespace cairn {
namespace {

constexpr int kLetterRows = 7;
constexpr std::array<std::string_view, kLetterRows> kWord = {
    " ### . ### .###.#### .#   #",  //
    "#   #.#   #. # .#   #.##  #",  //
    "#    .#   #. # .#   #.##  #",  //
    "#    .#####. # .#### .# # #",  //
    "#    .#   #. # .# #  .#  ##",  //
    "#   #.#   #. # .#  # .#  ##",  //
    " ### .#   #.###.#   #.#   #",  //
};
constexpr double kCell = 0.6;            // m
constexpr double kBall = 0.14;           // m, radius: four to a cell
constexpr double kDepth = 0.3;           // m, of the letters: a ball lies in them with its top level
constexpr double kFloor = 0.2;           // m, below the letters
constexpr int kMargin = 2;               // cells, round the word
constexpr int kRunUp = 14;               // cells, above the word, where the balls start
constexpr double kRim = 0.6;             // m, height of the boards at the sides and below
constexpr double kTrough = 3.0;          // m, level ground below the word
constexpr double kBallDensity = 2500.0;  // kg/m^3

SceneModel build(const ParameterValues& values) {
  const int count = static_cast<int>(values.at("count"));
  const Material material = withFriction(values.at("mu"));
  const int columns = static_cast<int>(kWord[0].size()) + 2 * kMargin;
  const int rows = kLetterRows + 2 * kMargin;

  SceneModel model;
  model.seconds = 20.0;
  model.materials["wood"] = material;
  // In the frame of the slope: x to the right of who looks up it, y up the slope, z out of it; the origin is at its foot.
  const Quat tilt = turned(radians(values.at("angle_deg")), Vec3::UnitX());
  const double width = columns * kCell, length = (rows + kRunUp) * kCell;
  SceneBody slope = fixedBody("slope", Box{}, material, {Vec3::Zero(), tilt});
  slope.desc.shapes.clear();
  const auto addBox = [&](const Vec3& from, const Vec3& to) {
    ShapeDesc box = shapeOf(Box{0.5 * (to - from)}, material);
    box.local.position = 0.5 * (from + to) - Vec3(0.5 * width, 0.0, 0.0);
    slope.desc.shapes.push_back(box);
  };
  addBox({0.0, 0.0, -kDepth - kFloor}, {width, length, -kDepth});
  addBox({0.0, (rows - kMargin) * kCell, -kDepth}, {width, length, 0.0});
  addBox({0.0, 0.0, -kDepth}, {width, kMargin * kCell, 0.0});
  for (const double x : {-0.2, width}) addBox({x, -kTrough, -kDepth - kFloor}, {x + 0.2, length, kRim});
  // Runs of cells between the letters' strokes are one box each.
  for (int row = 0; row < kLetterRows; ++row) {
    const double y = (kMargin + kLetterRows - 1 - row) * kCell;
    const auto isRaised = [&](int column) {
      const int at = column - kMargin;
      return at < 0 || at >= static_cast<int>(kWord[row].size()) || kWord[row][at] != '#';
    };
    for (int column = 0; column < columns; ++column) {
      if (!isRaised(column)) continue;
      const int first = column;
      while (column + 1 < columns && isRaised(column + 1)) ++column;
      addBox({first * kCell, y, -kDepth}, {(column + 1) * kCell, y + kCell, 0.0});
    }
  }
  model.bodies.push_back(std::move(slope));
  // A level trough at the foot catches what the letters do not keep.
  const double drop = -(kDepth + kFloor);
  const Vec3 foot = tilt * Vec3(0.0, 0.0, drop);
  model.bodies.push_back(fixedBody("trough", Box{{0.5 * width + 0.2, 0.5 * kTrough, 0.1}}, material,
                                   {foot + Vec3(0.0, -0.5 * kTrough, -0.1), Quat::Identity()}));
  model.bodies.push_back(fixedBody("board", Box{{0.5 * width + 0.2, 0.1, 0.75}}, material,
                                   {foot + Vec3(0.0, -kTrough, 0.55), Quat::Identity()}));

  Random random(static_cast<std::uint64_t>(values.at("seed")));
  const double step = 2.3 * kBall;  // m, between balls at the start
  const int perRow = static_cast<int>((width - 2.0 * kBall) / step);
  const int perLayer = perRow * static_cast<int>((kRunUp - 1) * kCell / step);
  for (int i = 0; i < count; ++i) {
    const int layer = i / perLayer, row = i % perLayer / perRow, column = i % perRow;
    const double x = (column + 0.5) * step - 0.5 * perRow * step;
    const double jitter = random.uniform(-0.1, 0.1) * kBall;
    SceneBody ball;
    ball.desc.name = "ball." + std::to_string(i);
    ball.desc.pose.position = tilt * Vec3(x + jitter, length - (row + 0.5) * step, kBall * 1.05 + layer * step);
    ball.desc.shapes = {shapeOf(Sphere{kBall}, material, kBallDensity)};
    model.bodies.push_back(std::move(ball));
  }
  return model;
}

}  // namespace

SceneBuilder engravedBuilder() {
  return {
      .name = "engraved",
      .title = "1,000 balls fill engraved letters",
      .description =
          "The balls run down the slope; those that fall into the engraved word stay and spell it, the others end in the "
          "trough. Many small contacts between round and flat, at every speed.",
      .parameters =
          {{.name = "count", .value = 1000, .least = 1, .most = 100000, .what = "balls", .whole = true},
           {.name = "angle_deg", .value = 15, .least = 1, .most = 60, .unit = "degrees", .what = "of the slope"},
           {.name = "mu", .value = 0.5, .least = 0, .most = 100, .what = "friction of every surface"},
           {.name = "seed", .value = 1, .least = 0, .most = 4294967295.0, .what = "of the balls' places", .whole = true}},
      .build = build,
  };
}

}  // namespace cairn
