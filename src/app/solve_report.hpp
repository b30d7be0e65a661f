// What `cairn solve` found, for people and for programs.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "app/terminal.hpp"
#include "cairn/contact_problem.hpp"

namespace cairn {

// One solver on one problem.
struct SolveRow {
  std::string problem;
  int rows = 0, blocks = 0;  // of the problem
  std::string solver;        // with its options
  SolveReport report;
  IterationLog log;  // if one was kept

  bool solved() const { return report.exit == Exit::Converged; }
  bool taken() const { return report.exit != Exit::Unsupported; }
};

struct SolveComparison {
  double tolerance = 0.0;
  std::vector<std::string> problems, solvers;  // in the order they were asked for
  std::vector<SolveRow> rows;                  // problem by problem
  // Least time of any solver that solved it, by problem; no entry if none did.
  std::map<std::string, double> bestTimes() const;
};

std::string comparisonJson(const SolveComparison& comparison);
std::string comparisonTable(const SolveComparison& comparison, const Paint& paint);

}  // namespace cairn
