// A wrecking ball: a light chain, level at the start, with a heavy ball at its end.
#include "scenes/builders.hpp"

namespace cairn {
namespace {

constexpr double kLinkLength = 0.5;   // m, from joint to joint
constexpr double kLinkRadius = 0.05;  // m
constexpr double kLinkMass = 1.0;     // kg
constexpr double kBallRadius = 0.5;   // m
constexpr double kHeight = 15.0;      // m, of the hook: the ball swings clear of where a ground would be

SceneModel build(const ParameterValues& values) {
  const int links = static_cast<int>(values.at("links"));
  const Material material = withFriction(0.5);

  SceneModel model;
  model.seconds = 10.0;
  model.materials["iron"] = material;
  model.bodies.push_back(worldAnchor());

  const auto hang = [&](SceneBody body, double from, const std::string& above, const Vec3& anchorAbove) {
    SceneJoint joint;
    joint.a = above;
    joint.b = body.desc.name;
    joint.desc.name = above + " - " + body.desc.name;
    joint.desc.kind = BallJoint{};
    joint.desc.anchorA = anchorAbove;
    joint.desc.anchorB = {from - body.desc.pose.position.x(), 0.0, 0.0};
    model.joints.push_back(std::move(joint));
    model.bodies.push_back(std::move(body));
  };

  std::string above(kWorldBodyName);
  Vec3 anchor(0.0, 0.0, kHeight);
  for (int i = 0; i < links; ++i) {
    SceneBody link;
    link.desc.name = "link." + std::to_string(i);
    link.desc.pose.position = {(i + 0.5) * kLinkLength, 0.0, kHeight};
    link.desc.shapes = {shapeOf(Capsule{kLinkRadius, 0.5 * kLinkLength - kLinkRadius}, material)};
    link.desc.shapes[0].local.rotation = turned(0.5 * std::numbers::pi, Vec3::UnitY());
    link.desc.mass = kLinkMass;
    hang(std::move(link), i * kLinkLength, above, anchor);
    above = "link." + std::to_string(i);
    anchor = {0.5 * kLinkLength, 0.0, 0.0};
  }
  SceneBody ball;
  ball.desc.name = "ball";
  ball.desc.pose.position = {links * kLinkLength + kBallRadius, 0.0, kHeight};
  ball.desc.shapes = {shapeOf(Sphere{kBallRadius}, material)};
  ball.desc.mass = values.at("ball");
  hang(std::move(ball), links * kLinkLength, above, anchor);
  return model;
}

}  // namespace

SceneBuilder ballAndChainBuilder() {
  return {
      .name = "ball_and_chain",
      .title = "A ball of a ton swings on a chain of twenty links",
      .description =
          "Twenty links of 1 kg, level at the start, with a ball of 1000 kg at the end. Every link must pass on the pull of "
          "the ball, a thousand times its own weight and three times as much at the bottom of the swing: iterative "
          "solvers let the joints gape. They must not open, and the energy must not grow.",
      .parameters = {{.name = "links", .value = 20, .least = 1, .most = 1000, .what = "of 1 kg", .whole = true},
                     {.name = "ball", .value = 1000, .least = 0.001, .most = 1e6, .unit = "kg", .what = "of the ball"}},
      .build = build,
  };
}

}  // namespace cairn
