#include "app/plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/markup.hpp"

namespace cairn {
namespace {

// Okabe and Ito's colours, without the yellow that vanishes on white: told apart by almost everyone. Past seven, dashes.
constexpr std::array<const char*, 7> kColours{"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#222222"};
constexpr std::array<const char*, 3> kDashes{"", "6 3", "1.5 3"};

constexpr double kCardMargin = 28.0;
constexpr double kPanelWidth = 400.0, kPanelHeight = 300.0, kPanelGap = 78.0;
constexpr double kLeft = 52.0;   // labels of the y axis
constexpr double kTop = 92.0;    // title, subtitle, title of the panel
constexpr double kBelow = 56.0;  // labels of the x axis
constexpr double kLegendGap = 30.0, kLegendText = 32.0;
constexpr double kLetter = 7.0, kNoteLetter = 6.2;  // px, mean widths of letters at 12 px and 11 px
constexpr double kNearest = 0.6;  // px: points of a curve closer than this to the last one drawn say nothing new

std::string text(double x, double y, std::string_view attributes, std::string_view content) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\"{}{}>{}</text>\n", x, y, attributes.empty() ? "" : " ", attributes,
                     content);
}

std::string powerOfTen(int exponent, bool plain) {
  if (exponent == 0 || (plain && std::abs(exponent) <= 3))
    return fmt::format("{:.{}f}", std::pow(10.0, exponent), std::max(-exponent, 0));
  return fmt::format("10<tspan dy=\"-5\" font-size=\"9\">{}{}</tspan>", exponent < 0 ? "\u2212" : "", std::abs(exponent));
}

struct Tick {
  double value;
  std::string label;  // empty: a faint line only
};

double labelWidth(const std::string& label) {
  const bool isPower = label.find('<') != std::string::npos;  // as narrow as four letters
  return kLetter * (isPower ? 4.0 : static_cast<double>(label.size()));
}

std::vector<Tick> logTicks(const PlotAxis& axis) {
  const int first = static_cast<int>(std::floor(std::log10(axis.low) + 1e-9));
  const int last = static_cast<int>(std::ceil(std::log10(axis.high) - 1e-9));
  const int stride = std::max(1, static_cast<int>(std::ceil((last - first) / 8.0)));
  std::vector<Tick> ticks;
  for (int e = first; e <= last; ++e) {
    ticks.push_back({std::pow(10.0, e), e % stride == 0 ? powerOfTen(e, last - first <= 7) : ""});
    if (last - first > 4) continue;
    for (const int digit : {2, 5}) {
      const bool named = last - first <= 2;
      ticks.push_back({digit * std::pow(10.0, e), named ? fmt::format("{:g}", digit * std::pow(10.0, e)) : ""});
    }
  }
  std::erase_if(ticks, [&](const Tick& tick) { return tick.value < axis.low * 0.999 || tick.value > axis.high * 1.001; });
  return ticks;
}

std::vector<Tick> linearTicks(const PlotAxis& axis) {
  const double span = axis.high - axis.low;
  double step = std::pow(10.0, std::floor(std::log10(span / 4.0)));
  for (const double factor : {1.0, 2.0, 5.0, 10.0}) {
    if (span / (factor * step) > 6.0) continue;
    step *= factor;
    break;
  }
  if (axis.whole) step = std::max(step, 1.0);
  std::vector<Tick> ticks;
  // Multiples, not sums: zero must be zero.
  for (double i = std::ceil(axis.low / step - 1e-9) + 0.0; i * step <= axis.high + 1e-9 * span; ++i) {
    const double value = i * step;
    ticks.push_back({value, axis.percent ? fmt::format("{:.0f} %", 100.0 * value) : fmt::format("{:g}", value)});
  }
  return ticks;
}

class PanelDrawing {
 public:
  PanelDrawing(const PlotPanel& panel, double left, double top) : panel_(panel), left_(left), top_(top) {}

  std::string draw() const {
    std::string out = text(left_, top_ - 12.0, "class=\"h\"", escaped(panel_.title));
    out += grid();
    for (const PlotCurve& curve : panel_.curves) out += line(curve);
    for (const PlotCurve& curve : panel_.curves) out += ending(curve);
    return out;
  }

 private:
  static double position(const PlotAxis& axis, double value) {
    const double share = axis.logarithmic ? std::log(value / axis.low) / std::log(axis.high / axis.low)
                                          : (value - axis.low) / (axis.high - axis.low);
    return std::clamp(share, 0.0, 1.0);
  }
  double x(double value) const { return left_ + kPanelWidth * position(panel_.x, std::max(value, panel_.x.low)); }
  double y(double value) const { return top_ + kPanelHeight * (1.0 - position(panel_.y, std::max(value, panel_.y.low))); }

