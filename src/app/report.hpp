// The report of a run, for people and for programs.
#pragma once

#include <string>
#include <string_view>

#include "app/json_out.hpp"
#include "app/terminal.hpp"
#include "scene/run_report.hpp"

namespace cairn {

void writeReport(JsonOut& out, std::string_view name, const RunReport& report);  // as an object
std::string reportJson(const RunReport& report);
std::string reportTable(const RunReport& report, const Paint& paint);

}  // namespace cairn
