// One impact after the other. Joints stay closed throughout: with joint rows J and contact rows C,
//
//   W' = W_CC - W_CJ W_JJ^+ W_JC,   v' = v_C - W_CJ W_JJ^+ v_J
//
// are what a contact feels (STAR eq. 50-54, see eliminate_joints.cpp). A single impact then changes v' by the columns of W'
// that belong to it. Friction coefficients that differ are scaled out: with S = diag(1, mu_1, mu_2), the impact of S W' S
// and S v' has coefficient 1, and its impulse is S times that.
#include <Eigen/Eigenvalues>

#include "base/stop.hpp"
#include "laws/impacts_detail.hpp"
#include "laws/single_impact.hpp"
#include "problem/lcp.hpp"

namespace cairn {

namespace {

constexpr double kRounding = 1e-12;  // of W' over W: what joints leave of a contact's mobility that counts as nothing

struct Contact {
  int block;
  int row;  // first, of the rows of contacts
  Mat3 w;   // scaled by friction, as single impacts want it
  Vec3 scale;
  bool stuck = false;  // nothing can move it
};

class Sequential {
 public:
  Sequential(const ContactProblem& problem, std::span<const ImpactParameters> parameters)
      : problem_(problem), parameters_(parameters) {
    if (problem.uses(Law::Free)) {
      eliminateAllJoints();
      columns_ = reduced_.lcp.a.transpose().sparseView();
      velocity_ = reduced_.lcp.b;
    } else {
      columns_ = problem.delassus().transpose();
      velocity_ = problem.b();
    }
    impulse_ = Vector::Zero(velocity_.size());
    int row = 0;
    for (std::size_t i = 0; i < problem.blocks().size(); ++i) {
      if (problem.blocks()[i].law == Law::Free) continue;
      contacts_.push_back(makeContact(static_cast<int>(i), row));
      row += problem.blocks()[i].size;
    }
  }

  std::string trouble() const {
    if (reduced_.inconsistent) return "joints contradict each other at row " + std::to_string(*reduced_.inconsistent);
    if (reduced_.singular) return "joints cannot be eliminated at row " + std::to_string(*reduced_.singular);
    return {};
  }
  double fastest() const {
    double speed = 0.0;
    for (const Contact& contact : contacts_) speed = std::max(speed, -velocity_[contact.row]);
    return speed;
  }
  // False if no contact that can move approaches faster than `speed` (m/s).
  bool collide(double speed, bool byBlock, ImpactsResult& result) {
    Contact* chosen = nullptr;
    for (Contact& contact : contacts_) {
      if (contact.stuck || !(-velocity_[contact.row] > speed)) continue;
      speed = -velocity_[contact.row];
      chosen = &contact;
      if (byBlock) break;
    }
    if (chosen == nullptr) return false;
    const Block& block = problem_.blocks()[chosen->block];
    Impact impact;
    impact.w = chosen->w;
    impact.friction = isContact(block.law) ? 1.0 : 0.0;
    impact.law = parameters_[chosen->block].law;
    impact.restitution = parameters_[chosen->block].restitution;
    impact.tangentialRestitution = parameters_[chosen->block].tangentialRestitution;
    for (int r = 0; r < block.size; ++r) impact.velocity[r] = chosen->scale[r] * velocity_[chosen->row + r];
    const ImpactResult found = resolveWithoutGain(impact, result.restitutionFactor);
    if (!found.complete) {
      chosen->stuck = true;
      return true;
    }
    const BlockVector pushed = chosen->scale.cwiseProduct(found.impulse).head(block.size);
    impulse_.segment(chosen->row, block.size) += pushed;
    for (int r = 0; r < block.size; ++r)
      for (SparseMatrix::InnerIterator entry(columns_, chosen->row + r); entry; ++entry)
        velocity_[entry.col()] += entry.value() * pushed[r];
    result.events.push_back({chosen->block, speed, pushed, found.energyChange});
    ++result.collisions;
    return true;
  }
  int stuckBlock(double speed) const {
    for (const Contact& contact : contacts_)
      if (contact.stuck && -velocity_[contact.row] > speed) return contact.block;
    return -1;
  }
  Vector impulse() const { return problem_.uses(Law::Free) ? reduced_.toMixed(impulse_) : impulse_; }

