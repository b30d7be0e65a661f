// Newton's method with Fischer's function (STAR §4.4, eq. 85-102; Fischer 1992).
//
//   f(x, y) = sqrt(x^2 + y^2) - x - y          zero exactly where x >= 0, y >= 0, x y = 0
//   df/dx = x/r - 1,  df/dy = y/r - 1,          r = sqrt(x^2 + y^2)
//
// f is smooth but at (0, 0), where both derivatives are taken in the direction (1, 1): 1/sqrt(2) - 1. Its square is smooth
// everywhere, so that Psi = |F|^2/2 has a gradient and a line search makes sense (STAR eq. 102, whose argument should read
// x + tau dx).
// Every second restart uses the penalised function of Chen, Chen and Kanzow (2000),
//
//   g(x, y) = L f(x, y) - (1 - L) max(x, 0) max(y, 0)        L = 0.9
//
// which has the same zeros and other local minima. The system, its globalisation and known failures: lcp_newton.hpp.
// Contacts become GALILEO's friction LCP (problem/lcp.hpp).
#include "solvers/lcp_newton.hpp"
#include "solvers/registry.hpp"

namespace cairn {

namespace {

constexpr double kPenalised = 0.9;  // L

LcpFunction fischer(double x, double y) {
  const double r = std::hypot(x, y);
  if (!(r > std::numeric_limits<double>::min())) {
    const double slope = std::sqrt(0.5) - 1.0;
    return {0.0, slope, slope};
  }
  // Without cancellation where both are positive: -2xy/(r + x + y).
  const double value = x > 0.0 && y > 0.0 ? -2.0 * x * (y / (r + x + y)) : r - x - y;
  return {value, x / r - 1.0, y / r - 1.0};
}

LcpFunction fischerOrPenalised(double x, double y, int restart) {
  LcpFunction f = fischer(x, y);
  if (restart % 2 == 0) return f;
  const double px = std::max(x, 0.0), py = std::max(y, 0.0);
  f.value = kPenalised * f.value - (1.0 - kPenalised) * px * py;
  f.dx = kPenalised * f.dx - (1.0 - kPenalised) * (x > 0.0 ? py : 0.0);
  f.dy = kPenalised * f.dy - (1.0 - kPenalised) * (y > 0.0 ? px : 0.0);
  return f;
}

class FischerNewton final : public ContactSolver {
 public:
  explicit FischerNewton(const LcpNewtonOptions& options) : options_(options) {}
  std::string_view name() const override { return "fischer_newton"; }
  Capabilities capabilities() const override { return {.laws = {true, true, true, true, false}, .planarCone = true}; }

 protected:
  int iterationLimit() const override { return 5000; }
  Exit iterate(const ContactProblem& problem, Monitor& monitor, Vector& impulse) override {
    return solveByLcpNewton(problem, fischerOrPenalised, options_, monitor, impulse);
  }

 private:
  LcpNewtonOptions options_;
};

}  // namespace

std::unique_ptr<ContactSolver> makeFischerNewton(OptionReader& options) {
  LcpNewtonOptions read;
  read.sweeps = 5;
  options.number("sufficient", read.sufficient, 0.0, 0.5);
  options.whole("halvings", read.halvings, 0, 60);
  options.whole("memory", read.memory, 1, 1000);
  options.number("proximal", read.proximal, 0.0, 1e3);
  options.whole("sweeps", read.sweeps, 0, 10000);
  options.whole("restarts", read.restarts, 0, 100000);
  return std::make_unique<FischerNewton>(read);
}

}  // namespace cairn
