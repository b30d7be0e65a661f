// Projected Gauss-Seidel (Erleben §3, eq. 28-33; STAR §4.3): W = L + D + U, each row in turn solved for its own impulse with
// the newest impulses of all others and projected on what its law allows. The step of one row, and of the tangents of a
// round or polygonal contact, is told in row_step.hpp; how the velocities are kept in velocity_form.hpp.
//
// Converges linearly for symmetric positive semidefinite W without friction (STAR §4.3; the objective 1/2 l W l + b l falls
// with every row). With friction there is no proof; where it goes round in circles its steps are shortened (CircleWatch in
// sweep.hpp).
//
// Known failures: slow where heavy bodies rest on light ones and in tall stacks (the rate goes to 1 with the mass ratio and
// the square of the height); the answer of redundant contacts depends on the order of the rows.
#include "solvers/registry.hpp"
#include "solvers/sweep.hpp"

namespace cairn {

namespace {

struct PgsOptions {
  SweepOrder order;
};

class Pgs final : public ContactSolver {
 public:
  explicit Pgs(const PgsOptions& options) : options_(options) {}
  std::string_view name() const override { return "pgs"; }
  Capabilities capabilities() const override { return {.laws = {true, true, true, true, true}}; }

 protected:
  int iterationLimit() const override { return kSweepLimit; }
  Exit iterate(const ContactProblem& problem, Monitor& monitor, Vector& impulse) override {
    const auto sweeper = makeRowSweeper(problem, options_.order);
    return sweepUntilSolved(*sweeper, monitor, impulse, 1.0);
  }

 private:
  PgsOptions options_;
};

}  // namespace

std::unique_ptr<ContactSolver> makePgs(OptionReader& options) {
  PgsOptions read;
  read.order.read(options);
  return std::make_unique<Pgs>(read);
}

}  // namespace cairn
