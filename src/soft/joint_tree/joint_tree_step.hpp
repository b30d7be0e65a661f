// One tree of joints in the soft stepper: everything about it within a step. It is solved exactly in every substep (see
// joint_tree.hpp).
//
// A substep asks two things of a tree. What it keeps: velocities that carry every joint's two ends to the same place. Ends
// move on arcs, by (R(h w) r - r)/h and not by w x r. To ask for the latter would lose a share (h w)^2 of the energy in
// every substep; to ask for the former is the rule SHAKE, which loses none. And what it does not keep: the velocity that
// takes back, within the substep, the error that the joints have now. It moves the bodies and is then taken away again.
//
// Energy. How far ends leave the straight line is foretold from the spins that the substep begins with, so the arcs are not
// quite those that the bodies will take, and the joints do a little work. Over a swing it comes back, but it must not feed a
// motion that is too fast to be followed. So the gain is booked: from the velocities v0 before the substep's loads to those
// after it v1, less the work of the loads a,
//
//   gain = sum over bodies of  v1.M v1/2 - v0.M v0/2 - h m a.(v0 + v1)/2
//
// and with it what the turning of bodies changes between substeps. A tree may take back what it lost shortly before
// (SoftMemory::spareEnergies), and no more: if it would, only the share of the arcs is followed with which it does not, down
// to none, which is a projection and loses. Where joints outside of the tree push its bodies, impulses are found by turns,
// and their work is not booked: there the arcs are part of the shift instead.
//
// Geometric stiffness. A joint's force F, at an arm r from a body's centre, turns the body by r x F. While the body turns by
// a small angle d the arm turns along, and the torque changes by (d x r) x F; for a pull along the arm that is -K d,
//
//   K = (r.F) (1 - r r^T/|r|^2)
//
// a spring that swings the body with frequency w, w^2 = K/I. A light link that holds a heavy load swings fast, and to take
// forces at the substep's beginning is only stable up to h w = 2. Taken instead at x + beta h^2 a, with a = (change of
// spin)/h the angular acceleration, the torque becomes r x F - beta h^2 K a: the body seems to have the inertia
// I + beta h^2 K. The swing then has w_eff^2 = K/(I + beta h^2 K) < 1/(beta h^2): stable for any K if beta >= 1/4, with some
// room at 1/2. With impulses h F, as here, that is I + beta h K. It is a rule of Newmark's family with gamma = 1/2, which
// slows fast swings but does not damp them. Beyond 1/2 there is nothing to gain: K changes from substep to substep, and what
// swings with changing inertia takes up energy. A push (r.F < 0, a strut about to buckle) must not lessen the inertia, and
// counts for nothing. Loads are those of the substep before; where a slack chain snaps tight the substep is solved again.
//
// Contacts of its bodies come after the joints, and are solved with them (joint_tree_contacts.hpp): `touches` if there are.
#pragma once

#include "mechanics/joint_tree.hpp"
#include "mechanics/plan_trees.hpp"
#include "mechanics/rod_tree.hpp"
#include "soft/joint_tree/joint_tree_contacts.hpp"
#include "soft/sweep/joint_axes.hpp"
#include "soft/joint_tree/joint_tree_rows.hpp"
#include "soft/sweep/bodies.hpp"

namespace cairn {

class JointTreeStep {
 public:
  // The plan names joints by their place among `joints`. `pushed`, by SoftBody::precise: joints outside of the trees push
  // it too.
  void begin(const System& system, SoftBodies& bodies, const std::vector<JointEnds>& joints, const TreePlan& plan,
             const TreePlan::Tree& tree, const std::vector<char>& pushed, bool touches, double h);
  JointTree& joints() { return joints_; }
  void refresh(const System& system, SoftBodies& bodies, double elapsed);  // for the poses as they are now
  void solve(System& system, SoftBodies& bodies);
  void relax(System& system, SoftBodies& bodies);  // again, for what others did since
  // Of its contacts, in question kKept: what they do to the joints is a load like any other.
  void takeAnswer(System& system, SoftBodies& bodies);
  // After the contacts, if there are any: what acts along axes within its bounds.
  void obeyLaws(System& system, SoftBodies& bodies);
  void addUp(System& system, SoftBodies& bodies);  // books this substep's impulses as reactions
  void finish(System& system) const;               // what is booked, to the joints

