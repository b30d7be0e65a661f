// Diagnostics over the steps of a run, kept small however long the run is: neighbouring steps share a place, of which the
// lowest and the highest value are kept, in the order they came. No peak is lost.
#pragma once

#include <vector>

#include "export/moment.hpp"
#include "scene/json_text.hpp"

namespace cairn {

class Series {
 public:
  explicit Series(long steps);  // how many are expected

  void add(const Moment& moment);
  void describe(CompactJson& out) const;  // as a member "series" of the object that is being written

 private:
  struct Extreme {
    double value;
    long when;  // place in the order of steps; -1: there is none
  };
  struct Place {
    double first, last;  // s
    long count;
    std::vector<Extreme> low, high;  // by column
  };
  void list(CompactJson& out, std::string_view name, std::size_t column) const;

  long stepsPerPlace_;
  long steps_ = 0;
  std::vector<Place> places_;
};

}  // namespace cairn
