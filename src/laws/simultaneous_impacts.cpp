// One compression and one expansion for all contacts.
//
// Poisson's expansion needs friction that belongs to the normal impulse e lambda_c + x, where only x >= 0 is unknown. The
// disc of radius mu (e lambda_c + x) is the sum of one of radius mu x, which is the contact's own, and one of fixed radius
// mu e lambda_c; both resist the same slip. The second is put as a block beside the contact, with the same tangents and law,
// whose normal row moves nothing: compliance G and bias -G e lambda_c leave it no other impulse than e lambda_c. Boxes and
// pyramids are sums in the same way.
#include "laws/impacts_detail.hpp"

namespace cairn {

namespace {

constexpr int kHalvings = 30;           // of the common factor on all e
constexpr double kEnergyRounding = 10;  // gain of energy over all work done that counts as none, in tolerances

bool isContactBlock(const Block& block) { return block.law != Law::Free; }

class Simultaneous {
 public:
  Simultaneous(const ContactProblem& problem, std::span<const ImpactParameters> parameters, const std::string& solver,
               double tolerance)
      : problem_(problem),
        parameters_(parameters),
        solver_(solver),
        tolerance_(tolerance),
        before_(problem.b()),
        speed_(before_.size() > 0 ? before_.cwiseAbs().maxCoeff() : 0.0) {
    for (std::size_t i = 0; i < problem.blocks().size(); ++i)
      poisson_ |=
          isContactBlock(problem.blocks()[i]) && parameters[i].law == ImpactLaw::Poisson && parameters[i].restitution > 0.0;
  }

  // All impulses, with restitutions times `factor`. Empty if that went well, else what to tell people.
  std::string solve(double factor, Vector& impulse) {
    if (!poisson_) return solveBy(solver_, tolerance_, speed_, ContactProblem(withNewton(problem_.data(), factor)), impulse);
    if (compression_.size() == 0) {
      const std::string trouble = solveBy(solver_, tolerance_, speed_, problem_, compression_);
      if (!trouble.empty()) return "compression: " + trouble;
    }
    const Vector given = expansionGiven(factor);
    const ContactProblem expansion(withFriction(withNewton(continuedAfter(problem_, compression_ + given), factor), given));
    Vector found;
    const std::string trouble = solveBy(solver_, tolerance_, speed_, expansion, found);
    impulse = compression_ + given + found.head(problem_.rows());
    int extra = problem_.rows();
    for (const Block& block : problem_.blocks()) {
      if (!hasFrictionOfItsOwn(block, given)) continue;
      impulse.segment(block.first + 1, block.size - 1) += found.segment(extra + 1, block.size - 1);
      extra += block.size;
    }
    return trouble.empty() ? trouble : "expansion: " + trouble;
  }

  const Vector& before() const { return before_; }

 private:
  // v_n+ + e min(0, v_n-) instead of v_n+.
  ProblemData withNewton(ProblemData data, double factor) const {
    for (std::size_t i = 0; i < data.blocks.size(); ++i) {
      const Block& block = data.blocks[i];
      if (isContactBlock(block) && parameters_[i].law == ImpactLaw::Newton)
        data.bias[block.first] += factor * parameters_[i].restitution * std::min(0.0, before_[block.first]);
    }
    return data;
  }
  // e lambda_c on the normal rows of Poisson's contacts.
  Vector expansionGiven(double factor) const {
    Vector given = Vector::Zero(problem_.rows());
    for (std::size_t i = 0; i < problem_.blocks().size(); ++i) {
      const Block& block = problem_.blocks()[i];
      if (isContactBlock(block) && parameters_[i].law == ImpactLaw::Poisson)
        given[block.first] = factor * parameters_[i].restitution * std::max(0.0, compression_[block.first]);
    }
    return given;
  }
  static bool hasFrictionOfItsOwn(const Block& block, const Vector& given) {
    return isContact(block.law) && given[block.first] > 0.0;
  }
  ProblemData withFriction(ProblemData data, const Vector& given) const {
    std::vector<Block> added;
    std::vector<int> source;
    int rows = problem_.rows();
    for (std::size_t i = 0; i < problem_.blocks().size(); ++i) {
      Block block = problem_.blocks()[i];
      if (!hasFrictionOfItsOwn(block, given)) continue;
      source.push_back(static_cast<int>(i));
      block.first = rows;
      rows += block.size;
      added.push_back(block);
    }
    data.bias.conservativeResizeLike(Vector::Zero(rows));
    data.compliance.conservativeResizeLike(Vector::Zero(rows));
    data.lower.resize(0);  // intervals are all from 0 to infinity
    data.upper.resize(0);
    std::vector<int> sourceRow(problem_.rows());  // whose velocity a row looks at; -1: none
    for (int row = 0; row < problem_.rows(); ++row) sourceRow[row] = row;
    for (std::size_t k = 0; k < added.size(); ++k) {
      const Block& block = added[k];
      const int first = problem_.blocks()[source[k]].first;
      const double compliance = problem_.diagonal(source[k])(0, 0);
      data.compliance[block.first] = compliance;
      data.bias[block.first] = -compliance * given[first];
      sourceRow.push_back(-1);
      for (int r = 1; r < block.size; ++r) sourceRow.push_back(first + r);
      data.blocks.push_back(block);
      if (!problem_.hasBodies()) continue;
      for (int r = 1; r < block.size; ++r) data.bias[block.first + r] = data.bias[first + r];
      BlockJacobian jacobian = data.jacobians[source[k]];
      if (jacobian.partA.rows() > 0) jacobian.partA.row(0).setZero();
      if (jacobian.partB.rows() > 0) jacobian.partB.row(0).setZero();
      data.jacobians.push_back(jacobian);
    }
    if (!problem_.hasBodies()) copyRows(data, sourceRow);
    return data;
  }
  static void copyRows(ProblemData& data, const std::vector<int>& sourceRow) {
    const int rows = static_cast<int>(sourceRow.size());
    std::vector<std::vector<int>> copies(data.delassus.rows());
    for (int row = 0; row < rows; ++row)
      if (sourceRow[row] >= 0) copies[sourceRow[row]].push_back(row);
    std::vector<Eigen::Triplet<double>> entries;
    for (int row = 0; row < data.delassus.rows(); ++row)
      for (SparseMatrix::InnerIterator entry(data.delassus, row); entry; ++entry)
        for (const int r : copies[row])
          for (const int c : copies[entry.col()]) entries.emplace_back(r, c, entry.value());
    for (int row = static_cast<int>(data.delassus.rows()); row < rows; ++row)
      if (sourceRow[row] >= 0) data.bias[row] = data.bias[sourceRow[row]];
    data.delassus.resize(rows, rows);
    data.delassus.setFromTriplets(entries.begin(), entries.end());
  }

