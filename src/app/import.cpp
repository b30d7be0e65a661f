#include "app/import.hpp"

#include <fmt/format.h>

#include <memory>
#include <ostream>

#include "app/bad_input.hpp"
#include "app/command.hpp"
#include "app/json_out.hpp"
#include "app/output_file.hpp"
#include "import/robot/read_robot.hpp"
#include "import/robot/robot_summary.hpp"

namespace cairn {
namespace {

constexpr std::size_t kShown = 20;  // remarks of a kind on the terminal; the report has all

RobotBase baseNamed(const std::optional<std::string>& name) {
  if (!name) return RobotBase::AsWritten;
  if (*name == "fixed") return RobotBase::Fixed;
  if (*name == "floating") return RobotBase::Floating;
  throw BadInput(fmt::format("--base: found \"{}\"; allowed: fixed, floating", *name));
}

std::string reportOf(const RobotModel& model) {
  const RobotSummary sum = summarise(model);
  JsonOut json;
  const auto remarks = [&](const char* name, const std::vector<RobotRemark>& list) {
    json.list(name, [&] {
      for (const RobotRemark& remark : list)
        json.object("", [&] {
          json.value("file", remark.place.file);
          json.value("line", remark.place.line);
          json.value("what", remark.what);
        });
    });
  };
  json.object("", [&] {
    json.value("name", model.name);
    json.value("format", model.format);
    json.value("bodies", sum.bodies);
    json.value("joints", sum.joints);
    json.value("dofs", sum.dofs);
    json.value("mass_kg", sum.mass);
    json.value("loops", sum.loops);
    remarks("missing", model.missing);
    remarks("warnings", model.warnings);
    remarks("notes", model.notes);
  });
  return json.text();
}

void print(std::ostream& stream, const char* kind, const std::vector<RobotRemark>& remarks) {
  for (std::size_t i = 0; i < remarks.size() && i < kShown; ++i) stream << kind << ": " << format(remarks[i]) << "\n";
  if (remarks.size() > kShown) stream << kind << ": " << remarks.size() - kShown << " more (--report lists all)\n";
}

}  // namespace

int commandImport(const ImportArguments& arguments, std::ostream& out, std::ostream& err) {
  RobotReadOptions options;
  options.packagePaths = arguments.packagePaths;
  options.base = baseNamed(arguments.base);
  std::unique_ptr<WholeFile> report;
  if (arguments.report) report = std::make_unique<WholeFile>("--report", *arguments.report);
  RobotModel model;
  try {
    model = readRobot(arguments.file, options);
  } catch (const RobotFileError& error) {
    throw BadInput(error.what());
  }
  if (report) report->commit(reportOf(model));  // also where something is missing: it says what
  if (!arguments.quiet) {
    const RobotSummary sum = summarise(model);
    out << fmt::format("{} ({}): {} bodies, {} joints, {} degrees of freedom, {:.6g} kg, {} loops; {} actuators, {} sensors\n",
                       model.name.empty() ? arguments.file : model.name, model.format, sum.bodies, sum.joints, sum.dofs,
                       sum.mass, sum.loops, model.actuators.size(), model.sensors.size());
    print(err, "warning", model.warnings);
  }
  if (model.missing.empty()) return kExitOk;
  print(err, "missing", model.missing);
  if (arguments.allowMissing) return kExitOk;
  err << fmt::format("cairn: {} of {} cannot be represented; --allow-missing goes on without\n",
                     model.missing.size() == 1 ? "one thing" : fmt::format("{} things", model.missing.size()), arguments.file);
  return kExitBadInput;
}

}  // namespace cairn
