#include "collision/weld.hpp"

#include <algorithm>
#include <cmath>

#include "collision/composite_touch.hpp"
#include "collision/solid.hpp"
#include "geometry/composite.hpp"
#include "geometry/surface.hpp"

namespace cairn {
namespace {

constexpr double kProbeRounding = 1e-6;    // of the probe's radius
constexpr double kOutside = 0.1;           // of the probe's radius: its centre is outside the others, so the side is not hidden
constexpr double kSamePlane = 0.9962;      // cosine of five degrees
constexpr double kSamePlaneOffset = 1e-3;  // m
constexpr double kDeeperThanAll = 1e-4;    // m: a corrected contact this much deeper than the others cuts through free space

// The immovable side of a contact.
struct Support {
  const Collider* collider = nullptr;
  std::uint32_t index = kNone;   // of the collider
  std::uint32_t child = 0;
  bool isA = false;              // it is A of the pair
};

Support supportOf(const FreshContact& one, const std::vector<Collider>& colliders, const ContactCache& cache) {
  const Contact& contact = cache.slots[one.slot];
  const Children children = cache.links[one.slot].children;
  const bool isA = !colliders[contact.colliderA].dynamic;
  const std::uint32_t index = isA ? contact.colliderA : contact.colliderB;
  return {&colliders[index], index, isA ? children.a : children.b, isA};
}

// How far the point (world) is from a shape, negative inside a solid one; infinity if farther than `most`.
double gapTo(const Support& support, const Vec3& point, double most) {
  const Shape& shape = support.collider->shape;
  const Pose& pose = support.collider->pose;
  if (shape.type == ShapeType::Plane) {
    const Vec3 normal = pose.direction(shape.size);
    return normal.dot(point - pose.position) - shape.offset;
  }
  double nearest = std::numeric_limits<double>::infinity();
  if (shape.type == ShapeType::Mesh || shape.type == ShapeType::HeightField) {
    const Vec3 local = pose.inversePoint(point);
    const Vec3 reach = Vec3::Constant(most);
    forTrianglesIn(shape, {local - reach, local + reach}, [&](std::uint32_t, const Triangle& triangle) {
      nearest = std::min(nearest, (closestOnTriangle(triangle, local).point - local).norm());
    });
    return nearest;
  }
  Shape probe;
  probe.type = ShapeType::Sphere;
  probe.size = Vec3::Constant(most);
  const Pose at{point, Quat::Identity()};
  if (shape.type == ShapeType::SphereSet || shape.type == ShapeType::Compound) {
    const PlacedChild child = childOf(shape, support.child);
    return signedDistance(probe, at, child.shape, pose * child.place).distance + most;
  }
  if (shape.isComposite()) return nearest;
  return signedDistance(probe, at, shape, pose).distance + most;
}

bool isSame(const Support& a, const Support& b) {
  if (a.index != b.index) return false;
  // Patches of one surface have been tested against each other.
  return a.child == b.child || ((a.child & b.child) & kPatch) != 0;
}

class Welder {
 public:
  Welder(const std::vector<const FreshContact*>& fresh, const std::uint32_t* members, std::size_t count,
         const std::vector<Collider>& colliders, const ContactCache& cache, double epsilon)
      : fresh_(fresh), members_(members), count_(count), colliders_(colliders), cache_(cache), epsilon_(epsilon) {}

  // Whether a probe at p may touch there; `outside` is raised if at least its centre is outside all others.
  bool isFree(const Support& self, const Vec3& p, const Vec3& n, bool& outside) const {
    const Vec3 probe = p + epsilon_ * n;
    bool free = true, clear = true;
    for (std::size_t i = 0; i < count_ && free; ++i) {
      const Support other = supportOf(*fresh_[members_[i]], colliders_, cache_);
      if (isSame(self, other) || !isNear(other, probe)) continue;
      const double gap = gapTo(other, probe, epsilon_);
      free = gap >= epsilon_ * (1.0 - kProbeRounding);
      clear = clear && gap > kOutside * epsilon_;
    }
    outside = outside || clear;
    return free;
  }

