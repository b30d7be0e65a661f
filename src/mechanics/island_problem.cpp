#include "mechanics/island_problem.hpp"

#include "collision/narrow_phase.hpp"
#include "math/rotation.hpp"
#include "mechanics/free_motion.hpp"
#include "mechanics/swept_manifold.hpp"

namespace cairn {

namespace {

constexpr double kMostRescaling = 1000.0;  // of stored impulses, when the step changes
constexpr double kSameSide = 0.7;          // cosine: a normal that turned by less is still on the same side

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

// Collects one island.
class Builder {
 public:
  using Part = BlockJacobian::Part;

  Builder(const System& system, const WorldSettings& settings, double dt, const Formulation& formulation)
      : system_(system), settings_(settings), motion_(freeMotion(settings)), dt_(dt), formulation_(formulation) {
    const double ratio = system.impulseSeconds > 0.0 ? dt / system.impulseSeconds : 0.0;
    const bool sensible = ratio > 1.0 / kMostRescaling && ratio < kMostRescaling && !formulation.startsCold;
    rescale_ = sensible ? ratio : 0.0;
  }

  bool isEmpty() const { return data_.blocks.empty(); }

  // Body of the problem, or -1 for one that cannot be moved.
  int use(std::uint32_t index, std::vector<int>& numbers) {
    const Body& body = system_.bodies[index];
    if (!body.moves() || !body.isDynamic() || isHeld(index)) return -1;
    if (numbers[index] < 0) {
      numbers[index] = static_cast<int>(island_.bodies.size());
      island_.bodies.push_back(index);
      const Body& start = formulation_.start != nullptr ? (*formulation_.start)[index] : body;
      items_.push_back({start.inverseMass, inWorldAxes(start.rotation, start.inverseInertia)});
      free_.push_back(formulation_.displaces  ? FreeVelocity{Vec3::Zero(), Vec3::Zero()}
                      : formulation_.unloaded ? FreeVelocity{start.velocity, start.spin}
                                              : freeVelocity(start, motion_, dt_));
      if (formulation_.pressed) {
        const Vec6 impulse = formulation_.pressed(index);
        free_.back().linear += start.inverseMass * without(impulse.head<3>(), start.lockedPosition);
        free_.back().angular += inWorldAxes(start.rotation, start.inverseInertia) * impulse.tail<3>();
      }
    }
    return numbers[index];
  }

