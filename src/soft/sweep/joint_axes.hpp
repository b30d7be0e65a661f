// What acts along the free axes of a joint, within a step of the soft stepper: one law for each axis (axis_law.hpp), made
// anew in every substep.
#pragma once

#include "mechanics/axis_law.hpp"
#include "soft/sweep/bodies.hpp"

namespace cairn {

struct SoftAxis {
  int index = 0;  // of the joint's axes
  JointAxis axis;
  AxisLaw law;
  AxisLaw::Answer answer;
  double before = 0.0;   // m/s or rad/s, when the substep began, before its loads
  double impulse = 0.0;  // N s or N m s, in this substep
  double mobility = 0.0;  // 1/kg or 1/(kg m^2), of the two bodies by themselves
  Vec3 turnA, turnB;      // inverse inertia times the angular parts
};

class SoftAxes {
 public:
  // With the joint's impulses.
  SoftAxes(const Joint& joint, const JointEnds& ends, SoftBodies& bodies);

  std::uint32_t joint() const { return ends_.joint; }
  const JointEnds& ends() const { return ends_; }
  // Laws for the poses as they are now. `backRate`: 1/s, of what is beyond a rigid limit, goes into its rate.
  void refresh(const Joint& joint, SoftBodies& bodies, double elapsed, double h, double backRate,
               std::vector<AxisRow>& scratch);
  double rateOf(const SoftAxis& one, SoftBodies& bodies) const;
  void push(const SoftAxis& one, double impulse, SoftBodies& bodies) const;
  // One axis after the other, each exactly.
  void sweep(SoftBodies& bodies);
  // Books the substep's impulses, and notes the rates that the next one begins with.
  void addUp(Joint& joint, SoftBodies& bodies);
  // So that the next step can start with them.
  void finish(Joint& joint) const;
  bool isIdle(SoftBodies& bodies) const;  // nothing acts, and nothing would

  std::span<SoftAxis> axes() { return {axes_.data(), static_cast<std::size_t>(count_)}; }
  std::span<const SoftAxis> axes() const { return {axes_.data(), static_cast<std::size_t>(count_)}; }

 private:
  JointEnds ends_;
  int count_ = 0;
  std::array<SoftAxis, kMostJointAxes> axes_;
};

}  // namespace cairn
