// The results as JSON and as a table.
#pragma once

#include <string>
#include <vector>

#include "app/terminal.hpp"
#include "measure.hpp"

namespace cairn::bench {

// What holds for all rows.
struct BenchHeader {
  std::string machine;  // as the caller names it; empty: not named
  std::string processor;
  bool quick = false;
};

std::string processorName();  // of this machine, and how many of them

// A sentence if other programs disturbed the times; else nothing.
std::string waitingText(const Waiting& waiting);
std::string roundTripText(const std::vector<double>& ns);  // empty if there are none

std::string benchJson(const BenchHeader& header, const BenchResults& results);
// One block for each scene, with how many times faster than Bullet on one thread each engine is.
std::string benchTable(const BenchResults& results, const Paint& paint);

}  // namespace cairn::bench
