#include "program.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <ostream>

#include "app/bad_input.hpp"
#include "app/command.hpp"
#include "app/interrupt.hpp"
#include "app/options.hpp"
#include "app/output_file.hpp"
#include "app/progress.hpp"
#include "app/terminal.hpp"
#include "growth.hpp"
#include "rows.hpp"
#include "scene/suggest.hpp"

namespace cairn::bench {
namespace {

constexpr double kDefaultLimit = 600.0;  // s
constexpr int kMostThreads = 64;
constexpr const char* kAbout =
    "Runs Cairn, Bullet, ODE and MuJoCo on the same bodies, takes the time of every step, and judges all of them by the "
    "same "
    "measure, from the poses of the bodies.";

struct Arguments {
  std::vector<std::string> scenes, engines, threads, set;
  std::string report, growth, machine, limit;
  bool quick = false, quiet = false;
};

void declare(CLI::App& app, Arguments& arguments) {
  const auto names = [&](const char* name, std::vector<std::string>& target, const char* type, const char* what) {
    app.add_option(name, target, what)->type_name(type)->take_all()->allow_extra_args(false);
  };
  names("--scenes", arguments.scenes, "NAMES",
        "separated by commas; gallery: all that Cairn carries (default: the nine of the benchmark)");
  names("--engines", arguments.engines, "NAMES", "separated by commas: cairn, bullet, ode, mujoco (default: all)");
  names("--threads", arguments.threads, "N", "numbers separated by commas (default: 1)");
  names("--set", arguments.set, "KEY=VALUE",
        "settings.* for Cairn alone, or a parameter of the scene for all; may be repeated");
  app.add_flag("--quick", arguments.quick, "fewer steps, under two minutes in all");
  app.add_option("--report", arguments.report, "write the results as JSON")->type_name("FILE");
  app.add_option("--growth", arguments.growth, "draw how Cairn's cost grows from 1,000 to 64,000 bodies, as SVG, instead")
      ->type_name("FILE");
  app.add_option("--machine", arguments.machine, "a name for this machine in the report")->type_name("NAME");
  app.add_option("--limit-s", arguments.limit, "most wall-clock time of one run of an engine; 0: none (default 600)")
      ->type_name("S");
  app.add_flag("--quiet", arguments.quiet, "print nothing but errors");
}

std::vector<std::string> separate(const std::vector<std::string>& texts) {
  std::vector<std::string> parts;
  for (const std::string& text : texts) {
    for (std::size_t at = 0; at <= text.size();) {
      const std::size_t comma = std::min(text.find(',', at), text.size());
      const std::string part = text.substr(at, comma - at);
      if (std::find(parts.begin(), parts.end(), part) == parts.end()) parts.push_back(part);
      at = comma + 1;
    }
  }
  return parts;
}

// A file is a scene too; a name must be one of the gallery.
std::vector<std::string> readScenes(const std::vector<std::string>& texts) {
  std::vector<std::string> scenes;
  const auto add = [&](std::string_view name) {
    if (std::find(scenes.begin(), scenes.end(), name) == scenes.end()) scenes.emplace_back(name);
  };
  std::vector<std::string_view> known = galleryNames();
  known.push_back("gallery");
  for (const std::string& name : separate(texts)) {
    if (name == "gallery") {
      for (const std::string_view one : galleryNames()) add(one);
      continue;
    }
    if (!looksLikeFile(name)) checkNameOption("--scenes", name, known);
    add(name);
  }
  if (texts.empty())
    for (const BenchEntry& entry : benchList()) add(entry.scene);
  return scenes;
}

BenchPlan readPlan(const Arguments& arguments) {
  BenchPlan plan;
  plan.quick = arguments.quick;
  plan.limitSeconds = kDefaultLimit;
  if (!arguments.limit.empty())
    plan.limitSeconds = readNumberOption("--limit-s", arguments.limit, {.low = 0, .high = 1e6, .unit = "s"});
  plan.engines = separate(arguments.engines);
  for (const std::string& name : plan.engines) checkNameOption("--engines", name, engineNames());
  if (plan.engines.empty())
    for (const std::string_view name : engineNames()) plan.engines.emplace_back(name);
  for (const std::string& text : separate(arguments.threads))
    plan.threads.push_back(readWholeOption("--threads", text, 1, kMostThreads));
  if (plan.threads.empty()) plan.threads = {1};
  return plan;
}

std::string explain(const CLI::App& app, const std::vector<std::string>& given, const CLI::ParseError& error) {
  std::vector<std::string> known;
  for (const CLI::Option* one : app.get_options())
    if (!one->get_lnames().empty()) known.push_back("--" + one->get_lnames().front());
  for (const std::string& word : given) {
    const std::string name = word.substr(0, word.find('='));
    if (name.compare(0, 2, "--") == 0 && std::find(known.begin(), known.end(), name) == known.end())
      checkNameOption("bench", name, {known.begin(), known.end()});
  }
  return fmt::format("{} (see cairn bench --help)", error.what());
}

int endOf(const InterruptGuard& interrupt, std::ostream& err) {
  const int signal = interrupt.signal();
  if (signal == 0) return kExitOk;
  err << "cairn bench: interrupted; the results are those of the scenes that were done\n";
  return signal == SIGTERM ? kExitTerminated : kExitInterrupted;
}

// A bar on a terminal; elsewhere a line for each scene, since a whole run takes long.
class Reporter {
 public:
  Reporter(std::ostream& err, bool on, int all) : err_(err), on_(on), bar_(err, on && isTerminal(err), all) {}
  void show(double done, const std::string& now) { bar_.show(done, now); }
  void finished(const std::string& scene, double seconds) {
    if (on_ && !isTerminal(err_)) err_ << fmt::format("cairn bench: {} done after {:.0f} s\n", scene, seconds) << std::flush;
  }

