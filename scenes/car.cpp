// A car parks sideways. It cannot move sideways: each of its wheels only rolls (non-holonomic constraints), and yet it ends
// up beside where it was.
#include "scenes/builders.hpp"

namespace cairn {
namespace {

constexpr double kWheelbase = 2.6;                           // m
constexpr double kTrack = 1.5;                               // m, between left and right wheels
constexpr double kWheelRadius = 0.32;                        // m
constexpr double kWheelWidth = 0.2;                          // m
const Vec3 kBodySize(4.2, 1.25, 0.45);                       // m: the wheels are outside
const Vec3 kCabinSize(1.8, 1.1, 0.45);                       // m
constexpr double kClearance = 0.25;                          // m, below the body
constexpr double kTurn = 5.0;                                // m, radius of the turns, at the middle of the rear axle
constexpr double kAside = 2.3;                               // m, from the lane to the gap
constexpr double kAhead = 0.7;                               // m, that it moves forwards at the end
constexpr double kGapFront = 4.2, kGapRear = -2.6;           // m, along x, where the parked cars end
constexpr double kSteering = 1.0, kArc = 4.0, kPause = 0.3;  // s: to turn the wheels, to go round a bend, between
constexpr double kKeyStep = 0.05;                            // s

// Of parts that hold together: they touch nothing but the parked cars.
constexpr std::uint32_t kCarGroup = 2, kParkedGroup = 4;

// Values reached one after the other, each smoothly.
class Motion {
 public:
  void hold(double seconds) { moveTo(value_, seconds); }
  void moveTo(double value, double seconds) {
    const int steps = std::max(1, static_cast<int>(seconds / kKeyStep));
    for (int i = keys_.empty() ? 0 : 1; i <= steps; ++i) {
      const double share = static_cast<double>(i) / steps;
      keys_.push_back({time_ + seconds * share, value_ + (value - value_) * share * share * (3.0 - 2.0 * share)});
    }
    time_ += seconds;
    value_ = value;
  }
  JointDrive drive() const { return {.keys = keys_}; }

