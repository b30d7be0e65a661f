#include "steppers/island_problem.hpp"

#include "collision/narrow_phase.hpp"
#include "math/rotation.hpp"
#include "steppers/free_motion.hpp"

namespace cairn {

namespace {

constexpr double kMostRescaling = 100.0;  // of stored impulses, when the step changes

// Rows of a contact: normal, then two tangents.
Mat3 axesAlong(const Vec3& n) {
  const Vec3 t = n.unitOrthogonal();
  Mat3 axes;
  axes << n, t, n.cross(t);
  return axes;
}

Mat3 axesOf(const Contact& contact) { return axesAlong(contact.normal.cast<double>().normalized()); }

// Collects one island.
class Builder {
 public:
  Builder(const System& system, const WorldSettings& settings, double dt, const Formulation& formulation)
      : system_(system),
        gravity_(settings.gravity),
        speculativeDistance_(settings.speculativeDistance),
        dt_(dt),
        formulation_(formulation) {
    const double ratio = system.impulseSeconds > 0.0 ? dt / system.impulseSeconds : 0.0;
    rescale_ = ratio > 1.0 / kMostRescaling && ratio < kMostRescaling ? ratio : 0.0;
  }

  bool isEmpty() const { return data_.blocks.empty(); }

  // Body of the problem, or -1 for one that cannot be moved.
  int use(std::uint32_t index, std::vector<int>& numbers) {
    const Body& body = system_.bodies[index];
    if (!body.moves() || !body.isDynamic()) return -1;
    if (numbers[index] < 0) {
      numbers[index] = static_cast<int>(island_.bodies.size());
      island_.bodies.push_back(index);
      items_.push_back({body.inverseMass, inWorldAxes(body.rotation, body.inverseInertia)});
      free_.push_back(freeVelocity(body, gravity_, dt_));
    }
    return numbers[index];
  }

  void addContact(std::uint32_t slot, std::vector<int>& numbers) {
    const Contact& contact = system_.contacts.slots[slot];
    const int a = use(contact.bodyA, numbers), b = use(contact.bodyB, numbers);
    // The stored contact is single precision; gaps and levers of the problem must not be.
    const Collider& shapeA = system_.colliders[contact.colliderA];
    const Collider& shapeB = system_.colliders[contact.colliderB];
    Manifold manifold;
    collide(shapeA.shape, shapeA.pose, shapeB.shape, shapeB.pose, contactMargin(shapeA, shapeB, speculativeDistance_, dt_),
            manifold);
    const Mat3 axes = axesAlong(manifold.normal);
    for (int p = 0; p < std::min<int>(manifold.count, contact.count); ++p) {
      const ManifoldPoint& point = manifold.points[p];
      Block block;
      block.law = formulation_.law;
      block.size = formulation_.law == Law::Interval ? 1 : 3;
      block.friction = {contact.friction, contact.friction};
      if (block.law == Law::Pyramid) block.facets = formulation_.facets;
      BlockJacobian jacobian;
      jacobian.a = a;
      jacobian.b = b;
      const Vec3 half = 0.5 * point.separation * manifold.normal;
      const Vec3 armA = point.position - half - system_.bodies[contact.bodyA].center;
      const Vec3 armB = point.position + half - system_.bodies[contact.bodyB].center;
      Part partA(block.size, 6), partB(block.size, 6);
      for (int k = 0; k < block.size; ++k) {
        const Vec3 d = axes.col(k);
        partA.row(k) << -d.transpose(), -armA.cross(d).transpose();
        partB.row(k) << d.transpose(), armB.cross(d).transpose();
      }
      const Vector moving = push(block, jacobian, partA, contact.bodyA, partB, contact.bodyB);
      const double approach = before(partA, contact.bodyA) + before(partB, contact.bodyB);
      const double freeApproach = moving[0] + freeSpeed(partA, a) + freeSpeed(partB, b);
      const ContactTerms terms{point.separation, approach, freeApproach, contact.restitution, dt_};
      const int first = data_.blocks.back().first;
      if (contact.stiffness > 0.0f) {
        // A stated stiffness, shared by the points of the patch: 0 <= lambda, v + Gamma lambda + B g/h >= 0.
        const double k = contact.stiffness / contact.count, c = contact.damping / contact.count;
        const double sum = dt_ * k + c;
        compliance_[first] = 1.0 / (dt_ * sum);
        bias_[first] += k / sum * point.separation;
      } else {
        bias_[first] += formulation_.normalBias(terms);
      }
      island_.origins.push_back({slot, p, kNone});
    }
  }

