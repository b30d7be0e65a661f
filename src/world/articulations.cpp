// Articulations of a world: added, removed, read and driven.
#include <Eigen/QR>
#include <cmath>

#include "geometry/mass.hpp"
#include "mechanics/articulated_movers.hpp"
#include "mechanics/joint_rows.hpp"
#include "world/checks.hpp"
#include "world/state.hpp"

namespace cairn {

namespace {

// Of the body of a link that has no mass of its own, which counts for nothing: all that moves it is in the model.
constexpr double kMasslessMass = 1e-12, kMasslessMoment = 1e-16;  // kg, kg m^2
constexpr double kDependentRow = 1e-9;                            // of the largest

// As the world needs it: every link has a mass, from its shapes if none is given.
ArticulationDesc weighed(const ArticulationDesc& desc) {
  ArticulationDesc out = desc;
  for (std::size_t i = 0; i < out.links.size(); ++i) {
    LinkDesc& link = out.links[i];
    if (link.massProperties || link.shapes.empty()) continue;
    std::vector<MassProperties> parts;
    for (std::size_t k = 0; k < link.shapes.size(); ++k) {
      try {
        const Pose local{link.shapes[k].local.position, link.shapes[k].local.rotation.normalized()};
        parts.push_back(transformed(massProperties(link.shapes[k].geometry, link.shapes[k].density), local));
      } catch (const std::invalid_argument& error) {
        refuse("links[" + std::to_string(i) + "].shapes[" + std::to_string(k) + "]", error.what());
      }
    }
    link.massProperties = combined(parts);
  }
  return out;
}

bool isMassless(const LinkDesc& link) { return !link.massProperties || link.massProperties->mass == 0.0; }

// Motors by position without a stated damping are damped critically: c = 2 sqrt(k I), I being what the joint moves if all
// others are locked.
void fillDamping(Mechanism& mechanism, int degree) {
  LinkMotor& motor = mechanism.axes[static_cast<std::size_t>(degree)].motor;
  if (motor.mode != LinkMotor::Mode::Position || motor.damping) return;
  ArticulationData data(*mechanism.model);
  data.q = mechanism.q;
  data.computeAll(*mechanism.model);
  Matrix mass;
  data.massMatrix(*mechanism.model, mass);
  motor.damping = 2.0 * std::sqrt(motor.stiffness * std::max(mass(degree, degree), 0.0));
}

}  // namespace

ArticulationId World::addArticulation(const ArticulationDesc& desc) {
  WorldState& state = impl_->state;
  System& system = state.system;
  Mechanism mechanism;
  mechanism.model = std::make_shared<const ArticulationModel>(weighed(desc));
  const ArticulationModel& model = *mechanism.model;
  ArticulationData data(model);  // checks positions and velocities
  mechanism.q = data.q;
  mechanism.v = data.v;
  mechanism.efforts = Vector::Zero(model.degrees());
  mechanism.axes = model.axes();
  mechanism.impulse.assign(static_cast<std::size_t>(model.degrees()), {});
  mechanism.total = mechanism.impulse;
  mechanism.alive = true;
  for (int k = 0; k < model.degrees(); ++k) fillDamping(mechanism, k);

  std::uint32_t index;
  if (state.freeMechanisms.empty()) {
    index = static_cast<std::uint32_t>(system.mechanisms.size());
  } else {
    index = state.freeMechanisms.back();
  }
  const std::string name = desc.name.empty() ? "articulation " + std::to_string(index) : desc.name;
  data.computePositions(model);
  data.computeVelocities(model);
  std::vector<BodyId> made;
  try {
    for (std::size_t i = 0; i < model.links().size(); ++i) {
      const LinkDesc& link = model.desc().links[i];
      BodyDesc body;
      body.name = link.name.empty() ? name + "/" + std::to_string(i) : name + "/" + link.name;
      body.kind = model.links()[i].node < 0 ? BodyKind::Static : BodyKind::Dynamic;
      body.pose = data.linkPose(model, static_cast<int>(i));
      body.shapes = link.shapes;
      body.massProperties = link.massProperties;
      if (isMassless(link))
        body.massProperties = MassProperties{kMasslessMass, Vec3::Zero(), kMasslessMoment * Mat3::Identity()};
      made.push_back(addBody(body));
    }
  } catch (const std::invalid_argument& error) {
    for (const BodyId body : made) removeBody(body);
    refuse("links[" + std::to_string(made.size()) + "]", error.what());
  }
  if (state.freeMechanisms.empty()) {
    system.mechanisms.emplace_back();
    state.mechanismNames.emplace_back();
  } else {
    state.freeMechanisms.pop_back();
    mechanism.generation = system.mechanisms[index].generation;
  }
  for (const BodyId body : made) {
    mechanism.bodies.push_back(body.index);
    system.bodies[body.index].mechanism = index;
  }
  // What cannot move against each other does not collide, nor do neighbours unless asked to.
  for (std::size_t i = 0; i < made.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) {
      const bool same = model.links()[i].node == model.links()[k].node;
      const bool neighbours = model.desc().links[i].parent == static_cast<int>(k);
      if (same || (neighbours && !desc.neighboursCollide)) impl_->exclude(made[i].index, made[k].index, true);
    }
  }
  system.mechanisms[index] = std::move(mechanism);
  state.mechanismNames[index] = name;
  placeLinks(system, system.mechanisms[index]);
  impl_->refusalIsFresh = false;
  return {index, system.mechanisms[index].generation};
}

