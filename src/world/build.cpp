// Adding: every description is checked whole before anything changes.
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "dynamics/trajectory.hpp"
#include "geometry/mass.hpp"
#include "geometry/surface.hpp"
#include "world/checks.hpp"
#include "world/state.hpp"

namespace cairn {

namespace {

// Bounds within which single-precision rows neither overflow nor vanish.
constexpr double kSmallestMass = 1e-18, kLargestMass = 1e18;      // kg
constexpr double kSmallestMoment = 1e-32, kLargestMoment = 1e30;  // kg m^2

Quat checkedRotation(const std::string& field, const Quat& q) {
  const double norm = q.norm();
  if (!std::isfinite(norm) || norm < 1e-6) refuse(field, "must be a quaternion that is finite and not zero");
  return q.normalized();
}

void checkTrajectory(const Trajectory& trajectory, double maximumCoordinate) {
  for (std::size_t i = 0; i < trajectory.keys.size(); ++i) {
    const std::string field = "trajectory.keys[" + std::to_string(i) + "]";
    const Trajectory::Key& key = trajectory.keys[i];
    requireRange(field + ".time", key.time, 0.0, 1e9, "s");
    requireFinite(field + ".pose.position", key.pose.position);
    requireRange(field + ".pose.position", key.pose.position.cwiseAbs().maxCoeff(), 0.0, maximumCoordinate, "m");
    checkedRotation(field + ".pose.rotation", key.pose.rotation);
    if (i > 0 && key.time <= trajectory.keys[i - 1].time) refuse(field + ".time", "must be later than the key before");
  }
  requireFinite("trajectory.amplitude", trajectory.amplitude);
  requireFinite("trajectory.turnAmplitude", trajectory.turnAmplitude);
  requireRange("trajectory.frequency", trajectory.frequency, 0.0, 1e6, "Hz");
  requireFinite("trajectory.phase", trajectory.phase);
}

void checkDrive(const JointDesc& desc) {
  if (!std::holds_alternative<HingeJoint>(desc.kind) && !std::holds_alternative<DistanceJoint>(desc.kind))
    refuse("drive", "only hinges and distances can be driven");
  if (desc.spring) refuse("drive", "a joint is either driven or springy, not both");
  for (const double number : {desc.drive->start, desc.drive->rate, desc.drive->amplitude, desc.drive->phase})
    requireFinite("drive", number);
  requireRange("drive.frequency", desc.drive->frequency, 0.0, 1e6, "Hz");
  for (std::size_t i = 0; i < desc.drive->keys.size(); ++i) {
    const std::array<double, 2>& key = desc.drive->keys[i];
    requireFinite("drive.keys", key[0]);
    requireFinite("drive.keys", key[1]);
    if (i > 0 && key[0] <= desc.drive->keys[i - 1][0]) refuse("drive.keys", "times must rise");
  }
}

// Bits of the axes that are locked.
std::uint8_t bitsOf(const std::array<bool, 3>& locked) {
  return static_cast<std::uint8_t>((locked[0] ? 1 : 0) | (locked[1] ? 2 : 0) | (locked[2] ? 4 : 0));
}

// As if it were a box: (tr I / 2 - I_kk) / m is the mean square extent along axis k.
float thicknessOf(const Body& body) {
  const Vec3 moments = body.inertia.diagonal();
  return static_cast<float>(std::sqrt(12.0 * std::max((0.5 * moments.sum() - moments.maxCoeff()) * body.inverseMass, 0.0)));
}

// A body that may turn about one fixed axis only, or about none.
void lockRotation(Body& body, const std::array<bool, 3>& locked) {
  body.lockedRotation = bitsOf(locked);
  const Vec3 axis = without(Vec3::Ones(), body.lockedRotation);  // one unit vector or zero
  const Vec3 local = body.rotation.conjugate() * axis;
  body.inverseInertia.setZero();
  if (axis.norm() > 0.0) body.inverseInertia = local * local.transpose() / local.dot(body.inertia * local);
  body.anisotropy = 0.0;
}

// The index of an equal material, or a new one. Only the newest are compared: scenes with a material for each body do not
// get slow.
std::uint32_t materialIndex(std::vector<Material>& materials, const Material& material) {
  constexpr std::size_t kCompared = 64;
  const std::size_t end = materials.size();
  for (std::size_t i = end; i-- > 0 && end - i <= kCompared;)
    if (materials[i] == material) return static_cast<std::uint32_t>(i);
  materials.push_back(material);
  return static_cast<std::uint32_t>(end);
}

void checkMass(const std::string& field, const MassProperties& properties) {
  requireRange(field + ".mass", properties.mass, kSmallestMass, kLargestMass, "kg");
  requireFinite(field + ".center", properties.center);
  if (!properties.inertia.allFinite() || !isPhysicalInertia(properties.inertia)) {
    refuse(field + ".inertia",
           "must be symmetric and positive definite, and no principal moment may exceed the sum of the others");
  }
  const PrincipalAxes axes = principalAxes(properties.inertia);
  if (axes.moments.minCoeff() < kSmallestMoment || axes.moments.maxCoeff() > kLargestMoment) {
    refuse(field + ".inertia",
           "must have moments from " + text(kSmallestMoment) + " to " + text(kLargestMoment) + " kg m^2");
  }
}

struct CheckedShape {
  Shape shape;
  Pose local;
};

CheckedShape checkShape(const std::string& field, const ShapeDesc& desc, BodyKind kind) {
  CheckedShape checked;
  try {
    checked.shape = makeShape(desc.geometry);
  } catch (const std::invalid_argument& error) {
    refuse(field, error.what());
  }
  if (checked.shape.type == ShapeType::Plane && kind != BodyKind::Static)
    refuse(field, "a plane can only belong to a static body");
  if (kind == BodyKind::Dynamic && checked.shape.type == ShapeType::HeightField)
    refuse(field, "a height field can only belong to a static or kinematic body");
  if (kind == BodyKind::Dynamic && checked.shape.type == ShapeType::Mesh && !meshOf(checked.shape).mesh->isClosed)
    refuse(field, "a mesh that is not closed can only belong to a static or kinematic body");
  requireFinite(field + ".local.position", desc.local.position);
  checked.local = {desc.local.position, checkedRotation(field + ".local.rotation", desc.local.rotation)};
  checkMaterial(field + ".material", desc.material);
  requireRange(field + ".density", desc.density, 1e-6, 1e9, "kg/m^3");
  return checked;
}

MassProperties massOf(const BodyDesc& desc, const std::vector<CheckedShape>& shapes) {
  if (desc.massProperties) {
    checkMass("massProperties", *desc.massProperties);
    if (desc.mass) refuse("mass", "give either mass or massProperties, not both");
    return *desc.massProperties;
  }
  std::vector<MassProperties> parts;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    parts.push_back(transformed(shapeMass(shapes[i].shape, desc.shapes[i].density), shapes[i].local));
  }
  MassProperties total = combined(parts);
  if (desc.kind != BodyKind::Dynamic) return total;
  if (shapes.empty()) refuse("shapes", "a dynamic body needs a shape, or massProperties given outright");
  if (desc.mass) {
    requireRange("mass", *desc.mass, kSmallestMass, kLargestMass, "kg");
    total.inertia *= *desc.mass / total.mass;
    total.mass = *desc.mass;
  }
  checkMass("mass from density", total);
  return total;
}

template <class Table>
std::uint32_t takeSlot(Table& table, std::vector<std::uint32_t>& freeSlots) {
  if (freeSlots.empty()) {
    makeRoom(table, table.size() + 1);
    table.emplace_back();
    return static_cast<std::uint32_t>(table.size() - 1);
  }
  const std::uint32_t slot = freeSlots.back();
  freeSlots.pop_back();
  const std::uint32_t generation = table[slot].generation;
  table[slot] = {};
  table[slot].generation = generation;
  return slot;
}

}  // namespace

