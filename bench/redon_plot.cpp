#include "redon_plot.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace cairn::bench {

namespace {

constexpr double kWidth = 300, kHeight = 240, kLeft = 44, kTop = 34, kGap = 56, kBottom = 70;
// Colours that people with colour-blindness tell apart (Okabe and Ito).
constexpr std::array<const char*, 5> kColours{"#0072b2", "#e69f00", "#009e73", "#cc79a7", "#d55e00"};

template <class... Arguments>
std::string format(const char* pattern, Arguments... arguments) {
  std::array<char, 400> text{};
  std::snprintf(text.data(), text.size(), pattern, arguments...);
  return text.data();
}

}  // namespace

std::string plotRatios(const std::vector<int>& objects, const std::vector<int>& contacts, const std::vector<Panel>& panels) {
  const double width = kLeft + static_cast<double>(panels.size()) * (kWidth + kGap);
  std::string svg = format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" font-family=\"sans-serif\" font-size=\"12\">\n"
      "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
      width, kTop + kHeight + kBottom);
  for (std::size_t panelIndex = 0; panelIndex < panels.size(); ++panelIndex) {
    const Panel& panel = panels[panelIndex];
    double largest = 1.0;
    for (const Table* table : {&panel.measured, &panel.paper})
      for (const auto& row : *table)
        for (const double value : row) largest = std::max(largest, value);
    const double tick = largest <= 3.0 ? 0.5 : std::pow(10.0, std::floor(std::log10(largest / 2.0)));
    const double top = tick * std::ceil(largest / tick);
    const double left = kLeft + static_cast<double>(panelIndex) * (kWidth + kGap);
    const auto x = [&](int p) { return left + kWidth * p / (contacts.back() + contacts.front()); };
    const auto y = [&](double ratio) { return kTop + kHeight * (1.0 - ratio / top); };
    svg += format("<text x=\"%.1f\" y=\"%.1f\" font-weight=\"bold\">%s</text>\n", left, kTop - 14.0, panel.title.c_str());
    for (double ratio = 0.0; ratio <= top + 1e-9; ratio += tick) {
      svg += format("<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"%s\"/>\n", left, left + kWidth, y(ratio),
                    y(ratio), std::abs(ratio - 1.0) < 1e-9 ? "#555" : "#ddd");
      svg += format("<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">%g</text>\n", left - 6.0, y(ratio) + 4.0, ratio);
    }
    for (const int p : contacts)
      svg += format("<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%d</text>\n", x(p), kTop + kHeight + 16.0, p);
    svg += format("<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">contacts per object p</text>\n", left + kWidth / 2,
                  kTop + kHeight + 34.0);
    const auto draw = [&](const Table& table, const char* style) {
      if (table.empty()) return;
      for (std::size_t n = 0; n < objects.size(); ++n) {
        std::string points;
        for (std::size_t p = 0; p < contacts.size(); ++p) points += format("%.1f,%.1f ", x(contacts[p]), y(table[p][n]));
        svg += "<polyline fill=\"none\" stroke=\"" + std::string(kColours[n % kColours.size()]) + "\" " + style +
               " points=\"" + points + "\"/>\n";
      }
    };
    draw(panel.paper, "stroke-width=\"1.2\" stroke-dasharray=\"4 3\" opacity=\"0.8\"");
    draw(panel.measured, "stroke-width=\"2\"");
  }
  double at = kLeft;
  for (std::size_t n = 0; n < objects.size(); ++n) {
    svg += format("<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"%s\" stroke-width=\"2\"/>\n", at,
                  at + 20.0, kTop + kHeight + 54.0, kTop + kHeight + 54.0, kColours[n % kColours.size()]);
    svg += format("<text x=\"%.1f\" y=\"%.1f\">n = %d</text>\n", at + 25.0, kTop + kHeight + 58.0, objects[n]);
    at += 80.0;
  }
  svg += format("<text x=\"%.1f\" y=\"%.1f\">n objects; solid: measured, dashed: the paper</text>\n</svg>\n", at + 10.0,
                kTop + kHeight + 58.0);
  return svg;
}

}  // namespace cairn::bench
