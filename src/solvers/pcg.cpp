// Preconditioned conjugate gradients for joints alone: W lambda = -b (STAR 4.3.3: PCG for the block of all joints).
//
//   r = -(W lambda + b),  z = C r,  p = z + (r.z / r_old.z_old) p,  alpha = r.z / p.W p,  lambda += alpha p
//
// C inverts the diagonal blocks (block Jacobi; directions in which a block is singular are left alone). W may be
// semidefinite: while b is in its range all directions stay there, and redundant joints share their load as C makes them.
// One product with W per iteration, matrix-free. The recursion for r drifts, so r is computed anew now and then.
//
// Fails: joints that contradict each other. The residual then has a part that no impulse changes; a direction without
// curvature or a residual that stops falling shows it, and the exit is Inconsistent or Stalled with the best lambda.
#include <Eigen/Eigenvalues>

#include "problem/cone_program.hpp"
#include "solvers/monitor.hpp"
#include "solvers/registry.hpp"

namespace cairn {
namespace {

constexpr double kSingularBlock = 1e-12;  // share of a block's largest eigenvalue that counts as none
constexpr double kNoCurvature = 1e-14;    // p.W p against p.C^-1 p, of which it is a few times at most
constexpr int kRefresh = 50;              // iterations after which r is computed anew
constexpr double kProgress = 0.9;
constexpr int kLeastPatience = 200;  // iterations without progress; at least twice the rows

class Pcg final : public ContactSolver {
 public:
  std::string_view name() const override { return "pcg"; }
  Capabilities capabilities() const override {
    Capabilities can;
    can.laws[static_cast<int>(Law::Free)] = true;
    can.unsymmetric = false;
    return can;
  }

 private:
  int iterationLimit() const override { return 20000; }

  Exit iterate(const ContactProblem& problem, Monitor& monitor, Vector& impulse) override {
    if (problem.b().isZero(0.0)) impulse.setZero();  // nothing moves, nothing has to
    if (monitor.judgeNow(impulse)) return Exit::Converged;
    const std::vector<BlockMatrix> inverses = invertDiagonal(problem);
    const double scale = speedScale(problem);
    const auto precondition = [&](const Vector& r) {
      Vector z(r.size());
      for (std::size_t i = 0; i < problem.blocks().size(); ++i) {
        const Block& block = problem.blocks()[i];
        z.segment(block.first, block.size).noalias() = inverses[i] * r.segment(block.first, block.size);
      }
      return z;
    };

    Vector residual = -problem.velocity(impulse);
    Vector z = precondition(residual);
    Vector direction = z, pushed;
    double product = residual.dot(z);
    Vector best = impulse;
    double bestResidual = residual.norm();
    int idle = 0;
    const int patience = std::max(kLeastPatience, 2 * problem.rows());
    const auto giveUp = [&](Exit exit, const char* why) {
      impulse = best;
      int row = 0;
      problem.velocity(best).cwiseAbs().maxCoeff(&row);
      monitor.explain(std::string(why) + "; the largest speed left is in row " + std::to_string(row));
      return exit;
    };
    while (!monitor.stop()) {
      problem.multiply(direction, pushed);
      const double curvature = direction.dot(pushed);
      if (!(curvature > kNoCurvature * product))
        return giveUp(Exit::Inconsistent, "impulses along a direction change no velocity that the joints ask to change");
      impulse += (product / curvature) * direction;
      if (monitor.iterations() % kRefresh == kRefresh - 1) {
        residual = -problem.velocity(impulse);
      } else {
        residual -= (product / curvature) * pushed;
      }
      const double size = residual.norm();
      idle = size < kProgress * bestResidual ? 0 : idle + 1;
      if (size < bestResidual) {
        bestResidual = size;
        best = impulse;
      }
      if (monitor.solved(impulse, size / scale)) return Exit::Converged;
      if (idle > patience || size == 0.0) return giveUp(Exit::Stalled, "the velocities of the joints do not get smaller");
      z = precondition(residual);
      const double next = residual.dot(z);
      direction = z + (next / product) * direction;
      product = next;
    }
    impulse = best;
    return monitor.exit();
  }

  static std::vector<BlockMatrix> invertDiagonal(const ContactProblem& problem) {
    std::vector<BlockMatrix> inverses;
    for (std::size_t i = 0; i < problem.blocks().size(); ++i) {
      const Matrix w = problem.diagonal(static_cast<int>(i));
      const Eigen::SelfAdjointEigenSolver<Matrix> eigen(w);
      const double largest = eigen.eigenvalues().maxCoeff();
      const Vector inverse = eigen.eigenvalues().unaryExpr(
          [&](double value) { return largest > 0.0 && value > kSingularBlock * largest ? 1.0 / value : 0.0; });
      inverses.emplace_back(eigen.eigenvectors() * inverse.asDiagonal() * eigen.eigenvectors().transpose());
    }
    return inverses;
  }
};

}  // namespace

std::unique_ptr<ContactSolver> makePcg(OptionReader&) { return std::make_unique<Pcg>(); }

}  // namespace cairn
