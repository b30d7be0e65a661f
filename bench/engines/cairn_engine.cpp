// Cairn at the scene's own settings, which are its defaults unless the scene or --set says otherwise.
#include <fmt/format.h>

#include "engine.hpp"
#include "scene/scene_run.hpp"

namespace cairn::bench {
namespace {

class CairnEngine : public Engine {
 public:
  CairnEngine(const BenchScene& scene, int threads) : run_(withThreads(scene.model, threads)) {}

  std::string settings() const override {
    const WorldSettings& settings = run_.world().settings();
    std::string text = fmt::format("stepper {}", settings.stepper);
    if (settings.stepper == "soft")
      text += fmt::format(", {} to {} substeps", settings.soft.leastSubsteps, settings.soft.substeps);
    return text + ", sleeping off";
  }
  void add(std::size_t) override { run_.admit(); }
  void step() override {
    const StepReport report = run_.step();
    if (report.status != StepStatus::Ok) failure_ = report.refusal();
  }
  BodyState state(std::size_t body) const override {
    BodyState state = *run_.world().state(run_.bodies()[body]);
    if (run_.world().isQuarantined(run_.bodies()[body])) state.center.setConstant(std::numeric_limits<double>::quiet_NaN());
    return state;
  }
  MassProperties massProperties(std::size_t body) const override {
    return *run_.world().massProperties(run_.bodies()[body]);
  }
  std::string failure() const override { return failure_; }

 private:
  static SceneModel withThreads(SceneModel model, int threads) {
    model.settings.threads = threads;
    model.settings.sleep.enabled = false;
    model.settings.audit = Audit::None;
    return model;
  }
  SceneRun run_;
  std::string failure_;
};

}  // namespace

EngineKind cairnEngine() {
  return {.name = "cairn",
          .version = CAIRN_VERSION,
          .refusal = [](const BenchScene&, int) { return std::string(); },
          .make = [](const BenchScene& scene, int threads) -> std::unique_ptr<Engine> {
            return std::make_unique<CairnEngine>(scene, threads);
          }};
}

}  // namespace cairn::bench
