#include "steppers/impulse/bounds.hpp"

#include "geometry/distance.hpp"
#include "geometry/mass.hpp"
#include "math/rotation.hpp"
#include "mechanics/integrate.hpp"

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

// h(m), m in the body's axes, about its centre of mass and without the roundness of balls and capsules, which does not turn.
double height(const Collider& collider, const Vec3& m) {
  const Shape& shape = collider.shape;
  const Vec3 inShape = collider.local.rotation.conjugate() * m;
  if (shape.type == ShapeType::Sphere) return m.dot(collider.local.position);
  if (shape.type == ShapeType::Capsule) return m.dot(collider.local.position) + std::abs(inShape.z()) * shape.halfHeight();
  return m.dot(collider.local.position) + inShape.dot(support(shape, inShape));
}

// Bounds of |p_i| over the shape's points: m.
Vec3 extents(const FlyingShape& shape) {
  Vec3 most;
  for (int i = 0; i < 3; ++i) {
    const Vec3 axis = shape.bound.axes.col(i);
    most[i] = std::max(height(shape.collider, axis), height(shape.collider, -axis));
  }
  return most;
}

// Bounds of the components of w x p.
Vec3 mostCross(const Vec3& w, const Vec3& p) {
  return {w.y() * p.z() + w.z() * p.y(), w.z() * p.x() + w.x() * p.z(), w.x() * p.y() + w.y() * p.x()};
}

bool turns(const FlyingShape& shape) {
  return turnReach(shape.collider) > 0.0 && !(shape.bound.mostSpin.isZero(0.0) && shape.bound.mostChange.isZero(0.0));
}

// S(t, n) of one shape.
class Turning {
 public:
  Turning(const FlyingShape& shape, const Vec3& n) : collider_(shape.collider), turns_(turns(shape)) {
    if (!turns_) return;
    const MotionBound& bound = shape.bound;
    const Vec3 most = extents(shape);
    bend_ =
        0.5 * (mostCross(bound.mostChange, most).norm() + bound.mostSpin.norm() * mostCross(bound.mostSpin, most).norm());
    const Quat inverse = shape.body.rotation.conjugate();
    normal_ = inverse * n;
    rate_ = inverse * n.cross(bound.spin);
    start_ = height(collider_, normal_);
  }
  double reached(double t) const {  // m
    return turns_ ? height(collider_, normal_ + t * rate_) - start_ + bend_ * t * t : 0.0;
  }

 private:
  const Collider& collider_;
  bool turns_;
  double bend_ = 0.0;  // B/2, m/s^2
  Vec3 normal_ = Vec3::Zero(), rate_ = Vec3::Zero();
  double start_ = 0.0;
};

// W_i^2, from 2T and L^2 of free rotation: each is the most that the other two leave it.
Vec3 mostSquares(const Vec3& moments, double twiceEnergy, double momentumSquare) {
  constexpr double kRounding = 1e-12;  // of 2T I
  Vec3 most;
  for (int i = 0; i < 3; ++i) {
    most[i] = twiceEnergy / moments[i];
    const double least = moments.minCoeff(), largest = moments.maxCoeff();
    const double slack = kRounding * twiceEnergy * largest;
    // sum I_k (I_max - I_k) w_k^2 = 2T I_max - L^2, and likewise with I_min: no term is below 0.
    const double below = twiceEnergy * largest - momentumSquare + slack, room = moments[i] * (largest - moments[i]);
    const double above = momentumSquare - twiceEnergy * least + slack, rest = moments[i] * (moments[i] - least);
    if (most[i] * room > below) most[i] = std::max(below, 0.0) / room;
    if (most[i] * rest > above) most[i] = std::max(above, 0.0) / rest;
  }
  return most;
}

}  // namespace

Vec3 loadAcceleration(const Body& body, const FreeMotion& motion) {
  if (!body.moves() || !body.isDynamic()) return Vec3::Zero();
  return without(motion.gravity * body.gravityScale + body.force * body.inverseMass, body.lockedPosition);
}

