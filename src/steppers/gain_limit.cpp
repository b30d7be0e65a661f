#include "steppers/gain_limit.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "math/rotation.hpp"

namespace cairn {

namespace {

constexpr std::size_t kBodyGrain = 256;
// Of the kinetic energy: smaller gains are those of rounding and of integration, which come and go.
constexpr double kFeltGain = 1e-6;
// Islands with joints may gain as much as they have, and what pushing them out adds.
constexpr double kMostGainOfJoints = 1.0;
// Who has not enough to pay leaves it to the others.
constexpr int kPasses = 4;
constexpr double kSettled = 1e-6;

double turningEnergy(const Body& body, const Vec3& spin) {
  const Vec3 local = body.rotation.conjugate() * spin;
  return 0.5 * local.dot(body.inertia * local);
}
double kineticOf(const Body& body) { return 0.5 * body.mass * body.velocity.squaredNorm() + turningEnergy(body, body.spin); }
// What loads do to a body is a potential, too.
double potentialOf(const Body& body, const Vec3& gravity) {
  return -(body.mass * body.gravityScale * gravity + body.force).dot(body.center);
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

void GainLimit::begin(const StepContext& context, const SoftBodies& bodies) {
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

double GainLimit::slowDown(System& system, const SoftBodies& bodies, std::uint32_t island, double gain) const {
  const auto forEach = [&](auto&& use) {
    for (const std::uint32_t index : bodies.movable)
      if (system.bodies[index].island == island) use(system.bodies[index]);
  };
  double mass = 0.0;
  Vec3 center = Vec3::Zero(), velocity = Vec3::Zero(), momentum = Vec3::Zero();
  Mat3 inertia = Mat3::Zero();
  bool isLocked = false;
  forEach([&](const Body& body) {
    mass += body.mass;
    center += body.mass * body.center;
    velocity += body.mass * body.velocity;
    isLocked |= body.lockedPosition != 0 || body.lockedRotation != 0;
  });
  center /= mass;
  velocity /= mass;
  forEach([&](const Body& body) {
    const Vec3 arm = body.center - center;
    const Mat3 own = inWorldAxes(body.rotation, body.inertia);
    inertia += own + body.mass * (arm.squaredNorm() * Mat3::Identity() - arm * arm.transpose());
    momentum += own * body.spin + body.mass * arm.cross(body.velocity - velocity);
  });
  const Vec3 spin = isLocked ? Vec3(Vec3::Zero()) : Vec3(inertia.inverse() * momentum);
  double inner = 0.0;  // J: kinetic energy of what is slowed
  forEach([&](const Body& body) {
    const Vec3 relative = body.velocity - velocity - spin.cross(body.center - center);
    inner += 0.5 * body.mass * relative.squaredNorm() + turningEnergy(body, body.spin - spin);
  });
  if (!(inner > 0.0)) return 0.0;
  const double share = std::sqrt(std::max(0.0, 1.0 - gain / inner));
  forEach([&](Body& body) {
    const Vec3 common = velocity + spin.cross(body.center - center);
    body.velocity = without(common + share * (body.velocity - common), body.lockedPosition);
    body.spin = spin + share * (body.spin - spin);
  });
  return std::min(gain, inner);
}

double GainLimit::finish(StepContext& context, const SoftBodies& bodies, std::span<const ContactEnds> contacts,
                         std::span<const JointEnds> joints, double dt) {
  System& system = context.system;
  add(context, bodies, &Account::after);
  for (const JointEnds& ends : joints)
    for (const std::uint32_t body : {ends.a, ends.b})
      if (body < bodies.ground()) accounts_[system.bodies[bodies.movable[body]].island - firstIsland_].hasJoints = true;
  const double push = context.settings.soft.pushOutSpeed;
  double taken = 0.0;
  for (std::uint32_t i = 0; i < accounts_.size(); ++i) {
    const Account& account = accounts_[i];
    double gain = account.after.total - account.before.total, felt = kFeltGain * account.before.kinetic;
    if (account.hasJoints) felt = kMostGainOfJoints * (account.before.kinetic + 0.5 * account.before.mass * push * push);
    if (!(gain > felt) || account.before.mass == 0.0) continue;
    const std::uint32_t island = firstIsland_ + i;
    for (const std::uint32_t index : bodies.movable)  // mean spin times time is near enough
      if (const Body& body = system.bodies[index]; body.island == island) gain -= std::abs(dt * body.torque.dot(body.spin));
    bool isHeld = false;
    if (!(gain > felt) || !mayLimit(context, bodies, contacts, joints, island, isHeld)) continue;
    if (account.hasJoints) gain -= felt;
    taken += isHeld ? takeFromGainers(context, bodies, island, gain) : slowDown(system, bodies, island, gain);
  }
  return taken;
}

}  // namespace cairn
