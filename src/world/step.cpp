// One step, in order: edits, pairs, contacts, islands, the stepper, checks, sleep.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <exception>
#include <new>
#include <utility>

#include "base/fetch_ahead.hpp"
#include "base/phase_timer.hpp"
#include "dynamics/trajectory.hpp"
#include "math/rotation.hpp"
#include "mechanics/free_motion.hpp"
#include "mechanics/island_problem.hpp"
#include "mechanics/warm_start.hpp"
#include "steppers/features.hpp"
#include "world/state.hpp"

namespace cairn {

namespace {

constexpr std::size_t kColliderGrain = 64;
constexpr std::size_t kAhead = 8;  // bodies or contacts: asked for before they have their turn
constexpr std::size_t kStateBytes = offsetof(Body, localCenter);  // of a body: where it is, how it moves, and loads

bool isSound(const Body& body, const WorldSettings& settings) {
  const double most = settings.maximumCoordinate, fastest = settings.maximumSpeed;
  const auto isNear = [most](double x) { return std::abs(x) <= most; };  // and a number
  return isNear(body.center.x()) && isNear(body.center.y()) && isNear(body.center.z()) &&
         body.rotation.squaredNorm() < 2.0 && body.velocity.squaredNorm() <= fastest * fastest &&
         body.spin.squaredNorm() <= kMaximumSpin * kMaximumSpin;
}

const char* whatIsWrong(const Body& body, const WorldSettings& settings) {
  if (isSound(body, settings)) return nullptr;
  if (!body.center.allFinite() || !body.rotation.coeffs().allFinite()) return "its place is not a number";
  if (!body.velocity.allFinite() || !body.spin.allFinite()) return "its velocity is not a number";
  if (body.center.cwiseAbs().maxCoeff() > settings.maximumCoordinate) return "it is beyond the world's maximumCoordinate";
  if (body.velocity.norm() > settings.maximumSpeed) return "it is faster than the world's maximumSpeed";
  if (body.spin.norm() > kMaximumSpin) return "it spins faster than 1e6 rad/s";
  return nullptr;
}

}  // namespace

void WorldImpl::quarantine(std::uint32_t index, const char* reason, StepReport& report) {
  Body& body = state.system.bodies[index];
  body.quarantined = true;
  body.awake = false;
  body.velocity.setZero();
  body.spin.setZero();
  body.force.setZero();
  body.torque.setZero();
  forEachCollider(body, [&](Collider& collider) { removeCollider(state.system.broad, collider); });
  state.hidesPairs = true;
  report.quarantined.push_back({idOf(index), state.bodyNames[index], reason});
}

// Puts bodies in quarantine that `check` finds something wrong with, in their order; `before` that, each is put right.
// Checks run side by side, and are asked again about the few.
template <class Check, class Before>
void WorldImpl::checkBodies(Check&& check, Before&& before, StepReport& report) {
  std::vector<Body>& bodies = state.system.bodies;
  std::atomic<bool> any = false;
  const auto isLive = [](const Body& body) { return body.alive && !body.quarantined; };
  tasks.parallelFor(bodies.size(), kColliderGrain, [&](std::size_t first, std::size_t last) {
    bool found = false;
    for (std::size_t i = first; i < last; ++i) {
      if (i + kAhead < last) prefetch(bodies[i + kAhead], kStateBytes);
      if (isLive(bodies[i])) found |= check(static_cast<std::uint32_t>(i), bodies[i]) != nullptr;
    }
    if (found) any.store(true, std::memory_order_relaxed);
  });
  if (!any.load()) return;
  for (std::uint32_t i = 0; i < bodies.size(); ++i) {
    if (!isLive(bodies[i])) continue;
    const char* wrong = check(i, bodies[i]);
    if (wrong == nullptr) continue;
    before(i);
    quarantine(i, wrong, report);
  }
}

// A body must be sound before it meets others, and stay so under the loads put on it: whatever enters the solver is finite.
void WorldImpl::applyEdits(double dt, StepReport& report) {
  resizeGently(places, state.system.bodies.size());
  resizeGently(velocities, state.system.bodies.size());
  const auto loadIsWrong = [&](const Body& body) -> const char* {
    if (!body.isDynamic() || (body.force.isZero(0.0) && body.torque.isZero(0.0))) return nullptr;
    const double speed = (body.velocity + dt * body.inverseMass * body.force).norm();
    const double spin = body.spin.norm() + dt * (body.inverseInertia * (body.rotation.conjugate() * body.torque)).norm();
    if (!(speed <= state.settings.maximumSpeed)) return "the force on it makes it faster than the world's maximumSpeed";
    if (!(spin <= kMaximumSpin)) return "the torque on it makes it spin faster than 1e6 rad/s";
    return nullptr;
  };
  checkBodies(
      [&](std::uint32_t index, Body& body) {
        places[index] = {body.center, body.rotation};
        velocities[index] = {body.velocity, body.spin};
        const char* wrong = whatIsWrong(body, state.settings);
        return wrong != nullptr ? wrong : loadIsWrong(body);
      },
      [](std::uint32_t) {}, report);
}

void WorldImpl::checkResult(StepReport& report) {
  checkBodies(
      [&](std::uint32_t, Body& body) {
        body.force.setZero();
        body.torque.setZero();
        return whatIsWrong(body, state.settings);
      },
      [&](std::uint32_t index) {
        state.system.bodies[index].center = places[index].center;
        state.system.bodies[index].rotation = places[index].rotation;
      },
      report);
}

void WorldImpl::countBodies(StepReport& report) {
  const std::vector<Body>& bodies = state.system.bodies;
  std::atomic<int> all = 0, awake = 0;
  tasks.parallelFor(bodies.size(), kColliderGrain, [&](std::size_t first, std::size_t last) {
    int here = 0, moving = 0;
    for (std::size_t i = first; i < last; ++i) {
      if (!bodies[i].alive || bodies[i].kind != BodyKind::Dynamic) continue;
      ++here;
      moving += bodies[i].moves() ? 1 : 0;
    }
    all += here;
    awake += moving;
  });
  report.bodies = all.load();
  report.awake = awake.load();
}

void WorldImpl::followTrajectories(double dt) {
  System& system = state.system;
  if (!system.extras.empty()) {
    for (Body& body : system.bodies) {
      if (!body.alive || body.quarantined || body.extras == kNone || !system.extras[body.extras].trajectory) continue;
      // From where it is, not from where it should be: what rounding leaves does not add up.
      const Pose target = poseAt(system.extras[body.extras], state.time + dt);
      body.velocity = (target.position + target.rotation * body.localCenter - body.center) / dt;
      body.spin = rotationVector(target.rotation * body.rotation.conjugate()) / dt;
    }
  }
  for (Joint& joint : system.joints) {
    if (!joint.alive || !joint.drive) continue;
    joint.driveNow = driveAt(*joint.drive, state.time);
    joint.driveRate = (driveAt(*joint.drive, state.time + dt) - joint.driveNow) / dt;
  }
}

// After the step, so that a step that is refused changes nothing.
void WorldImpl::applyDrag(double dt) {
  System& system = state.system;
  if (system.extras.empty()) return;
  for (Body& body : system.bodies)
    if (body.extras != kNone && body.moves() && body.isDynamic()) slowByDrag(body, system.extras[body.extras].drag, dt);
}

void WorldImpl::placeColliders(double dt) {
  System& system = state.system;
  resizeGently(gates, system.colliders.size());
  std::atomic<bool> composites = false;
  tasks.parallelFor(system.colliders.size(), kColliderGrain, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      Collider& collider = system.colliders[i];
      if (!collider.enabled) continue;
      const Body& body = system.bodies[collider.body];
      collider.active = body.moves();
      collider.dynamic = body.isDynamic();
      if (collider.active || collider.stale) {
        placeCollider(collider, {body.center, body.rotation});
        collider.velocity = body.velocity;
        collider.spinReach = collider.radius < 1e9 ? body.spin.norm() * collider.radius : 0.0;
      }
      gates[i] = gateOf(collider, dt);
      if (gates[i].composite) composites.store(true, std::memory_order_relaxed);
    }
  });
  anyComposite = composites.load();
}

