#include "steppers/impulse/points.hpp"

#include "collision/narrow_phase.hpp"
#include "laws/single_impact.hpp"
#include "math/rotation.hpp"
#include "mechanics/island_problem.hpp"
#include "mechanics/warm_start.hpp"
#include "solvers/local_contact.hpp"

namespace cairn {

namespace {

constexpr int kPatchSweeps = 100;         // over the points of a patch, at most
constexpr double kPatchTolerance = 1e-6;  // of impulses

// A body that locks hold may leave friction nothing to act on: then the normal impulse alone.
ImpactResult resolveOrWithoutFriction(Impact impact, double& factor) {
  const ImpactResult found = resolveWithoutGain(impact, factor);
  if (found.complete) return found;
  impact.friction = 0.0;
  return resolveWithoutGain(impact, factor);
}

LocalContact localContact(const Mat3& w, double friction) {
  Block block;
  block.law = Law::Cone;
  block.size = 3;
  block.friction = {friction, friction};
  return LocalContact(block, w);
}

}  // namespace

ImpulsePoint middleOf(std::span<const ImpulsePoint> points) {
  ImpulsePoint middle = points[0];
  for (const ImpulsePoint& point : points.subspan(1)) {
    middle.position += point.position;
    middle.armA += point.armA;
    middle.armB += point.armB;
    middle.gap += point.gap;
  }
  const double share = 1.0 / static_cast<double>(points.size());
  middle.position *= share;
  middle.armA *= share;
  middle.armB *= share;
  middle.gap *= share;
  middle.id.feature = kWholePatch;
  return middle;
}

PointImpulses::PointImpulses(StepContext& context)
    : context_(context),
      system_(context.system),
      rubs_(context.settings.friction.law != "none"),
      held_(context.system.bodies.size(), 0),
      pushed_(context.system.bodies.size(), 0) {
  forgetImpulses(system_);
}

bool PointImpulses::canPush(std::uint32_t index) const {
  const Body& body = system_.bodies[index];
  return body.moves() && body.isDynamic() && held_[index] == 0;
}

std::vector<ImpulsePair> PointImpulses::livePairs() const {
  std::vector<ImpulsePair> pairs;
  for (const Pair& pair : system_.broad.pairs) {
    const std::uint32_t a = system_.colliders[pair.a].body, b = system_.colliders[pair.b].body;
    if (canPush(a) || canPush(b)) pairs.push_back({pair.a, pair.b, a, b, pair.contact});
  }
  return pairs;
}

Vec3 PointImpulses::velocity(const ImpulsePair& pair, const ImpulsePoint& point) const {
  const auto speed = [&](std::uint32_t index, const Vec3& arm) -> Vec3 {
    const Body& body = system_.bodies[index];
    if (!body.moves()) return Vec3::Zero();
    return body.velocity + body.spin.cross(arm);
  };
  return point.axes.transpose() * (speed(pair.bodyB, point.armB) - speed(pair.bodyA, point.armA));
}

Mat3 PointImpulses::mobility(const ImpulsePair& pair, const ImpulsePoint& point) const {
  Mat3 k = Mat3::Zero();
  const auto add = [&](std::uint32_t index, const Vec3& arm) {
    if (!canPush(index)) return;
    const Body& body = system_.bodies[index];
    k.diagonal() += without(Vec3::Constant(body.inverseMass), body.lockedPosition);
    const Mat3 cross = crossMatrix(arm);
    k -= cross * inWorldAxes(body.rotation, body.inverseInertia) * cross;
  };
  add(pair.bodyA, point.armA);
  add(pair.bodyB, point.armB);
  const Mat3 w = point.axes.transpose() * k * point.axes;
  return 0.5 * (w + w.transpose());
}

void PointImpulses::pushBody(std::uint32_t index, const Vec3& impulse, const Vec3& arm) {
  if (!canPush(index)) return;
  Body& body = system_.bodies[index];
  body.velocity += without(body.inverseMass * impulse, body.lockedPosition);
  body.spin += inWorldAxes(body.rotation, body.inverseInertia) * arm.cross(impulse);
  pushed_[index] = 1;
}

void PointImpulses::push(const ImpulsePair& pair, const ImpulsePoint& point, const Vec3& impulse) {
  const Vec3 world = point.axes * impulse;
  pushBody(pair.bodyA, -world, point.armA);
  pushBody(pair.bodyB, world, point.armB);
  if (held_[pair.bodyA] != 0 || held_[pair.bodyB] != 0) swallowed_ += impulse[0];
}

// Where impulses of an event belong among the points that the step began with: to the point of the same key. What belongs
// to a whole patch, or to a point that came since, is shared by all points of the contact.
void PointImpulses::book(const ImpulsePair& pair, const ImpulsePoint& point, const Vec3& impulse) {
  if (pair.contact == kNone) return;
  ContactCache& cache = system_.contacts;
  const std::uint32_t found = cache.find(pair.contact, point.id.children), slot = found != kNone ? found : pair.contact;
  Contact& contact = cache.slots[slot];
  if (contact.count == 0) return;
  const int same = cache.pointOf(slot, point.id.feature);
  const int first = std::max(same, 0), last = same < 0 ? contact.count : same + 1;
  for (int i = first; i < last; ++i) {
    ContactPoint& to = contact.points[i];
    to.totalImpulse += static_cast<float>(impulse[0] / (last - first));
    to.normalImpulse = to.totalImpulse;
  }
  contact.totalFriction += (point.axes.rightCols<2>() * impulse.tail<2>()).cast<float>();
  contact.frictionImpulse = contact.totalFriction;
}

double PointImpulses::energy(std::uint32_t index) const {
  const Body& body = system_.bodies[index];
  if (!body.moves() || !body.isDynamic()) return 0.0;
  const Vec3 spin = body.rotation.conjugate() * body.spin;
  return 0.5 * (body.mass * body.velocity.squaredNorm() + spin.dot(body.inertia * spin));
}

ImpactRecord PointImpulses::begin(const ImpulsePair& pair, const ImpulsePoint& point) const {
  ImpactRecord record;
  record.bodyA = {pair.bodyA, system_.bodies[pair.bodyA].generation};
  record.bodyB = {pair.bodyB, system_.bodies[pair.bodyB].generation};
  record.point = point.position;
  record.normal = point.axes.col(0);
  record.beforeA = energy(pair.bodyA);
  record.beforeB = energy(pair.bodyB);
  return record;
}

void PointImpulses::finish(ImpactRecord& record) {
  record.afterA = energy(record.bodyA.index);
  record.afterB = energy(record.bodyB.index);
  ImpactSummary& sum = context_.report.impacts;
  ++sum.count;
  const double gain = record.gain();
  if (record.micro && gain > 0.0) sum.microGained += static_cast<float>(gain);
  (gain > 0.0 ? sum.energyGained : sum.energyLost) += std::abs(gain);
  context_.impacts.push_back(record);
}

const Material& PointImpulses::surface(const ImpulsePair& pair) {
  const std::uint64_t key = pairKey(pair.colliderA, pair.colliderB);
  if (surfaceOf_ != key) {
    surfaceOf_ = key;
    surface_ = mixMaterials(system_.materials[system_.colliders[pair.colliderA].material],
                            system_.materials[system_.colliders[pair.colliderB].material], context_.settings.pairs);
  }
  return surface_;
}

double PointImpulses::frictionOf(const ImpulsePair& pair) { return rubs_ ? surface(pair).friction : 0.0; }

bool PointImpulses::applyImpacts(const ImpulsePair& pair, const ImpulsePoint& point) {
  Impact impact;
  impact.velocity = velocity(pair, point);
  if (!(impact.velocity[0] < 0.0)) return false;
  const Material& law = surface(pair);
  impact.w = mobility(pair, point);
  impact.friction = frictionOf(pair);
  impact.restitution = law.restitution;
  impact.tangentialRestitution = law.tangentialRestitution;
  impact.law = law.impact;
  const ImpactResult found = resolveOrWithoutFriction(impact, context_.report.impacts.restitutionFactor);
  if (!found.complete || !found.impulse.allFinite()) return false;
  ImpactRecord record = begin(pair, point);
  record.law = law.impact;
  record.approach = -impact.velocity[0];
  record.impulse = point.axes * found.impulse;
  push(pair, point, found.impulse);
  book(pair, point, found.impulse);
  finish(record);
  return true;
}

void PointImpulses::settle(const ImpulsePair& pair, const ImpulsePoint& point, const Vec3& target, Vec3& total) {
  const Mat3 w = mobility(pair, point);
  if (!(w(0, 0) > 0.0)) return;
  const Vec3 before = total, q = velocity(pair, point) - target - w * before;
  localContact(w, frictionOf(pair)).solve(LocalSolver::Auto, q.data(), total.data());
  if (!total.allFinite()) total = before;
  push(pair, point, total - before);
  book(pair, point, total - before);
}

void PointImpulses::settlePatch(const ImpulsePair& pair, std::span<const ImpulsePoint> points,
                                std::span<const Vec3> targets) {
  ImpactRecord record = begin(pair, middleOf(points));
  record.micro = true;
  std::array<Mat3, kManifoldPoints> w;
  std::array<Vec3, kManifoldPoints> impulse;
  std::vector<LocalContact> contacts;
  for (std::size_t i = 0; i < points.size(); ++i) {
    w[i] = mobility(pair, points[i]);
    impulse[i].setZero();
    if (!(w[i](0, 0) > 0.0)) return;
    contacts.push_back(localContact(w[i], frictionOf(pair)));
    record.approach = std::max(record.approach, -velocity(pair, points[i])[0]);
  }
  double change = 1.0, largest = 0.0;  // N s
  for (int sweep = 0; sweep < kPatchSweeps && change > kPatchTolerance * largest; ++sweep) {
    change = 0.0;
    for (std::size_t i = 0; i < points.size(); ++i) {
      const Vec3 before = impulse[i];
      const Vec3 q = velocity(pair, points[i]) - targets[i] - w[i] * before;
      contacts[i].solve(LocalSolver::Auto, q.data(), impulse[i].data());
      if (!impulse[i].allFinite()) impulse[i] = before;
      push(pair, points[i], impulse[i] - before);
      change = std::max(change, (impulse[i] - before).norm());
      largest = std::max(largest, impulse[i].norm());
    }
  }
  for (std::size_t i = 0; i < points.size(); ++i) {
    book(pair, points[i], impulse[i]);
    record.impulse += points[i].axes * impulse[i];
  }
  finish(record);
}

}  // namespace cairn
