#include "problem/cone_program.hpp"

#include <Eigen/Eigenvalues>
#include <numbers>

#include "problem/admissible.hpp"

namespace cairn {

namespace {

// Free blocks are scaled by W_cc^(-1/2); eigenvalues below this share of the largest count as that much.
constexpr double kLeastEigenvalue = 1e-6;

}  // namespace

void projectPolygonCone(double* l, int corners) {
  // The polygon is its own mirror image about every line through a corner or the middle of an edge, so the nearest point
  // lies in the same sector. In the frame of its edge (x outward, y along) the facet is x = a n, its sides y = +-s n.
  const double sector = 2.0 * std::numbers::pi / corners;
  const double middle = (std::floor(std::atan2(l[2], l[1]) / sector) + 0.5) * sector;
  const double a = std::cos(0.5 * sector), s = std::sin(0.5 * sector);
  const double c = std::cos(middle), d = std::sin(middle);
  const double n = l[0], x = c * l[1] + d * l[2], y = c * l[2] - d * l[1];
  if (n >= 0.0 && x <= a * n) return;
  double normal = (n + a * x) / (1.0 + a * a);
  double along = y;
  if (!(normal > 0.0) || std::abs(y) > s * normal) {  // on the ray through a corner, or at the tip
    const double side = y < 0.0 ? -s : s;
    normal = std::max(0.5 * (n + a * x + side * y), 0.0);
    along = side * normal;
  }
  l[0] = normal;
  l[1] = c * a * normal - d * along;
  l[2] = d * a * normal + c * along;
}

void projectSquareCone(double* l) {
  // Folded to t_1 >= t_2 >= 0 the facet is t_1 = n, the ray t_1 = t_2 = n.
  const double one = std::abs(l[1]), two = std::abs(l[2]);
  const double large = std::max(one, two), small = std::min(one, two);
  if (large <= l[0]) return;
  double normal = 0.5 * (l[0] + large);
  if (!(normal >= small)) normal = std::max((l[0] + one + two) / 3.0, 0.0);
  l[0] = normal;
  for (int i = 1; i < 3; ++i) l[i] = std::clamp(l[i], -normal, normal);
}

double speedScale(const ContactProblem& problem) {
  const ProblemData& data = problem.data();
  double largest = data.speedFloor;
  for (int i = 0; i < static_cast<int>(problem.blocks().size()); ++i) {
    const Block& block = problem.blocks()[i];
    largest = std::max(largest, problem.b().segment(block.first, block.size).norm());
    if (block.law != Law::Interval) continue;
    for (int k = 0; k < block.size; ++k)
      for (const double bound : {data.lower[block.first + k], data.upper[block.first + k]})
        if (std::isfinite(bound)) largest = std::max(largest, std::abs(bound) * problem.diagonal(i)(k, k));
  }
  return largest;
}

ConeProgram::ConeProgram(const ContactProblem& problem, const Varying& varying)
    : problem_(problem), speedScale_(cairn::speedScale(problem)) {
  scale_ = Vector::Ones(problem.rows());
  held_ = Vector::Zero(problem.rows());
  shift_ = Vector::Zero(static_cast<Eigen::Index>(problem.blocks().size()));
  for (int i = 0; i < static_cast<int>(problem.blocks().size()); ++i) addPieces(i, varying);
}

void ConeProgram::addPieces(int index, const Varying& varying) {
  const Block& block = problem_.blocks()[index];
  const BlockMatrix& w = problem_.diagonal(index);
  if (block.law == Law::Free && varying.joints) return addFree(index);
  if (block.law == Law::Free || (block.law == Law::Interval && !varying.intervals)) {
    pieces_.push_back({.set = Set::Held, .first = block.first, .size = block.size, .block = index});
    return;
  }
  const auto addRow = [&](int row, Set set) {
    const double step = w(row, row) > 0.0 ? 1.0 / std::sqrt(w(row, row)) : 1.0;
    pieces_.push_back({.set = set, .first = block.first + row, .size = 1, .block = index, .step = step});
    scale_[block.first + row] = step;
  };
  if (block.law == Law::Interval) {
    for (int k = 0; k < block.size; ++k) addRow(k, Set::Interval);
    return;
  }
  if (varying.normals && varying.tangents) {
    const BlockVector friction = frictionScale(block);
    Piece piece{.set = Set::RoundCone, .first = block.first, .size = block.size, .block = index};
    if (block.size == 3 && block.law == Law::Pyramid) piece.set = Set::PolygonCone;
    if (block.size == 3 && block.law == Law::Box) piece.set = Set::SquareCone;
    piece.corners = block.facets;
    piece.step = std::sqrt(naturalStep(w, friction));
    scale_.segment(block.first, block.size) = piece.step * friction;
    pieces_.push_back(piece);
    return;
  }
  if (varying.normals) {
    addRow(0, Set::Interval);
  } else {
    pieces_.push_back({.set = Set::Held, .first = block.first, .size = 1, .block = index});
  }
  addTangents(index, varying.tangents);
}

void ConeProgram::addTangents(int index, bool vary) {
  const Block& block = problem_.blocks()[index];
  const int count = block.size - 1;
  const BlockVector friction = frictionScale(block).tail(count);
  Piece piece{.set = Set::Held, .first = block.first + 1, .size = count, .block = index};
  if (vary) {
    piece.set = Set::Tangents;
    piece.step = std::sqrt(naturalStep(problem_.diagonal(index).bottomRightCorner(count, count), friction));
    scale_.segment(piece.first, count) = piece.step * friction;
  } else {
    for (int k = 0; k < count; ++k) scale_[piece.first + k] = friction[k] > 0.0 ? 1.0 : 0.0;
  }
  pieces_.push_back(piece);
}

void ConeProgram::addFree(int index) {
  const Block& block = problem_.blocks()[index];
  const Matrix w = problem_.diagonal(index);
  const Eigen::SelfAdjointEigenSolver<Matrix> eigen(0.5 * (w + w.transpose()));
  const double largest = eigen.eigenvalues().maxCoeff();
  const Vector roots = largest > 0.0 ? Vector(eigen.eigenvalues().cwiseMax(kLeastEigenvalue * largest).cwiseSqrt())
                                     : Vector::Ones(block.size);
  const Matrix& v = eigen.eigenvectors();
  pieces_.push_back({.set = Set::Free,
                     .first = block.first,
                     .size = block.size,
                     .block = index,
                     .transform = static_cast<int>(transforms_.size())});
  transforms_.push_back(v * roots.cwiseInverse().asDiagonal() * v.transpose());
  inverses_.push_back(v * roots.asDiagonal() * v.transpose());
}

void ConeProgram::hold(const Vector& impulse) {
  for (Piece& piece : pieces_) {
    if (piece.set == Set::Held)
      held_.segment(piece.first, piece.size) =
          impulse.segment(piece.first, piece.size).cwiseProduct(scale_.segment(piece.first, piece.size));
    piece.radius = std::max(impulse[problem_.blocks()[piece.block].first], 0.0) / piece.step;
  }
}

Vector ConeProgram::saxceShift(const Vector& velocity) const {
  Vector shift = Vector::Zero(static_cast<Eigen::Index>(problem_.blocks().size()));
  for (std::size_t i = 0; i < problem_.blocks().size(); ++i) {
    const Block& block = problem_.blocks()[i];
    if (!isContact(block.law)) continue;
    const int count = block.size - 1;
    const BlockVector slip = frictionScale(block).tail(count).cwiseProduct(velocity.segment(block.first + 1, count));
    shift[static_cast<Eigen::Index>(i)] = block.law == Law::Box                     ? slip.lpNorm<1>()
                                          : block.law == Law::Pyramid && count == 2 ? polygonSupport(-slip, block.facets)
                                                                                    : slip.norm();
  }
  return shift;
}

BlockMatrix ConeProgram::transform(const Piece& piece) const {
  if (piece.set == Set::Free) return transforms_[piece.transform];
  return Matrix(scale_.segment(piece.first, piece.size).asDiagonal());
}

Vector ConeProgram::toImpulse(const Vector& x) const {
  Vector impulse = x.cwiseProduct(scale_);
  for (const Piece& piece : pieces_)
    if (piece.set == Set::Free)
      impulse.segment(piece.first, piece.size).noalias() = transforms_[piece.transform] * x.segment(piece.first, piece.size);
  return impulse;
}

Vector ConeProgram::fromImpulse(const Vector& impulse) const {
  Vector x(impulse.size());
  for (Eigen::Index i = 0; i < x.size(); ++i) x[i] = scale_[i] > 0.0 ? impulse[i] / scale_[i] : 0.0;
  for (const Piece& piece : pieces_)
    if (piece.set == Set::Free)
      x.segment(piece.first, piece.size).noalias() = inverses_[piece.transform] * impulse.segment(piece.first, piece.size);
  return x;
}

Vector ConeProgram::velocity(const Vector& x) const { return problem_.velocity(toImpulse(x)); }

Vector ConeProgram::gradientFromVelocity(const Vector& velocity) const {
  Vector out = velocity;
  for (std::size_t i = 0; i < problem_.blocks().size(); ++i)
    out[problem_.blocks()[i].first] += shift_[static_cast<Eigen::Index>(i)];
  for (const Piece& piece : pieces_)
    if (piece.set == Set::Free) {
      const BlockVector speed = out.segment(piece.first, piece.size);
      out.segment(piece.first, piece.size).noalias() = transforms_[piece.transform] * speed;
    }
  return out.cwiseProduct(scale_);
}

void ConeProgram::gradient(const Vector& x, Vector& out) const { out = gradientFromVelocity(velocity(x)); }

double ConeProgram::objective(const Vector& x, const Vector& gradient) const {
  const Vector impulse = toImpulse(x);
  double linear = impulse.dot(problem_.b());
  for (std::size_t i = 0; i < problem_.blocks().size(); ++i)
    linear += impulse[problem_.blocks()[i].first] * shift_[static_cast<Eigen::Index>(i)];
  return 0.5 * (x.dot(gradient) + linear);  // x . g = lambda^T W lambda + linear
}

void ConeProgram::projectPiece(const Piece& piece, double* x) const {
  for (int i = 0; i < piece.size; ++i)
    if (scale_[piece.first + i] == 0.0) x[i] = 0.0;
  switch (piece.set) {
    case Set::Held:
      for (int i = 0; i < piece.size; ++i) x[i] = held_[piece.first + i];
      break;
    case Set::Free:
      break;
    case Set::Interval: {
      const bool normal = isContact(problem_.blocks()[piece.block].law);
      const double lower = normal ? 0.0 : problem_.data().lower[piece.first];
      const double upper = normal ? std::numeric_limits<double>::infinity() : problem_.data().upper[piece.first];
      x[0] = std::clamp(x[0], lower / piece.step, upper / piece.step);
      break;
    }
    case Set::RoundCone:
      projectUnitCone(x, piece.size);
      break;
    case Set::PolygonCone:
      projectPolygonCone(x, piece.corners);
      break;
    case Set::SquareCone:
      projectSquareCone(x);
      break;
    case Set::Tangents:
      projectTangents(problem_.blocks()[piece.block], piece.radius, x);
      break;
  }
}

void ConeProgram::project(Vector& x) const {
  for (const Piece& piece : pieces_) projectPiece(piece, x.data() + piece.first);
}

double ConeProgram::residual(const Vector& x, const Vector& gradient) const {
  double worst = 0.0;
  for (const Piece& piece : pieces_) {
    const auto g = gradient.segment(piece.first, piece.size);
    if (piece.set == Set::Held) continue;
    if (piece.set == Set::Free) {
      double square = 0.0;
      for (int i = 0; i < piece.size; ++i) square += std::pow(inverses_[piece.transform].row(i).dot(g), 2);
      worst = std::max(worst, std::sqrt(square));
      continue;
    }
    const BlockVector here = x.segment(piece.first, piece.size);
    BlockVector there = here - g;
    projectPiece(piece, there.data());
    worst = std::max(worst, (here - there).norm() / piece.step);
  }
  return worst;
}

}  // namespace cairn
