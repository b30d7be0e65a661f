// Shapes cast through the world: where each would first touch.
#include <cmath>

#include "collision/time_of_impact.hpp"
#include "world/checks.hpp"
#include "world/query_walk.hpp"

namespace cairn {

QueryShape::QueryShape(Checked, const Geometry& geometry) {
  auto shape = std::make_shared<Shape>(makeShape(geometry));
  if (shape->type == ShapeType::Plane) refuse("shape", "must have an end: a plane has none");
  shape_ = std::move(shape);
}

namespace {

void checkPlace(const std::string& field, const Pose& pose) {
  requireFinite(field + ".position", pose.position);
  if (!pose.rotation.coeffs().allFinite() || !(pose.rotation.norm() > 1e-12)) refuse(field + ".rotation", "must be a rotation");
}

// A cast that was checked, as the search for times of impact sees it.
MovingShape movingShape(const ShapeCast& cast) {
  if (cast.shape.isEmpty()) refuse("shape", "is missing");
  checkPlace("start", cast.start);
  requireFinite("velocity", cast.velocity);
  requireFinite("spin", cast.spin);
  requireFinite("pivot", cast.pivot);
  requireRange("seconds", cast.seconds, 0.0, kLongestCast, "s");
  const Pose start{cast.start.position, cast.start.rotation.normalized()};
  return {*cast.shape.get(), start, start.point(cast.pivot), cast.velocity, cast.spin};
}

class ShapeCaster {
 public:
  ShapeCaster(const QueryWalk& walk, const ShapeCast& cast)
      : walk_(walk), cast_(cast), moving_(movingShape(cast)), turns_(moving_.turns()) {}

  std::optional<CastHit> first() {
    // However it turns, it stays within a ball about its pivot.
    Aabb box = boundingBox(moving_.shape, moving_.start);
    if (turns_) {
      const double reach = (moving_.start.position - moving_.pivot).norm() + boundingRadius(moving_.shape);
      box = Aabb{moving_.pivot, moving_.pivot}.grown(reach);
    }
    const double speed = cast_.velocity.norm();
    const double length = speed * cast_.seconds;
    if (!(length > 0.0)) {
      walk_.query(box, cast_.collidesWith, [&](std::uint32_t index) { look(index, 0.0); });
    } else {
      walk_.castBox(box.center(), 0.5 * (box.upper - box.lower), cast_.velocity / speed, length, cast_.collidesWith,
                    [&](std::uint32_t index, double enter) {
                      // A little earlier than where the boxes meet, for the sake of rounding.
                      look(index, std::max(0.0, enter * (1.0 - 1e-12) / speed));
                      return std::min(length, best_ * (1.0 + 1e-12) * speed);
                    });
    }
    if (found_ == kNone) return std::nullopt;
    CastHit hit;
    hit.shape = walk_.shapeId(found_);
    hit.body = walk_.bodyId(found_);
    hit.startsInOverlap = impact_.found == ImpactFound::BeginBelow;
    hit.seconds = impact_.time;
    hit.pose = moving_.at(impact_.time);
    hit.point = impact_.distance.pointB;
    hit.normal = -impact_.distance.normal;
    hit.depth = hit.startsInOverlap ? -impact_.distance.distance : 0.0;
    return hit;
  }

 private:
  void look(std::uint32_t index, double from) {
    const Shape& shape = walk_.collider(index).shape;
    const Pose pose = walk_.pose(index);
    forEachChildNear(shape, pose, sweptBox(), [&](std::uint32_t, const Shape& child, const Pose& place) {
      const MovingShape still{child, place};
      // Its ends count too; and of two that are hit at once the one with the smaller id is to be found.
      const double until = found_ == kNone ? cast_.seconds : best_;
      const ImpactSearch search{
          .from = std::min(from, until), .until = std::nextafter(until, 2.0 * until + 1.0), .tolerance = impactTolerance(moving_, still)};
      const TimeOfImpact impact = timeOfImpact(moving_, still, search);
      if (impact.found == ImpactFound::Never) return;
      // Deeper overlaps come first among those at the beginning.
      const bool sooner = impact.time < best_;
      const bool deeper = impact.time == best_ && impact.distance.distance < impact_.distance.distance && impact.time == 0.0;
      const bool tied = impact.time == best_ && index < found_ && impact.distance.distance == impact_.distance.distance;
      if (found_ != kNone && !sooner && !deeper && !tied) return;
      found_ = index;
      impact_ = impact;
      best_ = impact.time;
    });
  }
  // What the shape passes through until the best time so far.
  Aabb sweptBox() const {
    const double reach = turns_ ? (moving_.start.position - moving_.pivot).norm() + boundingRadius(moving_.shape) : 0.0;
    const Aabb begin = turns_ ? Aabb{moving_.pivot, moving_.pivot}.grown(reach) : boundingBox(moving_.shape, moving_.start);
    const Vec3 shift = std::min(best_, cast_.seconds) * moving_.velocity;
    return begin.united({begin.lower + shift, begin.upper + shift});
  }

  const QueryWalk& walk_;
  const ShapeCast& cast_;
  MovingShape moving_;
  bool turns_;
  std::uint32_t found_ = kNone;
  TimeOfImpact impact_{};
  double best_ = std::numeric_limits<double>::infinity();  // s
};

}  // namespace

std::optional<CastHit> World::castShape(const ShapeCast& cast, const ShapeFilter& accepts) const {
  const QueryWalk walk(*impl_, accepts);
  return ShapeCaster(walk, cast).first();
}

std::vector<std::optional<CastHit>> World::castShapes(std::span<const ShapeCast> casts, const ShapeFilter& accepts) const {
  const QueryWalk walk(*impl_, accepts);
  std::vector<std::optional<CastHit>> hits(casts.size());
  answerAll(*impl_, casts.size(), [&](std::size_t i) { hits[i] = ShapeCaster(walk, casts[i]).first(); });
  return hits;
}

}  // namespace cairn
