// What `cairn compare` shows of each method: one list for the terminal and for the page.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/comparison.hpp"

namespace cairn {

struct CompareColumn {
  std::string group, head;
  std::string what;  // the whole explanation, for people who do not know the word
  std::function<std::optional<double>(const MethodRun&)> value;  // asked only if there is a report
  std::function<std::string(double)> text;
  bool smallerIsBetter = false;
  bool onTerminal = true;  // a terminal is narrow
};

// Those that the scene has: no joint error without joints, no drift unless it should stand.
std::vector<CompareColumn> compareColumns(const MethodComparison& comparison);

// "converged 600, stalled 2"; empty if the stepper has no exchangeable solver.
std::string exitsText(const MethodRun& method);

// Whether a method has the best value of a column. Only those that ran to the end compete, for the others had less time to
// go wrong; and where all read alike nobody is best.
bool isBest(const CompareColumn& column, const MethodComparison& comparison, const MethodRun& method);

}  // namespace cairn
