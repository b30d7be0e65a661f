// cairn compare as people use it, and the parts it is made of.
#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "app/compare_columns.hpp"
#include "app/compare_page.hpp"
#include "app/compare_report.hpp"
#include "app/quantity.hpp"
#include "app/running.hpp"
#include "scene/gallery.hpp"
#include "scene/suggest.hpp"

namespace cairn {
namespace {

namespace fs = std::filesystem;

class Compare : public InAFolder {};

// Every tag is closed, but for those that HTML never closes: enough to say that a browser shows what was meant.
void expectWellFormed(const std::string& page) {
  std::vector<std::string> open;
  for (std::size_t at = page.find('<'); at != std::string::npos; at = page.find('<', at + 1)) {
    const std::size_t end = page.find('>', at);
    ASSERT_NE(end, std::string::npos);
    const std::string tag = page.substr(at + 1, end - at - 1);
    const std::string name = tag.substr(0, tag.find_first_of(" /\n", 1));
    if (tag[0] == '/') {
      ASSERT_FALSE(open.empty());
      EXPECT_EQ(open.back(), tag.substr(1));
      open.pop_back();
    } else if (tag.back() != '/' && name != "meta" && name != "!doctype") {
      open.push_back(name);
    }
    EXPECT_EQ(countOf(tag, "\"") % 2, 0) << tag;
  }
  EXPECT_TRUE(open.empty());
  for (const char* bad : {"nan", "inf\"", "inf ", ">inf"}) EXPECT_FALSE(has(page, bad)) << bad;
}

void expectSelfContained(const std::string& page) {
  for (const char* bad : {"<script", "<link", "<img", "<iframe", "src=", "href=", "@import", "url("})
    EXPECT_FALSE(has(page, bad)) << bad;
  // The one address there is names the SVG standard and is never loaded.
  EXPECT_EQ(countOf(page, "http://"), countOf(page, "xmlns=\"http://www.w3.org/2000/svg\""));
  EXPECT_FALSE(has(page, "https://"));
}

// What compare says of a method is what run says of it: one meter, the same bits.
TEST_F(Compare, EveryMethodHasARowThatAgreesWithRun) {
  const Outcome outcome =
      run({"compare", "stack25", "--seconds", "0.5", "--json", path("all.json"), "--report", path("p.html")});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(outcome.err.empty()) << outcome.err;
  EXPECT_FALSE(has(outcome.out, "\x1b")) << "colours without a terminal";
  const rapidjson::Document all = json("all.json");
  EXPECT_STREQ(all["scene"].GetString(), "stack25");
  EXPECT_EQ(all["steps"].GetInt(), 30);
  EXPECT_EQ(all["bodies"].GetInt(), 25);
  EXPECT_EQ(all["limit_s"].GetDouble(), 60.0);
  EXPECT_EQ(all["driven_by"].Size(), 0u);
  ASSERT_EQ(all["rows"].Size(), stepperNames().size());
  for (rapidjson::SizeType i = 0; i < all["rows"].Size(); ++i) {
    const auto& row = all["rows"][i];
    const std::string stepper(stepperNames()[i]);
    ASSERT_EQ(row["stepper"].GetString(), stepper);
    if (row["report"].IsNull()) continue;  // a method may refuse any scene
    EXPECT_TRUE(has(outcome.out, "  " + stepper + " ")) << outcome.out;
    if (std::string(row["outcome"].GetString()) != "done") continue;
    ASSERT_EQ(run({"run", "stack25", "--seconds", "0.5", "--stepper", stepper, "--report", path("one.json")}).code, 0);
    const rapidjson::Document one = json("one.json");
    const auto& report = row["report"];
    ASSERT_EQ(report.MemberCount(), one.MemberCount());
    for (const char* field :
         {"state_hash", "penetration_m", "drift_m", "energy_j", "residual", "contacts", "solver", "steps"})
      EXPECT_TRUE(report[field] == one[field]) << stepper << " " << field;
    EXPECT_GE(row["moved_m"].GetDouble(), report["drift_m"]["max"].GetDouble());
    EXPECT_GE(row["energy_rise_j"].GetDouble(), report["energy_j"]["max_gain"].GetDouble() * (1.0 - 1e-12));
    EXPECT_GE(row["wall_s"].GetDouble(), row["steps_s"].GetDouble());
    EXPECT_GT(row["steps_s"].GetDouble(), 0.0);
  }
  // Of the two that are known to take it.
  EXPECT_STREQ(all["rows"][0]["outcome"].GetString(), "done");
  EXPECT_EQ(all["rows"][0]["exits"].MemberCount(), 0u);  // soft sweeps itself
  const std::string page = text("p.html");
  expectWellFormed(page);
  expectSelfContained(page);
  EXPECT_EQ(countOf(page, "<svg"), 2);
  EXPECT_TRUE(has(page, "A stack of 25 boxes") && has(page, "prefers-color-scheme: dark") && has(page, "class=\" best\"") &&
              has(page, "scope=\"row\">soft</th>"));
}

TEST_F(Compare, AChosenSolverGoesToTheMethodsThatTakeOne) {
  const Outcome outcome = run({"compare", "stack25", "--set", "count=3", "--seconds", "0.1", "--steppers", "velocity,soft",
                               "--solver", "bgs:order=reverse", "--json", path("x.json"), "--quiet"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(outcome.out.empty() && outcome.err.empty());
  const rapidjson::Document all = json("x.json");
  ASSERT_EQ(all["rows"].Size(), 2u);  // in the order they were asked for
  EXPECT_STREQ(all["rows"][0]["solver"].GetString(), "bgs:order=reverse");
  EXPECT_EQ(all["rows"][0]["exits"]["converged"].GetInt(), 6);
  EXPECT_TRUE(all["rows"][1]["solver"].IsNull());
  EXPECT_STREQ(all["rows"][1]["stepper"].GetString(), "soft");
}

TEST_F(Compare, AMethodThatRefusesTheSceneIsLeftOutWithTheReason) {
  // 25 boxes are more than this solver enumerates: the step is refused. A solver without friction: the settings are.
  for (const auto& [solver, reason] : {std::pair<std::string, std::string>{"exhaustive", "at most 16 unknowns"},
                                       {"nnls", "friction.law: the solver nnls does not take friction"}}) {
    const Outcome outcome = run({"compare", "stack25", "--seconds", "0.1", "--steppers", "soft,velocity", "--solver", solver,
                                 "--json", path("x.json"), "--report", path("x.html")});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_TRUE(has(outcome.out, "velocity was left out: ") && has(outcome.out, reason)) << outcome.out;
    const rapidjson::Document all = json("x.json");
    const auto& row = all["rows"][1];
    EXPECT_STREQ(row["outcome"].GetString(), "refused");
    EXPECT_TRUE(has(row["message"].GetString(), reason));
    EXPECT_TRUE(row["report"].IsNull() && row["energy_rise_j"].IsNull() && row["steps_s"].IsNull());
    const std::string page = text("x.html");
    expectWellFormed(page);
    EXPECT_TRUE(has(page, "Left out or cut short") && has(page, "<strong>velocity</strong> was left out: ") &&
                has(page, reason));
    EXPECT_FALSE(has(page, "scope=\"row\">velocity"));
    EXPECT_FALSE(has(page, " best\"")) << "one method alone is not the best";
  }
  const Outcome nothing =
      run({"compare", "stack25", "--steppers", "velocity", "--solver", "exhaustive", "--json", path("y.json")});
  EXPECT_EQ(nothing.code, 2);
  EXPECT_TRUE(has(nothing.err, "no method takes the scene stack25") && has(nothing.err, "at most 16 unknowns"))
      << nothing.err;
  EXPECT_FALSE(fs::exists(path("y.json")));
}

// A box falls by 2 m, which takes 0.64 s, and its four contacts with the ground are more than this solver enumerates.
TEST_F(Compare, AMethodThatRefusesLateIsShownUpToThere) {
  const std::string scene = write("late.json", R"({"cairn": 1, "settings": {"seconds": 1}, "bodies": [
    {"kind": "static", "shape": {"type": "plane"}},
    {"position": [0, 0, 2.5], "shape": {"type": "box", "size": [1, 1, 1]}}]})");
  const Outcome outcome = run({"compare", scene, "--solver", "exhaustive", "--steppers", "soft,velocity", "--json",
                               path("x.json"), "--report", path("x.html")});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const rapidjson::Document all = json("x.json");
  const auto& row = all["rows"][1];
  EXPECT_STREQ(row["outcome"].GetString(), "refused");
  ASSERT_TRUE(row["report"].IsObject());
  EXPECT_NEAR(row["report"]["seconds"].GetDouble(), 0.64, 0.03);  // two steps: contacts are made before they touch
  EXPECT_TRUE(has(outcome.out, "velocity ended at 0.6")) << outcome.out;
  EXPECT_TRUE(has(text("x.html"), "scope=\"row\">velocity<span class=\"cut\""));
}

TEST_F(Compare, AMethodWhoseTimeIsUpIsShownUpToWhereItCame) {
  // 1e6 s would take days.
  const Outcome outcome = run({"compare", "incline", "--seconds", "900000", "--limit-s", "0.2", "--json", path("x.json"),
                               "--report", path("x.html"), "--steppers", "soft"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(has(outcome.out, "soft ended at ") && has(outcome.out, "its 0.2 s of wall-clock time were over"))
      << outcome.out;
  const rapidjson::Document all = json("x.json");
  const auto& row = all["rows"][0];
  EXPECT_STREQ(row["outcome"].GetString(), "time_limit");
  EXPECT_GE(row["wall_s"].GetDouble(), 0.2);
  EXPECT_LT(row["wall_s"].GetDouble(), 20.0);
  EXPECT_GT(row["report"]["steps"].GetInt(), 0);
  EXPECT_LT(row["report"]["steps"].GetInt(), all["steps"].GetInt());
  const std::string page = text("x.html");
  expectWellFormed(page);
  EXPECT_TRUE(has(page, "class=\"cut\"") && has(page, "up to ") && has(page, "A cross: cut short."));
}

TEST_F(Compare, ASolveThatWouldTakeTooLongIsCutOffToo) {
  // One solve alone takes longer than the limit: the solver is told of it.
  const SceneModel model = [] {
    SceneModel made = openScene("pyramid", {{"base", "12"}});
    made.settings.stepper = "velocity";
    made.settings.solver = {.name = "pgs", .tolerance = 1e-15, .iterations = 1000000000, .milliseconds = 0.0};
    return made;
  }();
  const MethodRun method = runMethod(model, 0.2, [](double) { return true; });
  EXPECT_EQ(method.outcome, MethodOutcome::TimeLimit);
  ASSERT_TRUE(method.report);
  EXPECT_LT(method.report->steps, 10);
  EXPECT_LT(method.wallSeconds, 10.0);
}

TEST_F(Compare, TextsOfASceneAreEscaped) {
  const std::string scene = write("evil.json", R"({"cairn": 1, "title": "<script>alert('t')</script>",
    "description": "\"a\" & <b onclick='x'>", "settings": {"seconds": 0.1},
    "bodies": [{"name": "<i>", "shape": {"type": "sphere", "radius": 1}}]})");
  ASSERT_EQ(run({"compare", scene, "--report", path("x.html"), "--quiet"}).code, 0);
  const std::string page = text("x.html");
  expectWellFormed(page);
  expectSelfContained(page);
  EXPECT_TRUE(has(page, "<h1>&lt;script&gt;alert(&#39;t&#39;)&lt;/script&gt;</h1>")) << page;
  EXPECT_TRUE(has(page, "&quot;a&quot; &amp; &lt;b onclick=&#39;x&#39;&gt;</p>"));
  EXPECT_TRUE(has(page, "Content-Security-Policy"));
  // A file's name is a text too.
  const std::string named = write("<img src=x>.json", R"({"cairn": 1, "settings": {"seconds": 0.1},
    "bodies": [{"shape": {"type": "sphere", "radius": 1}}]})");
  ASSERT_EQ(run({"compare", named, "--report", path("y.html"), "--quiet"}).code, 0);
  expectWellFormed(text("y.html"));
  EXPECT_FALSE(has(text("y.html"), "<img"));
}

TEST_F(Compare, WhatDrivesTheBodiesIsSaid) {
  const std::string scene = write("driven.json", R"({"cairn": 1, "settings": {"seconds": 0.5}, "bodies": [
    {"name": "ground", "kind": "static", "shape": {"type": "plane"}},
    {"name": "pusher", "kind": "kinematic", "position": [-1.2, 0, 0.6], "velocity": [2, 0, 0],
     "shape": {"type": "box", "size": [1, 1, 1]}},
    {"name": "box", "position": [0, 0, 0.5], "shape": {"type": "box", "size": [1, 1, 1]}},
    {"name": "late", "appear": 0.25, "position": [0, 5, 9], "shape": {"type": "sphere", "radius": 0.5}}]})");
  const Outcome outcome =
      run({"compare", scene, "--steppers", "soft,velocity", "--json", path("x.json"), "--report", path("x.html")});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(has(outcome.out, "rise (driven)")) << outcome.out;
  const rapidjson::Document all = json("x.json");
  EXPECT_EQ(all["driven_by"].Size(), 2u);
  EXPECT_EQ(all["bodies"].GetInt(), 2);
  EXPECT_TRUE(has(text("x.html"), "Driven: bodies appear during the run and kinematic bodies push others"));
  for (const auto& row : all["rows"].GetArray()) {
    // A box of 1000 kg pushed at 2 m/s has 2000 J. The ball brings 46 kJ, which is no rise.
    EXPECT_NEAR(row["energy_rise_j"].GetDouble(), 2000.0, 100.0) << row["stepper"].GetString();
  }
  // At rest it drives nothing.
  SceneModel model = loadSceneFile(scene);
  model.bodies[1].desc.linearVelocity.setZero();
  model.seconds = 0.25;
  EXPECT_TRUE(drivesOf(model).empty());
}

