#include "mechanics/free_motion.hpp"

#include <Eigen/LU>
#include <stdexcept>

#include "math/rotation.hpp"
#include "math/runge_kutta.hpp"
#include "mechanics/integrate.hpp"

namespace cairn {

namespace {

constexpr double kCashKarpTolerance = 1e-10;  // relative, for each step
constexpr int kMostCashKarpSteps = 100000;
constexpr double kMidpointShare = 1e-12;  // see gyroscopicAcceleration
constexpr int kMidpointRounds = 8;

Integrator integratorOf(const std::string& name) {
  for (std::size_t i = 0; i < kIntegratorNames.size(); ++i)
    if (kIntegratorNames[i] == name) return static_cast<Integrator>(i);
  throw std::invalid_argument("integrator: found \"" + name + "\"; allowed: momentum, euler, rk4, cash_karp");
}

Vec3 loadOf(const Body& body, const Vec3& gravity) {
  return without(gravity * body.gravityScale + body.force * body.inverseMass, body.lockedPosition);
}

// Position, velocity, rotation (w, x, y, z), angular momentum: unlike the spin, the last is constant in free flight.
using FlightState = Eigen::Matrix<double, 13, 1>;

FlightState stateOf(const Body& body) {
  FlightState y;
  const Quat& q = body.rotation;
  const Vec3 momentum = q * (body.inertia * (q.conjugate() * body.spin));
  y << body.center, body.velocity, q.w(), q.vec(), momentum;
  return y;
}

Quat rotationOf(const FlightState& y) { return Quat(y[6], y[7], y[8], y[9]).normalized(); }

Vec3 spinOf(const Body& body, const FlightState& y) {
  const Quat q = rotationOf(y);
  return q * (body.inverseInertia * (q.conjugate() * Vec3(y.tail<3>())));
}

void setState(Body& body, const FlightState& y) {
  body.center = y.head<3>();
  body.velocity = y.segment<3>(3);
  body.spin = spinOf(body, y);
  body.rotation = rotationOf(y);
}

// Newton and Euler for one body.
FlightState slope(const Body& body, const Vec3& acceleration, const FlightState& y) {
  const Vec3 w = spinOf(body, y);
  const Quat turning = Quat(0.0, w.x(), w.y(), w.z()) * Quat(y[6], y[7], y[8], y[9]);
  FlightState dy;
  dy << y.segment<3>(3), acceleration - body.linearDamping * y.segment<3>(3), 0.5 * turning.w(), 0.5 * turning.vec(),
      body.torque - body.angularDamping * y.tail<3>();
  return dy;
}

void moveAdaptively(Body& body, const Vec3& acceleration, double dt) {
  const auto f = [&](double, const FlightState& y) { return slope(body, acceleration, y); };
  FlightState y = stateOf(body);
  double t = 0.0, h = dt;
  for (int i = 0; i < kMostCashKarpSteps && t < dt; ++i) {
    h = std::min(h, dt - t);
    const CashKarp<FlightState> next = cashKarp(y, t, h, f);
    // Parts of the state have units of their own; each is measured by its own size.
    double error = 0.0;
    for (const auto& [first, count] : {std::pair{0, 3}, {3, 3}, {6, 4}, {10, 3}}) {
      const double size = std::max(y.segment(first, count).norm(), h * f(t, y).segment(first, count).norm());
      if (size > 0.0) error = std::max(error, next.error.segment(first, count).norm() / (kCashKarpTolerance * size));
    }
    if (error <= 1.0 || h < 1e-12 * dt) {
      t += h;
      y = next.y;
      y.segment<4>(6).normalize();
    }
    h = nextStepSize(h, error);
  }
  setState(body, y);
}

void moveMomentum(Body& body, const Vec3& acceleration, double h) {
  const bool gyroscopic = body.anisotropy > 0.0 || !body.torque.isZero(0.0);
  const Vec3 before = body.velocity;
  body.velocity = (body.velocity + h * acceleration) / (1.0 + h * body.linearDamping);
  const Vec3 displacement = 0.5 * h * (before + body.velocity);
  if (!gyroscopic) {
    body.spin /= 1.0 + h * body.angularDamping;
    displace(body, displacement, h * body.spin);
    return;
  }
  body.center += displacement;
  const Quat q = body.rotation;
  const Vec3 start = body.inertia * (q.conjugate() * body.spin);
  const Vec3 pushed = start + h * (q.conjugate() * body.torque);
  const Vec3 m = midpointAngularVelocity(body.inertia, body.inverseInertia * pushed, h);
  body.rotation = cayleyTurned(q, m, h);
  const Vec3 momentum = q * pushed;  // world axes: kept by the turn
  body.spin = body.rotation * (body.inverseInertia * (body.rotation.conjugate() * momentum));
  body.spin /= 1.0 + h * body.angularDamping;
}

void moveEuler(Body& body, const Vec3& acceleration, double h) {
  const Vec3 local = body.rotation.conjugate() * body.spin;
  const Vec3 torque = body.rotation.conjugate() * body.torque - local.cross(body.inertia * local);
  body.velocity = (body.velocity + h * acceleration) / (1.0 + h * body.linearDamping);
  body.spin += h * (body.rotation * (body.inverseInertia * torque));
  body.spin /= 1.0 + h * body.angularDamping;
  advance(body, h);
}

}  // namespace

FreeMotion freeMotion(const WorldSettings& settings) { return {settings.gravity, integratorOf(settings.integrator)}; }

Vec3 gyroscopicAcceleration(const Body& body, double dt, Integrator integrator) {
  if (integrator == Integrator::Momentum) {
    // The midpoint m = w + d of math/rotation.hpp, the spin w and its change d in body axes: d = (dt/2) I^-1 (I m x m).
    // Repeated, this comes nearer by at least the factor dt |m| every time, since no two moments differ by more than the
    // third. It ends when no more is missing than kMidpointShare of w: far less than single precision keeps of it.
    const Mat3 axes = body.rotation.toRotationMatrix();
    const Vec3 w = axes.transpose() * body.spin;
    const double half = 0.5 * dt, square = w.squaredNorm();
    const double enough = kMidpointShare * kMidpointShare / (2.0 * dt * dt);  // with room for |m| beside |w|
    Vec3 d = Vec3::Zero();
    bool settled = false;
    for (int i = 0; i < kMidpointRounds && !settled; ++i) {
      const Vec3 m = w + d;
      const Vec3 next = half * (body.inverseInertia * (body.inertia * m).cross(m));
      settled = (next - d).squaredNorm() <= enough && next.squaredNorm() <= 0.01 * square;
      d = next;
    }
    if (!settled) d = midpointAngularVelocity(body.inertia, w, dt) - w;
    // The spin at the end is w + 2 d, and the body has turned by cayley(dt m), which leaves m where it is. With v = dt m/2,
    // v x w is (dt/2) d x w.
    const Vec3 v = half * (w + d), across = half * d.cross(w);
    const Vec3 change = d - (across + v.cross(across)) / (1.0 + v.squaredNorm());
    return axes * (2.0 / dt * change);
  }
  Body free = body;
  free.force.setZero();
  free.torque.setZero();
  free.angularDamping = 0.0;
  moveFree(free, {Vec3::Zero(), integrator}, dt, 1);
  return (free.spin - body.spin) / dt;
}

void moveFree(Body& body, const FreeMotion& motion, double dt, int substeps) {
  const Vec3 acceleration = loadOf(body, motion.gravity);
  if (motion.integrator == Integrator::CashKarp) return moveAdaptively(body, acceleration, dt);
  const double h = dt / substeps;
  for (int i = 0; i < substeps; ++i) {
    switch (motion.integrator) {
      case Integrator::Euler:
        moveEuler(body, acceleration, h);
        break;
      case Integrator::RungeKutta4:
        setState(body, rungeKutta4(stateOf(body), 0.0, h,
                                   [&](double, const FlightState& y) { return slope(body, acceleration, y); }));
        break;
      default:
        moveMomentum(body, acceleration, h);
    }
  }
}

void slowByDrag(Body& body, const Drag& drag, double dt) {
  if (!drag.any()) return;
  body.velocity /= 1.0 + dt * (drag.linear + drag.quadratic * body.velocity.norm()) * body.inverseMass;
  const double resistance = drag.angularLinear + drag.angularQuadratic * body.spin.norm();  // N m s
  if (resistance == 0.0) return;
  const Mat3 inverse = inWorldAxes(body.rotation, body.inverseInertia);
  body.spin = (Mat3::Identity() + dt * resistance * inverse).inverse() * body.spin;
}

FreeVelocity freeVelocity(const Body& body, const FreeMotion& motion, double dt) {
  Vec3 angular = inWorldAxes(body.rotation, body.inverseInertia) * body.torque;
  if (body.anisotropy > 0.0) angular += gyroscopicAcceleration(body, dt, motion.integrator);
  return {(body.velocity + dt * loadOf(body, motion.gravity)) / (1.0 + dt * body.linearDamping),
          (body.spin + dt * angular) / (1.0 + dt * body.angularDamping)};
}

}  // namespace cairn
