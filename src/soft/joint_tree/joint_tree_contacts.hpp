// Contacts of joint trees in the soft stepper, solved together with the trees.
//
// A contact that is solved by turns with the joints sees the mass of one link where it pushes all of them: between a heavy
// ball and its chain it is then too weak by the ratio of their masses, and joints that are solved by turns with it are torn
// apart. Here every row of a contact knows what its impulse does to the whole tree. With M the masses, J the joints, C the
// rows of the contacts (points along the normal, friction of the patch along two tangents and against twisting),
//
//   W = C G C^T,   G P = x  with  M x - J^T f = P,  J x + c f = 0
//
// A contact has a part in each of the two trees that it is between, or in a tree and a free body, whose G is M^-1. A stated
// stiffness is a compliance on the diagonal of W. Of W only the block of each contact is written down: what contacts do to
// each other goes through the links (tree_mobility.hpp), in a time linear in the number of links and contacts.
//
// A substep is that of contact_kernels.cpp: contacts push out softly, then, when bodies have moved, that velocity is taken
// back. Both are sweeps over the contacts, from the impulses of the substep before.
#pragma once

#include <span>
#include <vector>

#include "collision/contact.hpp"
#include "mechanics/tree_mobility.hpp"
#include "soft/plan/policy_joint_tree.hpp"
#include "soft/sweep/contact_group.hpp"

namespace cairn {

// Trees that touch each other, or the same free body.
class JointTreeContacts {
 public:
  void clear();
  bool empty() const { return contacts_.empty(); }
  std::uint32_t addTree(JointTree& tree);  // its number here
  // A link of a tree, by the number of the tree; kNone: the body is in none.
  struct Place {
    std::uint32_t tree = kNone, link = kNone;
  };
  // `moverOfBody`, by the batch's numbers: kNone before a body's first contact. A body is in one such group of trees only.
  void add(const ContactEnds& ends, const Contact& contact, const std::array<Place, 2>& places, SoftBodies& bodies,
           const SoftContactValues& values, std::vector<std::uint32_t>& moverOfBody);
  void finishAdding();

  // What follows leaves the answer to all impulses in question kKept of each tree: what its bodies change by and what its
  // joints do. Bodies outside of them are pushed.
  void solve(SoftBodies& bodies);  // for the trees as they are factored now
  void relax(SoftBodies& bodies);
  // Newton's law: points that closed faster than `slowest` when the substep began, and are pressed, part with that speed
  // times their restitution.
  void noteApproach(SoftBodies& bodies);
  bool bounce(SoftBodies& bodies, double slowest);  // false: none does, and there is no answer
  void addUp();
  void finish(ContactCache& cache) const;

 private:
  using Vector6 = TreeMobility::Vector6;
  using Matrix6 = TreeMobility::Matrix6;
  static constexpr int kMostRows = kManifoldPoints + 3;  // of a contact

  // A body that can be moved.
  struct Mover {
    std::uint32_t body;  // in the batch
    Place place;
    double inverseMass;
    Cholesky3 inertia;   // of links: with the stiffness that loads make
    Symmetric3 inverse;  // of others
    Vector6 impulse;     // N s, N m s
    Vector6 moved;       // of others: what their impulses do to them, in a sweep
    Vector6 free;        // what the impulse does to it by itself
  };
  struct Tree {
    JointTree* joints;
    TreeMobility mobility;
    std::vector<std::uint32_t> moverOfLink;
    std::vector<char> isTouched;  // by link
  };
  struct Row {
    Vec3 linear, angularA, angularB;  // u = linear.(vB - vA) + angularA.wA + angularB.wB
    double impulse;                   // N s or N m s in this substep
    double total;                     // over the step
    double before;                    // the impulse that the velocities have already
    double measured;                  // m/s or rad/s: as the bodies move now
    double freeMobility;              // 1/kg or 1/(kg m^2): without joints
  };
  struct Point {
    double separation;      // m, at the step's beginning
    double gap;             // m, now
    double lever;           // m, from the centre of friction
    double approach = 0.0;  // m/s when the substep began, negative if closing
  };
  struct Patch {
    std::uint32_t slot;
    std::array<std::uint32_t, 2> bodies;  // in the batch
    std::array<std::uint32_t, 2> movers;  // kNone: it cannot be moved
    int points, rows;
    std::array<Point, kManifoldPoints> point;
    std::array<Row, kMostRows> row;
    std::array<double, kMostRows * kMostRows> response;  // its block of W
    Vec3 tangent1, tangent2;
    double friction, restitution;
    wide::Softness softness;
    double compliance, stiffness;  // m/(N s), N/m of a point: of stated stiffness, else 0
    float approachSpeed;

    double w(int i, int j) const { return response[static_cast<std::size_t>(i * kMostRows + j)]; }
  };
  using Speeds = std::array<double, kMostRows>;

  struct Centres {
    Vec3 a, b;  // m, of friction, from the centres of mass
  };
  std::uint32_t moverOf(std::uint32_t body, const Place& place, const SoftBodies& bodies,
                        std::vector<std::uint32_t>& moverOfBody);
  static Centres placeRows(Patch& patch, const Contact& contact, const SoftContactValues& values);
  static Vector6 side(const Row& row, int end);
  bool areInOneTree(const Patch& patch) const;
  void placeMovers();
  void findResponses();
  void findResponse(Patch& patch);
  Vector6 freely(const Mover& mover, const Vector6& impulse) const;
  void measure(SoftBodies& bodies);

  // Sweeps, in joint_tree_contact_sweeps.cpp, from impulses that the velocities have or have not. Each returns the largest
  // change of a row's velocity by its own impulse.
  void startSweeps(bool haveImpulses);
  template <class Step>
  double sweep(Step&& step);
  static double change(Patch& patch, int row, double impulse, Speeds& speed);
  static double solveFriction(Patch& patch, Speeds& speed);
  double pushOut(Patch& patch, bool relaxing, Speeds& speed) const;
  static double bounceBack(Patch& patch, double slowest, Speeds& speed);
  double sweepOut(bool relaxing);
  double sweepBounces(double slowest);

  // What impulses do, in joint_tree_contact_answer.cpp.
  double pushOutEnergy() const;               // J
  double bounceEnergy(double slowest) const;  // J
  void limitGain(double most);                // J
  void answer(SoftBodies& bodies, double mostGain);
  void pushAll();
  Vector6 movedBy(const Mover& mover) const;
  static void ask(Tree& tree, const std::vector<Mover>& movers);

  std::vector<Patch> contacts_;
  std::vector<Mover> movers_;
  std::vector<Tree> trees_;  // the first treeCount_; never shrinks: it keeps their memory
  std::size_t treeCount_ = 0;
  int sweeps_ = 0;  // at most, in a pass
  SoftContactValues values_{};
};

}  // namespace cairn
