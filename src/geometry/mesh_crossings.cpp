// Two triangles cross if an edge of one goes through the face of the other; in one plane, if their outlines do or a point of one
// is inside the other. What is nearer than the tolerance to an edge or a plane only touches.
#include <cmath>

#include "geometry/mesh_check.hpp"

namespace cairn {
namespace {

constexpr double kTouchShare = 1e-9;

// Signed distance of p from the side a -> b of a triangle with this normal, positive inside.
double insideOf(const Vec3& a, const Vec3& b, const Vec3& normal, const Vec3& p) {
  const Vec3 side = b - a;
  const double length = side.norm();
  return length > 0.0 ? normal.cross(side).dot(p - a) / length : 0.0;
}

bool isInside(const Triangle& triangle, const Vec3& normal, const Vec3& p, double touch) {
  for (int k = 0; k < 3; ++k) {
    if (insideOf(triangle.corner[k], triangle.corner[(k + 1) % 3], normal, p) <= touch) return false;
  }
  return true;
}

bool edgePasses(const Triangle& cutter, const Triangle& face, const Vec3& normal, const std::array<double, 3>& height,
                double touch) {
  for (int k = 0; k < 3; ++k) {
    const double from = height[k], to = height[(k + 1) % 3];
    if (!((from > touch && to < -touch) || (from < -touch && to > touch))) continue;
    const Vec3 &a = cutter.corner[k], &b = cutter.corner[(k + 1) % 3];
    if (isInside(face, normal, a + from / (from - to) * (b - a), touch)) return true;
  }
  return false;
}

bool overlapInPlane(const Triangle& a, const Triangle& b, const Vec3& normalA, const Vec3& normalB, double touch) {
  for (const Vec3& p : a.corner) {
    if (isInside(b, normalB, p, touch)) return true;
  }
  for (const Vec3& p : b.corner) {
    if (isInside(a, normalA, p, touch)) return true;
  }
  if (isInside(b, normalB, a.centroid(), touch) || isInside(a, normalA, b.centroid(), touch)) return true;
  for (int i = 0; i < 3; ++i) {
    const Vec3 &p = a.corner[i], &q = a.corner[(i + 1) % 3];
    for (int j = 0; j < 3; ++j) {
      const Vec3 &r = b.corner[j], &s = b.corner[(j + 1) % 3];
      const double sideR = insideOf(p, q, normalA, r), sideS = insideOf(p, q, normalA, s);
      const double sideP = insideOf(r, s, normalA, p), sideQ = insideOf(r, s, normalA, q);
      const auto differ = [&](double x, double y) { return (x > touch && y < -touch) || (x < -touch && y > touch); };
      if (differ(sideR, sideS) && differ(sideP, sideQ)) return true;
    }
  }
  return false;
}

bool cross(const Triangle& a, const Triangle& b, double touch) {
  const Vec3 normalA = a.normal(), normalB = b.normal();
  std::array<double, 3> heightA, heightB;  // corners of a over the plane of b, and the other way round
  for (int k = 0; k < 3; ++k) {
    heightA[k] = normalB.dot(a.corner[k] - b.corner[0]);
    heightB[k] = normalA.dot(b.corner[k] - a.corner[0]);
  }
  const auto isFlat = [&](const std::array<double, 3>& h) {
    return std::abs(h[0]) <= touch && std::abs(h[1]) <= touch && std::abs(h[2]) <= touch;
  };
  if (isFlat(heightA) || isFlat(heightB)) return overlapInPlane(a, b, normalA, normalB, touch);
  return edgePasses(a, b, normalB, heightA, touch) || edgePasses(b, a, normalA, heightB, touch);
}

int sharedCorners(const TriangleIndices& a, const TriangleIndices& b) {
  int shared = 0;
  for (std::uint32_t v : a) shared += v == b[0] || v == b[1] || v == b[2] ? 1 : 0;
  return shared;
}

}  // namespace

CrossingCount findCrossings(const TriangleView& view, const TriangleTree& tree, const Tasks& tasks) {
  constexpr std::size_t kGrain = 1024;
  const double touch = kTouchShare * (tree.bounds().upper - tree.bounds().lower).maxCoeff();
  std::vector<CrossingCount> pieces((view.size() + kGrain - 1) / kGrain);
  tasks.parallelFor(view.size(), kGrain, [&](std::size_t begin, std::size_t end) {
    CrossingCount& count = pieces[begin / kGrain];
    for (auto t = static_cast<std::uint32_t>(begin); t < end; ++t) {
      const Triangle triangle = view.triangle(t);
      tree.overlap(view, triangle.bounds(), [&](std::uint32_t other) {
        if (other <= t) return;
        const int shared = sharedCorners(view.triangles[t], view.triangles[other]);
        if (shared == 3) return;  // equal triangles are another defect
        if (!cross(triangle, view.triangle(other), touch)) return;
        ++count.pairs;
        count.first = std::min(count.first, t);
      });
    }
  });
  CrossingCount all;
  for (const CrossingCount& piece : pieces) {
    all.pairs += piece.pairs;
    all.first = std::min(all.first, piece.first);
  }
  return all;
}

}  // namespace cairn
