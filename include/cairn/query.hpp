// Questions that change nothing: rays, shape casts, overlaps, closest points. docs/queries.md tells how to ask them.
//
// A question is about the world as it is now: while a shape is cast, the world holds still. Wrong numbers throw
// std::invalid_argument that names the field. A stale id is an empty answer. Answers depend on where shapes are, and on
// nothing else: not on the number of threads, nor on the history of the world. Ties go to the shape with the smaller id.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <type_traits>
#include <vector>

#include "cairn/ids.hpp"
#include "cairn/math.hpp"
#include "cairn/shape.hpp"

namespace cairn {

// Which shapes a question sees, besides those that its groups leave out. Empty: all of them. It is asked about shapes that
// are near, in no particular order. Batched questions ask it from several threads at once.
using ShapeFilter = std::function<bool(BodyId, ShapeId)>;

// A shape to ask with. Building a hull takes long: make it once, and copy it. Planes have no end and cannot be asked with.
class QueryShape {
 public:
  QueryShape() = default;  // none: refused by every question
  template <class T>
  requires(!std::same_as<std::remove_cvref_t<T>, QueryShape> && std::constructible_from<Geometry, T>)
      QueryShape(T&& geometry)  // NOLINT: meant to be implicit
      : QueryShape(Checked{}, Geometry(std::forward<T>(geometry))) {}

  bool isEmpty() const { return shape_ == nullptr; }
  const struct Shape* get() const { return shape_.get(); }

 private:
  struct Checked {};
  QueryShape(Checked, const Geometry& geometry);  // throws std::invalid_argument, as World::addBody does

  std::shared_ptr<const struct Shape> shape_;
};

struct Ray {
  Vec3 origin = Vec3::Zero();                // m
  Vec3 direction = Vec3::UnitX();            // need not be a unit vector
  double length = 1e6;                       // m, along the direction
  std::uint32_t collidesWith = 0xffffffffu;  // groups it can hit
};

struct RayHit {
  ShapeId shape{};
  BodyId body{};
  double distance = 0.0;       // m; 0 if the ray begins inside
  Vec3 point = Vec3::Zero();   // m
  Vec3 normal = Vec3::Zero();  // outward; against the ray if it begins inside
};

// A shape on its way: its pivot moves with a constant velocity, and it turns about the pivot with a constant spin.
struct ShapeCast {
  QueryShape shape{};
  Pose start{};                              // of the shape's frame
  Vec3 velocity = Vec3::Zero();              // m/s, of the pivot
  Vec3 spin = Vec3::Zero();                  // rad/s, world axes
  Vec3 pivot = Vec3::Zero();                 // m, in the shape's frame
  double seconds = 1.0;                      // s, at most kLongestCast
  std::uint32_t collidesWith = 0xffffffffu;  // groups it can hit
};
inline constexpr double kLongestCast = 1e6;  // s

struct CastHit {
  ShapeId shape{};
  BodyId body{};
  double seconds = 0.0;          // s, until the two touch
  Pose pose{};                   // of the cast shape's frame then
  Vec3 point = Vec3::Zero();     // m, on the shape that is hit
  Vec3 normal = Vec3::Zero();    // outward from the shape that is hit
  bool startsInOverlap = false;  // the two overlap from the beginning: seconds is 0
  double depth = 0.0;            // m, of that overlap
};

// A shape at a place: what touches it?
struct ShapeProbe {
  QueryShape shape{};
  Pose pose{};
  double margin = 0.0;                       // m: shapes that are no farther away count too
  std::uint32_t collidesWith = 0xffffffffu;  // groups it can touch
};

// A box along the axes of the world: what reaches into it?
struct RegionProbe {
  Vec3 lower = Vec3::Zero(), upper = Vec3::Zero();  // m
  std::uint32_t collidesWith = 0xffffffffu;         // groups it can touch
};

struct PointProbe {
  Vec3 point = Vec3::Zero();                 // m
  double within = 1e6;                       // m: nothing farther away is looked for
  std::uint32_t collidesWith = 0xffffffffu;  // groups it can find
};

struct Overlap {
  ShapeId shape{};
  BodyId body{};
  bool operator==(const Overlap&) const = default;
};

// Where two shapes are closest. If they overlap, the distance is minus the penetration depth: the length of the shortest way
// that parts them. What was asked with, and has no id, is A.
struct ClosestPoints {
  ShapeId shapeA{}, shapeB{};
  BodyId bodyA{}, bodyB{};
  double distance = 0.0;        // m
  Vec3 pointA = Vec3::Zero();   // m, on the surface of A
  Vec3 pointB = Vec3::Zero();   // m, on the surface of B
  Vec3 normal = Vec3::UnitZ();  // from A to B; moving B by -distance along it makes the two just touch

  double depth() const { return distance < 0.0 ? -distance : 0.0; }  // m
};

}  // namespace cairn
