// docs/solvers.md says what every option is if it is not given: the solver made with those values does the same, step by
// step, as the one made without any.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <regex>

#include "random_problems.hpp"

namespace cairn {
namespace {

// Solver to "key=value,key=value", from the table.
std::map<std::string, std::string> documentedOptions() {
  std::map<std::string, std::string> options;
  std::ifstream file(CAIRN_SOURCE_DIR "/docs/solvers.md");
  const std::regex row(R"(\| `(\w+)` \|.*\| ([^|]*(?:\\\|[^|]*)*) \|)"), item(R"((\w+)=([^\s,\\]+))");
  for (std::string line; std::getline(file, line);) {
    std::smatch found;
    if (!std::regex_match(line, found, row)) continue;
    const std::string cell = found[2];
    std::string text;
    for (auto it = std::sregex_iterator(cell.begin(), cell.end(), item); it != std::sregex_iterator(); ++it)
      text += (text.empty() ? "" : ",") + (*it)[1].str() + "=" + (*it)[2].str();
    options[found[1]] = text;
  }
  return options;
}

TEST(DocumentedOptions, AreTheDefaults) {
  const std::map<std::string, std::string> options = documentedOptions();
  int checked = 0;
  for (const std::string_view solver : solverNames()) {
    const auto found = options.find(std::string(solver));
    ASSERT_NE(found, options.end()) << solver << " is not in docs/solvers.md";
    if (found->second.empty()) continue;
    const std::string full = found->first + ":" + found->second;
    for (unsigned seed = 1; seed <= 6; ++seed) {
      for (const Law law : {Law::Cone, Law::Interval}) {
        const auto problem = testing::makeRandomProblem({.bodies = 6,
                                                         .contacts = 6 + 4 * static_cast<int>(seed),
                                                         .law = law,
                                                         .friction = 0.5,
                                                         .massRatio = seed % 2 == 0 ? 1e4 : 1.0,
                                                         .redundant = seed % 3 == 0},
                                                        seed);
        Vector with, without;
        const SolveReport a = makeSolver(full)->solve(*problem, {1e-9, 300, 0.0}, with);
        const SolveReport b = makeSolver(solver)->solve(*problem, {1e-9, 300, 0.0}, without);
        EXPECT_EQ(a.exit, b.exit) << full;
        EXPECT_EQ(a.iterations, b.iterations) << full << ", seed " << seed;
        EXPECT_TRUE(with == without) << full << ", seed " << seed;
      }
    }
    ++checked;
  }
  EXPECT_GE(checked, 10);
}

}  // namespace
}  // namespace cairn
