#include "app/compare_page.hpp"

#include <fmt/format.h>

#include "app/compare_columns.hpp"
#include "app/compare_plots.hpp"
#include "app/compare_report.hpp"
#include "app/compare_style.hpp"
#include "app/markup.hpp"
#include "app/quantity.hpp"

namespace cairn {
namespace {

constexpr const char* kSolverWhat =
    "The contact solver plugged into the stepper. A dash: the stepper sweeps its contacts itself.";
constexpr const char* kExitsWhat =
    "Why the solver stopped, and how often: once for each island of each step. A dash: no exchangeable solver.";

// What terminals cannot write: micro, and powers of ten.
std::string typeset(const std::string& plain) {
  std::string text = plain;
  if (const std::size_t at = text.find(" u"); at != std::string::npos) text.replace(at + 1, 1, "\u00b5");
  const std::size_t e = text.find_first_of('e');
  if (e == std::string::npos || e == 0 || e + 2 >= text.size() || (text[e + 1] != '-' && text[e + 1] != '+')) return text;
  const std::size_t end = std::min(text.find(' ', e), text.size());
  const int exponent = std::stoi(text.substr(e + 1, end - e - 1));
  return fmt::format("{}\u00b710<sup>{}{}</sup>{}", text.substr(0, e), exponent < 0 ? "\u2212" : "", std::abs(exponent),
                     text.substr(end));
}

std::string factsOf(const MethodComparison& comparison) {
  const SceneModel& scene = comparison.scene;
  const BodyCount bodies = countBodies(scene);
  std::string facts;
  const auto fact = [&](std::string_view name, const std::string& value) {
    facts += fmt::format("<div><dt>{}</dt><dd>{}</dd></div>\n", escaped(name), escaped(value));
  };
  fact("bodies", bodies.later == 0 ? std::to_string(bodies.all) : fmt::format("{} ({} later)", bodies.all, bodies.later));
  if (!scene.joints.empty()) fact("joints", std::to_string(scene.joints.size()));
  fact("simulated", fmt::format("{:g} s", scene.seconds));
  fact("step", fmt::format("{:.4g} ms", scene.dt * 1e3));
  fact("steps", std::to_string(stepCount(scene)));
  fact("gravity", fmt::format("{:.4g} m/s\u00b2", scene.settings.gravity.norm()));
  fact("threads", std::to_string(scene.settings.threads));
  fact("should stand", scene.stands ? "yes" : "no");
  for (const SceneParameter& one : scene.parameters)
    fact(one.name, fmt::format("{:g}{}{}", one.value, one.unit.empty() ? "" : " ", one.unit));
  return facts;
}

std::string headOf(const MethodComparison& comparison) {
  const SceneModel& scene = comparison.scene;
  std::string head = fmt::format("<header>\n<p class=\"over\">cairn compare \u00b7 <code>{}</code></p>\n<h1>{}</h1>\n",
                                 escaped(scene.name), escaped(scene.title.empty() ? scene.name : scene.title));
  if (!scene.description.empty()) head += fmt::format("<p class=\"lead\">{}</p>\n", escaped(scene.description));
  return head + "<dl class=\"facts\">\n" + factsOf(comparison) + "</dl>\n</header>\n";
}

// Whether a column is the first of its group, which has a line to its left.
bool isEdge(const std::vector<CompareColumn>& columns, std::size_t i) {
  return i == 0 || columns[i].group != columns[i - 1].group;
}

std::string tableHead(const std::vector<CompareColumn>& columns) {
  std::string groups = "<tr><th colspan=\"2\"></th>";
  std::string heads = "<tr><th class=\"name\" title=\"The time-stepping method.\">stepper</th>" +
                      fmt::format("<th class=\"name\" title=\"{}\">solver</th>", escaped(kSolverWhat));
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (isEdge(columns, i)) {
      std::size_t span = 1;
      while (i + span < columns.size() && !isEdge(columns, i + span)) ++span;
      if (i + span == columns.size()) ++span;  // the exits, which are no number
      groups += fmt::format("<th class=\"edge\" colspan=\"{}\">{}</th>", span, escaped(columns[i].group));
    }
    heads += fmt::format("<th{} title=\"{}\">{}</th>", isEdge(columns, i) ? " class=\"edge\"" : "", escaped(columns[i].what),
                         escaped(columns[i].head));
  }
  heads += fmt::format("<th class=\"words\" title=\"{}\">exits</th>", escaped(kExitsWhat));
  return "<thead>\n" + groups + "</tr>\n" + heads + "</tr>\n</thead>\n";
}

std::string hoverOf(const CompareColumn& column, const MethodRun& method) {
  if (column.group != "cost") return {};
  const auto& time = method.report->timeMs;
  return escaped(fmt::format("median {:.3g} ms, 95th percentile {:.3g} ms, most {:.3g} ms; with measuring {} in all",
                             time.median, time.p95, time.max, wallTime(method.wallSeconds)));
}

std::string rowOf(const MethodComparison& comparison, const std::vector<CompareColumn>& columns, const MethodRun& method) {
  std::string row = fmt::format("<tr><th class=\"name\" scope=\"row\">{}", escaped(method.stepper));
  if (!method.done())
    row += fmt::format("<span class=\"cut\" title=\"{}\">up to {:.4g} s</span>", escaped(method.message),
                       method.report->seconds);
  row += fmt::format("</th><td class=\"name\">{}</td>",
                     method.solver ? escaped(*method.solver) : "<span class=\"none\">\u2013</span>");
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const CompareColumn& column = columns[i];
    const std::optional<double> value = column.value(method);
    std::string classes = isEdge(columns, i) ? "edge" : "";
    if (isBest(column, comparison, method)) classes += " best";
    if (column.head == "lost" && value.value_or(0.0) > 0.0) classes += " lost";
    if (!value) classes += " none";
    const std::string hover = hoverOf(column, method);
    row += fmt::format("<td{}{}>{}</td>", classes.empty() ? "" : fmt::format(" class=\"{}\"", classes),
                       hover.empty() ? "" : fmt::format(" title=\"{}\"", hover),
                       value ? typeset(escaped(column.text(*value))) : "\u2013");
  }
  const std::string exits = exitsText(method);
  const std::string& failure = method.report->solves.message;
  row += fmt::format("<td class=\"words\"{}>{}</td></tr>\n",
                     failure.empty() ? "" : fmt::format(" title=\"first failure: {}\"", escaped(failure)),
                     exits.empty() ? "\u2013" : escaped(exits));
  return row;
}

