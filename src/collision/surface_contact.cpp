#include "collision/surface_contact.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "collision/contact_set.hpp"
#include "collision/solid.hpp"
#include "geometry/triangle.hpp"

namespace cairn {
namespace {

constexpr double kTouching = 1e-6;        // of epsilon: rounding of the test
constexpr double kPushedCosine = 0.9;     // a face whose normal is this near to a push of the last step has the shape in front
constexpr double kCutsFree = 1e-4;        // m: a corrected contact this much deeper than all others cuts through free space
constexpr double kPatchCosine5 = 0.9962;  // of five degrees: normals of one patch
constexpr double kPatchOffset = 1e-3;     // m: planes of one patch
constexpr double kPatchOffsetShare = 0.02;  // of the shape's size, if that is less
constexpr double kAsDeep = 1e-4;          // of the shape's size: contacts that deep or deeper are as deep as others
constexpr int kMostPatches = 32;

double deepestOf(const Manifold& manifold) {
  double depth = std::numeric_limits<double>::infinity();
  for (int i = 0; i < manifold.count; ++i) depth = std::min(depth, manifold.points[i].separation);
  return depth;
}

int deepestPoint(const Manifold& manifold) {
  int best = 0;
  for (int i = 1; i < manifold.count; ++i) {
    if (manifold.points[i].separation < manifold.points[best].separation) best = i;
  }
  return best;
}

// Where the contact's point is on the surface.
Vec3 onSurface(const Manifold& manifold, int i) {
  return manifold.points[i].position - 0.5 * manifold.points[i].separation * manifold.normal;
}

Triangle triangleOf(const NearTriangle& near) { return {{near.corners[0], near.corners[1], near.corners[2]}}; }

double distanceTo(const NearTriangle& near, const Vec3& point) {
  return (closestOnTriangle(triangleOf(near), point).point - point).norm();
}

// Whether the triangle's box is within `reach` of the point.
bool isWithin(const NearTriangle& near, const Vec3& point, double reach) {
  for (int k = 0; k < 3; ++k) {
    const double x0 = near.corners[0][k], x1 = near.corners[1][k], x2 = near.corners[2][k];
    if (std::min({x0, x1, x2}) > point[k] + reach || std::max({x0, x1, x2}) < point[k] - reach) return false;
  }
  return true;
}

struct Workshop {
  std::vector<TriangleContact> contacts;
  std::vector<std::uint32_t> order;
  struct Point {
    ManifoldPoint point;
    std::uint32_t triangle;
    int patch;
  };
  std::vector<Point> points;
};

bool isReal(std::span<const NearTriangle> triangles, const TriangleContact& contact, double epsilon) {
  const Vec3& n = contact.manifold.normal;
  for (int i = 0; i < contact.manifold.count; ++i) {
    // Points of edges that are nearly parallel lie a little beside the triangle.
    const Triangle own{{contact.corners[0], contact.corners[1], contact.corners[2]}};
    const Vec3 probe = closestOnTriangle(own, onSurface(contact.manifold, i)).point + epsilon * n;
    bool free = true;
    for (const NearTriangle& other : triangles) {
      // Its own triangle is asked too: of a patch, some points are not where it is nearest.
      if (!isWithin(other, probe, epsilon)) continue;
      if (distanceTo(other, probe) >= epsilon * (1.0 - kTouching)) continue;
      free = false;
      break;
    }
    if (free) return true;
  }
  return false;
}

// Gives the contact the normal of the face at its deepest point that is nearest to its own. False: no face holds it.
bool correct(std::span<const NearTriangle> triangles, const ShapeOnSurface& shape, bool oneSided, double size, double margin,
             double deepestAccepted, TriangleContact& contact) {
  const Vec3 n = contact.manifold.normal, p = onSurface(contact.manifold, deepestPoint(contact.manifold));
  const double near = 1e-6 * size;
  double best = contact.faceNormal.dot(n);
  Vec3 face = contact.faceNormal;
  bool own = true;
  for (const NearTriangle& other : triangles) {
    if (other.id == contact.triangle || !isWithin(other, p, near) || distanceTo(other, p) > near) continue;
    Vec3 m = triangleOf(other).normal();
    if (!oneSided && m.dot(shape.corePoint - other.corners[0]) < 0.0) m = -m;
    if (!(m.dot(n) > best + 1e-9)) continue;
    best = m.dot(n);
    face = m;
    own = face.dot(contact.faceNormal) > 1.0 - 1e-12;
  }
  const double height = lowestReach(shape, face) - face.dot(p);
  if (height > margin || height < std::min(0.0, deepestAccepted) - kCutsFree) return false;
  if (own && contact.over.count > 0) {
    contact.manifold = contact.over;
    return true;
  }
  Manifold plane;
  touchPlane(p, face, shape, margin, plane);
  if (plane.count == 0) return false;
  // Where the shape is nearest to it, the plane must be hidden: the surface is in front of it there.
  const Vec3 foot = onSurface(plane, deepestPoint(plane));
  double nearest = std::numeric_limits<double>::infinity();
  bool hidden = false;
  for (const NearTriangle& other : triangles) {
    const double away = distanceTo(other, foot);
    if (away >= nearest) continue;
    nearest = away;
    Vec3 m = triangleOf(other).normal();
    if (!oneSided && m.dot(shape.corePoint - other.corners[0]) < 0.0) m = -m;
    hidden = m.dot(foot - other.corners[0]) <= near;
  }
  if (!hidden) return false;
  contact.manifold = plane;
  return true;
}

// The same name for two points of a patch would have one of them take over the other's impulse.
std::uint32_t renamed(std::uint32_t feature, std::uint32_t triangle) {
  std::uint32_t x = feature ^ (triangle * 0x9e3779b9u + 0x7f4a7c15u);
  x ^= x >> 16;
  x *= 0x85ebca6bu;
  x ^= x >> 13;
  return (feature & 0xc0000000u) | (x & 0x3fffffffu);
}

}  // namespace

void touchTriangles(std::span<const NearTriangle> triangles, const ShapeOnSurface& shape, bool oneSided,
                    std::span<const Vec3> pushes, double margin, double weldDistance, std::vector<SurfacePatch>& patches) {
  patches.clear();
  static thread_local Workshop work;
  work.contacts.clear();
  work.order.clear();
  work.points.clear();
  const double size = largestSize(shape.core) + shape.grown;
  for (const NearTriangle& near : triangles) {
    if (!near.isNear) continue;
    const Vec3 normal = triangleOf(near).normal();
    const bool pushed =
        std::any_of(pushes.begin(), pushes.end(), [&](const Vec3& push) { return push.dot(normal) > kPushedCosine; });
    TriangleContact& contact = work.contacts.emplace_back();
    if (!touchTriangle(near.corners, shape, oneSided, pushed, margin, contact)) {
      work.contacts.pop_back();
      continue;
    }
    contact.triangle = near.id;
  }
  for (std::uint32_t i = 0; i < work.contacts.size(); ++i) work.order.push_back(i);
  // Faces first, then the deepest.
  std::sort(work.order.begin(), work.order.end(), [&](std::uint32_t x, std::uint32_t y) {
    const TriangleContact &a = work.contacts[x], &b = work.contacts[y];
    if (a.onFace != b.onFace) return a.onFace;
    const double depthA = deepestOf(a.manifold), depthB = deepestOf(b.manifold);
    return depthA != depthB ? depthA < depthB : a.triangle < b.triangle;
  });

  const double offset = std::min(kPatchOffset, kPatchOffsetShare * size);
  struct Plane5 {
    Vec3 normal, point;
    double deepest;
    std::uint32_t triangle;
  };
  std::array<Plane5, kMostPatches> planes;
  int count = 0;
  double accepted = std::numeric_limits<double>::infinity();
  for (const std::uint32_t index : work.order) {
    TriangleContact& contact = work.contacts[index];
    // What no face holds is left out, unless nothing else is as deep: a corner in a crevice that the ball does not fit into.
    if (!contact.onFace && !isReal(triangles, contact, weldDistance) &&
        !correct(triangles, shape, oneSided, size, margin, accepted, contact) &&
        !(deepestOf(contact.manifold) < accepted - kAsDeep * size))
      continue;
    const Manifold& manifold = contact.manifold;
    const int lowest = deepestPoint(manifold);
    const double depth = manifold.points[lowest].separation;
    const Vec3 place = onSurface(manifold, lowest);
    accepted = std::min(accepted, depth);
    int patch = 0;
    while (patch < count && !(planes[patch].normal.dot(manifold.normal) > kPatchCosine5 &&
                              std::abs(planes[patch].normal.dot(place - planes[patch].point)) < offset))
      ++patch;
    if (patch == kMostPatches) continue;
    if (patch == count) planes[count++] = {manifold.normal, place, depth, contact.triangle};
    if (depth < planes[patch].deepest) planes[patch] = {manifold.normal, place, depth, contact.triangle};
    for (int i = 0; i < manifold.count; ++i) work.points.push_back({manifold.points[i], contact.triangle, patch});
  }

  for (int k = 0; k < count; ++k) {
    SurfacePatch& patch = patches.emplace_back();
    patch.triangle = planes[k].triangle;
    ContactSet set;
    set.normal = planes[k].normal;
    set.isOrdered = false;
    set.parallelism = 0.0;
    set.count = 0;
    const Tangents tangents = tangentsOf(set.normal);
    for (const Workshop::Point& point : work.points) {
      if (point.patch != k) continue;
      const Vec3& p = point.point.position;
      std::uint32_t name = point.point.feature;
      bool known = false;
      for (int i = 0; i < set.count && !known; ++i) {
        // Where two triangles meet, both have the point.
        known = (set.points[i].position - p).squaredNorm() < 1e-12 * size * size;
        if (known && point.point.separation < set.points[i].separation) set.points[i].separation = point.point.separation;
        if (set.points[i].feature == name) name = renamed(point.point.feature, point.triangle);
      }
      if (!known) set.add({p, tangents.u.dot(p), tangents.v.dot(p), point.point.separation, name});
    }
    reduce(set, margin, patch.manifold);
  }
  std::sort(patches.begin(), patches.end(), [](const SurfacePatch& a, const SurfacePatch& b) {
    const double depthA = deepestOf(a.manifold), depthB = deepestOf(b.manifold);
    return depthA != depthB ? depthA < depthB : a.triangle < b.triangle;
  });
}

}  // namespace cairn
