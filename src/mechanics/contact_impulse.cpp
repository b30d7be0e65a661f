#include "mechanics/contact_impulse.hpp"

#include <algorithm>
#include <array>

#include "collision/manifold.hpp"

namespace cairn {
namespace {

constexpr int kSweeps = 12;

Vec3 relativeVelocity(const PushedBody& a, const PushedBody& b, const PushedPoint& point) {
  return b.velocity + b.spin.cross(point.armB) - a.velocity - a.spin.cross(point.armA);
}

void push(PushedBody& body, const Vec3& arm, const Vec3& impulse) {
  body.velocity += body.inverseMass * impulse;
  body.spin += body.inverseInertia * arm.cross(impulse);
}

double mobility(const PushedBody& body, const Vec3& arm, const Vec3& direction) {
  const Vec3 across = arm.cross(direction);
  return body.inverseMass + across.dot(body.inverseInertia * across);
}

}  // namespace

Vec3 stopApproach(PushedBody& a, PushedBody& b, std::span<const PushedPoint> points, const Vec3& normal,
                  const ImpulseLaw& law) {
  struct Row {
    double goal = 0.0;    // m/s along the normal
    double normal = 0.0;  // N s so far
    Vec3 friction = Vec3::Zero();
  };
  std::array<Row, kManifoldPoints> rows;
  const std::size_t count = std::min(points.size(), rows.size());
  for (std::size_t i = 0; i < count; ++i) {
    const double approach = -relativeVelocity(a, b, points[i]).dot(normal);
    if (approach > law.restitutionSpeed) rows[i].goal = law.restitution * approach;
  }
  const auto apply = [&](const PushedPoint& point, const Vec3& impulse) {
    push(a, point.armA, -impulse);
    push(b, point.armB, impulse);
  };
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    for (std::size_t i = 0; i < count; ++i) {
      const PushedPoint& point = points[i];
      Row& row = rows[i];
      const double give = mobility(a, point.armA, normal) + mobility(b, point.armB, normal);
      if (!(give > 0.0)) continue;
      const double speed = relativeVelocity(a, b, point).dot(normal);
      const double wanted = std::max(0.0, row.normal + (row.goal - speed) / give);
      apply(point, (wanted - row.normal) * normal);
      row.normal = wanted;
      const Vec3 slip = relativeVelocity(a, b, point);
      const Vec3 across = slip - slip.dot(normal) * normal;
      const double slipSpeed = across.norm();
      if (!(slipSpeed > 0.0)) continue;
      const Vec3 along = across / slipSpeed;
      Vec3 friction = row.friction - slipSpeed / (mobility(a, point.armA, along) + mobility(b, point.armB, along)) * along;
      const double size = friction.norm(), most = law.friction * row.normal;
      if (size > most) friction *= most / size;
      apply(point, friction - row.friction);
      row.friction = friction;
    }
  }
  Vec3 total = Vec3::Zero();
  for (std::size_t i = 0; i < count; ++i) total += rows[i].normal * normal + rows[i].friction;
  return total;
}

}  // namespace cairn
