// Where two shapes touch. This is the only way from shapes to manifolds: nobody else calls collide().
//
// A pair of shapes has any number of manifolds, one for each pair of children that touch. A child is a convex part: the
// member of a compound; or a patch of triangles of a mesh or height field. A convex shape has one child, 0. What is known
// of a point from step to step goes by (pair, children, feature), and by nothing else.
#pragma once

#include <compare>
#include <memory>
#include <type_traits>

#include "collision/manifold.hpp"

namespace cairn {

// Which part of A touches which part of B.
struct Children {
  std::uint32_t a = 0, b = 0;
  auto operator<=>(const Children&) const = default;
};

// A point among those of one pair of shapes.
struct PointId {
  Children children{};
  std::uint32_t feature = 0;  // ManifoldPoint::feature
  auto operator<=>(const PointId&) const = default;
};

// Refers to a callable (Children, const Manifold&) that outlives the call. Unlike std::function it never allocates.
class ManifoldVisitor {
 public:
  template <class Visit>
  requires(!std::is_same_v<std::remove_cvref_t<Visit>, ManifoldVisitor>)
      ManifoldVisitor(Visit&& visit)  // NOLINT: meant to be implicit
      : visit_(const_cast<void*>(static_cast<const void*>(std::addressof(visit)))),
        call_([](void* to, Children children, const Manifold& manifold) {
          (*static_cast<std::remove_reference_t<Visit>*>(to))(children, manifold);
        }) {}
  void operator()(Children children, const Manifold& manifold) const { call_(visit_, children, manifold); }

 private:
  void* visit_;
  void (*call_)(void*, Children, const Manifold&);
};

// The manifold of one pair of children, as collide() makes it. Of convex shapes, all there is.
void touchChildren(const Shape& a, const Pose& poseA, const Shape& b, const Pose& poseB, Children children, double margin,
                   Manifold& manifold);

// Visits every manifold that has points nearer than the margin (m). `room` is where they are made, one after another: it
// holds no more than the last. Returns how far apart the shapes are at least (m) if there is none; 0: nobody knows. Does not
// allocate.
struct TouchHints;
double touch(const Shape& a, const Pose& poseA, const Shape& b, const Pose& poseB, double margin, Manifold& room,
             ManifoldVisitor visit);
double touch(const Shape& a, const Pose& poseA, const Shape& b, const Pose& poseB, const TouchHints& hints, double margin,
             Manifold& room, ManifoldVisitor visit);

// The child of a mesh or field is a patch of triangles: its number has this bit, and the rest is the triangle with the
// deepest point. Which triangle that is changes as bodies slide; the narrow phase knows patches again by where they are.
inline constexpr std::uint32_t kPatch = 0x80000000u;

// Whether a shape has more than one child.
inline bool isComposite(const Shape& shape) { return shape.isComposite(); }

}  // namespace cairn