MassProperties massProperties(const Geometry& geometry, double density) { return shapeMass(makeShape(geometry), density); }

World::World(const WorldSettings& settings) : impl_(std::make_unique<WorldImpl>()) { setSettings(settings); }
World::~World() = default;
World::World(World&&) noexcept = default;
World& World::operator=(World&&) noexcept = default;

const WorldSettings& World::settings() const { return impl_->state.settings; }

void World::setSettings(const WorldSettings& settings) {
  checkSettings(settings);
  std::unique_ptr<Stepper> stepper = makeStepper(settings.stepper);
  if (impl_->tasks.threads() != settings.threads) impl_->tasks.setThreads(settings.threads);
  impl_->stepper = std::move(stepper);
  if (impl_->state.settings.pairs != settings.pairs) impl_->state.system.contacts.forgetManifolds();
  if (!settings.sleep.enabled)
    for (Body& body : impl_->state.system.bodies) body.stillSeconds = 0.0;
  impl_->state.settings = settings;
  impl_->refusalIsFresh = false;
  impl_->stepSeconds.reset();
}

BodyId World::addBody(const BodyDesc& desc) {
  WorldState& state = impl_->state;
  const WorldSettings& settings = state.settings;
  requireFinite("pose.position", desc.pose.position);
  requireRange("pose.position", desc.pose.position.cwiseAbs().maxCoeff(), 0.0, settings.maximumCoordinate, "m");
  const Quat rotation = checkedRotation("pose.rotation", desc.pose.rotation);
  requireFinite("linearVelocity", desc.linearVelocity);
  requireRange("linearVelocity", desc.linearVelocity.norm(), 0.0, settings.maximumSpeed, "m/s");
  requireFinite("angularVelocity", desc.angularVelocity);
  requireRange("angularVelocity", desc.angularVelocity.norm(), 0.0, kMaximumSpin, "rad/s");
  requireRange("gravityScale", desc.gravityScale, -1e3, 1e3, "");
  requireRange("linearDamping", desc.linearDamping, 0.0, 1e6, "1/s");
  requireRange("angularDamping", desc.angularDamping, 0.0, 1e6, "1/s");
  for (const double number : {desc.drag.linear, desc.drag.quadratic, desc.drag.angularLinear, desc.drag.angularQuadratic})
    requireRange("drag", number, 0.0, 1e15, "");
  const auto lockedTurns = std::count(desc.locks.rotation.begin(), desc.locks.rotation.end(), true);
  if (lockedTurns == 1) refuse("locks.rotation", "lock none, two or all three: a body cannot turn about just two axes");
  if (desc.locks.any() && desc.kind != BodyKind::Dynamic) refuse("locks", "only dynamic bodies have freedom to lose");
  if (desc.trajectory) {
    if (desc.kind != BodyKind::Kinematic) refuse("trajectory", "only kinematic bodies follow one");
    checkTrajectory(*desc.trajectory, settings.maximumCoordinate);
  }
  if (!desc.name.empty() && state.bodyByName.contains(desc.name)) refuse("name", "\"" + desc.name + "\" is taken");
  if (desc.kind == BodyKind::Static && !(desc.linearVelocity.isZero(0.0) && desc.angularVelocity.isZero(0.0))) {
    refuse("linearVelocity", "a static body does not move; make it kinematic");
  }
  std::vector<CheckedShape> shapes;
  for (std::size_t i = 0; i < desc.shapes.size(); ++i) {
    shapes.push_back(checkShape("shapes[" + std::to_string(i) + "]", desc.shapes[i], desc.kind));
  }
  const MassProperties properties = massOf(desc, shapes);

  System& system = state.system;
  const std::uint32_t index = takeSlot(system.bodies, state.freeBodies);
  if (state.bodyNames.size() <= index) resizeGently(state.bodyNames, index + 1);
  std::string name = desc.name;
  while (name.empty() || (desc.name.empty() && state.bodyByName.contains(name)))
    name = "body " + std::to_string(state.namesMade++);
  state.bodyNames[index] = name;
  state.bodyByName[name] = index;

  Body& body = system.bodies[index];
  body.kind = desc.kind;
  body.alive = true;
  body.canSleep = desc.canSleep;
  body.rotation = rotation;
  body.localCenter = properties.center;
  body.center = desc.pose.position + rotation * properties.center;
  body.velocity = desc.linearVelocity;
  body.spin = desc.angularVelocity;
  body.gravityScale = desc.gravityScale;
  body.linearDamping = desc.linearDamping;
  body.angularDamping = desc.angularDamping;
  body.mass = properties.mass;
  body.inertia = properties.inertia;
  if (desc.kind == BodyKind::Dynamic) {
    body.inverseMass = 1.0 / properties.mass;
    body.inverseInertia = properties.inertia.inverse();
    const Vec3 moments = principalAxes(properties.inertia).moments;
    const double anisotropy = 1.0 - moments.minCoeff() / moments.maxCoeff();
    body.anisotropy = anisotropy > 1e-12 ? anisotropy : 0.0;
    body.size = static_cast<float>(std::sqrt(1.5 * moments.sum() * body.inverseMass));
    body.thickness = thicknessOf(body);
  }
  if (desc.drag.any() || desc.locks.any() || desc.trajectory) {
    if (state.freeExtras.empty()) {
      body.extras = static_cast<std::uint32_t>(system.extras.size());
      system.extras.emplace_back();
    } else {
      body.extras = state.freeExtras.back();
      state.freeExtras.pop_back();
    }
    system.extras[body.extras] = {desc.drag, desc.locks, desc.trajectory, {desc.pose.position, rotation}};
  }
  if (desc.locks.any()) {
    body.lockedPosition = bitsOf(desc.locks.position);
    if (lockedTurns > 0) lockRotation(body, desc.locks.rotation);
    body.velocity = without(body.velocity, body.lockedPosition);
    body.spin = without(body.spin, body.lockedRotation);
  }
  if (desc.trajectory) {
    const Pose start = poseAt(system.extras[body.extras], state.time);
    body.rotation = start.rotation.normalized();
    body.center = start.position + body.rotation * properties.center;
  }
  impl_->refusalIsFresh = false;

  for (std::size_t i = shapes.size(); i-- > 0;) {  // backwards, so that the list comes out in the order given
    const std::uint32_t c = takeSlot(system.colliders, state.freeColliders);
    Collider& collider = system.colliders[c];
    collider.shape = shapes[i].shape;
    collider.local = {shapes[i].local.position - properties.center, shapes[i].local.rotation};
    collider.centred = collider.local.position.isZero(0.0) && collider.local.rotation.coeffs() == Quat::Identity().coeffs();
    collider.radius = collider.local.position.norm() + boundingRadius(collider.shape);
    collider.material = materialIndex(system.materials, desc.shapes[i].material);
    collider.density = desc.shapes[i].density;
    collider.group = desc.shapes[i].group;
    collider.collidesWith = desc.shapes[i].collidesWith;
    collider.body = index;
    collider.bodyGeneration = body.generation;
    collider.next = body.firstCollider;
    collider.alive = collider.enabled = true;
    collider.dynamic = body.isDynamic();
    body.firstCollider = c;
  }
  impl_->markEdited(body);
  return impl_->idOf(index);
}

