// Redon's random nearest-point problems (Redon §5.3), the same everywhere: m = n p rows, each with six numbers in the
// columns of two bodies out of n (or of one, when the two are the same), and s = k random. What the paper leaves open is
// fixed by tests/data/q_redon_nnls.json, field "definition".
#pragma once

#include <cstdint>

#include "cairn/contact_problem.hpp"

namespace cairn::testing {

struct RedonProblem {
  SparseMatrix a;  // J; the masses are 1
  Vector s;        // k; the contacts demand c = J k
};

inline RedonProblem makeRedonProblem(int bodies, int contactsPerBody, int instance, bool pointed = false) {
  std::uint64_t state = 1000003ULL * bodies + 1009ULL * contactsPerBody + instance;
  const auto uniform = [&] {  // splitmix64, [0, 1)
    std::uint64_t z = state += 0x9e3779b97f4a7c15ULL;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-53;
  };
  const int rows = bodies * contactsPerBody;
  std::vector<Eigen::Triplet<double>> entries;
  for (int i = 0; i < rows; ++i) {
    const int a = static_cast<int>(uniform() * bodies);
    const int b = static_cast<int>(uniform() * bodies);
    for (const int body : {a, b}) {
      for (int c = 0; c < 6; ++c) {
        const double u = uniform();
        entries.emplace_back(i, 6 * body + c, pointed && c == 0 ? 0.5 + u : 2.0 * u - 1.0);
      }
      if (a == b) break;
    }
  }
  RedonProblem problem;
  problem.a.resize(rows, 6 * bodies);
  problem.a.setFromTriplets(entries.begin(), entries.end());
  problem.s.resize(6 * bodies);
  for (double& number : problem.s) number = 2.0 * uniform() - 1.0;
  return problem;
}

}  // namespace cairn::testing
