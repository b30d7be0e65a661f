// A bridge of planks on hinges hangs between two banks, and a load as heavy as all of its planks stands on its middle.
#include "scenes/builders.hpp"

namespace cairn {
namespace {

constexpr double kPlankLength = 0.5, kPlankWidth = 2.0, kPlankThickness = 0.08, kGap = 0.02;  // m
constexpr double kDensity = 600.0;                                                           // kg/m^3
constexpr double kHeight = 12.0;                                                             // m, of the banks

SceneModel build(const ParameterValues& values) {
  const int planks = static_cast<int>(values.at("planks"));
  const double sag = values.at("sag");  // of the span
  SceneModel model;
  model.seconds = 20.0;
  model.bodies.push_back(worldAnchor());
  model.bodies.push_back(fixedBody("valley", Plane{}, withFriction(0.6)));
  // Planks are chords of a circle that the whole bridge is an arc of: its angle follows from the sag, f/s = tan(a/4)/2.
  const double pitch = kPlankLength + kGap, angle = 4.0 * std::atan(2.0 * sag), step = angle / planks;
  const double radius = 0.5 * pitch / std::sin(0.5 * step), span = 2.0 * radius * std::sin(0.5 * angle);
  const Vec3 middle(0.0, 0.0, kHeight + radius * std::cos(0.5 * angle));
  const auto hingeAt = [&](int i) -> Vec3 {  // the i-th of planks + 1, from the left bank
    const double phi = -0.5 * angle + i * step;
    return middle + radius * Vec3(std::sin(phi), 0.0, -std::cos(phi));
  };
  for (const double side : {-1.0, 1.0})
    model.bodies.push_back(fixedBody(side < 0.0 ? "left bank" : "right bank", Box{{2.0, 2.0, 0.5 * kHeight}},
                                     withFriction(0.6), {{side * (0.5 * span + 2.2), 0.0, 0.5 * kHeight}, Quat::Identity()}));
  double mass = 0.0;
  for (int i = 0; i < planks; ++i) {
    const Vec3 a = hingeAt(i), b = hingeAt(i + 1), along = (b - a).normalized();
    SceneBody plank;
    plank.desc.name = "plank." + std::to_string(i);
    plank.desc.pose = {0.5 * (a + b), turned(-std::atan2(along.z(), along.x()), Vec3::UnitY())};
    plank.desc.shapes = {shapeOf(Box{{0.5 * kPlankLength, 0.5 * kPlankWidth, 0.5 * kPlankThickness}}, withFriction(0.6), kDensity)};
    mass += kDensity * kPlankLength * kPlankWidth * kPlankThickness;
    model.bodies.push_back(std::move(plank));
  }
  const Vec3 half(0.5 * pitch, 0.0, 0.0);
  for (int i = 0; i <= planks; ++i) {
    SceneJoint hinge;
    hinge.desc.name = "hinge." + std::to_string(i);
    hinge.desc.kind = HingeJoint{Vec3::UnitY(), Vec3::UnitY()};
    hinge.a = i == 0 ? std::string(kWorldBodyName) : "plank." + std::to_string(i - 1);
    hinge.b = i == planks ? std::string(kWorldBodyName) : "plank." + std::to_string(i);
    hinge.desc.anchorA = i == 0 ? hingeAt(0) : half;
    hinge.desc.anchorB = i == planks ? hingeAt(planks) : Vec3(-half);
    model.joints.push_back(std::move(hinge));
  }
  // The load: as heavy as `load` planks, set down in the middle.
  SceneBody load;
  load.desc.name = "load";
  const Vec3 size(0.6, 0.6, 0.6);
  load.desc.pose.position = {0.0, 0.0, middle.z() - radius + 0.5 * kPlankThickness + size.z() + 0.01};
  load.desc.shapes = {shapeOf(Box{size}, withFriction(0.6))};
  load.desc.mass = values.at("load") * mass / planks;
  model.bodies.push_back(std::move(load));
  return model;
}

}  // namespace

SceneBuilder bridgeBuilder() {
  return {
      .name = "bridge",
      .title = "A hanging bridge of a hundred planks bears as much as it weighs",
      .description = "Planks on hinges between two banks; a load of a hundred plank masses is set down on the middle. No hinge "
                     "may open by more than a millimetre, and the load must stay on the bridge.",
      .parameters = {{.name = "planks", .value = 100, .least = 2, .most = 1000, .what = "in the bridge", .whole = true},
                     {.name = "load", .value = 100, .least = 0.01, .most = 10000, .what = "its mass, in planks"},
                     {.name = "sag", .value = 0.15, .least = 0.01, .most = 0.4, .what = "of the span, to begin with"}},
      .build = build,
  };
}

}  // namespace cairn
