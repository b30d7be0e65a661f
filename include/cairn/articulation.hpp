// Articulations: trees of links in reduced coordinates. Positions q and velocities v are those of the joints, so that no
// joint can come apart. docs/articulations.md tells it slowly.
//
//   cairn::ArticulationDesc arm;
//   arm.links.push_back({.parent = -1, .axis = cairn::Vec3::UnitY(), .massProperties = rod});
//   arm.links.push_back({.parent = 0, .placement = {.position = {0, 0, -1}}, .axis = cairn::Vec3::UnitY(), .massProperties =
//   rod}); cairn::Articulation a(arm); a.setState(q, v); cairn::Vector acceleration = a.forwardDynamics(efforts);   // and
//   mass matrix, inverse dynamics, Jacobians, ...
//
// The class Articulation stands alone: kinematics and dynamics of one tree, without a world, contacts, limits or motors.
// World::addArticulation puts one among bodies.
#pragma once

#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cairn/body.hpp"
#include "cairn/ids.hpp"
#include "cairn/math.hpp"
#include "cairn/shape.hpp"

namespace cairn {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;
using Vec6 = Eigen::Matrix<double, 6, 1>;
using ArticulationId = Id<struct ArticulationTag>;

// How a link moves against its parent, and its numbers in q and v, in this order.
enum class LinkJoint : std::uint8_t {
  Fixed,        // not at all
  Revolute,     // an angle about `axis`
  Prismatic,    // a length along `axis`
  Spherical,    // q: quaternion (w, x, y, z) of the link in the joint's frame; v: angular velocity in the link's axes
  Universal,    // an angle about `axis`, then one about `secondAxis`, which turns with the first
  Planar,       // lengths along `secondAxis` and along axis x secondAxis, then an angle about `axis`
  Cylindrical,  // a length along `axis` and an angle about it
  Free,         // q: position (m), quaternion; v: velocity of the link's origin in the joint frame's axes, angular velocity
                // in the link's axes
};
inline constexpr int kLinkJoints = 8;
std::string_view nameOf(LinkJoint joint);
int degreesOf(LinkJoint joint);    // numbers in v
int positionsOf(LinkJoint joint);  // numbers in q

// Drives one degree of freedom. Torque means force where the degree is a length.
struct LinkMotor {
  enum class Mode : std::uint8_t {
    Off,
    Effort,    // `target` is the torque, N m
    Velocity,  // the speed `target`, rad/s, with whatever torque it takes up to `maxEffort`
    Position,  // torque = stiffness (target - q) - damping v, taken implicitly, up to `maxEffort`
  };
  Mode mode = Mode::Off;
  double target = 0.0;     // N m, rad/s or rad (N, m/s or m)
  double stiffness = 0.0;  // N m/rad (N/m), of Position
  // N m s/rad (N s/m), of Position; unset: critical damping for the inertia that the joint has when the motor is set
  std::optional<double> damping{};
  double maxEffort = std::numeric_limits<double>::infinity();  // N m (N)
};

// What acts along one degree of freedom.
struct AxisDesc {
  double armature = 0.0;  // kg m^2 (kg): inertia of rotor and gear, added to the mass matrix
  double damping = 0.0;   // N m s/rad (N s/m)
  double friction = 0.0;  // N m (N), dry
  double lower = -std::numeric_limits<double>::infinity();  // rad (m); Spherical and Free joints have no limits
  double upper = std::numeric_limits<double>::infinity();
  std::optional<double> limitStiffness{};  // N m/rad (N/m); unset: a limit is hard
  double limitDamping = 0.0;               // N m s/rad (N s/m), of a limit with stiffness
  LinkMotor motor{};
};

struct LinkDesc {
  std::string name{};
  int parent = -1;  // an earlier link; -1: the base of the articulation, which does not move
  LinkJoint joint = LinkJoint::Revolute;
  Pose placement{};                 // of the link's frame in its parent's, where all numbers of the joint are zero
  Vec3 anchor = Vec3::Zero();       // m, in the link's frame: the point that the joint turns about (not of Free joints)
  Vec3 axis = Vec3::UnitZ();        // in the link's frame
  Vec3 secondAxis = Vec3::UnitX();  // the same; at right angles to `axis`
  std::vector<AxisDesc> axes{};     // by degree of freedom; those missing are free
  std::optional<MassProperties> massProperties{};  // unset: by the shapes' densities in a world, massless without
  std::vector<ShapeDesc> shapes{};                 // for worlds
};

struct ArticulationDesc {
  std::string name{};
  Pose base{};                       // of the base in the world
  std::vector<LinkDesc> links{};     // parents first
  std::vector<double> positions{};   // q; empty: zeros, and quaternions of no rotation
  std::vector<double> velocities{};  // v; empty: zeros
  // Whether links that a joint connects collide with each other.
  bool neighboursCollide = false;
};

enum class ArticulationIntegrator : std::uint8_t {
  Midpoint,      // implicit midpoint rule: second order, energy does not drift; some four evaluations of the dynamics a step
  SemiImplicit,  // Euler: velocities first, then positions by them; first order, one evaluation
};

// What a world's articulation does now.
struct ArticulationState {
  Vector q, v;
  // By degree of freedom, mean over the last step: N m (N).
  struct AxisEfforts {
    double limit = 0.0, motor = 0.0, friction = 0.0;
  };
  std::vector<AxisEfforts> efforts{};
};

// How an articulation can move, with the joints that close loops among its links or hold them to what does not move.
struct Mobility {
  int tree = 0;       // degrees of freedom without those joints
  int loops = 0;      // joints that close one
  int rows = 0;       // conditions that they are
  int redundant = 0;  // of those, how many say nothing new here
  int degrees() const { return tree - rows + redundant; }
};

struct InverseKinematicsOptions {
  int iterations = 100;     // of each try
  int restarts = 0;         // further tries, from other configurations within the limits, if it does not converge
  double tolerance = 1e-9;  // m and rad
  double damping = 1e-3;    // of the least squares, relative to the size of the Jacobian
  bool position = true, rotation = true;  // what of the pose is asked for
};
struct InverseKinematicsResult {
  bool converged = false;
  int iterations = 0;
  double error = 0.0;  // m and rad together
};

class Articulation {
 public:
  // Throws std::invalid_argument naming the link and the field.
  explicit Articulation(const ArticulationDesc& desc, const Vec3& gravity = {0.0, 0.0, -9.81});
  ~Articulation();
  Articulation(const Articulation&);
  Articulation(Articulation&&) noexcept;
  Articulation& operator=(Articulation) noexcept;

