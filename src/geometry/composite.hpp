// Shapes that are made of many convex children, with the hierarchy of boxes that finds those near a place. Built once, and
// shared by all copies of a shape.
#pragma once

#include <memory>
#include <vector>

#include "geometry/box_tree.hpp"
#include "geometry/shape.hpp"

namespace cairn {

// What every composite shape has.
struct CompositeParts {
  Aabb bounds;          // m, shape frame
  double radius = 0.0;  // m, of a ball about the frame's origin that holds all of it
};

struct BallSet : CompositeParts {
  std::vector<Vec3> centers;  // m
  std::vector<double> radii;  // m
  BoxTree tree;
};

struct ConvexParts : CompositeParts {
  std::vector<Shape> shapes;
  std::vector<Pose> places;  // in the frame of the whole
  BoxTree tree;
};

inline const CompositeParts& partsOf(const Shape& shape) {
  return *static_cast<const CompositeParts*>(shape.composite.get());
}
inline const BallSet& ballsOf(const Shape& shape) { return static_cast<const BallSet&>(partsOf(shape)); }
inline const ConvexParts& childrenOf(const Shape& shape) { return static_cast<const ConvexParts&>(partsOf(shape)); }

// Throw std::invalid_argument that names what is wrong, and with which child.
std::shared_ptr<const BallSet> buildBallSet(const SphereSet& set);
std::shared_ptr<const ConvexParts> buildParts(const Compound& compound);
Compound compoundOf(const ConvexParts& parts);

// A convex child of a sphere set or compound, with its place in the shape's frame.
struct PlacedChild {
  Shape shape;
  Pose place;
};
PlacedChild childOf(const Shape& shape, std::uint32_t child);
std::uint32_t childCount(const Shape& shape);
// Calls visit(child) for children of a sphere set or compound whose box may overlap this one (shape frame).
template <class Visit>
void forChildrenIn(const Shape& shape, const Aabb& box, Visit&& visit) {
  (shape.type == ShapeType::SphereSet ? ballsOf(shape).tree : childrenOf(shape).tree).overlap(box, visit);
}

// The smallest box of axes `turn` about a box: where a box of one frame is in another.
Aabb turnedBox(const Aabb& box, const Pose& pose);

}  // namespace cairn
