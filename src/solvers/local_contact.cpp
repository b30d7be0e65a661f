#include "solvers/local_contact.hpp"

#include <numbers>

#include "problem/admissible.hpp"

namespace cairn {

namespace {

// Smallest eigenvalue of H over the size of W_tt that is taken as it is. The formulas with adj(H) lose as many digits as H
// has; this leaves ten, and slows only motions that are a million times harder than others.
constexpr double kSingular = 1e-6;
constexpr double kRounding = 1e-13;  // relative: a polygon's case that is wrong by no more is right

// Half the height of the polygon along the second axis, where the first tangent has no friction: a corner lies there only
// if the number of corners is a multiple of four.
double secondAxisReach(const Block& block) {
  const bool corner = block.law != Law::Pyramid || block.facets % 4 == 0;
  return corner ? 1.0 : std::cos(std::numbers::pi / block.facets);
}

}  // namespace

std::shared_ptr<const Corners> cornersOf(const Block& block) {
  auto corners = std::make_shared<Corners>();
  if (block.law == Law::Box) {
    *corners = {{1, 1}, {-1, 1}, {-1, -1}, {1, -1}};
  } else {
    for (int i = 0; i < block.facets; ++i) {
      const double angle = 2.0 * std::numbers::pi * i / block.facets;
      corners->emplace_back(std::cos(angle), std::sin(angle));
    }
  }
  return corners;
}

LocalContact::LocalContact(const Block& block, const BlockMatrix& w, std::shared_ptr<const Corners> corners)
    : size_(block.size), wnn_(w(0, 0)), corners_(std::move(corners)) {
  const BlockVector scale = frictionScale(block);
  std::array<int, 2> rows{1, 2};
  int tangents = block.size - 1;
  if (tangents == 2 && (scale[1] == 0.0 || scale[2] == 0.0)) {
    tangents = scale[1] == 0.0 && scale[2] == 0.0 ? 0 : 1;
    rows[0] = scale[1] == 0.0 ? 2 : 1;
  } else if (tangents == 1 && scale[1] == 0.0) {
    tangents = 0;
  }
  if (tangents == 0) return;
  kind_ = tangents == 1 ? Kind::Planar : block.law == Law::Cone ? Kind::Disc : Kind::Polygon;
  tangent_ = rows[0];
  if (kind_ == Kind::Polygon && corners_ == nullptr) corners_ = cornersOf(block);

  // H in plain coordinates, where a small coefficient of friction does not make it look singular.
  Eigen::Matrix2d plain = Eigen::Matrix2d::Identity();
  double size = 0.0;
  for (int i = 0; i < tangents; ++i) {
    size = std::max(size, w(rows[i], rows[i]));
    for (int k = 0; k < tangents; ++k) plain(i, k) = w(rows[i], rows[k]) - w(rows[i], 0) * w(0, rows[k]) / wnn_;
  }
  if (!(size > 0.0)) size = wnn_;
  double smallest = plain(0, 0);
  if (tangents == 2) {
    const double mean = 0.5 * (plain(0, 0) + plain(1, 1)), half = 0.5 * (plain(0, 0) - plain(1, 1));
    smallest = mean - std::hypot(half, 0.5 * (plain(0, 1) + plain(1, 0)));
  }
  const double proximal = std::max(0.0, kSingular * size - smallest);

  for (int i = 0; i < tangents; ++i) {
    double mu = scale[rows[i]];
    if (kind_ == Kind::Planar && rows[i] == 2) mu *= secondAxisReach(block);
    scale_[i] = mu;
    inverseScale_[i] = 1.0 / mu;
    wnt_[i] = mu * w(0, rows[i]);
    g_[i] = mu * w(rows[i], 0) / wnn_;
    proximal_[i] = mu * proximal;
  }
  for (int i = 0; i < tangents; ++i)
    for (int k = 0; k < tangents; ++k) {
      const double both = scale_[i] * scale_[k];
      const double shift = i == k ? proximal : 0.0;
      h_[2 * i + k] = both * (plain(i, k) + shift);
      wtt_[2 * i + k] = both * (w(rows[i], rows[k]) + shift);
    }
  trace_ = h_[0] + h_[3];
  determinant_ = h_[0] * h_[3] - h_[1] * h_[2];
  inverseDeterminant_ = 1.0 / determinant_;
  inverseWnnDeterminant_ = 1.0 / (wnn_ * determinant_);
}

void LocalContact::solvePlanar(const double* q, double* lambda) const {
  const bool leaves = q[0] >= 0.0, idle = lambda[0] == 0.0;
  const double before = lambda[tangent_];
  std::fill(lambda, lambda + size_, 0.0);
  if (leaves && idle) return;
  const double p = scale_[0] * q[tangent_] - proximal_[0] * before - g_[0] * q[0];
  const double z = wnt_[0] * p - q[0] * h_[0];
  if (z > 0.0 && z >= wnn_ * std::abs(p)) {
    lambda[0] = z / (wnn_ * h_[0]);
    lambda[tangent_] = -scale_[0] * p / h_[0];
    return;
  }
  if (leaves) return;
  const double direction = p > 0.0 ? -1.0 : 1.0;  // of friction
  lambda[0] = -q[0] / (wnn_ + direction * wnt_[0]);
  lambda[tangent_] = scale_[0] * direction * lambda[0];
}

bool LocalContact::insidePolygon(double normal, double t1, double t2) const {
  const Corners& corners = *corners_;
  for (std::size_t i = 0; i < corners.size(); ++i) {
    const Eigen::Vector2d& from = corners[i];
    const Eigen::Vector2d along = corners[i + 1 < corners.size() ? i + 1 : 0] - from;
    if (along.x() * (t2 - normal * from.y()) < along.y() * (t1 - normal * from.x())) return false;
  }
  return true;
}

// Sliding with the impulse at corner i: v_n = 0, and no neighbour takes more out of the slip.
double LocalContact::tryCorner(int i, const double* q, double* l) const {
  const Corners& corners = *corners_;
  const int count = static_cast<int>(corners.size());
  const Eigen::Vector2d& c = corners[i];
  const double stiffness = wnn_ + wnt_[0] * c.x() + wnt_[1] * c.y();
  if (!(stiffness > 0.0)) return std::numeric_limits<double>::infinity();
  l[0] = -q[0] / stiffness;
  l[1] = l[0] * c.x();
  l[2] = l[0] * c.y();
  const Eigen::Vector2d response(g_[0] * wnn_ + wtt_[0] * c.x() + wtt_[1] * c.y(),
                                 g_[1] * wnn_ + wtt_[2] * c.x() + wtt_[3] * c.y());
  const Eigen::Vector2d slip = Eigen::Vector2d(q[1], q[2]) + l[0] * response;
  const double size = std::abs(q[1]) + std::abs(q[2]) + l[0] * response.lpNorm<1>();
  const double worst = std::max(slip.dot(c - corners[(i + 1) % count]), slip.dot(c - corners[(i + count - 1) % count]));
  return worst <= 0.0 || size == 0.0 ? 0.0 : worst / size;
}

// Sliding with the impulse between corners i and i + 1, straight out over the edge.
double LocalContact::tryEdge(int i, const double* q, double* l) const {
  const Corners& corners = *corners_;
  const Eigen::Vector2d &c0 = corners[i], &c1 = corners[(i + 1) % corners.size()];
  const Eigen::Vector2d along = c1 - c0, qt(q[1], q[2]);
  const auto response = [&](const Eigen::Vector2d& c) {
    return Eigen::Vector2d(g_[0] * wnn_ + wtt_[0] * c.x() + wtt_[1] * c.y(),
                           g_[1] * wnn_ + wtt_[2] * c.x() + wtt_[3] * c.y());
  };
  const Eigen::Vector2d r0 = response(c0), r1 = response(c1);
  const double a = wnn_ + wnt_[0] * c0.x() + wnt_[1] * c0.y(), b = wnn_ + wnt_[0] * c1.x() + wnt_[1] * c1.y();
  const double c = along.dot(r0), d = along.dot(r1), right = along.dot(qt);
  const double determinant = a * d - b * c;
  if (determinant == 0.0) return std::numeric_limits<double>::infinity();
  const double x0 = (b * right - d * q[0]) / determinant, x1 = (c * q[0] - a * right) / determinant;
  l[0] = x0 + x1;
  if (!(l[0] > 0.0)) return std::numeric_limits<double>::infinity();
  l[1] = x0 * c0.x() + x1 * c1.x();
  l[2] = x0 * c0.y() + x1 * c1.y();
  const double slip = (qt + x0 * r0 + x1 * r1).dot(c0);  // against the push: not above 0
  const double size = qt.lpNorm<1>() + std::abs(x0) * r0.lpNorm<1>() + std::abs(x1) * r1.lpNorm<1>();
  const double outside = std::max({0.0, -x0, -x1}) / (std::abs(x0) + std::abs(x1));
  return std::max(outside, slip <= 0.0 || size == 0.0 ? 0.0 : slip / size);
}

void LocalContact::solvePolygon(const double* q, double* lambda) {
  const bool leaves = q[0] >= 0.0;
  if (leaves && lambda[0] == 0.0) {
    lambda[1] = lambda[2] = 0.0;
    return;
  }
  const std::array<double, 3> s{q[0], scale_[0] * q[1] - proximal_[0] * lambda[1],
                                scale_[1] * q[2] - proximal_[1] * lambda[2]};
  const double p1 = s[1] - g_[0] * q[0], p2 = s[2] - g_[1] * q[0];
  const double a1 = h_[3] * p1 - h_[1] * p2, a2 = h_[0] * p2 - h_[2] * p1;
  const double z0 = wnt_[0] * a1 + wnt_[1] * a2 - q[0] * determinant_;
  std::array<double, 3> best{-q[0] / wnn_, 0.0, 0.0};
  if (z0 > 0.0 && insidePolygon(z0, -wnn_ * a1, -wnn_ * a2)) {
    best = {z0 * inverseWnnDeterminant_, -a1 * inverseDeterminant_, -a2 * inverseDeterminant_};
  } else if (leaves) {
    best = {0.0, 0.0, 0.0};
  } else {
    // The case of the last time first (to begin with: the corner that opposes the slip most), then its neighbours.
    const int cases = 2 * static_cast<int>(corners_->size());
    if (case_ < 0) {
      double most = -std::numeric_limits<double>::infinity();
      for (int i = 0; i < cases / 2; ++i) {
        const double opposes = -p1 * (*corners_)[i].x() - p2 * (*corners_)[i].y();
        if (opposes > most) {
          most = opposes;
          case_ = 2 * i;
        }
      }
    }
    const int start = case_;
    double least = std::numeric_limits<double>::infinity();
    for (int k = 0; k < cases && least > kRounding; ++k) {
      const int away = (k + 1) / 2;
      const int here = (start + (k % 2 == 1 ? away : cases - away)) % cases;
      std::array<double, 3> l{};
      const double wrong = here % 2 == 0 ? tryCorner(here / 2, s.data(), l.data()) : tryEdge(here / 2, s.data(), l.data());
      if (!(wrong < least)) continue;
      least = wrong;
      best = l;
      case_ = here;
    }
  }
  lambda[0] = best[0];
  lambda[1] = scale_[0] * best[1];
  lambda[2] = scale_[1] * best[2];
}

void LocalContact::solveByProjections(const double* q, double* lambda) const {
  constexpr int kMostSteps = 1000;
  constexpr double kSmallStep = 1e-15;  // relative
  const Vec3 s(q[0], scale_[0] * q[1] - proximal_[0] * lambda[1], scale_[1] * q[2] - proximal_[1] * lambda[2]);
  Mat3 w;
  w << wnn_, wnt_[0], wnt_[1], g_[0] * wnn_, wtt_[0], wtt_[1], g_[1] * wnn_, wtt_[2], wtt_[3];
  const auto slide = [&](const Vec3& l) -> Vec3 {
    Vec3 v = w * l + s;
    v[0] += std::hypot(v[1], v[2]);
    return v;
  };
  const auto project = [](Vec3 l) {
    projectUnitCone(l.data(), 3);
    return l;
  };
  Vec3 l(lambda[0], lambda[1] * inverseScale_[0], lambda[2] * inverseScale_[1]);
  l = project(l);
  double rho = 3.0 / w.trace();
  for (int i = 0; i < kMostSteps; ++i) {
    const Vec3 v = slide(l);
    Vec3 predicted = project(l - rho * v), there = slide(predicted);
    // The correction contracts if the speeds differ by less than the impulses do (Khobotov).
    double ratio = rho * (v - there).norm() / std::max((l - predicted).norm(), std::numeric_limits<double>::min());
    for (int shorter = 0; ratio > 0.9 && shorter < 60; ++shorter) {
      rho *= 2.0 / 3.0 * std::min(1.0, 1.0 / ratio);
      predicted = project(l - rho * v);
      there = slide(predicted);
      const double distance = (l - predicted).norm();
      if (distance == 0.0) break;
      ratio = rho * (v - there).norm() / distance;
    }
    const Vec3 next = project(l - rho * there);
    const bool done = (next - l).norm() <= kSmallStep * next.norm();
    l = next;
    if (done) break;
    if (ratio < 0.3) rho *= 1.5;
  }
  lambda[0] = l[0];
  lambda[1] = scale_[0] * l[1];
  lambda[2] = scale_[1] * l[2];
}

}  // namespace cairn
