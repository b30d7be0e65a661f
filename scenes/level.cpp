// A level of a game: a trough that winds down around a tower, made of triangles.
#include "cairn/surface.hpp"
#include "scenes/builders.hpp"

namespace cairn {
namespace {

constexpr double kRadius = 6.0;       // m, of the winding
constexpr double kTurns = 3.0;
constexpr double kDrop = 9.0;         // m, from end to end
constexpr double kHalfWidth = 1.2;    // m
constexpr double kRim = 0.9;          // m, that the edges are higher than the middle
constexpr double kFoot = 1.0;         // m above the ground
constexpr int kAcross = 25;           // cells of the mesh
constexpr double kLastsSeconds = 20;  // s
constexpr double kEverySeconds = 0.4;  // s, that bodies come in

// Of the point at `along` (0 to 1, from the top) and `across` (-1 to 1).
Vec3 troughAt(double along, double across) {
  const double angle = 2.0 * std::numbers::pi * kTurns * along;
  const double radius = kRadius + kHalfWidth * across;
  return {radius * std::cos(angle), radius * std::sin(angle), kFoot + kDrop * (1.0 - along) + kRim * across * across};
}

SceneModel build(const ParameterValues& values) {
  const int count = static_cast<int>(values.at("count"));
  const int steps = static_cast<int>(values.at("triangles")) / (2 * kAcross);
  const Material material = withFriction(values.at("mu"));
  SceneModel model;
  model.seconds = kLastsSeconds;
  model.materials["stone"] = material;
  model.bodies.push_back(fixedBody("ground", Plane{}, material));

  SurfaceTriangles surface;
  for (int i = 0; i <= steps; ++i)
    for (int j = 0; j <= kAcross; ++j)
      surface.vertices.push_back(troughAt(static_cast<double>(i) / steps, 2.0 * j / kAcross - 1.0));
  const auto at = [&](int i, int j) { return static_cast<std::uint32_t>(i * (kAcross + 1) + j); };
  for (int i = 0; i < steps; ++i) {
    for (int j = 0; j < kAcross; ++j) {
      surface.triangles.push_back({at(i, j), at(i, j + 1), at(i + 1, j + 1)});
      surface.triangles.push_back({at(i, j), at(i + 1, j + 1), at(i + 1, j)});
    }
  }
  MeshShape trough;
  trough.mesh = makeMesh(std::move(surface));
  model.bodies.push_back(fixedBody("trough", trough, material));

  for (int i = 0; i < count; ++i) {
    SceneBody body;
    body.desc.name = "body." + std::to_string(i);
    body.desc.pose.position = troughAt(0.01, 0.3 * ((i % 3) - 1)) + 0.6 * Vec3::UnitZ();
    body.desc.pose.rotation = turned(0.7 * i, Vec3(0.6, 0.0, 0.8));
    const std::array<Geometry, 5> kinds{Sphere{0.25}, Box{Vec3(0.25, 0.2, 0.18), 0.03}, Capsule{0.16, 0.16},
                                        Cylinder{0.22, 0.15}, Cone{0.24, 0.22}};
    body.desc.shapes = {shapeOf(kinds[static_cast<std::size_t>(i) % kinds.size()], material)};
    body.appear = kEverySeconds * i;
    model.bodies.push_back(std::move(body));
  }
  return model;
}

}  // namespace

SceneBuilder levelBuilder() {
  return {
      .name = "level",
      .title = "Bodies run down a trough of 50,000 triangles",
      .description =
          "A trough winds three times around a tower, down to the ground. Balls, boxes, capsules, cylinders and cones are "
          "dropped into its upper end, one after another, and leave it at the lower end.",
      .parameters = {{.name = "count", .value = 40, .least = 1, .most = 10000, .what = "bodies", .whole = true},
                     {.name = "triangles",
                      .value = 50000,
                      .least = 5000,
                      .most = 2000000,
                      .what = "of the trough, about",
                      .whole = true},
                     {.name = "mu", .value = 0.3, .least = 0, .most = 100, .what = "friction of every surface"}},
      .build = build,
  };
}

}  // namespace cairn
