// Newton's method on Coulomb's law itself (Alart and Curnier 1991; Acary and Brogliato 2008, chapter 13).
//
// Unknowns are the impulses; velocities v = W lambda + b. With friction scaled out (l = S^-1 lambda, s = S v) a contact
// obeys
//
//   l_n = max(0, l_n - rho_n s_n) =: r          l_t = projection of (l_t - rho_t s_t) on the disc of radius r
//
// for any rho > 0; joints, limits, boxes and pyramids are put likewise. These equations are smooth in pieces - separates,
// sticks, slides - and each step solves the linear equations of the present pieces: contact_pieces.hpp has them,
// contact_newton.hpp the step, the proximal term and the line search, newton_search.hpp what happens when it is stuck,
// block_lu.hpp the factorisation. rho is 1/W_nn and 1/(largest eigenvalue of W_tt).
//
// Cost: a factorisation a step, cheap as long as few contacts meet at each body; some ten steps, whatever the tolerance.
//
// Known failures: the merit has local minima. Restarts found a way out in all problems we know that have a solution; without
// one, or if they are used up, the exit is Stalled with the best impulses met. Where W is rank deficient the impulses found
// are some of many; velocities are not affected.
#include "solvers/newton_search.hpp"
#include "solvers/registry.hpp"

namespace cairn {

namespace {

class AlartCurnier final : public ContactSolver {
 public:
  AlartCurnier(const NewtonOptions& newton, const SearchOptions& search) : newton_(newton), search_(search) {}
  std::string_view name() const override { return "alart_curnier"; }
  Capabilities capabilities() const override { return {.laws = {true, true, true, true, true}}; }

 protected:
  int iterationLimit() const override { return 5000; }
  Exit iterate(const ContactProblem& problem, Monitor& monitor, Vector& impulse) override {
    ContactNewton newton(problem, newton_);
    if (!newton.fits()) {
      monitor.explain("alart_curnier: the factorisation of this problem does not fit into memory");
      return Exit::Unsupported;
    }
    return searchByNewton(problem, newton, nullptr, search_, monitor, impulse);
  }

 private:
  NewtonOptions newton_;
  SearchOptions search_;
};

}  // namespace

std::unique_ptr<ContactSolver> makeAlartCurnier(OptionReader& options) {
  NewtonOptions newton;
  SearchOptions search;
  options.number("step", newton.step, 1e-3, 1e3);
  options.number("proximal", newton.proximal, 0.0, 1e3);
  options.whole("memory", newton.memory, 1, 1000);
  options.whole("sweeps", search.sweeps, 0, 1000);
  options.whole("restarts", search.restarts, 0, 100000);
  return std::make_unique<AlartCurnier>(newton, search);
}

}  // namespace cairn