TEST_F(Compare, WrongArgumentsAreRefusedByNameWithCodeTwo) {
  const auto refusal = [&](std::vector<std::string> arguments, const std::string& part) {
    arguments.insert(arguments.begin(), "compare");
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.code, 2) << part;
    EXPECT_TRUE(has(outcome.err, "cairn: ") && has(outcome.err, part)) << "expected " << part << "\n" << outcome.err;
    EXPECT_TRUE(outcome.out.empty()) << outcome.out;
  };
  refusal({}, "SCENE");
  refusal({"towr"}, "did you mean \"tower\"?");
  refusal({"stack25", "--steppers", "sotf"}, "--steppers: found \"sotf\"; did you mean \"soft\"?");
  refusal({"stack25", "--steppers", "warp"}, "--steppers: found \"warp\"; allowed: " + listNames(stepperNames()) + ", all");
  refusal({"stack25", "--steppers", "soft,"}, "--steppers: found \"\"");
  refusal({"stack25", "--steppers", ""}, "--steppers: found \"\"");
  refusal({"stack25", "--stepper", "soft"}, "--stepper: unknown option; did you mean \"--steppers\"?");
  refusal({"stack25", "--solver", "bsg"}, "--solver: found \"bsg\"; did you mean \"bgs\"?");
  refusal({"stack25", "--solver", "bgs:order=sideways"}, "--solver: solver bgs: order");
  refusal({"stack25", "--steppers", "soft", "--solver", "bgs"},
          "--solver: found \"bgs\"; none of soft lets its solver be chosen");
  refusal({"stack25", "--limit-s", "-1"}, "--limit-s: found \"-1\"");
  refusal({"stack25", "--limit-s", "nan"}, "--limit-s: found \"nan\"");
  refusal({"stack25", "--limit-s", "1e7"}, "--limit-s: found \"1e7\"");
  refusal({"stack25", "--dt", "0"}, "--dt: found \"0\"");
  refusal({"stack25", "--dt", "1e-12"}, "steps; allowed: at most");
  refusal({"stack25", "--seconds", "inf"}, "--seconds: found \"inf\"");
  refusal({"stack25", "--threads", "0"}, "--threads: found \"0\"");
  refusal({"stack25", "--set", "cuont=3"}, "did you mean \"count\"?");
  refusal({"stack25", "--report", path("no/x.html")}, "--report " + path("no/x.html") + ": cannot be written");
  refusal({"stack25", "--json", folder_.string()}, "it is a directory");
  refusal({"stack25", "--report", path("x"), "--json", path("x")}, "--report and --json: both are");
  // A body that no method could build.
  refusal({write("bad.json", R"({"cairn": 1, "bodies": [{"shape": {"type": "sphere", "radius": -1}}]})")}, "bad.json:1:");
  fs::remove(path("bad.json"));
  EXPECT_TRUE(fs::is_empty(folder_)) << "a refused comparison left files behind";
}

