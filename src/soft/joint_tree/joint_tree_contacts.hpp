// Contacts of a tree of joints in the soft stepper, solved together with the tree.
//
// A contact that is solved by turns with the joints sees the mass of one link where it pushes all of them: between a heavy
// ball and its chain it is then too weak by the ratio of their masses, and joints that are solved by turns with it are torn
// apart. Here every row of a contact knows what its impulse does to the whole tree. With M the masses, J the joints, C the
// rows of the contacts (points along the normal, friction of the patch along two tangents and against twisting),
//
//   W = C G C^T,   G P = x  with  M x - J^T f = P,  J x + c f = 0
//
// so that a column of W is what the tree answers to one impulse (joint_tree.hpp): the body by itself moves by M^-1 P, and
// the joints ask for that to be undone at their ends. There are few rows, or the contacts are left to the sweeps.
//
// A substep is that of contact_kernels.cpp: contacts push out softly, then, when bodies have moved, that velocity is taken
// back. Both are solved by sweeps over the rows of W, which cost next to nothing, until nothing changes.
#pragma once

#include <span>
#include <vector>

#include "collision/contact.hpp"
#include "mechanics/joint_tree.hpp"
#include "soft/plan/policy_joint_tree.hpp"
#include "soft/sweep/contact_group.hpp"

namespace cairn {

class JointTreeContacts {
 public:
  // Of one tree, if its heaviest body is so many times heavier than its lightest: beyond, sweeps are quicker. The more
  // unlike its bodies are, the less sweeps can do.
  static double mostRows(double ratio) {
    using namespace policy::joint_tree;
    return std::min(kRowsOfAlike + kRowsPerRatio * ratio, kMostRows);
  }
  static std::size_t rowsOf(const ContactEnds& ends) { return ends.points + (ends.points > 1 ? 3u : 2u); }

  void clear();
  bool empty() const { return contacts_.empty(); }
  // `links`: of its two bodies in the tree, kNone if they are in none.
  void add(const ContactEnds& ends, const Contact& contact, const std::array<std::uint32_t, 2>& links, SoftBodies& bodies,
           const SoftContactValues& values);

  // What follows leaves the answer to all impulses in question kKept of the tree: what its bodies change by and what its
  // joints do. Bodies outside of it are pushed.
  void solve(JointTree& tree, SoftBodies& bodies);  // for the tree as it is factored now
  void relax(JointTree& tree, SoftBodies& bodies);
  // Newton's law: points that closed faster than `slowest` when the substep began, and are pressed, part with that speed
  // times their restitution.
  void noteApproach(SoftBodies& bodies);
  bool bounce(JointTree& tree, SoftBodies& bodies, double slowest);  // false: none does, and there is no answer
  void addUp();
  void finish(ContactCache& cache) const;

 private:
  struct Twist {
    Vec3 linear = Vec3::Zero();   // m/s
    Vec3 angular = Vec3::Zero();  // rad/s
  };
  // A body that can be moved.
  struct Mover {
    std::uint32_t body;  // in the batch
    std::uint32_t link;  // in the tree, or kNone
    double inverseMass;
    Cholesky3 inertia;       // of links: with the stiffness that loads make
    Symmetric3 inverse;      // of others
    Vec3 push, pushTurn;     // N s, N m s
    Twist free[kQuestions];  // what these do to it by itself
  };
  struct Row {
    std::uint32_t contact;
    Vec3 linear, angularA, angularB;  // u = linear.(vB - vA) + angularA.wA + angularB.wB
    double impulse = 0.0;             // N s or N m s in this substep
    double total = 0.0;               // over the step
    double freeMobility = 0.0;        // 1/kg or 1/(kg m^2): without joints
  };
  struct Point {
    Vec3 anchorA, anchorB;  // m, from the centres of mass
    double separation;      // m, at the step's beginning
    double gap;             // m, now
    double lever;           // m, from the centre of friction
    double approach = 0.0;  // m/s when the substep began, negative if closing
  };
  struct Patch {
    std::uint32_t slot;
    std::array<std::uint32_t, 2> bodies;  // in the batch
    std::array<std::uint32_t, 2> movers;  // kNone: it cannot be moved
    std::uint32_t firstRow;
    int points;
    std::array<Point, kManifoldPoints> point;
    Vec3 normal, tangent1, tangent2;
    double friction, restitution;
    wide::Softness softness;
    float approachSpeed;
  };

  std::uint32_t moverOf(std::uint32_t body, std::uint32_t link, const SoftBodies& bodies);
  std::size_t frictionRow(const Patch& patch) const { return patch.firstRow + static_cast<std::size_t>(patch.points); }
  void placeMovers(const JointTree& tree);
  void pushBy(const Row& row, double impulse);
  void moveFreely(int question);
  void ask(JointTree& tree, int questions) const;
  Twist answerOf(const JointTree& tree, const Mover& mover, int question) const;
  void findResponses(JointTree& tree);
  double freeMobility(const Row& row) const;
  void dropImmobile(double least);
  void measure(SoftBodies& bodies);
  void keepImpulses();
  double solveFriction(const Patch& patch);
  double sweep(bool relaxing);
  double bounceSweep(double slowest);
  double change(std::size_t row, double impulse);
  double pushOutEnergy() const;               // J
  double bounceEnergy(double slowest) const;  // J
  void limitGain(double most);                // J
  template <class Sweep>
  void apply(JointTree& tree, SoftBodies& bodies, double mostGain, Sweep&& sweep);

  std::vector<Patch> contacts_;
  std::vector<Mover> movers_;
  std::vector<Row> rows_;
  std::vector<double> response_;            // W, column by column
  std::vector<double> measured_;            // velocities of the rows, as the bodies have them
  std::vector<double> speed_;               // of the rows, with all impulses so far
  std::vector<double> before_;              // impulses that the velocities have already
  std::vector<std::uint32_t> moverOfLink_;  // by link, of those up to the last one that has one
  SoftContactValues values_{};
};

}  // namespace cairn
