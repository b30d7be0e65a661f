// Boxes of all sizes fall into a bin.
#include "scene/random.hpp"
#include "scenes/bin.hpp"

namespace cairn {
namespace {

constexpr double kSmallestEdge = 0.5;  // m
constexpr double kLargestEdge = 1.0;   // m
constexpr double kLargestTilt = 0.4;   // rad
// At the start, along and about each axis: enough to tumble instead of stacking up in columns.
constexpr double kDriftSpeed = 1.0;  // m/s, sideways
constexpr double kSpinSpeed = 3.0;   // rad/s
constexpr double kCell = 1.42;       // m: two of the largest boxes, tilted that far about any axis, do not touch

SceneModel build(const ParameterValues& values) {
  const int count = static_cast<int>(values.at("count"));
  const double width = values.at("width");
  const Material material = withFriction(values.at("friction"));

  SceneModel model;
  model.seconds = 10.0;
  model.materials["wood"] = material;

  // The walls are as high as the boxes are at the start: none can leave over the top.
  const int perSide = std::max(1, static_cast<int>(width / kCell));
  const double wallHeight = (count / (perSide * perSide) + 2) * kCell;
  addBin(model, width, wallHeight, material);

  Random random(static_cast<std::uint64_t>(values.at("seed")));
  for (int i = 0; i < count; ++i) {
    const int layer = i / (perSide * perSide);
    const int row = i / perSide % perSide;
    const int column = i % perSide;
    // One statement each: the order in which a call's arguments are evaluated is the compiler's choice.
    Vec3 edges, axis;
    for (int k = 0; k < 3; ++k) edges[k] = random.uniform(kSmallestEdge, kLargestEdge);
    for (int k = 0; k < 3; ++k) axis[k] = random.uniform(-1.0, 1.0);
    const double angle = random.uniform(0.0, kLargestTilt);
    Vec3 spin;
    for (int k = 0; k < 3; ++k) spin[k] = random.uniform(-kSpinSpeed, kSpinSpeed);
    const double driftX = random.uniform(-kDriftSpeed, kDriftSpeed);
    const double driftY = random.uniform(-kDriftSpeed, kDriftSpeed);
    SceneBody box;
    box.desc.name = "box." + std::to_string(i);
    box.desc.pose.position = {(column - 0.5 * (perSide - 1)) * kCell, (row - 0.5 * (perSide - 1)) * kCell,
                              (layer + 0.5) * kCell};
    if (axis.norm() > 1e-3) box.desc.pose.rotation = Quat(Eigen::AngleAxisd(angle, axis.normalized()));
    box.desc.linearVelocity = {driftX, driftY, 0.0};
    box.desc.angularVelocity = spin;
    box.desc.shapes = {shapeOf(Box{0.5 * edges}, material, 600.0)};
    model.bodies.push_back(std::move(box));
  }
  return model;
}

}  // namespace

SceneBuilder pileBuilder() {
  return {
      .name = "pile",
      .title = "Boxes of all sizes fall into a bin",
      .description =
          "Boxes with edges of 0.5 to 1 m, sizes and orientations drawn from a seed, fall into a bin of 10 m x 10 m "
          "and come to rest. Many bodies, many sizes, much rearranging.",
      .parameters =
          {{.name = "count", .value = 2000, .least = 1, .most = 200000, .what = "boxes", .whole = true},
           {.name = "width", .value = 10, .least = 1.42, .most = 1000, .unit = "m", .what = "of the bin, inside"},
           {.name = "friction", .value = 0.5, .least = 0, .most = 100, .what = "of every surface"},
           {.name = "seed", .value = 1, .least = 0, .most = 4294967295.0, .what = "of the random sizes", .whole = true}},
      .build = build,
  };
}

}  // namespace cairn