 private:
  double time_ = 0.0, value_ = 0.0;
  std::vector<std::array<double, 2>> keys_;
};

// How far a front wheel turns so that its axle points at the centre of the bend, `turn` metres to the left.
double steeringAngle(double turn, double wheelY) { return turn == 0.0 ? 0.0 : std::atan(kWheelbase / (turn - wheelY)); }

ShapeDesc part(Geometry geometry, const Pose& local, std::uint32_t group, std::uint32_t collidesWith) {
  ShapeDesc shape = shapeOf(std::move(geometry), withFriction(0.5), 300.0);
  shape.local = local;
  shape.group = group;
  shape.collidesWith = collidesWith;
  return shape;
}

// A wheel's axle is its y axis.
ShapeDesc wheelShape(const Vec3& position, std::uint32_t group) {
  return part(Cylinder{kWheelRadius, 0.5 * kWheelWidth}, {position, turned(0.5 * std::numbers::pi, Vec3::UnitX())}, group,
              0);
}

std::vector<ShapeDesc> bodyShapes(std::uint32_t group, std::uint32_t collidesWith) {
  const double middle = kClearance + 0.5 * kBodySize.z() - kWheelRadius;  // m, above the axles
  const double cabin = middle + 0.5 * (kBodySize.z() + kCabinSize.z());
  return {part(Box{0.5 * kBodySize}, {{0.0, 0.0, middle}, Quat::Identity()}, group, collidesWith),
          part(Box{0.5 * kCabinSize}, {{-0.2, 0.0, cabin}, Quat::Identity()}, group, collidesWith)};
}

SceneJoint joint(std::string name, std::string a, std::string b, JointKind kind, const Vec3& anchorA) {
  SceneJoint made;
  made.desc.name = std::move(name);
  made.desc.kind = std::move(kind);
  made.desc.anchorA = anchorA;
  made.a = std::move(a);
  made.b = std::move(b);
  return made;
}

SceneModel build(const ParameterValues& values) {
  const double pace = 1.0 / values.at("pace");
  SceneModel model;
  model.settings.stepper = "lcp";
  model.seconds = 15.0 * pace;

  // The manoeuvre: back round a bend to the right, back round one to the left, a little ahead.
  const double angle = std::acos(1.0 - kAside / (2.0 * kTurn));
  Motion left, right, rolled;  // angles of the front wheels, of the left rear wheel
  double rolledTo = 0.0;       // m
  const auto steer = [&](double turn) {
    left.moveTo(steeringAngle(turn, 0.5 * kTrack), pace * kSteering);
    right.moveTo(steeringAngle(turn, -0.5 * kTrack), pace * kSteering);
    rolled.hold(pace * kSteering);
  };
  const auto roll = [&](double distance, double seconds) {
    rolledTo += distance;
    rolled.moveTo(rolledTo / kWheelRadius, pace * seconds);
    left.hold(pace * seconds);
    right.hold(pace * seconds);
    for (Motion* motion : {&rolled, &left, &right}) motion->hold(pace * kPause);
  };
  steer(-kTurn);
  roll(-angle * (kTurn + 0.5 * kTrack), kArc);
  steer(kTurn);
  roll(-angle * (kTurn - 0.5 * kTrack), kArc);
  steer(0.0);
  roll(kAhead, 0.5 * kArc);

  model.bodies.push_back(worldAnchor());
  model.bodies.push_back(fixedBody("road", Plane{}, withFriction(0.5)));
  for (const double x : {kGapFront + 0.5 * kBodySize.x(), kGapRear - 0.5 * kBodySize.x()}) {
    SceneBody parked =
        fixedBody(x > 0.0 ? "parked ahead" : "parked behind", Box{}, {}, {{x, 0.0, kWheelRadius}, Quat::Identity()});
    // Immovable all the same, but part of what the scene is about.
    parked.desc.kind = BodyKind::Dynamic;
    parked.desc.locks = {.position = {true, true, true}, .rotation = {true, true, true}};
    parked.desc.shapes = bodyShapes(kParkedGroup, kCarGroup);
    for (const double wheelX : {-0.5, 0.5})
      for (const double wheelY : {-0.5, 0.5})
        parked.desc.shapes.push_back(wheelShape({wheelX * kWheelbase, wheelY * kTrack, 0.0}, kParkedGroup));
    model.bodies.push_back(std::move(parked));
  }
  SceneBody kerb = fixedBody("kerb", Box{{8.0, 0.1, 0.06}}, {}, {{0.5, -1.3, 0.06}, Quat::Identity()});
  kerb.desc.shapes[0].collidesWith = 0;
  model.bodies.push_back(std::move(kerb));

  // Two bends of that angle bring it 2 R sin(angle) along and kAside aside.
  const Vec3 start(2.0 * kTurn * std::sin(angle), kAside, kWheelRadius);
  SceneBody chassis;
  chassis.desc.name = "chassis";
  chassis.desc.pose.position = start;
  chassis.desc.shapes = bodyShapes(kCarGroup, kParkedGroup);
  model.bodies.push_back(std::move(chassis));
  const auto addWheel = [&](const std::string& name, const std::string& carrier, const Vec3& at, const Vec3& anchor) {
    SceneBody wheel;
    wheel.desc.name = name;
    wheel.desc.pose.position = start + at;
    wheel.desc.shapes = {wheelShape(Vec3::Zero(), kCarGroup)};
    model.bodies.push_back(std::move(wheel));
    model.joints.push_back(joint(name + " axle", carrier, name, HingeJoint{Vec3::UnitY(), Vec3::UnitY()}, anchor));
    if (name == "wheel rear left") model.joints.back().desc.drive = rolled.drive();
    const WheelJoint rolls{Vec3::UnitZ(), Vec3::UnitY(), kWheelRadius};
    model.joints.push_back(joint(name + " on the road", std::string(kWorldBodyName), name, rolls, Vec3::Zero()));
  };
  for (const double side : {1.0, -1.0}) {
    const std::string name = side > 0.0 ? "left" : "right";
    const Vec3 rear(-0.5 * kWheelbase, 0.5 * side * kTrack, 0.0), front(0.5 * kWheelbase, 0.5 * side * kTrack, 0.0);
    addWheel("wheel rear " + name, "chassis", rear, rear);
    // The knuckle turns about the vertical; the wheel turns on it.
    SceneBody knuckle;
    knuckle.desc.name = "knuckle " + name;
    knuckle.desc.pose.position = start + front;
    knuckle.desc.shapes = {part(Box{Vec3::Constant(0.08)}, {}, kCarGroup, 0)};
    model.bodies.push_back(std::move(knuckle));
    const HingeJoint upright{Vec3::UnitZ(), Vec3::UnitZ()};
    model.joints.push_back(joint("steering " + name, "chassis", "knuckle " + name, upright, front));
    model.joints.back().desc.drive = (side > 0.0 ? left : right).drive();
    addWheel("wheel front " + name, "knuckle " + name, front, Vec3::Zero());
  }
  return model;
}

}  // namespace

SceneBuilder carBuilder() {
  return {
      .name = "car",
      .title = "A car parks sideways",
      .description =
          "Four wheels that only roll, two of them steered, one driven: the car backs round two bends into the gap between "
          "the parked ones and moves up. It must touch neither, end parallel to the kerb and 2.3 m beside its lane, and its "
          "wheels must not slip.",
      .parameters = {{.name = "pace", .value = 1, .least = 0.1, .most = 10, .what = "how many times as fast"}},
      .build = build,
  };
}

}  // namespace cairn
