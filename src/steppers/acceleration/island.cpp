#include "steppers/acceleration/island.hpp"

#include "collision/narrow_phase.hpp"
#include "math/rotation.hpp"
#include "mechanics/integrate.hpp"

namespace cairn {

namespace {

constexpr double kLargestRadius = 1e9;  // m: of colliders that have an end

double thicknessOf(const Shape& shape) { return shape.type == ShapeType::Plane ? 0.0 : shape.size.minCoeff(); }

}  // namespace

Motion displaced(const Motion& motion, double seconds) {
  Motion moved = motion;
  advance(moved, seconds);
  return moved;
}

Island::Island(const System& system, const WorldSettings& settings, std::uint32_t island,
               const std::vector<std::uint32_t>& bodies, const std::vector<int>& numbers)
    : system_(system), settings_(settings), bodies_(bodies), reach_(bodies.size(), 0.0) {
  const auto numberOf = [&](std::uint32_t index) {
    const Body& body = system.bodies[index];
    return body.moves() && body.isDynamic() && body.island == island ? numbers[index] : -1;
  };
  // Bodies of other islands are out of reach within the step: what is near belongs to the same island.
  const auto isForeign = [&](std::uint32_t index) {
    const Body& body = system.bodies[index];
    return !body.alive || body.quarantined || (body.isDynamic() && body.island != island);
  };
  for (const Pair& pair : system.broad.pairs) {
    const Collider& a = system.colliders[pair.a];
    const Collider& b = system.colliders[pair.b];
    IslandPair one;
    one.a = numberOf(a.body);
    one.b = numberOf(b.body);
    if ((one.a < 0 && one.b < 0) || isForeign(a.body) || isForeign(b.body)) continue;
    one.colliderA = pair.a;
    one.colliderB = pair.b;
    one.bodyA = a.body;
    one.bodyB = b.body;
    one.slot = pair.contact;
    one.surface = mixMaterials(system.materials[a.material], system.materials[b.material], settings.pairs);
    if (settings.friction.law == "none") one.surface.friction = 0.0;
    one.size = std::min(a.radius, b.radius);
    one.thickness = std::min(thicknessOf(a.shape), thicknessOf(b.shape));
    one.reachA = a.radius < kLargestRadius ? a.radius : 0.0;
    one.reachB = b.radius < kLargestRadius ? b.radius : 0.0;
    pairs_.push_back(one);
  }
  for (std::uint32_t i = 0; i < system.joints.size(); ++i) {
    const Joint& joint = system.joints[i];
    if (!joint.alive) continue;
    const IslandJoint one{i, numberOf(joint.a), numberOf(joint.b)};
    if (one.a >= 0 || one.b >= 0) joints_.push_back(one);
  }
  for (int i = 0; i < size(); ++i) {
    const Body& one = body(i);
    for (std::uint32_t c = one.firstCollider; c != kNone; c = system.colliders[c].next)
      if (system.colliders[c].radius < kLargestRadius) reach_[i] = std::max(reach_[i], system.colliders[c].radius);
    if (reach_[i] == 0.0) reach_[i] = std::sqrt(one.inertia.trace() * one.inverseMass);
    if (!(reach_[i] > 0.0)) reach_[i] = 1.0;
  }
}

IslandState Island::start() const {
  IslandState state;
  for (int i = 0; i < size(); ++i) {
    const Body& one = body(i);
    state.bodies.push_back({one.center, one.rotation, one.velocity, one.spin});
  }
  return state;
}

Motion Island::motionOf(std::uint32_t index, int number, const IslandState& state) const {
  if (number >= 0) return state.bodies[number];
  const Body& one = system_.bodies[index];
  const bool moves = one.kind == BodyKind::Kinematic && one.moves();
  const Motion start{one.center, one.rotation, moves ? one.velocity : Vec3::Zero(), moves ? one.spin : Vec3::Zero()};
  return moves ? displaced(start, state.time) : start;
}

Touches Island::touch(int index, const Motion& a, const Motion& b, double margin) const {
  const IslandPair& pair = pairs_[index];
  const Collider& shapeA = system_.colliders[pair.colliderA];
  const Collider& shapeB = system_.colliders[pair.colliderB];
  Manifold manifold;
  collide(shapeA.shape, Pose{a.center, a.rotation} * shapeA.local, shapeB.shape, Pose{b.center, b.rotation} * shapeB.local,
          margin, manifold);
  Touches touches;
  touches.count = manifold.count;
  for (int i = 0; i < manifold.count; ++i) {
    const ManifoldPoint& point = manifold.points[i];
    const Vec3 half = 0.5 * point.separation * manifold.normal;
    touches.points[i] = {index,           point.feature,         point.separation,
                         manifold.normal, point.position - half, point.position + half};
  }
  return touches;
}

Touches Island::touch(int index, const IslandState& state, double margin) const {
  const IslandPair& pair = pairs_[index];
  return touch(index, motionOf(pair.bodyA, pair.a, state), motionOf(pair.bodyB, pair.b, state), margin);
}

Vec3 Island::relativeVelocity(const TouchPoint& point, const Motion& a, const Motion& b) const {
  return b.velocity + b.spin.cross(point.onB - b.center) - a.velocity - a.spin.cross(point.onA - a.center);
}

Vector Island::freeAcceleration(const IslandState& state) const {
  Vector out(6 * size());
  for (int i = 0; i < size(); ++i) {
    const Body& one = body(i);
    const Motion& motion = state.bodies[i];
    const Vec3 linear = without(settings_.gravity * one.gravityScale + one.force * one.inverseMass, one.lockedPosition);
    const Vec3 localSpin = motion.rotation.conjugate() * motion.spin;
    Vec3 torque = motion.rotation.conjugate() * one.torque - localSpin.cross(one.inertia * localSpin);
    out.segment<3>(6 * i) = linear - one.linearDamping * motion.velocity;
    if (one.extras != kNone) {
      const Drag& drag = system_.extras[one.extras].drag;
      const double speed = motion.velocity.norm();
      out.segment<3>(6 * i) -= (drag.linear + drag.quadratic * speed) * one.inverseMass * motion.velocity;
      torque -= (drag.angularLinear + drag.angularQuadratic * localSpin.norm()) * localSpin;
    }
    out.segment<3>(6 * i + 3) = motion.rotation * (one.inverseInertia * torque) - one.angularDamping * motion.spin;
  }
  return out;
}

double Island::resistance(const IslandState& state) const {
  double rate = 0.0;
  for (int i = 0; i < size(); ++i) {
    const Body& one = body(i);
    rate = std::max({rate, one.linearDamping, one.angularDamping});
    if (one.extras == kNone) continue;
    const Drag& drag = system_.extras[one.extras].drag;
    const double linear = drag.linear + drag.quadratic * state.bodies[i].velocity.norm();
    const double angular = drag.angularLinear + drag.angularQuadratic * state.bodies[i].spin.norm();
    rate = std::max({rate, linear * one.inverseMass, angular * one.inverseInertia.norm()});
  }
  return rate;
}

double Island::kineticEnergy(int number, const IslandState& state) const {
  if (number < 0) return 0.0;
  const Motion& motion = state.bodies[number];
  const Vec3 local = motion.rotation.conjugate() * motion.spin;
  return 0.5 * (body(number).mass * motion.velocity.squaredNorm() + local.dot(body(number).inertia * local));
}

double Island::speedBound(const IslandState& state) const {
  double speed = 0.0;
  for (int i = 0; i < size(); ++i)
    speed = std::max(speed, state.bodies[i].velocity.norm() + reach_[i] * state.bodies[i].spin.norm());
  return speed;
}

}  // namespace cairn
