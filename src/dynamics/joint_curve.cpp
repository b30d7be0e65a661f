#include "dynamics/joint_curve.hpp"

#include <algorithm>
#include <cmath>

namespace cairn {

namespace {

constexpr int kNewtonSteps = 30;
constexpr double kLongestStep = 0.5;  // of a piece
constexpr int kSearchesPerPiece = 8;
// Gauss and Legendre's rule on 0..1, five points: on half a piece of such a curve exact to 1e-9 or so.
constexpr double kNodes[] = {0.04691007703066800, 0.23076534494715845, 0.5, 0.76923465505284155, 0.95308992296933200};
constexpr double kWeights[] = {0.11846344252809454, 0.23931433524968324, 0.28444444444444444, 0.23931433524968324,
                               0.11846344252809454};

}  // namespace

JointCurve::JointCurve(std::vector<Vec3> points, bool closed) : points_(std::move(points)), closed_(closed) {
  arcs_.push_back(0.0);
  for (int i = 0; i < pieces(); ++i) arcs_.push_back(arcs_.back() + arcOnPiece(i, 1.0));
}

JointCurve::Place JointCurve::onPiece(int piece, double u) const {
  const int count = static_cast<int>(points_.size());
  const auto point = [&](int i) -> Vec3 {
    if (closed_) return points_[static_cast<std::size_t>((i % count + count) % count)];
    // Beyond the ends as if the first and last steps were repeated.
    if (i < 0) return 2.0 * points_[0] - points_[1];
    if (i >= count) return 2.0 * points_[count - 1] - points_[count - 2];
    return points_[static_cast<std::size_t>(i)];
  };
  const Vec3 p0 = point(piece - 1), p1 = point(piece), p2 = point(piece + 1), p3 = point(piece + 2);
  const Vec3 b = 0.5 * (p2 - p0), c = p0 - 2.5 * p1 + 2.0 * p2 - 0.5 * p3, d = 0.5 * (p3 - p0) + 1.5 * (p1 - p2);
  return {p1 + u * (b + u * (c + u * d)), b + u * (2.0 * c + 3.0 * u * d), 2.0 * c + 6.0 * u * d};
}

JointCurve::Place JointCurve::at(double parameter) const {
  const double end = pieces();
  if (closed_) parameter -= end * std::floor(parameter / end);
  if (!closed_ && (parameter < 0.0 || parameter > end)) {
    Place place = parameter < 0.0 ? onPiece(0, 0.0) : onPiece(pieces() - 1, 1.0);
    place.point += (parameter < 0.0 ? parameter : parameter - end) * place.first;
    place.second.setZero();
    return place;
  }
  const int piece = std::clamp(static_cast<int>(parameter), 0, pieces() - 1);
  return onPiece(piece, parameter - piece);
}

double JointCurve::arcOnPiece(int piece, double share) const {
  double sum = 0.0;
  for (int half = 0; half < 2; ++half)
    for (int i = 0; i < 5; ++i)
      sum += kWeights[i] * onPiece(piece, 0.5 * share * (half + kNodes[i])).first.norm();
  return 0.5 * share * sum;
}

double JointCurve::arc(double parameter) const {
  const double end = pieces();
  double turns = 0.0;
  if (closed_) {
    turns = std::floor(parameter / end);
    parameter -= end * turns;
  } else if (parameter < 0.0) {
    return parameter * onPiece(0, 0.0).first.norm();
  } else if (parameter > end) {
    return length() + (parameter - end) * onPiece(pieces() - 1, 1.0).first.norm();
  }
  const int piece = std::clamp(static_cast<int>(parameter), 0, pieces() - 1);
  return turns * length() + arcs_[static_cast<std::size_t>(piece)] + arcOnPiece(piece, parameter - piece);
}

double JointCurve::nearest(const Vec3& point, double t) const {
  for (int i = 0; i < kNewtonSteps; ++i) {
    const Place place = at(t);
    const Vec3 off = place.point - point;
    const double slope = off.dot(place.first), square = place.first.squaredNorm();
    double curvature = square + off.dot(place.second);
    if (!(curvature > 0.1 * square)) curvature = square;
    const double step = std::clamp(-slope / std::max(curvature, 1e-300), -kLongestStep, kLongestStep);
    t += step;
    if (std::abs(step) < 1e-14 * (1.0 + std::abs(t))) break;
  }
  return t;
}

double JointCurve::nearestOfAll(const Vec3& point) const {
  double best = 0.0, least = std::numeric_limits<double>::infinity();
  for (int i = 0; i <= pieces() * kSearchesPerPiece; ++i) {
    const double t = static_cast<double>(i) / kSearchesPerPiece, off = (at(t).point - point).squaredNorm();
    if (!(off < least)) continue;
    least = off;
    best = t;
  }
  return nearest(point, best);
}

}  // namespace cairn