  void addContact(std::uint32_t slot, std::vector<int>& numbers) {
    const Contact& contact = system_.contacts.slots[slot];
    const int a = use(contact.bodyA, numbers), b = use(contact.bodyB, numbers);
    // The stored contact is single precision; gaps and levers of the problem must not be.
    const Collider& shapeA = system_.colliders[contact.colliderA];
    const Collider& shapeB = system_.colliders[contact.colliderB];
    SweptManifold swept;
    Manifold& manifold = swept.manifold;
    const Children children = system_.contacts.links[slot].children;
    touchChildren(shapeA.shape, shapeA.pose, shapeB.shape, shapeB.pose, children,
                  contactMargin(shapeA, shapeB, settings_.speculativeDistance, dt_), manifold);
    const bool passed = formulation_.trial != nullptr && passedThrough(contact, children, swept);
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

  void addJoint(std::uint32_t index, std::vector<int>& numbers) {
    const Joint& joint = system_.joints[index];
    if (formulation_.unloaded && joint.spring) return;  // it does nothing in no time
    const Body& bodyA = system_.bodies[joint.a];
    const Body& bodyB = system_.bodies[joint.b];
    std::array<JointRow, kJointRows> rows;
    Block block;
    block.law = Law::Free;
    block.size = jointRows(joint, bodyA.center, bodyA.rotation, bodyB.center, bodyB.rotation, rows,
                           formulation_.elapsed + (formulation_.trial != nullptr ? dt_ : 0.0));
    if (formulation_.trial != nullptr && !joint.spring) pullAsTheStepBegan(joint, rows, block.size);
    BlockJacobian jacobian;
    jacobian.a = use(joint.a, numbers);
    jacobian.b = use(joint.b, numbers);
    Part partA(block.size, 6), partB(block.size, 6);
    for (int k = 0; k < block.size; ++k) {
      partA.row(k) << -rows[k].linear.transpose(), rows[k].angularA.transpose();
      partB.row(k) << rows[k].linear.transpose(), rows[k].angularB.transpose();
    }
    push(block, jacobian, partA, joint.a, partB, joint.b);
    const int first = data_.blocks.back().first;
    for (int k = 0; k < block.size; ++k) {
      driven_[first + k] += rows[k].rate;
      if (formulation_.trial != nullptr && !joint.spring) {
        // At the end of the step, like gaps: C(q') + h G (u+ - u') = 0.
        const Vec6& a = (*formulation_.trial)[joint.a];
        const Vec6& b = (*formulation_.trial)[joint.b];
        if (rows[k].holonomic) bias_[first + k] += rows[k].error / dt_ - partA.row(k).dot(a) - partB.row(k).dot(b);
        continue;
      }
      double speed = std::clamp(formulation_.jointRate * rows[k].error, -formulation_.jointSpeed, formulation_.jointSpeed);
      if (joint.spring) {
        const double sum = dt_ * joint.spring->stiffness + joint.spring->damping;
        compliance_[first + k] = 1.0 / (dt_ * sum);
        speed = joint.spring->stiffness / sum * rows[k].error;
      }
      bias_[first + k] += speed + (formulation_.displaces ? 0.0 : rows[k].rate);
    }
    IslandProblem::Origin origin;
    origin.joint = index;
    island_.origins.push_back(origin);
  }

  // Friction of a round patch as a whole: sliding at its middle and spin about its normal.
  void addPatch(std::uint32_t slot, const Contact& contact, int a, int b, const Mat3& axes, const Vec3& middle,
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
  void addRolling(std::uint32_t slot, const Contact& contact, int a, int b, const Mat3& axes,
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
  void addDragging(std::uint32_t slot, const Contact& contact, int a, int b, const Mat3& axes,
                   const std::vector<int>& normals, const Material& surface) {
    Part partA = Part::Zero(2, 6), partB = Part::Zero(2, 6);
    for (int k = 0; k < 2; ++k) {
      partA.row(k).head<3>() = -axes.col(k + 1).transpose();
      partB.row(k).head<3>() = axes.col(k + 1).transpose();
    }
    addBounded(AdaptiveLaw::Kind::Dragging, slot, contact, a, b, partA, partB, normals).rolling = surface.rollingForce;
  }

  AdaptiveLaw& addLaw(AdaptiveLaw::Kind kind) {
    island_.laws.push_back({kind, static_cast<int>(data_.blocks.size()), {}, {}, 0.0, 0.0, 0.0, {}});
    return island_.laws.back();
  }

  // Rows with bounds that the load decides on; the first guess is the load of the last step.
  AdaptiveLaw& addBounded(AdaptiveLaw::Kind kind, std::uint32_t slot, const Contact& contact, int a, int b,
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

  IslandProblem finish(std::string name) {
    const auto vector = [](const std::vector<double>& from) {
      return Vector(Eigen::Map<const Vector>(from.data(), static_cast<Eigen::Index>(from.size())));
    };
    data_.name = std::move(name);
    data_.bias = vector(bias_);
    island_.driven = vector(driven_);
    island_.pushesOut = formulation_.pushesOut;
    data_.compliance = vector(compliance_);
    data_.speedFloor = formulation_.speedFloor;
    data_.inverseMass = std::make_shared<FreeBodies>(std::move(items_));
    data_.freeVelocity.resize(6 * static_cast<Eigen::Index>(free_.size()));
    for (std::size_t i = 0; i < free_.size(); ++i)
      data_.freeVelocity.segment<6>(6 * static_cast<Eigen::Index>(i)) << free_[i].linear, free_[i].angular;
    // The warm start: what the contacts and joints had last time, as the step is long now.
    Vector start(static_cast<Eigen::Index>(bias_.size()));
    for (std::size_t i = 0; i < data_.blocks.size(); ++i) writeStart(i, start);
    data_.warmStart = rescale_ * start;
    fillBounds();
    island_.problem = std::make_shared<const ContactProblem>(std::move(data_));
    return std::move(island_);
  }

 private:
  bool isHeld(std::uint32_t body) const { return formulation_.held && formulation_.held(body); }
  // Linear, angular: as a body moves now, or is said to while it is held.
  Vec6 ownVelocity(std::uint32_t index) const {
    const Body& body = system_.bodies[index];
    Vec6 velocity = Vec6::Zero();
    if (body.kind == BodyKind::Static || body.quarantined || !body.awake) return velocity;
    if (isHeld(index) && formulation_.heldVelocity) return formulation_.heldVelocity(index);
    velocity << body.velocity, body.spin;
    return velocity;
  }
  double before(const Part& part, std::uint32_t body) const { return part.row(0).dot(ownVelocity(body)); }
  double trialSpeed(const Part& part, std::uint32_t body) const {
    if (formulation_.trial == nullptr) return 0.0;
    return part.row(0).dot((*formulation_.trial)[body]);
  }
  // At a trial pose, a joint's error is the one there, but what holds it pulls along the rows of the step's beginning: that
  // is SHAKE, C(q+) = 0 with u+ = u_free + M^-1 G(q)^T lambda, which is symplectic. With G(q+) it would be backward Euler,
  // which damps every mechanism.
  void pullAsTheStepBegan(const Joint& joint, std::array<JointRow, kJointRows>& rows, int count) const {
    const Body& a = (*formulation_.start)[joint.a];
    const Body& b = (*formulation_.start)[joint.b];
    std::array<JointRow, kJointRows> before;
    jointRows(joint, a.center, a.rotation, b.center, b.rotation, before, formulation_.elapsed);
    // Axes of turning rows are chosen anew at every pose: their errors are taken along the old ones.
    Vec3 turned = Vec3::Zero();
    for (int k = 0; k < count; ++k)
      if (rows[k].linear.isZero(0.0)) turned += rows[k].error * rows[k].angularB;
    for (int k = 0; k < count; ++k) {
      if (!rows[k].holonomic) continue;
      // Of an error that was there before, no more than jointSpeed takes back.
      const double far = formulation_.jointSpeed * dt_, kept = before[k].error - std::clamp(before[k].error, -far, far);
      before[k].error = (rows[k].linear.isZero(0.0) ? turned.dot(before[k].angularB) : rows[k].error) - kept;
      rows[k] = before[k];
    }
  }
  // At a trial pose: the manifold there is on the other side of what it was, or there is none, because the two went through
  // each other on the way. Then it is taken from where they met.
  bool passedThrough(const Contact& contact, Children children, SweptManifold& swept) const {
    const Vec3 before = contact.normal.cast<double>();
    if (swept.manifold.count > 0 && swept.manifold.normal.dot(before) > kSameSide) return false;
    const auto wayOf = [&](std::uint32_t collider, std::uint32_t body) {
      const Vec6& u = (*formulation_.trial)[body];
      const Body& start = (*formulation_.start)[body];
      return ShapeOnItsWay{
          system_.colliders[collider], {start.center, start.rotation}, dt_ * u.head<3>(), dt_ * u.tail<3>()};
    };
    SweptManifold found;
    if (!sweepManifold(wayOf(contact.colliderA, contact.bodyA), wayOf(contact.colliderB, contact.bodyB), children,
                       settings_.speculativeDistance, found))
      return false;
    swept = found;
    return true;
  }
  // Of what can be pushed: at the end of the step if nothing touched it. Of what moves by itself: as it moves.
  double freeSpeed(const Part& part, int number, std::uint32_t body) const {
    if (number < 0) return before(part, body);
    return part.row(0).head<3>().dot(free_[number].linear) + part.row(0).tail<3>().dot(free_[number].angular);
  }

  // Adds a block of rows. What bodies that cannot be pushed move by themselves (kinematic ones) becomes part of the bias.
  void push(Block& block, BlockJacobian& jacobian, const Part& partA, std::uint32_t bodyA, const Part& partB,
            std::uint32_t bodyB) {
    block.first = static_cast<int>(bias_.size());
    // A body does not feel what would move it along an axis that it is locked on.
    const auto unlocked = [&](const Part& part, std::uint32_t index) {
      Part out = part;
      for (int axis = 0; axis < 3; ++axis)
        if ((system_.bodies[index].lockedPosition >> axis & 1) != 0) out.col(axis).setZero();
      return out;
    };
    if (jacobian.a >= 0) jacobian.partA = unlocked(partA, bodyA);
    if (jacobian.b >= 0) jacobian.partB = unlocked(partB, bodyB);
    data_.blocks.push_back(block);
    data_.jacobians.push_back(jacobian);
    Vector moving = Vector::Zero(block.size);
    const auto carried = [&](int number, const Part& part, std::uint32_t index) {
      if (number >= 0 || formulation_.displaces) return;
      moving += part * ownVelocity(index);
    };
    carried(jacobian.a, partA, bodyA);
    carried(jacobian.b, partB, bodyB);
    for (int k = 0; k < block.size; ++k) {
      bias_.push_back(moving[k]);
      driven_.push_back(moving[k]);
      compliance_.push_back(0.0);
    }
  }

  // Intervals: from zero for contacts without friction; around zero, and for a first guess by the speeds before the step,
  // for what the solution decides on.
  void fillBounds() {
    const Eigen::Index rows = data_.bias.size();
    data_.lower = Vector::Zero(rows);
    data_.upper = Vector::Constant(rows, std::numeric_limits<double>::infinity());
    if (island_.laws.empty()) return;
    Vector speeds = data_.bias;
    for (std::size_t i = 0; i < data_.blocks.size(); ++i) {
      auto part = speeds.segment(data_.blocks[i].first, data_.blocks[i].size);
      const BlockJacobian& jacobian = data_.jacobians[i];
      if (jacobian.a >= 0) part += jacobian.partA * data_.freeVelocity.segment<6>(6 * jacobian.a);
      if (jacobian.b >= 0) part += jacobian.partB * data_.freeVelocity.segment<6>(6 * jacobian.b);
    }
    std::vector<AdaptiveLaw> bounded;
    for (const AdaptiveLaw& law : island_.laws)
      if (law.kind != AdaptiveLaw::Kind::Static) bounded.push_back(law);
    adaptLaws(data_, bounded, data_.warmStart, speeds, 0.0);
  }

  void writeStart(std::size_t index, Vector& start) const {
    const Block& block = data_.blocks[index];
    const IslandProblem::Origin& origin = island_.origins[index];
    if (origin.joint != kNone) {
      for (int k = 0; k < block.size; ++k) start[block.first + k] = system_.joints[origin.joint].impulse[k];
      return;
    }
    const Contact& contact = system_.contacts.slots[origin.contact];
    if (origin.point < 0) return start.segment(block.first, block.size).setZero(), void();
    const double normal = origin.point < contact.count ? contact.points[origin.point].normalImpulse : 0.0f;
    start[block.first] = normal;
    if (block.size == 1) return;
    double sum = 0.0;
    for (int p = 0; p < contact.count; ++p) sum += contact.points[p].normalImpulse;
    const Vec3 friction = sum > 0.0 ? Vec3(contact.frictionImpulse.cast<double>() * (normal / sum)) : Vec3::Zero();
    for (int k = 1; k < 3; ++k) start[block.first + k] = origin.axes.col(k).dot(friction);
  }

  const System& system_;
  const WorldSettings& settings_;
  FreeMotion motion_;
  double dt_;
  const Formulation& formulation_;
  double rescale_ = 0.0;
  ProblemData data_;
  std::vector<double> bias_, driven_, compliance_;
  std::vector<FreeBodies::Item> items_;
  std::vector<FreeVelocity> free_;
  IslandProblem island_;
};

// The island of a contact or joint: that of a body in it that can be moved.
std::uint32_t islandOf(const System& system, const Formulation& formulation, std::uint32_t a, std::uint32_t b) {
  for (const std::uint32_t index : {a, b}) {
    const Body& body = system.bodies[index];
    if (body.moves() && body.isDynamic() && !(formulation.held && formulation.held(index))) return body.island;
  }
  return kNone;
}

}  // namespace

std::vector<IslandProblem> buildProblems(const System& system, const WorldSettings& settings, double dt,
                                         const Formulation& formulation, std::span<const std::uint32_t> contacts,
                                         std::span<const std::uint32_t> joints) {
  std::vector<int> slotOf;  // by island
  std::vector<Builder> builders;
  std::vector<int> numbers(system.bodies.size(), -1);
  const auto builderOf = [&](std::uint32_t a, std::uint32_t b) -> Builder* {
    const std::uint32_t island = islandOf(system, formulation, a, b);
    if (island == kNone) return nullptr;
    if (slotOf.size() <= island) slotOf.resize(island + 1, -1);
    if (slotOf[island] < 0) {
      slotOf[island] = static_cast<int>(builders.size());
      builders.emplace_back(system, settings, dt, formulation);
    }
    return &builders[slotOf[island]];
  };
  for (const std::uint32_t i : joints)
    if (Builder* builder = builderOf(system.joints[i].a, system.joints[i].b)) builder->addJoint(i, numbers);
  for (const std::uint32_t slot : contacts) {
    const Contact& contact = system.contacts.slots[slot];
    if (Builder* builder = builderOf(contact.bodyA, contact.bodyB)) builder->addContact(slot, numbers);
  }
  std::vector<IslandProblem> problems;
  for (std::size_t island = 0; island < slotOf.size(); ++island)
    if (slotOf[island] >= 0 && !builders[slotOf[island]].isEmpty())
      problems.push_back(builders[slotOf[island]].finish("island " + std::to_string(island)));
  return problems;
}

std::vector<IslandProblem> buildProblems(const System& system, const WorldSettings& settings, double dt,
                                         const Formulation& formulation) {
  std::vector<std::uint32_t> contacts, joints;
  for (std::uint32_t i = 0; i < system.joints.size(); ++i)
    if (system.joints[i].alive) joints.push_back(i);
  forEachContact(system, [&](std::uint32_t slot) {
    if (system.contacts.slots[slot].count > 0) contacts.push_back(slot);
  });
  return buildProblems(system, settings, dt, formulation, contacts, joints);
}

void setVelocities(System& system, const IslandProblem& island, const Vector& impulse, std::vector<char>& marked) {
  const Vector u = island.problem->bodyVelocity(impulse);
  for (std::size_t k = 0; k < island.bodies.size(); ++k) {
    Body& body = system.bodies[island.bodies[k]];
    body.velocity = u.segment<3>(6 * static_cast<Eigen::Index>(k));
    body.spin = u.segment<3>(6 * static_cast<Eigen::Index>(k) + 3);
    marked[island.bodies[k]] = 1;
  }
}

void placeColliders(System& system) {
  for (Collider& collider : system.colliders) {
    if (!collider.enabled || !collider.active) continue;
    const Body& body = system.bodies[collider.body];
    placeCollider(collider, {body.center, body.rotation});
  }
}

void forgetImpulses(System& system) {
  forEachContact(system, [&](std::uint32_t slot) {
    Contact& contact = system.contacts.slots[slot];
    contact.frictionImpulse.setZero();
    contact.totalFriction.setZero();
    contact.twistImpulse = contact.totalTwist = 0.0f;
    for (ContactPoint& point : contact.points) point.normalImpulse = point.totalImpulse = 0.0f;
  });
  for (Joint& joint : system.joints) {
    joint.impulse.fill(0.0);
    joint.totalRows.fill(0.0);
    joint.totalImpulse.setZero();
    joint.totalAngularImpulse.setZero();
  }
}

void storeImpulses(System& system, const IslandProblem& island, const Vector& impulse, bool startsNext) {
  for (std::size_t i = 0; i < island.origins.size(); ++i) {
    const Block& block = island.problem->blocks()[i];
    const IslandProblem::Origin& origin = island.origins[i];
    const auto part = impulse.segment(block.first, block.size);
    if (origin.joint != kNone) {
      Joint& joint = system.joints[origin.joint];
      const BlockJacobian& jacobian = island.problem->data().jacobians[i];
      for (int k = 0; k < block.size; ++k) {
        if (startsNext) joint.impulse[k] += part[k];
        joint.totalRows[k] += part[k];
        // The rows as they act on B; seen from A they are the opposite.
        const bool onB = jacobian.b >= 0;
        const auto row = onB ? jacobian.partB.row(k) : jacobian.partA.row(k);
        const Vec3 linear = (onB ? 1.0 : -1.0) * row.head<3>().transpose();
        const Vec3 angular = (onB ? 1.0 : -1.0) * row.tail<3>().transpose();
        joint.totalImpulse += part[k] * linear;
        if (linear.isZero(0.0)) joint.totalAngularImpulse += part[k] * angular;
      }
      continue;
    }
    Contact& contact = system.contacts.slots[origin.contact];
    if (origin.point < 0 || origin.point >= contact.count) continue;
    ContactPoint& point = contact.points[origin.point];
    if (startsNext) point.normalImpulse += static_cast<float>(part[0]);
    point.totalImpulse += static_cast<float>(part[0]);
    if (block.size == 1) continue;
    const Vec3 friction = origin.axes.rightCols<2>() * part.tail<2>();
    if (startsNext) contact.frictionImpulse += friction.cast<float>();
    contact.totalFriction += friction.cast<float>();
  }
}

Vector rowVelocities(const System& system, const IslandProblem& island, const Vector& impulse) {
  const ProblemData& data = island.problem->data();
  Vector v = data.bias + data.compliance.cwiseProduct(impulse);
  for (std::size_t i = 0; i < data.blocks.size(); ++i) {
    const BlockJacobian& jacobian = data.jacobians[i];
    auto rows = v.segment(data.blocks[i].first, data.blocks[i].size);
    const auto add = [&](int number, const BlockJacobian::Part& part) {
      if (number < 0) return;
      const Body& body = system.bodies[island.bodies[number]];
      rows += part.leftCols<3>() * body.velocity + part.rightCols<3>() * body.spin;
    };
    add(jacobian.a, jacobian.partA);
    add(jacobian.b, jacobian.partB);
  }
  return v;
}

Vector storedImpulses(const System& system, const IslandProblem& island) {
  Vector impulse(island.problem->rows());
  for (std::size_t i = 0; i < island.origins.size(); ++i) {
    const Block& block = island.problem->blocks()[i];
    const IslandProblem::Origin& origin = island.origins[i];
    if (origin.joint != kNone) {
      for (int k = 0; k < block.size; ++k) impulse[block.first + k] = system.joints[origin.joint].totalRows[k];
      continue;
    }
    const Contact& contact = system.contacts.slots[origin.contact];
    if (origin.point < 0 || origin.point >= contact.count) {
      impulse.segment(block.first, block.size).setZero();
      continue;
    }
    const Mat3& axes = origin.axes;
    double sum = 0.0, spread = 0.0;  // N s, N s m^2
    Vec3 center = Vec3::Zero();      // of pressure
    for (int p = 0; p < contact.count; ++p) {
      sum += contact.points[p].totalImpulse;
      center += contact.points[p].totalImpulse * contact.anchorA(p).cast<double>();
    }
    const double normal = contact.points[origin.point].totalImpulse;
    impulse[block.first] = normal;
    if (block.size == 1) continue;
    impulse.segment(block.first + 1, 2).setZero();
    if (!(sum > 0.0)) continue;
    // A force at the centre of pressure and a twist about it, as forces at the points: shared by pressure, the twist also by
    // lever.
    center /= sum;
    const auto lever = [&](int p) {
      Vec3 r = contact.anchorA(p).cast<double>() - center;
      return Vec3(r - r.dot(axes.col(0)) * axes.col(0));
    };
    for (int p = 0; p < contact.count; ++p) spread += contact.points[p].totalImpulse * lever(p).squaredNorm();
    Vec3 friction = contact.totalFriction.cast<double>() * (normal / sum);
    if (spread > 0.0) {
      const Vec3 turn = axes.col(0).cross(lever(origin.point));
      // The centre of pressure may have moved since: a point never carries more of the twist than its own friction can.
      const Vec3 share = contact.totalTwist * normal / spread * turn;
      const double most = contact.friction * normal;
      friction += share.norm() > most ? Vec3(share * (most / share.norm())) : share;
    }
    for (int k = 1; k < 3; ++k) impulse[block.first + k] = axes.col(k).dot(friction);
  }
  return impulse;
}

}  // namespace cairn
