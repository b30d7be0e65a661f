#include "steppers/hybrid.hpp"

#include <algorithm>

#include "math/rotation.hpp"
#include "mechanics/free_motion.hpp"
#include "mechanics/integrate.hpp"
#include "mechanics/warm_start.hpp"
#include "steppers/impulse/events.hpp"
#include "steppers/island_impacts.hpp"
#include "steppers/turning_pairs.hpp"

namespace cairn {

namespace {

constexpr double kPushOutSpeed = 3.0;  // m/s, at most, out of penetration

bool hasJoint(const System& system, std::uint32_t island) {
  return std::any_of(system.joints.begin(), system.joints.end(), [&](const Joint& joint) {
    const auto isIn = [&](std::uint32_t index) {
      const Body& body = system.bodies[index];
      return body.moves() && body.isDynamic() && body.island == island;
    };
    return joint.alive && (isIn(joint.a) || isIn(joint.b));
  });
}

// A contact point as the rule sees it.
struct Look {
  ContactKey key;
  std::uint32_t island;
  double gap, approach;  // m, m/s
  double restitution;
  double flight;  // steps: T_b/h
  bool reached;   // it touches, or will within the step
};

std::uint32_t islandOf(const System& system, const ContactTerms& contact) {
  const Body& a = system.bodies[contact.bodyA];
  return a.moves() && a.isDynamic() ? a.island : system.bodies[contact.bodyB].island;
}

std::vector<Look> lookAtAll(const StepContext& context, double dt) {
  std::vector<Look> looks;
  Formulation formulation;
  formulation.law = Law::Interval;
  formulation.normalBias = [](const ContactTerms&) { return 0.0; };
  const double envelope = context.settings.impulse.envelope;
  formulation.active = [&](const ContactTerms& contact) {
    const double press = (contact.approach - contact.freeApproach) / dt;  // a_n, m/s^2
    // The flight that it is in, or the one after its next bounce.
    const double takeOff = contact.approach > 0.0 ? contact.approach : -contact.restitution * contact.approach;
    const double flight = press > 0.0 ? 2.0 * takeOff / press / dt : std::numeric_limits<double>::infinity();
    const bool reached = contact.gap <= envelope || contact.gap + dt * contact.freeApproach <= 0.0;
    looks.push_back({contact.key, islandOf(context.system, contact), contact.gap, contact.approach, contact.restitution,
                     flight, reached});
    return false;
  };
  buildProblems(context.system, context.settings, dt, formulation);
  return looks;
}

// Decides on every contact; returns by island whether it lasts.
std::vector<char> decide(StepContext& context, const std::vector<Look>& looks) {
  System& system = context.system;
  const HybridOptions& options = context.settings.hybrid;
  const double envelope = context.settings.impulse.envelope;
  std::vector<int> loaded;
  std::uint32_t islands = 0;
  for (const Look& look : looks) islands = std::max(islands, look.island + 1);
  for (const Body& body : system.bodies)
    if (body.alive && body.island != kNone) islands = std::max(islands, body.island + 1);
  loaded.assign(islands, 0);
  for (const Look& look : looks) {
    const PointMemory* memory = system.memory.find(look.key);
    if (memory != nullptr && memory->lasting && memory->idleSteps == 0) ++loaded[look.island];
  }
  std::vector<char> lasts(islands, 0);
  std::unordered_map<ContactKey, PointMemory, ContactKeyHash> next;
  MethodSummary& method = context.report.method;
  for (const Look& look : looks) {
    const PointMemory* old = system.memory.find(look.key);
    PointMemory memory = old != nullptr ? *old : PointMemory{};
    const bool before = memory.lasting;
    if (!memory.lasting) {
      const double longest = loaded[look.island] >= 2 ? options.stackFlight : options.lastingFlight;
      memory.lasting = look.reached && look.flight < longest;
      memory.idleSteps = 0;
    } else {
      const bool hit =
          look.reached && look.approach < -context.settings.restitutionSpeed && look.flight > options.releaseFlight;
      memory.lasting = memory.idleSteps < options.releaseSteps && look.gap <= 2.0 * envelope && !hit;
    }
    if (memory.lasting != before) ++method.switches;
    ++(memory.lasting ? method.lasting : method.brief);
    if (memory.lasting) lasts[look.island] = 1;
    next[look.key] = memory;
  }
  system.memory.points.swap(next);
  for (const Joint& joint : system.joints) {
    if (!joint.alive) continue;
    for (const std::uint32_t index : {joint.a, joint.b}) {
      const Body& body = system.bodies[index];
      if (body.moves() && body.isDynamic() && body.island != kNone) lasts[body.island] = 1;
    }
  }
  return lasts;
}

// A constraint of the step's beginning does not see what a body that turns far will meet on its way. Such an island is
// advanced by events in this step, whether its contacts last or not; with joints it cannot be, which is said.
void releaseTurning(StepContext& context, double dt, std::vector<char>& lasts) {
  const System& system = context.system;
  if (std::find(lasts.begin(), lasts.end(), 1) == lasts.end()) return;
  for (const TurningMeeting& meeting : turningMeetings(system, dt, context.settings.impulse.envelope)) {
    for (const std::uint32_t index : {meeting.bodyA, meeting.bodyB}) {
      const Body& body = system.bodies[index];
      if (!body.moves() || !body.isDynamic() || body.island == kNone || lasts[body.island] == 0) continue;
      if (!hasJoint(system, body.island)) {
        lasts[body.island] = 0;
      } else if (context.report.method.message.empty()) {
        context.report.method.message = "a body in an island with joints turns by " + std::to_string(meeting.turn) +
                                        " rad in the step and meets another on its way: the contact may have been missed";
      }
    }
  }
}

}  // namespace

void HybridStepper::step(StepContext& context, double dt) {
  System& system = context.system;
  const WorldSettings& settings = context.settings;
  const std::vector<Body> start = system.bodies;
  const StepMemory remembered = system.memory;
  noteContacts(context);
  StepJudge judge(context, dt);
  const std::vector<Look> looks = lookAtAll(context, dt);
  std::vector<char> lasts = decide(context, looks);
  releaseTurning(context, dt, lasts);
  const auto lasting = [&](std::uint32_t body) {
    const Body& one = system.bodies[body];
    return one.moves() && one.isDynamic() && one.island != kNone && lasts[one.island] != 0;
  };

  // What hits an island that lasts.
  const auto hits = [&](const Look& look) {
    const PointMemory* memory = system.memory.find(look.key);
    return lasts[look.island] != 0 && look.reached && look.restitution > 0.0 && look.approach < -settings.restitutionSpeed &&
           (memory == nullptr || !memory->lasting);
  };
  std::vector<char> isHit(lasts.size(), 0);
  for (const Look& look : looks) isHit[look.island] |= hits(look) ? 1 : 0;
  std::vector<IslandProblem> hit;
  if (std::find(isHit.begin(), isHit.end(), 1) != isHit.end()) {
    const double envelope = settings.impulse.envelope;
    hit = impactProblems(context, dt, frictionLaw(settings), [&](const ContactTerms& contact) {
      return isHit[islandOf(system, contact)] != 0 &&
             (contact.gap <= envelope || contact.gap + dt * contact.freeApproach <= 0.0);
    });
  }
  const std::vector<Vector> knocks = resolveIslandImpacts(context, hit, "auto");

  Formulation formulation;
  formulation.law = frictionLaw(settings);
  formulation.facets = settings.friction.facets;
  formulation.speedFloor = dt * settings.gravity.norm();
  formulation.pushesOut = true;
  formulation.jointRate = 1.0 / dt;
  formulation.jointSpeed = kPushOutSpeed;
  formulation.active = [&](const ContactTerms& contact) { return lasting(contact.bodyA) || lasting(contact.bodyB); };
  formulation.normalBias = [&](const ContactTerms& contact) { return std::max(contact.gap / dt, -kPushOutSpeed); };
  std::vector<IslandProblem> islands;
  if (std::find(lasts.begin(), lasts.end(), 1) != lasts.end()) islands = buildProblems(system, settings, dt, formulation);
  context.timer.finish(Phase::Prepare);
  const bool goes = solver_.solve(context, islands);
  if (!goes) {
    system.bodies = start;
    system.memory = remembered;
    return;
  }
  context.timer.finish(Phase::Solve);

  std::vector<char> solved(system.bodies.size(), 0);
  for (std::size_t i = 0; i < islands.size(); ++i) setVelocities(system, islands[i], solver_.impulse(i), solved);
  PointImpulses impulses(context);  // forgets what contacts held
  ImpactEvents events(context, impulses, dt);
  std::vector<char> away(system.bodies.size(), 0);
  for (std::uint32_t i = 0; i < system.bodies.size(); ++i) away[i] = lasting(i) ? 1 : 0;
  events.leaveAlone(away);
  events.run();
  context.timer.finish(Phase::Solve);
  const FreeMotion motion = freeMotion(settings);
  for (std::uint32_t i = 0; i < system.bodies.size(); ++i) {
    Body& body = system.bodies[i];
    if (away[i] == 0) continue;
    if (solved[i] == 0) {
      moveFree(body, motion, dt, 1);
    } else {
      advance(body, dt);
    }
  }

  for (std::size_t i = 0; i < islands.size(); ++i) {
    storeImpulses(system, islands[i], solver_.impulse(i));
    for (std::size_t k = 0; k < islands[i].origins.size(); ++k) {
      const IslandProblem::Origin& origin = islands[i].origins[k];
      const auto memory = system.memory.points.find(origin.key);
      if (origin.point < 0 || memory == system.memory.points.end() || !memory->second.lasting) continue;
      const bool idle = !(solver_.impulse(i)[islands[i].problem->blocks()[k].first] > 0.0);
      memory->second.idleSteps = idle ? memory->second.idleSteps + 1 : 0;
    }
  }
  for (std::size_t i = 0; i < hit.size(); ++i) storeImpulses(system, hit[i], knocks[i], false);
  system.impulseSeconds = dt;
  noteJointError(context);
  context.timer.finish(Phase::Integrate);
  judge.finish(context);
}

}  // namespace cairn