  void addJoint(std::uint32_t index, std::vector<int>& numbers) {
    const Joint& joint = system_.joints[index];
    const Body& bodyA = system_.bodies[joint.a];
    const Body& bodyB = system_.bodies[joint.b];
    std::array<JointRow, kJointRows> rows;
    Block block;
    block.law = Law::Free;
    block.size = jointRows(joint, bodyA.center, bodyA.rotation, bodyB.center, bodyB.rotation, rows);
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
      double rate = formulation_.jointRate;
      if (joint.spring) {
        const double sum = dt_ * joint.spring->stiffness + joint.spring->damping;
        compliance_[first + k] = 1.0 / (dt_ * sum);
        rate = joint.spring->stiffness / sum;
      }
      bias_[first + k] += rate * rows[k].error;
    }
    island_.origins.push_back({kNone, 0, index});
  }

  IslandProblem finish(std::string name) {
    const auto vector = [](const std::vector<double>& from) {
      return Vector(Eigen::Map<const Vector>(from.data(), static_cast<Eigen::Index>(from.size())));
    };
    data_.name = std::move(name);
    data_.bias = vector(bias_);
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
    island_.problem = std::make_shared<const ContactProblem>(std::move(data_));
    return std::move(island_);
  }

 private:
  using Part = BlockJacobian::Part;

  double before(const Part& part, std::uint32_t body) const {
    const Body& one = system_.bodies[body];
    if (one.kind == BodyKind::Static || one.quarantined) return 0.0;
    return part.row(0).head<3>().dot(one.velocity) + part.row(0).tail<3>().dot(one.spin);
  }
  double freeSpeed(const Part& part, int body) const {
    if (body < 0) return 0.0;
    return part.row(0).head<3>().dot(free_[body].linear) + part.row(0).tail<3>().dot(free_[body].angular);
  }

  // Adds a block of rows. What bodies that cannot be pushed move by themselves (kinematic ones) becomes part of the bias.
  Vector push(Block& block, BlockJacobian& jacobian, const Part& partA, std::uint32_t bodyA, const Part& partB,
              std::uint32_t bodyB) {
    block.first = static_cast<int>(bias_.size());
    if (jacobian.a >= 0) jacobian.partA = partA;
    if (jacobian.b >= 0) jacobian.partB = partB;
    data_.blocks.push_back(block);
    data_.jacobians.push_back(jacobian);
    Vector moving = Vector::Zero(block.size);
    const auto carried = [&](int number, const Part& part, std::uint32_t index) {
      const Body& body = system_.bodies[index];
      if (number >= 0 || body.kind != BodyKind::Kinematic || body.quarantined) return;
      moving += part.leftCols<3>() * body.velocity + part.rightCols<3>() * body.spin;
    };
    carried(jacobian.a, partA, bodyA);
    carried(jacobian.b, partB, bodyB);
    for (int k = 0; k < block.size; ++k) {
      bias_.push_back(moving[k]);
      compliance_.push_back(0.0);
    }
    return moving;
  }

  void writeStart(std::size_t index, Vector& start) const {
    const Block& block = data_.blocks[index];
    const IslandProblem::Origin& origin = island_.origins[index];
    if (origin.joint != kNone) {
      for (int k = 0; k < block.size; ++k) start[block.first + k] = system_.joints[origin.joint].impulse[k];
      return;
    }
    const Contact& contact = system_.contacts.slots[origin.contact];
    const double normal = contact.points[origin.point].normalImpulse;
    start[block.first] = normal;
    if (block.size == 1) return;
    double sum = 0.0;
    for (int p = 0; p < contact.count; ++p) sum += contact.points[p].normalImpulse;
    const Vec3 friction = sum > 0.0 ? Vec3(contact.frictionImpulse.cast<double>() * (normal / sum)) : Vec3::Zero();
    const Mat3 axes = axesOf(contact);
    for (int k = 1; k < 3; ++k) start[block.first + k] = axes.col(k).dot(friction);
  }

