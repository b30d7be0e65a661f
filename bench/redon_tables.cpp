// Tables 1 and 2 of Redon, Kheddar and Coquillart: how much longer Dantzig's algorithm takes in contact space than
// Wilhelmsen's in motion space, on the same random problems. docs/papers/redon.md tells what comes out.
//
//   bench_redon [--instances 50] [--repeats 3] [--json FILE] [--svg FILE]
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>

#include "redon_paper.hpp"
#include "redon_plot.hpp"
#include "solvers/nnls.hpp"
#include "solvers/redon_problems.hpp"

namespace cairn::bench {
namespace {

constexpr double kTolerance = 1e-5;  // the paper's
constexpr double kSolved = 1e-3;     // |x - x*|/|s|: beyond, a method has failed, whatever time it took
const std::vector<int> kObjects{2, 7, 12, 17, 22};
const std::vector<int> kContacts{5, 15, 25, 35, 45};
// Redon, Tables 1 and 2. Rows: contacts per object; columns: objects.
const Table kPaperDense{{0.60, 0.50, 0.51, 0.54, 0.52},
                        {0.85, 1.08, 1.23, 1.47, 1.63},
                        {0.85, 0.90, 1.07, 1.21, 1.05},
                        {0.94, 0.93, 1.31, 1.15, 1.01},
                        {1.01, 1.08, 1.50, 1.08, 1.03}};
const Table kPaperSparse{{0.51, 0.62, 0.80, 0.91, 0.93},
                         {0.71, 1.19, 1.52, 1.95, 2.19},
                         {0.70, 1.04, 1.60, 1.98, 1.90},
                         {0.76, 1.11, 2.08, 2.20, 2.05},
                         {0.78, 1.34, 2.44, 2.43, 2.20}};

// CPU time, so that other work on the machine does not count.
double milliseconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return 1e3 * static_cast<double>(now.tv_sec) + 1e-6 * static_cast<double>(now.tv_nsec);
}

struct Method {
  const char* name;
  std::vector<double> times{};   // ms, by instance
  std::vector<double> errors{};  // |x - x*|/|s|, by instance
  int steps = 0;                 // linear systems, or iterations of a solver, all instances together

  bool solved(std::size_t instance) const { return errors[instance] <= kSolved; }
  double worst() const { return errors.empty() ? 0.0 : *std::max_element(errors.begin(), errors.end()); }
  int failures() const {
    return static_cast<int>(std::count_if(errors.begin(), errors.end(), [](double error) { return !(error <= kSolved); }));
  }

