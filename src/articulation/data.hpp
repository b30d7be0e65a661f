// How an articulation moves now, and the algorithms on it. All are loops over the nodes, parents first or last, without
// recursion, and allocate nothing once the data is made.
//
// Vectors are in world axes, and those of a node are taken at its own origin p: nothing is ever turned from one frame to
// another, only moved along the arm r = p - p(parent), and numbers stay small however far from the world's origin things
// are. Velocities and accelerations are those of the material point at p (not Featherstone's spatial accelerations, which
// differ by w x v), so that with c the part that is there without any acceleration of the joint,
//
//   A = X A(parent) + S a + c        X = [1 -r^; 0 1],   S: the motion that the joint allows
//   F = I A + b                      I = [m -h^; h^ J],  b = (w x (w x h), w x J w),  h = m (centre - p)
//
// Gravity is an acceleration of the base upwards. Algorithms as in Featherstone, Rigid Body Dynamics Algorithms, 2008:
// recursive Newton-Euler (5.3), composite rigid bodies (6.2), articulated bodies (7.3).
#pragma once

#include "articulation/model.hpp"

namespace cairn {

using Mat6 = Eigen::Matrix<double, 6, 6>;

// A symmetric 6 x 6 matrix [linear coupling; coupling^T turning], of an inertia: force = linear a + coupling alpha.
struct Inertia6 {
  Symmetric3 linear;
  Mat3 coupling = Mat3::Zero();
  Symmetric3 turning;
};

struct NodeState {
  NodeState() {}  // NOLINT: nothing is read before it is written
  // Of position: computePositions().
  Mat3 rotation;
  Vec3 position;  // m
  Vec3 arm;       // m, r
  // Of velocity: computeVelocities().
  Vec3 velocity, spin;           // m/s, rad/s
  Vec3 biasLinear, biasAngular;  // c
  // Inertia in world axes: computeInertias().
  Vec3 moment;         // kg m, h
  Symmetric3 inertia;  // kg m^2, J
  // Articulated bodies: factor() and forwardDynamics().
  Inertia6 articulated;
  Vec3 force, torque;          // what has to be borne besides
  Vec3 heldForce, heldTorque;  // U = I S, of a joint with one degree
  double inverse;              // of S^T U + armature; 0: nothing to move
  double effort;               // u
  // Accelerations of the last pass that makes them.
  Vec3 acceleration, angularAcceleration;
};

// Of a joint with three or six degrees.
struct WideNode {
  Eigen::Matrix<double, 6, 6> motion, held, inverse;  // S, U and D^-1: the first `degrees` columns
  Vec6 effort;
};

class ArticulationData {
 public:
  explicit ArticulationData(const ArticulationModel& model);

  Vector q, v;
  std::vector<NodeState> nodes;
  std::vector<WideNode> wide;
  Vec3 gravity{0.0, 0.0, -9.81};  // m/s^2
  // kg m^2 (kg), by degree: the model's, and more where damping or a spring is taken implicitly. For forwardDynamics().
  Vector armature;
  std::vector<Vec6> loads;  // N, N m at the origins of the nodes, world axes; counted if hasLoads
  bool hasLoads = false;
  bool singular = false;  // something massless moves: found by factor()

  // From q, then from v. What comes later needs what is before it.
  void computePositions(const ArticulationModel& model);
  void computeVelocities(const ArticulationModel& model);
  void computeInertias(const ArticulationModel& model);
  void computeAll(const ArticulationModel& model);  // the three

  Pose linkPose(const ArticulationModel& model, int link) const;
  Vec3 worldPoint(const ArticulationModel& model, int link, const Vec3& point) const;
  Vec6 velocityAt(int node, const Vec3& point) const;  // of the material point there, world

  // Articulated bodies: a with M a + b = efforts. Leaves the factors of M behind.
  void forwardDynamics(const ArticulationModel& model, const Vector& efforts, Vector& acceleration);
  // Recursive Newton-Euler: efforts = M a + b. Without velocities and gravity if not `loaded`.
  void inverseDynamics(const ArticulationModel& model, const Vector& acceleration, Vector& efforts, bool loaded = true);
  // Composite rigid bodies.
  void massMatrix(const ArticulationModel& model, Matrix& mass);
  double kineticEnergy(const ArticulationModel& model) const;
  double potentialEnergy(const ArticulationModel& model) const;

  // After forwardDynamics(), of the same q. M^-1 by columns; both have `degrees` rows.
  void solveMass(const ArticulationModel& model, const Matrix& efforts, Matrix& out);
  // The same with impulses on nodes (columns of 6 rows a node: force, torque at the origin; world axes) and on joints, and
  // the velocities of nodes that come of them. Either input may be empty.
  void respond(const ArticulationModel& model, const Matrix& wrenches, const Matrix& efforts, Matrix& twists,
               Matrix& joints);

  // Rows: linear, angular velocity of the point (world). Columns that the node does not hang on are zero.
  void jacobian(const ArticulationModel& model, int node, const Vec3& point, Matrix& out) const;
  // Accelerations of nodes if v does not change, without gravity.
  void computeBiasAccelerations(const ArticulationModel& model);
  Vec6 biasAcceleration(int node, const Vec3& point) const;

  // What all nodes together are: mass, h and J about the world's origin shifted to `about`.
  struct Whole {
    double mass = 0.0;
    Vec3 center = Vec3::Zero();
  };
  Whole whole(const ArticulationModel& model) const;
  Vec6 momentum(const ArticulationModel& model, const Vec3& about) const;
  void momentumMatrix(const ArticulationModel& model, const Vec3& about, Matrix& out);
  Mat3 inertiaAbout(const ArticulationModel& model, const Vec3& about) const;

 private:
  static constexpr int kColumns = 4;  // right-hand sides that are carried through the tree together
  using Six = Eigen::Matrix<double, 6, kColumns>;
  void placeNode(const ArticulationModel& model, const ArticulationNode& node, NodeState& state);
  void moveNode(const ArticulationNode& node, NodeState& state);
  void weighNode(const ArticulationNode& node, NodeState& state);
  void prepareNode(const ArticulationNode& node, NodeState& state);
  void prepareDynamics(const ArticulationModel& model);
  void computeComposites(const ArticulationModel& model);
  void motionOf(const ArticulationModel& model, int node, int degree, Vec3& linear, Vec3& angular) const;

  struct Composite {
    Composite() {}  // NOLINT
    double mass;
    Vec3 moment;
    Symmetric3 inertia;
  };
  std::vector<Composite> composites_;
  std::vector<Six> wrenches_, twists_, joints_;
  bool prepared_ = false;  // inertias and forces of the nodes are those of rigid bodies, as forwardDynamics() starts
};

}  // namespace cairn
