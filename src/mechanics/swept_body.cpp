#include "mechanics/swept_body.hpp"

#include <cmath>
#include <numbers>

#include "math/rotation.hpp"

namespace cairn {

BodyExtent extentOf(const System& system, const Body& body) {
  double inner = 1e30, reach = 0.0;
  for (std::uint32_t c = body.firstCollider; c != kNone; c = system.colliders[c].next) {
    const Collider& collider = system.colliders[c];
    inner = std::min(inner, innerRadius(collider.shape));
    reach = std::max(reach, collider.local.position.norm() + turningRadius(collider.shape));
  }
  return {static_cast<float>(inner), static_cast<float>(std::min(reach, 1e30)), body.generation};
}

SweptBody::SweptBody(const Pose& before, const Pose& after, const Vec3& spin, double dt, bool alongScrew)
    : pose_(before), pivot_(before.position) {
  const Vec3 displacement = after.position - before.position;
  Vec3 turn = rotationVector(after.rotation * before.rotation.conjugate());
  double angle = turn.norm();
  const double turned = dt * spin.norm();
  // Of a turn by less than rounding nobody knows the axis.
  const Vec3 axis = angle > 1e-9 ? Vec3(turn / angle) : turned > 0.0 ? Vec3(dt * spin / turned) : Vec3(Vec3::UnitZ());
  const double whole = 2.0 * std::numbers::pi;
  angle += whole * std::round((dt * spin.dot(axis) - angle) / whole);
  turn = angle * axis;
  velocity_ = displacement / dt;
  spin_ = turn / dt;
  if (!alongScrew) return;
  // Chasles: the axis goes through the point that the motion across it leaves where it is.
  constexpr double kLeastSine = 1e-3;
  const double sine = std::sin(0.5 * angle);
  if (std::abs(sine) < kLeastSine) return;
  const Vec3 along = displacement.dot(axis) * axis, across = displacement - along;
  pivot_ = before.position + 0.5 * (across + std::cos(0.5 * angle) / sine * axis.cross(across));
  velocity_ = along / dt;
}

Pose SweptBody::at(double time) const {
  const double t = time - from_;
  if (t == 0.0) return pose_;
  const Quat turn = rotated(Quat::Identity(), t * spin_);
  return {pivot_ + t * velocity_ + turn * (pose_.position - pivot_), (turn * pose_.rotation).normalized()};
}

void SweptBody::advanceTo(double time) {
  pose_ = at(time);
  pivot_ += (time - from_) * velocity_;
  from_ = time;
}

void SweptBody::setMotion(const Vec3& velocity, const Vec3& spin) {
  pivot_ = pose_.position;
  velocity_ = velocity;
  spin_ = spin;
}

MovingShape SweptBody::moving(const Collider& collider, double time) const {
  return {collider.shape, at(time) * collider.local, pivot_ + (time - from_) * velocity_, velocity_, spin_};
}

Aabb SweptBody::sweptBox(const Collider& collider, double time, double until) const {
  const MovingShape shape = moving(collider, time);
  const Aabb box = boundingBox(collider.shape, shape.start);
  const double reach = (shape.start.position - shape.pivot).norm() + turningRadius(collider.shape);
  const double turn = (until - time) * spin_.norm();
  const Aabb grown = turn > 0.0 && reach > 0.0 ? box.grown(std::min(turn, 2.0) * reach) : box;
  const Vec3 shift = (until - time) * velocity_;
  return grown.united({grown.lower + shift, grown.upper + shift});
}

}  // namespace cairn
