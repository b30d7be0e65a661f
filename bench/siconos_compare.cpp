// Our solvers beside Siconos, on real contact problems: how long each takes to reach a residual that one and the same judge
// measures.
//
//   bench_siconos FOLDER [--json FILE] [--repetitions N] [--limit SECONDS] [--only PART_OF_NAME] [--solvers a,b,...]
//
// Reached means natmap_rel <= tolerance by our judge(), for both (ours must satisfy the judge's speed residual as well).
// Siconos stops by its own measure: it is asked for ever smaller tolerances until the judge agrees, and only the last,
// successful run counts. It may use the faster of a dense and a block-sparse W. Times are the best of N runs from impulses
// of zero, with W given, for both.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "problem/text_file.hpp"
#include "siconos_solver.hpp"

namespace {

using namespace cairn;

struct Options {
  std::string folder, json, only;
  std::set<std::string> solvers;
  int repetitions = 5;
  double limit = 10.0;  // s, for one run
};

struct Time {
  std::string who;
  double ms = 0.0;
  int iterations = 0;
  double residual = 0.0;  // natmap_rel
  bool reached = false;
};

Time runOurs(const ContactProblem& problem, std::string_view name, double tolerance, const Options& options) {
  Time time{std::string(name), std::numeric_limits<double>::infinity()};
  const auto solver = makeSolver(name);
  for (int i = 0; i < options.repetitions; ++i) {
    Vector impulse;
    const SolveReport report = solver->solve(
        problem, {.tolerance = tolerance, .iterations = 1000000, .milliseconds = 1e3 * options.limit}, impulse);
    time.ms = std::min(time.ms, report.ms);
    time.iterations = report.iterations;
    time.residual = report.residual.naturalMapRelative;
    time.reached = report.exit == Exit::Converged;
    if (report.ms > 1e3 || !time.reached) break;
  }
  return time;
}

Time runSiconos(const ContactProblem& problem, siconos::Method method, siconos::Storage storage, const std::string& name,
                double tolerance, const Options& options) {
  Time best{name, std::numeric_limits<double>::infinity()};
  siconos::Problem theirs(problem, storage);
  // Its runs cannot be stopped: a short one tells how many iterations fit into the limit.
  constexpr int kPilot = 500;
  const siconos::Result pilot = theirs.solve(method, 1e-16, kPilot);
  const double each = pilot.ms / std::max(pilot.iterations, 1);
  const int most = static_cast<int>(std::clamp(1e3 * options.limit / std::max(each, 1e-6), 1.0, 2e6));
  for (double asked = tolerance; asked > 1e-16; asked *= 0.1) {
    siconos::Result result = theirs.solve(method, asked, most);
    best.residual = judge(problem, result.impulse).naturalMapRelative;
    best.reached = best.residual <= tolerance && result.impulse.allFinite();
    best.ms = result.ms;
    best.iterations = result.iterations;
    if (!best.reached && result.iterations >= most) break;
    if (!best.reached) continue;
    for (int i = 1; i < options.repetitions && result.ms < 1e3; ++i) {
      result = theirs.solve(method, asked, most);
      best.ms = std::min(best.ms, result.ms);
    }
    break;
  }
  return best;
}

const Time* fastest(const std::vector<Time>& times) {
  const Time* best = nullptr;
  for (const Time& time : times)
    if (time.reached && (best == nullptr || time.ms < best->ms)) best = &time;
  return best;
}

void print(const Time& time) {
  std::printf("    %-24s %10.3f ms %7d iterations  natmap %.1e%s\n", time.who.c_str(), time.ms, time.iterations,
              time.residual, time.reached ? "" : "  (not reached)");
}

void write(std::ofstream& out, const char* key, const std::vector<Time>& times) {
  out << "\"" << key << "\": [";
  for (std::size_t i = 0; i < times.size(); ++i) {
    char text[256];
    std::snprintf(text, sizeof text,
                  "%s{\"solver\": \"%s\", \"ms\": %.6g, \"iterations\": %d, \"natmap_rel\": %.3e, \"reached\": %s}",
                  i > 0 ? ", " : "", times[i].who.c_str(), times[i].ms, times[i].iterations, times[i].residual,
                  times[i].reached ? "true" : "false");
    out << text;
  }
  out << "]";
}

// Of one of our solvers against Siconos' fastest, over all problems that Siconos reached.
struct Summary {
  double logSum = 0.0, worst = 0.0;
  int count = 0, missed = 0, beyond = 0;
  std::string worstProblem;
  void add(const std::string& problem, const Time& ours, const Time* theirs) {
    if (!ours.reached) {
      ++missed;
      return;
    }
    if (theirs == nullptr) {
      ++beyond;
      return;
    }
    const double ratio = ours.ms / theirs->ms;
    logSum += std::log(ratio);
    ++count;
    if (ratio > worst) {
      worst = ratio;
      worstProblem = problem;
    }
  }
  double mean() const { return count > 0 ? std::exp(logSum / count) : 0.0; }
};

int run(const Options& options) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(options.folder))
    if (entry.path().extension() == ".fcp" && entry.path().string().find(options.only) != std::string::npos)
      files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::ofstream json;
  if (!options.json.empty()) json.open(options.json);
  json << "{\n \"measure\": \"best of " << options.repetitions
       << " runs, ms; ratio = ours / fastest of Siconos that reached it\",\n"
       << " \"runs\": [";
  std::map<std::pair<double, std::string>, Summary> summaries;
  bool first = true;
  for (const auto& file : files) {
    const auto problem = readProblemText(file.string());
    problem->delassus();
    const bool planar = !problem->blocks().empty() && problem->blocks().front().size == 2;
    for (const double tolerance : {1e-4, 1e-8}) {
      std::printf("%s, %zu contacts, to %.0e\n", file.stem().c_str(), problem->blocks().size(), tolerance);
      std::vector<Time> ours, theirs;
      for (const std::string_view name : solverNames()) {
        if (!options.solvers.empty() && !options.solvers.contains(std::string(name))) continue;
        if (!makeSolver(name)->refusal(*problem).empty()) continue;
        ours.push_back(runOurs(*problem, name, tolerance, options));
        print(ours.back());
      }
      using siconos::Method, siconos::Storage;
      theirs.push_back(runSiconos(*problem, Method::Nsgs, Storage::Dense, "siconos nsgs dense", tolerance, options));
      if (planar) {
        theirs.push_back(runSiconos(*problem, Method::Lemke, Storage::Dense, "siconos lemke", tolerance, options));
      } else {
        theirs.push_back(runSiconos(*problem, Method::Nsgs, Storage::Blocks, "siconos nsgs blocks", tolerance, options));
        theirs.push_back(
            runSiconos(*problem, Method::NewtonAlartCurnier, Storage::Dense, "siconos nsn_ac dense", tolerance, options));
        theirs.push_back(
            runSiconos(*problem, Method::NewtonAlartCurnier, Storage::Blocks, "siconos nsn_ac blocks", tolerance, options));
      }
      for (const Time& time : theirs) print(time);
      std::fflush(stdout);
      const Time* reference = fastest(theirs);
      for (const Time& time : ours) summaries[{tolerance, time.who}].add(file.stem().string(), time, reference);
      json << (first ? "\n  " : ",\n  ") << "{\"problem\": \"" << file.stem().string()
           << "\", \"contacts\": " << problem->blocks().size() << ", \"tolerance\": " << tolerance << ", ";
      first = false;
      write(json, "ours", ours);
      json << ", ";
      write(json, "siconos", theirs);
      json << "}";
    }
  }
  json << "\n ],\n \"summary\": [";
  first = true;
  std::printf("\n%-9s %-16s %14s %8s %s\n", "tolerance", "solver", "geometric mean", "worst",
              "of time/time of the fastest Siconos method");
  for (const auto& [key, summary] : summaries) {
    std::printf("%-9.0e %-16s %14.3f %8.2f (%s)  not reached: %d, reached by us alone: %d\n", key.first, key.second.c_str(),
                summary.mean(), summary.worst, summary.worstProblem.c_str(), summary.missed, summary.beyond);
    json << (first ? "\n  " : ",\n  ") << "{\"tolerance\": " << key.first << ", \"solver\": \"" << key.second
         << "\", \"geometric_mean\": " << summary.mean() << ", \"worst\": " << summary.worst << ", \"worst_problem\": \""
         << summary.worstProblem << "\", \"compared\": " << summary.count << ", \"not_reached\": " << summary.missed
         << ", \"only_ours\": " << summary.beyond << "}";
    first = false;
  }
  json << "\n ]\n}\n";
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string key = argv[i];
    const bool named = key.starts_with("--");
    if (named && i + 1 >= argc) break;
    const std::string value = named ? argv[++i] : key;
    if (!named) {
      options.folder = value;
    } else if (key == "--json") {
      options.json = value;
    } else if (key == "--only") {
      options.only = value;
    } else if (key == "--repetitions") {
      options.repetitions = std::max(1, std::atoi(value.c_str()));
    } else if (key == "--limit") {
      options.limit = std::atof(value.c_str());
    } else if (key == "--solvers") {
      std::istringstream list(value);
      for (std::string name; std::getline(list, name, ',');) options.solvers.insert(name);
    } else {
      std::fprintf(stderr, "bench_siconos: there is no option %s\n", key.c_str());
      return 2;
    }
  }
  if (options.folder.empty() || !std::filesystem::is_directory(options.folder)) {
    std::fprintf(stderr,
                 "usage: bench_siconos FOLDER [--json FILE] [--repetitions N] [--limit SECONDS] [--only PART_OF_NAME] "
                 "[--solvers a,b]\n");
    return 2;
  }
  try {
    return run(options);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}