std::string tableOf(const MethodComparison& comparison) {
  const std::vector<CompareColumn> columns = compareColumns(comparison);
  std::string table = "<div class=\"card\"><table>\n" + tableHead(columns) + "<tbody>\n";
  for (const MethodRun& method : comparison.methods)
    if (method.report) table += rowOf(comparison, columns, method);
  table += "</tbody>\n</table></div>\n";
  table +=
      "<p class=\"key\"><span class=\"best swatch\">best</span> of the methods that ran to the end. Rest the pointer on a "
      "heading to read what it means.</p>\n";
  if (!comparison.drivenBy.empty())
    table += fmt::format("<p class=\"key\">Driven: {}, so a rise of the energy need not be an error.</p>\n",
                         escaped(fmt::format("{}", fmt::join(comparison.drivenBy, " and "))));
  table += "<details><summary>What the columns mean</summary>\n<dl class=\"words-list\">\n";
  const auto explain = [&](const std::string& name, const std::string& what) {
    table += fmt::format("<dt>{}</dt><dd>{}</dd>\n", escaped(name), escaped(what));
  };
  for (const CompareColumn& column : columns)
    explain((column.group == "energy" || column.group == "residual" ? column.group + ", " : "") + column.head, column.what);
  explain("exits", kExitsWhat);
  return table + "</dl>\n</details>\n";
}

std::string shortfallsOf(const MethodComparison& comparison) {
  std::string items;
  for (const MethodRun& method : comparison.methods)
    if (!method.done())
      items +=
          fmt::format("<li><strong>{}</strong> {}</li>\n", escaped(method.stepper), escaped(shortfall(comparison, method)));
  if (items.empty()) return {};
  return "<section>\n<h2>Left out or cut short</h2>\n<ul class=\"shortfalls\">\n" + items + "</ul>\n</section>\n";
}

}  // namespace

std::string comparePage(const MethodComparison& comparison) {
  // Nothing on the page may load or run anything, whatever a scene's texts contain.
  std::string page =
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n";
  page += fmt::format("<title>{}: methods compared</title>\n<style>{}</style>\n</head>\n<body>\n<main>\n",
                      escaped(comparison.scene.name), kCompareStyle);
  page += headOf(comparison);
  page += "<section>\n<h2>Methods</h2>\n" + tableOf(comparison) + "</section>\n";
  page += shortfallsOf(comparison);
  page += "<section>\n<h2>Over time</h2>\n";
  page += "<figure class=\"plot\">" + motionPlot(comparison) + "</figure>\n";
  page += "<figure class=\"plot\">" + effortPlot(comparison) + "</figure>\n</section>\n";
  page += fmt::format(
      "<footer>cairn {}. Each method had {} of wall-clock time. Penetration, energy and residual are "
      "measured outside of the steps and are not part of their times.</footer>\n",
      CAIRN_VERSION, comparison.limitSeconds > 0.0 ? fmt::format("{:g} s", comparison.limitSeconds) : "any amount");
  return page + "</main>\n</body>\n</html>\n";
}

}  // namespace cairn
