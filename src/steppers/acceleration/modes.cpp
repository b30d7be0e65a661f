#include "steppers/acceleration/modes.hpp"

#include "mechanics/solve_islands.hpp"

namespace cairn {

namespace {

constexpr double kFeasible = 1e-9;       // of the largest force: how far forces may break their laws when modes are decided
constexpr double kLoaded = 1e-9;         // of the largest force: less is none
constexpr double kSlipFromRest = 1e-9;   // of the loads' acceleration: less is none
constexpr double kSingularSlope = 1e-9;  // p over W_nn that counts as zero
constexpr double kSolverTolerance = 1e-10;
constexpr double kPyramidTolerance = 1e-8;
constexpr int kSolverIterations = 2000;
constexpr int kPyramidFacets = 16;

// Unknown forces of given modes: a column of J^T combinations each, and the row that it has to keep at rest.
struct ModeUnknowns {
  std::vector<int> rows;
  std::vector<double> slope;  // mu of a normal that carries its friction along; else 0
};

ModeUnknowns unknownsOf(const RowSet& rows, const std::vector<ActiveContact>& contacts) {
  ModeUnknowns unknowns;
  const auto add = [&](int row, double slope) {
    unknowns.rows.push_back(row);
    unknowns.slope.push_back(slope);
  };
  for (int i = 0; i < rows.jointRows(); ++i) add(i, 0.0);
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    const bool slides = contacts[c].mode == ContactMode::Slide;
    add(rows.normal(c), slides ? contacts[c].friction : 0.0);
    for (int k = 1; k < 3 && !slides; ++k) add(rows.normal(c) + k, 0.0);
  }
  return unknowns;
}

// Rows that belong to unknown forces x, as forces of all rows: a slider's friction goes along.
Vector spread(const ModeUnknowns& unknowns, const Vector& x, int count) {
  Vector lambda = Vector::Zero(count);
  for (std::size_t k = 0; k < unknowns.rows.size(); ++k) {
    lambda[unknowns.rows[k]] += x[static_cast<Eigen::Index>(k)];
    if (unknowns.slope[k] != 0.0) lambda[unknowns.rows[k] + 1] -= unknowns.slope[k] * x[static_cast<Eigen::Index>(k)];
  }
  return lambda;
}

Vector referenceOf(const RowSet& rows, const std::vector<ActiveContact>& contacts, const ModeUnknowns& unknowns) {
  Vector x = Vector::Zero(static_cast<Eigen::Index>(unknowns.rows.size()));
  for (std::size_t k = 0; k < unknowns.rows.size(); ++k) {
    const int row = unknowns.rows[k] - rows.jointRows();
    if (row < 0) continue;
    const ActiveContact& contact = contacts[row / 3];
    x[static_cast<Eigen::Index>(k)] =
        row % 3 == 0 ? contact.normalReference : rows.frames[row / 3].axes.col(row % 3).dot(contact.frictionReference);
  }
  return x;
}

Vector solveModes(const Matrix& w, const Vector& b, const RowSet& rows, const std::vector<ActiveContact>& contacts) {
  const ModeUnknowns unknowns = unknownsOf(rows, contacts);
  const Eigen::Index n = static_cast<Eigen::Index>(unknowns.rows.size());
  Matrix a(n, n);
  Vector right(n), scale(n);
  for (Eigen::Index i = 0; i < n; ++i) {
    const int row = unknowns.rows[i];
    right[i] = -b[row];
    scale[i] = w(row, row);
    for (Eigen::Index j = 0; j < n; ++j) {
      const int column = unknowns.rows[j];
      a(i, j) = w(row, column);
      if (unknowns.slope[j] != 0.0) a(i, j) -= unknowns.slope[j] * w(row, column + 1);
    }
  }
  const Vector reference = referenceOf(rows, contacts, unknowns);
  const Vector x = reference + leastNorm(a, right - a * reference, scale);
  return spread(unknowns, x, rows.count());
}

// With what the forces do to the bodies.
Forces finished(const SmoothIsland& island, const IslandState& state, RowSet rows, const Vector& lambda,
                const Vector& freeAcceleration) {
  Forces forces;
  forces.acceleration = freeAcceleration + IslandMass(island, state).push(rows, lambda);
  forces.rows = std::move(rows);
  forces.lambda = lambda;
  return forces;
}

}  // namespace