TEST_F(Compare, HelpAndSuggestionsKnowIt) {
  EXPECT_TRUE(has(run({"--help"}).out, "compare"));
  EXPECT_TRUE(has(run({"compare", "--help"}).out, "--limit-s"));
  EXPECT_TRUE(has(run({"comapre"}).err, "did you mean \"compare\"?"));
}

TEST_F(Compare, AnInterruptEndsItWithWhatThereIs) {
  std::thread killer([&] {
    std::this_thread::sleep_for(
        std::chrono::milliseconds(500));  // by then it listens: files have no name until they are whole
    ::kill(::getpid(), SIGINT);
  });
  const Outcome outcome = run(
      {"compare", "incline", "--seconds", "900000", "--limit-s", "0", "--report", path("x.html"), "--json", path("x.json")});
  killer.join();
  EXPECT_EQ(outcome.code, kExitInterrupted);
  EXPECT_TRUE(has(outcome.err, "interrupted after 0 of ")) << outcome.err;
  const rapidjson::Document all = json("x.json");
  ASSERT_EQ(all["rows"].Size(), 1u);
  EXPECT_STREQ(all["rows"][0]["outcome"].GetString(), "interrupted");
  expectWellFormed(text("x.html"));
}

MethodRun method(const std::string& stepper, double penetration, MethodOutcome outcome = MethodOutcome::Done) {
  MethodRun one;
  one.stepper = stepper;
  one.outcome = outcome;
  one.report.emplace();
  one.report->penetration.max = penetration;
  return one;
}

