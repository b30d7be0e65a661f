// The rows of a joint within a tree that is not a rigid ball joint: hinges, springs, drives, wheels, and joints that stay a
// tree. See joint_forest.hpp for what a substep asks of them.
#pragma once

#include "mechanics/joint_rows.hpp"
#include "mechanics/joint_tree.hpp"
#include "soft/plan/policy_joint_tree.hpp"
#include "soft/sweep/bodies.hpp"

namespace cairn {

// What a substep asks of a tree.
inline constexpr int kKept = 0, kCorrection = 1;

// Of an error (m or rad): what a substep takes back.
inline double correctedShare(double error) {
  using namespace policy::joint_tree;
  return error <= kSmallError ? 1.0 : std::max(kErrorShare, kSmallError / error);
}

class JointTreeRows {
 public:
  JointTreeRows(const Joint& joint, const JointEnds& ends, double h);

  std::uint32_t joint() const { return ends_.joint; }
  const JointEnds& ends() const { return ends_; }
  std::uint32_t bodyB() const { return ends_.b; }  // in the batch
  // For the poses as they are now. Writes the factors of A and B, and how many there are.
  void refresh(const Joint& joint, SoftBodies& bodies, double elapsed, RowHold& hold);
  void askKept(const Joint& joint, SoftBodies& bodies, bool alongArcs, RowHold& hold) const;
  void scaleArcs(double scale);
  double askCorrection(bool ontoArcs, RowHold& hold) const;  // returns its size (m and rad)
  void addImpulse(const RowHold& hold, Joint& joint) const;
  void addUp(Joint& joint) const;
  Vec3 force(const RowHold& hold) const;  // N s, on B, of the answer
  Vec3 armA, armB;                        // m, world axes
  Vec3 load = Vec3::Zero();               // N s, on B: what the inertia was made for

  // A row's factors of the twist of A or B.
  RowHold::Vector6 factors(int row, bool ofB) const;

 private:
  JointEnds ends_;
  double h_;           // s
  bool fresh_ = true;  // not refreshed yet
  bool spring_ = false;
  double softness_ = 0.0;  // stated springs only: 1/(h (h k + c))
  double rate_ = 0.0;      // 1/s, stated springs only
  int count_ = 0;
  std::array<JointRow, kJointRows> row_;
  std::array<double, kJointRows> curve_{};  // m/s or rad/s: how much faster errors grow than the rows say
};

}  // namespace cairn
