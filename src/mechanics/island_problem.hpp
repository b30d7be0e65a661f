// From bodies, contacts and joints to contact problems, one for each island, and back.
#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>

#include "cairn/contact_problem.hpp"
#include "dynamics/system.hpp"
#include "mechanics/adaptive_laws.hpp"
#include "mechanics/articulated_movers.hpp"
#include "mechanics/joint_tree_mass.hpp"

namespace cairn {

// A contact point as a formulation of time looks at it.
struct ContactTerms {
  double gap;           // m, negative when penetrating
  double approach;      // m/s, relative normal velocity before the step: negative when closing
  double freeApproach;  // m/s, the same at the end of the step if nothing touched
  double restitution;
  double dt;        // s
  double trial;     // m/s, relative normal velocity of Formulation::trial
  double startGap;  // m, deepest of the contact when the step began
  ContactKey key;
  std::uint32_t bodyA, bodyB;
  Vec6 rowA, rowB;  // of the normal velocity
};

// Joints as forces: see problem_joints.cpp.
struct JointPenalty {
  double alpha = 1.0;  // of the mass that a row moves
  double omega = 0.0;  // rad/s
  double mu = 1.0;     // of critical damping
};

// How a stepper turns contacts and joints into rows.
struct Formulation {
  Law law = Law::Cone;  // of contacts; Interval: without friction
  int facets = 8;
  // Which contact points take part; empty: all that are near.
  std::function<bool(const ContactTerms&)> active{};
  // Velocity that is added to the normal row: v_n = J_n u + bias must become non-negative.
  std::function<double(const ContactTerms&)> normalBias;
  // Whether biases are errors to be taken back: then answers are held to what that may cost (push_out.hpp).
  bool pushesOut = false;
  double jointRate = 0.0;  // 1/s: share of a joint's error that is taken back, over dt ...
  double jointSpeed = std::numeric_limits<double>::infinity();  // ... but no faster than that, m/s or rad/s
  // For steppers that look for a pose at the end of the step: the bodies as the step began (masses and free velocities are
  // theirs) and the velocities that led to where the bodies are now.
  const std::vector<Body>* start = nullptr;
  const std::vector<Vec6>* trial = nullptr;
  // Bodies that are not to be pushed now, though they could be, and how they move meanwhile (linear, angular).
  std::function<bool(std::uint32_t)> held{};
  std::function<Vec6(std::uint32_t)> heldVelocity{};
  // Impulse (N s, N m s) on a body by what has no rows here.
  std::function<Vec6(std::uint32_t)> pressed{};
  bool unloaded = false;         // free velocities are those of now: no loads, no free rotation, no springs
  bool storedContacts = false;   // points are those that the contacts have, in single precision; else they are found anew
  bool eliminatesTrees = false;  // joints that form trees are part of the masses, exactly, and have no rows
  bool startsCold = false;       // from no impulses, whatever the contacts remember
  bool displaces = false;        // rows are displacements (m), not velocities: nothing moves by itself
  std::optional<JointPenalty> jointPenalty{};
  double elapsed = 0.0;          // s since the step began, for driven joints
  double speedFloor = 0.0;       // m/s
};

struct IslandProblem {
  struct Origin {  // of a block
    std::uint32_t contact = kNone;
    // Of the contact, by key; kManifoldPoints: it has no such point; -1: a block of the whole contact (friction of a patch,
    // rolling resistance).
    int point = -1;
    std::uint32_t joint = kNone;
    ContactKey key{};              // of a point, for StepMemory
    Mat3 axes = Mat3::Identity();  // of a point's rows: columns n, t1, t2
    Vec3 place = Vec3::Zero();     // m, of a point
    double gap = 0.0;              // m
    double restitution = 0.0;
    double approach = 0.0;  // m/s, relative normal velocity before the step: negative when closing
    int axis = -1;          // of the joint, for what acts along it; -1: a block of the joint's own rows
    AxisForce force = AxisForce::Motor;
    std::uint32_t mechanism = kNone;  // of an articulation, for what acts along its degree `axis`
  };
  // A joint that is part of the masses: it has no block.
  struct Eliminated {
    Origin origin;
    BlockJacobian jacobian;
    Vector bias;          // m/s
    Vector freeReaction;  // N s or N m s: what it does if nothing else acts
  };
  // An articulation whose links are bodies of the problem, one after another.
  struct Articulated {
    std::uint32_t mechanism = kNone;
    int first = 0;  // body of the problem
    std::shared_ptr<const ArticulatedMovers> movers;
  };
  std::uint32_t island = kNone;  // its number in the step
  std::vector<Articulated> articulations;
  std::shared_ptr<const ContactProblem> problem;
  std::vector<Eliminated> eliminated;
  std::shared_ptr<const JointTreeMass> tree;  // the masses, if any is
  std::vector<std::uint32_t> bodies;          // of the system, by body of the problem
  std::vector<Origin> origins;                // by block
  std::vector<AdaptiveLaw> laws;              // that the solution decides on
  bool pushesOut = false;                     // as its formulation says
  Vector driven;  // m/s, by row: relative velocity that drives and bodies outside of it prescribe
};

// Joints first, then contacts, in the order of their pairs. Islands that nothing touches have no problem. Warm starts come
// from the impulses stored in contacts and joints.
std::vector<IslandProblem> buildProblems(const System& system, const WorldSettings& settings, double dt,
                                         const Formulation& formulation);

// The same of some contacts (slots) and joints only.
std::vector<IslandProblem> buildProblems(const System& system, const WorldSettings& settings, double dt,
                                         const Formulation& formulation, std::span<const std::uint32_t> contacts,
                                         std::span<const std::uint32_t> joints);

// Colliders in place for the bodies' present poses, for steppers that build problems in the midst of a step.
void placeColliders(System& system);

// J^T impulse: N s, N m s, six numbers a body of the problem.
Vector momentumOf(const ContactProblem& problem, const Vector& impulse);

// Gives the bodies of an island the velocities that the impulses mean, and marks them; likewise the joints of its
// articulations.
void setVelocities(System& system, const IslandProblem& island, const Vector& impulse, std::vector<char>& marked);

// Velocities of the rows (bias and compliance included) as the bodies really move now.
Vector rowVelocities(const System& system, const IslandProblem& island, const Vector& impulse);
}  // namespace cairn