bool World::removeArticulation(ArticulationId id) {
  Mechanism* mechanism = impl_->find(id);
  if (mechanism == nullptr) return false;
  System& system = impl_->state.system;
  const ArticulationModel& model = *mechanism->model;
  const std::vector<std::uint32_t> bodies = mechanism->bodies;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) {
      const bool same = model.links()[i].node == model.links()[k].node;
      const bool neighbours = model.desc().links[i].parent == static_cast<int>(k);
      if (same || (neighbours && !model.desc().neighboursCollide)) impl_->exclude(bodies[i], bodies[k], false);
    }
  }
  for (const std::uint32_t body : bodies) system.bodies[body].mechanism = kNone;
  for (const std::uint32_t body : bodies) removeBody(impl_->idOf(body));
  const std::uint32_t generation = mechanism->generation + 1;
  *mechanism = {};
  mechanism->generation = generation;
  impl_->state.freeMechanisms.push_back(id.index);
  impl_->refusalIsFresh = false;
  return true;
}

std::string_view World::name(ArticulationId id) const {
  return impl_->find(id) ? std::string_view(impl_->state.mechanismNames[id.index]) : "";
}

std::vector<BodyId> World::links(ArticulationId id) const {
  std::vector<BodyId> ids;
  if (const Mechanism* mechanism = impl_->find(id))
    for (const std::uint32_t body : mechanism->bodies) ids.push_back(impl_->idOf(body));
  return ids;
}

std::optional<ArticulationState> World::state(ArticulationId id) const {
  const Mechanism* mechanism = impl_->find(id);
  if (mechanism == nullptr) return std::nullopt;
  ArticulationState out{mechanism->q, mechanism->v, {}};
  const double dt = impl_->state.lastDt;
  for (const auto& total : mechanism->total) {
    const auto of = [&](AxisForce force) { return total[static_cast<std::size_t>(force)] / dt; };
    out.efforts.push_back(
        {of(AxisForce::LowerLimit) - of(AxisForce::UpperLimit), of(AxisForce::Motor), of(AxisForce::Friction)});
  }
  return out;
}

bool World::setState(ArticulationId id, const Vector& q, const Vector& v) {
  Mechanism* mechanism = impl_->find(id);
  if (mechanism == nullptr) return false;
  mechanism->model->checkState(q, v);
  mechanism->q = q;
  mechanism->v = v;
  mechanism->model->normalise(mechanism->q);
  System& system = impl_->state.system;
  placeLinks(system, *mechanism);
  for (const std::uint32_t body : mechanism->bodies) {
    impl_->markEdited(system.bodies[body]);
    impl_->wakeIsland(system.bodies[body]);
  }
  return true;
}

bool World::setEfforts(ArticulationId id, const Vector& efforts) {
  Mechanism* mechanism = impl_->find(id);
  if (mechanism == nullptr) return false;
  if (efforts.size() != mechanism->model->degrees() || !efforts.allFinite())
    refuse("efforts", "must be " + std::to_string(mechanism->model->degrees()) + " finite numbers");
  mechanism->efforts = efforts;
  for (const std::uint32_t body : mechanism->bodies) impl_->wakeIsland(impl_->state.system.bodies[body]);
  return true;
}