TEST(CompareColumns, OnlyThoseThatRanToTheEndCompete) {
  MethodComparison comparison;
  comparison.methods = {method("a", 2e-3), method("b", 1e-3), method("c", 1e-4, MethodOutcome::TimeLimit)};
  const std::vector<CompareColumn> columns = compareColumns(comparison);
  const auto column =
      std::find_if(columns.begin(), columns.end(), [](const auto& one) { return one.head == "penetration"; });
  ASSERT_NE(column, columns.end());
  const auto best = [&](std::size_t i) { return isBest(*column, comparison, comparison.methods[i]); };
  EXPECT_FALSE(best(0));
  EXPECT_TRUE(best(1));
  EXPECT_FALSE(best(2));
  comparison.methods[0].report->penetration.max = 1.0000001e-3;  // reads the same
  EXPECT_FALSE(best(0) || best(1));
}

TEST(CompareColumns, TheSceneDecidesWhichThereAre) {
  const auto heads = [](const MethodComparison& comparison) {
    std::string all;
    for (const CompareColumn& column : compareColumns(comparison)) all += column.head + "|";
    return all;
  };
  MethodComparison comparison;
  EXPECT_FALSE(has(heads(comparison), "drift"));
  comparison.scene.stands = true;
  EXPECT_TRUE(has(heads(comparison), "|drift|moved|"));
  comparison.scene.joints.resize(1);
  EXPECT_TRUE(has(heads(comparison), "|joint drift|"));
}

