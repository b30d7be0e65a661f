// The energy of a run: where it started and ended, and how much of it came from nowhere.
#pragma once

#include <limits>

#include "cairn/report.hpp"

namespace cairn {

// Bodies that appear bring energy with them. It is told apart from what a step makes because the energy is given twice:
// before a step, when they have entered, and after it.
class EnergyMeter {
 public:
  explicit EnergyMeter(const Energy& start);

  void beforeStep(const Energy& energy);
  void afterStep(const Energy& energy);

  double start() const { return start_; }              // J
  double now() const { return now_.total(); }          // J
  double largestGain() const { return largestGain_; }  // J, in one step
  // J: the most that the energy ever was above the lowest that it had been before. Slow growth over many steps shows here,
  // and a peak that sinks again. Without anything that drives the bodies it should be 0.
  double largestRise() const { return largestRise_; }
  // J: the most kinetic energy, plus the range of the potential energy. What a rise is compared with.
  double scale() const { return mostKinetic_ + (highestPotential_ - lowestPotential_); }

 private:
  void note(const Energy& energy);

  double start_;
  Energy now_;
  Energy appeared_{};  // what entered since the start
  double before_;
  double lowest_;  // of the total without what appeared
  double largestGain_ = 0.0, largestRise_ = 0.0;
  double mostKinetic_ = 0.0;
  double lowestPotential_ = std::numeric_limits<double>::infinity();  // without what appeared
  double highestPotential_ = -std::numeric_limits<double>::infinity();
};

}  // namespace cairn
