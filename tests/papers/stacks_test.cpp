// Forces in stacks at rest (t_stacks.json): what lies above an interface rests on it, however the load is shared within.
#include "papers/truth.hpp"

namespace cairn {
namespace {

constexpr double kStep = 1.0 / 60.0;  // s
constexpr const char* kSteppers[] = {"velocity", "lcp", "implicit"};

SceneModel tight(SceneModel model, const std::string& stepper) {
  model.settings.stepper = stepper;
  model.settings.solver.tolerance = 1e-10;
  model.settings.solver.iterations = 0;
  model.dt = kStep;
  return model;
}

// Vertical force (N) on each named body from what is below it, in the last step.
double supportOf(const SceneRun& run, BodyId body) {
  double force = 0.0;
  for (const ContactEvent& event : run.world().contactEvents()) {
    if (event.bodyA != body && event.bodyB != body) continue;
    const BodyId other = event.bodyA == body ? event.bodyB : event.bodyA;
    if (run.world().state(other)->center.z() > run.world().state(body)->center.z()) continue;
    const Vec3 onB = event.normalImpulse * event.normal + event.frictionImpulse;
    force += (event.bodyB == body ? 1.0 : -1.0) * onB.z() / run.model().dt;
  }
  return force;
}

void expectSupports(SceneRun& run, const std::vector<BodyId>& bodies, const rapidjson::Value& expected) {
  ASSERT_EQ(bodies.size(), expected.Size());
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const double force = expected[static_cast<rapidjson::SizeType>(i)].GetDouble();
    EXPECT_NEAR(supportOf(run, bodies[i]), force, 1e-6 * force) << "interface " << i;
  }
}

std::vector<BodyId> dynamicBodies(const SceneRun& run) {
  std::vector<BodyId> ids;
  for (const BodyId id : run.bodies())
    if (run.world().kind(id) == BodyKind::Dynamic) ids.push_back(id);
  return ids;
}

TEST(Stacks, TwentyFiveBoxes) {
  const rapidjson::Document file = truth("t_stacks");
  for (const char* stepper : kSteppers) {
    SCOPED_TRACE(stepper);
    SceneRun run(tight(openScene("stack25"), stepper));
    for (int i = 0; i < 30; ++i) run.step();
    expectSupports(run, dynamicBodies(run), file["box_stack_25_unit_mass"]["interface_forces_bottom_up"]);
  }
}

TEST(Stacks, HeavyOnLight) {
  const rapidjson::Document file = truth("t_stacks");
  for (const char* stepper : kSteppers) {
    int number = 0;
    for (const auto& one : file["heavy_on_light"].GetArray()) {
      SCOPED_TRACE(std::string(stepper) + ", case " + std::to_string(number++));
      const auto& masses = one["masses_bottom_up"];
      SceneModel model = openScene("stack25", {with("count", masses.Size())});
      for (rapidjson::SizeType i = 0; i < masses.Size(); ++i) model.bodies[i + 1].desc.mass = masses[i].GetDouble();
      SceneRun run(tight(std::move(model), stepper));
      for (int i = 0; i < 30; ++i) run.step();
      expectSupports(run, dynamicBodies(run), one["interface_forces_bottom_up"]);
    }
  }
}

TEST(Stacks, ColumnsOfBalls) {
  const rapidjson::Document file = truth("t_stacks");
  const auto& forces = file["ball_grid_5x5x5_unit_mass"]["per_column_forces_bottom_up"];
  for (const char* stepper : kSteppers) {
    SCOPED_TRACE(stepper);
    SceneRun run(tight(openScene("ball_grid"), stepper));
    for (int i = 0; i < 5; ++i) run.step();
    for (int z = 0; z < 5; ++z) {
      double layer = 0.0;
      for (int x = 0; x < 5; ++x)
        for (int y = 0; y < 5; ++y) {
          const std::string name = "ball." + std::to_string(x) + "." + std::to_string(y) + "." + std::to_string(z);
          layer += supportOf(run, *run.world().findBody(name));
        }
      EXPECT_NEAR(layer, 25.0 * forces[z].GetDouble(), 1e-6 * 25.0 * forces[z].GetDouble()) << "layer " << z;
    }
  }
}

}  // namespace
}  // namespace cairn
