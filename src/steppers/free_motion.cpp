#include "steppers/free_motion.hpp"

#include "math/rotation.hpp"

namespace cairn {

Vec3 gyroscopicAcceleration(const Body& body, double dt) {
  const Quat& q = body.rotation;
  const Vec3 local = q.conjugate() * body.spin;
  const Quat turned = cayleyTurned(q, midpointAngularVelocity(body.inertia, local, dt), dt);
  const Vec3 momentum = q * (body.inertia * local);
  const Vec3 after = turned * (body.inverseInertia * (turned.conjugate() * momentum));
  return (after - body.spin) / dt;
}

void moveFree(Body& body, const Vec3& gravity, double dt, int substeps) {
  const double h = dt / substeps;
  const Vec3 acceleration = gravity * body.gravityScale + body.force * body.inverseMass;
  const bool gyroscopic = body.unlikeness > 0.0 || !body.torque.isZero(0.0);
  for (int i = 0; i < substeps; ++i) {
    const Vec3 before = body.velocity;
    body.velocity = (body.velocity + h * acceleration) / (1.0 + h * body.linearDamping);
    body.center += 0.5 * h * (before + body.velocity);
    if (!gyroscopic) {
      body.spin /= 1.0 + h * body.angularDamping;
      body.rotation = rotated(body.rotation, h * body.spin);
      continue;
    }
    const Quat q = body.rotation;
    const Vec3 start = body.inertia * (q.conjugate() * body.spin);
    const Vec3 pushed = start + h * (q.conjugate() * body.torque);
    const Vec3 m = midpointAngularVelocity(body.inertia, body.inverseInertia * pushed, h);
    body.rotation = cayleyTurned(q, m, h);
    const Vec3 momentum = q * pushed;  // world axes: kept by the turn
    body.spin = body.rotation * (body.inverseInertia * (body.rotation.conjugate() * momentum));
    body.spin /= 1.0 + h * body.angularDamping;
  }
}

FreeVelocity freeVelocity(const Body& body, const Vec3& gravity, double dt) {
  Vec3 angular = inWorldAxes(body.rotation, body.inverseInertia) * body.torque;
  if (body.unlikeness > 0.0) angular += gyroscopicAcceleration(body, dt);
  const Vec3 linear = gravity * body.gravityScale + body.force * body.inverseMass;
  return {(body.velocity + dt * linear) / (1.0 + dt * body.linearDamping),
          (body.spin + dt * angular) / (1.0 + dt * body.angularDamping)};
}

}  // namespace cairn
