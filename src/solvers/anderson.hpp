// Anderson's acceleration of a fixed point s = G(s): the next s is the mix of the last results G(s_k) whose weights (sum 1)
// make the mixed change G(s_k) - s_k least. Near the solution, where G is nearly linear, that is GMRES.
#pragma once

#include <deque>

#include "cairn/contact_problem.hpp"

namespace cairn {

class Anderson {
 public:
  explicit Anderson(int memory) : memory_(memory) {}
  void forget();
  Vector next(const Vector& s, const Vector& result);  // given that G(s) = result

 private:
  int memory_;
  std::deque<Vector> results_, changes_;
};

// The same with a guard, for maps that are neither smooth nor sure to contract. Mixing may hold on to a place that is no
// fixed point and from which plain steps s <- G(s) would lead away, slowly at first:
// - if the error has not fallen for a while the memory is dropped, and plain and mixed steps take turns that grow longer;
// - if the error has grown thousandfold the step goes back to the best s;
// - after that, and after some turns in vain, plain steps are halved, until there is progress again.
class FixedPointSearch {
 public:
  explicit FixedPointSearch(int memory) : mix_(memory) {}
  // The next s. `error` belongs to s and its result; an error that is not `certain` (the result came from an unfinished
  // computation) undoes nothing.
  Vector next(const Vector& s, const Vector& result, double error, bool certain);
  int stepsWithoutProgress() const { return idle_; }
  bool hopeless() const { return idle_ > kPatience; }

 private:
  static constexpr int kPatience = 300;  // steps without progress
  static constexpr int kFirstTurn = 10;
  Anderson mix_;
  bool plain_ = false;
  int turn_ = kFirstTurn, inTurn_ = 0;
  double damping_ = 1.0;
  double bestError_ = std::numeric_limits<double>::infinity();
  Vector best_, bestResult_;
  int idle_ = 0;
};

}  // namespace cairn
