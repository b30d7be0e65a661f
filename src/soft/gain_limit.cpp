#include "soft/gain_limit.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "math/rotation.hpp"
#include "mechanics/integrate.hpp"
#include "mechanics/joint_rows.hpp"
#include "soft/layout/watched_contacts.hpp"
#include "soft/plan/policy.hpp"

namespace cairn {

using namespace policy::gain;

namespace {

double turningEnergy(const Body& body, const Vec3& spin) {
  const Vec3 local = body.rotation.conjugate() * spin;
  return 0.5 * local.dot(body.inertia * local);
}
double kineticOf(const Body& body) { return 0.5 * body.mass * body.velocity.squaredNorm() + turningEnergy(body, body.spin); }
// What loads do to a body is a potential, too.
double potentialOf(const Body& body, const Vec3& gravity) {
  return -(body.mass * body.gravityScale * gravity + body.force).dot(body.center);
}

template <class Use>
void forEachOf(System& system, const SoftBodies& bodies, std::uint32_t island, Use&& use) {
  for (const std::uint32_t index : bodies.movable)
    if (system.bodies[index].island == island) use(system.bodies[index]);
}

// What an island does as a whole.
struct RigidMotion {
  double mass = 0.0;             // kg
  Vec3 center = Vec3::Zero();    // m
  Vec3 momentum = Vec3::Zero();  // N s
  Vec3 angular = Vec3::Zero();   // N m s, about the centre
  Mat3 inertia = Mat3::Zero();   // kg m^2, likewise
  Vec3 load = Vec3::Zero();      // N
  bool isLocked = false;         // some body has a locked axis: then nothing is known of its spin
};
RigidMotion rigidMotionOf(System& system, const SoftBodies& bodies, std::uint32_t island, const Vec3& gravity) {
  RigidMotion motion;
  forEachOf(system, bodies, island, [&](const Body& body) {
    motion.mass += body.mass;
    motion.center += body.mass * body.center;
    motion.momentum += body.mass * body.velocity;
    motion.load += body.mass * body.gravityScale * gravity + body.force;
    motion.isLocked |= body.lockedPosition != 0 || body.lockedRotation != 0;
  });
  motion.center /= motion.mass;
  forEachOf(system, bodies, island, [&](const Body& body) {
    const Vec3 arm = body.center - motion.center;
    const Mat3 own = inWorldAxes(body.rotation, body.inertia);
    motion.inertia += own + body.mass * (arm.squaredNorm() * Mat3::Identity() - arm * arm.transpose());
    motion.angular += own * body.spin + body.mass * arm.cross(body.velocity - motion.momentum / motion.mass);
  });
  return motion;
}

}  // namespace

void GainLimit::add(const StepContext& context, const SoftBodies& bodies, Energies Account::*which) {
  const System& system = context.system;
  const Vec3& gravity = context.settings.gravity;
  const auto energiesOf = [&](const Body& body) {
    const double kinetic = kineticOf(body);
    return Energies{kinetic, kinetic + potentialOf(body, gravity), body.mass};
  };
  const std::vector<std::uint32_t>& movable = bodies.movable;
  const bool isBefore = which == &Account::before;
  const auto addOne = [&](std::size_t i, Energies& sum) {
    const Energies energies = energiesOf(system.bodies[movable[i]]);
    if (isBefore) before_[i] = energies.total;
    sum.add(energies);
  };
  if (bodies.parts == 1) {
    for (std::size_t i = 0; i < movable.size(); ++i)
      addOne(i, accounts_[system.bodies[movable[i]].island - firstIsland_].*which);
    return;
  }
  pieces_.assign((movable.size() + kBodyGrain - 1) / kBodyGrain, Energies{});
  context.tasks.parallelFor(movable.size(), kBodyGrain, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) addOne(i, pieces_[first / kBodyGrain]);
  });
  for (const Energies& piece : pieces_) (accounts_[0].*which).add(piece);
}

