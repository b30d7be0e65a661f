// Each solver file offers one maker; registry.cpp lists them.
#pragma once

#include "cairn/contact_problem.hpp"
#include "solvers/options.hpp"

namespace cairn {

// Direct, on linear complementarity problems
std::unique_ptr<ContactSolver> makeExhaustive(OptionReader& options);
std::unique_ptr<ContactSolver> makeLemke(OptionReader& options);
std::unique_ptr<ContactSolver> makeKeller(OptionReader& options);
std::unique_ptr<ContactSolver> makeDantzig(OptionReader& options);
// Splitting
std::unique_ptr<ContactSolver> makeJacobi(OptionReader& options);
std::unique_ptr<ContactSolver> makePgs(OptionReader& options);
std::unique_ptr<ContactSolver> makePsor(OptionReader& options);
std::unique_ptr<ContactSolver> makeBgs(OptionReader& options);
std::unique_ptr<ContactSolver> makeNncg(OptionReader& options);
std::unique_ptr<ContactSolver> makeSubspace(OptionReader& options);
// By groups of rows
std::unique_ptr<ContactSolver> makeStaggered(OptionReader& options);
std::unique_ptr<ContactSolver> makeHierarchical(OptionReader& options);
// Joints alone
std::unique_ptr<ContactSolver> makePcg(OptionReader& options);
std::unique_ptr<ContactSolver> makeLdlt(OptionReader& options);
// Newton
std::unique_ptr<ContactSolver> makeFischerNewton(OptionReader& options);
std::unique_ptr<ContactSolver> makeMinmapNewton(OptionReader& options);
std::unique_ptr<ContactSolver> makeAlartCurnier(OptionReader& options);
// Optimisation
std::unique_ptr<ContactSolver> makeApgd(OptionReader& options);
std::unique_ptr<ContactSolver> makeNnls(OptionReader& options);
// Whatever is best for the problem at hand
std::unique_ptr<ContactSolver> makeAuto(OptionReader& options);

}  // namespace cairn