  std::string grid() const {
    std::string lines, labels;
    const double right = left_ + kPanelWidth, bottom = top_ + kPanelHeight;
    for (const Tick& tick : panel_.x.logarithmic ? logTicks(panel_.x) : linearTicks(panel_.x)) {
      lines += fmt::format("M{:.1f} {:.1f}V{:.1f}", x(tick.value), top_, bottom);
      if (!tick.label.empty()) labels += text(x(tick.value), bottom + 18.0, "text-anchor=\"middle\"", tick.label);
    }
    double widest = 0.0;
    for (const Tick& tick : panel_.y.logarithmic ? logTicks(panel_.y) : linearTicks(panel_.y)) {
      lines += fmt::format("M{:.1f} {:.1f}H{:.1f}", left_, y(tick.value), right);
      if (tick.label.empty()) continue;
      labels += text(left_ - 8.0, y(tick.value) + 4.0, "text-anchor=\"end\"", tick.label);
      widest = std::max(widest, labelWidth(tick.label));
    }
    std::string out = fmt::format("<path d=\"{}\" class=\"g\"/>\n", lines);
    out += fmt::format("<path d=\"M{:.1f} {:.1f}V{:.1f}H{:.1f}\" class=\"a\"/>\n", left_, top_, bottom, right);
    out += labels;
    out += text(left_ + 0.5 * kPanelWidth, bottom + 40.0, "text-anchor=\"middle\" class=\"l\"", escaped(panel_.x.label));
    const double middle = top_ + 0.5 * kPanelHeight;
    const double labelled = left_ - std::max(44.0, 8.0 + widest + 8.0);  // clear of the ticks' labels
    out += text(labelled, middle,
                fmt::format("text-anchor=\"middle\" class=\"l\" transform=\"rotate(-90 {:.1f} {:.1f})\"", labelled, middle),
                escaped(panel_.y.label));
    if (panel_.level) {
      const double height = y(*panel_.level);
      out += fmt::format("<path d=\"M{:.1f} {:.1f}H{:.1f}\" class=\"t\"/>\n", left_, height, right);
      out += text(left_ + 6.0, height - 5.0, "class=\"n b\"", escaped(panel_.levelLabel));
    }
    return out;
  }

  static bool isShown(const std::array<double, 2>& point) { return std::isfinite(point[0]) && std::isfinite(point[1]); }

  std::string line(const PlotCurve& curve) const {
    std::string path;
    double lastX = 0.0, lastY = 0.0;
    const std::array<double, 2>* skipped = nullptr;
    const auto go = [&](const std::array<double, 2>& point) {
      const double px = x(point[0]), py = y(point[1]);
      if (path.empty()) {
        path = fmt::format("M{:.1f} {:.1f}", px, py);
      } else if (curve.steps) {
        path += fmt::format("H{:.1f}V{:.1f}", px, py);
      } else {
        path += fmt::format("L{:.1f} {:.1f}", px, py);
      }
      lastX = px;
      lastY = py;
    };
    for (const auto& point : curve.points) {
      if (!isShown(point)) continue;
      const bool near = !path.empty() && std::hypot(x(point[0]) - lastX, y(point[1]) - lastY) < kNearest;
      skipped = near ? &point : nullptr;
      if (!near) go(point);
    }
    if (skipped != nullptr) go(*skipped);
    if (path.empty()) return {};
    return fmt::format("<path d=\"{}\" class=\"c\" {}/>\n", path, stroke(curve.style));
  }

  std::string ending(const PlotCurve& curve) const {
    const auto last = std::find_if(curve.points.rbegin(), curve.points.rend(), isShown);
    if (last == curve.points.rend() || curve.end == PlotEnd::None) return {};
    const double px = x((*last)[0]), py = y((*last)[1]);
    const char* colour = kColours[curve.style % kColours.size()];
    if (curve.end == PlotEnd::Dot)
      return fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\" fill=\"{}\" stroke=\"#fff\" stroke-width=\"1.2\"/>\n",
                         px, py, colour);
    return fmt::format(
        "<path d=\"M{:.1f} {:.1f}l7 7m0 -7l-7 7\" fill=\"none\" stroke=\"{}\" stroke-width=\"2.2\" "
        "stroke-linecap=\"round\"/>\n",
        px - 3.5, py - 3.5, colour);
  }

 public:
  static std::string stroke(int style) {
    const auto index = static_cast<std::size_t>(style);
    const std::string dashes = kDashes[index / kColours.size() % kDashes.size()];
    return fmt::format("stroke=\"{}\"{}", kColours[index % kColours.size()],
                       dashes.empty() ? "" : fmt::format(" stroke-dasharray=\"{}\"", dashes));
  }

 private:
  const PlotPanel& panel_;
  double left_, top_;
};

