#include "steppers/impulse_bounds.hpp"

namespace cairn {

namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr double kTimeShare = 1e-3;  // of a time, to which it is found
constexpr int kMostRootSteps = 60;

// R: m.
double turnReach(const Collider& collider) {
  switch (collider.shape.type) {
    case ShapeType::Plane:
      return 0.0;  // of bodies that do not move
    case ShapeType::Sphere:
      return collider.local.position.norm();  // a ball that turns about its own centre stays where it is
    case ShapeType::Capsule:
      return collider.local.position.norm() + collider.shape.halfHeight();
    default:
      return collider.radius;
  }
}

// S(t, n) of one shape.
class Turning {
 public:
  Turning(const FlyingShape& shape, const Vec3& n, double ahead)
      : shape_(shape.collider.shape), local_(shape.collider.local), reach_(turnReach(shape.collider)) {
    const Vec3& w = shape.bound.spin;
    const double most = w.norm() + ahead * shape.bound.spinChange;
    bend_ = 0.5 * reach_ * (most * most + shape.bound.spinChange);
    turns_ = reach_ > 0.0 && most > 0.0;
    if (!turns_) return;
    const Quat inverse = shape.body.rotation.conjugate();
    normal_ = inverse * n;
    rate_ = inverse * n.cross(w);
    start_ = height(normal_);
  }
  double reached(double t) const { return turns_ ? height(normal_ + t * rate_) - start_ + bend_ * t * t : 0.0; }  // m

 private:
  // h(m), about the body's centre of mass and without the roundness of balls and capsules, which does not turn.
  double height(const Vec3& m) const {
    const Vec3 inShape = local_.rotation.conjugate() * m;
    if (shape_.type == ShapeType::Sphere) return m.dot(local_.position);
    if (shape_.type == ShapeType::Capsule) return m.dot(local_.position) + std::abs(inShape.z()) * shape_.halfHeight();
    return m.dot(local_.position) + inShape.dot(support(shape_, inShape));
  }

  const Shape& shape_;
  const Pose& local_;
  double reach_;
  double bend_ = 0.0;  // m/s^2
  bool turns_ = false;
  Vec3 normal_ = Vec3::Zero(), rate_ = Vec3::Zero();
  double start_ = 0.0;
};

}  // namespace

MotionBound motionBound(const Body& body, const FreeMotion& motion, double ahead) {
  MotionBound bound;
  if (!body.moves()) return bound;
  bound.velocity = body.velocity;
  bound.spin = body.spin;
  if (!body.isDynamic()) return bound;
  bound.acceleration = without(motion.gravity * body.gravityScale + body.force * body.inverseMass, body.lockedPosition);
  // The Euler rule goes a t^2 in one piece where a body in flight goes a t^2/2: twice is on the safe side of both.
  if (motion.integrator == Integrator::Euler) bound.slowing = bound.acceleration.norm();
  bound.slowing += body.linearDamping * body.velocity.norm();
  // |dw/dt| = |I^-1 (torque - w x I w)|, where w x I w = w x (I - c) w for any number c: for the middle one of the moments'
  // range it is at most (I_max - I_min)/2 |w|^2. And |w|^2 <= 2T/I_min, T being constant but for the torque.
  const double inverse = body.inverseInertia.norm(), inertia = body.inertia.norm();
  const double turned = inverse * body.torque.norm();
  double most = 0.0;
  if (body.unlikeness > 0.0) {
    const Vec3 local = body.rotation.conjugate() * body.spin;
    most = std::sqrt(inverse * local.dot(body.inertia * local)) + turned * ahead;
  }
  bound.spinChange =
      turned + inverse * 0.5 * body.unlikeness * inertia * most * most + body.angularDamping * body.spin.norm();
  return bound;
}

double earliestClosing(double distance, const Vec3& n, const FlyingShape& a, const FlyingShape& b, double ahead) {
  const Turning turningA(a, n, ahead), turningB(b, -n, ahead);
  const double speed = (a.bound.velocity - b.bound.velocity).dot(n);
  const double load = (a.bound.acceleration - b.bound.acceleration).dot(n) + a.bound.slowing + b.bound.slowing;
  const auto closed = [&](double t) {
    return speed * t + 0.5 * std::max(load, 0.0) * t * t + turningA.reached(t) + turningB.reached(t);
  };
  if (!(ahead > 0.0) || closed(ahead) < distance) return kNever;
  // Below `low` nothing happens, by convexity; regula falsi moves it up, and halving keeps the other end coming.
  double low = 0.0, high = ahead, atLow = 0.0, atHigh = closed(ahead);
  for (int i = 0; i < kMostRootSteps && high - low > kTimeShare * low; ++i) {
    double t = i % 2 == 0 ? low + (distance - atLow) / (atHigh - atLow) * (high - low) : 0.5 * (low + high);
    if (!(t > low && t < high)) t = 0.5 * (low + high);
    const double at = closed(t);
    (at < distance ? low : high) = t;
    (at < distance ? atLow : atHigh) = at;
  }
  // Never so little that time stands still.
  return std::max(low, kTimeShare * high);
}

Aabb sweptBox(const FlyingShape& shape, double ahead) {
  const MotionBound& bound = shape.bound;
  const double reach = turnReach(shape.collider);
  const double turn = std::min(ahead * bound.spin.norm(), 2.0) * reach;
  const double bent = 0.5 * ahead * ahead * (bound.acceleration.norm() + bound.slowing + reach * bound.spinChange);
  Aabb box = boundingBox(shape.collider.shape, shape.body * shape.collider.local).grown(turn + bent);
  const Vec3 way = ahead * bound.velocity;
  box.lower += way.cwiseMin(0.0);
  box.upper += way.cwiseMax(0.0);
  return box;
}

}  // namespace cairn