MotionBound motionBound(const Body& body, const FreeMotion& motion, double ahead) {
  MotionBound bound;
  if (!body.moves()) return bound;
  bound.velocity = body.velocity;
  bound.spin = body.spin;
  const Vec3 spinNow = (body.rotation.conjugate() * body.spin).cwiseAbs();
  bound.mostSpin = spinNow;  // it turns about an axis that stays where it is
  if (!body.isDynamic()) return bound;
  bound.acceleration = loadAcceleration(body, motion);
  // The Euler rule goes a t^2 in one piece where a body in flight goes a t^2/2: twice is on the safe side of both.
  if (motion.integrator == Integrator::Euler) bound.slowing = bound.acceleration.norm();
  bound.slowing += body.linearDamping * body.velocity.norm();
  const double torque = body.torque.norm();
  if (body.anisotropy > 0.0) {
    const PrincipalAxes principal = principalAxes(body.inertia);
    const Vec3& moments = principal.moments;
    bound.axes = principal.rotation.toRotationMatrix();
    const Vec3 w = bound.axes.transpose() * (body.rotation.conjugate() * body.spin);
    const Vec3 momentum = moments.cwiseProduct(w);
    const double twiceEnergy = w.dot(momentum);
    if (torque > 0.0) {
      // |d sqrt(2T)/dt| <= |torque|/sqrt(I_min)
      const double root = std::sqrt(twiceEnergy) + torque * ahead / std::sqrt(moments.minCoeff());
      bound.mostSpin = (root * root * moments.cwiseInverse()).cwiseSqrt();
    } else {
      bound.mostSpin = mostSquares(moments, twiceEnergy, momentum.squaredNorm()).cwiseSqrt();
    }
    for (int i = 0; i < 3; ++i) {
      const int j = (i + 1) % 3, k = (i + 2) % 3;
      bound.mostChange[i] =
          (std::abs(moments[j] - moments[k]) * bound.mostSpin[j] * bound.mostSpin[k] + torque) / moments[i];
    }
  } else {
    const double turned = torque > 0.0 ? body.inverseInertia.norm() * torque : 0.0;
    bound.mostChange.setConstant(turned);
    bound.mostSpin = spinNow.array() + turned * ahead;
  }
  bound.mostChange += body.angularDamping * bound.mostSpin;
  return bound;
}

double earliestClosing(double distance, const Vec3& n, const FlyingShape& a, const FlyingShape& b, double ahead) {
  const Turning turningA(a, n), turningB(b, -n);
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
  double turn = 0.0;
  if (turns(shape))
    turn = std::min(ahead * mostCross(bound.mostSpin, extents(shape)).norm(), 2.0 * turnReach(shape.collider));
  const double bent = 0.5 * ahead * ahead * (bound.acceleration.norm() + bound.slowing);
  Aabb box = boundingBox(shape.collider.shape, shape.body * shape.collider.local).grown(turn + bent);
  const Vec3 way = ahead * bound.velocity;
  box.lower += way.cwiseMin(0.0);
  box.upper += way.cwiseMax(0.0);
  return box;
}

bool isBall(const Collider& collider) {
  return collider.shape.type == ShapeType::Sphere && collider.local.position.isZero(0.0);
}

double halfThickness(const Shape& shape) {
  return shape.type == ShapeType::Plane ? std::numeric_limits<double>::infinity() : shape.size.minCoeff();
}

Pose SteadyMotion::at(double time) const { return displaced(pose, time * velocity, time * spin); }

double firstMeeting(const Collider& a, const SteadyMotion& motionA, const Collider& b, const SteadyMotion& motionB,
                    double ahead, double nearness, bool& surely) {
  const auto flying = [](const Collider& collider, const SteadyMotion& motion, double time) {
    MotionBound bound;
    bound.velocity = motion.velocity;
    bound.spin = motion.spin;
    const Pose pose = motion.at(time);
    bound.mostSpin = (pose.rotation.conjugate() * motion.spin).cwiseAbs();
    return FlyingShape{collider, pose, bound};
  };
  double time = 0.0;
  for (int look = 0; look < kMostMeetingLooks; ++look) {
    const FlyingShape flyingA = flying(a, motionA, time), flyingB = flying(b, motionB, time);
    if (look == 0 && !sweptBox(flyingA, ahead).overlaps(sweptBox(flyingB, ahead))) return kNever;
    const SignedDistance near = signedDistance(a.shape, flyingA.body * a.local, b.shape, flyingB.body * b.local);
    if (look == 0 && near.distance < -nearness) return kNever;
    if (near.distance <= nearness) {
      const Vec3 velocityA = motionA.velocity + motionA.spin.cross(near.pointA - flyingA.body.position);
      const Vec3 velocityB = motionB.velocity + motionB.spin.cross(near.pointB - flyingB.body.position);
      if ((velocityB - velocityA).dot(near.normal) < 0.0) return time;
    }
    const double goal = std::max(near.distance - 0.5 * nearness, 0.5 * nearness);
    time += earliestClosing(goal, near.normal, flyingA, flyingB, ahead - time);
    if (!(time < ahead)) return kNever;
  }
  surely = false;
  return kNever;
}

}  // namespace cairn
