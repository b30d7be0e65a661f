// A quantity over the steps of a run, kept small however long the run is: neighbouring steps share a place.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

namespace cairn {

class Trace {
 public:
  Trace() = default;
  Trace(long steps, long places) : stepsPerPlace_(std::max(1L, (steps + places - 1) / places)) {}

  void add(double time, double value);  // the next step's

  using Points = std::vector<std::array<double, 2>>;  // time, value
  Points envelope() const;                            // lowest and highest of each place: no peak is lost
  Points means() const;                               // for what is noisy

 private:
  struct Place {
    double time;  // of its last step
    double low, high, sum;
    long count;
  };
  long stepsPerPlace_ = 1;
  std::vector<Place> places_;
};

}  // namespace cairn
