// What solvers of standard LCPs share: lower the contact problem, eliminate its joints, solve, lift the answer, judge it.
#pragma once

#include "solvers/lcp_methods.hpp"
#include "solvers/monitor.hpp"

namespace cairn {

class LcpSolver : public ContactSolver {
 public:
  Capabilities capabilities() const override;  // everything but the round cone in space

 protected:
  virtual LcpAnswer solveLcp(const Lcp& lcp, const Vector& start, const MayPivot& mayPivot) = 0;
  virtual int mostUnknowns() const { return 0; }           // of the LCP; 0: no limit
  int iterationLimit() const override { return 1000000; }  // pivots; the methods have caps of their own
  Exit iterate(const ContactProblem& problem, Monitor& monitor, Vector& impulse) final;
};

}  // namespace cairn
