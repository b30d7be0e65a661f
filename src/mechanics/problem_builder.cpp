#include "mechanics/problem_builder.hpp"

#include "math/rotation.hpp"

namespace cairn {

namespace {

constexpr double kMostRescaling = 1000.0;  // of stored impulses, when the step changes

}  // namespace

ProblemBuilder::ProblemBuilder(const System& system, const WorldSettings& settings, double dt,
                               const Formulation& formulation)
    : system_(system), settings_(settings), motion_(freeMotion(settings)), dt_(dt), formulation_(formulation) {
  const double ratio = system.impulseSeconds > 0.0 ? dt / system.impulseSeconds : 0.0;
  const bool sensible = ratio > 1.0 / kMostRescaling && ratio < kMostRescaling && !formulation.startsCold;
  rescale_ = sensible ? ratio : 0.0;
}

int ProblemBuilder::use(std::uint32_t index, std::vector<int>& numbers) {
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

// Linear, angular: as a body moves now, or is said to while it is held.
Vec6 ProblemBuilder::ownVelocity(std::uint32_t index) const {
  const Body& body = system_.bodies[index];
  Vec6 velocity = Vec6::Zero();
  if (body.kind == BodyKind::Static || body.quarantined || !body.awake) return velocity;
  if (isHeld(index) && formulation_.heldVelocity) return formulation_.heldVelocity(index);
  velocity << body.velocity, body.spin;
  return velocity;
}
double ProblemBuilder::trialSpeed(const Part& part, std::uint32_t body) const {
  if (formulation_.trial == nullptr) return 0.0;
  return part.row(0).dot((*formulation_.trial)[body]);
}

// Of what can be pushed: at the end of the step if nothing touched it. Of what moves by itself: as it moves.
double ProblemBuilder::freeSpeed(const Part& part, int number, std::uint32_t body) const {
  if (number < 0) return before(part, body);
  return part.row(0).head<3>().dot(free_[number].linear) + part.row(0).tail<3>().dot(free_[number].angular);
}

// Adds a block of rows. What bodies that cannot be pushed move by themselves (kinematic ones) becomes part of the bias.
void ProblemBuilder::push(Block& block, BlockJacobian& jacobian, const Part& partA, std::uint32_t bodyA, const Part& partB,
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
    lower_.push_back(0.0);
    upper_.push_back(std::numeric_limits<double>::infinity());
  }
}

// Intervals: from zero for contacts without friction; as they say for what acts along axes of joints; around zero, and for a
// first guess by the speeds before the step, for what the solution decides on.
void ProblemBuilder::fillBounds() {
  data_.lower = Eigen::Map<const Vector>(lower_.data(), data_.bias.size());
  data_.upper = Eigen::Map<const Vector>(upper_.data(), data_.bias.size());
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

void ProblemBuilder::writeStart(std::size_t index, Vector& start) const {
  const Block& block = data_.blocks[index];
  const IslandProblem::Origin& origin = island_.origins[index];
  if (origin.joint != kNone && origin.axis >= 0) {
    const AxisForces& forces = system_.joints[origin.joint].forces[origin.axis];
    start[block.first] = forces.impulse[static_cast<std::size_t>(origin.force)];
    return;
  }
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

IslandProblem ProblemBuilder::finish(std::string name) {
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

}  // namespace cairn
