// The report of a run, for people and for programs.
#pragma once

#include <string>

#include "app/terminal.hpp"
#include "scene/run_report.hpp"

namespace cairn {

std::string reportJson(const RunReport& report);
std::string reportTable(const RunReport& report, const Paint& paint);

}  // namespace cairn