  int links() const;
  int degrees() const;                // of freedom: the size of v, of accelerations and efforts
  int positions() const;              // the size of q
  int firstDegree(int link) const;    // where its joint's numbers are in v
  int firstPosition(int link) const;  // and in q
  const ArticulationDesc& desc() const;

  // Throws std::invalid_argument on wrong sizes or numbers that are not finite. Quaternions are normalised.
  void setState(const Vector& q, const Vector& v);
  void setGravity(const Vec3& gravity);  // m/s^2
  const Vector& q() const;
  const Vector& v() const;

  // Kinematics. Vectors are (linear, angular) in world axes; points are in the link's frame, m.
  Pose linkPose(int link) const;
  Vec6 pointVelocity(int link, const Vec3& point) const;
  Matrix jacobian(int link, const Vec3& point) const;                 // 6 x degrees: pointVelocity = J v
  Vec6 jacobianRateTimesVelocity(int link, const Vec3& point) const;  // dJ/dt v: the acceleration of the point if v stays

  // Dynamics: M(q) a + b(q, v) = efforts. Damping, friction, limits and motors are not in it.
  Matrix massMatrix() const;                                 // armature included
  Vector biasForces() const;                                 // b: Coriolis, centrifugal and gravity
  Vector forwardDynamics(const Vector& efforts) const;       // a, in linear time
  Vector inverseDynamics(const Vector& acceleration) const;  // efforts, in linear time
  Matrix solveMass(const Matrix& efforts) const;             // M^-1 by columns, each in linear time
  bool isSingular() const;                                   // something massless can move: M has no inverse

  double kineticEnergy() const;    // J, armature included
  double potentialEnergy() const;  // J, zero at the world's origin
  double mass() const;             // kg, of all links but those fixed to the base; likewise what follows
  Vec3 centerOfMass() const;
  Vec6 centroidalMomentum() const;  // N s, and N m s about the centre of mass
  Matrix centroidalMatrix() const;  // 6 x degrees: momentum = A v
  Mat3 centroidalInertia() const;   // kg m^2, about the centre of mass, joints locked

  // One step, with the joints' viscous damping and constant efforts. Returns false, and changes nothing, if the equations of
  // the step could not be solved (dt far too long for the motion).
  bool step(double dt, const Vector& efforts, ArticulationIntegrator integrator = ArticulationIntegrator::Midpoint);

  // Looks for q with the point at a place and the link turned so, by damped least squares, within the limits.
  InverseKinematicsResult solveInverseKinematics(int link, const Vec3& point, const Pose& target,
                                                 const InverseKinematicsOptions& options = {});

  // On the manifold of configurations: from q along v for dt, and the v that leads from one to the other in unit time.
  Vector integrated(const Vector& q, const Vector& v, double dt) const;
  Vector difference(const Vector& from, const Vector& to) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace cairn
