// A block on a slope: it stays if the tangent of the angle is below the friction coefficient, and slides if it is above.
#include "scenes/builders.hpp"

namespace cairn {
namespace {

const Vec3 kBlock(1.0, 1.0, 0.5);  // m, flat enough to slide before it tips

SceneModel build(const ParameterValues& values) {
  const Material material = withFriction(values.at("mu"));
  // The slope falls towards the heading.
  const Quat tilt = Quat(Eigen::AngleAxisd(radians(values.at("heading_deg")), Vec3::UnitZ())) *
                    Quat(Eigen::AngleAxisd(radians(values.at("angle_deg")), Vec3::UnitY()));
  const Vec3 normal = tilt * Vec3::UnitZ();

  SceneModel model;
  model.seconds = 5.0;
  model.materials["surface"] = material;
  SceneBody slope;
  slope.desc.name = "slope";
  slope.desc.kind = BodyKind::Static;
  slope.desc.shapes = {shapeOf(Plane{.normal = normal}, material)};
  model.bodies.push_back(std::move(slope));

  SceneBody block;
  block.desc.name = "block";
  block.desc.pose = {0.5 * kBlock.z() * normal, tilt};
  block.desc.shapes = {shapeOf(Box{0.5 * kBlock}, material)};
  model.bodies.push_back(std::move(block));
  return model;
}

}  // namespace

SceneBuilder inclineBuilder() {
  return {
      .name = "incline",
      .title = "A block on a slope",
      .description =
          "Sticks while tan(angle) is below the friction coefficient, and slides with acceleration "
          "g (sin(angle) - mu cos(angle)) above it. The drift in the report says which.",
      .parameters = {{.name = "angle_deg", .value = 20, .least = 0, .most = 85, .unit = "degrees", .what = "of the slope"},
                     {.name = "mu", .value = 0.5, .least = 0, .most = 100, .what = "friction of block and slope"},
                     {.name = "heading_deg",
                      .value = 0,
                      .least = -360,
                      .most = 360,
                      .unit = "degrees",
                      .what = "direction in which the slope falls, from x towards y"}},
      .build = build,
  };
}

}  // namespace cairn
