// Links of articulations as bodies of the problem, and rows on the degrees of freedom of their joints: limits, motors, dry
// friction. A spring with stiffness k and damping c is a row with compliance 1/(h (h k + c)), as contacts and joints have
// it.
#include "mechanics/problem_builder.hpp"

namespace cairn {

namespace {

constexpr double kNearLimit = 0.05;  // rad or m: what is farther from a limit, and slow, has no row for it
constexpr double kReach = 2.0;       // steps as it moves now: what gets there in that time has one

}  // namespace

void ProblemBuilder::useArticulation(std::uint32_t index, std::vector<int>& numbers) {
  const Mechanism& mechanism = system_.mechanisms[index];
  IslandProblem::Articulated one;
  one.mechanism = index;
  one.first = static_cast<int>(island_.bodies.size());
  one.movers = std::make_shared<ArticulatedMovers>(system_, mechanism, settings_.gravity, dt_, loads());
  const Vector free = one.movers->freeVelocity();
  for (int i = 0; i < one.movers->bodies(); ++i) {
    const std::uint32_t body = one.movers->links()[static_cast<std::size_t>(i)];
    numbers[body] = static_cast<int>(island_.bodies.size());
    island_.bodies.push_back(body);
    const int number = movers_.add(system_.bodies[body]);
    movers_.freeVelocityOf(number) = {free.segment<3>(6 * i), free.segment<3>(6 * i + 3)};
  }
  island_.articulations.push_back(std::move(one));
}

void ProblemBuilder::addArticulation(std::uint32_t index, std::vector<int>& numbers) {
  const Mechanism& mechanism = system_.mechanisms[index];
  const ArticulationModel& model = *mechanism.model;
  const auto acts = [&](int degree) {
    const AxisDesc& axis = mechanism.axes[static_cast<std::size_t>(degree)];
    const bool drives = axis.motor.mode == LinkMotor::Mode::Velocity || axis.motor.mode == LinkMotor::Mode::Position;
    if ((drives || axis.friction > 0.0) && !formulation_.unloaded && !formulation_.displaces) return true;
    if (!model.hasValue(degree)) return false;
    const double value = mechanism.q[model.positionOf(degree)];
    const double reach = kNearLimit + kReach * dt_ * std::abs(mechanism.v[degree]);
    return value - axis.lower < reach || axis.upper - value < reach;
  };
  const IslandProblem::Articulated* one = nullptr;
  for (int k = 0; k < model.degrees(); ++k) {
    if (!acts(k)) continue;
    if (one == nullptr) {
      for (const std::uint32_t body : mechanism.bodies) use(body, numbers);
      for (const IslandProblem::Articulated& known : island_.articulations)
        if (known.mechanism == index) one = &known;
      if (one == nullptr) return;
    }
    addDegree(*one, k);
  }
}

void ProblemBuilder::addDegree(const IslandProblem::Articulated& one, int degree) {
  const Mechanism& mechanism = system_.mechanisms[one.mechanism];
  const ArticulationModel& model = *mechanism.model;
  const AxisDesc& axis = mechanism.axes[static_cast<std::size_t>(degree)];
  const double infinity = std::numeric_limits<double>::infinity();
  const bool isInstant = formulation_.unloaded || formulation_.displaces;
  const double value = model.hasValue(degree) ? mechanism.q[model.positionOf(degree)] : 0.0;
  const double reach = kNearLimit + kReach * dt_ * std::abs(mechanism.v[degree]);
  const auto limit = [&](double gap, double sign, AxisForce force) {
    if (!(gap < reach) || (formulation_.unloaded && gap > 0.0)) return;
    if (axis.limitStiffness && !isInstant) {
      const double sum = dt_ * *axis.limitStiffness + axis.limitDamping;
      pushDegree(one, degree, force, sign, *axis.limitStiffness / sum * gap, 1.0 / (dt_ * sum), 0.0, infinity);
      return;
    }
    const double speed = formulation_.displaces ? gap
                         : gap > 0.0            ? gap / dt_
                                                : std::max(formulation_.jointRate * gap, -formulation_.jointSpeed);
    pushDegree(one, degree, force, sign, speed, 0.0, 0.0, infinity);
  };
  if (model.hasValue(degree)) {
    limit(value - axis.lower, 1.0, AxisForce::LowerLimit);
    limit(axis.upper - value, -1.0, AxisForce::UpperLimit);
  }
  if (isInstant) return;
  const LinkMotor& motor = axis.motor;
  const double most = dt_ * motor.maxEffort;
  if (motor.mode == LinkMotor::Mode::Velocity && most > 0.0)
    pushDegree(one, degree, AxisForce::Motor, 1.0, -motor.target, 0.0, -most, most);
  if (motor.mode == LinkMotor::Mode::Position && most > 0.0) {
    const double sum = dt_ * motor.stiffness + motor.damping.value_or(0.0);
    if (sum > 0.0)
      pushDegree(one, degree, AxisForce::Motor, 1.0, motor.stiffness / sum * (value - motor.target), 1.0 / (dt_ * sum),
                 -most, most);
  }
  if (axis.friction > 0.0)
    pushDegree(one, degree, AxisForce::Friction, 1.0, 0.0, 0.0, -dt_ * axis.friction, dt_ * axis.friction);
}

// `speed`: added to the rate of the degree, m/s or rad/s; `spring`: compliance.
void ProblemBuilder::pushDegree(const IslandProblem::Articulated& one, int degree, AxisForce force, double sign,
                                double speed, double spring, double lower, double upper) {
  const ArticulatedMovers::DegreeRow row = one.movers->degreeRow(degree);
  const auto bodyOf = [&](int link) { return one.movers->links()[static_cast<std::size_t>(link)]; };
  Block block;
  block.law = std::isinf(lower) && std::isinf(upper) ? Law::Free : Law::Interval;
  block.size = 1;
  BlockJacobian jacobian;
  Part onParent(1, 6), onChild(1, 6);
  onParent << sign * row.onParent.transpose();
  onChild << sign * row.onChild.transpose();
  jacobian.b = one.first + row.child;
  if (row.parent >= 0) jacobian.a = one.first + row.parent;
  // A base that does not move adds nothing; its place in the row is that of any body that rests.
  push(block, jacobian, row.parent >= 0 ? onParent : Part(Part::Zero(1, 6)),
       bodyOf(row.parent >= 0 ? row.parent : row.child), onChild, bodyOf(row.child));
  const int first = data_.blocks.back().first;
  bias_[first] += speed;
  compliance_[first] = spring;
  lower_[first] = lower;
  upper_[first] = upper;
  if (force == AxisForce::Motor && spring == 0.0) driven_[first] += speed;
  IslandProblem::Origin origin;
  origin.mechanism = one.mechanism;
  origin.axis = degree;
  origin.force = force;
  island_.origins.push_back(origin);
}

}  // namespace cairn
