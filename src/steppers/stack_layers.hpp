// How high bodies stand: the layers of stacks, by breadth-first search from what is fixed (Erleben §4).
#pragma once

#include <functional>

#include "dynamics/system.hpp"

namespace cairn {

// The search, one layer at a time. Bodies that joints hold together are one: they come together.
class StackSearch {
 public:
  explicit StackSearch(const System& system);

  // Bodies that touch what is firm and have not come before, ascending; none when the search is over. What cannot be moved
  // is firm; of the layer that came last, the groups all of whose bodies `isFirm` are.
  std::vector<std::uint32_t> next(const std::function<bool(std::uint32_t)>& isFirm);
  // What carries a body that has come: the kinematic body at the bottom of its stack; kNone if that is fixed.
  std::uint32_t carrier(std::uint32_t body) const { return carrier_[group_[body]]; }
  std::uint32_t group(std::uint32_t body) const { return group_[body]; }  // named by its first body

 private:
  void admit(std::uint32_t group, std::uint32_t carrier);

  std::vector<std::uint32_t> group_;                    // by body
  std::vector<std::vector<std::uint32_t>> members_;     // by group
  std::vector<std::vector<std::uint32_t>> neighbours_;  // by group
  std::vector<std::uint32_t> carrier_;                  // by group
  std::vector<char> came_;                              // by group
  std::vector<std::uint32_t> layer_, next_;             // groups
};

// By body: 0 for what cannot be moved, 1 for what touches that, and so on; one above all others for what nothing supports.
std::vector<int> stackHeights(const System& system);

}  // namespace cairn