// Numbers out of bounds, no steps, no names: the page is drawn all the same.
TEST(ComparePage, StrangeNumbersAreDrawn) {
  MethodComparison comparison;
  expectWellFormed(comparePage(comparison));
  comparison.methods = {method("a", 1e300), method("b", 0.0)};
  comparison.methods[0].energy.add(0.5, 1e300);
  comparison.methods[0].penetration.add(0.5, 1e300);
  comparison.methods[1].residual.add(0.5, 0.0);
  comparison.methods[1].energy.add(0.5, -1e-300);
  expectWellFormed(comparePage(comparison));
  expectSelfContained(comparePage(comparison));
  EXPECT_TRUE(has(compareTable(comparison, Paint(false)), "\n  a "));
}

TEST(ComparePage, ManyMethodsFit) {
  MethodComparison comparison;
  for (int i = 0; i < 12; ++i) {
    comparison.methods.push_back(method("method" + std::to_string(i), 1e-3 * (i + 1)));
    for (int k = 1; k <= 1000; ++k) comparison.methods.back().energy.add(0.01 * k, i * k);
  }
  const std::string page = comparePage(comparison);
  expectWellFormed(page);
  EXPECT_EQ(countOf(page, "scope=\"row\""), 12);
}

TEST(Trace, KeepsEveryPeakInFewPlaces) {
  Trace trace(100000, 300);
  for (int i = 0; i < 100000; ++i) trace.add(i, i == 77777 ? 5.0 : i == 50001 ? -3.0 : 0.0);
  const Trace::Points points = trace.envelope();
  EXPECT_LE(points.size(), 600u);
  double low = 0.0, high = 0.0;
  for (const auto& point : points) {
    low = std::min(low, point[1]);
    high = std::max(high, point[1]);
  }
  EXPECT_EQ(low, -3.0);
  EXPECT_EQ(high, 5.0);
  EXPECT_LE(trace.means().size(), 300u);
  EXPECT_EQ(trace.means().back()[0], 99999.0);
  Trace few(3, 300);
  for (int i = 0; i < 3; ++i) few.add(i, 10.0 * i);
  EXPECT_EQ(few.envelope(), (Trace::Points{{0.0, 0.0}, {1.0, 10.0}, {2.0, 20.0}}));
  EXPECT_EQ(few.means(), few.envelope());
}