JointId World::addJoint(const JointDesc& desc) {
  WorldState& state = impl_->state;
  System& system = state.system;
  const Body* a = impl_->find(desc.a);
  const Body* b = impl_->find(desc.b);
  if (a == nullptr) refuse("a", "is not a body of this world");
  if (b == nullptr) refuse("b", "is not a body of this world");
  if (desc.a == desc.b) refuse("b", "must be another body than a");
  if (a->inverseMass == 0.0 && b->inverseMass == 0.0) refuse("a", "at least one of the two bodies must be dynamic");
  requireFinite("anchorA", desc.anchorA);
  requireFinite("anchorB", desc.anchorB);
  if (desc.spring) {
    requireRange("spring.stiffness", desc.spring->stiffness, 0.0, 1e15, "N/m");
    requireRange("spring.damping", desc.spring->damping, 0.0, 1e15, "N s/m");
    if (desc.spring->stiffness + desc.spring->damping <= 0.0)
      refuse("spring", "stiffness and damping must not both be zero");
  }

  Joint joint;
  joint.kind = desc.kind;
  joint.a = desc.a.index;
  joint.b = desc.b.index;
  joint.anchorA = desc.anchorA - a->localCenter;
  joint.anchorB = desc.anchorB - b->localCenter;
  joint.spring = desc.spring;
  if (desc.drive) checkDrive(desc);
  joint.drive = desc.drive;
  joint.rest = a->rotation.conjugate() * b->rotation;
  joint.bodiesCollide = desc.bodiesCollide;
  joint.alive = true;
  if (auto* hinge = std::get_if<HingeJoint>(&joint.kind)) {
    hinge->axisA = checkedAxis("axisA", hinge->axisA);
    hinge->axisB = checkedAxis("axisB", hinge->axisB);
  } else if (auto* fixed = std::get_if<FixedJoint>(&joint.kind)) {
    fixed->rotation =
        fixed->rotation ? checkedRotation("rotation", *fixed->rotation) : a->rotation.conjugate() * b->rotation;
  } else if (auto* distance = std::get_if<DistanceJoint>(&joint.kind)) {
    if (!distance->length) {
      distance->length = (b->center + b->rotation * joint.anchorB - a->center - a->rotation * joint.anchorA).norm();
    }
    requireRange("length", *distance->length, 0.0, 1e7, "m");
  } else if (auto* wheel = std::get_if<WheelJoint>(&joint.kind)) {
    wheel->normalA = checkedAxis("normalA", wheel->normalA);
    wheel->axisB = checkedAxis("axisB", wheel->axisB);
    requireRange("radius", wheel->radius, 1e-6, 1e6, "m");
  } else if (auto* skate = std::get_if<SkateJoint>(&joint.kind)) {
    skate->axisB = checkedAxis("axisB", skate->axisB);
  }
  impl_->refusalIsFresh = false;

  const std::uint32_t index = takeSlot(system.joints, state.freeJoints);
  joint.generation = system.joints[index].generation;
  system.joints[index] = joint;
  state.jointEnds.link(index, joint.a, joint.b);
  if (state.jointNames.size() <= index) state.jointNames.resize(index + 1);
  state.jointNames[index] = desc.name.empty() ? "joint " + std::to_string(index) : desc.name;
  if (!joint.bodiesCollide) impl_->exclude(joint, true);
  impl_->wakeIsland(*impl_->find(desc.a));
  impl_->wakeIsland(*impl_->find(desc.b));
  return {index, joint.generation};
}

bool World::setMaterial(ShapeId id, const Material& material) {
  Collider* collider = impl_->find(id);
  if (collider == nullptr) return false;
  checkMaterial("material", material);
  System& system = impl_->state.system;
  collider->material = materialIndex(system.materials, material);
  system.contacts.forgetManifolds();  // and the mixed materials with them
  impl_->refusalIsFresh = false;
  impl_->wakeIsland(system.bodies[collider->body]);
  return true;
}

}  // namespace cairn