Forces forcesOf(const SmoothIsland& island, const IslandState& state, const std::vector<ActiveContact>& contacts,
                const Tolerances& tolerances) {
  const Vector free = island.freeAcceleration(state);
  RowSet rows = makeRows(island, state, contacts, tolerances.speed, true);
  if (rows.count() == 0) return {std::move(rows), Vector(), free};
  const Vector b = along(rows, free) + rows.drift;
  const Vector lambda = solveModes(IslandMass(island, state).delassus(rows), b, rows, contacts);
  return finished(island, state, std::move(rows), lambda, free);
}

namespace {

double largestForce(const Forces& forces, const Tolerances& tolerances) {
  double largest = tolerances.force;
  for (std::size_t c = 0; c < forces.rows.frames.size(); ++c)
    largest = std::max(largest, std::abs(forces.lambda[forces.rows.normal(c)]));
  return largest;
}

}  // namespace

double normalReserve(const Forces& forces, std::size_t contact, const Tolerances& tolerances) {
  return forces.lambda[forces.rows.normal(contact)] / largestForce(forces, tolerances);
}

double stickReserve(const Forces& forces, std::size_t contact, double friction, const Tolerances& tolerances) {
  const int n = forces.rows.normal(contact);
  return (friction * forces.lambda[n] - forces.lambda.segment<2>(n + 1).norm()) / largestForce(forces, tolerances);
}

ContactMobility mobilityOf(const Matrix& w, const RowSet& rows, std::size_t contact) {
  const int n = rows.normal(contact), joints = rows.jointRows();
  ContactMobility mobility;
  mobility.w = w.block<3, 3>(n, n);
  mobility.jointAnswer = Matrix::Zero(joints, 3);
  if (joints == 0) return mobility;
  for (int k = 0; k < 3; ++k)
    mobility.jointAnswer.col(k) =
        leastNorm(w.topLeftCorner(joints, joints), -w.block(0, n + k, joints, 1), w.diagonal().head(joints));
  mobility.w += w.block(n, 0, 3, joints) * mobility.jointAnswer;
  return mobility;
}

namespace {

class Decider {
 public:
  Decider(const SmoothIsland& island, const IslandState& state, const std::vector<ActiveContact>& touching,
          const Tolerances& tolerances)
      : island_(island), touching_(touching), tolerances_(tolerances), free_(island.freeAcceleration(state)) {
    rows_ = makeRows(island, state, touching, tolerances.speed, true);
    w_ = IslandMass(island, state).delassus(rows_);
    b_ = along(rows_, free_) + rows_.drift;
    loads_ = std::max(tolerances.acceleration, b_.size() > 0 ? b_.cwiseAbs().maxCoeff() : 0.0);
  }

  Decision decide() {
    Decision decision;
    if (touching_.empty()) return decision;
    findSlopes();
    if (backwards_.empty()) {
      // Most often everything that touches goes on touching.
      const Vector lambda = solveModes(w_, b_, rows_, touching_);
      if (isFeasible(lambda, touching_)) {
        decision.contacts = touching_;
        return decision;
      }
    }
    Vector lambda;
    if (!solveComplementarity(lambda)) return blame(std::move(decision));
    const Vector acceleration = w_ * lambda + b_;
    for (const std::size_t c : backwards_) {
      if (acceleration[rows_.normal(c)] < -kSlipFromRest * loads_) {
        decision.verdict = Verdict::Inconsistent;
        decision.culprit = touching_[c];
        decision.note = "no force keeps " + nameOf(c) + " from accelerating into each other";
        return decision;
      }
      decision.note = "both pushing and opening are solutions for " + nameOf(c) + ": they open";
    }
    classify(lambda, acceleration, decision);
    return decision;
  }