TEST(Quantity, ThreeDigitsAndAUnitThatFits) {
  EXPECT_EQ(metres(0.0), "0 m");
  EXPECT_EQ(metres(4.41e-7), "0.441 um");
  EXPECT_EQ(metres(9.996e-4), "1 mm");
  EXPECT_EQ(metres(0.0123), "12.3 mm");
  EXPECT_EQ(metres(1.5), "1.5 m");
  EXPECT_EQ(joules(0.0), "0 J");
  EXPECT_EQ(joules(-12.34), "-12.3 J");
  EXPECT_EQ(joules(999.6), "1 kJ");
  EXPECT_EQ(joules(1569600.0, 5), "1.5696 MJ");
  EXPECT_EQ(joules(2.5e-5), "25 uJ");
  EXPECT_EQ(joules(3e-12), "3.0e-12 J");
  EXPECT_EQ(joules(1e12), "1.0e+12 J");
  EXPECT_EQ(percent(0.0), "0 %");
  EXPECT_EQ(percent(0.00202), "0.202 %");
  EXPECT_EQ(percent(0.28), "28 %");
  EXPECT_EQ(milliseconds(1613.2), "1613 ms");
  EXPECT_EQ(wallTime(0.9999), "1 s");
  EXPECT_EQ(residualText(2.7e-7), "2.7e-07");
  EXPECT_EQ(residualText(0.16), "0.16");
}

}  // namespace
}  // namespace cairn
