#include "solvers/lcp_newton.hpp"

#include <Eigen/LU>
#include <random>

#include "problem/lcp.hpp"
#include "solvers/sparse_solve.hpp"
#include "solvers/sweep.hpp"

namespace cairn {

namespace {

constexpr int kDense = 100;  // unknowns; more are solved by a sparse factorisation
constexpr double kLeastProximal = 1e-10;
constexpr double kMostProximal = 1e2;
constexpr double kProximalPower = 0.35;  // of |F|^2
constexpr double kMostCaution = 1e4;
constexpr int kPatience = 20;      // steps without progress
constexpr double kProgress = 0.9;  // of Psi
constexpr int kMostSweeps = 160;
constexpr int kShakeFrom = 6;
constexpr double kShake = 0.5;  // of each impulse, at most

// c with x = c x', y' = c y: the diagonal of A becomes 1; rows without one take their scale from what they are coupled to.
Vector scaling(const SparseMatrix& a) {
  Vector scale = Vector::Zero(a.rows());
  for (int i = 0; i < a.rows(); ++i) {
    const double diagonal = a.coeff(i, i);
    if (diagonal > 0.0) scale[i] = 1.0 / std::sqrt(diagonal);
  }
  for (int i = 0; i < a.rows(); ++i) {
    if (scale[i] > 0.0) continue;
    double largest = 0.0;
    for (SparseMatrix::InnerIterator entry(a, i); entry; ++entry)
      largest = std::max(largest, std::abs(entry.value()) * (entry.col() == i ? 0.0 : scale[entry.col()]));
    scale[i] = largest > 0.0 ? 1.0 / largest : 1.0;
  }
  return scale;
}

class LcpNewton {
 public:
  LcpNewton(const MixedLcp& lcp, ComplementarityFunction function, const LcpNewtonOptions& options)
      : isFree_(lcp.isFree), function_(function), options_(options), scale_(scaling(lcp.a)) {
    a_ = scale_.asDiagonal() * lcp.a * scale_.asDiagonal();
    a_.makeCompressed();
    b_ = scale_.cwiseProduct(lcp.b);
    psiScale_ = std::max(b_.squaredNorm(), std::numeric_limits<double>::min());
    p_.resize(size());
    q_.resize(size());
  }

  int size() const { return static_cast<int>(b_.size()); }
  Vector x() const { return scale_.cwiseProduct(x_); }
  double psi() const { return psi_ / psiScale_; }
  double caution() const { return caution_; }

  void start(const Vector& x, int restart) {
    restart_ = restart;
    x_ = x.cwiseQuotient(scale_);
    y_ = a_ * x_ + b_;
    psi_ = evaluate(x_, y_, f_);
    recent_.assign(1, psi_);
    caution_ = 1.0;
  }

  // False if nothing decreases Psi; x stays.
  bool step() {
    linearise();
    const double alpha =
        std::clamp(options_.proximal * caution_ * std::pow(psi(), kProximalPower), kLeastProximal, kMostProximal);
    if (newtonDirection(alpha) && search(*std::max_element(recent_.begin(), recent_.end()))) {
      if (part_ == 1.0) caution_ = std::max(0.1 * caution_, 1.0);
      return true;
    }
    caution_ *= 10.0;
    if (caution_ <= kMostCaution) return false;
    gradientDirection();
    return search(psi_);
  }

 private:
  LcpFunction at(int i, double x, double y) const {
    return isFree_[i] != 0 ? LcpFunction{y, 0.0, 1.0} : function_(x, y, restart_);
  }
  double evaluate(const Vector& x, const Vector& y, Vector& f) const {
    f.resize(size());
    for (int i = 0; i < size(); ++i) f[i] = at(i, x[i], y[i]).value;
    return 0.5 * f.squaredNorm();
  }
  void linearise() {
    for (int i = 0; i < size(); ++i) {
      const LcpFunction here = at(i, x_[i], y_[i]);
      p_[i] = here.dx;
      q_[i] = here.dy;
    }
  }

  bool newtonDirection(double alpha) {
    std::vector<int> unknown(size(), -1), rows;
    d_ = Vector::Zero(size());
    for (int i = 0; i < size(); ++i) {
      if (q_[i] == 0.0) {
        d_[i] = -f_[i] / p_[i];
      } else {
        unknown[i] = static_cast<int>(rows.size());
        rows.push_back(i);
      }
    }
    const int m = static_cast<int>(rows.size());
    const Vector moved = a_ * d_;
    Vector right(m);
    std::vector<Eigen::Triplet<double>> entries;
    for (int k = 0; k < m; ++k) {
      const int i = rows[k];
      right[k] = -f_[i] - q_[i] * moved[i];
      entries.emplace_back(k, k, p_[i] + q_[i] * alpha);
      for (SparseMatrix::InnerIterator entry(a_, i); entry; ++entry)
        if (unknown[entry.col()] >= 0) entries.emplace_back(k, unknown[entry.col()], q_[i] * entry.value());
    }
    if (m > 0) {
      Vector solution;
      if (m <= kDense) {
        Matrix dense = Matrix::Zero(m, m);
        for (const auto& entry : entries) dense(entry.row(), entry.col()) += entry.value();
        solution = dense.partialPivLu().solve(right);
      } else {
        Eigen::SparseMatrix<double> sparse(m, m);
        sparse.setFromTriplets(entries.begin(), entries.end());
        const auto lu = factorised<SparseLuFactors>(std::move(sparse));
        if (lu->info() != Eigen::Success) return false;
        solution = lu->solve(right);
      }
      for (int k = 0; k < m; ++k) d_[rows[k]] = solution[k];
    }
    return d_.allFinite();
  }

