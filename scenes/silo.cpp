// A silo: a round bin with a funnel, filled with balls and boxes that run out when the slide opens.
#include "scene/random.hpp"
#include "scenes/builders.hpp"

namespace cairn {
namespace {

constexpr int kSides = 20;                // of the bin and of the funnel
constexpr double kBinRadius = 1.7;        // m, inside
constexpr double kFunnelHeight = 1.5;     // m
constexpr double kOutletHeight = 2.5;     // m above the ground
constexpr double kTrayRadius = 4.0;       // m, of what catches the grains
constexpr double kTrayHeight = 0.6;       // m
constexpr double kWall = 0.15;            // m
constexpr double kGrain = 0.1;            // m, radius of a ball or half the edge of a box, on average
constexpr double kSpread = 0.15;          // how much larger or smaller one may be
constexpr double kOpeningTime = 0.5;      // s, that the slide takes
constexpr double kGrainDensity = 1200.0;  // kg/m^3

// Panels round the axis, each a trapezoid between two circles, so that neighbours close up.
void addPanels(SceneModel& model, const char* name, const Material& material, double lowRadius, double low,
               double highRadius, double high) {
  const double half = std::numbers::pi / kSides;
  // Outwards from the face, in the plane of radius and height.
  const Eigen::Vector2d outward = Eigen::Vector2d(high - low, lowRadius - highRadius).normalized() * kWall;
  for (int i = 0; i < kSides; ++i) {
    ConvexHull panel;
    for (const auto& [radius, height] : {std::pair(lowRadius, low), std::pair(highRadius, high)}) {
      for (const double out : {0.0, 1.0}) {
        const double r = radius + out * outward.x(), z = height + out * outward.y();
        for (const double side : {-1.0, 1.0}) panel.points.emplace_back(r, side * r * std::tan(half), z);
      }
    }
    model.bodies.push_back(fixedBody(name + std::string(".") + std::to_string(i), std::move(panel), material,
                                     {Vec3::Zero(), turned(2.0 * half * i, Vec3::UnitZ())}));
  }
}

SceneModel build(const ParameterValues& values) {
  const int count = static_cast<int>(values.at("count"));
  const double outlet = values.at("outlet");
  const double opens = values.at("opens");
  const Material material = withFriction(values.at("mu"));

  SceneModel model;
  model.seconds = 15.0;
  model.materials["grain"] = material;
  model.bodies.push_back(fixedBody("ground", Plane{}, material));

  // Grains start in layers of cells that two of the largest, however turned, do not share.
  const double cell = 2.0 * kGrain * (1.0 + kSpread) * 1.25;
  std::vector<Vec3> cells;
  const double binFoot = kOutletHeight + kFunnelHeight;
  for (int layer = 0; static_cast<int>(cells.size()) < count; ++layer) {
    const int reach = static_cast<int>(kBinRadius / cell);
    for (int i = -reach; i <= reach; ++i) {
      for (int j = -reach; j <= reach; ++j) {
        const Vec3 at(i * cell, j * cell, binFoot + (layer + 0.5) * cell);
        if (at.head<2>().norm() < kBinRadius - 0.9 * cell && static_cast<int>(cells.size()) < count) cells.push_back(at);
      }
    }
  }
  const double top = (cells.empty() ? binFoot : cells.back().z()) + cell;
  addPanels(model, "funnel", material, outlet, kOutletHeight, kBinRadius, binFoot);
  addPanels(model, "bin", material, kBinRadius, binFoot, kBinRadius, top);
  addPanels(model, "tray", material, kTrayRadius, 0.0, kTrayRadius, kTrayHeight);

  SceneBody slide;
  slide.desc.name = "slide";
  slide.desc.kind = BodyKind::Kinematic;
  const double reach = outlet + kWall;
  const Vec3 closed(0.0, 0.0, kOutletHeight - kWall), open(2.5 * reach, 0.0, closed.z());
  slide.desc.pose.position = closed;
  slide.desc.trajectory = Trajectory{.keys = {{opens, {closed}}, {opens + kOpeningTime, {open}}}};
  slide.desc.shapes = {shapeOf(Box{{reach, reach, 0.5 * kWall}}, material)};
  model.bodies.push_back(std::move(slide));

  Random random(static_cast<std::uint64_t>(values.at("seed")));
  for (int i = 0; i < count; ++i) {
    const double half = kGrain * random.uniform(1.0 - kSpread, 1.0 + kSpread);
    Vec3 axis;
    for (int k = 0; k < 3; ++k) axis[k] = random.uniform(-1.0, 1.0);
    const double angle = random.uniform(0.0, std::numbers::pi);
    SceneBody grain;
    grain.desc.name = "grain." + std::to_string(i);
    grain.desc.pose.position = cells[i];
    if (axis.norm() > 1e-3) grain.desc.pose.rotation = turned(angle, axis.normalized());
    // A box of 0.7 of a ball's half width: its corners stay within the cell.
    const Geometry geometry = i % 2 == 0 ? Geometry(Sphere{half}) : Geometry(Box{Vec3::Constant(0.7 * half)});
    grain.desc.shapes = {shapeOf(geometry, material, kGrainDensity)};
    model.bodies.push_back(std::move(grain));
  }
  return model;
}

}  // namespace

SceneBuilder siloBuilder() {
  return {
      .name = "silo",
      .title = "A silo of 3,000 grains runs out",
      .description =
          "Balls and boxes settle in a bin with a funnel; at 3 s the slide opens. The flow is steady: it does not depend on "
          "how full the bin is, as the walls carry the weight. A small outlet (--set outlet=0.3) jams.",
      .parameters =
          {{.name = "count",
            .value = 3000,
            .least = 1,
            .most = 100000,
            .what = "grains, every other one a box",
            .whole = true},
           {.name = "outlet", .value = 0.6, .least = 0.1, .most = 1.5, .unit = "m", .what = "radius of the outlet"},
           {.name = "opens", .value = 3, .least = 0, .most = 1e6, .unit = "s", .what = "when the slide opens"},
           {.name = "mu", .value = 0.4, .least = 0, .most = 100, .what = "friction of every surface"},
           {.name = "seed", .value = 1, .least = 0, .most = 4294967295.0, .what = "of the random sizes", .whole = true}},
      .build = build,
  };
}

}  // namespace cairn
