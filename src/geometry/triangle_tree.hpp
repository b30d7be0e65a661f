// Queries of many triangles by a hierarchy over their boxes. All coordinates are those of the vertices.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "geometry/box_tree.hpp"
#include "geometry/triangle.hpp"

namespace cairn {

using TriangleIndices = std::array<std::uint32_t, 3>;  // of vertices; counter-clockwise seen from the front

// Triangles that someone else owns.
struct TriangleView {
  std::span<const Vec3> vertices;
  std::span<const TriangleIndices> triangles;

  std::size_t size() const { return triangles.size(); }
  Triangle triangle(std::size_t t) const {
    const TriangleIndices& i = triangles[t];
    return {{vertices[i[0]], vertices[i[1]], vertices[i[2]]}};
  }
};

struct TriangleRayHit {
  double distance = 0.0;  // in units of the direction's length
  std::uint32_t triangle = 0;
  bool isFront = true;  // the ray goes against the triangle's normal
};
// Of two triangles at the same distance the one with the smaller number.
struct ClosestTriangle {
  double distance = 0.0;  // m, at least 0
  Vec3 point = Vec3::Zero();
  std::uint32_t triangle = 0;
  TriangleFeature feature = TriangleFeature::Face;
};
enum class RaySides : std::uint8_t { Both, Front };

class TriangleTree {
 public:
  TriangleTree() = default;
  // Indices are in range and vertices finite.
  explicit TriangleTree(const TriangleView& view, const Tasks& tasks = Tasks())
      : boxes_(view.size(), [&view](std::size_t t) { return view.triangle(t).bounds(); }, tasks) {}

  const BoxTree& boxes() const { return boxes_; }
  const Aabb& bounds() const { return boxes_.bounds(); }
  std::size_t bytes() const { return boxes_.bytes(); }

  // Calls visit(triangle) for each triangle whose own box overlaps this one; ends with false if visit returns false.
  template <class Visit>
  bool overlap(const TriangleView& view, const Aabb& box, Visit&& visit) const {
    return boxes_.overlap(box, [&](std::uint32_t t) -> bool {
      if (!view.triangle(t).bounds().overlaps(box)) return true;
      if constexpr (std::is_same_v<std::invoke_result_t<Visit&, std::uint32_t>, bool>) {
        return visit(t);
      } else {
        visit(t);
        return true;
      }
    });
  }

  // The box moves by `displacement`. Calls visit(triangle, when) -> double for triangles whose own box it touches at the
  // fraction `when` of the path, which is before the last value that visit returned (at first 1): return 1 to go on to the
  // end, `when` or a later fraction to see only what is touched before that, a negative number to stop.
  template <class Visit>
  double sweep(const TriangleView& view, const Aabb& box, const Vec3& displacement, Visit&& visit) const;

  std::optional<TriangleRayHit> nearestHit(const TriangleView& view, const Vec3& origin, const Vec3& direction, double length,
                                           RaySides sides = RaySides::Both) const;
  bool hitsAny(const TriangleView& view, const Vec3& origin, const Vec3& direction, double length,
               RaySides sides = RaySides::Both) const;
  // Nothing if all triangles are farther than `most`.
  std::optional<ClosestTriangle> closest(const TriangleView& view, const Vec3& point,
                                         double most = std::numeric_limits<double>::infinity()) const;

 private:
  BoxTree boxes_;
};

// When a box that moves by `displacement` first touches another, as a fraction of the path; nothing if it does not.
std::optional<double> sweptBoxes(const Aabb& moving, const Vec3& displacement, const Aabb& other);

template <class Visit>
double TriangleTree::sweep(const TriangleView& view, const Aabb& box, const Vec3& displacement, Visit&& visit) const {
  const Vec3 half = 0.5 * (box.upper - box.lower);
  return boxes_.cast(box.lower + half, half, displacement, 1.0, [&](std::uint32_t t, double best) {
    const std::optional<double> when = sweptBoxes(box, displacement, view.triangle(t).bounds());
    return when && *when <= best ? visit(t, *when) : best;
  });
}

}  // namespace cairn
