// Newton's method with the minimum map (the function of STAR eq. 67, in the place of Fischer's in §4.4).
//
//   f(x, y) = min(x, y)          zero exactly where x >= 0, y >= 0, x y = 0
//
// Rows are active where y < x, and demand y = 0; the others demand x = 0, which is solved at once: what remains is the
// linear system of the active rows, A_II dx_I = -y_I + A_IJ x_J. When the active rows are the right ones one step solves the
// problem.
//
// The minimum map has no descent property of its own, so it begins with some sweeps of blocked Gauss-Seidel; system,
// globalisation and known failures are in lcp_newton.hpp. Contacts become GALILEO's friction LCP (problem/lcp.hpp).
#include "solvers/lcp_newton.hpp"
#include "solvers/registry.hpp"

namespace cairn {

namespace {

LcpFunction minimum(double x, double y, int) { return y < x ? LcpFunction{y, 0.0, 1.0} : LcpFunction{x, 1.0, 0.0}; }

class MinmapNewton final : public ContactSolver {
 public:
  explicit MinmapNewton(const LcpNewtonOptions& options) : options_(options) {}
  std::string_view name() const override { return "minmap_newton"; }
  Capabilities capabilities() const override { return {.laws = {true, true, true, true, false}, .planarCone = true}; }

 protected:
  int iterationLimit() const override { return 5000; }
  Exit iterate(const ContactProblem& problem, Monitor& monitor, Vector& impulse) override {
    return solveByLcpNewton(problem, minimum, options_, monitor, impulse);
  }

 private:
  LcpNewtonOptions options_;
};

}  // namespace

std::unique_ptr<ContactSolver> makeMinmapNewton(OptionReader& options) {
  LcpNewtonOptions read;
  options.number("sufficient", read.sufficient, 0.0, 0.5);
  options.whole("halvings", read.halvings, 0, 60);
  options.whole("memory", read.memory, 1, 1000);
  options.number("proximal", read.proximal, 0.0, 1e3);
  options.whole("sweeps", read.sweeps, 0, 10000);
  options.whole("restarts", read.restarts, 0, 100000);
  return std::make_unique<MinmapNewton>(read);
}

}  // namespace cairn
