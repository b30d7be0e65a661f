// cairn solve as people use it, and the parts it is made of.
#include <filesystem>
#include <fstream>
#include <sstream>

#include "app/bad_input.hpp"
#include "app/plot.hpp"
#include "app/running.hpp"
#include "app/solve_plots.hpp"
#include "app/solver_specs.hpp"
#include "hdf5/problem_file.hpp"
#include "problem/text_file.hpp"
#include "solvers/random_problems.hpp"

namespace cairn {
namespace {

namespace fs = std::filesystem;

class Solve : public InAFolder {
 protected:
  // Some bodies in a heap, as a file.
  std::string heap(const std::string& name, unsigned seed) const {
    return write(name, writeProblemText(*testing::makeRandomProblem({.bodies = 6, .contacts = 12, .friction = 0.5}, seed)));
  }
};

// 2 kg on a floor, arriving at 1 m/s and sliding at 0.25 m/s: it stops, since 0.5 x 2 N s are more than 0.5 N s.
constexpr const char* kBlock = "FCP1 3 1 1\n0 0 0.5 0 0 0 0.5 0 0 0 0.5\n-1 0.25 0\n0.5\n";

TEST_F(Solve, ProblemsAreSolvedAndReported) {
  const Outcome outcome = run(
      {"solve", heap("first.fcp", 1), heap("second.fcp", 2), "--solver", "bgs,alart_curnier", "--report", path("out.json")});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(outcome.err.empty()) << outcome.err;
  EXPECT_TRUE(has(outcome.out, "natmap_rel") && has(outcome.out, "second") && has(outcome.out, "converged")) << outcome.out;
  EXPECT_TRUE(has(outcome.out, "2 of 2 problems solved")) << outcome.out;
  EXPECT_FALSE(has(outcome.out, "\x1b")) << "colours without a terminal";
  const rapidjson::Document report = json("out.json");
  EXPECT_EQ(report["tolerance"].GetDouble(), 1e-8);
  ASSERT_EQ(report["rows"].Size(), 4u);
  const std::vector<std::string> fields{"problem",  "solver",     "exit", "iterations",
                                        "residual", "natmap_rel", "ms",   "message"};
  for (const auto& row : report["rows"].GetArray()) {
    ASSERT_EQ(row.MemberCount(), fields.size());
    for (const std::string& field : fields) EXPECT_TRUE(row.HasMember(field.c_str())) << field;
    EXPECT_STREQ(row["exit"].GetString(), "converged");
    EXPECT_LE(row["residual"].GetDouble(), 1e-8);
    EXPECT_LE(row["natmap_rel"].GetDouble(), 1e-8);
    EXPECT_GT(row["ms"].GetDouble(), 0.0);
  }
  EXPECT_STREQ(report["rows"][0]["problem"].GetString(), "first");  // in the order of the files
  EXPECT_STREQ(report["rows"][0]["solver"].GetString(), "bgs");
  EXPECT_STREQ(report["rows"][1]["solver"].GetString(), "alart_curnier");
  ASSERT_TRUE(report["reached"].HasMember("second"));
  EXPECT_EQ(report["reached"]["second"].Size(), 2u);
}

TEST_F(Solve, WithoutASolverItIsAuto) {
  const std::string file = write("block.fcp", kBlock);
  ASSERT_EQ(run({"solve", file, "--quiet", "--report", path("out.json")}).code, 0);
  const rapidjson::Document report = json("out.json");
  ASSERT_EQ(report["rows"].Size(), 1u);
  EXPECT_STREQ(report["rows"][0]["solver"].GetString(), "auto");
  EXPECT_STREQ(report["rows"][0]["exit"].GetString(), "converged");
}

TEST_F(Solve, WhatASolverDoesNotTakeIsSaidOnceAndIsARowOfTheReport) {
  const Outcome outcome = run({"solve", write("a.fcp", kBlock), write("b.fcp", kBlock), write("c.fcp", kBlock),
                               write("d.fcp", kBlock), "--solver", "lemke,bgs", "--report", path("out.json")});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(countOf(outcome.out, "not taken by lemke: does not take the law \"cone\""), 1) << outcome.out;
  EXPECT_TRUE(has(outcome.out, "(all problems)")) << outcome.out;
  EXPECT_FALSE(has(outcome.out, "unsupported")) << outcome.out;
  const rapidjson::Document report = json("out.json");
  ASSERT_EQ(report["rows"].Size(), 8u);
  const auto& row = report["rows"][0];
  EXPECT_STREQ(row["exit"].GetString(), "unsupported");
  EXPECT_TRUE(has(row["message"].GetString(), "lemke does not take the law"));
  EXPECT_TRUE(row["residual"].IsNull() && row["natmap_rel"].IsNull());
  EXPECT_EQ(report["reached"]["a"].Size(), 1u);
}

TEST_F(Solve, EverySolverThereIs) {
  const Outcome outcome =
      run({"solve", write("block.fcp", kBlock), "--solver", "all", "--report", path("out.json"), "--quiet"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(outcome.out.empty()) << outcome.out;
  EXPECT_EQ(json("out.json")["rows"].Size(), solverNames().size());
}

TEST_F(Solve, FailingToSolveIsNoBadInput) {
  const Outcome outcome = run({"solve", heap("heap.fcp", 3), "--solver", "pgs:order=reverse,bgs", "--iterations", "1",
                               "--tolerance", "1e-10", "--report", path("out.json")});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(has(outcome.out, "iteration_limit") && has(outcome.out, "0 of 1 problem solved")) << outcome.out;
  const rapidjson::Document report = json("out.json");
  EXPECT_EQ(report["tolerance"].GetDouble(), 1e-10);
  const auto& row = report["rows"][1];
  EXPECT_STREQ(row["exit"].GetString(), "iteration_limit");
  EXPECT_EQ(row["iterations"].GetInt(), 1);
  EXPECT_EQ(report["reached"]["heap"].Size(), 0u);
  // A time that is over at once.
  const Outcome timed =
      run({"solve", heap("heap.fcp", 3), "--solver", "bgs", "--limit-ms", "0.001", "--tolerance", "1e-15"});
  EXPECT_EQ(timed.code, 0);
  EXPECT_TRUE(has(timed.out, "time_limit")) << timed.out;
}

TEST_F(Solve, ProblemsAreNamedAfterTheirFiles) {
  const auto block = readProblems(write("one/block.fcp", kBlock));
  write("two/block.fcp", kBlock);
  writeProblemHdf5(path("many.h5"), std::vector<SavedProblem>{block[0], block[0]});
  const auto names = [&](const std::vector<std::string>& files) {
    std::vector<std::string> arguments{"solve", "--solver", "bgs", "--quiet", "--report", path("out.json")};
    arguments.insert(arguments.end(), files.begin(), files.end());
    EXPECT_EQ(run(arguments).code, 0);
    std::vector<std::string> found;
    const rapidjson::Document report = json("out.json");
    for (const auto& row : report["rows"].GetArray()) found.emplace_back(row["problem"].GetString());
    EXPECT_EQ(report["reached"].MemberCount(), found.size());
    return found;
  };
  EXPECT_EQ(names({path("many.h5"), path("one/block.fcp")}), (std::vector<std::string>{"many#0", "many#1", "block"}));
  EXPECT_EQ(names({path("two/block.fcp"), path("one/block.fcp")}),
            (std::vector<std::string>{path("two/block.fcp"), path("one/block.fcp")}));
}

TEST_F(Solve, WrongInputIsNamed) {
  const std::string good = write("block.fcp", kBlock);
  const auto refusal = [&](std::vector<std::string> arguments, const std::string& part) {
    arguments.insert(arguments.begin(), "solve");
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.code, 2) << part;
    EXPECT_TRUE(has(outcome.err, "cairn: ") && has(outcome.err, part)) << "expected " << part << "\n" << outcome.err;
    EXPECT_TRUE(outcome.out.empty()) << outcome.out;
  };
  refusal({}, "FILE");
  refusal({good, "--solver", "bsg"}, "--solver: found \"bsg\"; did you mean \"bgs\"?");
  refusal({good, "--solver", "bgs,lemk"}, "--solver: found \"lemk\"; did you mean \"lemke\"?");
  refusal({good, "--solver", "bgs:order=sideways"}, "--solver: solver bgs: order: found \"sideways\"; allowed: ");
  refusal({good, "--solver", "bgs:oder=random"}, "--solver: solver bgs: there is no option \"oder\"");
  refusal({good, "--solver", "order=random"}, "--solver: found \"order=random\", an option without a solver");
  refusal({good, "--solver", ""}, "--solver: found \"\"");
  refusal({good, "--solver", "bgs,"}, "--solver: found \"\"");
  refusal({good, "--tolerance", "0"}, "--tolerance: found \"0\"; allowed: a number");
  refusal({good, "--tolerance", "nan"}, "--tolerance: found \"nan\"");
  refusal({good, "--limit-ms", "-1"}, "--limit-ms: found \"-1\"");
  refusal({good, "--iterations", "0"}, "--iterations: found \"0\"; allowed: a whole number from 1");
  refusal({good, "--solvers", "bgs"}, "--solvers: unknown option; did you mean \"--solver\"?");
  refusal({good, "--plot", path("no/x.svg")}, "--plot " + path("no/x.svg") + ": cannot be written");
  refusal({good, "--report", folder_.string()}, "it is a directory");
  refusal({good, "--plot", path("x"), "--report", path("x")}, "--plot and --report: both are");
  refusal({good, good}, good + ": found twice; allowed: each file once");
  refusal({path("none.fcp")}, path("none.fcp") + ": cannot be read: No such file or directory");
  refusal({folder_.string()}, "found a directory");
  refusal({good, write("bad.fcp", "FCP1 3 1 1\n0 0 0.5 0 0 0 0.5 0 0 0 0.5\n-1 0.25 0\n-0.5\n")},
          path("bad.fcp") + ":4: mu 1 of 1: found \"-0.5\"; allowed: a finite number, at least 0");
  refusal({write("bad.h5", "\x89HDF\r\n\x1a\n\x02")}, path("bad.h5") + ": found an HDF5 file that cannot be opened");
  EXPECT_FALSE(fs::exists(path("x")));
}

TEST_F(Solve, HelpAndSuggestionsKnowIt) {
  EXPECT_TRUE(has(run({"--help"}).out, "solve"));
  EXPECT_TRUE(has(run({"solve", "--help"}).out, "--limit-ms"));
  EXPECT_TRUE(has(run({"slove"}).err, "did you mean \"solve\"?"));
}

TEST(SolverSpecs, ACommaStartsASolverUnlessAnOptionFollows) {
  using Specs = std::vector<std::string>;
  EXPECT_EQ(readSolverSpecs({"bgs,pgs"}), (Specs{"bgs", "pgs"}));
  EXPECT_EQ(readSolverSpecs({"bgs:order=random,seed=3,lemke"}), (Specs{"bgs:order=random,seed=3", "lemke"}));
  EXPECT_EQ(readSolverSpecs({"lemke,bgs:order=random,seed=3,pgs:order=reverse"}),
            (Specs{"lemke", "bgs:order=random,seed=3", "pgs:order=reverse"}));
  EXPECT_EQ(readSolverSpecs({"bgs,order=random"}), (Specs{"bgs:order=random"}));
  EXPECT_EQ(readSolverSpecs({"bgs", "pgs", "bgs"}), (Specs{"bgs", "pgs"}));
  EXPECT_EQ(readSolverSpecs({}), (Specs{"auto"}));
  const Specs all = readSolverSpecs({"bgs:order=random,all"});
  EXPECT_EQ(all.size(), solverNames().size() + 1);
  EXPECT_EQ(all.front(), "bgs:order=random");
  EXPECT_THROW(readSolverSpecs({"bgs,,pgs"}), BadInput);
}

// Every tag is closed, by a stack: enough to say that a program will read it.
void expectWellFormed(const std::string& svg) {
  std::vector<std::string> open;
  for (std::size_t at = svg.find('<'); at != std::string::npos; at = svg.find('<', at + 1)) {
    const std::size_t end = svg.find('>', at);
    ASSERT_NE(end, std::string::npos);
    const std::string tag = svg.substr(at + 1, end - at - 1);
    const std::string name = tag.substr(0, tag.find_first_of(" /\n", 1));
    if (tag[0] == '/') {
      ASSERT_FALSE(open.empty());
      EXPECT_EQ(open.back(), tag.substr(1));
      open.pop_back();
    } else if (tag.back() != '/') {
      open.push_back(name);
    }
    EXPECT_EQ(countOf(tag, "\"") % 2, 0) << tag;
  }
  EXPECT_TRUE(open.empty());
  for (const char* bad : {"nan", "inf\"", "inf "}) EXPECT_FALSE(has(svg, bad)) << bad;
}

TEST_F(Solve, OneProblemIsDrawnAsConvergence) {
  const std::string file = write("a & b <c>.fcp", kBlock);
  ASSERT_EQ(run({"solve", file, "--solver", "bgs,pgs,lemke", "--plot", path("x.svg")}).code, 0);
  const std::string svg = text("x.svg");
  expectWellFormed(svg);
  EXPECT_TRUE(has(svg, "Convergence on a &amp; b &lt;c&gt;")) << svg;
  EXPECT_TRUE(has(svg, "tolerance 1e-08") && has(svg, ">bgs<") && has(svg, ">iterations<") && has(svg, ">time (ms)<"));
  EXPECT_TRUE(has(svg, ">lemke<") && has(svg, ">does not take it<"));  // in the legend, without a curve
  EXPECT_EQ(countOf(svg, "<circle"), 4);                               // two solvers that reach the tolerance, in two panels
}

TEST_F(Solve, SeveralProblemsAreDrawnAsAProfile) {
  ASSERT_EQ(
      run({"solve", write("a.fcp", kBlock), write("b.fcp", kBlock), "--solver", "bgs,lemke", "--plot", path("x.svg")}).code,
      0);
  const std::string svg = text("x.svg");
  expectWellFormed(svg);
  EXPECT_TRUE(has(svg, "Performance profile") && has(svg, ">2 of 2 solved<") && has(svg, ">0 of 2 solved<")) << svg;
}

SolveRow row(const std::string& problem, const std::string& solver, double ms, Exit exit = Exit::Converged) {
  SolveRow one;
  one.problem = problem;
  one.solver = solver;
  one.report.exit = exit;
  one.report.ms = ms;
  return one;
}

// Dolan and Moré's definition, by hand: A solves p in 1 ms and q in 10, B needs 10 for p and fails on q; nobody solves r.
TEST(SolvePlots, TheProfileIsWhatItsDefinitionSays) {
  SolveComparison comparison;
  comparison.tolerance = 1e-8;
  comparison.problems = {"p", "q", "r"};
  comparison.solvers = {"A", "B"};
  comparison.rows = {row("p", "A", 1),
                     row("p", "B", 10),
                     row("q", "A", 10),
                     row("q", "B", 1, Exit::Stalled),
                     row("r", "A", 1, Exit::TimeLimit),
                     row("r", "B", 1, Exit::Unsupported)};
  const std::string svg = performancePlot(comparison);
  expectWellFormed(svg);
  // The first panel spans x from 80 (tau = 1) to 480 (tau = 12) and y from 392 (none) to 92 (all). A: 2 of 3 at once.
  EXPECT_TRUE(has(svg, "M80.0 392.0H80.0V292.0H80.0V192.0H480.0V192.0")) << svg;
  // B: 1 of 3 at tau = 10, at 80 + 400 log(10)/log(12).
  EXPECT_TRUE(has(svg, "M450.7 392.0H450.7V292.0H480.0V292.0")) << svg;
  EXPECT_TRUE(has(svg, ">2 of 3 solved<") && has(svg, ">1 of 3 solved<"));
}

TEST(SolvePlots, NothingSolvedIsDrawnToo) {
  SolveComparison comparison;
  comparison.problems = {"p", "q"};
  comparison.solvers = {"A"};
  comparison.rows = {row("p", "A", 0, Exit::Unsupported), row("q", "A", 0, Exit::Unsupported)};
  expectWellFormed(performancePlot(comparison));
  comparison.problems = {"p"};
  comparison.rows.pop_back();
  comparison.tolerance = 1e-8;
  expectWellFormed(convergencePlot(comparison));
}

TEST(Plot, ValuesOutsideOfTheAxesAndEndlessOnesAreKeptInside) {
  Plot plot;
  plot.title = "t";
  plot.legend = {{"one", "", false}};
  PlotPanel panel{.title = "p",
                  .x = {"x", 1.0, 1000.0, true, false, false},
                  .y = {"y", 1e-8, 1.0, true, false, false},
                  .curves = {},
                  .level = {},
                  .levelLabel = {}};
  panel.curves = {
      {.style = 0,
       .points = {{0.0, 1e9}, {10.0, std::nan("")}, {100.0, 0.0}, {1e9, std::numeric_limits<double>::infinity()}},
       .steps = false,
       .end = PlotEnd::Cross}};
  plot.panels = {panel};
  const std::string svg = plotSvg(plot);
  expectWellFormed(svg);
  EXPECT_TRUE(has(svg, "M80.0 92.0L346.7 392.0\"")) << svg;  // top left corner; two thirds along, at the bottom
  for (const char* label : {">1<", ">10<", ">100<", ">1000<"}) EXPECT_TRUE(has(svg, label)) << label;
  EXPECT_TRUE(has(svg, "10<tspan dy=\"-5\" font-size=\"9\">\u22128</tspan>")) << svg;
}

}  // namespace
}  // namespace cairn