  bool isReal(const FreshContact& one, bool& outside) const {
    const Support self = supportOf(one, colliders_, cache_);
    const double sign = self.isA ? 1.0 : -1.0;
    for (int i = 0; i < one.manifold.count; ++i) {
      const ManifoldPoint& point = one.manifold.points[i];
      const Vec3 p = point.position - 0.5 * sign * point.separation * one.manifold.normal;
      if (isFree(self, p, sign * one.manifold.normal, outside)) return true;
    }
    return false;
  }

 private:
  bool isNear(const Support& other, const Vec3& probe) const {
    if (other.collider->shape.type == ShapeType::Plane) return true;
    const Shape& shape = other.collider->shape;
    if (shape.isComposite()) return true;
    const Aabb box = boundingBox(shape, other.collider->pose).grown(epsilon_);
    return (box.lower.array() <= probe.array()).all() && (probe.array() <= box.upper.array()).all();
  }

  const std::vector<const FreshContact*>& fresh_;
  const std::uint32_t* members_;
  std::size_t count_;
  const std::vector<Collider>& colliders_;
  const ContactCache& cache_;
  double epsilon_;
};

struct HeldPlane {
  Vec3 normal, point;  // out of the immovable side
};

double deepestSeparation(const Manifold& manifold) {
  double depth = std::numeric_limits<double>::infinity();
  for (int i = 0; i < manifold.count; ++i) depth = std::min(depth, manifold.points[i].separation);
  return depth;
}

// The same for a surface: of the triangles at p.
bool findTriangle(const Welder& welder, const Support& support, const Vec3& p, const Vec3& n, Vec3& normal) {
  const Shape& surface = support.collider->shape;
  const Pose& pose = support.collider->pose;
  constexpr double kAtPoint = 1e-6;  // m
  const Vec3 local = pose.inversePoint(p), reach = Vec3::Constant(kAtPoint);
  double best = -2.0;
  forTrianglesIn(surface, {local - reach, local + reach}, [&](std::uint32_t, const Triangle& triangle) {
    if ((closestOnTriangle(triangle, local).point - local).norm() > kAtPoint) return;
    Vec3 m = pose.direction(triangle.normal());
    if (!isOneSided(surface) && m.dot(n) < 0.0) m = -m;
    bool outside = false;
    if (!(m.dot(n) > best) || !welder.isFree(support, p, m, outside)) return;
    best = m.dot(n);
    normal = m;
  });
  return best > -2.0;
}

// A face of the support near p, with the plane that it lies in, world; the one that passes and is nearest to n.
bool findFace(const Welder& welder, const Support& support, const Vec3& p, const Vec3& n, double reach, Vec3& normal,
              Vec3& point) {
  const Shape& whole = support.collider->shape;
  if (whole.type == ShapeType::Mesh || whole.type == ShapeType::HeightField) {
    point = p;
    return findTriangle(welder, support, p, n, normal);
  }
  Shape shape = whole;
  Pose pose = support.collider->pose;
  if (whole.type == ShapeType::Compound) {
    const PlacedChild child = childOf(whole, support.child);
    shape = child.shape;
    pose = pose * child.place;
  }
  const Shape core = coreOf(shape);
  if (core.type != ShapeType::Box && core.type != ShapeType::Hull) return false;
  const Solid solid(core, pose.rotation, Vec3::Zero());
  BoxParts parts;
  const Polytope polytope = polytopeOf(solid, parts);
  const Vec3 local = pose.inversePoint(p);
  double best = -2.0;
  for (std::uint32_t f = 0; f < polytope.faceCount; ++f) {
    const HullFace& face = polytope.faces[f];
    const double below = face.offset + shape.rounding() - face.normal.dot(local);
    if (below > reach) continue;
    const Vec3 m = pose.direction(face.normal);
    if (!(m.dot(n) > best)) continue;
    const Vec3 onFace = p + below * m;
    bool outside = false;
    if (!welder.isFree(support, onFace, m, outside)) continue;
    best = m.dot(n);
    normal = m;
    point = onFace;
  }
  return best > -2.0;
}

}  // namespace

void weldContacts(const std::vector<const FreshContact*>& fresh, const std::uint32_t* members, std::size_t count,
                  const std::vector<Collider>& colliders, const ContactCache& cache, double weldDistance, double margin,
                  std::vector<Welded>& changes) {
  const Welder welder(fresh, members, count, colliders, cache, weldDistance);
  // Those that fail, deepest first, come after all that do not.
  constexpr std::size_t kMostMembers = 64;
  std::array<std::uint32_t, kMostMembers> failing;
  std::array<bool, kMostMembers> outsides;
  std::array<HeldPlane, kMostMembers> planes;
  std::size_t failed = 0, held = 0;
  double accepted = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < std::min(count, kMostMembers); ++i) {
    const FreshContact& one = *fresh[members[i]];
    const Contact& contact = cache.slots[one.slot];
    const Support support = supportOf(one, colliders, cache);
    const double sign = support.isA ? 1.0 : -1.0;
    bool outside = false;
    if (!one.isKept && !welder.isReal(one, outside)) {
      outsides[failed] = outside;
      failing[failed++] = members[i];
      continue;
    }
    if (one.isKept) {
      for (int p = 0; p < contact.count; ++p) accepted = std::min<double>(accepted, contact.points[p].separation);
      continue;
    }
    const ManifoldPoint& point = one.manifold.points[0];
    planes[held++] = {sign * one.manifold.normal, point.position - 0.5 * sign * point.separation * one.manifold.normal};
    accepted = std::min(accepted, deepestSeparation(one.manifold));
  }
  if (failed == 0) return;
  const auto deeper = [&](std::uint32_t x, std::uint32_t y) {
    const double a = deepestSeparation(fresh[x]->manifold), b = deepestSeparation(fresh[y]->manifold);
    return a != b ? a < b : x < y;
  };
  std::array<std::uint32_t, kMostMembers> order;
  for (std::size_t i = 0; i < failed; ++i) order[i] = static_cast<std::uint32_t>(i);
  std::sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(failed),
            [&](std::uint32_t x, std::uint32_t y) { return deeper(failing[x], failing[y]); });
  for (std::size_t k = 0; k < failed; ++k) {
    const FreshContact& one = *fresh[failing[order[k]]];
    const Support support = supportOf(one, colliders, cache);
    const double sign = support.isA ? 1.0 : -1.0;
    int lowest = 0;
    for (int i = 1; i < one.manifold.count; ++i) {
      if (one.manifold.points[i].separation < one.manifold.points[lowest].separation) lowest = i;
    }
    const ManifoldPoint& deepest = one.manifold.points[lowest];
    const Vec3 n = sign * one.manifold.normal, p = deepest.position - 0.5 * deepest.separation * n;
    Welded change;
    change.contact = failing[order[k]];
    change.isDropped = true;
    Vec3 m, point;
    if (findFace(welder, support, p, n, 2.0 * (weldDistance + std::abs(deepest.separation)), m, point)) {
      const bool isHeld = std::any_of(planes.begin(), planes.begin() + static_cast<std::ptrdiff_t>(held), [&](const HeldPlane& plane) {
        return plane.normal.dot(m) > kSamePlane && std::abs(plane.normal.dot(point - plane.point)) < kSamePlaneOffset;
      });
      if (!isHeld) {
        // The moving shape against the whole plane of the face.
        const Contact& contact = cache.slots[one.slot];
        const Collider& mover = colliders[support.isA ? contact.colliderB : contact.colliderA];
        const Children children = cache.links[one.slot].children;
        const PlacedChild child = childOf(mover.shape, support.isA ? children.b : children.a);
        const Pose pose = mover.pose * child.place;
        if (!child.shape.isComposite()) {
          ShapeOnSurface placed;
          placed.core = coreOf(child.shape);
          placed.grown = child.shape.rounding();
          placed.rotation = pose.rotation;
          touchPlane(point - pose.position, m, placed, margin, change.manifold);
          const double depth = deepestSeparation(change.manifold);
          if (change.manifold.count > 0 && depth >= std::min(0.0, accepted) - kDeeperThanAll) {
            change.isDropped = false;
            accepted = std::min(accepted, depth);
            change.manifold.normal = sign * m;
            for (int i = 0; i < change.manifold.count; ++i) change.manifold.points[i].position += pose.position;
            if (held < kMostMembers) planes[held++] = {m, point};
          }
        }
      }
    } else if (outsides[order[k]]) {
      continue;  // a crevice that the probe does not fit into, but the body does: as it is
    }
    changes.push_back(change);
  }
}

}  // namespace cairn
