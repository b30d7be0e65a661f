#include "solvers/accelerated_gradient.hpp"

namespace cairn {

namespace {

constexpr double kLetDown = 0.98;         // of the curvature estimate, after each step
constexpr double kLeastCurvature = 1e-3;  // diagonal blocks have 1
constexpr double kRounding = 1e-14;       // relative: steps below say nothing about curvature
constexpr int kLookEvery = 8;             // steps between two looks at the residual

}  // namespace

AcceleratedGradient::Outcome AcceleratedGradient::minimise(Vector& x, double target, int mostSteps, Monitor& monitor) {
  steps_ = 0;
  program_.project(x);
  Vector gradient;
  program_.gradient(x, gradient);
  Vector best = x;
  residual_ = program_.residual(x, gradient);
  if (residual_ == 0.0) return Outcome::Solved;

  Vector y = x, gradientAtY = gradient, next, gradientAtNext;
  double theta = 1.0;
  Outcome outcome = Outcome::StepsSpent;
  while (steps_ < mostSteps) {
    if (monitor.stop()) {
      outcome = Outcome::LimitReached;
      break;
    }
    for (;;) {
      next = y - gradientAtY / curvature_;
      program_.project(next);
      program_.gradient(next, gradientAtNext);
      const double square = (next - y).squaredNorm();
      const double bent = (next - y).dot(gradientAtNext - gradientAtY);
      if (!(bent > curvature_ * square) || square <= kRounding * kRounding * y.squaredNorm()) break;
      curvature_ = std::max(1.5 * curvature_, 1.01 * bent / square);
    }
    ++steps_;
    monitor.countIterations(1);
    const bool uphill = gradientAtY.dot(next - x) > 0.0;
    const double thetaNext = 0.5 * theta * (std::sqrt(theta * theta + 4.0) - theta);
    const double momentum = uphill ? 0.0 : theta * (1.0 - theta) / (theta * theta + thetaNext);
    theta = uphill ? 1.0 : thetaNext;
    y = next + momentum * (next - x);
    gradientAtY = gradientAtNext + momentum * (gradientAtNext - gradient);
    x.swap(next);
    gradient.swap(gradientAtNext);
    curvature_ = std::max(kLetDown * curvature_, kLeastCurvature);

    if (steps_ % kLookEvery != 0) continue;
    const double found = program_.residual(x, gradient);
    if (!std::isfinite(found)) break;
    if (found < residual_) {
      residual_ = found;
      best = x;
    }
    if (residual_ <= target) {
      outcome = Outcome::Solved;
      break;
    }
  }
  x.swap(best);
  return outcome;
}

}  // namespace cairn