 private:
  std::string nameOf(std::size_t contact) const {
    const IslandPair& pair = island_.pairs()[touching_[contact].pair];
    return "bodies " + std::to_string(pair.bodyA) + " and " + std::to_string(pair.bodyB);
  }
  bool rubs(std::size_t contact) const {
    return touching_[contact].mode == ContactMode::Slide && touching_[contact].friction > 0.0;
  }

  void findSlopes() {
    slope_.assign(touching_.size(), 1.0);
    for (std::size_t c = 0; c < touching_.size(); ++c) {
      if (!rubs(c)) continue;
      const Mat3 w = mobilityOf(w_, rows_, c).w;
      if (!(w(0, 0) > 0.0)) continue;
      slope_[c] = 1.0 - touching_[c].friction * w(0, 1) / w(0, 0);
      if (slope_[c] <= kSingularSlope) backwards_.push_back(c);
    }
  }
  bool isBackwards(std::size_t contact) const {
    return std::find(backwards_.begin(), backwards_.end(), contact) != backwards_.end();
  }

  bool isFeasible(const Vector& lambda, const std::vector<ActiveContact>& contacts) const {
    double largest = tolerances_.force / kLoaded;
    for (std::size_t c = 0; c < contacts.size(); ++c) largest = std::max(largest, std::abs(lambda[rows_.normal(c)]));
    for (std::size_t c = 0; c < contacts.size(); ++c) {
      const int n = rows_.normal(c);
      if (!(lambda[n] >= kLoaded * largest)) return false;
      if (contacts[c].mode == ContactMode::Stick &&
          !(lambda.segment<2>(n + 1).norm() <= contacts[c].friction * lambda[n] + kFeasible * largest))
        return false;
    }
    // Rows that contradict each other have no solution, only a least-squares one.
    const Vector rest = w_ * lambda + b_;
    for (std::size_t c = 0; c < contacts.size(); ++c)
      if (std::abs(rest[rows_.normal(c)]) > 1e-7 * loads_) return false;
    return true;
  }

  // Joints, then contacts but those that push backwards. Sliders are one row whose column carries friction along.
  bool solveComplementarity(Vector& lambda) const {
    ProblemData data;
    std::vector<int> source;
    std::vector<double> slope;
    const auto add = [&](int first, int size, Law law) {
      Block block;
      block.law = law;
      block.first = static_cast<int>(source.size());
      block.size = size;
      for (int k = 0; k < size; ++k) {
        source.push_back(first + k);
        slope.push_back(0.0);
      }
      data.blocks.push_back(block);
    };
    for (std::size_t j = 0; j + 1 < rows_.firstOfJoint.size(); ++j)
      add(rows_.firstOfJoint[j], rows_.firstOfJoint[j + 1] - rows_.firstOfJoint[j], Law::Free);
    for (std::size_t c = 0; c < touching_.size(); ++c) {
      if (isBackwards(c)) continue;
      const bool slides = touching_[c].mode == ContactMode::Slide;
      add(rows_.normal(c), slides ? 1 : 3, slides ? Law::Interval : Law::Cone);
      if (slides) slope.back() = touching_[c].friction;
      if (!slides) data.blocks.back().friction = {touching_[c].friction, touching_[c].friction};
    }
    const Eigen::Index n = static_cast<Eigen::Index>(source.size());
    lambda = Vector::Zero(rows_.count());
    if (n == 0) return true;
    Matrix a(n, n);
    data.bias.resize(n);
    for (Eigen::Index i = 0; i < n; ++i) {
      data.bias[i] = b_[source[i]];
      for (Eigen::Index j = 0; j < n; ++j) {
        a(i, j) = w_(source[i], source[j]);
        if (slope[j] != 0.0) a(i, j) -= slope[j] * w_(source[i], source[j] + 1);
      }
    }
    if (!a.allFinite() || !data.bias.allFinite()) return false;
    data.name = "accelerations";
    data.delassus = a.sparseView();
    data.speedFloor = kSlipFromRest * tolerances_.acceleration;
    Vector x;
    if (!solve(data, x)) return false;
    for (Eigen::Index i = 0; i < n; ++i) {
      lambda[source[i]] += x[i];
      if (slope[i] != 0.0) lambda[source[i] + 1] -= slope[i] * x[i];
    }
    return true;
  }

