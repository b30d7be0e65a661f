#include "collision/time_of_impact.hpp"

#include <algorithm>
#include <cmath>

#include "geometry/composite.hpp"
#include "geometry/surface.hpp"
#include "math/rotation.hpp"

namespace cairn {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr int kRootSteps = 4;             // of the third bound; more would save no distances
constexpr double kToleranceShare = 1e-9;  // of the smaller shape
constexpr double kRoundingShare = 1e-14;  // of coordinates

// The shape without the roundness that does not turn.
double coreHeight(const Shape& shape, const Vec3& direction) {
  switch (shape.type) {
    case ShapeType::Plane:
    case ShapeType::Sphere:
      return 0.0;
    case ShapeType::Capsule:
      return std::abs(direction.z()) * shape.halfHeight();
    default:
      return direction.dot(support(shape, direction));
  }
}

bool isRoundAboutZ(const Shape& shape) {
  return shape.type == ShapeType::Capsule || shape.type == ShapeType::Cylinder || shape.type == ShapeType::Sphere;
}

// How turning moves one shape: what stays the same over the whole motion.
class Turning {
 public:
  explicit Turning(const MovingShape& moving) : moving_(moving) {
    const double speed = moving.spin.norm();
    const Vec3 arm = moving.start.position - moving.pivot;
    const double core = turningRadius(moving.shape);
    reach_ = arm.norm() + core;
    if (!(speed > 0.0) || !(reach_ > 0.0)) return;
    spin_ = speed;
    const Vec3 axis = moving.spin / speed;
    const double fromAxis = axis.cross(arm).norm();
    fromAxis_ = fromAxis + core;
    if (!isRoundAboutZ(moving.shape)) return;
    // Spin about the axis of symmetry moves nothing: only points of that axis count.
    const Vec3 along = moving.start.rotation * Vec3::UnitZ();
    if (fromAxis <= 1e-12 * reach_ && axis.cross(along).norm() < 1e-12) spin_ = 0.0;
  }

  bool isStill() const { return spin_ == 0.0; }
  // For the slab with normal n, with the shape turned as it is now.
  void face(const Pose& pose, const Vec3& pivot, const Vec3& n) {
    if (isStill()) return;
    inverse_ = pose.rotation.conjugate();
    arm_ = inverse_ * (pose.position - pivot);
    normal_ = inverse_ * n;
    const Vec3 across = n.cross(moving_.spin);
    rate_ = inverse_ * across;
    steady_ = across.norm() * fromAxis_;
    start_ = height(normal_);
  }
  double steady() const { return isStill() ? 0.0 : steady_; }                        // m/s: the first bound
  double farthest() const { return isStill() ? 0.0 : std::max(0.0, reach_ - start_); }  // m: the second
  double reached(double t) const {                                                   // m: the third
    return isStill() ? 0.0 : height(normal_ + t * rate_) - start_ + 0.5 * spin_ * spin_ * fromAxis_ * t * t;
  }

 private:
  double height(const Vec3& m) const { return m.dot(arm_) + coreHeight(moving_.shape, m); }

  const MovingShape& moving_;
  double spin_ = 0.0;      // rad/s
  double reach_ = 0.0;     // m, R
  double fromAxis_ = 0.0;  // m, r
  Quat inverse_ = Quat::Identity();
  Vec3 arm_ = Vec3::Zero(), normal_ = Vec3::Zero(), rate_ = Vec3::Zero();
  double steady_ = 0.0, start_ = 0.0;
};

// The time for which the slab surely does not close by `gap`; infinity if not within `ahead`.
double safeTime(double gap, double speed, const Turning& a, const Turning& b, double ahead) {
  const double fastest = speed + a.steady() + b.steady();
  if (!(fastest * ahead > gap)) return kNever;
  double low = gap / fastest;
  if (a.isStill() && b.isStill()) return low;
  const double left = gap - a.farthest() - b.farthest();
  if (left > 0.0) {
    if (!(speed * ahead > left)) return kNever;
    low = std::max(low, left / speed);
  }
  const auto closed = [&](double t) { return speed * t + a.reached(t) + b.reached(t); };
  double high = ahead, atHigh = closed(high);
  if (atHigh < gap) return kNever;
  double atLow = closed(low);
  if (atLow >= gap) return low;  // over so long a time the third bound is the worst
  // Chords of a convex function lie above it: where they cross is below the root. The other end comes nearer by halves.
  for (int i = 0; i < kRootSteps; ++i) {
    const double chord = low + (gap - atLow) / (atHigh - atLow) * (high - low);
    for (const double t : {chord, 0.5 * (chord + high)}) {
      if (!(t > low && t < high)) continue;
      const double at = closed(t);
      (at < gap ? low : high) = t;
      (at < gap ? atLow : atHigh) = at;
    }
  }
  return low;
}

}  // namespace

