// Ratios against contacts per object, a panel for each table, as one SVG file.
#pragma once

#include <string>
#include <vector>

namespace cairn::bench {

// Rows: contacts per object; columns: objects.
using Table = std::vector<std::vector<double>>;

struct Panel {
  std::string title;
  Table measured;
  Table paper{};  // dashed; may be empty
};

std::string plotRatios(const std::vector<int>& objects, const std::vector<int>& contacts, const std::vector<Panel>& panels);

}  // namespace cairn::bench
