#include "mechanics/problem_builder.hpp"

namespace cairn {

namespace {

constexpr std::string_view kElimination = "elimination";
constexpr double kMostRescaling = 1000.0;  // of stored impulses, when the step changes

}  // namespace

ProblemBuilder::ProblemBuilder(const System& system, const WorldSettings& settings, double dt,
                               const Formulation& formulation)
    : system_(system),
      settings_(settings),
      dt_(dt),
      formulation_(formulation),
      movers_(freeMotion(settings), dt, loads()) {
  const double ratio = system.impulseSeconds > 0.0 ? dt / system.impulseSeconds : 0.0;
  const bool sensible = ratio > 1.0 / kMostRescaling && ratio < kMostRescaling && !formulation.startsCold;
  rescale_ = sensible ? ratio : 0.0;
}

int ProblemBuilder::use(std::uint32_t index, std::vector<int>& numbers) {
  const Body& body = system_.bodies[index];
  if (!body.moves() || !body.isDynamic() || isHeld(index)) return -1;
  if (numbers[index] < 0 && body.mechanism != kNone) useArticulation(body.mechanism, numbers);
  if (numbers[index] < 0) {
    numbers[index] = static_cast<int>(island_.bodies.size());
    island_.bodies.push_back(index);
    const Body& start = formulation_.start != nullptr ? (*formulation_.start)[index] : body;
    movers_.add(start, formulation_.pressed ? formulation_.pressed(index) : Vec6::Zero());
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
  const FreeVelocity& free = movers_.freeVelocityOf(number);
  return part.row(0).head<3>().dot(free.linear) + part.row(0).tail<3>().dot(free.angular);
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
  if (origin.mechanism != kNone) {
    const auto& forces = system_.mechanisms[origin.mechanism].impulse[static_cast<std::size_t>(origin.axis)];
    start[block.first] = forces[static_cast<std::size_t>(origin.force)];
    return;
  }
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
  data_.inverseMass = movers_.inverseMass();
  data_.freeVelocity = movers_.freeVelocity();
  if (!island_.articulations.empty()) {
    std::vector<MixedMass::Tree> trees;
    for (const IslandProblem::Articulated& one : island_.articulations) trees.push_back({one.first, one.movers});
    data_.inverseMass = std::make_shared<MixedMass>(movers_.items(), std::move(trees));
  }
  if (!held_.empty()) pullTogether();
  // The warm start: what the contacts and joints had last time, as the step is long now.
  Vector start(static_cast<Eigen::Index>(bias_.size()));
  for (std::size_t i = 0; i < data_.blocks.size(); ++i) writeStart(i, start);
  data_.warmStart = rescale_ * start;
  fillBounds();
  island_.problem = std::make_shared<const ContactProblem>(std::move(data_));
  return std::move(island_);
}

// Taken out of the rows, which so far are those of joints. A joint stays a row if it closes a loop, or if one of its bodies
// has a locked axis: the masses of the tree are those of whole bodies.
void ProblemBuilder::eliminateTrees() {
  if (!formulation_.eliminatesTrees && settings_.jointMethod != kElimination) return;
  if (!system_.mechanisms.empty()) return;  // a contact may bring an articulation in, whose masses are its own
  const auto isWhole = [&](int number) {
    if (number < 0) return true;
    const Body& body = system_.bodies[island_.bodies[number]];
    return body.lockedPosition == 0 && body.lockedRotation == 0;
  };
  std::vector<std::size_t> candidates;
  std::vector<JointTreeMass::Held> joints;
  for (std::size_t i = 0; i < data_.blocks.size(); ++i) {
    const BlockJacobian& jacobian = data_.jacobians[i];
    if (island_.origins[i].axis >= 0 || !isWhole(jacobian.a) || !isWhole(jacobian.b)) continue;
    if (holdsToWorld(system_.joints[island_.origins[i].joint].kind)) continue;
    candidates.push_back(i);
    joints.push_back({jacobian.a, jacobian.b, jacobian.partA, jacobian.partB, compliance_[data_.blocks[i].first]});
  }
  if (joints.empty()) return;
  const JointTreeMass tree(movers_.items(), joints);
  std::vector<char> leaves(data_.blocks.size(), 0);
  for (std::size_t k = 0; k < candidates.size(); ++k) leaves[candidates[k]] = tree.isHeld(k) ? 1 : 0;
  std::vector<Block> blocks;
  std::vector<BlockJacobian> jacobians;
  std::vector<IslandProblem::Origin> origins;
  std::array<std::vector<double>*, 5> columns{&bias_, &driven_, &compliance_, &lower_, &upper_};
  std::size_t rows = 0;
  for (std::size_t i = 0; i < data_.blocks.size(); ++i) {
    Block block = data_.blocks[i];
    if (leaves[i] != 0) {
      Vector bias = Eigen::Map<const Vector>(bias_.data() + block.first, block.size);
      const BlockJacobian& jacobian = data_.jacobians[i];
      held_.push_back({jacobian.a, jacobian.b, jacobian.partA, jacobian.partB, compliance_[block.first]});
      island_.eliminated.push_back({island_.origins[i], jacobian, std::move(bias), {}});
      continue;
    }
    for (std::vector<double>* column : columns)
      std::copy_n(column->begin() + block.first, block.size, column->begin() + static_cast<std::ptrdiff_t>(rows));
    block.first = static_cast<int>(rows);
    rows += static_cast<std::size_t>(block.size);
    blocks.push_back(block);
    jacobians.push_back(data_.jacobians[i]);
    origins.push_back(island_.origins[i]);
  }
  for (std::vector<double>* column : columns) column->resize(rows);
  data_.blocks = std::move(blocks);
  data_.jacobians = std::move(jacobians);
  island_.origins = std::move(origins);
}

// The masses with the trees in them, and free velocities that the joints of these allow.
void ProblemBuilder::pullTogether() {
  island_.tree = std::make_shared<JointTreeMass>(movers_.items(), held_);
  data_.inverseMass = island_.tree;
  Vector& u = data_.freeVelocity;
  Vector ask = Vector::Zero(6 * static_cast<Eigen::Index>(held_.size())), change, impulse;
  for (std::size_t j = 0; j < held_.size(); ++j) {
    const IslandProblem::Eliminated& one = island_.eliminated[j];
    auto part = ask.segment(6 * static_cast<Eigen::Index>(j), one.bias.size());
    part = -one.bias;
    if (one.jacobian.a >= 0) part -= one.jacobian.partA * u.segment<6>(6 * one.jacobian.a);
    if (one.jacobian.b >= 0) part -= one.jacobian.partB * u.segment<6>(6 * one.jacobian.b);
  }
  island_.tree->pull(ask, change, impulse);
  u += change;
  for (std::size_t j = 0; j < held_.size(); ++j)
    island_.eliminated[j].freeReaction =
        impulse.segment(6 * static_cast<Eigen::Index>(j), island_.eliminated[j].bias.size());
}

}  // namespace cairn
