// Contacts without friction as a nearest-point problem in motion space (Redon §4-5): problem/nearest_point.hpp puts the
// contact problem so, nnls.cpp solves it. What is added here:
//
//   - Lawson and Hanson's y gives lambda = D y/phi, which loses digits when phi is small. On the rows P that ended up active
//     the solution is z = A_P^T l with A_P A_P^T l = d_P: solved again by Q R of A_P^T, with corrections.
//   - phi = 0 comes with a certificate: the rows that no motion can obey together.
//
// Known failures: friction is refused. Of redundant contacts some carry everything and others nothing; the motion is unique,
// the impulses are not. A mass ratio of 1e12 leaves residuals of 1e-8. Needs as many passes as rows carry an impulse at the
// end, unless a warm start names them.
#include "problem/nearest_point.hpp"
#include "solvers/monitor.hpp"
#include "solvers/nnls.hpp"
#include "solvers/registry.hpp"
#include "solvers/updated_qr.hpp"

namespace cairn {

namespace {

constexpr double kInfeasible = 1e8;         // |z| over D that counts as out of reach
constexpr double kGoodEnough = 1e-13;       // relative residual at which nothing is left to polish
constexpr double kDependent = 1e-10;        // part of a row of length 1 outside the span of others, when polishing
constexpr int kCorrections = 4;             // of the polished impulses, at most
constexpr int kMostDenseCoordinates = 24;   // matrix=auto: four bodies and fewer
constexpr double kDenseShare = 0.25;        // matrix=auto: of entries that are not zero
constexpr std::size_t kMostRowsNamed = 6;   // in messages
constexpr int kMostIterations = 1'000'000;  // nearestPoint() has its own limit, by the size of the problem

enum class Storage { Automatic, Sparse, Dense };

struct NnlsOptions {
  Storage matrix = Storage::Automatic;
};

bool isBetterDense(const SparseMatrix& a, Storage storage) {
  if (storage != Storage::Automatic) return storage == Storage::Dense;
  return a.cols() <= kMostDenseCoordinates ||
         static_cast<double>(a.nonZeros()) > kDenseShare * static_cast<double>(a.rows()) * static_cast<double>(a.cols());
}

// The impulses of least motion if just the rows with impulses now are active.
Vector polished(const LeastMotion& motion, const Vector& impulse) {
  UpdatedQr qr(static_cast<int>(motion.a.cols()));
  std::vector<int> rows;
  std::vector<double> lengths;
  for (int i = 0; i < motion.rows(); ++i) {
    if (impulse[i] == 0.0) continue;
    std::vector<int> coordinates;
    std::vector<double> values;
    for (SparseMatrix::InnerIterator entry(motion.a, i); entry; ++entry) {
      coordinates.push_back(static_cast<int>(entry.col()));
      values.push_back(entry.value());
    }
    const double length = Eigen::Map<const Vector>(values.data(), static_cast<Eigen::Index>(values.size())).norm();
    for (double& value : values) value /= length;
    if (!(length > 0.0) || !qr.append(coordinates, values, kDependent)) continue;
    rows.push_back(i);
    lengths.push_back(length);
  }
  Vector better = Vector::Zero(impulse.size());
  for (const int row : rows) better[row] = impulse[row];
  Vector missing(rows.size()), change;
  double last = std::numeric_limits<double>::infinity();
  for (int i = 0; i < kCorrections; ++i) {
    const Vector z = motion.a.transpose() * better;
    const Vector reached = motion.a * z;
    for (std::size_t k = 0; k < rows.size(); ++k) missing[k] = (motion.d[rows[k]] - reached[rows[k]]) / lengths[k];
    if (!(missing.norm() < 0.5 * last)) break;
    last = missing.norm();
    qr.solveNormal(missing, change);
    for (std::size_t k = 0; k < rows.size(); ++k) better[rows[k]] += change[k] / lengths[k];
  }
  for (int i = 0; i < motion.rows(); ++i)
    if (!motion.isFree[i]) better[i] = std::max(better[i], 0.0);
  return better;
}

std::string listOf(const std::vector<int>& rows) {
  std::string list;
  for (std::size_t i = 0; i < rows.size() && i < kMostRowsNamed; ++i) list += (i == 0 ? "" : ", ") + std::to_string(rows[i]);
  if (rows.size() > kMostRowsNamed) list += " and " + std::to_string(rows.size() - kMostRowsNamed) + " more";
  return list;
}

class Nnls final : public ContactSolver {
 public:
  explicit Nnls(const NnlsOptions& options) : options_(options) {}