  const System& system_;
  Vec3 gravity_;
  double speculativeDistance_;
  double dt_;
  const Formulation& formulation_;
  double rescale_ = 0.0;
  ProblemData data_;
  std::vector<double> bias_, compliance_;
  std::vector<FreeBodies::Item> items_;
  std::vector<FreeVelocity> free_;
  IslandProblem island_;
};

// The island of a contact or joint: that of a body in it that can be moved.
std::uint32_t islandOf(const System& system, std::uint32_t a, std::uint32_t b) {
  for (const std::uint32_t index : {a, b}) {
    const Body& body = system.bodies[index];
    if (body.moves() && body.isDynamic()) return body.island;
  }
  return kNone;
}

}  // namespace

std::vector<IslandProblem> buildProblems(const System& system, const WorldSettings& settings, double dt,
                                         const Formulation& formulation) {
  std::vector<int> slotOf;  // by island
  std::vector<Builder> builders;
  std::vector<int> numbers(system.bodies.size(), -1);
  const auto builderOf = [&](std::uint32_t a, std::uint32_t b) -> Builder* {
    const std::uint32_t island = islandOf(system, a, b);
    if (island == kNone) return nullptr;
    if (slotOf.size() <= island) slotOf.resize(island + 1, -1);
    if (slotOf[island] < 0) {
      slotOf[island] = static_cast<int>(builders.size());
      builders.emplace_back(system, settings, dt, formulation);
    }
    return &builders[slotOf[island]];
  };
  for (std::uint32_t i = 0; i < system.joints.size(); ++i) {
    const Joint& joint = system.joints[i];
    if (!joint.alive) continue;
    if (Builder* builder = builderOf(joint.a, joint.b)) builder->addJoint(i, numbers);
  }
  for (const Pair& pair : system.broad.pairs) {
    if (pair.contact == kNone) continue;
    const Contact& contact = system.contacts.slots[pair.contact];
    if (contact.count == 0) continue;
    if (Builder* builder = builderOf(contact.bodyA, contact.bodyB)) builder->addContact(pair.contact, numbers);
  }
  std::vector<IslandProblem> problems;
  for (std::size_t island = 0; island < slotOf.size(); ++island)
    if (slotOf[island] >= 0 && !builders[slotOf[island]].isEmpty())
      problems.push_back(builders[slotOf[island]].finish("island " + std::to_string(island)));
  return problems;
}

void forgetImpulses(System& system) {
  for (const Pair& pair : system.broad.pairs) {
    if (pair.contact == kNone) continue;
    Contact& contact = system.contacts.slots[pair.contact];
    contact.frictionImpulse.setZero();
    contact.totalFriction.setZero();
    contact.twistImpulse = contact.totalTwist = 0.0f;
    for (ContactPoint& point : contact.points) point.normalImpulse = point.totalImpulse = 0.0f;
  }
  for (Joint& joint : system.joints) {
    joint.impulse.fill(0.0);
    joint.totalRows.fill(0.0);
    joint.totalImpulse.setZero();
    joint.totalAngularImpulse.setZero();
  }
}

void storeImpulses(System& system, const IslandProblem& island, const Vector& impulse) {
  for (std::size_t i = 0; i < island.origins.size(); ++i) {
    const Block& block = island.problem->blocks()[i];
    const IslandProblem::Origin& origin = island.origins[i];
    const auto part = impulse.segment(block.first, block.size);
    if (origin.joint != kNone) {
      Joint& joint = system.joints[origin.joint];
      const BlockJacobian& jacobian = island.problem->data().jacobians[i];
      for (int k = 0; k < block.size; ++k) {
        joint.impulse[k] = joint.totalRows[k] = part[k];
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
    ContactPoint& point = contact.points[origin.point];
    point.normalImpulse = point.totalImpulse = static_cast<float>(part[0]);
    if (block.size == 1) continue;
    const Mat3 axes = axesOf(contact);
    const Vec3 friction = axes.rightCols<2>() * part.tail<2>();
    contact.frictionImpulse += friction.cast<float>();
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
    const Mat3 axes = axesOf(contact);
    double sum = 0.0, spread = 0.0;  // N s, N s m^2
    Vec3 center = Vec3::Zero();      // of pressure
    for (int p = 0; p < contact.count; ++p) {
      sum += contact.points[p].totalImpulse;
      center += contact.points[p].totalImpulse * contact.points[p].anchorA.cast<double>();
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
      Vec3 r = contact.points[p].anchorA.cast<double>() - center;
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
