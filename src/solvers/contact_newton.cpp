#include "solvers/contact_newton.hpp"

#include "problem/admissible.hpp"

namespace cairn {

namespace {

constexpr int kHalvings = 3;
constexpr double kSufficient = 1e-4;     // decrease, Armijo
constexpr double kProximalPower = 0.35;  // of the merit, which is a square: the end is of order 1.7
constexpr double kLeastProximal = 1e-12;
constexpr double kMostProximal = 1e2;
constexpr double kMoreCaution = 10.0;

Vector scaleOf(const ContactProblem& problem) {
  Vector scale(problem.rows());
  for (const Block& block : problem.blocks()) scale.segment(block.first, block.size) = frictionScale(block);
  return scale;
}

BlockLu patternOf(const DelassusBlocks& w) {
  std::vector<int> sizes;
  std::vector<std::vector<int>> neighbours(w.count());
  for (int r = 0; r < w.count(); ++r) {
    sizes.push_back(w.size(r));
    for (int entry = w.begin(r); entry < w.begin(r + 1); ++entry) {
      if (w.column(entry) == r) continue;
      neighbours[r].push_back(w.column(entry));
      neighbours[w.column(entry)].push_back(r);
    }
  }
  return {sizes, neighbours};
}

}  // namespace

ContactNewton::ContactNewton(const ContactProblem& problem, const NewtonOptions& options)
    : problem_(problem),
      options_(options),
      rows_(problem.rows()),
      blocks_(static_cast<int>(problem.blocks().size())),
      scale_(scaleOf(problem)),
      b_(scale_.cwiseProduct(problem.b())),
      rho_(rows_),
      w_(problem, scale_),
      lu_(patternOf(w_)),
      pivotScale_(blocks_),
      pieces_(blocks_),
      used_(blocks_) {
  for (int r = 0; r < blocks_; ++r) {
    blockScale_.push_back(frictionScale(problem.blocks()[r]));
    if (!fits()) continue;
    for (int entry = w_.begin(r); entry < w_.begin(r + 1); ++entry) places_.push_back(lu_.place(r, w_.column(entry)));
  }
  double diagonalSum = 0.0;
  for (int i = 0; i < blocks_; ++i) diagonalSum += problem.diagonal(i).trace();
  plainStep_ = diagonalSum > 0.0 ? rows_ / diagonalSum : 1.0;
  projected_.resize(rows_);
  changeSteps(1.0);
}

void ContactNewton::changeSteps(double factor) {
  steps_.clear();
  const ProblemData& data = problem_.data();
  thetaScale_ = 0.0;
  largestSpeed_ = data.speedFloor;
  for (int i = 0; i < blocks_; ++i) {
    const Block& block = problem_.blocks()[i];
    const BlockMatrix w = blockScale_[i].asDiagonal() * problem_.diagonal(i) * blockScale_[i].asDiagonal();
    steps_.push_back(pieceSteps(block, w, factor * options_.step));
    pivotScale_[i] = w.diagonal().maxCoeff();
    if (!(pivotScale_[i] > 0.0)) pivotScale_[i] = 1.0;
    largestSpeed_ = std::max(largestSpeed_, problem_.b().segment(block.first, block.size).norm());
    for (int k = 0; k < block.size; ++k) {
      const int row = block.first + k;
      rho_[row] = steps_[i].rho[k];
      thetaScale_ += rho_[row] * b_[row] * b_[row];
      if (block.law != Law::Interval) continue;
      for (const double bound : {data.lower[row], data.upper[row]}) {
        if (!std::isfinite(bound)) continue;
        thetaScale_ += bound * bound / rho_[row];
        largestSpeed_ = std::max(largestSpeed_, std::abs(bound) / rho_[row]);
      }
    }
  }
  if (!(thetaScale_ > 0.0)) thetaScale_ = 1.0;
  if (!(largestSpeed_ > 0.0)) largestSpeed_ = 1.0;
  if (l_.size() == rows_) {
    evaluate(l_, s_, merit_, estimate_);
    recent_.assign(1, merit_);
    caution_ = 1.0;
  }
}

void ContactNewton::start(const Vector& impulse) {
  l_.resize(rows_);
  for (int i = 0; i < rows_; ++i) l_[i] = scale_[i] > 0.0 ? impulse[i] / scale_[i] : 0.0;
  impulse_ = scale_.cwiseProduct(l_);
  w_.multiply(l_, s_);
  s_ += b_;
  evaluate(l_, s_, merit_, estimate_);
  recent_.assign(1, merit_);
  caution_ = 1.0;
}

void ContactNewton::evaluate(const Vector& l, const Vector& s, double& theta, double& estimate) {
  const ProblemData& data = problem_.data();
  double sum = 0.0, worst = 0.0, plain = 0.0, size = 0.0;
  for (int i = 0; i < blocks_; ++i) {
    const Block& block = problem_.blocks()[i];
    const int first = block.first;
    projectPiece(block, blockScale_[i], steps_[i], data.lower.data() + first, data.upper.data() + first, l.data() + first,
                 s.data() + first, projected_.data() + first);
    double error = 0.0;
    for (int row = first; row < first + block.size; ++row) {
      const double f = l[row] - projected_[row];
      const double speed = f / rho_[row];
      sum += f * speed;
      error += speed * speed;
      const double lambda = scale_[row] * l[row];
      const double step = std::min(std::abs(plainStep_ * speed), std::abs(scale_[row] * f));
      plain += step * step;
      size += lambda * lambda;
    }
    worst = std::max(worst, error);
  }
  theta = sum / thetaScale_;
  estimate = std::max(std::sqrt(worst) / largestSpeed_, size > 0.0 ? std::sqrt(plain / size) : 0.0);
}

void ContactNewton::choosePieces() {
  const ProblemData& data = problem_.data();
  for (int i = 0; i < blocks_; ++i) {
    const int first = problem_.blocks()[i].first;
    choosePiece(problem_.blocks()[i], blockScale_[i], steps_[i], data.lower.data() + first, data.upper.data() + first,
                l_.data() + first, s_.data() + first, pieces_[i]);
    used_[i] = pieces_[i].unknowns;
  }
}

// test^T W basis, and the terms of the diagonal.
void ContactNewton::assemble(double alpha) {
  lu_.begin(used_);
  std::size_t at = 0;
  for (int r = 0; r < blocks_; ++r) {
    const ContactPiece& row = pieces_[r];
    const int rowSize = w_.size(r);
    for (int entry = w_.begin(r); entry < w_.begin(r + 1); ++entry, ++at) {
      const int c = w_.column(entry);
      const ContactPiece& column = pieces_[c];
      const int m = row.unknowns, n = column.unknowns, size = w_.size(c);
      if (m == 0 || n == 0) continue;
      const double* w = w_.values(entry);
      const BlockLu::Entry target = lu_.entry(places_[at], n);
      double half[kMostBlockRows * kMostBlockRows];  // test^T W
      if (!row.plain)
        for (int i = 0; i < m; ++i)
          for (int k = 0; k < size; ++k) {
            double sum = 0.0;
            for (int j = 0; j < rowSize; ++j) sum += row.test(j, i) * w[size * j + k];
            half[size * i + k] = sum;
          }
      const double* left = row.plain ? w : half;
      for (int i = 0; i < m; ++i)
        for (int k = 0; k < n; ++k) {
          double sum = left[size * i + k];
          if (!column.plain) {
            sum = 0.0;
            for (int j = 0; j < size; ++j) sum += left[size * i + j] * column.basis(j, k);
          }
          target.values[target.stride * i + k] = sum;
        }
      if (c == r)
        for (int i = 0; i < m; ++i)
          target.values[target.stride * i + i] += row.shift[i] + alpha / steps_[r].rho[i == 0 ? 0 : 1];
    }
  }
}

// change_ and speedChange_ of the full step; false if rounding spoilt it.
bool ContactNewton::solveLinear(double alpha) {
  assemble(alpha);
  lu_.factor(pivotScale_);
  // Onto the pieces first, xi as it is now; then the change of xi.
  change_.resize(rows_);
  for (int i = 0; i < blocks_; ++i) {
    const Block& block = problem_.blocks()[i];
    const ContactPiece& piece = pieces_[i];
    change_.segment(block.first, block.size) = piece.fixed +
                                               piece.basis.leftCols(used_[i]).lazyProduct(piece.start.head(used_[i])) -
                                               l_.segment(block.first, block.size);
  }
  w_.multiply(change_, speedChange_);
  right_.resize(lu_.unknowns());
  for (int i = 0; i < blocks_; ++i) {
    const int first = problem_.blocks()[i].first;
    const ContactPiece& piece = pieces_[i];
    for (int k = 0; k < used_[i]; ++k) {
      double sum = piece.shift[k] * piece.start[k];
      for (int j = 0; j < problem_.blocks()[i].size; ++j)
        sum += piece.test(j, k) * (s_[first + j] + speedChange_[first + j]);
      right_[lu_.firstUnknown(i) + k] = -sum;
    }
  }
  lu_.solve(right_);
  if (!right_.allFinite()) return false;
  for (int i = 0; i < blocks_; ++i) {
    const Block& block = problem_.blocks()[i];
    change_.segment(block.first, block.size) +=
        pieces_[i].basis.leftCols(used_[i]).lazyProduct(right_.segment(lu_.firstUnknown(i), used_[i]));
  }
  w_.multiply(change_, speedChange_);
  return true;
}

bool ContactNewton::step() {
  const double alpha =
      std::clamp(options_.proximal * caution_ * std::pow(merit_, kProximalPower), kLeastProximal, kMostProximal);
  choosePieces();
  if (solveLinear(alpha)) {
    const double reference = *std::max_element(recent_.begin(), recent_.end());
    double part = 1.0;
    for (int trial = 0; trial <= kHalvings; ++trial, part *= 0.5) {
      trialL_ = l_ + part * change_;
      trialS_ = s_ + part * speedChange_;
      double theta = 0.0, estimate = 0.0;
      evaluate(trialL_, trialS_, theta, estimate);
      if (!(theta <= (1.0 - kSufficient * part) * reference)) continue;
      l_.swap(trialL_);
      w_.multiply(l_, s_);
      s_ += b_;
      impulse_ = scale_.cwiseProduct(l_);
      merit_ = theta;
      estimate_ = estimate;
      recent_.push_back(merit_);
      if (static_cast<int>(recent_.size()) > options_.memory) recent_.erase(recent_.begin());
      if (trial == 0) caution_ = std::max(caution_ / kMoreCaution, 1.0);
      return true;
    }
  }
  caution_ *= kMoreCaution;
  return false;
}

}  // namespace cairn