  std::string_view name() const override { return "nnls"; }

  Capabilities capabilities() const override {
    Capabilities can;
    can.laws[static_cast<int>(Law::Free)] = true;
    can.laws[static_cast<int>(Law::Interval)] = true;
    can.finiteIntervals = false;
    can.unsymmetric = false;
    return can;
  }

 protected:
  int iterationLimit() const override { return kMostIterations; }

  Exit iterate(const ContactProblem& problem, Monitor& monitor, Vector& impulse) override {
    LeastMotion motion;
    try {
      motion = lowerToLeastMotion(problem);
    } catch (const std::invalid_argument& refusal) {  // negative eigenvalues show only here
      monitor.explain(refusal.what());
      return Exit::Unsupported;
    }
    if (motion.isAtRest()) {
      impulse.setZero();
      return Exit::Converged;
    }
    const MotionCone cone = motionCone(motion);
    if (cone.immovable) {
      monitor.explain("nothing can move row " + std::to_string(*cone.immovable) + " as it demands");
      return motion.isFree[*cone.immovable] ? Exit::Inconsistent : Exit::Infeasible;
    }

    const Vector start = impulse;
    // A price p stands for a violation of |a_j| p D/phi, in m/s.
    double longest = 0.0;
    for (const double scale : cone.scale)
      if (scale > 0.0) longest = std::max(longest, 1.0 / scale);
    const double perPrice = longest * cone.d / problem.b().cwiseAbs().maxCoeff();
    bool solved = false;
    NearestPointOptions options;
    options.isFree = motion.isFree;
    options.start = cone.toMultipliers(impulse);
    options.stop = [&](const NearestPointPass& pass) {
      const double phi = pass.remainder[pass.remainder.size() - 1];
      if (phi > 0.0) impulse = cone.toImpulse(pass.lambda, phi);
      solved = monitor.solved(impulse, pass.price * perPrice / phi);
      return solved || monitor.stop();
    };
    const bool dense = isBetterDense(cone.e, options_.matrix);
    const NearestPointResult nearest =
        dense ? nearestPoint(RowMatrix(cone.e), cone.target, options) : nearestPoint(cone.e, cone.target, options);
    if (solved) return Exit::Converged;

    const double phi = 1.0 - nearest.projection[nearest.projection.size() - 1];
    const InfeasibilityCertificate certificate = certifyInfeasible(motion, cone, nearest.lambda);
    if (certificate.least > kInfeasible) {
      impulse = start;
      monitor.explain("no motion obeys these rows together: " + listOf(certificate.rows));
      return certificate.jointsOnly ? Exit::Inconsistent : Exit::Infeasible;
    }
    if (phi > 0.0) impulse = cone.toImpulse(nearest.lambda, phi);
    monitor.judgeNow(impulse);
    const double before = monitor.residual().forTolerance();
    if (before > kGoodEnough) {
      const Vector better = polished(motion, impulse);
      if (better.allFinite() && judge(problem, better).forTolerance() < before) impulse = better;
    }
    return nearest.exit == Exit::TimeLimit ? monitor.exit() : nearest.exit;
  }

 private:
  NnlsOptions options_;
};

}  // namespace

std::unique_ptr<ContactSolver> makeNnls(OptionReader& reader) {
  NnlsOptions options;
  reader.choice("matrix", options.matrix,
                {{"auto", Storage::Automatic}, {"sparse", Storage::Sparse}, {"dense", Storage::Dense}});
  return std::make_unique<Nnls>(options);
}

}  // namespace cairn
