#include "problem/admissible.hpp"

#include <Eigen/Eigenvalues>
#include <numbers>

namespace cairn {

void projectUnitCone(double* l, int size) {
  const double slip = size == 2 ? std::abs(l[1]) : std::hypot(l[1], l[2]);
  if (slip <= l[0]) return;
  if (slip <= -l[0]) {
    std::fill(l, l + size, 0.0);
    return;
  }
  const double normal = 0.5 * (l[0] + slip);
  l[0] = normal;
  for (int i = 1; i < size; ++i) l[i] *= normal / slip;
}

Eigen::Vector2d projectPolygon(const Eigen::Vector2d& t, double radius, int corners) {
  if (!(radius > 0.0)) return Eigen::Vector2d::Zero();
  // The edge in whose sector t lies, in its own frame: x outward, y along.
  const double sector = 2.0 * std::numbers::pi / corners;
  const double middle = (std::floor(std::atan2(t.y(), t.x()) / sector) + 0.5) * sector;
  const Eigen::Vector2d out(std::cos(middle), std::sin(middle)), along(-out.y(), out.x());
  const double distance = radius * std::cos(0.5 * sector);
  const double half = radius * std::sin(0.5 * sector);
  const double x = t.dot(out);
  if (x <= distance) return t;
  return distance * out + std::clamp(t.dot(along), -half, half) * along;
}

double polygonSupport(const Eigen::Vector2d& direction, int corners) {
  const double sector = 2.0 * std::numbers::pi / corners;
  const double corner = std::round(std::atan2(direction.y(), direction.x()) / sector) * sector;
  return direction.x() * std::cos(corner) + direction.y() * std::sin(corner);
}

void projectTangents(const Block& block, double normal, double* tangents) {
  const int count = block.size - 1;
  const double radius = std::max(normal, 0.0);
  if (block.law == Law::Box || count == 1) {
    for (int i = 0; i < count; ++i) tangents[i] = std::clamp(tangents[i], -radius, radius);
  } else if (block.law == Law::Pyramid) {
    Eigen::Map<Eigen::Vector2d> t(tangents);
    t = projectPolygon(t, radius, block.facets);
  } else {
    const double size = std::hypot(tangents[0], tangents[1]);
    if (size > radius)
      for (int i = 0; i < count; ++i) tangents[i] *= radius / size;
  }
}

BlockVector frictionScale(const Block& block) {
  BlockVector scale = BlockVector::Ones(block.size);
  if (isContact(block.law))
    for (int i = 1; i < block.size; ++i) scale[i] = block.friction[i - 1] < kNoFriction ? 0.0 : block.friction[i - 1];
  return scale;
}

double naturalStep(const BlockMatrix& w, const BlockVector& scale) {
  double largest = 0.0;
  if (w.rows() == 1) {
    largest = w(0, 0) * scale[0] * scale[0];
  } else if (w.rows() == 3) {
    Mat3 scaled = Eigen::Vector3d(scale).asDiagonal() * Mat3(w) * Eigen::Vector3d(scale).asDiagonal();
    scaled = 0.5 * (scaled + scaled.transpose().eval());
    Eigen::SelfAdjointEigenSolver<Mat3> eigen;
    eigen.computeDirect(scaled, Eigen::EigenvaluesOnly);
    largest = eigen.eigenvalues()[2];
  } else {
    Matrix scaled = scale.asDiagonal() * w * scale.asDiagonal();
    scaled = 0.5 * (scaled + scaled.transpose().eval());
    largest = Eigen::SelfAdjointEigenSolver<Matrix>(scaled, Eigen::EigenvaluesOnly).eigenvalues().maxCoeff();
  }
  return largest > 0.0 ? 1.0 / largest : 1.0;
}

BlockVector naturalProjection(const Block& block, const BlockVector& l, const BlockVector& s, double rho,
                              const double* lower, const double* upper) {
  BlockVector p = l - rho * s;
  switch (block.law) {
    case Law::Free:
      break;
    case Law::Interval:
      for (int i = 0; i < block.size; ++i) p[i] = std::clamp(p[i], lower[i], upper[i]);
      break;
    case Law::Box:
    case Law::Pyramid:
      p[0] = std::max(p[0], 0.0);
      projectTangents(block, l[0], p.data() + 1);
      break;
    case Law::Cone:
      p[0] -= rho * s.tail(block.size - 1).norm();
      projectUnitCone(p.data(), block.size);
      break;
  }
  return p;
}

}  // namespace cairn