  double sum() const {
    double total = 0.0;
    for (const double time : times) total += time;
    return total;
  }
  double median() const {
    std::vector<double> sorted = times;
    std::sort(sorted.begin(), sorted.end());
    return sorted.empty() ? 0.0 : sorted[sorted.size() / 2];
  }
};

// The problem as the library's solvers take it: masses and inertias 1, free velocity 0, contacts that demand J k.
std::unique_ptr<ContactProblem> asContactProblem(const testing::RedonProblem& problem, int objects) {
  ProblemData data;
  data.inverseMass =
      std::make_shared<FreeBodies>(std::vector<FreeBodies::Item>(objects, FreeBodies::Item{1.0, Mat3::Identity()}));
  data.bias = -(problem.a * problem.s);
  for (int i = 0; i < problem.a.rows(); ++i) {
    data.blocks.push_back({.law = Law::Interval, .first = i, .size = 1});
    BlockJacobian jacobian;
    for (SparseMatrix::InnerIterator entry(problem.a, i); entry; ++entry) {
      const int body = static_cast<int>(entry.col()) / 6;
      if (jacobian.b < 0) jacobian.b = body;
      if (body != jacobian.b) jacobian.a = body;
      BlockJacobian::Part& part = body == jacobian.b ? jacobian.partB : jacobian.partA;
      if (part.rows() == 0) part = BlockJacobian::Part::Zero(1, 6);
      part(0, entry.col() % 6) = entry.value();
    }
    data.jacobians.push_back(jacobian);
  }
  return std::make_unique<ContactProblem>(std::move(data));
}

PaperRun nearest(const SparseMatrix& jacobian, const Vector& s) {
  NearestPointOptions options;
  options.tolerance = kTolerance / s.norm();  // there relative to |s|
  NearestPointResult found = nearestPoint(jacobian, s, options);
  return {std::move(found.lambda), found.systems};
}

bool hasDantzig() {
  const std::vector<std::string_view> names = solverNames();
  return std::find(names.begin(), names.end(), "dantzig") != names.end();
}

PaperRun solveWith(const char* spec, const ContactProblem& problem) {
  SolveLimits limits;
  limits.tolerance = kTolerance;
  PaperRun run;
  run.systems = makeSolver(spec)->solve(problem, limits, run.lambda).iterations;
  return run;
}

enum Index {
  DantzigDense,
  DantzigSparse,
  DantzigByEntry,
  WilhelmsenDense,
  WilhelmsenSparse,
  UpdatedDantzigDense,
  UpdatedDantzigSparse,
  UpdatedWilhelmsenDense,
  UpdatedWilhelmsenSparse,
  AssembleW,
  NearestPointSparse,
  LibraryDantzig,
  LibraryNnls,
  MethodCount
};

struct Case {
  int objects = 0, contacts = 0;
  std::array<Method, MethodCount> methods{{{"dantzig_dense"},
                                           {"dantzig_sparse"},
                                           {"dantzig_by_entry"},
                                           {"wilhelmsen_dense"},
                                           {"wilhelmsen_sparse"},
                                           {"updated_dantzig_dense"},
                                           {"updated_dantzig_sparse"},
                                           {"updated_wilhelmsen_dense"},
                                           {"updated_wilhelmsen_sparse"},
                                           {"assemble_w_sparse"},
                                           {"nearest_point_sparse"},
                                           {"library_dantzig"},
                                           {"library_nnls"}}};
  // Redon eq. 13, over the instances that both solved. `more` is counted with a.
  double ratio(Index a, Index b, Index more) const {
    double sumA = 0.0, sumB = 0.0;
    for (std::size_t i = 0; i < methods[a].times.size(); ++i) {
      if (!methods[a].solved(i) || !methods[b].solved(i)) continue;
      sumA += methods[a].times[i] + (more == MethodCount ? 0.0 : methods[more].times[i]);
      sumB += methods[b].times[i];
    }
    return sumB > 0.0 ? sumA / sumB : std::numeric_limits<double>::quiet_NaN();
  }
};

Case runCase(int objects, int contacts, int instances, int repeats) {
  Case result;
  result.objects = objects;
  result.contacts = contacts;
  for (int i = 0; i < instances; ++i) {
    const testing::RedonProblem problem = testing::makeRedonProblem(objects, contacts, i);
    const RowMatrix denseJacobian(problem.a);
    const SparseMatrix w = problem.a * SparseMatrix(problem.a.transpose());
    const Matrix denseW(w);
    const Vector b = -(problem.a * problem.s);
    const NearestPointResult solution = nearestPoint(problem.a, problem.s);
    const Vector& exact = solution.projection;
    const Vector& lambda = solution.lambda;
    const auto measure = [&](Index index, const auto& prepare, const auto& solve) {
      Method& method = result.methods[index];
      double best = std::numeric_limits<double>::infinity();
      for (int repeat = 0; repeat < repeats; ++repeat) {
        const auto prepared = prepare();
        const double start = milliseconds();
        const PaperRun run = solve(prepared);
        best = std::min(best, milliseconds() - start);
        if (repeat > 0) continue;
        method.steps += run.systems;
        method.errors.push_back((problem.a.transpose() * run.lambda - exact).norm() / problem.s.norm());
        if (!method.solved(method.errors.size() - 1)) break;
      }
      method.times.push_back(best);
    };
    const auto nothing = [] { return 0; };
    measure(DantzigDense, nothing, [&](int) { return dantzigOfPaper(denseW, b, kTolerance); });
    measure(DantzigSparse, nothing, [&](int) { return dantzigOfPaper(w, b, kTolerance); });
    const EntryAccess byEntry(w);
    measure(DantzigByEntry, nothing, [&](int) { return dantzigOfPaper(byEntry, b, kTolerance); });
    measure(WilhelmsenDense, nothing, [&](int) { return wilhelmsenOfPaper(denseJacobian, problem.s, kTolerance); });
    measure(WilhelmsenSparse, nothing, [&](int) { return wilhelmsenOfPaper(problem.a, problem.s, kTolerance); });
    measure(UpdatedDantzigDense, nothing, [&](int) { return updatedDantzig(denseW, b, kTolerance); });
    measure(UpdatedDantzigSparse, nothing, [&](int) { return updatedDantzig(w, b, kTolerance); });
    measure(UpdatedWilhelmsenDense, nothing, [&](int) { return updatedWilhelmsen(denseJacobian, problem.s, kTolerance); });
    measure(UpdatedWilhelmsenSparse, nothing, [&](int) { return updatedWilhelmsen(problem.a, problem.s, kTolerance); });
    measure(AssembleW, nothing, [&](int) {
      const SparseMatrix assembled = problem.a * SparseMatrix(problem.a.transpose());
      return PaperRun{lambda, static_cast<int>(assembled.nonZeros())};
    });
    measure(NearestPointSparse, nothing, [&](int) { return nearest(problem.a, problem.s); });
    if (!hasDantzig()) continue;
    // A problem keeps W once it was asked for: each run gets a new one, and pays for what it asks for.
    const auto fresh = [&] { return asContactProblem(problem, objects); };
    measure(LibraryDantzig, fresh, [&](const auto& contact) { return solveWith("dantzig", *contact); });
    measure(LibraryNnls, fresh, [&](const auto& contact) { return solveWith("nnls", *contact); });
  }
  return result;
}

Table tableOf(const std::vector<Case>& cases, Index a, Index b, Index more = MethodCount) {
  Table table(kContacts.size());
  for (std::size_t i = 0; i < cases.size(); ++i) table[i % kContacts.size()].push_back(cases[i].ratio(a, b, more));
  return table;
}

void print(const char* title, const Table& measured, const Table* paper) {
  std::printf("\n%s\n       ", title);
  for (const int n : kObjects) std::printf(paper != nullptr ? "n=%-12d" : "n=%-6d", n);
  std::printf("\n");
  for (std::size_t p = 0; p < kContacts.size(); ++p) {
    std::printf("p=%-3d", kContacts[p]);
    for (std::size_t n = 0; n < kObjects.size(); ++n) {
      std::printf("%7.2f", measured[p][n]);
      if (paper != nullptr) std::printf(" (%.2f)", (*paper)[p][n]);
    }
    std::printf("\n");
  }
}

std::string jsonOf(const std::vector<Case>& cases) {
  std::string json = "{\"unit\": \"ms\", \"tolerance\": 1e-5, \"cases\": [\n";
  for (std::size_t i = 0; i < cases.size(); ++i) {
    json += "  {\"n\": " + std::to_string(cases[i].objects) + ", \"p\": " + std::to_string(cases[i].contacts);
    for (const Method& method : cases[i].methods) {
      if (method.times.empty()) continue;
      std::array<char, 200> text{};
      std::snprintf(text.data(), text.size(),
                    ",\n   \"%s\": {\"sum\": %.6g, \"median\": %.6g, \"steps\": %d, \"error\": %.2g, \"failures\": %d}",
                    method.name, method.sum(), method.median(), method.steps, method.worst(), method.failures());
      json += text.data();
    }
    json += i + 1 < cases.size() ? "},\n" : "}\n";
  }
  return json + "]}\n";
}

int run(int instances, int repeats, const std::string& jsonFile, const std::string& svgFile) {
  std::vector<Case> cases;
  for (const int n : kObjects) {
    for (const int p : kContacts) {
      cases.push_back(runCase(n, p, instances, repeats));
    }
    std::fprintf(stderr, "n = %d done\n", n);
  }
  const Table dense = tableOf(cases, DantzigDense, WilhelmsenDense);
  const Table sparse = tableOf(cases, DantzigSparse, WilhelmsenSparse);
  const Table byEntry = tableOf(cases, DantzigByEntry, WilhelmsenSparse);
  const Table library = tableOf(cases, LibraryDantzig, LibraryNnls);
  const Table updatedDense = tableOf(cases, UpdatedDantzigDense, UpdatedWilhelmsenDense);
  const Table updatedSparse = tableOf(cases, UpdatedDantzigSparse, UpdatedWilhelmsenSparse);
  const Table assembled = tableOf(cases, UpdatedDantzigSparse, UpdatedWilhelmsenSparse, AssembleW);
  std::printf("Time of Dantzig's algorithm over Wilhelmsen's (Redon eq. 13), %d instances; in brackets: the paper\n",
              instances);
  print("Table 1, dense", dense, &kPaperDense);
  print("Table 2, sparse, W asked for entry by entry", byEntry, &kPaperSparse);
  print("Table 2, sparse, only what is in W", sparse, &kPaperSparse);
  print("Dense, factors updated", updatedDense, nullptr);
  print("Sparse, factors updated", updatedSparse, nullptr);
  print("Sparse, factors updated, assembling W counted", assembled, nullptr);
  if (hasDantzig()) print("Solvers of the library, dantzig over nnls; dantzig assembles W", library, nullptr);
  std::printf("\nInstances of %d that a method failed on, and how far it ended from the solution otherwise (of |s|)\n",
              static_cast<int>(cases.size()) * instances);
  for (int index = 0; index < MethodCount; ++index) {
    if (cases[0].methods[index].times.empty()) continue;
    int failures = 0;
    double worst = 0.0;
    for (const Case& one : cases) {
      failures += one.methods[index].failures();
      for (const double error : one.methods[index].errors) worst = error <= kSolved ? std::max(worst, error) : worst;
    }
    std::printf("  %-24s %5d   %.1e\n", cases[0].methods[index].name, failures, worst);
  }
  if (!jsonFile.empty()) std::ofstream(jsonFile) << jsonOf(cases);
  if (!svgFile.empty())
    std::ofstream(svgFile) << plotRatios(kObjects, kContacts,
                                         {{"Dense (Table 1)", dense, kPaperDense},
                                          {"Sparse (Table 2)", byEntry, kPaperSparse},
                                          {"Sparse, factors updated", updatedSparse},
                                          {"The same and assembling W", assembled}});
  return 0;
}

}  // namespace
}  // namespace cairn::bench

int main(int count, char** words) {
  int instances = 50, repeats = 3;
  std::string json, svg;
  for (int i = 1; i < count; i += 2) {
    const std::string key = words[i], value = i + 1 < count ? words[i + 1] : "";
    if (key == "--instances") {
      instances = std::atoi(value.c_str());
    } else if (key == "--repeats") {
      repeats = std::atoi(value.c_str());
    } else if (key == "--json") {
      json = value;
    } else if (key == "--svg") {
      svg = value;
    } else {
      instances = 0;
    }
  }
  if (instances < 1 || repeats < 1) {
    std::fprintf(stderr, "bench_redon [--instances 50] [--repeats 3] [--json FILE] [--svg FILE]\n");
    return 2;
  }
  return cairn::bench::run(instances, repeats, json, svg);
}
