#include "collision/carry_over.hpp"

#include <algorithm>
#include <array>

namespace cairn {

namespace {

// Points are known again by (pair, children, feature). Here alone, a point without a twin takes over the impulse of an old
// point of the same contact that is this close to it: the features of a corner that slides over an edge, or of faces that
// take turns as the reference, change their names while the same place carries the same load.
constexpr float kMatchDistance = 0.01f;  // m
constexpr float kMatchShare = 0.05f;     // of the smaller body's radius, if that is less
// Impulses along a normal that turned by more than about 45 degrees say nothing about the new one.
constexpr float kSameNormal = 0.7f;

// Where the point is on the nearer body's surface.
Float3 anchorOf(const Contact& contact, const ManifoldPoint& from, const Vec3& normal, const Vec3& centerA,
                const Vec3& centerB) {
  const Vec3 half = 0.5 * from.separation * normal;
  const Vec3 anchor = contact.anchorsOnB ? Vec3(from.position + half - centerB) : Vec3(from.position - half - centerA);
  return anchor.cast<float>();
}

void placeContact(Contact& contact, const Manifold& manifold, const Vec3& centerA, const Vec3& centerB) {
  contact.normal = manifold.normal.cast<float>();
  contact.between = (centerA - centerB).cast<float>();
  const Vec3& place = manifold.points[0].position;
  contact.anchorsOnB = (place - centerB).squaredNorm() < (place - centerA).squaredNorm();
}

}  // namespace

bool carryOverSingle(Contact& contact, const Manifold& manifold, const KeptManifold& kept, const Vec3& centerA,
                     const Vec3& centerB) {
  const ManifoldPoint& from = manifold.points[0];
  ContactPoint& to = contact.points[0];
  if (manifold.count != 1 || contact.count != 1 || from.feature != kept.features[0]) return false;
  const Float3 normal = manifold.normal.cast<float>();
  if (!(contact.normal.dot(normal) > kSameNormal)) return false;
  contact.oldPoints = 1;
  placeContact(contact, manifold, centerA, centerB);
  to.anchor = anchorOf(contact, from, manifold.normal, centerA, centerB);
  to.separation = static_cast<float>(from.separation);
  to.totalImpulse = 0.0f;
  contact.frictionImpulse -= normal * normal.dot(contact.frictionImpulse);
  return true;
}

bool moveBalls(Contact& contact, double radiusA, const Vec3& centerA, double radiusB, const Vec3& centerB, double margin) {
  const Vec3 between = centerB - centerA;
  const double distance = between.norm(), separation = distance - (radiusA + radiusB);
  if (!(separation <= margin) || !(distance > 0.0) || contact.count != 1 || !contact.mixed) return false;
  const Float3 normal = (between / distance).cast<float>();
  if (!(contact.normal.dot(normal) > kSameNormal)) return false;
  contact.normal = normal;
  contact.between = -between.cast<float>();
  contact.anchorsOnB = radiusB < radiusA;
  contact.oldPoints = 1;
  ContactPoint& point = contact.points[0];
  point.anchor = static_cast<float>(contact.anchorsOnB ? -radiusB : radiusA) * normal;
  point.separation = static_cast<float>(separation);
  point.totalImpulse = 0.0f;
  contact.frictionImpulse -= normal * normal.dot(contact.frictionImpulse);
  return true;
}

void carryOver(Contact& contact, const Manifold& manifold, KeptManifold& kept, const Vec3& centerA, const Vec3& centerB,
               float radius) {
  const float matchDistance = std::min(kMatchDistance, kMatchShare * radius);
  const Contact old = contact;
  const auto oldFeatures = kept.features;
  const Float3 normal = manifold.normal.cast<float>();
  const int oldCount = old.normal.dot(normal) > kSameNormal ? old.count : 0;
  std::array<bool, kManifoldPoints> taken{};
  contact.oldPoints = 0;
  const auto keep = [&](int i, int j) {
    taken[j] = true;
    contact.oldPoints |= static_cast<std::uint8_t>(1u << i);
    contact.points[i].normalImpulse = old.points[j].normalImpulse;
  };

  placeContact(contact, manifold, centerA, centerB);
  for (int i = 0; i < manifold.count; ++i) {
    const ManifoldPoint& from = manifold.points[i];
    ContactPoint& to = contact.points[i];
    to = ContactPoint{};
    to.anchor = anchorOf(contact, from, manifold.normal, centerA, centerB);
    to.separation = static_cast<float>(from.separation);
    kept.features[i] = from.feature;
    for (int j = 0; j < oldCount; ++j) {
      if (taken[j] || oldFeatures[j] != from.feature) continue;
      keep(i, j);
      break;
    }
  }
  for (int i = 0; i < manifold.count; ++i) {
    if ((contact.oldPoints >> i & 1) != 0) continue;
    int best = -1;
    float nearest = matchDistance * matchDistance;
    for (int j = 0; j < oldCount; ++j) {
      if (taken[j]) continue;
      const float d =
          std::min((old.anchorA(j) - contact.anchorA(i)).squaredNorm(), (old.anchorB(j) - contact.anchorB(i)).squaredNorm());
      if (d < nearest) nearest = d, best = j;
    }
    if (best >= 0) keep(i, best);
  }

  contact.count = static_cast<std::uint8_t>(manifold.count);
  if (oldCount == 0) {
    contact.frictionImpulse.setZero();
    contact.twistImpulse = 0.0f;
  }
  contact.frictionImpulse -= normal * normal.dot(contact.frictionImpulse);
}

void keepPoints(Contact& contact, const MovedManifold& moved) {
  contact.normal = moved.normal;
  contact.between = moved.between;
  contact.oldPoints = static_cast<std::uint8_t>((1u << contact.count) - 1u);
  for (int i = 0; i < contact.count; ++i) {
    ContactPoint& point = contact.points[i];
    point.separation = moved.separations[i];
    point.anchor = moved.anchorsA[i];
    if (contact.anchorsOnB) point.anchor += moved.between + moved.separations[i] * moved.normal;
    point.totalImpulse = 0.0f;
  }
  contact.frictionImpulse -= contact.normal * contact.normal.dot(contact.frictionImpulse);
}

}  // namespace cairn
