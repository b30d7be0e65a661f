// Figures about solvers: GALILEO's timing table, Erleben's Figures 5 and 6, and how the cost of an iteration grows with the
// number of contacts. Prints tables as Markdown and writes plots:
//
//   bench_solver_figures galileo|erleben|scaling|all [FOLDER for the SVG files]
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <fstream>
#include <random>

#include "app/plot.hpp"
#include "cairn/cairn.hpp"
#include "cairn/contact_problem.hpp"
#include "scene/gallery.hpp"
#include "scene/scene_run.hpp"

namespace cairn::bench {
namespace {

using Clock = std::chrono::steady_clock;
double millisecondsSince(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

void write(const std::string& folder, const std::string& name, const Plot& plot) {
  std::ofstream(folder + "/" + name) << plotSvg(plot);
  fmt::print("wrote {}/{}\n\n", folder, name);
}

PlotPanel panelOf(const char* title, const PlotAxis& x, const PlotAxis& y) {
  PlotPanel panel;
  panel.title = title;
  panel.x = x;
  panel.y = y;
  return panel;
}

// A sphere with its centre of mass off its centre, on a plane: the body of GALILEO's table, one contact point.
std::shared_ptr<ContactProblem> eccentricSphere(int facets, std::mt19937& random) {
  const auto uniform = [&](double a, double b) { return std::uniform_real_distribution<double>(a, b)(random); };
  ProblemData data;
  const double mass = 0.015, radius = 0.02, off = 0.003;
  const double moment = 0.4 * mass * radius * radius;
  data.inverseMass = std::make_shared<FreeBodies>(std::vector<FreeBodies::Item>{{1.0 / mass, Mat3::Identity() / moment}});
  data.freeVelocity = Vector::NullaryExpr(6, [&] { return uniform(-1, 1); });
  data.freeVelocity[2] = -uniform(0.01, 0.1);
  data.freeVelocity.tail<3>() *= 50.0;
  const Vec3 arm = Vec3(0, 0, -radius) + off * Vec3(uniform(-1, 1), uniform(-1, 1), uniform(-1, 1));
  BlockJacobian jacobian;
  jacobian.b = 0;
  jacobian.partB.resize(3, 6);
  const Vec3 axes[] = {Vec3::UnitZ(), Vec3::UnitX(), Vec3::UnitY()};
  // The contact must close, or there is nothing to solve.
  if ((data.freeVelocity.head<3>() + Vec3(data.freeVelocity.tail<3>()).cross(arm)).z() > 0.0) data.freeVelocity *= -1.0;
  for (int k = 0; k < 3; ++k) jacobian.partB.row(k) << axes[k].transpose(), arm.cross(axes[k]).transpose();
  data.blocks.push_back({.law = Law::Pyramid, .first = 0, .size = 3, .friction = {0.3, 0.3}, .facets = facets});
  data.jacobians.push_back(jacobian);
  return std::make_shared<ContactProblem>(std::move(data));
}

void galileo(const std::string& folder) {
  constexpr int kTests = 2000;
  const double paper[] = {0.765, 1.202, 2.764, 7.941, 27.464, 110.923};  // ms, SGI R10000
  fmt::print("## GALILEO §3.2: time of one LCP of an eccentric sphere, Lemke\n\n");
  fmt::print("| facets | dimension | paper, ms | here, ms | paper / here | pivots |\n|---|---|---|---|---|---|\n");
  PlotCurve theirs, ours;
  ours.style = 1;
  for (int i = 0; i < 6; ++i) {
    const int facets = 4 << i;
    std::mt19937 random(1);
    const auto solver = makeSolver("lemke");
    double ms = 0.0;
    long pivots = 0;
    for (int test = 0; test < kTests; ++test) {
      const auto problem = eccentricSphere(facets, random);
      Vector impulse;
      const SolveReport report = solver->solve(*problem, {}, impulse);
      if (report.exit != Exit::Converged) fmt::print("test {}: {}\n", test, nameOf(report.exit));
      ms += report.ms;
      pivots += report.iterations;
    }
    ms /= kTests;
    fmt::print("| {} | {} | {} | {:.4f} | {:.0f} | {:.1f} |\n", facets, facets + 2, paper[i], ms, paper[i] / ms,
               static_cast<double>(pivots) / kTests);
    theirs.points.push_back({facets + 2.0, paper[i]});
    ours.points.push_back({facets + 2.0, ms});
  }
  fmt::print("\n");
  Plot plot;
  plot.title = "GALILEO's timing table";
  plot.subtitle = "one contact with a pyramid of more and more facets, Lemke's algorithm";
  plot.panels.push_back(panelOf("time of one LCP", {"dimension of A", 5, 200, true, false}, {"ms", 1e-4, 1e3, true, false}));
  plot.panels.back().curves = {theirs, ours};
  plot.legend = {{"paper, 1998", "SGI, R10000", false}, {"Cairn", "this machine", false}};
  write(folder, "galileo_timing.svg", plot);
}

// The largest contact problem of a gallery scene after some steps, with friction as boxes.
StepProblem sceneProblem(const std::string& scene, int steps) {
  SceneModel model = openScene(scene);
  model.settings.stepper = "velocity";
  model.settings.solver.name = "pgs";
  model.settings.solver.iterations = 200;
  model.settings.friction.law = "box";
  model.settings.audit = Audit::Problems;
  SceneRun run(std::move(model));
  for (int i = 0; i < steps; ++i) run.step();
  StepProblem largest;
  for (const StepProblem& one : run.world().contactProblems())
    if (!largest.problem || one.problem->rows() > largest.problem->rows()) largest = one;
  return largest;
}

PlotCurve meritCurve(const IterationLog& log, int style) {
  PlotCurve curve;
  curve.style = style;
  for (const auto& entry : log.entries)
    if (entry.iteration > 0) curve.points.push_back({static_cast<double>(entry.iteration), entry.residual.merit});
  return curve;
}

void erleben(const std::string& folder) {
  constexpr int kSweeps = 1000;
  fmt::print("## Erleben Figure 5: merit of projected Gauss-Seidel against sweeps\n\n");
  fmt::print("| scene | rows | after 1 | 10 | 100 | 1000 sweeps |\n|---|---|---|---|---|---|\n");
  Plot five;
  five.title = "Erleben's Figure 5";
  five.subtitle = "projected Gauss-Seidel from zero: merit (Erleben eq. 38) against sweeps";
  PlotPanel panel = panelOf("convergence", {"sweeps", 0, kSweeps, false, false}, {"merit, (m/s)^2", 1e-12, 10, true, false});
  int style = 0;
  for (const char* scene : {"ball_grid", "stack25", "wall", "pyramid", "mass_ratio"}) {
    const StepProblem problem = sceneProblem(scene, 30);
    if (!problem.problem) continue;
    IterationLog log;
    Vector impulse;
    makeSolver("pgs")->solve(*problem.problem, {1e-15, kSweeps, 0.0}, impulse, &log);
    panel.curves.push_back(meritCurve(log, style++));
    five.legend.push_back({scene, fmt::format("{} rows", problem.problem->rows()), false});
    const auto at = [&](std::size_t i) { return log.entries[std::min(i, log.entries.size() - 1)].residual.merit; };
    fmt::print("| {} | {} | {:.2e} | {:.2e} | {:.2e} | {:.2e} |\n", scene, problem.problem->rows(), at(1), at(10), at(100),
               at(1000));
  }
  five.panels.push_back(panel);
  fmt::print("\n");
  write(folder, "erleben_figure5.svg", five);

  fmt::print("## Erleben Figure 6: the box stack, A + gamma diag(A)\n\n");
  fmt::print(
      "| gamma | merit after 10 | 100 | 1000 sweeps | normal impulses after 1000 sweeps | solved "
      "|\n|---|---|---|---|---|---|\n");
  Plot six;
  six.title = "Erleben's Figure 6";
  six.subtitle = "the box stack with regularised matrices: faster, and weaker";
  PlotPanel rate = panelOf("convergence", {"sweeps", 0, kSweeps, false, false}, {"merit, (m/s)^2", 1e-20, 1, true, false});
  const StepProblem stack = sceneProblem("stack25", 30);
  const auto normalSum = [](const ContactProblem& problem, const Vector& impulse) {
    double sum = 0.0;
    for (const Block& block : problem.blocks()) sum += impulse[block.first];
    return sum;
  };
  style = 0;
  for (const double gamma : {0.0, 1e-4, 1e-3, 1e-2, 1e-1}) {
    ProblemData data = stack.problem->data();
    for (std::size_t i = 0; i < data.blocks.size(); ++i)
      for (int k = 0; k < data.blocks[i].size; ++k)
        data.compliance[data.blocks[i].first + k] += gamma * stack.problem->diagonal(static_cast<int>(i))(k, k);
    const ContactProblem damped(std::move(data));
    IterationLog log;
    Vector impulse;
    makeSolver("pgs")->solve(damped, {1e-16, kSweeps, 0.0}, impulse, &log);
    rate.curves.push_back(meritCurve(log, style++));
    six.legend.push_back({fmt::format("gamma = {:g}", gamma), "", false});
    Vector exact;
    makeSolver("auto")->solve(damped, {1e-9, 0, 0.0}, exact);
    const auto at = [&](std::size_t i) { return log.entries[std::min(i, log.entries.size() - 1)].residual.merit; };
    fmt::print("| {:g} | {:.2e} | {:.2e} | {:.2e} | {:.4g} N s | {:.4g} N s |\n", gamma, at(10), at(100), at(1000),
               normalSum(damped, impulse), normalSum(damped, exact));
  }
  six.panels.push_back(rate);
  fmt::print("\n");
  write(folder, "erleben_figure6.svg", six);
}

// A cubic lattice of balls on the ground, pressed down: three contacts a ball.
std::shared_ptr<ContactProblem> lattice(int contacts, Law law) {
  const int side = std::max(1, static_cast<int>(std::round(std::cbrt(contacts / 3.0))));
  ProblemData data;
  std::vector<FreeBodies::Item> items;
  std::mt19937 random(7);
  std::uniform_real_distribution<double> noise(-0.1, 0.1);
  const auto ball = [&](int x, int y, int z) { return (z * side + y) * side + x; };
  const auto touch = [&](int a, int b, const Vec3& n) {
    if (static_cast<int>(data.blocks.size()) >= contacts) return;
    Block block{.law = law, .first = 0, .size = law == Law::Interval ? 1 : 3, .friction = {0.5, 0.5}};
    block.first = static_cast<int>(data.blocks.size()) * block.size;
    BlockJacobian jacobian;
    jacobian.a = a;
    jacobian.b = b;
    const Vec3 t = n.unitOrthogonal();
    const Vec3 axes[] = {n, t, n.cross(t)};
    jacobian.partB.resize(block.size, 6);
    if (a >= 0) jacobian.partA.resize(block.size, 6);
    for (int k = 0; k < block.size; ++k) {
      jacobian.partB.row(k) << axes[k].transpose(), (-0.5 * n).cross(axes[k]).transpose();
      if (a >= 0) jacobian.partA.row(k) << -axes[k].transpose(), -(0.5 * n).cross(axes[k]).transpose();
    }
    data.blocks.push_back(block);
    data.jacobians.push_back(jacobian);
  };
  for (int z = 0; z < side; ++z)
    for (int y = 0; y < side; ++y)
      for (int x = 0; x < side; ++x) {
        items.push_back({1.0, 10.0 * Mat3::Identity()});
        touch(z > 0 ? ball(x, y, z - 1) : -1, ball(x, y, z), Vec3::UnitZ());
        if (y > 0) touch(ball(x, y - 1, z), ball(x, y, z), Vec3::UnitY());
        if (x > 0) touch(ball(x - 1, y, z), ball(x, y, z), Vec3::UnitX());
      }
  for (int i = 0; static_cast<int>(data.blocks.size()) < contacts; ++i)
    touch(-1, i % static_cast<int>(items.size()), Vec3(noise(random), noise(random), 1.0).normalized());
  data.freeVelocity = Vector::NullaryExpr(6 * static_cast<int>(items.size()), [&] { return noise(random); });
  for (std::size_t i = 0; i < items.size(); ++i) data.freeVelocity[6 * static_cast<int>(i) + 2] -= 0.16;
  data.inverseMass = std::make_shared<FreeBodies>(std::move(items));
  return std::make_shared<ContactProblem>(std::move(data));
}

void scaling(const std::string& folder) {
  const int sizes[] = {10, 30, 100, 300, 1000, 3000, 10000, 30000, 100000};
  Plot plot;
  plot.title = "Cost of an iteration";
  plot.subtitle = "a lattice of balls, friction cones for the iterative methods, no friction for the direct ones";
  PlotPanel iterative = panelOf("iterative: per contact", {"contacts", 10, 1e5, true, false},
                                {"ns per contact and iteration", 10, 1e5, true, false});
  PlotPanel direct =
      panelOf("direct: per pivot", {"contacts", 10, 1e3, true, false}, {"us per pivot", 1e-2, 1e5, true, false});
  int style = 0;
  fmt::print("## ns per contact and iteration\n\n| solver |");
  for (const int n : sizes) fmt::print(" {} |", n);
  fmt::print("\n|---|---|---|---|---|---|---|---|---|---|\n");
  for (const char* name : {"jacobi", "pgs", "psor", "bgs", "nncg", "apgd:law=ccp"}) {
    fmt::print("| {} |", name);
    PlotCurve curve;
    curve.style = style++;
    for (const int n : sizes) {
      const auto problem = lattice(n, Law::Cone);
      const auto solver = makeSolver(name);
      // Two lengths, so that what is done once per solve cancels; the best of each.
      const int iterations = std::max(20, 40000 / n);
      double fewMs = 1e300, manyMs = 1e300;
      int few = 0, many = 0;
      for (int repeat = 0; repeat < (n <= 1000 ? 20 : 4); ++repeat) {
        const auto run = [&](int limit, int& done, double& ms) {
          Vector impulse;
          const auto start = Clock::now();
          done = solver->solve(*problem, {1e-300, limit, 0.0}, impulse).iterations;
          ms = std::min(ms, millisecondsSince(start));
        };
        run(2, few, fewMs);
        run(2 + iterations, many, manyMs);
      }
      if (many <= few) {  // it was solved exactly before
        fmt::print(" - |");
        continue;
      }
      const double best = (manyMs - fewMs) / (many - few);
      const double ns = 1e6 * best / n;
      fmt::print(" {:.0f} |", ns);
      curve.points.push_back({static_cast<double>(n), ns});
    }
    fmt::print("\n");
    iterative.curves.push_back(curve);
    plot.legend.push_back({name, "", false});
  }
  fmt::print("\n## us per pivot (and pivots)\n\n| solver |");
  for (const int n : sizes)
    if (n <= 1000) fmt::print(" {} |", n);
  fmt::print("\n|---|---|---|---|---|---|\n");
  for (const char* name : {"lemke", "keller", "dantzig"}) {
    fmt::print("| {} |", name);
    PlotCurve curve;
    curve.style = style++;
    for (const int n : sizes) {
      if (n > 1000) break;
      const auto problem = lattice(n, Law::Interval);
      Vector impulse;
      const SolveReport report = makeSolver(name)->solve(*problem, {1e-8, 0, 60000.0}, impulse);
      const double us = 1e3 * report.ms / std::max(report.iterations, 1);
      fmt::print(" {:.2f} ({}, {}) |", us, report.iterations, nameOf(report.exit));
      curve.points.push_back({static_cast<double>(n), us});
    }
    fmt::print("\n");
    direct.curves.push_back(curve);
    plot.legend.push_back({name, "", false});
  }
  PlotCurve quadratic;
  quadratic.style = style++;
  for (const double n : {30.0, 1000.0}) quadratic.points.push_back({n, 1e-3 * n * n});
  direct.curves.push_back(quadratic);
  plot.legend.push_back({"n^2", "for comparison", false});
  plot.panels = {iterative, direct};
  fmt::print("\n");
  write(folder, "solver_scaling.svg", plot);
}

}  // namespace
}  // namespace cairn::bench

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "all";
  const std::string folder = argc > 2 ? argv[2] : ".";
  if (what == "galileo" || what == "all") cairn::bench::galileo(folder);
  if (what == "erleben" || what == "all") cairn::bench::erleben(folder);
  if (what == "scaling" || what == "all") cairn::bench::scaling(folder);
  return 0;
}