  // The chosen solver, then Lemke's method with a pyramid in the cone's place.
  bool solve(const ProblemData& data, Vector& x) const {
    const auto attempt = [&](const ContactProblem& problem, const std::string& name, double tolerance) {
      const std::unique_ptr<ContactSolver> solver = makeSolver(name);
      if (!solver->refusal(problem).empty()) return false;
      x = Vector::Zero(problem.rows());
      return solver->solve(problem, {tolerance, kSolverIterations, 0.0}, x).exit == Exit::Converged;
    };
    const ContactProblem round(data);
    if (attempt(round, island_.settings().solver.name, kSolverTolerance)) return true;
    ProblemData facetted = data;
    for (Block& block : facetted.blocks) {
      if (block.law != Law::Cone) continue;
      block.law = Law::Pyramid;
      block.facets = kPyramidFacets;
    }
    return attempt(ContactProblem(facetted), "lemke", kPyramidTolerance) || attempt(round, "auto", kPyramidTolerance);
  }

  // Without a solution: the sliding contact that pushes least upright, if there is one.
  Decision blame(Decision decision) const {
    decision.verdict = Verdict::Unsolved;
    double least = 1.0;
    for (std::size_t c = 0; c < touching_.size(); ++c) {
      if (!rubs(c) || slope_[c] >= least) continue;
      least = slope_[c];
      decision.verdict = Verdict::Inconsistent;
      decision.culprit = touching_[c];
      decision.note = "no forces obey the laws of contact at once, with " + nameOf(c) + " sliding";
    }
    if (decision.verdict == Verdict::Unsolved) decision.note = "no solver found which contacts push";
    return decision;
  }

  void classify(const Vector& lambda, const Vector& acceleration, Decision& decision) const {
    double largest = tolerances_.force / kLoaded;
    for (std::size_t c = 0; c < touching_.size(); ++c) largest = std::max(largest, lambda[rows_.normal(c)]);
    for (std::size_t c = 0; c < touching_.size(); ++c) {
      const int n = rows_.normal(c);
      if (!(lambda[n] > kLoaded * largest)) continue;  // it opens, or others carry all
      ActiveContact contact = touching_[c];
      const Mat3& axes = rows_.frames[c].axes;
      const Eigen::Vector2d slip = acceleration.segment<2>(n + 1);
      const double used = lambda.segment<2>(n + 1).norm();
      if (contact.mode == ContactMode::Stick && slip.norm() > kSlipFromRest * loads_ &&
          used > 0.5 * contact.friction * lambda[n]) {
        contact.mode = ContactMode::Slide;
        contact.direction = axes.rightCols<2>() * slip.normalized();
        contact.slipSpeed = 0.0;
      }
      contact.normalReference = lambda[n];
      contact.frictionReference = axes.rightCols<2>() * lambda.segment<2>(n + 1);
      decision.contacts.push_back(contact);
    }
  }

  const SmoothIsland& island_;
  const std::vector<ActiveContact>& touching_;
  const Tolerances& tolerances_;
  Vector free_;
  RowSet rows_;
  Matrix w_;
  Vector b_;
  double loads_ = 0.0;                  // m/s^2
  std::vector<double> slope_;           // p/W_nn, by contact
  std::vector<std::size_t> backwards_;  // sliders with p <= 0
};

}  // namespace

Decision decideModes(const SmoothIsland& island, const IslandState& state, const std::vector<ActiveContact>& touching,
                     const Tolerances& tolerances) {
  return Decider(island, state, touching, tolerances).decide();
}

}  // namespace cairn