 private:
  // A body of the tree and the joint that holds it, besides what the algebra needs (TreeLink).
  struct Node {
    Node() {}              // NOLINT: all that is read is written first
    std::uint32_t body;    // in the batch
    std::uint32_t index;   // in System::bodies
    std::uint32_t joint;   // in System::joints; kNone: it floats
    std::uint32_t holder;  // the body at the joint's other end, in the batch
    bool isB;              // of the joint
    Mat3 axes;             // now
    Vec3 center;           // m, now
    Vec3 halfTurn;         // rad: half of what its spin turns it by in this substep
    double turnSquare;     // rad^2, of halfTurn
    double arcScale;       // 1/s: see curveOf
    Symmetric3 inertia;    // kg m^2, world axes, now, its own (of trees of rods only if it is asked for)
    // Of rigid ball joints, this end against the other:
    Vec3 anchor, holderAnchor;  // m, body axes
    Vec3 error;                 // m
    Vec3 curve;                 // m/s: how much faster it grows than the spins say
    Vec3 load;                  // N s, on this body: what the inertia is made for
    Vec3 impulse;               // N s, on this body, in this substep
    Vec3 total;                 // N s, in the step so far
    // Of trees of rods:
    std::uint32_t precise;  // SoftBody::precise of the body
    int axis;               // of the body's axes, that its joints lie on; negative: any
    double holderReach;     // m, from the parent's centre to the joint, along the parent's axis
    double loadSquare;      // (N s)^2, of the load
    Vec3 velocity;          // m/s
    Vec3 swing;             // 1/s: what its turning adds to that a metre along its axis
  };
  // Where the axes of a joint are in the tree.
  struct HeldAxes {
    std::uint32_t hold;         // of joints_.holds, or of joints_.closures
    bool isClosure;
    std::uint32_t linkA, linkB;  // of its bodies; kNone: it is not in the tree
    bool childIsB;
    int own;                                    // rows that the joint has by itself
    std::array<int, kMostJointAxes> rows;       // of each axis, in the hold; -1: it has none now
    std::array<double, kMostJointAxes> target, compliance, carried;
  };
  struct Energy {
    double gain = 0.0;     // J, by the joints, in this substep
    double kinetic = 0.0;  // J, when it begins
    double work = 0.0;     // J, of the loads
    double kick = 0.0;     // J, twice what the loads would give to bodies at rest
  };

  void addLocks(const System& system);
  void askLocks(SoftBodies& bodies);
  void refreshBall(SoftBodies& bodies, std::size_t at);
  void refreshRows(const System& system, SoftBodies& bodies, double elapsed);
  void stiffenLinks();
  bool takeLoads();
  void forgetImpulses(System& system);
  void askKept(const System& system, SoftBodies& bodies);
  double askCorrection();  // returns how far it moves the joints, together (m and rad)
  double shareOfCorrection(double errors) const;
  void correct(SoftBodies& bodies, double errors);
  void askForLessTurning();
  void addImpulses(System& system);
  void pushBodies(SoftBodies& bodies) const;

  // What acts along axes of its joints, in joint_tree_axes.cpp.
  void beginAxes(const System& system, SoftBodies& bodies);
  void refreshAxes(const System& system, SoftBodies& bodies, double elapsed);
  void carryAxes();
  RowHold& holdOf(const HeldAxes& held);
  void placeAxes(bool byLaw);
  bool moveOnLaws(SoftBodies& bodies);
  void askAxes(SoftBodies& bodies);
  double askAxesCorrection();
  double changeOf(const HeldAxes& held, const SoftAxis& one) const;
  void addAxisImpulses();

  Energy energyOf(SoftBodies& bodies) const;
  void limitGain(System& system, SoftBodies& bodies);
  double limitArcs(const System& system, SoftBodies& bodies, double whole, double allowed);
  void scaleArcs(double scale);
  void solveAgain() { areRods_ ? rods_.solve(joints_.links, questions_) : joints_.solve(questions_); }

  // Trees of rods, in joint_tree_rods.cpp.
  bool beginRods(const System& system);  // false: they are no rods
  void refreshRods(SoftBodies& bodies);
  void placeRods();
  void solveRods(System& system, SoftBodies& bodies);
  bool takeRodLoads(const System& system);
  void findInertia(const System& system);
  void findCurves(SoftBodies& bodies);

  std::vector<SoftAxes> axes_;
  std::vector<HeldAxes> heldAxes_;  // like axes_
  std::vector<AxisRow> scratch_;
  bool touches_ = false;   // contacts push its bodies
  bool axesWork_ = false;  // along some axis something may do work

  JointTree joints_;
  RodTree rods_;                                 // for joints_.links, if areRods_
  std::vector<Node> nodes_;                      // like joints_.links
  std::vector<JointTreeRows> holds_, closures_;  // like joints_.holds and the first of joints_.closures
  std::vector<std::uint32_t> locks_;             // like the rest of joints_.closures: the link, of a body with locked axes
  std::vector<TreeLink::Question> arcs_;         // answers with arcs, while those without are found
  std::uint32_t account_ = kNone;                // the joint that keeps the tree's spare energy
  bool alone_ = true;                            // no other joints push its bodies
  bool areRods_ = false;                         // it is alone and has rigid ball joints only, its bodies are rods
  int questions_ = 2;                            // of this substep: with a correction or without
  double errors_ = 0.0;                          // m: how far the correction moves the joints, together (trees of rods)
  double mostTurn_ = 0.0;                        // rad, of any body in this substep
  double left_ = -1.0;                           // J, kinetic: what the substep before left; negative: not known
  double h_ = 0.0;                               // s
};

}  // namespace cairn
