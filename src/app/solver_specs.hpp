// --solver of `cairn solve`: several solvers, each with options perhaps.
#pragma once

#include <string>
#include <vector>

namespace cairn {

// Each text is a list "bgs:order=random,seed=3,lemke": at a comma outside brackets a new solver starts, unless "key="
// follows, which is one more option of the solver before. "all" stands for every solver there is. Empty list: "auto" if
// there is such a solver, else "all". Repeated ones are dropped. Throws BadInput.
std::vector<std::string> readSolverSpecs(const std::vector<std::string>& texts);

}  // namespace cairn