  void gradientDirection() {
    const Vector weighted = q_.cwiseProduct(f_);
    d_ = -(p_.cwiseProduct(f_) + a_.transpose() * weighted);
    const Vector along = p_.cwiseProduct(d_) + q_.cwiseProduct(Vector(a_ * d_));
    const double curvature = along.squaredNorm();
    if (curvature > 0.0) d_ *= d_.squaredNorm() / curvature;  // the least of the linearised Psi
  }

  bool search(double reference) {
    const Vector moved = a_ * d_;
    part_ = 1.0;
    for (int trial = 0; trial <= options_.halvings; ++trial, part_ *= 0.5) {
      const Vector x = x_ + part_ * d_, y = y_ + part_ * moved;
      Vector f;
      const double psi = evaluate(x, y, f);
      if (!(psi <= (1.0 - 2.0 * options_.sufficient * part_) * reference)) continue;
      x_ = x;
      y_ = a_ * x_ + b_;
      f_ = f;
      psi_ = psi;
      recent_.push_back(psi);
      if (static_cast<int>(recent_.size()) > options_.memory) recent_.erase(recent_.begin());
      return true;
    }
    return false;
  }

  const std::vector<char>& isFree_;
  ComplementarityFunction function_;
  LcpNewtonOptions options_;
  Vector scale_, b_;
  SparseMatrix a_;
  int restart_ = 0;
  Vector x_, y_, f_, p_, q_, d_;
  std::vector<double> recent_;
  double psi_ = 0.0, psiScale_ = 1.0, caution_ = 1.0, part_ = 1.0;
};

// A generator that is cheap to set up: most solves never need it.
void shake(std::minstd_rand& random, Vector& impulse) {
  for (double& l : impulse) l *= 1.0 + kShake * (2.0 * (random() / 2147483647.0) - 1.0);
}

}  // namespace

Exit solveByLcpNewton(const ContactProblem& problem, ComplementarityFunction function, const LcpNewtonOptions& options,
                      Monitor& monitor, Vector& impulse) {
  const MixedLcp lcp = lowerToMixedLcp(problem);
  if (lcp.size() == 0) {  // every bound equals its other
    impulse = lcp.offset;
    return Exit::Converged;
  }
  LcpNewton newton(lcp, function, options);
  monitor.keepBest(true);
  std::unique_ptr<Sweeper> sweeper;
  const auto sweep = [&](int count) {
    if (count == 0) return;
    if (sweeper == nullptr) sweeper = makeBlockSweeper(problem, {}, LocalSolver::Auto);
    sweeper->start(impulse);
    for (int i = 0; i < count && !monitor.stop(); ++i) {
      sweeper->sweep(impulse);
      monitor.countIterations(1);
    }
    if (!impulse.allFinite() && !monitor.restoreBest(impulse)) impulse.setZero();
  };
  if (monitor.judgeNow(impulse)) return Exit::Converged;
  sweep(options.sweeps);
  newton.start(mixedLcpStart(problem, lcp, impulse), 0);

  Vector best = newton.x();
  double bestPsi = newton.psi();
  int idle = 0, sweeps = options.sweeps;
  std::minstd_rand random(1);
  const auto end = [&](Exit exit) {
    const bool solved = monitor.judgeNow(lcp.toImpulse(best));
    monitor.restoreBest(impulse);
    return solved ? Exit::Converged : exit;
  };
  for (int restart = 0; !monitor.stop();) {
    const bool moved = newton.step();
    if (moved) {
      const Vector x = newton.x();
      if (monitor.solved(lcp.toImpulse(x), std::sqrt(newton.psi()))) return end(Exit::Converged);
      ++idle;
      if (newton.psi() < kProgress * bestPsi) {
        bestPsi = newton.psi();
        best = x;
        idle = 0;
      }
    } else {
      monitor.countIterations(1);
    }
    if (idle < kPatience && (moved || newton.caution() <= kMostCaution)) continue;

    impulse = lcp.toImpulse(best);
    if (monitor.judgeNow(impulse)) return end(Exit::Converged);
    if (++restart > options.restarts) return end(Exit::Stalled);
    if (restart > kShakeFrom) shake(random, impulse);
    sweep(sweeps);
    sweeps = std::min(2 * sweeps, kMostSweeps);
    newton.start(mixedLcpStart(problem, lcp, impulse), restart);
    best = newton.x();
    bestPsi = newton.psi();
    idle = 0;
  }
  return end(monitor.exit());
}

}  // namespace cairn
