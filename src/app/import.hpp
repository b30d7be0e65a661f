// cairn import: what a robot file holds, and what of it cannot be represented.
#pragma once

#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

namespace cairn {

struct ImportArguments {
  std::string file;
  std::vector<std::string> packagePaths;
  std::optional<std::string> base, report;
  bool allowMissing = false;
  bool quiet = false;
};

int commandImport(const ImportArguments& arguments, std::ostream& out, std::ostream& err);

}  // namespace cairn
