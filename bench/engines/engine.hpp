// What the benchmark needs of an engine, and the engines there are.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bench_scene.hpp"

namespace cairn::bench {

// One engine with one scene in it. Bodies that are there from the start are in it when it is made, with all joints; the
// others come by add(). Bodies are numbered as in the scene.
class Engine {
 public:
  virtual ~Engine() = default;
  virtual std::string settings() const = 0;  // in one line: method, iterations, what was changed from the defaults and why
  virtual void add(std::size_t body) = 0;    // a body that appears now; outside of what is timed
  virtual void step() = 0;                   // by kTimeStep; this alone is timed
  // Of a dynamic body that has come. Not finite if the engine lost it.
  virtual BodyState state(std::size_t body) const = 0;
  virtual MassProperties massProperties(std::size_t body) const = 0;  // as the engine holds them
  virtual std::string failure() const { return {}; }                  // why what it does is worth nothing from here on
};

struct EngineKind {
  std::string_view name;
  std::string version;
  // Why it cannot run that scene with so many threads, as a sentence; empty if it can.
  std::string (*refusal)(const BenchScene& scene, int threads);
  std::unique_ptr<Engine> (*make)(const BenchScene& scene, int threads);  // `scene` outlives it
};

EngineKind cairnEngine();
EngineKind bulletEngine();
EngineKind odeEngine();
EngineKind mujocoEngine();

const std::vector<EngineKind>& engineKinds();  // in the order they are run and shown
std::vector<std::string_view> engineNames();

}  // namespace cairn::bench
