// Reading and writing single bodies and joints.
#include <numeric>
#include <utility>

#include "dynamics/joint.hpp"
#include "math/rotation.hpp"
#include "mechanics/joint_rows.hpp"
#include "world/checks.hpp"
#include "world/state.hpp"

namespace cairn {

namespace {

template <class Table, class Handle>
auto* lookUp(Table& table, Handle id) {
  return id.index < table.size() && table[id.index].alive && table[id.index].generation == id.generation ? &table[id.index]
                                                                                                         : nullptr;
}

template <class Tag, class Table>
std::vector<Id<Tag>> aliveIds(const Table& table) {
  std::vector<Id<Tag>> ids;
  for (std::uint32_t i = 0; i < table.size(); ++i) {
    if (table[i].alive) ids.push_back({i, table[i].generation});
  }
  return ids;
}

}  // namespace

Body* WorldImpl::find(BodyId id) { return lookUp(state.system.bodies, id); }
const Body* WorldImpl::find(BodyId id) const { return lookUp(state.system.bodies, id); }
Collider* WorldImpl::find(ShapeId id) { return lookUp(state.system.colliders, id); }
const Collider* WorldImpl::find(ShapeId id) const { return lookUp(state.system.colliders, id); }
Joint* WorldImpl::find(JointId id) { return lookUp(state.system.joints, id); }
const Joint* WorldImpl::find(JointId id) const { return lookUp(state.system.joints, id); }

bool World::isValid(BodyId body) const { return impl_->find(body) != nullptr; }
bool World::isValid(ShapeId shape) const { return impl_->find(shape) != nullptr; }
bool World::isValid(JointId joint) const { return impl_->find(joint) != nullptr; }

std::vector<BodyId> World::bodies() const { return aliveIds<BodyTag>(impl_->state.system.bodies); }
std::vector<JointId> World::joints() const { return aliveIds<JointTag>(impl_->state.system.joints); }

std::vector<ShapeId> World::shapes(BodyId id) const {
  std::vector<ShapeId> ids;
  const Body* body = impl_->find(id);
  if (body == nullptr) return ids;
  for (std::uint32_t c = body->firstCollider; c != kNone; c = impl_->state.system.colliders[c].next)
    ids.push_back(impl_->shapeIdOf(c));
  return ids;
}

std::optional<BodyId> World::findBody(std::string_view name) const {
  const auto found = impl_->state.bodyByName.find(std::string(name));
  if (found == impl_->state.bodyByName.end()) return std::nullopt;
  return impl_->idOf(found->second);
}

std::optional<BodyId> World::bodyOf(ShapeId shape) const {
  const Collider* collider = impl_->find(shape);
  if (collider == nullptr) return std::nullopt;
  return impl_->idOf(collider->body);
}

std::string_view World::name(BodyId id) const {
  return impl_->find(id) ? std::string_view(impl_->state.bodyNames[id.index]) : "";
}
std::string_view World::name(JointId id) const {
  return impl_->find(id) ? std::string_view(impl_->state.jointNames[id.index]) : "";
}

std::optional<BodyKind> World::kind(BodyId id) const {
  const Body* body = impl_->find(id);
  if (body == nullptr) return std::nullopt;
  return body->kind;
}

std::optional<MassProperties> World::massProperties(BodyId id) const {
  const Body* body = impl_->find(id);
  if (body == nullptr) return std::nullopt;
  return MassProperties{body->mass, body->localCenter, body->inertia};
}

std::optional<ShapeDesc> World::shape(ShapeId id) const {
  const Collider* collider = impl_->find(id);
  if (collider == nullptr) return std::nullopt;
  ShapeDesc desc;
  desc.local = {collider->local.position + impl_->state.system.bodies[collider->body].localCenter, collider->local.rotation};
  desc.material = impl_->state.system.materials[collider->material];
  desc.density = collider->density;
  desc.group = collider->group;
  desc.collidesWith = collider->collidesWith;
  desc.geometry = geometryOf(collider->shape);
  return desc;
}

std::optional<BodyState> World::state(BodyId id) const {
  const Body* body = impl_->find(id);
  if (body == nullptr) return std::nullopt;
  return BodyState{body->pose(), body->center, body->velocity, body->spin};
}

void WorldImpl::wakeIsland(Body& body) {
  body.stillSeconds = 0.0;
  if (body.awake) return;
  body.awake = true;
  const std::uint32_t island = body.island;
  if (island == kNone) return;
  std::vector<Body>& bodies = state.system.bodies;
  if (!std::exchange(members.known, true)) {
    members.first.assign(1, 0);
    for (const Body& one : bodies) {
      if (!one.alive || one.island == kNone) continue;
      if (members.first.size() < std::size_t{one.island} + 2) members.first.resize(std::size_t{one.island} + 2, 0);
      ++members.first[one.island + 1];
    }
    std::partial_sum(members.first.begin(), members.first.end(), members.first.begin());
    members.bodies.resize(members.first.back());
    std::vector<std::uint32_t> next(members.first.begin(), members.first.end() - 1);
    for (std::uint32_t i = 0; i < bodies.size(); ++i)
      if (bodies[i].alive && bodies[i].island != kNone) members.bodies[next[bodies[i].island]++] = i;
  }
  for (std::uint32_t i = members.first[island]; i < members.first[island + 1]; ++i) {
    Body& other = bodies[members.bodies[i]];
    if (!other.alive || other.island != island) continue;
    other.awake = true;
    other.stillSeconds = 0.0;
  }
}

void WorldImpl::markEdited(const Body& body) {
  for (std::uint32_t c = body.firstCollider; c != kNone; c = state.system.colliders[c].next) {
    state.system.colliders[c].stale = true;
    queries.noteEdit(c, state.system.colliders.size());
  }
}

void WorldImpl::forgetPlaces() {
  queries.reset();
  members.known = false;
}

bool World::setPose(BodyId id, const Pose& pose) {
  Body* body = impl_->find(id);
  if (body == nullptr || body->quarantined) return false;
  requireFinite("pose.position", pose.position);
  if (pose.position.cwiseAbs().maxCoeff() > impl_->state.settings.maximumCoordinate) {
    refuse("pose.position", "is beyond the world's maximumCoordinate");
  }
  const double norm = pose.rotation.norm();
  if (!std::isfinite(norm) || norm < 1e-6) refuse("pose.rotation", "must be a quaternion that is finite and not zero");
  body->rotation = pose.rotation.normalized();
  body->center = pose.position + body->rotation * body->localCenter;
  impl_->markEdited(*body);
  impl_->wakeIsland(*body);
  return true;
}

bool World::setVelocity(BodyId id, const Vec3& linear, const Vec3& angular) {
  Body* body = impl_->find(id);
  if (body == nullptr || body->quarantined) return false;
  requireFinite("linear", linear);
  requireFinite("angular", angular);
  if (body->kind == BodyKind::Static) refuse("linear", "a static body does not move; make it kinematic");
  body->velocity = without(linear, body->lockedPosition);
  body->spin = without(angular, body->lockedRotation);
  impl_->wakeIsland(*body);
  return true;
}

bool World::isAwake(BodyId id) const {
  const Body* body = impl_->find(id);
  return body != nullptr && body->awake;
}
bool World::isQuarantined(BodyId id) const {
  const Body* body = impl_->find(id);
  return body != nullptr && body->quarantined;
}
bool World::wake(BodyId id) {
  Body* body = impl_->find(id);
  if (body == nullptr) return false;
  impl_->wakeIsland(*body);
  return true;
}

std::optional<JointReaction> World::reaction(JointId id) const {
  const Joint* joint = impl_->find(id);
  if (joint == nullptr) return std::nullopt;
  const std::vector<Body>& bodies = impl_->state.system.bodies;
  const JointError error = cairn::jointError(*joint, bodies[joint->a], bodies[joint->b]);
  const double dt = impl_->state.lastDt;
  return JointReaction{joint->totalImpulse / dt, joint->totalAngularImpulse / dt, error.distance, error.angle};
}

bool World::addForce(BodyId id, const Vec3& force) {
  Body* body = impl_->find(id);
  if (body == nullptr) return false;
  requireFinite("force", force);
  body->force += force;
  impl_->wakeIsland(*body);
  return true;
}

bool World::addForceAt(BodyId id, const Vec3& force, const Vec3& point) {
  const Body* body = impl_->find(id);
  if (body == nullptr) return false;
  requireFinite("force", force);
  requireFinite("point", point);
  return addForce(id, force) && addTorque(id, (point - body->center).cross(force));
}

bool World::addTorque(BodyId id, const Vec3& torque) {
  Body* body = impl_->find(id);
  if (body == nullptr) return false;
  requireFinite("torque", torque);
  body->torque += torque;
  impl_->wakeIsland(*body);
  return true;
}

bool World::applyImpulse(BodyId id, const Vec3& impulse) {
  Body* body = impl_->find(id);
  if (body == nullptr || body->quarantined) return false;
  requireFinite("impulse", impulse);
  body->velocity += without(body->inverseMass * impulse, body->lockedPosition);
  impl_->wakeIsland(*body);
  return true;
}

bool World::applyImpulseAt(BodyId id, const Vec3& impulse, const Vec3& point) {
  const Body* body = impl_->find(id);
  if (body == nullptr || body->quarantined) return false;
  requireFinite("impulse", impulse);
  requireFinite("point", point);
  return applyImpulse(id, impulse) && applyAngularImpulse(id, (point - body->center).cross(impulse));
}

bool World::applyAngularImpulse(BodyId id, const Vec3& impulse) {
  Body* body = impl_->find(id);
  if (body == nullptr || body->quarantined) return false;
  requireFinite("impulse", impulse);
  body->spin += inWorldAxes(body->rotation, body->inverseInertia) * impulse;
  impl_->wakeIsland(*body);
  return true;
}

double World::time() const { return impl_->state.time; }

std::span<const StepProblem> World::contactProblems() const { return impl_->problems; }

}  // namespace cairn