double turningRadius(const Shape& shape) {
  switch (shape.type) {
    case ShapeType::Plane:
    case ShapeType::Sphere:
      return 0.0;
    case ShapeType::Capsule:
      return shape.halfHeight();
    default:
      return boundingRadius(shape);
  }
}

double innerRadius(const Shape& shape) {
  double least = kNever;
  switch (shape.type) {
    case ShapeType::Plane:
    case ShapeType::HeightField:  // a surface: how deep something may sink in, itself decides
      return kNever;
    case ShapeType::Mesh:
      return meshOf(shape).mesh->isClosed ? shape.size.minCoeff() : kNever;
    case ShapeType::Capsule:
      return shape.radius();
    case ShapeType::Cone: {  // a section through the axis is a triangle: area over half of its circumference
      const double height = 2.0 * shape.halfHeight();
      return shape.radius() * height / (shape.radius() + std::hypot(shape.radius(), height));
    }
    case ShapeType::SphereSet:
      for (const double radius : ballsOf(shape).radii) least = std::min(least, radius);
      return least;
    case ShapeType::Compound:
      for (const Shape& child : childrenOf(shape).shapes) least = std::min(least, innerRadius(child));
      return least;
    default:
      break;
  }
  if (!shape.hull) return shape.size.minCoeff();
  for (const HullFace& face : shape.hull->faces)
    least = std::min(least, face.offset - face.normal.dot(shape.hull->interior));
  return least;
}

bool MovingShape::turns() const { return !Turning(*this).isStill(); }

Pose MovingShape::at(double time) const {
  if (time == 0.0) return start;
  if (spin.isZero(0.0)) return {start.position + time * velocity, start.rotation};
  const Quat turn = rotated(Quat::Identity(), time * spin);
  return {pivot + time * velocity + turn * (start.position - pivot), (turn * start.rotation).normalized()};
}

Vec3 MovingShape::velocityOf(const Vec3& point, double time) const {
  return velocity + spin.cross(point - pivot - time * velocity);
}

double impactTolerance(const MovingShape& a, const MovingShape& b) {
  const auto size = [](const Shape& shape) { return shape.type == ShapeType::Plane ? kNever : shape.size.maxCoeff(); };
  const double small = std::min(size(a.shape), size(b.shape));
  const double far = std::max(a.start.position.cwiseAbs().maxCoeff(), b.start.position.cwiseAbs().maxCoeff());
  return std::isfinite(small) ? kToleranceShare * small + kRoundingShare * far : kToleranceShare;
}

TimeOfImpact timeOfImpact(const MovingShape& a, const MovingShape& b, const ImpactSearch& search) {
  Turning turningA(a), turningB(b);
  const Vec3 velocity = a.velocity - b.velocity;  // m/s, of A towards B
  TimeOfImpact result;
  double time = search.from;
  for (int i = 0; i < search.mostAdvances; ++i) {
    const Pose poseA = a.at(time), poseB = b.at(time);
    const SignedDistance apart = signedDistance(a.shape, poseA, b.shape, poseB);
    const double gap = apart.distance - search.target;
    if (i == 0 && gap < 0.0) return {ImpactFound::BeginBelow, time, apart};
    const double speed = velocity.dot(apart.normal);
    if (gap <= search.tolerance) {
      const bool still = turningA.isStill() && turningB.isStill();
      const double approach =
          still ? speed
                : (a.velocityOf(apart.pointA, time) - b.velocityOf(apart.pointB, time)).dot(apart.normal);
      if (approach > 0.0) return {ImpactFound::Touch, time, apart};
      if (still) return result;  // the distance of convex shapes that do not turn is a convex function of time
    }
    turningA.face(poseA, a.pivot + time * a.velocity, apart.normal);
    turningB.face(poseB, b.pivot + time * b.velocity, -apart.normal);
    // Half the tolerance is left, so that every advance is one.
    const double goal = std::max(gap - 0.5 * search.tolerance, 0.5 * search.tolerance);
    const double wait = safeTime(goal, speed, turningA, turningB, search.until - time);
    if (!(time + wait < search.until)) return result;
    time += wait;
    result.distance = apart;
  }
  return {ImpactFound::GaveUp, time, result.distance};
}

}  // namespace cairn
