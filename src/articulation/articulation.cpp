// The public class: model, data, and which of the data is up to date.
#include <Eigen/Cholesky>
#include <cmath>
#include <stdexcept>

#include "articulation/inverse_kinematics.hpp"
#include "articulation/midpoint.hpp"

namespace cairn {

struct Articulation::Impl {
  Impl(const ArticulationDesc& desc, const Vec3& gravity) : model(desc), data(model) { data.gravity = gravity; }
  ArticulationModel model;
  mutable ArticulationData data;
  mutable bool moved = true;  // q or v changed: nothing of the nodes is up to date
  mutable bool factored = false;
  mutable Vector acceleration;
  MidpointScratch scratch;

  ArticulationData& now() const {
    if (moved) {
      data.computeAll(model);
      factored = false;
    }
    moved = false;
    return data;
  }
  void factor() const {
    now();
    if (!factored) data.forwardDynamics(model, Vector::Zero(model.degrees()), acceleration);
    factored = true;
  }
  int node(int link) const {
    if (link < 0 || link >= static_cast<int>(model.links().size()))
      throw std::invalid_argument("link: found " + std::to_string(link) + "; allowed: 0 to " +
                                  std::to_string(model.links().size() - 1));
    return model.links()[static_cast<std::size_t>(link)].node;
  }
  void checkDegrees(const Eigen::Index size, const char* what) const {
    if (size != model.degrees())
      throw std::invalid_argument(std::string(what) + ": found " + std::to_string(size) +
                                  " numbers; allowed: " + std::to_string(model.degrees()));
  }
};

Articulation::Articulation(const ArticulationDesc& desc, const Vec3& gravity)
    : impl_(std::make_unique<Impl>(desc, gravity)) {}
Articulation::~Articulation() = default;
Articulation::Articulation(const Articulation& other) : impl_(std::make_unique<Impl>(*other.impl_)) {}
Articulation::Articulation(Articulation&&) noexcept = default;
Articulation& Articulation::operator=(Articulation other) noexcept {
  std::swap(impl_, other.impl_);
  return *this;
}

int Articulation::links() const { return static_cast<int>(impl_->model.links().size()); }
int Articulation::degrees() const { return impl_->model.degrees(); }
int Articulation::positions() const { return impl_->model.positions(); }
int Articulation::firstDegree(int link) const {
  impl_->node(link);
  return impl_->model.links()[static_cast<std::size_t>(link)].firstV;
}
int Articulation::firstPosition(int link) const {
  impl_->node(link);
  return impl_->model.links()[static_cast<std::size_t>(link)].firstQ;
}
const ArticulationDesc& Articulation::desc() const { return impl_->model.desc(); }

void Articulation::setState(const Vector& q, const Vector& v) {
  impl_->model.checkState(q, v);
  impl_->data.q = q;
  impl_->data.v = v;
  impl_->model.normalise(impl_->data.q);
  impl_->moved = true;
}
void Articulation::setGravity(const Vec3& gravity) {
  if (!gravity.allFinite()) throw std::invalid_argument("gravity: allowed: finite numbers");
  impl_->data.gravity = gravity;
}
const Vector& Articulation::q() const { return impl_->data.q; }
const Vector& Articulation::v() const { return impl_->data.v; }

Pose Articulation::linkPose(int link) const {
  impl_->node(link);
  return impl_->now().linkPose(impl_->model, link);
}
Vec6 Articulation::pointVelocity(int link, const Vec3& point) const {
  const int node = impl_->node(link);
  return impl_->now().velocityAt(node, impl_->data.worldPoint(impl_->model, link, point));
}
Matrix Articulation::jacobian(int link, const Vec3& point) const {
  const int node = impl_->node(link);
  Matrix out;
  impl_->now().jacobian(impl_->model, node, impl_->data.worldPoint(impl_->model, link, point), out);
  return out;
}
Vec6 Articulation::jacobianRateTimesVelocity(int link, const Vec3& point) const {
  const int node = impl_->node(link);
  impl_->now().computeBiasAccelerations(impl_->model);
  return impl_->data.biasAcceleration(node, impl_->data.worldPoint(impl_->model, link, point));
}

Matrix Articulation::massMatrix() const {
  Matrix out;
  impl_->now().massMatrix(impl_->model, out);
  return out;
}
Vector Articulation::biasForces() const { return inverseDynamics(Vector::Zero(degrees())); }
Vector Articulation::forwardDynamics(const Vector& efforts) const {
  impl_->checkDegrees(efforts.size(), "efforts");
  Vector out;
  impl_->now().forwardDynamics(impl_->model, efforts, out);
  impl_->factored = true;
  return out;
}
Vector Articulation::inverseDynamics(const Vector& acceleration) const {
  impl_->checkDegrees(acceleration.size(), "acceleration");
  Vector out;
  impl_->now().inverseDynamics(impl_->model, acceleration, out);
  return out;
}
Matrix Articulation::solveMass(const Matrix& efforts) const {
  impl_->checkDegrees(efforts.rows(), "efforts");
  impl_->factor();
  Matrix out;
  impl_->data.solveMass(impl_->model, efforts, out);
  return out;
}
bool Articulation::isSingular() const {
  impl_->factor();
  return impl_->data.singular;
}

double Articulation::kineticEnergy() const { return impl_->now().kineticEnergy(impl_->model); }
double Articulation::potentialEnergy() const { return impl_->now().potentialEnergy(impl_->model); }
double Articulation::mass() const { return impl_->now().whole(impl_->model).mass; }
Vec3 Articulation::centerOfMass() const { return impl_->now().whole(impl_->model).center; }
Vec6 Articulation::centroidalMomentum() const { return impl_->now().momentum(impl_->model, centerOfMass()); }
Matrix Articulation::centroidalMatrix() const {
  Matrix out;
  impl_->now().momentumMatrix(impl_->model, centerOfMass(), out);
  return out;
}
Mat3 Articulation::centroidalInertia() const { return impl_->now().inertiaAbout(impl_->model, centerOfMass()); }

bool Articulation::step(double dt, const Vector& efforts, ArticulationIntegrator integrator) {
  impl_->checkDegrees(efforts.size(), "efforts");
  if (!std::isfinite(dt) || !efforts.allFinite()) throw std::invalid_argument("dt, efforts: allowed: finite numbers");
  impl_->moved = true;
  if (integrator == ArticulationIntegrator::SemiImplicit)
    return stepSemiImplicit(impl_->model, impl_->data, dt, efforts, impl_->scratch);
  return stepMidpointSafely(impl_->model, impl_->data, dt, efforts, impl_->scratch);
}

InverseKinematicsResult Articulation::solveInverseKinematics(int link, const Vec3& point, const Pose& target,
                                                             const InverseKinematicsOptions& options) {
  impl_->node(link);
  impl_->moved = true;
  return cairn::solveInverseKinematics(impl_->model, impl_->data, link, point, target, options);
}

Vector Articulation::integrated(const Vector& q, const Vector& v, double dt) const {
  impl_->model.checkState(q, v);
  Vector out(q.size());
  impl_->model.integrate(q, v, dt, out);
  return out;
}
Vector Articulation::difference(const Vector& from, const Vector& to) const {
  Vector out = Vector::Zero(degrees());
  impl_->model.checkState(from, out);
  impl_->model.checkState(to, out);
  impl_->model.difference(from, to, out);
  return out;
}

}  // namespace cairn