void WorldImpl::refreshPairs(double dt) {
  placeColliders(dt);
  updatePairs(state.system.broad, state.system.colliders, state.system.contacts, state.settings.speculativeDistance, dt,
              tasks, broadScratch, state.ending);
  state.hidesPairs = false;
}

// Bodies are as they were before the step. What the stepper may have left half written starts afresh: stored impulses,
// what is remembered of contact points, the rows that it keeps, and the stepper itself.
void WorldImpl::undoStep() {
  System& system = state.system;
  for (std::size_t i = 0; i < velocities.size(); ++i) {
    Body& body = system.bodies[i];
    if (!body.alive || body.quarantined) continue;
    body.center = places[i].center;
    body.rotation = places[i].rotation;
    body.velocity = velocities[i].linear;
    body.spin = velocities[i].angular;
  }
  forgetImpulses(system);
  system.impulseSeconds = 0.0;
  system.contacts.forgetManifolds();
  system.contacts.knowsTouch = false;
  system.memory.points.clear();
  system.stepperMemory.reset();
  stepper.reset();
  problems.clear();
  impacts.clear();
}

void World::setStopFlag(const std::atomic<bool>* flag) {
  impl_->stop = flag;
  impl_->stepSeconds.reset();
}

// A copy of the state that takes a hundredth of the step is paid for it; of a step so long that somebody will want to end
// it, a quarter. Where it would take more, the last step was short, and so will be the next, if it has the same method and
// about as many bodies.
bool WorldImpl::isStopWorthwhile(double dt) const {
  constexpr double kShare = 0.01, kShareOfLong = 0.25, kLong = 0.5 /* s */, kGrowth = 1.25;
  if (stop == nullptr) return false;
  if (!stepSeconds || static_cast<double>(state.system.bodies.size()) > kGrowth * static_cast<double>(copiedBodies) ||
      dt > kGrowth * state.lastDt)
    return true;
  return copySeconds <= (*stepSeconds < kLong ? kShare : kShareOfLong) * *stepSeconds;
}

