#include "solvers/registry.hpp"

#include <stdexcept>

namespace cairn {

namespace {

struct Entry {
  SolverInfo info;
  std::unique_ptr<ContactSolver> (*make)(OptionReader&);
};

constexpr Entry kEntries[] = {
    {{"auto", "sweeps while they get there soon, then Newton: the best for any problem", "sweeps=8, newton=1"}, makeAuto},
    {{"exhaustive", "all index sets of an LCP of at most 16 unknowns; proves that there is no solution", ""},
     makeExhaustive},
    {{"lemke", "Lemke's complementary pivoting with lexicographic ties", ""}, makeLemke},
    {{"keller", "Keller's principal pivoting on boxes, friction bounds frozen and renewed",
      "passes=500 (1 or more), finish=yes|no"},
     makeKeller},
    {{"dantzig", "Dantzig's pivoting as Baraff used it, friction bounds frozen and renewed",
      "passes=500 (1 or more), finish=yes|no"},
     makeDantzig},
    {{"jacobi", "projected Jacobi, damped by the number of contacts at each body", "relaxation=1 (0 to 2)"}, makeJacobi},
    {{"pgs", "projected Gauss-Seidel, row by row", "order=natural|reverse|symmetric|random, seed=1"}, makePgs},
    {{"psor", "projected Gauss-Seidel with over-relaxation and a regularisation that fades",
      "relaxation=1.3 (0 to 2), regularisation=0, decay=0.9, order=natural|reverse|symmetric|random, seed=1"},
     makePsor},
    {{"bgs", "blocked Gauss-Seidel, each contact solved exactly (non-smooth contact dynamics)",
      "local=auto|newton|quartic|fixed_point, relaxation=1 (0 to 2), order=natural|reverse|symmetric|random, seed=1"},
     makeBgs},
    {{"nncg", "nonsmooth nonlinear conjugate gradients on Gauss-Seidel sweeps",
      "sweep=pgs|bgs, order=natural|reverse|symmetric|random, seed=1"},
     makeNncg},
    {{"subspace", "Gauss-Seidel to guess what slides and lifts, then one linear solve for the rest",
      "sweeps=10, order=natural|reverse|symmetric|random, seed=1"},
     makeSubspace},
    {{"staggered", "normals and friction by turns, each a convex program (Kaufman's staggered projections)",
      "normal=gradient|sweeps|SOLVER, friction=gradient|sweeps|SOLVER, joints=together|pcg|ldlt, memory=5 (0 to 100), "
      "steps=1000"},
     makeStaggered},
    {{"hierarchical", "groups of blocks by turns, each by its own solver",
      "joints=ldlt, contacts=bgs (solvers; for problems that name no groups), memory=5 (0 to 100)"},
     makeHierarchical},
    {{"pcg", "preconditioned conjugate gradients, joints only", ""}, makePcg},
    {{"ldlt", "sparse LDL^T factorisation, joints only", ""}, makeLdlt},
    {{"fischer_newton", "Newton on the LCP with Fischer's function",
      "sufficient=1e-4, halvings=12, memory=5, proximal=0.1, sweeps=5, restarts=48"},
     makeFischerNewton},
    {{"minmap_newton", "Newton on the LCP with the minimum map: active sets",
      "sufficient=1e-4, halvings=12, memory=5, proximal=0.1, sweeps=10, restarts=48"},
     makeMinmapNewton},
    {{"alart_curnier", "Newton on the exact laws, piece by piece, with sweeps where it is stuck",
      "step=1, proximal=0.1, memory=10, sweeps=5, restarts=48"},
     makeAlartCurnier},
    {{"apgd", "accelerated projected gradients on the cone complementarity problem, De Saxce's term outside",
      "law=coulomb|ccp, memory=5 (0 to 100; of the acceleration outside), steps=1000 (most inside for one outside)"},
     makeApgd},
    {{"nnls", "nearest point in motion space (Wilhelmsen, Redon); exact, without friction", "matrix=auto|sparse|dense"},
     makeNnls}};

}  // namespace

std::vector<SolverInfo> solverList() {
  std::vector<SolverInfo> list;
  for (const Entry& entry : kEntries) list.push_back(entry.info);
  return list;
}

std::vector<std::string_view> solverNames() {
  std::vector<std::string_view> names;
  for (const Entry& entry : kEntries) names.push_back(entry.info.name);
  return names;
}

std::unique_ptr<ContactSolver> makeSolver(std::string_view spec) {
  const std::size_t colon = spec.find(':');
  const std::string_view name = spec.substr(0, colon);
  for (const Entry& entry : kEntries) {
    if (entry.info.name != name) continue;
    OptionReader options{std::string(name), colon == std::string_view::npos ? std::string_view{} : spec.substr(colon + 1)};
    std::unique_ptr<ContactSolver> solver = entry.make(options);
    options.finish();
    return solver;
  }
  std::string message = "solver: there is no \"" + std::string(name) + "\"; allowed: ";
  for (const Entry& entry : kEntries) message += std::string(entry.info.name) + " ";
  throw std::invalid_argument(message);
}

}  // namespace cairn