 private:
  void eliminateAllJoints() {
    MixedLcp all;
    all.a = problem_.delassus();
    all.b = problem_.b();
    all.isFree.assign(problem_.rows(), 0);
    for (const Block& block : problem_.blocks())
      for (int r = 0; r < block.size; ++r) all.isFree[block.first + r] = block.law == Law::Free ? 1 : 0;
    all.lift.resize(problem_.rows(), problem_.rows());
    all.lift.setIdentity();
    reduced_ = eliminateJoints(all, problem_.data().speedFloor);
  }
  Contact makeContact(int index, int row) const {
    const Block& block = problem_.blocks()[index];
    Contact contact{index, row, Mat3::Zero(), Vec3::Zero()};
    contact.scale[0] = 1.0;
    if (isContact(block.law))
      for (int r = 1; r < block.size; ++r) contact.scale[r] = block.friction[r - 1];
    contact.w.topLeftCorner(block.size, block.size) = problem_.diagonal(index);
    if (problem_.uses(Law::Free)) {
      contact.w.topLeftCorner(block.size, block.size) = reduced_.lcp.a.block(row, row, block.size, block.size);
      // What is left of W after joints took it away is rounding where they hold the contact: away with it.
      const Eigen::SelfAdjointEigenSolver<Mat3> eigen(Mat3(0.5 * (contact.w + contact.w.transpose())));
      const double noise = kRounding * problem_.diagonal(index).trace();
      const Vec3 values = (eigen.eigenvalues().array() > noise).select(eigen.eigenvalues(), 0.0);
      contact.w = eigen.eigenvectors() * values.asDiagonal() * eigen.eigenvectors().transpose();
      contact.stuck = !(contact.w(0, 0) > noise);
    }
    contact.w = (contact.scale.asDiagonal() * contact.w * contact.scale.asDiagonal()).eval();
    return contact;
  }
  const ContactProblem& problem_;
  std::span<const ImpactParameters> parameters_;
  StandardLcp reduced_;   // without joints: not used
  SparseMatrix columns_;  // of W', as rows
  std::vector<Contact> contacts_;
  Vector velocity_, impulse_;  // of the contacts' rows
};

}  // namespace

ImpactsResult sequentialImpacts(const ContactProblem& problem, std::span<const ImpactParameters> parameters, bool byBlock,
                                const std::string& solver, double tolerance) {
  ImpactsResult result;
  result.impulse = Vector::Zero(problem.rows());
  Sequential sequence(problem, parameters);
  result.message = sequence.trouble();
  if (!result.message.empty()) return result;

  const double fastest = sequence.fastest(), speed = tolerance * fastest;
  while (result.collisions < kMostCollisions && sequence.collide(speed, byBlock, result)) {
    pollStop();
  }
  result.impulse = sequence.impulse();
  const int stuck = sequence.stuckBlock(speed);
  if (stuck >= 0) {
    result.message = "block " + std::to_string(stuck) + " approaches, but nothing can move there";
    return result;
  }
  if (result.restitutionFactor < 1.0)
    result.message =
        "restitution was scaled by " + std::to_string(result.restitutionFactor) + ": kinetic energy would have risen";
  if (result.collisions == kMostCollisions && sequence.fastest() > speed) {
    Vector rest;
    const std::string trouble =
        solveBy(solver, tolerance, fastest, ContactProblem(continuedAfter(problem, result.impulse)), rest);
    result.message =
        "no end after " + std::to_string(kMostCollisions) + " collisions; " +
        (trouble.empty() ? "finished by one plastic impact of all" : "and no plastic impact of all: " + trouble);
    if (!trouble.empty()) return result;
    result.impulse += rest;
  }
  result.energyChange = energyGained(result.impulse, problem.b(), problem.velocity(result.impulse));
  result.ok = result.impulse.allFinite();
  return result;
}

}  // namespace cairn