// Buffers may be left in any state; they are made anew.
void WorldImpl::goBack() {
  state = std::exchange(before, {});  // what the step made of it may be huge
  forgetPlaces();
  stepper = makeStepper(state.settings.stepper);
  broadScratch = {};
  narrowScratch = {};
  islandScratch = {};
  problems.clear();
  impacts.clear();
  eventsAreFresh = false;
  stepSeconds.reset();
}

StepReport World::step(double dt) {
  StepReport report;
  WorldImpl& impl = *impl_;
  WorldState& state = impl.state;
  report.dt = dt;
  report.time = state.time;
  if (!(dt > 0.0) || dt > kMaximumTimeStep) {
    report.status = StepStatus::InvalidTimeStep;
    report.method.message = "dt: found " + std::to_string(dt) + " s; allowed: above 0 and at most 1 s";
    return report;
  }
  System& system = state.system;
  impl.problems.clear();
  impl.impacts.clear();
  if (const std::string& refusal = impl.findRefusal(); !refusal.empty()) {
    report.status = StepStatus::Refused;
    report.method.message = refusal;
    return report;
  }
  const auto start = std::chrono::steady_clock::now();
  const auto secondsSinceStart = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  const bool canStop = impl.isStopWorthwhile(dt);
  bool hasBegun = false;  // `places` and `velocities` are those of this step
  const auto advance = [&] {
    PhaseTimer timer(report.phaseMs);
    if (canStop) {
      impl.before = state;
      impl.copySeconds = secondsSinceStart();
      impl.copiedBodies = system.bodies.size();
    }
    const StopScope scope(canStop ? impl.stop : nullptr);
    pollStop();
    state.lastDt = dt;
    impl.forgetPlaces();
    if (!impl.stepper) impl.stepper = makeStepper(state.settings.stepper);
    impl.applyEdits(dt, report);
    hasBegun = true;
    impl.followTrajectories(dt);
    timer.finish(Phase::Edits);
    const std::vector<std::uint32_t> moved = system.contacts.arrange(system.broad.pairs);
    if (!moved.empty() && system.stepperMemory) system.stepperMemory->renumberContacts(moved);
    impl.refreshPairs(dt);
    timer.finish(Phase::BroadPhase);
    const NarrowPhaseInput input{system.colliders,
                                 impl.gates,
                                 impl.places,
                                 system.materials,
                                 state.settings.pairs,
                                 state.settings.speculativeDistance,
                                 dt,
                                 impl.anyComposite,
                                 touchColliders,
                                 state.settings.weldDistance};
    updateContacts(system.broad.pairs, system.contacts, input, impl.tasks, impl.narrowScratch, state.ending);
    report.midPhaseMs = 1e3 * impl.narrowScratch.midPhase;
    timer.finish(Phase::NarrowPhase);
    report.islands = findIslands(system, impl.tasks, impl.islandScratch);
    wakeIslands(system, report.islands, impl.islandScratch);
    timer.finish(Phase::Islands);

    StepContext context{system, state.settings, impl.tasks, report, timer, impl.problems, impl.impacts, state.time};
    impl.stepper->step(context, dt);
    report.totalMs = timer.totalMs();
    if (report.status != StepStatus::Ok) return impl.countBodies(report);

    if (!impl.stepper->integratesDrag()) impl.applyDrag(dt);
    impl.checkResult(report);
    impl.markTouching();
    updateSleep(system, state.settings.sleep, report.islands, dt, impl.islandScratch);
    impl.countBodies(report);
    for (Joint& joint : system.joints)
      if (joint.alive && joint.drive) joint.driveNow += dt * joint.driveRate;  // where it is now, for whoever asks
    state.time += dt;
    timer.finish(Phase::Finish);
    report.totalMs = timer.totalMs();
  };
  // The one place where what goes wrong inside a step becomes a value: nothing is thrown out of a step.
  const auto fail = [&](StepStatus status, const char* what) {
    if (hasBegun) impl.undoStep();
    state.time = report.time;
    report.status = status;
    report.solve.reset();
    report.impacts = {};
    report.method = {};
    report.method.message = "the step failed, and nothing was moved: " + std::string(what);
  };
  try {
    impl.tasks.enter(advance);
    if (impl.stop != nullptr) impl.stepSeconds = secondsSinceStart();
  } catch (const Stopped&) {
    impl.goBack();
    StepReport stopped;
    stopped.status = StepStatus::Stopped;
    stopped.dt = dt;
    stopped.time = state.time;
    stopped.method.message = "the step was stopped from outside";
    stopped.totalMs = 1e3 * secondsSinceStart();
    return stopped;
  } catch (const std::bad_alloc&) {
    fail(StepStatus::OutOfMemory, "this machine has too little memory for it");
  } catch (const std::exception& error) {
    fail(StepStatus::Failed, error.what());
  } catch (...) {
    fail(StepStatus::Failed, "for an unknown reason");
  }

  report.time = state.time;
  report.pairs = static_cast<int>(system.broad.pairs.size());
  return report;
}

const std::string& WorldImpl::findRefusal() {
  if (refusalIsFresh) return refusal;
  refusalIsFresh = true;
  refusal.clear();
  const Needs needs = needsOf(state.system, state.settings);
  const FeatureBits missing = needs.bits & ~featuresOf(state.settings.stepper);
  for (int i = 0; i < kFeatureCount && refusal.empty(); ++i) {
    const Feature feature = static_cast<Feature>(i);
    if ((missing & bit(feature)) == 0) continue;
    const Needs::Source& source = needs.sources[i];
    refusal = "stepper \"" + state.settings.stepper + "\" does not take " + std::string(nameOf(feature));
    if (source.body != kNone) refusal += " (body \"" + state.bodyNames[source.body] + "\")";
    if (source.joint != kNone) refusal += " (joint \"" + state.jointNames[source.joint] + "\")";
    const std::string others = steppersWith(needs.bits);
    refusal += others.empty() ? "; no stepper takes all that this world has" : "; these do: " + others;
  }
  return refusal;
}

}  // namespace cairn