bool World::setAxis(ArticulationId id, int degree, const AxisDesc& axis) {
  Mechanism* mechanism = impl_->find(id);
  if (mechanism == nullptr) return false;
  if (degree < 0 || degree >= mechanism->model->degrees())
    refuse("degree", "must be from 0 to " + std::to_string(mechanism->model->degrees() - 1));
  mechanism->model->checkAxis(axis, degree);
  mechanism->axes[static_cast<std::size_t>(degree)] = axis;
  fillDamping(*mechanism, degree);
  for (const std::uint32_t body : mechanism->bodies) impl_->wakeIsland(impl_->state.system.bodies[body]);
  return true;
}

bool World::setMotorTarget(ArticulationId id, int degree, double target) {
  Mechanism* mechanism = impl_->find(id);
  if (mechanism == nullptr) return false;
  if (degree < 0 || degree >= mechanism->model->degrees())
    refuse("degree", "must be from 0 to " + std::to_string(mechanism->model->degrees() - 1));
  requireFinite("target", target);
  mechanism->axes[static_cast<std::size_t>(degree)].motor.target = target;
  for (const std::uint32_t body : mechanism->bodies) impl_->wakeIsland(impl_->state.system.bodies[body]);
  return true;
}

std::optional<Articulation> World::articulation(ArticulationId id) const {
  const Mechanism* mechanism = impl_->find(id);
  if (mechanism == nullptr) return std::nullopt;
  Articulation out(mechanism->model->desc(), impl_->state.settings.gravity);
  out.setState(mechanism->q, mechanism->v);
  return out;
}

Mobility World::mobility(ArticulationId id) const {
  Mobility out;
  const Mechanism* mechanism = impl_->find(id);
  if (mechanism == nullptr) return out;
  const System& system = impl_->state.system;
  out.tree = mechanism->model->degrees();
  const ArticulatedMovers movers(system, *mechanism, Vec3::Zero(), 0.0, FreeMovers::Loads::None);
  ArticulationData data(*mechanism->model);
  data.q = mechanism->q;
  data.computePositions(*mechanism->model);
  std::vector<Eigen::RowVectorXd> rows;
  for (const Joint& joint : system.joints) {
    const Body& a = system.bodies[joint.a];
    const Body& b = system.bodies[joint.b];
    const bool ofA = a.mechanism == id.index, ofB = b.mechanism == id.index;
    const auto counts = [](const Body& body, bool own) { return own || !body.isDynamic(); };
    if (!joint.alive || joint.spring || !(ofA || ofB) || !counts(a, ofA) || !counts(b, ofB)) continue;
    std::array<JointRow, kJointRows> of;
    const int count = jointRows(joint, a.center, a.rotation, b.center, b.rotation, of);
    ++out.loops;
    out.rows += count;
    for (int k = 0; k < count; ++k) {
      Eigen::RowVectorXd row = Eigen::RowVectorXd::Zero(out.tree);
      Matrix jacobian;
      const auto add = [&](std::uint32_t index, bool own, const Vec3& linear, const Vec3& angular) {
        const int number = own ? movers.numberOf(index) : -1;
        if (number < 0) return;
        const auto link = static_cast<std::size_t>(std::find(mechanism->bodies.begin(), mechanism->bodies.end(), index) -
                                                   mechanism->bodies.begin());
        data.jacobian(*mechanism->model, mechanism->model->links()[link].node, system.bodies[index].center, jacobian);
        row += linear.transpose() * jacobian.topRows(3) + angular.transpose() * jacobian.bottomRows(3);
      };
      add(joint.a, ofA, -of[static_cast<std::size_t>(k)].linear, of[static_cast<std::size_t>(k)].angularA);
      add(joint.b, ofB, of[static_cast<std::size_t>(k)].linear, of[static_cast<std::size_t>(k)].angularB);
      rows.push_back(row);
    }
  }
  if (rows.empty()) return out;
  Matrix all(static_cast<Eigen::Index>(rows.size()), out.tree);
  for (std::size_t i = 0; i < rows.size(); ++i) all.row(static_cast<Eigen::Index>(i)) = rows[i];
  Eigen::ColPivHouseholderQR<Matrix> qr(all);
  qr.setThreshold(kDependentRow);
  out.redundant = out.rows - static_cast<int>(qr.rank());
  return out;
}

}  // namespace cairn
