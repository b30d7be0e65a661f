// Ragdolls fall down a flight of stairs. Necks, shoulders, hips and backs swing within cones, elbows and knees within angles.
#include "scenes/builders.hpp"

namespace cairn {
namespace {

constexpr double kRise = 0.18, kRun = 0.35;  // m, of a step
constexpr int kSteps = 14;
constexpr double kWidth = 10.0;  // m, of the stairs
constexpr double kDensity = 985.0;

struct Part {
  const char* name;
  Geometry geometry;
  Vec3 center;  // m, standing, facing x, feet at z = 0
};
struct Link {
  const char* a;
  const char* b;
  Vec3 at;
  bool hinge;
  double low, high;    // degrees: of a hinge, or of the twist
  double cone1, cone2;  // degrees: about y, about x
  Vec3 axis;           // the middle of the cone
};

SceneModel build(const ParameterValues& values) {
  const int count = static_cast<int>(values.at("ragdolls"));
  SceneModel model;
  model.seconds = 12.0;
  const Material cloth = withFriction(0.6);
  model.bodies.push_back(fixedBody("floor", Plane{}, cloth));
  for (int i = 0; i < kSteps; ++i) {
    const double height = kRise * (i + 1);
    model.bodies.push_back(fixedBody("stair." + std::to_string(i), Box{{0.5 * kRun, 0.5 * kWidth, 0.5 * height}}, cloth,
                                     {{-kRun * (i + 0.5), 0.0, 0.5 * height}, Quat::Identity()}));
  }
  const double top = kRise * kSteps;
  model.bodies.push_back(fixedBody("landing", Box{{3.0, 0.5 * kWidth, 0.5 * top}}, cloth,
                                   {{-kRun * kSteps - 3.0, 0.0, 0.5 * top}, Quat::Identity()}));

  std::vector<Part> parts{{"pelvis", Box{{0.08, 0.14, 0.08}}, {0.0, 0.0, 0.95}},
                          {"chest", Box{{0.09, 0.16, 0.15}}, {0.0, 0.0, 1.24}},
                          {"head", Sphere{0.11}, {0.0, 0.0, 1.57}}};
  std::vector<Link> links{{"pelvis", "chest", {0.0, 0.0, 1.06}, false, -30.0, 30.0, 35.0, 20.0, Vec3::UnitZ()},
                          {"chest", "head", {0.0, 0.0, 1.43}, false, -50.0, 50.0, 40.0, 30.0, Vec3::UnitZ()}};
  for (const double side : {1.0, -1.0}) {
    const bool left = side > 0.0;
    parts.push_back({left ? "left arm" : "right arm", Capsule{0.045, 0.10}, {0.0, 0.24 * side, 1.23}});
    parts.push_back({left ? "left forearm" : "right forearm", Capsule{0.04, 0.11}, {0.0, 0.24 * side, 0.94}});
    parts.push_back({left ? "left thigh" : "right thigh", Capsule{0.065, 0.14}, {0.0, 0.09 * side, 0.66}});
    parts.push_back({left ? "left shin" : "right shin", Capsule{0.05, 0.17}, {0.0, 0.09 * side, 0.24}});
    // Shoulders: out to the side and forwards. Hips: forwards.
    links.push_back({"chest", parts[parts.size() - 4].name, {0.0, 0.24 * side, 1.36}, false, -60.0, 60.0, 85.0, 75.0,
                     Vec3(0.5, 0.6 * side, -0.6).normalized()});
    links.push_back({parts[parts.size() - 4].name, parts[parts.size() - 3].name, {0.0, 0.24 * side, 1.09}, true, -140.0, 2.0,
                     0.0, 0.0, Vec3::Zero()});
    links.push_back({"pelvis", parts[parts.size() - 2].name, {0.0, 0.09 * side, 0.86}, false, -30.0, 30.0, 60.0, 30.0,
                     Vec3(0.5, 0.15 * side, -0.85).normalized()});
    links.push_back({parts[parts.size() - 2].name, parts[parts.size() - 1].name, {0.0, 0.09 * side, 0.45}, true, -2.0, 140.0,
                     0.0, 0.0, Vec3::Zero()});
  }
  for (int i = 0; i < count; ++i) {
    const std::string own = "ragdoll." + std::to_string(i) + ".";
    // Rows of five on the landing, each row a second pace behind, leaning forwards and on the move.
    const Quat lean = turned(0.25 + 0.03 * (i % 3), Vec3::UnitY()) * turned(0.5 * (i % 4) - 0.75, Vec3::UnitZ());
    const Vec3 foot(-kRun * kSteps - 0.2 - 0.9 * (i / 5), -3.6 + 1.8 * (i % 5), top + 0.03);
    const Vec3 velocity(2.0 + 0.1 * (i % 3), 0.0, 0.0);
    const auto placed = [&](const Vec3& at) -> Vec3 { return foot + lean * at; };
    for (const Part& part : parts) {
      SceneBody body;
      body.desc.name = own + part.name;
      body.desc.pose = {placed(part.center), lean};
      body.desc.shapes = {shapeOf(part.geometry, cloth, kDensity)};
      body.desc.linearVelocity = velocity;
      body.desc.angularDamping = 0.2;
      model.bodies.push_back(std::move(body));
    }
    for (const Link& link : links) {
      const auto centerOf = [&](const char* name) -> Vec3 {
        for (const Part& part : parts)
          if (std::string(part.name) == name) return part.center;
        return Vec3::Zero();
      };
      SceneJoint joint;
      joint.desc.name = own + link.b + " joint";
      joint.a = own + link.a;
      joint.b = own + link.b;
      joint.desc.anchorA = link.at - centerOf(link.a);
      joint.desc.anchorB = link.at - centerOf(link.b);
      joint.desc.axes.resize(1);
      joint.desc.axes[0].limits = AxisLimits{radians(link.low), radians(link.high)};
      if (link.hinge) {
        joint.desc.kind = HingeJoint{Vec3::UnitY(), Vec3::UnitY()};
        joint.desc.axes[0].friction = 0.5;
      } else {
        // The limb's own direction: up for head and chest, down for arms and legs.
        const Vec3 limb = link.axis.z() > 0.9 ? Vec3(Vec3::UnitZ()) : Vec3(-Vec3::UnitZ());
        const Vec3 side = (Vec3::UnitY() - link.axis.y() * link.axis).normalized();
        joint.desc.kind =
            ConeTwistJoint{link.axis, limb, side, std::array<double, 2>{radians(link.cone1), radians(link.cone2)}};
        joint.desc.axes[0].friction = 0.3;
      }
      model.joints.push_back(std::move(joint));
    }
  }
  return model;
}

}  // namespace

SceneBuilder ragdollsBuilder() {
  return {
      .name = "ragdolls",
      .title = "Ragdolls fall down the stairs",
      .description = "Twenty ragdolls of eleven parts stumble off a landing. Joints must hold, no joint may go beyond its limits "
                     "by more than a few degrees as it strikes, and all of them must come to rest.",
      .parameters = {{.name = "ragdolls", .value = 20, .least = 1, .most = 500, .what = "how many", .whole = true}},
      .build = build,
  };
}

}  // namespace cairn
