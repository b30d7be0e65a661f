#include "mechanics/articulated_islands.hpp"

#include <algorithm>

#include "mechanics/integrate.hpp"
#include "mechanics/joint_rows.hpp"
#include "mechanics/warm_start.hpp"

namespace cairn {

namespace {

constexpr double kStabilisation = 0.2;  // share of an error that a substep takes back
constexpr double kSlop = 5e-4;          // m of penetration that is left alone
constexpr double kPushOutSpeed = 3.0;   // m/s
constexpr double kTolerance = 1e-7;     // of the solver

// What the next solve starts from; sums over the step stay.
void scaleStarts(System& system, double factor) {
  forEachContact(system, [&](std::uint32_t slot) {
    Contact& contact = system.contacts.slots[slot];
    contact.frictionImpulse *= static_cast<float>(factor);
    for (ContactPoint& point : contact.points) point.normalImpulse *= static_cast<float>(factor);
  });
  for (Joint& joint : system.joints) {
    for (double& impulse : joint.impulse) impulse *= factor;
    for (AxisForces& forces : joint.forces)
      for (double& impulse : forces.impulse) impulse *= factor;
  }
  for (Mechanism& mechanism : system.mechanisms)
    for (auto& forces : mechanism.impulse)
      for (double& impulse : forces) impulse *= factor;
}

// Sums over the last step.
void clearTotals(System& system) {
  forEachContact(system, [&](std::uint32_t slot) {
    Contact& contact = system.contacts.slots[slot];
    contact.totalFriction.setZero();
    contact.totalTwist = 0.0f;
    for (ContactPoint& point : contact.points) point.totalImpulse = 0.0f;
  });
  for (Joint& joint : system.joints) {
    joint.totalRows.fill(0.0);
    joint.totalImpulse.setZero();
    joint.totalAngularImpulse.setZero();
    for (AxisForces& forces : joint.forces) forces.total.fill(0.0);
  }
  for (Mechanism& mechanism : system.mechanisms)
    for (auto& forces : mechanism.total) forces.fill(0.0);
}

}  // namespace

void ArticulatedIslands::chooseIslands(const System& world) {
  isOurs_.clear();
  joints_.clear();
  const auto islandOf = [&](std::uint32_t index) {
    const Body& body = world.bodies[index];
    return body.moves() && body.isDynamic() ? body.island : kNone;
  };
  const auto take = [&](std::uint32_t island) {
    if (isOurs_.size() <= island) isOurs_.resize(island + 1, 0);
    isOurs_[island] = 1;
  };
  for (const Mechanism& mechanism : world.mechanisms) {
    if (!mechanism.alive) continue;
    for (const std::uint32_t index : mechanism.bodies)
      if (const std::uint32_t island = islandOf(index); island != kNone) take(island);
  }
  // What acts along axes of joints within bounds, in islands that also have contacts or loops: sweeps do not hold these.
  bool anyForces = false;
  for (const Joint& joint : world.joints) {
    if (!joint.alive) continue;
    const std::uint32_t island = std::min(islandOf(joint.a), islandOf(joint.b));
    if (island == kNone) continue;
    if (joints_.size() <= island) joints_.resize(island + 1);
    ++joints_[island].joints;
    joints_[island].forces |= !joint.forces.empty();
    anyForces |= !joint.forces.empty();
  }
  if (!anyForces) return;
  for (std::uint32_t i = 0; i < world.bodies.size(); ++i)
    if (const std::uint32_t island = islandOf(i); island < joints_.size()) ++joints_[island].bodies;
  for (std::uint32_t island = 0; island < joints_.size(); ++island)
    if (joints_[island].forces && joints_[island].joints > joints_[island].bodies) take(island);
  forEachContact(world, [&](std::uint32_t slot) {
    const ContactCache::Ends& ends = world.contacts.ends[slot];
    for (const std::uint32_t island : {islandOf(ends.a), islandOf(ends.b)})
      if (island < joints_.size() && joints_[island].forces) take(island);
  });
}

void ArticulatedIslands::begin(StepContext& context, double dt) {
  bodies_.clear();
  System& world = context.system;
  if (world.mechanisms.empty() && world.joints.empty()) return;
  chooseIslands(world);
  const std::vector<char>& isOurs = isOurs_;
  if (isOurs.empty()) return;
  for (std::uint32_t i = 0; i < world.bodies.size(); ++i) {
    const Body& body = world.bodies[i];
    if (body.moves() && body.isDynamic() && body.island < isOurs.size() && isOurs[body.island] != 0) bodies_.push_back(i);
  }
  if (bodies_.empty()) return;
  island_ = gather(world, bodies_);
  StepContext inner{island_.system, context.settings, context.tasks,   context.report,
                    context.timer,  context.problems, context.impacts, context.time};
  clearTotals(island_.system);
  for (int i = 0; i < kArticulatedSubsteps; ++i) substep(inner, dt / kArticulatedSubsteps, i == 0);
  scaleStarts(island_.system, kArticulatedSubsteps);
  noteJointError(inner);
  for (const std::uint32_t body : bodies_) world.bodies[body].awake = false;
}

void ArticulatedIslands::substep(StepContext& context, double h, bool isFirst) {
  System& system = context.system;
  const WorldSettings& settings = context.settings;
  if (!isFirst) placeColliders(system);
  Formulation formulation;
  formulation.law = settings.friction.law == "none" ? Law::Interval : Law::Cone;
  formulation.pushesOut = true;
  formulation.jointRate = kStabilisation / h;
  formulation.jointSpeed = kPushOutSpeed;
  formulation.speedFloor = h * settings.gravity.norm();
  formulation.normalBias = [&](const ContactTerms& contact) {
    const bool reached = contact.gap + h * contact.freeApproach <= 0.0;
    if (reached && contact.restitution > 0.0 && contact.approach < -settings.restitutionSpeed)
      return contact.restitution * contact.approach;
    if (contact.gap >= 0.0) return contact.gap / h;
    return std::max(kStabilisation * std::min(contact.gap + kSlop, 0.0) / h, -kPushOutSpeed);
  };
  std::vector<IslandProblem> islands = buildProblems(system, settings, h, formulation);
  SolverSettings solver;  // those of the settings are for steppers that take a solver
  solver.tolerance = kTolerance;
  if (!solver_.solve(context, islands, solver)) return;
  scaleStarts(system, 0.0);
  for (std::size_t i = 0; i < islands.size(); ++i) storeImpulses(system, islands[i], solver_.impulse(i));
  moveSolved(context, islands, solver_.impulses(), h);
  system.impulseSeconds = h;
  context.report.substeps = std::max(context.report.substeps, kArticulatedSubsteps);
}

void ArticulatedIslands::finish(StepContext& context) {
  if (bodies_.empty()) return;
  for (const std::uint32_t body : bodies_) context.system.bodies[body].awake = true;
  commit(island_, context.system);
  context.system.contacts.knowsTouch = false;  // who touches is to be seen by the impulses
}

}  // namespace cairn
