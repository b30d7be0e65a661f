// What a step says about itself.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cairn/exit.hpp"
#include "cairn/ids.hpp"
#include "cairn/math.hpp"
#include "cairn/shape.hpp"

namespace cairn {

enum class Phase : std::uint8_t { Edits, BroadPhase, NarrowPhase, Islands, Prepare, Solve, Integrate, Finish };
inline constexpr int kPhaseCount = 8;
inline constexpr std::array<std::string_view, kPhaseCount> kPhaseNames = {
    "edits", "broad_phase", "narrow_phase", "islands", "prepare", "solve", "integrate", "finish"};

enum class StepStatus : std::uint8_t {
  Ok,
  InvalidTimeStep,  // not finite, not positive, or above kMaximumTimeStep: nothing was changed
  Refused,          // the method does not take such a world (StepReport::refusal() says why): nothing was moved
  Failed,           // something went wrong inside the step (refusal() says what): every body is as it was before
  OutOfMemory,      // the same, for want of memory
  Stopped,          // the flag of World::setStopFlag was raised: the world is as it was when the step began
};

inline constexpr double kMaximumTimeStep = 1.0;  // s
inline constexpr double kMaximumSpin = 1e6;      // rad/s: a body that spins faster is quarantined

// A body whose state became impossible (not finite, too far, too fast). It was put back to its last good place, at rest and
// without contacts, so that it cannot spoil others.
struct Quarantine {
  BodyId body{};
  std::string name{};
  std::string reason{};
};

// How well the contact problems of a step, one for each island, were solved.
struct SolveSummary {
  int problems = 0;
  int iterations = 0;                   // of all of them together
  double residual = 0.0;                // worst Residual::relative
  double speed = 0.0;                   // m/s: worst Residual::worst
  std::array<int, kExitCount> exits{};  // by Exit; steppers that solve their contacts themselves have none
  std::string message{};                // of the first problem that was not solved
};

// One impact, audited: energies of the two bodies (kinetic, J) just before and just after.
struct ImpactRecord {
  BodyId bodyA{}, bodyB{};
  Vec3 point = Vec3::Zero();    // m, world
  Vec3 normal = Vec3::Zero();   // from A to B
  Vec3 impulse = Vec3::Zero();  // N s, on B
  ImpactLaw law = ImpactLaw::Newton;
  bool micro = false;     // a hop of a resting contact ("impulse", "hybrid"): of no law, and it may give a little
  double approach = 0.0;  // m/s, before; positive when closing
  double beforeA = 0.0, beforeB = 0.0;
  double afterA = 0.0, afterB = 0.0;
  double gain() const { return afterA + afterB - beforeA - beforeB; }
};

// All impacts of a step together. Simultaneous impacts are one: what one of them gains another may lose.
struct ImpactSummary {
  int count = 0;
  float microGained = 0.0f;        // J: what of energyGained micro-collisions gave
  double energyLost = 0.0;         // J
  double energyGained = 0.0;       // J: Newton's law with friction can
  double restitutionFactor = 1.0;  // the least that restitution was lowered to anywhere, because energy would have risen
};

// What steppers other than "soft" and "velocity" have to say about a step.
struct MethodSummary {
  int passes = 0;          // of a fixpoint iteration ("implicit": the most that a sub-step took)
  int halvings = 0;        // "implicit": of the step
  int events = 0;          // located in time
  int lasting = 0;         // contacts that "hybrid" treats as lasting
  int brief = 0;           // and as brief
  int switches = 0;        // of contacts between the two
  int inconsistent = 0;    // Painleve configurations that were resolved by an impulse
  int layers = 0;          // of stacks
  double swallowed = 0.0;  // N s: momentum that went into layers while they were held fast ("shock")
  std::string message{};   // the first thing out of the ordinary
};

// What a step did to one island, and how well. Only if WorldSettings::audit asks.
struct IslandReport {
  std::uint32_t island = 0;  // its number in this step
  std::string method{};      // "sweep" or "direct" of the stepper "soft", else the solver
  int bodies = 0;            // that can be moved
  int rows = 0;              // of its contact problem
  int substeps = 1;
  int iterations = 0;     // of the solver, over all solves of the step
  double work = 0.0;      // rows times iterations, or contacts times passes
  double residual = 0.0;  // relative, as judged
  double speed = 0.0;     // m/s: the largest error of any row
};

struct StepReport {
  StepStatus status = StepStatus::Ok;
  double dt = 0.0;    // s
  double time = 0.0;  // s, of the world after the step
  int bodies = 0;     // dynamic ones
  int awake = 0;
  int pairs = 0;          // that the broad phase holds
  int contacts = 0;       // contact points that the solver saw
  int touchingPairs = 0;  // pairs with at least one such point
  int islands = 0;
  int directIslands = 0;  // of these, that the stepper "soft" solved as one system
  int colours = 0;
  int substeps = 0;
  double jointError = 0.0;         // m, largest
  double gainTaken = 0.0;          // J: energy that "soft" would have made in contacts, and took back from the motion
  double solverPenetration = 0.0;  // m, deepest point that the solver was given (World::deepestPenetration measures exactly)
  std::optional<SolveSummary> solve{};  // with an exchangeable solver, or if WorldSettings::audit asks
  ImpactSummary impacts{};              // of steppers that resolve impacts as such
  MethodSummary method{};
  std::array<double, kPhaseCount> phaseMs{};  // wall clock, without what the audit takes
  double midPhaseMs = 0.0;  // of the narrow phase, on all threads together: finding triangles of surfaces
  double totalMs = 0.0;
  std::vector<Quarantine> quarantined{};      // in this step
  std::vector<IslandReport> islandReports{};  // if WorldSettings::audit asks: by island, those that have contacts or joints

  // Why the step was not made.
  std::string_view refusal() const { return solve && !solve->message.empty() ? solve->message : method.message; }
};

// Energy of all dynamic bodies, J.
struct Energy {
  double kinetic = 0.0;
  double potential = 0.0;  // m g h against the world's origin
  double total() const { return kinetic + potential; }
};

// The deepest overlap of any two shapes, from exact geometry.
struct Penetration {
  double depth = 0.0;  // m, 0 if nothing overlaps
  ShapeId a, b;
};

}  // namespace cairn
