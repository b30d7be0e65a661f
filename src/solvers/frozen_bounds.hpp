// Friction for methods that know fixed boxes only. With normal impulses n, one pass solves
//
//   w = W x + b,  -mu n <= x_t <= mu n,      and  x_n = n  is wanted.
//
// Going on with n <- x_n contracts for moderate friction only. So each pass also solves for the sets it found, where rows at
// their friction bound follow their normals exactly, x_t = +-mu x_n (one linear system, no longer symmetric): right sets
// give the solution at once, others Newton's step for x_n = n. Of the two steps, whole, half or a quarter, the first that
// brings x_n and n nearer to each other is taken. If none does, some passes go a part of the way regardless.
//
// Known failure: in wedged piles, or at extreme mass ratios, the bounds may never come to rest; the best impulses are then
// returned with Exit::Stalled.
#pragma once

#include "solvers/lcp_methods.hpp"
#include "solvers/monitor.hpp"
#include "solvers/options.hpp"

namespace cairn {

struct FrozenBoundsOptions {
  int passes = 500;    // most of them
  bool finish = true;  // solve for the sets of sliding and sticking rows too, Newton's step
};

class FrozenBoundsSolver : public ContactSolver {
 public:
  Capabilities capabilities() const override;
  void setOptions(const FrozenBoundsOptions& options) { options_ = options; }

 protected:
  virtual LcpAnswer solveBoxes(const BoxedLcp& lcp, const Vector& lo, const Vector& hi, const Vector& start,
                               const MayPivot& mayPivot) = 0;
  int iterationLimit() const override { return 1000000; }  // pivots; the methods have caps of their own
  Exit iterate(const ContactProblem& problem, Monitor& monitor, Vector& impulse) override;

 private:
  FrozenBoundsOptions options_;
};

template <class Solver>
std::unique_ptr<ContactSolver> makeFrozenBounds(OptionReader& reader) {
  FrozenBoundsOptions options;
  reader.whole("passes", options.passes, 1, 100000);
  reader.flag("finish", options.finish);
  auto solver = std::make_unique<Solver>();
  solver->setOptions(options);
  return solver;
}

}  // namespace cairn