 private:
  std::ostream& err_;
  bool on_;
  CountProgress bar_;
};

int measureAll(const Arguments& arguments, const std::vector<Override>& overrides, std::ostream& out, std::ostream& err) {
  const BenchPlan plan = readPlan(arguments);
  const std::vector<std::string> scenes = readScenes(arguments.scenes);
  std::vector<SceneModel> models;
  for (const std::string& scene : scenes) models.push_back(openScene(scene, overrides));

  const InterruptGuard interrupt;  // before the file, so that Ctrl-C leaves nothing half written
  std::optional<WholeFile> file;
  if (!arguments.report.empty()) file.emplace("--report", arguments.report);
  BenchResults results;
  {
    Reporter reporter(err, !arguments.quiet, static_cast<int>(scenes.size()));
    const auto start = std::chrono::steady_clock::now();
    for (std::size_t i = 0; i < scenes.size() && interrupt.signal() == 0; ++i) {
      const auto progress = [&](double share, const std::string& now) {
        reporter.show(static_cast<double>(i) + share, now);
        return interrupt.signal() == 0;
      };
      if (!measureScene(benchEntry(scenes[i], models[i]), models[i], plan, progress, results)) break;
      reporter.finished(models[i].name, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    }
  }
  for (BenchRow& row : results.rows) {
    if (row.engine != "cairn") continue;
    for (const Override& one : overrides)
      if (isSettingKey(one.key)) row.settings += fmt::format(", {}={}", one.key, one.value);
  }
  const BenchHeader header{arguments.machine, processorName(), plan.quick};
  if (file) file->commit(benchJson(header, results));
  if (!arguments.quiet) {
    if (plan.quick)
      out << "quick: fewer steps, one run of each engine on the large scenes, overlaps looked at in every 10th step\n\n";
    out << benchTable(results, Paint(wantsColour(out)));
    if (const std::string text = waitingText(results.waiting) + roundTripText(results.roundTripsNs); !text.empty())
      out << "\n" << text;
  }
  return endOf(interrupt, err);
}

int drawGrowth(const Arguments& arguments, const std::vector<Override>& overrides, std::ostream& out, std::ostream& err) {
  for (const Override& one : overrides) {
    if (!isSettingKey(one.key))
      throw BadInput(fmt::format(
          "--set: found \"{}\"; allowed with --growth: settings.* only, such as settings.soft.substeps=8", one.key));
  }
  GrowthPlan plan;
  plan.sizes = growthSizes(arguments.quick);
  plan.settings = overrides;
  const std::vector<int> threads = readPlan(arguments).threads;
  if (threads.size() > 1) throw BadInput("--threads: found several numbers; allowed with --growth: one");
  plan.threads = threads[0];
  if (arguments.growth == arguments.report)
    throw BadInput(fmt::format("--growth and --report: both are {}; allowed: two files", arguments.growth));

  const InterruptGuard interrupt;
  WholeFile picture("--growth", arguments.growth);
  std::optional<WholeFile> report;
  if (!arguments.report.empty()) report.emplace("--report", arguments.report);
  std::vector<GrowthPoint> points;
  Waiting waiting;
  {
    CountProgress bar(err, !arguments.quiet && isTerminal(err), 100);
    points = measureGrowth(plan, waiting, [&](double share, const std::string& now) {
      bar.show(100.0 * share, now);
      return interrupt.signal() == 0;
    });
  }
  if (!points.empty()) picture.commit(growthSvg(points));
  if (report) report->commit(growthJson(arguments.machine, plan.threads, points));
  if (!arguments.quiet) out << growthTable(points) << waitingText(waiting);
  return endOf(interrupt, err);
}

int parseAndRun(const std::vector<std::string>& given, std::ostream& out, std::ostream& err) {
  CLI::App app(kAbout, "cairn bench");
  Arguments arguments;
  declare(app, arguments);
  try {
    std::vector<std::string> reversed(given.rbegin(), given.rend());  // what this overload wants
    app.parse(reversed);
  } catch (const CLI::Success& success) {  // help
    app.exit(success, out, err);
    return kExitOk;
  } catch (const CLI::ParseError& error) {
    throw BadInput(explain(app, given, error));
  }
  std::vector<Override> overrides;
  for (const std::string& text : arguments.set) overrides.push_back(readSetOption(text));
  return arguments.growth.empty() ? measureAll(arguments, overrides, out, err) : drawGrowth(arguments, overrides, out, err);
}

}  // namespace

int runBench(std::vector<std::string> arguments, std::ostream& out, std::ostream& err) {
  int code = kExitInternal;
  try {
    code = parseAndRun(arguments, out, err);
    out.flush();
    if (!out) {
      err << "cairn bench: the output could not be written\n";
      code = kExitInternal;
    }
  } catch (const SceneError& error) {
    err << "cairn bench: " << error.what() << "\n";
    code = kExitBadInput;
  } catch (const BadInput& error) {
    err << "cairn bench: " << error.what() << "\n";
    code = kExitBadInput;
  } catch (const std::bad_alloc&) {
    err << "cairn bench: this machine has too little memory for the scene\n";
  } catch (const std::exception& error) {
    err << "cairn bench: " << error.what() << "\n";
  }
  err.flush();
  return code;
}

}  // namespace cairn::bench
