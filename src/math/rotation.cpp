#include "math/rotation.hpp"

namespace cairn {

namespace {
constexpr int kMidpointIterations = 8;
constexpr double kMidpointTolerance = 1e-14;  // relative
}  // namespace

Vec3 midpointAngularVelocity(const Mat3& inertia, const Vec3& w0, double h) {
  // Newton on f(m) = I m - I w0 - (h/2) (I m) x m, whose root is the midpoint.
  const Vec3 momentum = inertia * w0;
  Vec3 m = w0;
  const double scale = w0.norm();
  for (int i = 0; i < kMidpointIterations; ++i) {
    const Vec3 im = inertia * m;
    const Vec3 f = im - momentum - 0.5 * h * im.cross(m);
    if (f.isZero(0.0)) return m;  // it spins about a principal axis
    const Mat3 jacobian = inertia - 0.5 * h * (crossMatrix(im) - crossMatrix(m) * inertia);
    const Vec3 step = jacobian.inverse() * f;
    if (!step.allFinite()) break;
    m -= step;
    if (step.norm() <= kMidpointTolerance * scale) return m;
  }
  // Very fast spin for the step (h |w| beyond about 2): Newton may not settle. Turn with the unchanged velocity instead; the
  // caller keeps angular momentum, so nothing can blow up.
  const Vec3 im = inertia * m;
  const bool settled = (im - momentum - 0.5 * h * im.cross(m)).norm() <= 1e-6 * momentum.norm();
  return settled && m.allFinite() ? m : w0;
}

}  // namespace cairn
