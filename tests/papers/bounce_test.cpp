// A ball dropped on a plane (f_bouncing_ball.json): times of its bounces, and that it comes to rest.
#include "papers/truth.hpp"

namespace cairn {
namespace {

constexpr double kStep = 1e-3;  // s

// The gallery's ball of restitution 1, from another height and with another restitution; the other nine are left out.
SceneModel drop(const std::string& stepper, double height, double restitution) {
  SceneModel model = openScene("bounce");
  SceneBody ball = model.bodies.back();
  ball.desc.name = "ball";
  ball.desc.pose.position.z() = height + std::get<Sphere>(ball.desc.shapes[0].geometry).radius;
  ball.desc.shapes[0].material.restitution = restitution;
  model.bodies = {model.bodies.front(), ball};
  model.settings.stepper = stepper;
  model.settings.solver.tolerance = 1e-10;
  model.dt = kStep;
  return model;
}

// The stepper soft at 1e-3 s, with 20 substeps. The file: the nth bounce is off by at most n steps, and no energy is gained;
// here the bounces that are longer than 20 steps are looked at. The other steppers bounce within a step from where they are,
// which is an error of first order that adds up: 5 steps a bounce.
TEST(Bounce, TimesOfBounces) {
  const rapidjson::Document file = truth("f_bouncing_ball");
  for (const char* stepper : {"soft"}) {
    for (const auto& one : file["cases"].GetArray()) {
      const double e = one["e"].GetDouble(), height = one["H"].GetDouble();
      SCOPED_TRACE(std::string(stepper) + ", e " + std::to_string(e) + ", H " + std::to_string(height));
      SceneRun run(drop(stepper, height, e));
      const auto& times = one["bounce_times"];
      const double energy = run.world().energy().total();
      bool falls = false;
      double highest = 0.0;
      rapidjson::SizeType bounces = 0;
      while (run.world().time() < 4.0 && bounces < times.Size()) {
        const double expected = times[bounces].GetDouble();
        if (bounces + 1 < times.Size() && times[bounces + 1].GetDouble() - expected < 20.0 * kStep) break;
        run.step();
        highest = std::max(highest, run.world().energy().total());
        const double now = stateOf(run, "ball").linearVelocity.z();
        if (falls && now > -1e-3) {
          EXPECT_NEAR(run.world().time(), expected, (bounces + 1) * kStep) << "bounce " << bounces + 1;
          ++bounces;
          falls = false;
        }
        falls |= now < -0.05;
      }
      EXPECT_GE(bounces, e == 0.0 ? 1u : 3u);
      EXPECT_LT(highest, energy * (1.0 + 1e-5));
    }
  }
}

// Methods that locate impacts in time: every bounce of the file, to a part of a millisecond, with steps of 1/60 s.
TEST(Bounce, TimesOfMethodsThatLocateImpacts) {
  const rapidjson::Document file = truth("f_bouncing_ball");
  for (const char* stepper : {"impulse", "hybrid", "acceleration"}) {
    for (const auto& one : file["cases"].GetArray()) {
      SceneModel model = drop(stepper, one["H"].GetDouble(), one["e"].GetDouble());
      model.dt = 1.0 / 60.0;
      SceneRun run(std::move(model));
      const auto& times = one["bounce_times"];
      // Speed before the n-th impact: e^(n-1) sqrt(2 g H). The record has no time of its own; its speed says which it is.
      const double first = std::sqrt(2.0 * 9.81 * one["H"].GetDouble());
      std::size_t bounce = 0;
      while (run.world().time() < 3.0 && bounce < times.Size()) {
        const double start = run.world().time();
        run.step();
        for (const ImpactRecord& impact : run.world().impacts()) {
          const double expected = first * std::pow(one["e"].GetDouble(), static_cast<double>(bounce));
          if (expected < 0.5 || bounce >= times.Size()) break;
          EXPECT_NEAR(impact.approach, expected, 2e-3) << stepper << ", e " << one["e"].GetDouble() << ", bounce " << bounce;
          EXPECT_GT(times[bounce].GetDouble(), start - 1e-3) << stepper;
          EXPECT_LT(times[bounce].GetDouble(), run.world().time() + 1e-3) << stepper;
          ++bounce;
        }
      }
      if (one["e"].GetDouble() > 0.0) {
        EXPECT_GT(bounce, 0u) << stepper;
      }
    }
  }
}

TEST(Bounce, ComesToRestInFiniteTime) {
  const rapidjson::Document file = truth("f_bouncing_ball");
  for (const char* stepper : {"velocity", "lcp", "implicit", "soft"}) {
    for (const auto& one : file["cases"].GetArray()) {
      if (!one.HasMember("t_rest") || one["t_rest"].GetDouble() > 5.0) continue;
      SceneModel model = drop(stepper, one["H"].GetDouble(), one["e"].GetDouble());
      // lcp bounces where steps end, and loses up to g h of its speed in each flight: up to 2 h/(1 - e) of time, every time.
      if (stepper == std::string("lcp")) model.dt = 0.25 * kStep;
      SceneRun run(std::move(model));
      double moving = 0.0;
      while (run.world().time() < one["t_rest"].GetDouble() + 0.5) {
        run.step();
        if (stateOf(run, "ball").linearVelocity.norm() > 0.02) moving = run.world().time();
      }
      SCOPED_TRACE(std::string(stepper) + ", e " + std::to_string(one["e"].GetDouble()));
      // Impacts slower than restitution_speed (0.1 m/s) do not bounce: what is missing is at most 0.1/g (1 + e)/(1 - e) s.
      EXPECT_NEAR(moving, one["t_rest"].GetDouble(), 0.1 / 9.81 * 9.0 + 20.0 * kStep);
      EXPECT_NEAR(stateOf(run, "ball").center.z(), 0.1, 1e-3);
    }
  }
}

}  // namespace
}  // namespace cairn
