// Joints hold two bodies together. Anchors and axes are in each body's own frame.
//
// What a joint leaves free is its axes: angles (rad) and lengths (m), each with a number and a name (jointAxisNames). On
// every axis there may be limits, a motor, a spring, dry friction and armature (JointDesc::axes).
#pragma once

#include <array>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "cairn/ids.hpp"
#include "cairn/math.hpp"

namespace cairn {

// Holds a point of A on a point of B. Axes: the rotation vector of B against A, in A's axes.
struct BallJoint {};
// Holds a point and an axis together; leaves rotation about the axis.
struct HingeJoint {
  Vec3 axisA = Vec3::UnitZ();
  Vec3 axisB = Vec3::UnitZ();
};
// Holds everything: B keeps the pose that it has relative to A when the joint is made (or the one given).
struct FixedJoint {
  std::optional<Quat> rotation{};  // orientation of B in A's frame
};
// Holds two points at a distance: a rod. With `shortest` or `longest` it is a range instead, and what is between them is
// free: `longest` alone is a rope, which only pulls. Limits of its axis with a stiffness make the range elastic.
struct DistanceJoint {
  std::optional<double> length{};  // m; unset: the distance when the joint is made
  std::optional<double> shortest{}, longest{};
};

// B is a wheel that rolls on a plane of A without slipping, along or sideways: a constraint on velocities, not on positions.
// The plane goes through A's anchor, the wheel's centre is B's anchor. (A wheel on an axle is a SuspensionJoint.)
struct WheelJoint {
  Vec3 normalA = Vec3::UnitZ();  // of the plane
  Vec3 axisB = Vec3::UnitY();    // of the wheel
  double radius = 0.5;           // m
};
// B's anchor is a blade on A: it does not move sideways, that is along axisB, and is free otherwise.
struct SkateJoint {
  Vec3 axisB = Vec3::UnitY();
};

// Holds the rotation that B has against A when the joint is made; leaves travel along an axis of A.
struct SliderJoint {
  Vec3 axisA = Vec3::UnitZ();
};
// Leaves travel along an axis and rotation about it.
struct CylindricalJoint {
  Vec3 axisA = Vec3::UnitZ();
  Vec3 axisB = Vec3::UnitZ();
};
// Cardan's joint: a point, and an axis of A across an axis of B. Leaves rotation about either.
struct UniversalJoint {
  Vec3 axisA = Vec3::UnitX();
  Vec3 axisB = Vec3::UnitY();
};
// A ball joint with swing and twist: how far axisB has swung from axisA, and how far B is turned about it. Where axes
// coincide is zero, with B as little turned as can be from how it is when the joint is made.
struct ConeTwistJoint {
  Vec3 axisA = Vec3::UnitZ();
  Vec3 axisB = Vec3::UnitZ();
  Vec3 sideA = Vec3::UnitX();  // swing_1 is about this, swing_2 about axisA x sideA
  // rad: half angles of an elliptic cone that axisB stays in, about the two sides; unset: no cone.
  std::optional<std::array<double, 2>> cone{};
};
// A wheel B on a chassis A: it travels along axisA (up, for a suspension) and is steered about it; it spins about axisB.
struct SuspensionJoint {
  Vec3 axisA = Vec3::UnitZ();
  Vec3 axisB = Vec3::UnitY();
};
// B's anchor stays in a plane of A, and B turns about the normal only.
struct PlanarJoint {
  Vec3 normalA = Vec3::UnitZ();
  Vec3 normalB = Vec3::UnitZ();
  Vec3 sideA = Vec3::UnitX();  // the x direction of the plane; y is normalA x sideA
};
// Two bodies that turn about axes of their own, against the world: angle of A + ratio times angle of B stays as it is.
// Something else must hold their axes, and axisA and axisB are those axes as the joint is made.
struct GearJoint {
  Vec3 axisA = Vec3::UnitZ();
  Vec3 axisB = Vec3::UnitZ();
  double ratio = 1.0;  // teeth of B over teeth of A; negative if they turn the same way
};
// A rack A that moves along axisA and a pinion B that turns about axisB, against the world: travel = radius times angle.
struct RackAndPinionJoint {
  Vec3 axisA = Vec3::UnitX();
  Vec3 axisB = Vec3::UnitZ();
  double radius = 0.1;  // m; negative: the other way round
};
// A nut B on a screw A: travel along the axis is pitch times turns about it.
struct ScrewJoint {
  Vec3 axisA = Vec3::UnitZ();
  Vec3 axisB = Vec3::UnitZ();
  double pitch = 0.01;  // m a turn
};
// A rope from A's anchor over two points of the world to B's anchor: length of A's side + ratio times that of B's is
// constant.
struct PulleyJoint {
  Vec3 groundA = Vec3::Zero();     // m, world
  Vec3 groundB = Vec3::Zero();     // m, world
  double ratio = 1.0;              // of a block and tackle on B's side
  std::optional<double> length{};  // m; unset: as the joint is made
  bool slack = false;              // the rope may be slack: it only pulls
};
// B's anchor runs on a curve of A: a smooth one through points (Catmull and Rom).
struct CurveJoint {
  std::vector<Vec3> points{};  // m, A's frame; two or more
  bool closed = false;
};
// Any of six degrees: along and about the axes of a frame of A, whose origin is A's anchor. B is where its anchor is, turned
// as when the joint is made.
struct SixDofJoint {
  Quat frameA = Quat::Identity();
  std::array<bool, 3> holdsTravel{true, true, true};
  std::array<bool, 3> holdsTurn{true, true, true};
};

using JointKind = std::variant<BallJoint, HingeJoint, FixedJoint, DistanceJoint, WheelJoint, SkateJoint, SliderJoint,
                               CylindricalJoint, UniversalJoint, ConeTwistJoint, SuspensionJoint, PlanarJoint, GearJoint,
                               RackAndPinionJoint, ScrewJoint, PulleyJoint, CurveJoint, SixDofJoint>;

// The kind as scene files call it, and its axes by number:
//
//   ball           turn_x, turn_y, turn_z        suspension       travel, steering, spin
//   hinge          angle                         planar           x, y, angle
//   distance       length                        gear             angle_a, angle_b
//   slider         travel                        rack_and_pinion  travel, angle
//   cylindrical    travel, angle                 screw            travel, angle
//   universal      angle_a, angle_b              pulley           length_a, length_b, rope
//   cone_twist     twist, swing_1, swing_2, cone curve            arc
//   six_dof        x, y, z, turn_x, turn_y, turn_z
//   fixed, wheel and skate have none.
std::string_view jointKindName(const JointKind& kind);
std::vector<std::string_view> jointAxisNames(const JointKind& kind);

// Prescribed motion of a hinge (angle of B about the axis, rad, zero as the joint is made) or a distance (m, added to its
// length): start + rate t + amplitude sin(2 pi frequency t + phase).
struct JointDrive {
  double start = 0.0;      // rad or m
  double rate = 0.0;       // rad/s or m/s
  double amplitude = 0.0;  // rad or m
  double frequency = 0.0;  // Hz
  double phase = 0.0;      // rad
  // Or through these values at these times (s, rising), straight between them and at rest outside; added to the above.
  std::vector<std::array<double, 2>> keys{};
};

// Compliance of a joint in its held directions. Unset: as stiff as the step can resolve.
struct JointSpring {
  double stiffness = 0.0;  // N/m (N m/rad for held rotations)
  double damping = 0.0;    // N s/m (N m s/rad)
};

// Where an axis ends. Angles count whole turns; zero is how the joint is made.
struct AxisLimits {
  double lower = -std::numeric_limits<double>::infinity();  // rad or m
  double upper = std::numeric_limits<double>::infinity();
  double stiffness = 0.0;  // N/m or N m/rad; 0: it does not give
  double damping = 0.0;    // N s/m or N m s/rad, of limits that give
};

enum class MotorKind : std::uint8_t {
  Velocity,  // target: m/s or rad/s
  Position,  // target: m or rad
  Effort,    // target: N or N m
};
struct AxisMotor {
  MotorKind kind = MotorKind::Velocity;
  double target = 0.0;
  double maximumEffort = std::numeric_limits<double>::infinity();  // N or N m
  // Of position motors, N/m or N m/rad and N s/m or N m s/rad. Damping unset: critical for the two bodies by themselves.
  double stiffness = 0.0;
  std::optional<double> damping{};
  // Added to the target: through these values at these times (s, rising), straight between them and constant outside.
  std::vector<std::array<double, 2>> keys{};
};

struct AxisSpring {
  double stiffness = 0.0;  // N/m or N m/rad
  double damping = 0.0;    // N s/m or N m s/rad
  double rest = 0.0;       // m or rad
};

// What acts along a free axis.
struct JointAxisDesc {
  std::optional<AxisLimits> limits{};
  std::optional<AxisMotor> motor{};
  std::optional<AxisSpring> spring{};
  double friction = 0.0;  // N or N m, dry (STAR eq. 26-27)
  double armature = 0.0;  // kg or kg m^2: inertia that only motion along the axis feels (a motor's rotor, geared)
};

struct JointDesc {
  std::string name{};
  BodyId a{};
  BodyId b{};
  Vec3 anchorA = Vec3::Zero();  // m, in A's frame
  Vec3 anchorB = Vec3::Zero();  // m, in B's frame
  JointKind kind = BallJoint{};
  std::optional<JointSpring> spring{};
  std::optional<JointDrive> drive{};   // hinges and distances
  bool bodiesCollide = false;          // whether A and B still collide with each other
  std::vector<JointAxisDesc> axes{};   // by number; fewer than there are: nothing acts on the others
  std::optional<double> breakForce{};  // N, of what holds it and its limits: it breaks beyond
  std::optional<double> breakTorque{};  // N m
  bool enabled = true;
};

struct AxisState {
  double position = 0.0;  // m or rad
  double speed = 0.0;     // m/s or rad/s
};

// Of an axis, in the last step.
struct AxisReaction {
  double position = 0.0;  // m or rad
  double speed = 0.0;     // m/s or rad/s
  // N or N m along the axis, on B; means over the step.
  double limit = 0.0;
  double motor = 0.0;
  double friction = 0.0;
  double spring = 0.0;  // and armature
};

// What a joint did in the last step.
struct JointReaction {
  Vec3 force;         // N, on B at the anchor, mean over the step: of what the joint holds
  Vec3 torque;        // N m, on B
  double error;       // m, how far the anchors (or the distance) are off
  double angleError;  // rad
  std::vector<AxisReaction> axes{};
};

}  // namespace cairn
