// A rattleback: an ellipsoid whose heavy axes do not lie along its long and short ones. Spun one way it begins to rattle and
// turns round; spun the other way it goes on.
#include "scenes/builders.hpp"

namespace cairn {
namespace {

const Vec3 kRadii(0.2, 0.03, 0.02);    // m: half lengths, x along, z up
constexpr double kCenterBelow = 0.01;  // m, of the centre of mass below the middle
constexpr double kSkew = -2e-5;        // kg m^2: entry xy of the inertia, which makes it a rattleback
constexpr double kMass = 1.0;          // kg

SceneModel build(const ParameterValues& values) {
  const Material material = withFriction(values.at("mu"));
  SceneModel model;
  model.settings.stepper = "lcp";
  model.settings.friction.law = "cone";
  model.settings.solver.tolerance = 1e-9;
  model.settings.speculativeDistance = 0.002;
  model.dt = 2e-4;
  model.seconds = 5.0;
  model.materials["surface"] = material;
  model.bodies.push_back(fixedBody("table", Plane{}, material));

  // It touches the table where the normal of the ellipsoid points down, and does not slip there.
  const Quat rotation = turned(radians(values.at("pitch_deg")), Vec3::UnitY());
  const Vec3 up = rotation.conjugate() * Vec3::UnitZ();
  const double height = kRadii.cwiseProduct(up).norm();
  const Vec3 touching = -kRadii.cwiseAbs2().cwiseProduct(up) / height;
  MassProperties mass;
  mass.mass = kMass;
  mass.center = {0.0, 0.0, -kCenterBelow};
  mass.inertia << 2e-4, kSkew, 0.0, kSkew, 1.6e-3, 0.0, 0.0, 0.0, 1.7e-3;
  const Vec3 spin(0.0, 0.0, values.at("spin"));

  SceneBody body;
  body.desc.name = "rattleback";
  body.desc.pose = {{0.0, 0.0, height}, rotation};
  body.desc.angularVelocity = spin;
  body.desc.linearVelocity = spin.cross(rotation * (mass.center - touching));
  body.desc.massProperties = mass;
  body.desc.shapes = {shapeOf(Ellipsoid{kRadii}, material)};
  model.bodies.push_back(std::move(body));
  return model;
}

}  // namespace

SceneBuilder rattlebackBuilder() {
  return {
      .name = "rattleback",
      .title = "A rattleback turns round",
      .description =
          "Spun at -5 rad/s it soon begins to rattle along its length, stops, and spins the other way; spun at +5 rad/s "
          "(--set spin=5) it goes on as it was. Its inertia is skew to its shape, and nothing else is the cause.",
      .parameters =
          {{.name = "spin", .value = -5, .least = -100, .most = 100, .unit = "rad/s", .what = "about the vertical"},
           {.name = "pitch_deg", .value = 0.5, .least = -20, .most = 20, .unit = "degrees", .what = "at the start"},
           {.name = "mu", .value = 1.0, .least = 0, .most = 100, .what = "friction; it slips below 0.76"}},
      .build = build,
  };
}

}  // namespace cairn
