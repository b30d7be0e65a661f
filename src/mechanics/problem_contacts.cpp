// Rows of contacts: points, friction of patches, rolling resistance.
#include "collision/narrow_phase.hpp"
#include "mechanics/problem_builder.hpp"

namespace cairn {

namespace {

constexpr double kSameSide = 0.7;  // cosine: a normal that turned by less is still on the same side

// Rows of a contact: normal, then two tangents.
Mat3 axesAlong(const Vec3& n) {
  const Vec3 t = n.unitOrthogonal();
  Mat3 axes;
  axes << n, t, n.cross(t);
  return axes;
}

// The same with the first tangent along a given direction.
Mat3 axesAlong(const Vec3& n, const Vec3& direction) {
  const Vec3 t = direction - direction.dot(n) * n;
  if (t.norm() < 1e-6) return axesAlong(n);
  Mat3 axes;
  axes << n, t.normalized(), n.cross(t.normalized());
  return axes;
}

Manifold storedManifold(const System& system, std::uint32_t slot) {
  const Contact& contact = system.contacts.slots[slot];
  Manifold manifold;
  manifold.normal = contact.normal.cast<double>().normalized();
  manifold.count = contact.count;
  for (int p = 0; p < contact.count; ++p) {
    const double separation = contact.points[p].separation;
    const Vec3 onA = system.bodies[contact.bodyA].center + contact.anchorA(p).cast<double>();
    manifold.points[p] = {onA + 0.5 * separation * manifold.normal, separation, system.contacts.kept[slot].features[p]};
  }
  return manifold;
}

// Which stored point of the contact has the impulses of each point of the manifold: the one of the same feature. A point
// whose feature the contact does not have, because the bodies have moved since it was made, takes the place of one that is
// gone. kManifoldPoints: there is none for it.
std::array<int, kManifoldPoints> storedPoints(const ContactCache& cache, std::uint32_t slot, const Manifold& manifold) {
  const int count = cache.slots[slot].count;
  std::array<int, kManifoldPoints> stored{};
  std::array<bool, kManifoldPoints + 1> taken{};
  for (int p = 0; p < manifold.count; ++p) {
    stored[p] = cache.pointOf(slot, manifold.points[p].feature);
    if (stored[p] >= 0 && std::exchange(taken[stored[p]], true)) stored[p] = -1;  // two points of one name
  }
  for (int p = 0; p < manifold.count; ++p) {
    if (stored[p] >= 0) continue;
    int place = p < count && !taken[p] ? p : 0;
    while (place < count && taken[place]) ++place;
    stored[p] = place < count ? place : kManifoldPoints;
    taken[stored[p]] = true;
  }
  return stored;
}

}  // namespace

void ProblemBuilder::addContact(std::uint32_t slot, std::vector<int>& numbers) {
  const Contact& contact = system_.contacts.slots[slot];
  const int a = use(contact.bodyA, numbers), b = use(contact.bodyB, numbers);
  // The stored contact is single precision; gaps and levers of the problem must not be.
  const Collider& shapeA = system_.colliders[contact.colliderA];
  const Collider& shapeB = system_.colliders[contact.colliderB];
  SweptManifold swept;
  Manifold& manifold = swept.manifold;
  const Children children = system_.contacts.links[slot].children;
  if (formulation_.storedContacts || contact.isWhole)
    manifold = storedManifold(system_, slot);
  else
    touchChildren(shapeA.shape, shapeA.pose, shapeB.shape, shapeB.pose, children,
                  contactMargin(shapeA, shapeB, settings_.speculativeDistance, dt_), manifold);
  const bool passed = formulation_.trial != nullptr && !contact.isWhole && passedThrough(contact, children, swept);
  const std::array<int, kManifoldPoints> stored = storedPoints(system_.contacts, slot, manifold);
  const Material& surfaceA = system_.materials[shapeA.material];
  const Material& surfaceB = system_.materials[shapeB.material];
  const Material surface = mixMaterials(surfaceA, surfaceB, settings_.pairs);
  const bool rubs = formulation_.law != Law::Interval;
  Mat3 axes = axesAlong(manifold.normal);
  if (rubs && surface.crossFriction) {
    const bool ofA = surfaceA.crossFriction.has_value() || !surfaceB.crossFriction;
    axes = axesAlong(manifold.normal, (ofA ? shapeA : shapeB).pose.rotation * (ofA ? surfaceA : surfaceB).frictionAxis);
  }
  const bool patch = rubs && surface.patchRadius > 0.0;
  std::vector<int> normals;
  Vec3 middle = Vec3::Zero();
  double deepest = std::numeric_limits<double>::infinity();
  for (int p = 0; p < contact.count; ++p) deepest = std::min<double>(deepest, contact.points[p].separation);
  for (int p = 0; p < manifold.count; ++p) {
    const ManifoldPoint& point = manifold.points[p];
    const ContactKey key = contactKey(system_, slot, point.feature);
    const Vec3 half = 0.5 * point.separation * manifold.normal;
    const Vec3 armA = passed ? swept.armA[p] : Vec3(point.position - half - system_.bodies[contact.bodyA].center);
    const Vec3 armB = passed ? swept.armB[p] : Vec3(point.position + half - system_.bodies[contact.bodyB].center);
    Part partA(3, 6), partB(3, 6);
    for (int k = 0; k < 3; ++k) {
      const Vec3 d = axes.col(k);
      partA.row(k) << -d.transpose(), -armA.cross(d).transpose();
      partB.row(k) << d.transpose(), armB.cross(d).transpose();
    }
    const double approach = before(partA, contact.bodyA) + before(partB, contact.bodyB);
    const double freeApproach = freeSpeed(partA, a, contact.bodyA) + freeSpeed(partB, b, contact.bodyB);
    const double trial = trialSpeed(partA, contact.bodyA) + trialSpeed(partB, contact.bodyB);
    const ContactTerms terms{point.separation, approach, freeApproach,  surface.restitution, dt_,          trial,
                             deepest,          key,      contact.bodyA, contact.bodyB,       partA.row(0), partB.row(0)};
    if (formulation_.active && !formulation_.active(terms)) continue;
    if (formulation_.unloaded && surface.stiffness) continue;  // a spring does nothing in no time
    Block block;
    block.law = patch ? Law::Interval : formulation_.law;
    block.size = block.law == Law::Interval ? 1 : 3;
    block.friction = {surface.friction, surface.crossFriction.value_or(surface.friction)};
    if (block.law == Law::Pyramid) block.facets = formulation_.facets;
    if (block.size == 3 && surface.staticFriction) {
      const PointMemory* memory = system_.memory.find(key);
      AdaptiveLaw& law = addLaw(AdaptiveLaw::Kind::Static);
      law.friction = block.friction;
      // What just came into touch sticks until it slips.
      if (memory == nullptr || memory->stuck)
        for (double& mu : block.friction) mu *= *surface.staticFriction / std::max(surface.friction, 1e-300);
    }
    BlockJacobian jacobian;
    jacobian.a = a;
    jacobian.b = b;
    push(block, jacobian, partA.topRows(block.size), contact.bodyA, partB.topRows(block.size), contact.bodyB);
    const int first = data_.blocks.back().first;
    if (surface.stiffness) {
      // A stated stiffness, shared by the points of the patch: 0 <= lambda, v + Gamma lambda + B g/h >= 0.
      const double k = *surface.stiffness / manifold.count, c = surface.damping.value_or(0.0) / manifold.count;
      const double sum = dt_ * k + c;
      compliance_[first] = 1.0 / (dt_ * sum);
      bias_[first] += k / sum * point.separation;
    } else {
      bias_[first] += formulation_.normalBias(terms);
    }
    island_.origins.push_back(
        {slot, stored[p], kNone, key, axes, point.position, point.separation, surface.restitution, approach});
    normals.push_back(first);
    middle += point.position;
  }
  if (normals.empty() || !rubs) return;
  middle /= static_cast<double>(normals.size());
  if (patch) addPatch(slot, contact, a, b, axes, middle, normals, surface);
  if (surface.rollingResistance > 0.0 || surface.spinningResistance > 0.0)
    addRolling(slot, contact, a, b, axes, normals, surface);
  if (surface.rollingForce > 0.0 && !patch) addDragging(slot, contact, a, b, axes, normals, surface);
}

// Friction of a round patch as a whole: sliding at its middle and spin about its normal.
void ProblemBuilder::addPatch(std::uint32_t slot, const Contact& contact, int a, int b, const Mat3& axes, const Vec3& middle,
                              const std::vector<int>& normals, const Material& surface) {
  const Vec3 armA = middle - system_.bodies[contact.bodyA].center;
  const Vec3 armB = middle - system_.bodies[contact.bodyB].center;
  Part partA(3, 6), partB(3, 6);
  for (int k = 0; k < 2; ++k) {
    const Vec3 d = axes.col(k + 1);
    partA.row(k) << -d.transpose(), -armA.cross(d).transpose();
    partB.row(k) << d.transpose(), armB.cross(d).transpose();
  }
  partA.row(2) << 0.0, 0.0, 0.0, -axes.col(0).transpose();
  partB.row(2) << 0.0, 0.0, 0.0, axes.col(0).transpose();
  AdaptiveLaw& law = addBounded(AdaptiveLaw::Kind::Patch, slot, contact, a, b, partA, partB, normals);
  law.friction = {surface.friction, surface.friction};
  law.radius = surface.patchRadius;
}

// Torques against the relative rotation of two surfaces.
void ProblemBuilder::addRolling(std::uint32_t slot, const Contact& contact, int a, int b, const Mat3& axes,
                                const std::vector<int>& normals, const Material& surface) {
  Part partA = Part::Zero(3, 6), partB = Part::Zero(3, 6);
  for (int k = 0; k < 3; ++k) {
    const Vec3 d = axes.col((k + 1) % 3);
    partA.row(k).tail<3>() = -d.transpose();
    partB.row(k).tail<3>() = d.transpose();
  }
  AdaptiveLaw& law = addBounded(AdaptiveLaw::Kind::Rolling, slot, contact, a, b, partA, partB, normals);
  law.rolling = surface.rollingResistance;
  law.spinning = surface.spinningResistance;
}

// GALILEO's rolling friction: a force at the centres of mass against their relative velocity.
void ProblemBuilder::addDragging(std::uint32_t slot, const Contact& contact, int a, int b, const Mat3& axes,
                                 const std::vector<int>& normals, const Material& surface) {
  Part partA = Part::Zero(2, 6), partB = Part::Zero(2, 6);
  for (int k = 0; k < 2; ++k) {
    partA.row(k).head<3>() = -axes.col(k + 1).transpose();
    partB.row(k).head<3>() = axes.col(k + 1).transpose();
  }
  addBounded(AdaptiveLaw::Kind::Dragging, slot, contact, a, b, partA, partB, normals).rolling = surface.rollingForce;
}

AdaptiveLaw& ProblemBuilder::addLaw(AdaptiveLaw::Kind kind) {
  island_.laws.push_back({kind, static_cast<int>(data_.blocks.size()), {}, {}, 0.0, 0.0, 0.0, {}});
  return island_.laws.back();
}

// Rows with bounds that the load decides on; the first guess is the load of the last step.
AdaptiveLaw& ProblemBuilder::addBounded(AdaptiveLaw::Kind kind, std::uint32_t slot, const Contact& contact, int a, int b,
                                        const Part& partA, const Part& partB, const std::vector<int>& normals) {
  AdaptiveLaw& law = addLaw(kind);
  law.normals = normals;
  Block block;
  block.law = Law::Interval;
  block.size = static_cast<int>(partA.rows());
  BlockJacobian jacobian;
  jacobian.a = a;
  jacobian.b = b;
  push(block, jacobian, partA, contact.bodyA, partB, contact.bodyB);
  law.base = data_.jacobians.back();
  IslandProblem::Origin origin;
  origin.contact = slot;
  island_.origins.push_back(origin);
  return law;
}

// At a trial pose: the manifold there is on the other side of what it was, or there is none, because the two went through
// each other on the way. Then it is taken from where they met.
bool ProblemBuilder::passedThrough(const Contact& contact, Children children, SweptManifold& swept) const {
  const Vec3 before = contact.normal.cast<double>();
  if (swept.manifold.count > 0 && swept.manifold.normal.dot(before) > kSameSide) return false;
  const auto wayOf = [&](std::uint32_t collider, std::uint32_t body) {
    const Vec6& u = (*formulation_.trial)[body];
    const Body& start = (*formulation_.start)[body];
    return ShapeOnItsWay{system_.colliders[collider], {start.center, start.rotation}, dt_ * u.head<3>(), dt_ * u.tail<3>()};
  };
  SweptManifold found;
  if (!sweepManifold(wayOf(contact.colliderA, contact.bodyA), wayOf(contact.colliderB, contact.bodyB), children,
                     settings_.speculativeDistance, found))
    return false;
  swept = found;
  return true;
}

}  // namespace cairn
