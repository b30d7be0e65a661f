// Contact points before their number is cut down to what a manifold holds.
#pragma once

#include <array>

#include "collision/manifold.hpp"

namespace cairn {

struct ContactCandidate {
  Vec3 position;      // half way between the surfaces
  double x, y;        // m, in some frame of the contact plane
  double separation;  // m
  std::uint32_t feature;
};

struct ContactSet {
  static constexpr int kCapacity = 160;

  Vec3 normal;  // unit, from the canonical A to B
  int count = 0;
  bool isOrdered = false;    // the points go around a convex polygon
  double parallelism = 0.0;  // cosine between the flat and what lies on it, if that is a face, a cap or a line; else 0
  std::array<ContactCandidate, kCapacity> points;

  // When full, only the points that a reduction could choose survive.
  void add(const ContactCandidate& point);
  double deepest() const;  // smallest separation; infinity if empty
  // A patch of nearly parallel faces with an extent (see kFlushCosine).
  bool isFlush(double margin) const;
};

// The points within the margin, at most four of them: the quadrilateral of largest area, but never without the deepest
// point.
void reduce(ContactSet& set, double margin, Manifold& manifold);

// How features are named. A corner of a clipped polygon is the meeting of two edges; an edge's label is 14 bits and one bit
// for its owner, and the pair is stored smaller first: so the name does not depend on which of the two shapes is the
// reference.
enum class FeatureKind : std::uint32_t { Corner = 0, Edges = 1, Curved = 2, Vertex = 3 };
constexpr std::uint32_t featureName(FeatureKind kind, std::uint32_t low) {
  return (static_cast<std::uint32_t>(kind) << 30) | (low & 0x3fffffffu);
}
constexpr std::uint32_t edgeLabel(bool ownerIsB, std::uint32_t index) {
  return (ownerIsB ? 0x4000u : 0u) | (index & 0x3fffu);
}
constexpr std::uint32_t cornerName(std::uint32_t first, std::uint32_t second) {
  return featureName(FeatureKind::Corner, first < second ? (first << 15) | second : (second << 15) | first);
}
// The one point that two shapes have when none of their features is extended.
inline constexpr std::uint32_t kSinglePoint = featureName(FeatureKind::Curved, 0xff);

}  // namespace cairn
