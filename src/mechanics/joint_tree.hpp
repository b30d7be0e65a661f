// Joints that form trees, solved exactly and in linear time: bodies are eliminated from the leaves to the root, then found
// from the root to the leaves (after Baraff 1996, "Linear-time dynamics using Lagrange multipliers").
//
// Wanted are the changes x of all velocities and the impulses f of all joints with
//
//   M x - J^T f = 0        every body moves by the impulses of its joints
//   J x + c f   = b        every joint gets the change of relative velocity that it asks for; c is its compliance
//
// A link is a body together with the joint that holds it to its parent. Once the bodies beyond it are eliminated, a link
// answers its parent like an anisotropic mass S at the joint, with an impulse z on top: f = S w - z if the parent's end of
// the joint changes its velocity by w. For a ball joint (c = 0), with the link's twist taken at the joint, its mass matrix
// there being [L A; A^T T] (linear, coupling, turning) and p = (p_l, p_t) what the links beyond it push,
//
//   T = U D U^T,   B = A U^-T,   S = L - B D^-1 B^T,   q = D^-1 U^-1 p_t,   z = p_l - B q,
//
// and the parent, whose joint lies d from where its own twist is taken, gets S added at d and z - S b as a push there.
// Going back, w = b + (the parent's change at d) gives the link's turn U^-T (q - D^-1 B^T w). Other joints (up to six rows,
// compliance) go through the 6 x 6 mass matrix in the same way. Nothing fills in, however many links a body carries.
//
// Links that hang on nothing are roots of trees that float; so are those held to something that does not move. A body that
// is held to such things more than once would make a loop: the further joints ("closures") end at a mass kClosureRatio times
// the body's own instead, so that they stay leaves. All is in double precision.
#pragma once

#include <Eigen/Cholesky>
#include <array>
#include <cstdint>
#include <vector>

#include "dynamics/joint.hpp"
#include "math/symmetric3.hpp"

namespace cairn {

// Two right-hand sides at once cost little more than one: the machine works on one while the other waits.
inline constexpr int kQuestions = 2;

enum class Hold : std::uint8_t {
  Nothing,  // a root that floats
  Ball,     // by a ball joint without compliance
  Rows,     // by any other joint
};

// What holds a link: rows of a joint that is not a rigid ball joint.
struct RowHold {
  using Vector6 = Eigen::Matrix<double, 6, 1>;
  int rows = 0;
  // Factors of the twist (velocity, spin), both at the centres of mass, with the sign that each has in the joint.
  std::array<Vector6, kJointRows> child, parent;
  double compliance = 0.0;  // m/(N s) or rad/(N m s), of every row
  std::array<double, kJointRows> more{};  // and of each besides: rows of what acts along the joint's axes
  struct Question {
    std::array<double, kJointRows> ask{};      // m/s or rad/s
    std::array<double, kJointRows> impulse{};  // N s or N m s: the answer
    std::array<double, kJointRows> held{};     // the impulses if the parent did not move
  };
  std::array<Question, kQuestions> questions;

  // Of the elimination.
  Eigen::LLT<Eigen::Matrix<double, 6, 6>> mass;  // H, of the child with all beyond it
  std::array<Vector6, kJointRows> response;      // H^-1 child^T
  std::array<Vector6, kJointRows> onParent;      // the parent's factors where its twist is taken
  Eigen::Matrix<double, 6, 6> inverse;           // of child H^-1 child^T + c; the first rows x rows of it
};

struct TreeLink {
  TreeLink() {}  // NOLINT: as Question's
  // What it is.
  std::uint32_t parent = kNone;  // another link, earlier in the list; none: a root
  std::uint32_t hold = kNone;    // its RowHold, if it is held by rows
  Hold kind = Hold::Nothing;
  double mass = 0.0;              // kg
  Symmetric3 inertia;             // kg m^2, world axes
  Vec3 arm = Vec3::Zero();        // m, from its centre to the joint (balls)
  Vec3 parentArm = Vec3::Zero();  // m, from the parent's centre to the joint (balls)
  struct Question {
    Question() {}  // NOLINT: nothing is read before it is written, and clearing all of it took as long as a substep
    Vec3 ask;      // m/s: change of this end's velocity against the parent's (balls)
    Vec3 impulse;  // N s, on this link: the answer (balls)
    Vec3 change;   // m/s, of its centre: the answer
    Vec3 turn;     // rad/s: the answer
    // Of the elimination:
    Vec3 push, pushTurn;  // p, then z and q (held by rows: H^-1 p)
    Vec3 twist;           // m/s: change of the velocity where the twist is taken
  };
  std::array<Question, kQuestions> questions;

  // Of the elimination. The twist of a link held by a ball joint is taken there, of others at the centre of mass.
  Vec3 offset;         // m, from the parent's place of twist to the joint
  Symmetric3 linear;   // L, then S
  Mat3 coupling;       // A, then B
  Symmetric3 turning;  // T
  Cholesky3 factor;    // of T
  Cholesky3 root;      // of S, if nothing holds it
};

// A closure: a further joint of a link's body to something that does not move.
struct TreeClosure {
  std::uint32_t link = kNone;
  RowHold hold;  // with `parent` the factors of the link's body; `child` is not used
};

class JointTree {
 public:
  // A closure gives way as if its far end had this many times the inertia of the near one. The joint opens by no more than
  // the inverse share of what the body would have moved; double precision keeps as much of the body's own mass beside it.
  static constexpr double kClosureRatio = 1e7;

  std::vector<TreeLink> links;  // parents first
  std::vector<RowHold> holds;
  std::vector<TreeClosure> closures;

  void clear(std::size_t count = 0);                                               // for so many links, each to be set
  void setLink(std::uint32_t link, std::uint32_t parent, Hold kind, double mass);  // with a RowHold if it needs one
  std::uint32_t addLink(std::uint32_t parent, Hold kind);
  TreeClosure& addClosure(std::uint32_t link);

  void factor() { run(0, true); }                               // from masses, arms, rows and compliances
  void solve(int questions) { run(questions, false); }          // from what the joints ask for
  void factorAndSolve(int questions) { run(questions, true); }  // both at once, which is quicker

 private:
  void run(int questions, bool anew);
  template <int kCount, bool kAnew>
  void eliminateAndMove();
  void placeTwists();
  void factorClosures();
};

}  // namespace cairn
