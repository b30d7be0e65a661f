// Line plots as SVG: panels side by side on a white card, with one legend. No dependency, and the same text for the same
// numbers.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace cairn {

struct PlotAxis {
  std::string label;
  double low = 0.0, high = 1.0;
  bool logarithmic = false;
  bool percent = false;  // labels of a share
  bool whole = false;    // no labels between whole numbers
};

// Ends of curves: a dot for success, a cross for failure.
enum class PlotEnd { None, Dot, Cross };

struct PlotCurve {
  int style = 0;                              // index into the legend: colour and dashes
  std::vector<std::array<double, 2>> points;  // those that are not finite are left out; others are drawn inside the axes
  bool steps = false;                         // constant up to the next point
  PlotEnd end = PlotEnd::None;
};

struct PlotPanel {
  std::string title;
  PlotAxis x, y;
  std::vector<PlotCurve> curves;
  std::optional<double> level;  // a dashed horizontal line
  std::string levelLabel;
};

struct PlotLegendItem {
  std::string name;
  std::string note;    // smaller, below
  bool faded = false;  // has no curve
};

struct Plot {
  std::string title, subtitle;
  std::vector<PlotPanel> panels;
  std::vector<PlotLegendItem> legend;
};

std::string plotSvg(const Plot& plot);

// Whole decades around [low, high], at least one.
void widenToDecades(double& low, double& high);

}  // namespace cairn
