// A semicircular arch of dry stones: it stands or falls by its thickness alone (limit analysis of masonry).
#include <algorithm>
#include <limits>

#include "scenes/builders.hpp"

namespace cairn {
namespace {

constexpr double kRadius = 2.0;           // m, of the arch's middle line
constexpr double kWidth = 0.5;            // m, along y
constexpr double kStoneDensity = 2400.0;  // kg/m^3
constexpr double kSpringing = 0.5;        // m, height of the blocks that it stands on

using Vec2 = Eigen::Vector2d;  // x, z

Vec2 onJoint(double angle, double radius) { return radius * Vec2(std::cos(angle), std::sin(angle)); }

// Area and centroid of a quadrilateral whose corners go round.
struct Quadrilateral {
  double area = 0.0;  // m^2, positive counter-clockwise
  Vec2 center = Vec2::Zero();
  explicit Quadrilateral(const std::array<Vec2, 4>& corners) {
    for (int i = 0; i < 4; ++i) {
      const Vec2 &a = corners[i], &b = corners[(i + 1) % 4];
      const double cross = a.x() * b.y() - a.y() * b.x();
      area += 0.5 * cross;
      center += cross / 6.0 * (a + b);
    }
    center /= area;
  }
};

// Whether some line of thrust lies within the stones (static theorem of limit analysis, friction large). Half of the arch,
// cut at the crown: there the thrust H is level, at an unknown height q/H. At the joint at angle a, which carries the weight
// W of the stones above it, equilibrium gives the normal force N = H sin a + W cos a and, about the joint's middle, the
// moment q - R sin(a) H + W (x_W - R cos a); without tension that moment is at most N t/2 either way. Each joint bounds q
// from below and above by lines in H: there must be an H at which the lower ones lie below the upper ones.
bool thrustFits(int stones, double thickness) {
  struct Line {
    double at0, slope;
  };
  std::vector<Line> above, below;
  const double inner = 1.0 - 0.5 * thickness, outer = 1.0 + 0.5 * thickness;  // of the radius
  double weight = 0.0, moment = 0.0;                                          // of the stones above the joint
  for (int joint = stones / 2; joint >= 0; --joint) {
    const double low = std::numbers::pi * joint / stones, high = std::numbers::pi * (joint + 1) / stones;
    Vec2 innerHigh = onJoint(high, inner), outerHigh = onJoint(high, outer);
    if (joint == stones / 2) {  // half of the keystone
      innerHigh = {0.0, innerHigh.y()};
      outerHigh = {0.0, outerHigh.y()};
    }
    const Quadrilateral stone({onJoint(low, inner), onJoint(low, outer), outerHigh, innerHigh});
    weight += stone.area;
    moment += stone.area * stone.center.x();
    const double lever = moment - weight * std::cos(low), half = 0.5 * thickness;
    above.push_back({half * weight * std::cos(low) - lever, std::sin(low) * (1.0 + half)});
    below.push_back({-half * weight * std::cos(low) - lever, std::sin(low) * (1.0 - half)});
  }
  const auto room = [&](double thrust) {
    double least = std::numeric_limits<double>::infinity(), most = -least;
    for (const Line& line : above) least = std::min(least, line.at0 + line.slope * thrust);
    for (const Line& line : below) most = std::max(most, line.at0 + line.slope * thrust);
    return least - most;
  };
  double from = 0.0, to = 10.0 * weight;  // the room is concave in the thrust
  for (int i = 0; i < 100; ++i) {
    const double a = from + (to - from) / 3.0, b = to - (to - from) / 3.0;
    (room(a) < room(b) ? from : to) = room(a) < room(b) ? a : b;
  }
  return room(0.5 * (from + to)) >= 0.0;
}

// The least thickness at which an arch of so many stones stands, over its radius.
double leastThickness(int stones) {
  double falls = 1e-3, stands = 0.5;
  while (stands - falls > 1e-12) {
    const double middle = 0.5 * (falls + stands);
    (thrustFits(stones, middle) ? stands : falls) = middle;
  }
  return stands;
}

SceneModel build(const ParameterValues& values) {
  const int stones = 2 * (static_cast<int>(values.at("voussoirs")) / 2) + 1;  // with a keystone
  const double thickness = values.at("thickness") * leastThickness(stones) * kRadius;
  const Material material = withFriction(values.at("mu"));

  SceneModel model;
  model.settings.stepper = "lcp";
  model.settings.solver.tolerance = 1e-8;
  model.seconds = 10.0;
  model.stands = values.at("thickness") > 1.0;
  model.materials["stone"] = material;
  model.bodies.push_back(fixedBody("ground", Plane{.offset = -kSpringing}, material));
  for (const double side : {-1.0, 1.0}) {
    const Vec3 size(3.0 * thickness, 1.5 * kWidth, kSpringing);
    model.bodies.push_back(fixedBody(side < 0.0 ? "springing left" : "springing right", Box{0.5 * size}, material,
                                     {{side * kRadius, 0.0, -0.5 * kSpringing}, Quat::Identity()}));
  }
  for (int i = 0; i < stones; ++i) {
    const double low = std::numbers::pi * i / stones, high = std::numbers::pi * (i + 1) / stones;
    const Vec2 middle = onJoint(0.5 * (low + high), kRadius);
    SceneBody stone;
    stone.desc.name = "voussoir." + std::to_string(i);
    stone.desc.pose.position = {middle.x(), 0.0, middle.y()};
    ConvexHull hull;
    for (const double angle : {low, high}) {
      for (const double radius : {kRadius - 0.5 * thickness, kRadius + 0.5 * thickness}) {
        const Vec2 corner = onJoint(angle, radius) - middle;
        for (const double y : {-0.5 * kWidth, 0.5 * kWidth}) hull.points.emplace_back(corner.x(), y, corner.y());
      }
    }
    stone.desc.locks = planarLocks();
    stone.desc.shapes = {shapeOf(std::move(hull), material, kStoneDensity)};
    model.bodies.push_back(std::move(stone));
  }
  return model;
}

}  // namespace

SceneBuilder stoneArchBuilder() {
  return {
      .name = "stone_arch",
      .title = "An arch of dry stones",
      .description =
          "A semicircular arch stands if a line of thrust fits into its thickness. That depends on the shape alone: for 7 "
          "stones it takes 0.0957 of the radius, for 21 stones 0.1067. The arch here has 1.1 times as much; at 0.9 "
          "(--set thickness=0.9) it folds at five joints and falls.",
      .parameters = {{.name = "voussoirs",
                      .value = 7,
                      .least = 3,
                      .most = 99,
                      .what = "stones; made odd, for the keystone",
                      .whole = true},
                     {.name = "thickness", .value = 1.1, .least = 0.2, .most = 5, .what = "of the least that stands"},
                     {.name = "mu", .value = 0.8, .least = 0, .most = 100, .what = "friction of every surface"}},
      .build = build,
  };
}

}  // namespace cairn