  const ContactProblem& problem_;
  std::span<const ImpactParameters> parameters_;
  const std::string& solver_;
  double tolerance_;
  Vector before_;       // m/s, of the rows
  double speed_;        // m/s, the fastest of them
  Vector compression_;  // N s; empty until it is needed
  bool poisson_ = false;
};

std::string_view nameOfLaw(ImpactLaw law) { return law == ImpactLaw::Stronge ? "Stronge's" : "Chatterjee and Ruina's"; }

}  // namespace

ImpactsResult simultaneousImpacts(const ContactProblem& problem, std::span<const ImpactParameters> parameters,
                                  const std::string& solver, double tolerance) {
  ImpactsResult result;
  result.impulse = Vector::Zero(problem.rows());
  const std::vector<Block>& blocks = problem.blocks();
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const ImpactLaw law = parameters[i].law;
    if (!isContactBlock(blocks[i]) || law == ImpactLaw::Newton || law == ImpactLaw::Poisson) continue;
    result.message = "block " + std::to_string(i) + ": " + std::string(nameOfLaw(law)) +
                     " law is one of single impacts; choose the order sequential, or Newton's or Poisson's law";
    return result;
  }

  Simultaneous model(problem, parameters, solver, tolerance);
  // Empty if impulses were found that do not gain energy, else why not.
  const auto attempt = [&](double factor, Vector& impulse) -> std::string {
    const std::string trouble = model.solve(factor, impulse);
    if (!trouble.empty()) return trouble;
    const Vector velocity = problem.velocity(impulse);
    const double allowed = kEnergyRounding * tolerance * workDone(impulse, model.before(), velocity);
    return energyGained(impulse, model.before(), velocity) > allowed ? "kinetic energy would have risen" : "";
  };
  const std::string objection = attempt(1.0, result.impulse);
  if (!objection.empty()) {
    // Without restitution the problem has a solution, and that never gains energy. With it there may be neither: friction
    // can wedge contacts that must part at given speeds. The largest factor that works is looked for between 0 and 1.
    result.message = attempt(0.0, result.impulse);
    if (!result.message.empty()) {
      result.impulse.setZero();
      return result;
    }
    double high = 1.0;
    result.restitutionFactor = 0.0;
    Vector impulse;
    for (int i = 0; i < kHalvings; ++i) {
      const double factor = 0.5 * (result.restitutionFactor + high);
      if (attempt(factor, impulse).empty()) {
        result.restitutionFactor = factor;
        result.impulse = impulse;
      } else {
        high = factor;
      }
    }
    result.message = "restitution was scaled by " + std::to_string(result.restitutionFactor) + ": " + objection;
  }
  const Vector after = problem.velocity(result.impulse);
  result.energyChange = energyGained(result.impulse, model.before(), after);
  result.ok = result.impulse.allFinite();
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const Block& block = blocks[i];
    if (!isContactBlock(block) || !(result.impulse[block.first] > 0.0)) continue;
    const BlockVector impulse = result.impulse.segment(block.first, block.size);
    const BlockVector speeds = model.before().segment(block.first, block.size) + after.segment(block.first, block.size);
    result.events.push_back({static_cast<int>(i), -model.before()[block.first], impulse, 0.5 * impulse.dot(speeds)});
    ++result.collisions;
  }
  return result;
}

}  // namespace cairn