// Few items have their notes below, many beside: then they are a table.
class Legend {
 public:
  explicit Legend(const std::vector<PlotLegendItem>& items) : items_(items), isTable_(items.size() > 10) {
    std::size_t names = 0, notes = 0;
    for (const PlotLegendItem& item : items) {
      names = std::max(names, item.name.size());
      notes = std::max(notes, item.note.size());
    }
    const double name = kLetter * static_cast<double>(names), note = kNoteLetter * static_cast<double>(notes);
    noteLeft_ = isTable_ ? kLegendText + name + 12.0 : kLegendText;
    width_ = isTable_ ? noteLeft_ + note : kLegendText + std::max(name, note);
  }
  double width() const { return width_; }
  double height() const { return line() * static_cast<double>(items_.size()); }

  std::string draw(double left, double top) const {
    std::string out;
    double y = top + 8.0;
    for (std::size_t i = 0; i < items_.size(); ++i) {
      const PlotLegendItem& item = items_[i];
      if (!item.faded)
        out += fmt::format("<path d=\"M{:.1f} {:.1f}h24\" class=\"c\" {}/>\n", left, y - 4.0,
                           PanelDrawing::stroke(static_cast<int>(i)));
      out += text(left + kLegendText, y, item.faded ? "class=\"f\"" : "", escaped(item.name));
      if (!item.note.empty())
        out += text(left + noteLeft_, isTable_ ? y : y + 14.0, item.faded ? "class=\"n f\"" : "class=\"n\"",
                    escaped(item.note));
      y += line();
    }
    return out;
  }

 private:
  double line() const { return isTable_ ? 19.0 : 33.0; }
  const std::vector<PlotLegendItem>& items_;
  bool isTable_;
  double noteLeft_ = 0.0, width_ = 0.0;
};

}  // namespace

void widenToDecades(double& low, double& high) {
  low = std::pow(10.0, std::floor(std::log10(low) + 1e-9));
  high = std::max(std::pow(10.0, std::ceil(std::log10(high) - 1e-9)), 10.0 * low);
}

std::string plotSvg(const Plot& plot) {
  const Legend legend(plot.legend);
  const double panels = static_cast<double>(plot.panels.size());
  const double legendLeft = kCardMargin + kLeft + panels * kPanelWidth + (panels - 1.0) * kPanelGap + kLegendGap;
  const double width = legendLeft + legend.width() + kCardMargin;
  const double height = kTop + std::max(kPanelHeight + kBelow, legend.height()) + kCardMargin - 12.0;

  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} {1:.0f}\" "
      "font-family=\"system-ui, 'Segoe UI', 'Helvetica Neue', Arial, sans-serif\" font-size=\"12\" fill=\"#333\">\n"
      "<title>{2}</title>\n"
      "<style>.h{{font-size:13px;font-weight:600}}.l{{fill:#555}}.n{{fill:#777;font-size:11px}}.f{{fill:#aaa}}"
      ".g{{stroke:#ececec;fill:none}}.a{{stroke:#888;fill:none}}"
      ".b{{paint-order:stroke;stroke:#fff;stroke-width:3px}}.t{{stroke:#777;stroke-dasharray:4 4;fill:none}}"
      ".c{{fill:none;stroke-width:2;stroke-linejoin:round;stroke-linecap:round}}</style>\n"
      "<rect x=\"0.5\" y=\"0.5\" width=\"{3:.0f}\" height=\"{4:.0f}\" rx=\"10\" fill=\"#fff\" stroke=\"#ddd\"/>\n",
      width, height, escaped(plot.title), width - 1.0, height - 1.0);
  out += text(kCardMargin, 34.0, "font-size=\"17\" font-weight=\"600\" fill=\"#111\"", escaped(plot.title));
  out += text(kCardMargin, 53.0, "class=\"l\"", escaped(plot.subtitle));
  for (std::size_t i = 0; i < plot.panels.size(); ++i) {
    const double left = kCardMargin + kLeft + static_cast<double>(i) * (kPanelWidth + kPanelGap);
    out += PanelDrawing(plot.panels[i], left, kTop).draw();
  }
  out += legend.draw(legendLeft, kTop);
  return out + "</svg>\n";
}

}  // namespace cairn
