// A robot as its file describes it: a plain value that depends on no format and on no engine. The readers (URDF, MJCF,
// SDFormat) fill it, the writers and the scene builder read it. SI units and radians; a quaternion turns the inner frame into
// the outer one.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cairn/body.hpp"
#include "cairn/math.hpp"

namespace cairn {

// Where something was written.
struct RobotPlace {
  std::string file{};
  int line = 0;  // 0: the file as a whole
};

struct RobotRemark {
  RobotPlace place{};
  std::string what{};
};

struct RobotRange {
  double lower = 0.0, upper = 0.0;
};

// A soft constraint as a damped spring per unit of effective mass: acceleration = -stiffness x - damping v. Its natural
// frequency is sqrt(stiffness) rad/s and its damping ratio damping / (2 sqrt(stiffness)).
struct RobotSoftness {
  double stiffness = 0.0;  // 1/s^2, that is N/m for each kg of effective mass
  double damping = 0.0;    // 1/s, that is N s/m for each kg
};

// Resistance of the medium, in the principal axes of the body's inertia: force -linear v - quadratic_i |v_i| v_i for each
// axis, torque likewise.
struct RobotDrag {
  double linear = 0.0, angular = 0.0;                              // N s/m, N m s
  Vec3 quadratic = Vec3::Zero(), angularQuadratic = Vec3::Zero();  // N s^2/m^2, N m s^2
};

struct RobotBody {
  std::string name{};
  int parent = -1;        // into bodies, always before this one; -1: the world
  Pose pose{};            // in the parent's frame, with every joint at its reference
  MassProperties mass{};  // inertia about the centre of mass, in the body's axes
  bool hasInertial = false;          // else the mass came from shapes, or there is none
  bool mocap = false;                // follows what it is told
  double gravityCompensation = 0.0;  // share of the weight that is taken off
  std::optional<RobotDrag> drag{};
  RobotPlace place{};
};

enum class RobotJointKind { Fixed, Hinge, Slide, Ball, Free };

// joint = offset + multiplier * other
struct RobotMimic {
  int joint = -1;
  double multiplier = 1.0, offset = 0.0;
};

// Joints of a body act one after the other, from the parent outwards. A body without joints is fixed to its parent.
struct RobotJoint {
  std::string name{};
  RobotJointKind kind = RobotJointKind::Hinge;
  int body = -1;
  Vec3 anchor = Vec3::Zero();          // m, in the body's frame
  Vec3 axis = Vec3::UnitZ();           // unit, in the body's frame
  std::optional<RobotRange> range{};   // rad or m; Ball: upper is the largest angle
  double reference = 0.0;              // the coordinate at RobotBody::pose
  double stiffness = 0.0;              // N m/rad or N/m
  double springReference = 0.0;        // the coordinate at which the spring is at rest
  double damping = 0.0;                // N m s/rad or N s/m
  double frictionLoss = 0.0;           // N m or N
  double armature = 0.0;               // kg m^2 or kg
  std::optional<RobotRange> effort{};  // N m or N: what all actuators of the joint can give together
  std::optional<double> velocityLimit{};
  bool compensatesByActuator = false;  // gravity compensation counts as an actuator's force
  std::optional<RobotMimic> mimic{};
  std::optional<RobotSoftness> limitSoftness{}, frictionSoftness{};
  double limitMargin = 0.0;  // the limit acts from this distance on
  RobotPlace place{};
};

struct RobotMaterial {
  std::string name{};
  std::array<double, 4> colour{0.5, 0.5, 0.5, 1.0};
  std::string texture{};  // a file, or empty
  RobotPlace place{};
};

// Vertices of the file at x are at scale * (referenceRotation^-1 (x - referencePosition)) in the frame of the shape.
struct RobotMesh {
  std::string name{};
  std::string file{};  // as found on disk; empty: vertices and triangles are below
  Vec3 scale = Vec3::Ones();
  Vec3 referencePosition = Vec3::Zero();
  Quat referenceRotation = Quat::Identity();
  std::vector<Vec3> vertices{};
  std::vector<std::array<std::uint32_t, 3>> triangles{};  // none: the hull of the vertices
  RobotPlace place{};
};

enum class RobotGeomKind { Plane, Sphere, Capsule, Ellipsoid, Cylinder, Box, Mesh };

struct RobotGeom {
  std::string name{};
  int body = -1;  // -1: the world
  RobotGeomKind kind = RobotGeomKind::Sphere;
  Pose pose{};  // in the body's frame
  // m. Sphere: radius. Capsule and cylinder: radius, half of the straight part. Box and ellipsoid: half extents. Plane: half
  // extents, 0 for endless; its normal is z.
  Vec3 size = Vec3::Zero();
  int mesh = -1;  // into meshes
  bool visual = true, collision = true;
  unsigned contactType = 1, contactAffinity = 1;  // a pair touches where (type a & affinity b) | (type b & affinity a)
  int group = 0;
  int contactDimension = 3;                            // 1: no friction, 3: sliding, 4: also spinning, 6: also rolling
  std::array<double, 3> friction{1.0, 0.005, 0.0001};  // sliding, spinning (m), rolling (m)
  std::optional<double> restitution{};
  int priority = 0;
  double margin = 0.0, gap = 0.0;  // m
  std::optional<RobotSoftness> softness{};
  MassProperties mass{};  // in the body's frame; what this shape weighs where masses come from shapes
  int material = -1;
  std::array<double, 4> colour{0.5, 0.5, 0.5, 1.0};
  RobotPlace place{};
};

struct RobotSite {
  std::string name{};
  int body = -1;
  Pose pose{};
  int group = 0;
  RobotPlace place{};
};

enum class RobotEqualityKind {
  Connect,  // the origins of both frames stay together
  Weld,     // both frames stay together
  Joint,    // q1 - ref1 = polynomial(q2 - ref2)
  Tendon,   // the same for lengths, each from its value at the reference
};

struct RobotEquality {
  std::string name{};
  RobotEqualityKind kind = RobotEqualityKind::Connect;
  int first = -1, second = -1;  // bodies (-1: the world), joints or tendons (second -1: none)
  Pose firstFrame{}, secondFrame{};
  std::array<double, 5> polynomial{0.0, 1.0, 0.0, 0.0, 0.0};
  double torqueScale = 1.0;  // Weld: m, weight of rotation against translation
  bool active = true;
  std::optional<RobotSoftness> softness{};
  RobotPlace place{};
};

struct RobotTendonPoint {
  enum class Kind { Site, Wrap, Pulley } kind = Kind::Site;
  int site = -1;
  int geom = -1;         // Wrap: a sphere or a cylinder
  int sideSite = -1;     // Wrap: the side on which it passes, -1: the shorter
  double divisor = 1.0;  // Pulley
};

struct RobotTendon {
  std::string name{};
  std::vector<std::pair<int, double>> joints{};  // fixed tendon: length = sum of coefficient * coordinate
  std::vector<RobotTendonPoint> path{};          // spatial tendon
  std::optional<RobotRange> range{};             // m
  double stiffness = 0.0, damping = 0.0, frictionLoss = 0.0, armature = 0.0;
  std::optional<RobotRange> restLength{};  // no spring force between the two; none: the length at the reference
  std::optional<RobotRange> effort{};
  std::optional<RobotSoftness> limitSoftness{};
  double limitMargin = 0.0;
  RobotPlace place{};
};

// With u the control after its range and filter, l and v the length and rate of the transmission (gear times the target's):
//   Motor     force = scale u + offset
//   Position  force = stiffness (scale u + offset - l) - damping v
//   Velocity  force = damping (scale u + offset - v)
enum class RobotActuatorKind { Motor, Position, Velocity };
enum class RobotTarget { Joint, JointInParent, Tendon, Site };

struct RobotActuator {
  std::string name{};
  RobotActuatorKind kind = RobotActuatorKind::Motor;
  RobotTarget target = RobotTarget::Joint;
  int index = -1;          // of the joint, tendon or site
  int referenceSite = -1;  // Site: its frame is the one moved in; -1: the site's own
  std::array<double, 6> gear{1.0, 0.0, 0.0, 0.0, 0.0, 0.0};
  double scale = 1.0, offset = 0.0, stiffness = 0.0, damping = 0.0;
  double filterTime = 0.0;  // s, first-order lag of the control; 0: none
  std::optional<RobotRange> controlRange{}, forceRange{}, activationRange{};
  RobotPlace place{};
};

struct RobotExclude {
  int first = -1, second = -1;  // bodies
  RobotPlace place{};
};

// A pair of shapes that touch whatever their bits say.
struct RobotPair {
  int first = -1, second = -1;  // geoms
  int contactDimension = 3;
  std::array<double, 5> friction{1.0, 1.0, 0.005, 0.0001, 0.0001};
  double margin = 0.0, gap = 0.0;
  std::optional<RobotSoftness> softness{};
  RobotPlace place{};
};

struct RobotKeyframe {
  std::string name{};
  double time = 0.0;
  std::vector<double> positions{}, velocities{}, activations{}, controls{};  // empty: as at the reference
  RobotPlace place{};
};

// `kind` is MuJoCo's word: "jointpos", "gyro", "framequat", ...
struct RobotSensor {
  std::string name{}, kind{};
  std::string objectKind{};  // "joint", "site", "body", "xbody", "geom", "tendon", "actuator", or empty
  int object = -1;
  std::string referenceKind{};
  int reference = -1;
  double cutoff = 0.0, noise = 0.0;
  RobotPlace place{};
};

struct RobotOptions {
  std::optional<double> timestep{};  // s
  Vec3 gravity{0.0, 0.0, -9.81};     // m/s^2
  Vec3 magneticField{0.0, -0.5, 0.0};
  Vec3 wind = Vec3::Zero();                  // m/s
  double density = 0.0, viscosity = 0.0;     // of the medium, kg/m^3 and Pa s
  std::string integrator{}, solver{}, cone{};  // as written, or empty
  double frictionImpedanceRatio = 1.0;
  bool parentsTouchChildren = false;  // contact between a body and its parent
  std::vector<std::string> disabled{};  // parts of the simulation that the file switches off, in MuJoCo's words
};

struct RobotModel {
  std::string name{};
  std::string format{};  // "URDF", "MJCF" or "SDFormat"
  bool floating = false;  // the first body has six degrees of freedom against the world
  std::vector<RobotBody> bodies{};
  std::vector<RobotJoint> joints{};  // in the order of their bodies
  std::vector<RobotGeom> geoms{};
  std::vector<RobotMesh> meshes{};
  std::vector<RobotMaterial> materials{};
  std::vector<RobotSite> sites{};
  std::vector<RobotEquality> equalities{};
  std::vector<RobotTendon> tendons{};
  std::vector<RobotActuator> actuators{};
  std::vector<RobotExclude> excludes{};
  std::vector<RobotPair> pairs{};
  std::vector<RobotKeyframe> keyframes{};
  std::vector<RobotSensor> sensors{};
  RobotOptions options{};

  std::vector<RobotRemark> missing{};   // what changes the motion and cannot be represented
  std::vector<RobotRemark> warnings{};  // what was kept as written although it looks wrong
  std::vector<RobotRemark> notes{};     // what was converted, or left out because it does not change the motion
};

// Degrees of freedom of one joint, and how many numbers say where it is.
int dofs(RobotJointKind kind);
int coordinates(RobotJointKind kind);

}  // namespace cairn