void GainLimit::begin(const StepContext& context, const SoftBodies& bodies, std::span<const ContactEnds> contacts,
                      std::span<const JointEnds> joints) {
  const std::vector<Body>& all = context.system.bodies;
  std::uint32_t last = firstIsland_ = all[bodies.movable.front()].island;
  if (bodies.parts == 1) {
    for (const std::uint32_t index : bodies.movable) {
      firstIsland_ = std::min(firstIsland_, all[index].island);
      last = std::max(last, all[index].island);
    }
  }
  accounts_.assign(last - firstIsland_ + 1, Account{});
  resizeAnew(before_, bodies.movable.size());
  add(context, bodies, &Account::before);
  undone_ = 0;
  if (joints.empty()) return;
  poses_.clear();
  for (const std::uint32_t index : bodies.movable) poses_.push_back({all[index].center, all[index].rotation});
  const auto accountOf = [&](std::uint32_t a, std::uint32_t b) -> Account& {
    return accounts_[all[bodies.movable[a < bodies.ground() ? a : b]].island - firstIsland_];
  };
  for (const JointEnds& ends : joints) {
    const Joint& joint = context.system.joints[ends.joint];
    Account& account = accountOf(ends.a, ends.b);
    account.hasJoints = true;
    account.error = std::max(account.error, wrongBy(joint, all[joint.a], all[joint.b], 0.0));
  }
  for (const ContactEnds& ends : contacts) {
    const Contact& contact = context.system.contacts.slots[ends.contact];
    Account& account = accountOf(ends.a, ends.b);
    for (int p = 0; p < contact.count; ++p) account.error = std::max<double>(account.error, -contact.points[p].separation);
  }
  for (std::uint32_t i = 0; i < accounts_.size(); ++i) {
    if (!accounts_[i].hasJoints) continue;
    const RigidMotion motion = rigidMotionOf(context.system, bodies, firstIsland_ + i, context.settings.gravity);
    accounts_[i].momentum = motion.momentum;
    accounts_[i].angular = motion.angular;
  }
}

bool GainLimit::mayLimit(const StepContext& context, const SoftBodies& bodies, std::span<const ContactEnds> contacts,
                         std::span<const JointEnds> joints, std::uint32_t island, bool& isHeld) const {
  const System& system = context.system;
  const auto isIn = [&](std::uint32_t body) {
    return body < bodies.ground() && system.bodies[bodies.movable[body]].island == island;
  };
  const auto drives = [&](std::uint32_t body) {
    if (body <= bodies.ground()) return false;
    const Body& other = system.bodies[bodies.indexOf(body)];
    return !(other.velocity.isZero(0.0) && other.spin.isZero(0.0));
  };
  isHeld = false;
  for (const ContactEnds& ends : contacts) {
    if (!isIn(ends.a) && !isIn(ends.b)) continue;
    const Contact& contact = system.contacts.slots[ends.contact];
    const bool isPressed = std::any_of(contact.points.begin(), contact.points.begin() + contact.count,
                                       [](const ContactPoint& point) { return point.totalImpulse > 0.0f; });
    if (!isPressed) continue;
    if (contact.stiffness > 0.0f || drives(ends.a) || drives(ends.b)) return false;
    isHeld |= ends.a >= bodies.ground() || ends.b >= bodies.ground();
  }
  for (const JointEnds& ends : joints) {
    if (!isIn(ends.a) && !isIn(ends.b)) continue;
    const Joint& joint = system.joints[ends.joint];
    if (joint.spring || joint.drive || drives(ends.a) || drives(ends.b)) return false;
    for (const AxisForces& forces : joint.forces)
      if (forces.motorEffort > 0.0 || forces.hasSpring() || forces.limitStiffness > 0.0) return false;
    isHeld |= ends.a >= bodies.ground() || ends.b >= bodies.ground();
  }
  return true;
}

double GainLimit::takeFromGainers(const StepContext& context, const SoftBodies& bodies, std::uint32_t island,
                                  double gain) const {
  std::vector<Body>& all = context.system.bodies;
  const auto forEachGainer = [&](auto&& use) {
    for (std::size_t i = 0; i < bodies.movable.size(); ++i) {
      Body& body = all[bodies.movable[i]];
      if (body.island != island) continue;
      const double kinetic = kineticOf(body);
      const double own = kinetic + potentialOf(body, context.settings.gravity) - before_[i];
      if (own > 0.0 && kinetic > 0.0) use(body, own, kinetic);
    }
  };
  double left = gain;
  for (int pass = 0; pass < kPasses && left > kSettled * gain; ++pass) {
    double gains = 0.0;
    forEachGainer([&](const Body&, double own, double) { gains += own; });
    if (!(gains > 0.0)) break;
    const double wanted = left / gains;
    forEachGainer([&](Body& body, double own, double kinetic) {
      const double paid = std::min(wanted * own, kinetic), share = std::sqrt(1.0 - paid / kinetic);
      body.velocity *= share;
      body.spin *= share;
      left -= paid;
    });
  }
  return gain - left;
}

