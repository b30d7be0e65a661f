// Blocked Gauss-Seidel, the method of non-smooth contact dynamics (STAR §4.3.3; Moreau, Jean): each contact or joint in turn
// is solved exactly, friction and all, with the newest impulses of all others. How one block is solved: block_step.hpp.
//
// `local` says how a sliding contact on a round cone is solved: by Newton's method on the one scalar equation (newton; auto
// begins with the last sweep's answer), by the quartic, or by repeated projections (fixed_point). All find the same.
//
// With redundant contacts, friction and a W that is not quite symmetric whole sweeps may go round in circles for ever. When
// 512 sweeps bring no change smaller than before, each block goes 0.8 times as far from then on, down to 0.3 of the way;
// this ends most circles.
//
// Known failures: slow at high mass ratios, like every splitting. Some circles go on, about one problem in a hundred with
// coefficients near 1: the exact answer of one contact may jump when q moves a little, which the small steps of pgs do not.
#include "solvers/registry.hpp"
#include "solvers/sweep.hpp"

namespace cairn {

namespace {

struct BgsOptions {
  SweepOrder order;
  LocalSolver local = LocalSolver::Auto;
  double relaxation = 1.0;
};

class Bgs final : public ContactSolver {
 public:
  explicit Bgs(const BgsOptions& options) : options_(options) {}
  std::string_view name() const override { return "bgs"; }
  Capabilities capabilities() const override { return {.laws = {true, true, true, true, true}}; }

 protected:
  int iterationLimit() const override { return kSweepLimit; }
  Exit iterate(const ContactProblem& problem, Monitor& monitor, Vector& impulse) override {
    const auto sweeper = makeBlockSweeper(problem, options_.order, options_.local);
    return sweepUntilSolved(*sweeper, monitor, impulse, options_.relaxation);
  }

 private:
  BgsOptions options_;
};

}  // namespace

std::unique_ptr<ContactSolver> makeBgs(OptionReader& options) {
  BgsOptions read;
  read.order.read(options);
  options.choice("local", read.local,
                 {{"auto", LocalSolver::Auto},
                  {"newton", LocalSolver::Newton},
                  {"quartic", LocalSolver::Quartic},
                  {"fixed_point", LocalSolver::FixedPoint}});
  options.number("relaxation", read.relaxation, 0.01, 1.99);
  return std::make_unique<Bgs>(read);
}

}  // namespace cairn
