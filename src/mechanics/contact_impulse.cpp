#include "mechanics/contact_impulse.hpp"

#include <algorithm>
#include <array>
#include <utility>

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

struct Row {
  double goal = 0.0;            // m/s along the normal
  double normal = 0.0;          // N s so far
  Vec3 friction = Vec3::Zero();  // N s so far
};
using Rows = std::array<Row, kManifoldPoints>;

void sweepRows(PushedBody& a, PushedBody& b, std::span<const PushedPoint> points, const Vec3& normal, double friction,
               Rows& rows) {
  const auto apply = [&](const PushedPoint& point, const Vec3& impulse) {
    push(a, point.armA, -impulse);
    push(b, point.armB, impulse);
  };
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    for (std::size_t i = 0; i < points.size(); ++i) {
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
      Vec3 held = row.friction - slipSpeed / (mobility(a, point.armA, along) + mobility(b, point.armB, along)) * along;
      const double size = held.norm(), most = friction * row.normal;
      if (size > most) held *= most / size;
      apply(point, held - row.friction);
      row.friction = held;
    }
  }
}

}  // namespace

Vec3 stopApproach(PushedBody& a, PushedBody& b, std::span<const PushedPoint> all, const Vec3& normal, const ImpulseLaw& law) {
  const PushedBody startA = a, startB = b;
  const std::span<const PushedPoint> points = all.first(std::min<std::size_t>(all.size(), kManifoldPoints));
  // Newton's law with friction, and with points that part while others bounce, can make energy. Then nothing bounces; and if
  // that is not enough, nothing rubs.
  for (const auto& [restitution, friction] : {std::pair{law.restitution, law.friction}, {0.0, law.friction}, {0.0, 0.0}}) {
    a = startA;
    b = startB;
    Rows rows;
    for (std::size_t i = 0; i < points.size(); ++i) {
      const double approach = -relativeVelocity(a, b, points[i]).dot(normal);
      if (approach > law.restitutionSpeed) rows[i].goal = restitution * approach;
    }
    sweepRows(a, b, points, normal, friction, rows);
    Vec3 total = Vec3::Zero();
    double work = 0.0, scale = 0.0;  // J; the work of an impulse is its product with the mean velocity of its point
    for (std::size_t i = 0; i < points.size(); ++i) {
      const Vec3 impulse = rows[i].normal * normal + rows[i].friction;
      const Vec3 before = relativeVelocity(startA, startB, points[i]), after = relativeVelocity(a, b, points[i]);
      work += 0.5 * impulse.dot(before + after);
      scale += impulse.norm() * (before.norm() + after.norm());
      total += impulse;
    }
    if (work <= 1e-9 * scale || (restitution == 0.0 && friction == 0.0)) return total;
  }
  return Vec3::Zero();
}

}  // namespace cairn
