#include "laws/hodograph.hpp"

#include <Eigen/Eigenvalues>

namespace cairn {

namespace {

using Vec2 = Eigen::Vector2d;
using Mat2 = Eigen::Matrix2d;

constexpr double kSeriesError = 1e-16;  // last terms of a series over the first
constexpr double kMostChange = 4.0;     // of slip in a curved piece, over its speed and at its first rate
constexpr double kNoSlip = 1e-14;       // speed of slip, over the speeds that made it
constexpr double kNoTurning = 1e-15;    // dv_t/dp across the slip, over its largest: a straight way but for rounding
constexpr double kAngle = 1e-12;        // rad, from a direction that slip approaches and keeps
constexpr double kSingular = 1e-14;     // eigenvalue of W_tt over the largest
constexpr double kNoRise = 1e-13;       // dv_n/dp over W_nn
constexpr int kMostSecularSteps = 100;  // far more than Newton's method needs

// c > 0 with |s(c)| = 1 for s_i(c) = a_i/(d_i + c), given |s(0)| > 1: a secular equation. Newton's method on 1/|s|, which is
// concave, climbs to it from c = 0 without ever passing it.
double divergingRate(const Vec2& a, const Vec2& d) {
  double c = 0.0;
  for (int i = 0; i < kMostSecularSteps; ++i) {
    double square = 0.0, slope = 0.0;
    for (int k = 0; k < 2; ++k) {
      if (a[k] == 0.0) continue;
      const double s = a[k] / (d[k] + c);
      square += s * s;
      slope += s * s / (d[k] + c);
    }
    const double step = (std::sqrt(square) - 1.0) * square / slope;
    if (!(step > 1e-16 * c)) break;
    c += step;
  }
  return c;
}

}  // namespace

double HodographPiece::sum(const Series& series, double x) {
  double value = series[kOrder + 1];
  for (int k = kOrder; k >= 0; --k) value = value * x + series[k];
  return value;
}

HodographPiece HodographPiece::straight(const Mat3& w, const HodographPoint& start, const Vec2& rate, double length) {
  HodographPiece piece;
  piece.w_ = w;
  piece.start_ = start;
  piece.rate_ = rate;
  piece.length_ = length;
  return piece;
}

// With y = v_t/r_0, rho = |y|, a = W_tn/k, B = mu W_tt/k (k makes them of size 1) and dp = (r_0/k) rho dx:
//
//   y' = a rho - B y,   rho_i = (sum_j y_j . y_{i-j} - sum' rho_j rho_{i-j})/2   (the second sum without its ends; rho_0 =
//   1)
HodographPiece HodographPiece::curved(const Mat3& w, const HodographPoint& start, double friction) {
  HodographPiece piece;
  piece.w_ = w;
  piece.start_ = start;
  piece.curved_ = true;
  Vec2 a = w.block<2, 1>(1, 0);
  Mat2 b = friction * w.block<2, 2>(1, 1);
  const double unit = a.norm() + b.norm();
  a /= unit;
  b /= unit;
  const Vec2 slip = start.velocity.tail<2>();
  const double speed = slip.norm(), impulse = speed / unit;

  std::array<Vec2, kOrder + 1> y;
  std::array<double, kOrder + 1> rho{};
  y[0] = slip / speed;
  rho[0] = 1.0;
  for (int k = 0; k < kOrder; ++k) {
    y[k + 1] = (a * rho[k] - b * y[k]) / (k + 1);
    double square = 2.0 * y[0].dot(y[k + 1]);
    for (int j = 1; j <= k; ++j) square += y[j].dot(y[k + 1 - j]) - rho[j] * rho[k + 1 - j];
    rho[k + 1] = 0.5 * square;
  }
  piece.length_ = kMostChange / std::max(y[1].norm(), kSeriesError);
  for (const int k : {kOrder - 1, kOrder}) {
    const double size = std::max({std::abs(y[k][0]), std::abs(y[k][1]), std::abs(rho[k])});
    if (size > 0.0) piece.length_ = std::min(piece.length_, std::pow(kSeriesError / size, 1.0 / k));
  }

  for (int k = 0; k <= kOrder; ++k) {
    piece.p_[k + 1] = impulse * rho[k] / (k + 1);
    piece.t1_[k + 1] = -friction * impulse * y[k][0] / (k + 1);
    piece.t2_[k + 1] = -friction * impulse * y[k][1] / (k + 1);
  }
  for (int k = 0; k <= kOrder; ++k) {  // v_n dp/dx
    double power = start.velocity[0] * rho[k];
    for (int j = 1; j <= k; ++j)
      power += (w(0, 0) * piece.p_[j] + w(0, 1) * piece.t1_[j] + w(0, 2) * piece.t2_[j]) * rho[k - j];
    piece.work_[k + 1] = impulse * power / (k + 1);
  }
  return piece;
}

HodographPoint HodographPiece::at(double x) const {
  HodographPoint point = start_;
  if (curved_) {
    const Vec3 added(sum(p_, x), sum(t1_, x), sum(t2_, x));
    point.impulse += added;
    point.velocity += w_ * added;
    point.normalWork += sum(work_, x);
  } else {
    const Vec3 rate(1.0, rate_[0], rate_[1]);
    const Vec3 change = w_ * rate;
    point.impulse += x * rate;
    point.velocity += x * change;
    point.normalWork += x * (start_.velocity[0] + 0.5 * x * change[0]);
  }
  return point;
}

Hodograph::Hodograph(const Mat3& w, const Vec3& velocity, double friction)
    : w_(w),
      before_(velocity),
      friction_(friction),
      slipRate_(w.block<2, 1>(1, 0).norm() + friction * w.block<2, 2>(1, 1).norm()),
      piece_(HodographPiece::straight(w, {Vec3::Zero(), velocity, 0.0}, Vec2::Zero(), 0.0)) {}

// What happens from v_t = 0 on. W_tt may be singular: W_tn has no part along its null space if W is positive semidefinite.
void Hodograph::settle() {
  settled_ = true;
  Eigen::SelfAdjointEigenSolver<Mat2> eigen;
  eigen.computeDirect(w_.block<2, 2>(1, 1));
  const Mat2 axes = eigen.eigenvectors();
  const Vec2 values = eigen.eigenvalues();
  Vec2 a = axes.transpose() * w_.block<2, 1>(1, 0);
  Vec2 stick = Vec2::Zero();
  for (int i = 0; i < 2; ++i) {
    if (values[i] > kSingular * values[1])
      stick[i] = -a[i] / values[i];
    else
      a[i] = 0.0;
  }
  sticks_ = stick.norm() <= friction_;
  if (sticks_) {
    settledRate_ = axes * stick;
    return;
  }
  const Vec2 d = friction_ * values;
  const double c = divergingRate(a, d);
  Vec2 s = Vec2::Zero();
  for (int i = 0; i < 2; ++i)
    if (a[i] != 0.0) s[i] = a[i] / (d[i] + c);
  settledRate_ = -friction_ * (axes * s).normalized();
}

HodographPiece Hodograph::slide(const HodographPoint& from) const {
  const Vec2 slip = from.velocity.tail<2>();
  const double speed = slip.norm();
  const Vec2 s = slip / speed, across(-s[1], s[0]);
  const Vec2 g = w_.block<2, 1>(1, 0) - friction_ * (w_.block<2, 2>(1, 1) * s);
  const double along = g.dot(s), turning = std::abs(g.dot(across));
  // How the turning changes with the angle of slip; below 0, the direction is approached ever closer.
  const double stability = -friction_ * across.dot(w_.block<2, 2>(1, 1) * across) - along;
  const bool isStraight = turning <= kNoTurning * slipRate_ || (stability < 0.0 && turning <= kAngle * -stability);
  if (!isStraight) return HodographPiece::curved(w_, from, friction_);
  // To where slip stops; a slip that grows goes on like that for ever, and is cut into pieces in which it doubles.
  const double length = along < 0.0 ? speed / -along : std::max(from.impulse[0], speed / slipRate_);
  return HodographPiece::straight(w_, from, -friction_ * s, length);
}

const HodographPiece& Hodograph::next(double speed) {
  const HodographPoint from = piece_.at(piece_.length());
  if (!settled_) {
    const double made = before_.tail<2>().norm() + slipRate_ * from.impulse[0];
    if (from.velocity.tail<2>().norm() <= kNoSlip * made) settle();
  }
  if (!settled_) {
    piece_ = slide(from);
    return piece_;
  }
  const double rise = w_(0, 0) + w_.block<1, 2>(0, 1).dot(settledRate_.transpose());
  const double goal = 2.0 * std::abs(from.velocity[0]) + std::abs(speed);
  const double length = rise > kNoRise * w_(0, 0) ? std::max(goal / rise, from.impulse[0]) : 0.0;
  piece_ = HodographPiece::straight(w_, from, settledRate_, length);
  return piece_;
}

}  // namespace cairn