double GainLimit::slowDown(const StepContext& context, const SoftBodies& bodies, std::uint32_t island, double gain,
                           double dt) const {
  System& system = context.system;
  const Account& account = accounts_[island - firstIsland_];
  const RigidMotion now = rigidMotionOf(system, bodies, island, context.settings.gravity);
  const auto spinOf = [&](const Vec3& angular) {
    return now.isLocked ? Vec3(Vec3::Zero()) : Vec3(now.inertia.inverse() * angular);
  };
  const Vec3 velocity = now.momentum / now.mass, spin = spinOf(now.angular);
  Vec3 kept = velocity, keptSpin = spin;
  if (account.hasJoints) {
    kept = account.momentum / now.mass + dt * now.load / now.mass;
    keptSpin = spinOf(account.angular);
  }
  const auto energyOf = [&](const Vec3& linear, const Vec3& angular) {
    return 0.5 * (now.mass * linear.squaredNorm() + angular.dot(now.inertia * angular));
  };
  // What motion about the centre there is besides the rigid one, J, and what of it may stay.
  double inner = 0.0;
  forEachOf(system, bodies, island, [&](const Body& body) {
    const Vec3 relative = body.velocity - velocity - spin.cross(body.center - now.center);
    inner += 0.5 * body.mass * relative.squaredNorm() + turningEnergy(body, body.spin - spin);
  });
  const double before = inner + energyOf(velocity, spin), wanted = before - gain - energyOf(kept, keptSpin);
  const double share = inner > 0.0 ? std::sqrt(std::clamp(wanted / inner, 0.0, 1.0)) : 0.0;
  forEachOf(system, bodies, island, [&](Body& body) {
    const Vec3 arm = body.center - now.center;
    body.velocity =
        without(kept + keptSpin.cross(arm) + share * (body.velocity - velocity - spin.cross(arm)), body.lockedPosition);
    body.spin = keptSpin + share * (body.spin - spin);
  });
  return std::max(before - share * share * inner - energyOf(kept, keptSpin), 0.0);
}

void GainLimit::putBack(const StepContext& context, const SoftBodies& bodies, std::span<const ContactEnds> contacts,
                        std::span<const JointEnds> joints, std::uint32_t island, bool isHeld, double dt) const {
  System& system = context.system;
  for (std::size_t i = 0; i < bodies.movable.size(); ++i) {
    Body& body = system.bodies[bodies.movable[i]];
    if (body.island != island) continue;
    body.center = poses_[i].position;
    body.rotation = poses_[i].rotation;
    body.velocity.setZero();
    body.spin.setZero();
  }
  const auto isIn = [&](std::uint32_t body) {
    return body < bodies.ground() && system.bodies[bodies.movable[body]].island == island;
  };
  for (const ContactEnds& ends : contacts)
    if (isIn(ends.a) || isIn(ends.b)) clearImpulses(system.contacts.slots[ends.contact]);
  for (const JointEnds& ends : joints)
    if (isIn(ends.a) || isIn(ends.b)) system.joints[ends.joint].impulse.fill(0.0);
  const RigidMotion now = rigidMotionOf(system, bodies, island, context.settings.gravity);
  if (isHeld || now.isLocked) return;
  const Account& account = accounts_[island - firstIsland_];
  const Vec3 velocity = (account.momentum + dt * now.load) / now.mass, spin = now.inertia.inverse() * account.angular;
  forEachOf(system, bodies, island, [&](Body& body) {
    const Pose about = displaced({now.center, Quat::Identity()}, dt * velocity, dt * spin);
    const Vec3 turned = about.rotation * (body.center - now.center);
    body.velocity = velocity + spin.cross(turned);
    body.spin = spin;
    body.center = about.position + turned;
    body.rotation = displaced({body.center, body.rotation}, Vec3::Zero(), dt * spin).rotation;
  });
}

double GainLimit::finish(StepContext& context, const SoftBodies& bodies, std::span<const ContactEnds> contacts,
                         std::span<const JointEnds> joints, double dt) {
  System& system = context.system;
  add(context, bodies, &Account::after);
  const double push = context.settings.soft.pushOutSpeed;
  double taken = 0.0;
  for (std::uint32_t i = 0; i < accounts_.size(); ++i) {
    const Account& account = accounts_[i];
    double gain = account.after.total - account.before.total, felt = kFeltGain * account.before.kinetic;
    if (account.hasJoints) {
      const double speed = std::min(push, account.error / dt);
      felt = kMostGainOfJoints * (account.before.kinetic + 0.5 * account.before.mass * speed * speed);
    }
    if (gain <= felt || account.before.mass == 0.0) continue;  // not a number is a gain, too
    const std::uint32_t island = firstIsland_ + i;
    for (const std::uint32_t index : bodies.movable)  // mean spin times time is near enough
      if (const Body& body = system.bodies[index]; body.island == island) gain -= std::abs(dt * body.torque.dot(body.spin));
    bool isHeld = false;
    if (gain <= felt || !mayLimit(context, bodies, contacts, joints, island, isHeld)) continue;
    if (account.hasJoints && !(gain < kExplosion * felt)) {
      putBack(context, bodies, contacts, joints, island, isHeld, dt);
      ++undone_;
      continue;
    }
    if (account.hasJoints) gain -= felt;
    taken += isHeld ? takeFromGainers(context, bodies, island, gain) : slowDown(context, bodies, island, gain, dt);
  }
  return taken;
}

}  // namespace cairn
