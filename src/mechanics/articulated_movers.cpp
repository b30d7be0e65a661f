#include "mechanics/articulated_movers.hpp"

#include <Eigen/Cholesky>

#include "math/rotation.hpp"

namespace cairn {

namespace {

// Forces on links as loads of the nodes.
void setLoads(const System& system, const Mechanism& mechanism, ArticulationData& data) {
  const ArticulationModel& model = *mechanism.model;
  for (Vec6& load : data.loads) load.setZero();
  data.hasLoads = false;
  for (std::size_t i = 0; i < mechanism.bodies.size(); ++i) {
    const Body& body = system.bodies[mechanism.bodies[i]];
    const int node = model.links()[i].node;
    const Vec3 weight = body.mass * (body.gravityScale - 1.0) * data.gravity;  // the rest is the base's acceleration
    if (node < 0 || (body.force.isZero(0.0) && body.torque.isZero(0.0) && weight.isZero(0.0))) continue;
    const Vec3 arm = body.center - data.nodes[static_cast<std::size_t>(node)].position, force = body.force + weight;
    data.loads[static_cast<std::size_t>(node)].head<3>() += force;
    data.loads[static_cast<std::size_t>(node)].tail<3>() += body.torque + arm.cross(force);
    data.hasLoads = true;
  }
}

void copyState(const Mechanism& mechanism, const Vec3& gravity, ArticulationData& data) {
  data.q = mechanism.q;
  data.v = mechanism.v;
  data.gravity = gravity;
}

}  // namespace

Vector effortsOf(const Mechanism& mechanism) {
  Vector efforts = mechanism.efforts;
  for (std::size_t k = 0; k < mechanism.axes.size(); ++k) {
    const LinkMotor& motor = mechanism.axes[k].motor;
    if (motor.mode == LinkMotor::Mode::Effort)
      efforts[static_cast<Eigen::Index>(k)] += std::clamp(motor.target, -motor.maxEffort, motor.maxEffort);
  }
  return efforts;
}

bool moveFree(const System& system, Mechanism& mechanism, const Vec3& gravity, double dt) {
  const ArticulationModel& model = *mechanism.model;
  ArticulationData data(model);
  copyState(mechanism, gravity, data);
  data.computePositions(model);
  setLoads(system, mechanism, data);
  MidpointScratch scratch;
  const Vector efforts = effortsOf(mechanism);
  const bool solved = stepMidpointSafely(model, data, dt, efforts, scratch);
  if (!solved && !stepSemiImplicit(model, data, dt, efforts, scratch)) return false;
  if (!data.q.allFinite() || !data.v.allFinite()) return false;
  mechanism.q = data.q;
  mechanism.v = data.v;
  return solved;
}

void placeLinks(System& system, const Mechanism& mechanism) {
  const ArticulationModel& model = *mechanism.model;
  ArticulationData data(model);
  copyState(mechanism, Vec3::Zero(), data);
  data.computePositions(model);
  data.computeVelocities(model);
  for (std::size_t i = 0; i < mechanism.bodies.size(); ++i) {
    Body& body = system.bodies[mechanism.bodies[i]];
    const Pose pose = data.linkPose(model, static_cast<int>(i));
    // The sign of a quaternion means nothing, but whoever compares two moments would see it jump.
    Quat turn = pose.rotation;
    if (turn.dot(body.rotation) < 0.0) turn.coeffs() = -turn.coeffs();
    body.rotation = turn;
    body.center = pose.point(body.localCenter);
    const Vec6 u = data.velocityAt(model.links()[i].node, body.center);
    body.velocity = u.head<3>();
    body.spin = u.tail<3>();
  }
}

void strike(System& system, std::uint32_t index, const Vec6& impulse) {
  Mechanism& mechanism = system.mechanisms[system.bodies[index].mechanism];
  const ArticulatedMovers movers(system, mechanism, Vec3::Zero(), 0.0, FreeMovers::Loads::None);
  const int number = movers.numberOf(index);
  if (number < 0) return;
  Vector momentum = Vector::Zero(6 * movers.bodies());
  momentum.segment<6>(6 * number) = impulse;
  mechanism.v = movers.jointVelocity(momentum);
  placeLinks(system, mechanism);
}

ArticulatedMovers::ArticulatedMovers(const System& system, const Mechanism& mechanism, const Vec3& gravity, double dt,
                                     FreeMovers::Loads loads)
    : model_(mechanism.model), data_(*model_) {
  for (std::size_t i = 0; i < mechanism.bodies.size(); ++i) {
    if (model_->links()[i].node < 0) continue;
    const Body& body = system.bodies[mechanism.bodies[i]];
    bodies_.push_back(mechanism.bodies[i]);
    linkOf_.push_back(static_cast<int>(i));
    items_.push_back({body.inverseMass, inWorldAxes(body.rotation, body.inverseInertia)});
  }
  freeJoints_ = mechanism.v;
  const bool loaded = loads == FreeMovers::Loads::All;
  if (loads == FreeMovers::Loads::Displaced) freeJoints_.setZero();
  if (loaded) {
    copyState(mechanism, gravity, data_);
    data_.computePositions(*model_);
    setLoads(system, mechanism, data_);
    MidpointScratch scratch;
    const Vector efforts = effortsOf(mechanism);
    if (!stepVelocities(*model_, data_, dt, efforts, scratch)) stepSemiImplicit(*model_, data_, dt, efforts, scratch);
    if (data_.v.allFinite()) freeJoints_ = data_.v;
    data_.hasLoads = false;
  }
  copyState(mechanism, gravity, data_);
  // Damping against impulses is implicit as well.
  for (int k = 0; k < model_->degrees() && loaded; ++k)
    data_.armature[k] += dt * model_->axes()[static_cast<std::size_t>(k)].damping;
  data_.computeAll(*model_);
  Vector unused;
  data_.forwardDynamics(*model_, Vector::Zero(model_->degrees()), unused);  // for the factors
}

int ArticulatedMovers::numberOf(std::uint32_t body) const {
  for (std::size_t i = 0; i < bodies_.size(); ++i)
    if (bodies_[i] == body) return static_cast<int>(i);
  return -1;
}

Vec3 ArticulatedMovers::armOf(int link) const {
  const ArticulationLink& one = model_->links()[static_cast<std::size_t>(linkOf_[static_cast<std::size_t>(link)])];
  return data_.nodes[static_cast<std::size_t>(one.node)].rotation * (one.place + one.turn * one.mass.center);
}

void ArticulatedMovers::moveToNodes(const Matrix& momenta, Matrix& wrenches) const {
  wrenches.setZero(6 * static_cast<Eigen::Index>(model_->nodes().size()), momenta.cols());
  for (int i = 0; i < bodies(); ++i) {
    const int node = model_->links()[static_cast<std::size_t>(linkOf_[static_cast<std::size_t>(i)])].node;
    const Mat3 arm = crossMatrix(armOf(i));
    wrenches.middleRows(6 * node, 3) += momenta.middleRows(6 * i, 3);
    wrenches.middleRows(6 * node + 3, 3) += momenta.middleRows(6 * i + 3, 3) + arm * momenta.middleRows(6 * i, 3);
  }
}

void ArticulatedMovers::respond(const Matrix& momenta, Matrix& velocities) const {
  Matrix wrenches, twists, joints;
  moveToNodes(momenta, wrenches);
  {
    const std::lock_guard lock(mutex_);
    data_.respond(*model_, wrenches, Matrix(), twists, joints);
  }
  velocities.resize(6 * bodies(), momenta.cols());
  for (int i = 0; i < bodies(); ++i) {
    const int node = model_->links()[static_cast<std::size_t>(linkOf_[static_cast<std::size_t>(i)])].node;
    velocities.middleRows(6 * i + 3, 3) = twists.middleRows(6 * node + 3, 3);
    velocities.middleRows(6 * i, 3) =
        twists.middleRows(6 * node, 3) - crossMatrix(armOf(i)) * twists.middleRows(6 * node + 3, 3);
  }
}

Vector ArticulatedMovers::jointVelocity(const Vector& momentum) const {
  Matrix wrenches, twists, joints;
  moveToNodes(momentum, wrenches);
  const std::lock_guard lock(mutex_);
  data_.respond(*model_, wrenches, Matrix(), twists, joints);
  return freeJoints_ + joints.col(0);
}

Vector ArticulatedMovers::linkVelocities(const Vector& joints) const {
  const std::lock_guard lock(mutex_);
  const Vector kept = data_.v;
  data_.v = joints;
  data_.computeVelocities(*model_);
  Vector out(6 * bodies());
  for (int i = 0; i < bodies(); ++i) {
    const int node = model_->links()[static_cast<std::size_t>(linkOf_[static_cast<std::size_t>(i)])].node;
    const NodeState& state = data_.nodes[static_cast<std::size_t>(node)];
    out.segment<6>(6 * i) << state.velocity + state.spin.cross(armOf(i)), state.spin;
  }
  data_.v = kept;
  data_.computeVelocities(*model_);
  return out;
}

ArticulatedMovers::DegreeRow ArticulatedMovers::degreeRow(int degree) const {
  // Axes of one joint are at right angles to each other, so that the part of the relative velocity along one of them is the
  // rate of that degree alone. It is taken at the origin of the joint's last node.
  DegreeRow row;
  int link = 0;
  for (std::size_t i = 0; i < model_->links().size(); ++i)
    if (model_->links()[i].firstNode >= 0 && model_->links()[i].firstV <= degree) link = static_cast<int>(i);
  const ArticulationLink& own = model_->links()[static_cast<std::size_t>(link)];
  const int parent = model_->desc().links[static_cast<std::size_t>(link)].parent;
  const int node = model_->nodeOf()[static_cast<std::size_t>(degree)];
  const ArticulationNode& joint = model_->nodes()[static_cast<std::size_t>(node)];
  const NodeState& state = data_.nodes[static_cast<std::size_t>(node)];
  const Vec3 point = data_.nodes[static_cast<std::size_t>(own.node)].position;
  Vec3 linear = Vec3::Zero(), angular = Vec3::Zero();
  if (joint.kind == NodeKind::Revolute) {
    angular = state.rotation.col(2);
  } else if (joint.kind == NodeKind::Prismatic) {
    linear = state.rotation.col(2);
  } else {
    const auto column = data_.wide[static_cast<std::size_t>(joint.wide)].motion.col(degree - joint.v);
    linear = column.head<3>();
    angular = column.tail<3>();
  }
  const auto set = [&](int ofModel, double sign, int& number, Vec6& out) {
    for (int i = 0; i < bodies(); ++i)
      if (linkOf_[static_cast<std::size_t>(i)] == ofModel) number = i;
    if (number < 0) return;
    const int at = model_->links()[static_cast<std::size_t>(ofModel)].node;
    const Vec3 arm = point - data_.nodes[static_cast<std::size_t>(at)].position - armOf(number);
    out << sign * linear, sign * (angular + arm.cross(linear));
  };
  set(link, 1.0, row.child, row.onChild);
  if (parent >= 0) set(parent, -1.0, row.parent, row.onParent);
  return row;
}

Vector ArticulatedMovers::jointRates(const Vector& velocity) const {
  Vector rates(model_->degrees());
  for (int k = 0; k < model_->degrees(); ++k) {
    const DegreeRow row = degreeRow(k);
    rates[k] = row.onChild.dot(velocity.segment<6>(6 * row.child));
    if (row.parent >= 0) rates[k] += row.onParent.dot(velocity.segment<6>(6 * row.parent));
  }
  return rates;
}

std::shared_ptr<const InverseMass> ArticulatedMovers::inverseMass() const {
  return std::make_shared<MixedMass>(items_, std::vector<MixedMass::Tree>{{0, shared_from_this()}});
}

double ArticulatedMovers::kineticEnergy(const Vector& velocity) const {
  Matrix mass;
  const Vector rates = jointRates(velocity);
  const std::lock_guard lock(mutex_);
  data_.massMatrix(*model_, mass);
  return 0.5 * rates.dot(mass * rates);
}

void ArticulatedMovers::advance(const Vector& velocity, double dt) {
  const Vector rates = jointRates(velocity);
  model_->integrate(data_.q, rates, dt, data_.q);
  data_.v = rates;
  data_.computeAll(*model_);
  Vector unused;
  data_.forwardDynamics(*model_, Vector::Zero(model_->degrees()), unused);
}

Pose ArticulatedMovers::pose(int link) const {
  const int ofModel = linkOf_[static_cast<std::size_t>(link)];
  const Pose frame = data_.linkPose(*model_, ofModel);
  return {frame.point(model_->links()[static_cast<std::size_t>(ofModel)].mass.center), frame.rotation};
}

// J L^-T with M = L L^T, filled up with columns of zeros.
Matrix ArticulatedMovers::factor() const {
  const int degrees = model_->degrees();
  Matrix mass, jacobian(6 * bodies(), degrees), one;
  const std::lock_guard lock(mutex_);
  data_.massMatrix(*model_, mass);
  mass.diagonal() += data_.armature;
  for (int k = 0; k < degrees; ++k) mass(k, k) -= model_->armature(k);
  for (int i = 0; i < bodies(); ++i) {
    const int node = model_->links()[static_cast<std::size_t>(linkOf_[static_cast<std::size_t>(i)])].node;
    data_.jacobian(*model_, node, data_.nodes[static_cast<std::size_t>(node)].position + armOf(i), one);
    jacobian.middleRows(6 * i, 6) = one;
  }
  Matrix out = Matrix::Zero(6 * bodies(), 6 * bodies());
  out.leftCols(degrees) = mass.llt().matrixL().solve(jacobian.transpose()).transpose();
  return out;
}

const MixedMass::Tree* MixedMass::treeOf(int body) const {
  for (const Tree& tree : trees_)
    if (body >= tree.first && body < tree.first + tree.movers->bodies()) return &tree;
  return nullptr;
}

void MixedMass::apply(const Vector& momentum, Vector& velocity) const {
  free_.apply(momentum, velocity);
  Matrix out;
  for (const Tree& tree : trees_) {
    tree.movers->respond(momentum.segment(6 * tree.first, 6 * tree.movers->bodies()), out);
    velocity.segment(6 * tree.first, 6 * tree.movers->bodies()) = out.col(0);
  }
}

void MixedMass::applyColumns(const Matrix& momenta, Matrix& velocities) const {
  velocities.resize(momenta.rows(), momenta.cols());
  Vector column;
  for (Eigen::Index k = 0; k < momenta.cols(); ++k) {
    free_.apply(momenta.col(k), column);
    velocities.col(k) = column;
  }
  Matrix out;
  for (const Tree& tree : trees_) {
    tree.movers->respond(momenta.middleRows(6 * tree.first, 6 * tree.movers->bodies()), out);
    velocities.middleRows(6 * tree.first, 6 * tree.movers->bodies()) = out;
  }
}

Mat6 MixedMass::block(int body) const {
  const Tree* tree = treeOf(body);
  if (tree == nullptr) return free_.block(body);
  Matrix momenta = Matrix::Zero(6 * tree->movers->bodies(), 6), out;
  momenta.middleRows<6>(6 * (body - tree->first)).setIdentity();
  tree->movers->respond(momenta, out);
  const Mat6 found = out.middleRows<6>(6 * (body - tree->first));
  return 0.5 * (found + found.transpose());
}

// The free bodies' part, with that of each tree in place of its links'.
template <class Part>
SparseMatrix MixedMass::assembled(const SparseMatrix& free, Part&& part) const {
  std::vector<Eigen::Triplet<double>> entries;
  for (int row = 0; row < free.outerSize(); ++row)
    if (treeOf(row / 6) == nullptr)
      for (SparseMatrix::InnerIterator it(free, row); it; ++it) entries.emplace_back(it.row(), it.col(), it.value());
  for (const Tree& tree : trees_) {
    const Matrix block = part(tree);
    for (Eigen::Index i = 0; i < block.rows(); ++i)
      for (Eigen::Index j = 0; j < block.cols(); ++j)
        if (block(i, j) != 0.0) entries.emplace_back(6 * tree.first + i, 6 * tree.first + j, block(i, j));
  }
  SparseMatrix out(6 * bodies(), 6 * bodies());
  out.setFromTriplets(entries.begin(), entries.end());
  return out;
}

SparseMatrix MixedMass::matrix() const {
  return assembled(free_.matrix(), [](const Tree& tree) {
    const Eigen::Index rows = 6 * tree.movers->bodies();
    Matrix all;
    tree.movers->respond(Matrix::Identity(rows, rows), all);
    return Matrix(0.5 * (all + all.transpose()));
  });
}

SparseMatrix MixedMass::factor() const {
  return assembled(free_.factor(), [](const Tree& tree) { return tree.movers->factor(); });
}

}  // namespace cairn
