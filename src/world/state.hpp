// What a World consists of.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/tasks.hpp"
#include "cairn/world.hpp"
#include "collision/narrow_phase.hpp"
#include "dynamics/islands.hpp"
#include "dynamics/system.hpp"
#include "mechanics/continuous.hpp"
#include "mechanics/stepper.hpp"
#include "world/joint_ends.hpp"
#include "world/query_index.hpp"

namespace cairn {

// Everything that the future depends on. A snapshot is a copy of this.
struct WorldState {
  WorldSettings settings;
  System system;
  double time = 0.0;
  std::vector<std::string> bodyNames, jointNames, mechanismNames;  // by index
  std::unordered_map<std::string, std::uint32_t> bodyByName;
  std::vector<std::uint32_t> freeBodies, freeColliders, freeJoints, freeExtras, freeMechanisms;
  std::uint64_t namesMade = 0;
  std::vector<ContactParties> ending;  // were touching, and their pair is gone: to be told by the next step
  std::vector<ContactParties> ended;   // told by the last step
  double lastDt = 1.0 / 60.0;          // s, of the last step
  JointEnds jointEnds;
  bool hidesPairs = false;  // a collider left the tree within the last step, and its pairs are still in the table
};

// Which bodies each island has, for edits between steps. Made when first asked for after a step.
struct IslandMembers {
  bool known = false;
  std::vector<std::uint32_t> first;   // by island, and one more; in `bodies`
  std::vector<std::uint32_t> bodies;  // some may be gone since
};

struct WorldImpl {
  WorldState state;
  Tasks tasks;
  std::unique_ptr<Stepper> stepper;  // none after a step that failed: the next one makes it anew

  // Buffers of a step.
  BroadPhaseScratch broadScratch;
  NarrowPhaseScratch narrowScratch;
  IslandScratch islandScratch;
  std::vector<Placement> places;  // before the step
  std::vector<BodyVelocity> velocities;  // before the step: with `places`, what a step that fails is undone from
  std::vector<BodyExtent> extents;       // by body
  std::vector<std::uint8_t> fastFlags;   // by body: 1 if it is to be swept after this step
  std::vector<std::uint32_t> fast;       // those bodies
  ContinuousSweep continuous;
  std::vector<std::pair<Vector, Vector>> mechanisms;  // q and v of articulations before the step, likewise
  std::vector<ColliderGate> gates;
  bool anyComposite = false;          // among the gates
  std::vector<std::uint8_t> endings;  // 1: among these contacts are some that ceased to touch
  std::mutex eventsMutex;             // threads that ask for events at once: the first collects them
  std::vector<ContactEvent> events;
  bool eventsAreFresh = false;
  QueryIndex queries;
  std::mutex queryTasks;  // held by the question that uses `tasks`
  IslandMembers members;
  std::vector<StepProblem> problems;  // of the last step, if kept
  std::vector<ImpactRecord> impacts;  // of the last step
  std::vector<JointEvent> jointEvents;  // of the last step
  std::string refusal;                // why the stepper does not take this world; empty if it does
  bool refusalIsFresh = false;        // nothing that it depends on changed since

  // For steps that are stopped.
  const StopFlag* stop = nullptr;
  WorldState before;                  // as the last step that could be stopped found it
  double copySeconds = 0.0;           // that `before` took
  std::size_t copiedBodies = 0;       // that it had
  std::optional<double> stepSeconds;  // of the last step; nothing if the method has changed since

  Body* find(BodyId id);
  const Body* find(BodyId id) const;
  Collider* find(ShapeId id);
  const Collider* find(ShapeId id) const;
  Joint* find(JointId id);
  const Joint* find(JointId id) const;
  Mechanism* find(ArticulationId id);
  const Mechanism* find(ArticulationId id) const;

  BodyId idOf(std::uint32_t body) const { return {body, state.system.bodies[body].generation}; }
  ShapeId shapeIdOf(std::uint32_t collider) const { return {collider, state.system.colliders[collider].generation}; }

  template <class Use>
  void forEachCollider(const Body& body, Use&& use) {
    for (std::uint32_t c = body.firstCollider; c != kNone; c = state.system.colliders[c].next)
      use(state.system.colliders[c]);
  }

  bool isStopWorthwhile(double dt) const;  // whether the next step is to be one that can be stopped
  void goBack();                           // to before the step that was stopped

  void wakeIsland(Body& body);
  void markEdited(const Body& body);         // shapes are to be taken anew, by the next step and by questions
  void dropPairsOf(std::uint32_t collider);  // tells their ends, and wakes who touched it
  void exclude(const Joint& joint, bool add) { exclude(joint.a, joint.b, add); }
  void exclude(std::uint32_t a, std::uint32_t b, bool add);
  void forgetPlaces();  // bodies are elsewhere, or others
  void quarantine(std::uint32_t body, const char* reason, StepReport& report);
  void placeColliders(double dt);  // world poses and speeds of shapes from their bodies
  void limitReach(double dt);  // of contacts that fast bodies get
  void refreshPairs(double dt);
  void applyEdits(double dt, StepReport& report);
  template <class Check, class Before>
  void checkBodies(Check&& check, Before&& before, StepReport& report);
  void followTrajectories(double dt);  // velocities of driven bodies, targets of driven joints
  void applyDrag(double dt);
  void followMotorKeys(double time);
  void applyEfforts(double sign);  // of motors
  void finishJoints(double dt);    // after a step
  void enable(Joint& joint, bool enabled);
  void undoStep();
  const std::string& findRefusal();
  void checkResult(double dt, StepReport& report);
  void sweepFast(double dt, StepReport& report);  // what could have passed through something
  void countBodies(StepReport& report);
  void markTouching();
  void collectEvents();
};

// Checks what acts along an axis and writes it into `forces`.
void applyAxis(const std::string& field, const JointKind& kind, int axis, const JointAxisDesc& desc, AxisForces& forces);

}  // namespace cairn
