// Joints of a batch within a step of the soft stepper. Those that form trees are solved exactly, tree by tree
// (joint_forest.hpp); the others are one small dense block each, solved in id order, softly. Everything is rebuilt every
// substep.
#pragma once

#include <vector>

#include "mechanics/joint_rows.hpp"
#include "soft/joint_tree/joint_forest.hpp"
#include "soft/sweep/joint_axes.hpp"
#include "soft/sweep/bodies.hpp"

namespace cairn {

class SoftJoints {
 public:
  std::vector<JointEnds> joints;

  // `contacts`: of the batch. Some trees of joints solve theirs themselves.
  void begin(StepContext& context, SoftBodies& bodies, std::span<const ContactEnds> contacts,
             const SoftContactValues& values, double dt, double h);
  bool holdContacts() const { return trees_.holdContacts(); }
  void applyImpulses(StepContext& context, SoftBodies& bodies);  // warm start, with rows for the poses as they are now
  void solve(StepContext& context, SoftBodies& bodies, bool relax);
  // If contacts bounce: of those that trees solve, before the substep's loads and after its relaxation.
  void noteApproach(StepContext& context, SoftBodies& bodies) { trees_.noteApproach(context, bodies); }
  void bounce(StepContext& context, SoftBodies& bodies) { trees_.bounce(context, bodies); }
  void addUp(StepContext& context, SoftBodies& bodies);  // books this substep's impulses as reactions
  double finish(StepContext& context, double dt);  // the largest error of a joint, m

 private:
  void refresh(StepContext& context, SoftBodies& bodies);
  void solveOthers(StepContext& context, SoftBodies& bodies, bool relax);

  using Block = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, kJointRows, kJointRows>;
  struct Work {
    std::uint32_t joint;
    std::uint32_t a, b;  // in the batch
    int rows;
    bool pullsA;  // rows have parts on A alone
    std::array<JointRow, kJointRows> row;
    std::array<Vec3, kJointRows> turnA, turnB;  // inverse inertia times the angular parts
    Block factor;                               // inverse of J M^-1 J^T (plus compliance)
    double softness;                            // stated springs only: 1/(h (h k + c))
    double rate;                                // 1/s
  };
  template <class Impulses>
  static void pushBodies(const Work& work, const Impulses& impulse, SoftBodies& bodies);

  JointForest trees_;
  std::vector<Work> work_;                             // the joints that are not in trees
  std::vector<SoftAxes> axes_;                         // of those
  std::vector<AxisRow> scratch_;
  double elapsed_ = 0.0;                               // s since the step began
  double h_ = 0.0;                                     // s
  double rate_ = 0.0, massScale_ = 1.0, share_ = 0.0;  // of joints without a stated spring
};

}  // namespace cairn
