// All that acts along one axis of a joint, as one law between its rate u and the impulse l along it: the sum of
//
//   l = clamp(k (c - u), low, high)      springs, motors by position, limits that give
//   l = high below u = c, low above it, anything between at it      rigid: motors by velocity, dry friction, limits
//
// The sum falls as u rises, so that it meets any line u = free + w l once.
#pragma once

#include <array>

#include "mechanics/joint_axis.hpp"

namespace cairn {

class AxisLaw {
 public:
  void clear() { count_ = 0; }
  bool empty() const { return count_ == 0; }
  int size() const { return count_; }
  // A row of axisRows(). `bias`: m/s or rad/s, what a rigid limit adds to its rate.
  void add(const AxisRow& row, double bias);

  struct Answer {
    double rate = 0.0, impulse = 0.0;
    int rigid = -1;  // the part that holds the rate, if one does
  };
  // Where u = free + w l, w > 0.
  Answer solve(double free, double w) const;

  // The law near an answer: u + compliance l = target. Nothing but a constant impulse acts if `compliance` is 0 and nothing
  // holds the rate.
  struct Line {
    bool holds = false;      // a rigid part does: u = target
    double compliance = 0.0;
    double target = 0.0;
    double constant = 0.0;   // the impulse, if no slope
    bool hasSlope = false;
  };
  Line lineAt(const Answer& answer) const;
  // Whether an answer of that line is on the law; tolerances in m/s and N s.
  bool fits(const Answer& answer, double rate, double impulse, double rateSlack, double impulseSlack) const;
  // Bounds of the impulse at a rate.
  std::pair<double, double> range(double rate, double slack) const;

  // Shares of an impulse, by AxisForce, each with the sign of its row.
  void split(double rate, double impulse, std::array<double, kAxisForces>& shares) const;
  // How far beyond a rigid limit the axis is, along the way back; 0 if it is not.
  double beyond() const { return beyond_; }
  void setBeyond(double beyond) { beyond_ = beyond; }
  bool isLimit(int part) const { return part >= 0 && parts_[part].isLimit; }

 private:
  struct Part {
    double center, slope;  // slope < 0: rigid
    double low, high;
    AxisForce force;
    bool isLimit;
    bool isRigid() const { return slope < 0.0; }
    double at(double rate) const;
  };
  double sumAt(double rate, int except) const;

  std::array<Part, 6> parts_;
  int count_ = 0;
  double beyond_ = 0.0;
};

}  // namespace cairn
