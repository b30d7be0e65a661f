// With x the way from the point to the mouse, v the point's velocity and w the spring's frequency, the point is to move like
// a critically damped oscillator, x'' = w^2 x - 2 w v. The force for that is the mass that the point feels, a 3 x 3 matrix,
// times this acceleration; so light and heavy bodies, held in the middle or at the end, follow alike. The acceleration is
// that of an implicit step, (w^2 x - 2 w v) / (1 + 2 w dt + w^2 dt^2) with x taken dt v further, so that no dt is too long
// for the spring.
#include "lab/mouse_spring.hpp"

#include <Eigen/LU>
#include <numbers>

namespace cairn {
namespace {

constexpr double kFrequency = 2.0 * std::numbers::pi * 4.0;  // rad/s: follows the mouse within about a tenth of a second
constexpr double kLongestPull = 2.0;                         // m: a spring that is longer pulls no harder
constexpr double kMostAcceleration = 2000.0;                 // m/s^2, of the point
constexpr double kTurnDamping = 3.0;                         // 1/s: a body that hangs from the mouse comes to rest

Vec3 shortened(const Vec3& vector, double most) {
  const double length = vector.norm();
  return length > most ? Vec3(vector * (most / length)) : vector;
}

Mat3 crossMatrix(const Vec3& v) {
  Mat3 matrix;
  matrix << 0, -v.z(), v.y(), v.z(), 0, -v.x(), -v.y(), v.x(), 0;
  return matrix;
}

}  // namespace

SpringLoad loadOf(const MouseSpring& spring, const World& world, double dt) {
  const auto state = world.state(spring.body);
  const auto mass = world.massProperties(spring.body);
  if (!state || !mass || world.kind(spring.body) != BodyKind::Dynamic || world.isQuarantined(spring.body)) return {};
  const Vec3 point = state->pose.point(spring.at);
  const Vec3 arm = point - state->center;
  const Vec3 velocity = state->linearVelocity + state->angularVelocity.cross(arm);
  const Mat3 turn = state->pose.rotation.toRotationMatrix();
  const Mat3 inertia = turn * mass->inertia * turn.transpose();
  const Mat3 cross = crossMatrix(arm);
  const Mat3 inverseMass = Mat3::Identity() / mass->mass - cross * inertia.inverse() * cross;

  const double w = kFrequency;
  const Vec3 pull = w * w * (shortened(spring.to - point, kLongestPull) - dt * velocity) - 2.0 * w * velocity;
  const Vec3 acceleration = shortened(pull / (1.0 + 2.0 * w * dt + w * w * dt * dt), kMostAcceleration);
  SpringLoad load;
  load.force = inverseMass.inverse() * acceleration;
  load.torque = arm.cross(load.force) - kTurnDamping / (1.0 + kTurnDamping * dt) * (inertia * state->angularVelocity);
  if (!load.force.allFinite() || !load.torque.allFinite()) return {};
  return load;
}

}  // namespace cairn
