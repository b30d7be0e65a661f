// The depth along n is f(n) = n . (a - b), with a and b the supports of A along n and of B along -n; the shortest way out is
// a minimum of f over the unit sphere. Two ways to it, both only taken while they gain:
//
// Newton, where f is smooth (round against round, or round against a corner). With K the sum of the two supports'
// derivatives (their radii of curvature) and P the projection across n, the gradient on the sphere is P (a - b) and the
// Hessian P K P - f P.
//
// Moving out, where f has a crease (an edge, a rim, a side of a cylinder): B is moved along n until it is just clear of A,
// and the normal of the gap is taken. At a minimum this changes nothing. Where the radius of curvature is R, the error
// shrinks by f / R each time; across a crease, at once.
#include "geometry/polish.hpp"

#include <cmath>

#include "geometry/epa.hpp"

namespace cairn {
namespace {

constexpr int kNewtonIterations = 20;
constexpr int kHalvings = 4;
constexpr int kMovingOutIterations = 12;
constexpr double kLastGain = 1e-12;   // relative to the depth: a smaller gain is the last
constexpr double kParallel = 1e-10;   // of the coordinates: a - b this close to the normal is along it
constexpr double kLargestTurn = 0.2;  // rad, in one Newton step

// How the support point moves as the direction turns: the derivative of support(n), for a unit n in the shape's frame.
Mat3 supportDerivative(const Shape& shape, const Vec3& n) {
  if (shape.type == ShapeType::Ellipsoid) {
    const Vec3 squares = shape.size.cwiseAbs2();
    const double reach = shape.size.cwiseProduct(n).norm();
    const Vec3 point = squares.cwiseProduct(n) / reach;
    return (Mat3(squares.asDiagonal()) - point * point.transpose()) / reach;
  }
  if (shape.type == ShapeType::Cylinder || shape.type == ShapeType::Cone) {
    const double across = std::hypot(n.x(), n.y());
    if (!(across > 0.0)) return Mat3::Zero();
    if (shape.type == ShapeType::Cone && 2.0 * shape.halfHeight() * n.z() >= shape.radius() * across) return Mat3::Zero();
    const Vec3 tangent(-n.y() / across, n.x() / across, 0.0);
    return shape.radius() / across * tangent * tangent.transpose();
  }
  return Mat3::Zero();
}

struct Smooth {
  double depth;
  Vec3 a, across;  // A's support, and the part of a - b across n
};

Smooth evaluate(const CorePair& pair, const Vec3& n) {
  const Vec3 a = pair.supportA(n);
  const Vec3 difference = a - pair.supportB(-n);
  const double depth = n.dot(difference);
  return {depth, a, difference - depth * n};
}

// True if it ended where a - b is along the normal, so that a is the point.
bool newton(const CorePair& pair, CoreDistance& core) {
  Vec3 n = core.normal;
  Smooth here = evaluate(pair, n);
  const double scale = boundingRadius(*pair.a) + boundingRadius(*pair.b);
  for (int i = 0; i < kNewtonIterations; ++i) {
    if (here.across.norm() <= kParallel * scale) break;
    const Vec3 u = n.unitOrthogonal();
    const Vec3 v = n.cross(u);
    const Vec3 inB = pair.rotation.transpose() * -n;
    const Mat3 curvature =
        supportDerivative(*pair.a, n) + pair.rotation * supportDerivative(*pair.b, inB) * pair.rotation.transpose();
    const double h11 = u.dot(curvature * u) - here.depth;
    const double h12 = u.dot(curvature * v);
    const double h22 = v.dot(curvature * v) - here.depth;
    const double determinant = h11 * h22 - h12 * h12;
    if (!(h11 > 0.0) || !(determinant > 0.0)) break;  // no minimum here: the crease or the far side of a hill
    const double g1 = u.dot(here.across);
    const double g2 = v.dot(here.across);
    Vec3 step = ((h12 * g2 - h22 * g1) * u + (h12 * g1 - h11 * g2) * v) / determinant;
    const double turn = step.norm();
    if (!std::isfinite(turn)) break;
    if (turn > kLargestTurn) step *= kLargestTurn / turn;
    bool gained = false;
    for (int k = 0; k < kHalvings && !gained; ++k, step *= 0.5) {
      const Vec3 trial = (n + step).normalized();
      const Smooth there = evaluate(pair, trial);
      // Close to the minimum the depth no longer tells; the gradient does.
      gained = there.depth < here.depth ||
               (there.depth <= here.depth * (1.0 + 1e-14) && there.across.norm() < 0.5 * here.across.norm());
      if (gained) n = trial, here = there;
    }
    if (!gained) break;
  }
  if (-here.depth < core.distance - 1e-14 * std::abs(core.distance)) return false;
  core = {-here.depth, n, here.a};
  return here.across.norm() <= kParallel * scale;
}

}  // namespace

void polish(const CorePair& pair, CoreDistance& core) {
  if (newton(pair, core)) return;
  for (int i = 0; i < kMovingOutIterations; ++i) {
    const GjkResult gap = gapAfterMovingOut(pair, core.normal, -core.distance);
    if (!(gap.distance > 0.0)) return;
    core.pointA = gap.pointA;
    const Vec3 normal = gap.normal.normalized();
    const double separation = pair.separation(normal);
    if (!(separation > core.distance)) return;
    const bool done = separation - core.distance <= kLastGain * std::abs(separation);
    core.distance = separation;
    core.normal = normal;
    if (done) return;
  }
}

}  // namespace cairn
