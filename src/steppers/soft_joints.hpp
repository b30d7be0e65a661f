// Joints within a step of the soft stepper: one small dense block per joint, solved in id order, rebuilt every substep.
#pragma once

#include <vector>

#include "steppers/soft_bodies.hpp"

namespace cairn {

class SoftJoints {
 public:
  void begin(StepContext& context, SoftBodies& bodies, double h);
  void applyImpulses(StepContext& context, SoftBodies& bodies);  // warm start, with rows for the poses as they are now
  void solve(StepContext& context, SoftBodies& bodies, bool relax);
  void addUp(StepContext& context);  // books this substep's impulses as reactions
  void finish(StepContext& context) const;

 private:
  void refresh(StepContext& context, SoftBodies& bodies);

  using Block = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, kJointRows, kJointRows>;
  struct Work {
    std::uint32_t joint;
    int rows;
    std::array<JointRow, kJointRows> row;
    std::array<Vec3, kJointRows> turnA, turnB;  // inverse inertia times the angular parts
    Block factor;                               // inverse of J M^-1 J^T (plus compliance)
    double softness;                            // stated springs only: 1/(h (h k + c))
    double rate;                                // 1/s
  };
  template <class Impulses>
  static void pushBodies(const Work& work, const Joint& joint, const Impulses& impulse, SoftBodies& bodies);

  std::vector<Work> work_;
  double elapsed_ = 0.0;                               // s since the step began
  double h_ = 0.0;                                     // s
  double rate_ = 0.0, massScale_ = 1.0, share_ = 0.0;  // of joints without a stated spring
};

}  // namespace cairn
