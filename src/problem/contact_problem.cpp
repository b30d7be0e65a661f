#include "cairn/contact_problem.hpp"

#include <numeric>

namespace cairn {

std::string_view nameOf(Law law) {
  constexpr std::array<std::string_view, kLawCount> names{"free", "interval", "box", "pyramid", "cone"};
  return names[static_cast<int>(law)];
}

namespace {

[[noreturn]] void refuse(const ProblemData& data, const std::string& field, const std::string& what) {
  throw std::invalid_argument((data.name.empty() ? "contact problem: " : "contact problem \"" + data.name + "\": ") + field +
                              ": " + what);
}

std::string at(const std::string& field, int index) { return field + "[" + std::to_string(index) + "]"; }

void checkBlock(const ProblemData& data, int index) {
  const Block& block = data.blocks[index];
  const std::string field = at("blocks", index);
  if (block.size < 1 || block.size > kMostBlockRows)
    refuse(data, field + ".size", "found " + std::to_string(block.size) + "; allowed: 1 to 6 rows");
  if (block.group < 0) refuse(data, field + ".group", "found a negative number; allowed: 0 or more");
  if (!isContact(block.law)) return;
  if (block.size != 2 && block.size != 3)
    refuse(data, field + ".size",
           "found " + std::to_string(block.size) + "; a " + std::string(nameOf(block.law)) +
               " has a normal and one or two tangents; allowed: 2 or 3 rows");
  for (const double mu : block.friction)
    if (!(mu >= 0.0) || !std::isfinite(mu)) refuse(data, field + ".friction", "must be a finite number, at least 0");
  if (block.law == Law::Pyramid && block.size == 3 && (block.facets < 4 || block.facets % 2 != 0 || block.facets > 1024))
    refuse(data, field + ".facets", "found " + std::to_string(block.facets) + "; allowed: an even number from 4 to 1024");
}

// Fills in what was left out, and makes sure that the rest fits.
void fillIn(const ProblemData& data, const char* field, Vector& vector, Eigen::Index size, double missing) {
  if (vector.size() == 0) vector = Vector::Constant(size, missing);
  if (vector.size() != size)
    refuse(data, field, "has " + std::to_string(vector.size()) + " numbers; expected " + std::to_string(size));
}

void requireFinite(const ProblemData& data, const char* field, const Vector& vector) {
  for (Eigen::Index i = 0; i < vector.size(); ++i)
    if (!std::isfinite(vector[i])) refuse(data, at(field, static_cast<int>(i)), "is not a finite number");
}

void checkBodies(ProblemData& data) {
  const int bodies = data.inverseMass->bodies();
  fillIn(data, "free_velocity", data.freeVelocity, 6 * bodies, 0.0);
  requireFinite(data, "free_velocity", data.freeVelocity);
  if (data.jacobians.size() != data.blocks.size())
    refuse(data, "jacobians",
           "has " + std::to_string(data.jacobians.size()) + "; expected one for each of the " +
               std::to_string(data.blocks.size()) + " blocks");
  for (std::size_t i = 0; i < data.blocks.size(); ++i) {
    const BlockJacobian& jacobian = data.jacobians[i];
    const std::string field = at("jacobians", static_cast<int>(i));
    if (jacobian.a >= 0 && jacobian.a == jacobian.b) refuse(data, field, "names the same body twice");
    const auto check = [&](int body, const BlockJacobian::Part& part) {
      if (body < -1 || body >= bodies)
        refuse(data, field, "names body " + std::to_string(body) + "; allowed: -1 to " + std::to_string(bodies - 1));
      if (part.rows() != (body < 0 ? 0 : data.blocks[i].size)) refuse(data, field, "has the wrong number of rows");
      if (!part.allFinite()) refuse(data, field, "has a number that is not finite");
    };
    check(jacobian.a, jacobian.partA);
    check(jacobian.b, jacobian.partB);
  }
  for (int body = 0; body < bodies; ++body)
    if (!data.inverseMass->block(body).allFinite())
      refuse(data, at("inverse_mass", body), "has a number that is not finite");
}

void checkMatrix(const ProblemData& data, int rows) {
  if (data.delassus.rows() != rows || data.delassus.cols() != rows)
    refuse(data, "delassus",
           "is " + std::to_string(data.delassus.rows()) + " x " + std::to_string(data.delassus.cols()) + "; expected " +
               std::to_string(rows) + " x " + std::to_string(rows));
  for (int row = 0; row < rows; ++row)
    for (SparseMatrix::InnerIterator entry(data.delassus, row); entry; ++entry)
      if (!std::isfinite(entry.value())) refuse(data, at("delassus", row), "has a number that is not finite");
}

}  // namespace

ContactProblem::ContactProblem(ProblemData data) : data_(std::move(data)) {
  for (std::size_t i = 0; i < data_.blocks.size(); ++i) {
    checkBlock(data_, static_cast<int>(i));
    if (data_.blocks[i].first != rows_)
      refuse(data_, at("blocks", static_cast<int>(i)) + ".first",
             "found " + std::to_string(data_.blocks[i].first) + "; expected " + std::to_string(rows_));
    rows_ += data_.blocks[i].size;
  }
  fillIn(data_, "lower", data_.lower, rows_, 0.0);
  fillIn(data_, "upper", data_.upper, rows_, std::numeric_limits<double>::infinity());
  fillIn(data_, "bias", data_.bias, rows_, 0.0);
  fillIn(data_, "compliance", data_.compliance, rows_, 0.0);
  fillIn(data_, "warm_start", data_.warmStart, rows_, 0.0);
  requireFinite(data_, "bias", data_.bias);
  requireFinite(data_, "compliance", data_.compliance);
  requireFinite(data_, "warm_start", data_.warmStart);
  for (int i = 0; i < rows_; ++i) {
    if (data_.compliance[i] < 0.0) refuse(data_, at("compliance", i), "is negative");
    if (!(data_.lower[i] <= data_.upper[i])) refuse(data_, at("lower", i), "is above upper, or not a number");
    if (data_.lower[i] == data_.upper[i] && std::isinf(data_.lower[i]))
      refuse(data_, at("lower", i), "is infinite like upper");
  }
  if (!(data_.speedFloor >= 0.0) || !std::isfinite(data_.speedFloor)) refuse(data_, "speed_floor", "must be at least 0");

  if (hasBodies()) {
    checkBodies(data_);
  } else {
    checkMatrix(data_, rows_);
  }

  b_ = data_.bias;
  diagonal_.resize(data_.blocks.size());
  for (std::size_t i = 0; i < data_.blocks.size(); ++i) {
    const Block& block = data_.blocks[i];
    BlockMatrix& w = diagonal_[i];
    w = BlockMatrix::Zero(block.size, block.size);
    if (hasBodies()) {
      const BlockJacobian& jacobian = data_.jacobians[i];
      const auto add = [&](int body, const BlockJacobian::Part& part) {
        if (body < 0) return;
        b_.segment(block.first, block.size) += part * data_.freeVelocity.segment<6>(6 * body);
        w += part * data_.inverseMass->block(body) * part.transpose();
      };
      add(jacobian.a, jacobian.partA);
      add(jacobian.b, jacobian.partB);
    } else {
      for (int r = 0; r < block.size; ++r)
        for (SparseMatrix::InnerIterator entry(data_.delassus, block.first + r); entry; ++entry)
          if (entry.col() >= block.first && entry.col() < block.first + block.size)
            w(r, entry.col() - block.first) += entry.value();
    }
    w.diagonal() += data_.compliance.segment(block.first, block.size);
  }
  if (hasBodies() && data_.inverseMass->couplesBodies()) {
    // Two bodies of one tree also act on each other: the diagonal blocks come from the assembled matrix.
    const SparseMatrix& w = delassus();
    for (std::size_t i = 0; i < data_.blocks.size(); ++i)
      diagonal_[i] =
          Matrix(w.block(data_.blocks[i].first, data_.blocks[i].first, data_.blocks[i].size, data_.blocks[i].size));
  }
}

ContactProblem::~ContactProblem() = default;

bool ContactProblem::uses(Law law) const {
  return std::any_of(data_.blocks.begin(), data_.blocks.end(), [&](const Block& block) { return block.law == law; });
}

bool ContactProblem::isSymmetric() const {
  if (hasBodies() || rows_ == 0) return true;
  const SparseMatrix transposed = data_.delassus.transpose();
  return (data_.delassus - transposed).norm() <= 1e-12 * data_.delassus.norm();
}

namespace {

// momentum += J^T impulse
void pushBodies(const ProblemData& data, const Vector& impulse, Vector& momentum) {
  for (std::size_t i = 0; i < data.blocks.size(); ++i) {
    const BlockJacobian& jacobian = data.jacobians[i];
    const auto part = impulse.segment(data.blocks[i].first, data.blocks[i].size);
    if (jacobian.a >= 0) momentum.segment<6>(6 * jacobian.a).noalias() += jacobian.partA.transpose() * part;
    if (jacobian.b >= 0) momentum.segment<6>(6 * jacobian.b).noalias() += jacobian.partB.transpose() * part;
  }
}

}  // namespace

void ContactProblem::multiply(const Vector& impulse, Vector& out) const {
  if (!hasBodies()) {
    out.noalias() = data_.delassus * impulse;
    out += data_.compliance.cwiseProduct(impulse);
    return;
  }
  Vector momentum = Vector::Zero(6 * data_.inverseMass->bodies());
  pushBodies(data_, impulse, momentum);
  Vector velocity;
  data_.inverseMass->apply(momentum, velocity);
  out = data_.compliance.cwiseProduct(impulse);
  for (std::size_t i = 0; i < data_.blocks.size(); ++i) {
    const BlockJacobian& jacobian = data_.jacobians[i];
    auto part = out.segment(data_.blocks[i].first, data_.blocks[i].size);
    if (jacobian.a >= 0) part.noalias() += jacobian.partA * velocity.segment<6>(6 * jacobian.a);
    if (jacobian.b >= 0) part.noalias() += jacobian.partB * velocity.segment<6>(6 * jacobian.b);
  }
}

Vector ContactProblem::velocity(const Vector& impulse) const {
  Vector out;
  multiply(impulse, out);
  return out + b_;
}

Vector ContactProblem::bodyVelocity(const Vector& impulse) const {
  if (!hasBodies()) throw std::invalid_argument("bodyVelocity: a problem given by its matrix has no bodies");
  Vector momentum = Vector::Zero(6 * data_.inverseMass->bodies());
  pushBodies(data_, impulse, momentum);
  Vector change;
  data_.inverseMass->apply(momentum, change);
  return data_.freeVelocity + change;
}

const SparseMatrix& ContactProblem::delassus() const {
  std::call_once(assembled_, [this] {
    std::vector<Eigen::Triplet<double>> entries;
    if (!hasBodies()) {
      delassus_ = data_.delassus;
    } else if (data_.inverseMass->couplesBodies()) {
      SparseMatrix j(rows_, 6 * data_.inverseMass->bodies());
      for (std::size_t i = 0; i < data_.blocks.size(); ++i) {
        const auto add = [&](int body, const BlockJacobian::Part& part) {
          for (int r = 0; r < part.rows(); ++r)
            for (int c = 0; c < 6; ++c) entries.emplace_back(data_.blocks[i].first + r, 6 * body + c, part(r, c));
        };
        add(data_.jacobians[i].a, data_.jacobians[i].partA);
        add(data_.jacobians[i].b, data_.jacobians[i].partB);
      }
      j.setFromTriplets(entries.begin(), entries.end());
      const SparseMatrix minvJt = data_.inverseMass->matrix() * SparseMatrix(j.transpose());
      delassus_ = j * minvJt;
      entries.clear();
    } else {
      // Blocks that share a body act on each other through it, and only so.
      struct Touch {
        int block;
        const BlockJacobian::Part* part;
      };
      std::vector<std::vector<Touch>> touches(data_.inverseMass->bodies());
      for (std::size_t i = 0; i < data_.blocks.size(); ++i) {
        const BlockJacobian& jacobian = data_.jacobians[i];
        if (jacobian.a >= 0) touches[jacobian.a].push_back({static_cast<int>(i), &jacobian.partA});
        if (jacobian.b >= 0) touches[jacobian.b].push_back({static_cast<int>(i), &jacobian.partB});
      }
      for (std::size_t body = 0; body < touches.size(); ++body) {
        const Mat6 inverseMass = data_.inverseMass->block(static_cast<int>(body));
        for (const Touch& column : touches[body]) {
          const Eigen::Matrix<double, 6, Eigen::Dynamic, 0, 6, 6> t = inverseMass * column.part->transpose();
          for (const Touch& row : touches[body]) {
            const BlockMatrix w = *row.part * t;
            for (int r = 0; r < w.rows(); ++r)
              for (int c = 0; c < w.cols(); ++c)
                entries.emplace_back(data_.blocks[row.block].first + r, data_.blocks[column.block].first + c, w(r, c));
          }
        }
      }
      delassus_.resize(rows_, rows_);
      delassus_.setFromTriplets(entries.begin(), entries.end());
      entries.clear();
    }
    for (int i = 0; i < rows_; ++i) entries.emplace_back(i, i, data_.compliance[i]);
    SparseMatrix gamma(rows_, rows_);
    gamma.setFromTriplets(entries.begin(), entries.end());
    delassus_ += gamma;  // also makes sure that every diagonal entry is there
    delassus_.makeCompressed();
  });
  return delassus_;
}

Matrix ContactProblem::denseDelassus() const { return Matrix(delassus()); }

std::unique_ptr<ContactProblem> ContactProblem::restricted(std::span<const int> chosen, const Vector& impulse) const {
  ProblemData data;
  data.name = data_.name;
  data.speedFloor = data_.speedFloor;
  data.groupSolvers = data_.groupSolvers;
  std::vector<int> oldRow;
  Vector others = impulse;
  for (const int index : chosen) {
    Block block = data_.blocks[index];
    for (int r = 0; r < block.size; ++r) oldRow.push_back(block.first + r);
    others.segment(block.first, block.size).setZero();
    block.first = static_cast<int>(oldRow.size()) - block.size;
    data.blocks.push_back(block);
    if (hasBodies()) data.jacobians.push_back(data_.jacobians[index]);
  }
  const auto pick = [&](const Vector& all) {
    Vector picked(oldRow.size());
    for (std::size_t i = 0; i < oldRow.size(); ++i) picked[i] = all[oldRow[i]];
    return picked;
  };
  data.lower = pick(data_.lower);
  data.upper = pick(data_.upper);
  data.compliance = pick(data_.compliance);
  data.warmStart = pick(impulse);
  if (hasBodies()) {
    data.bias = pick(data_.bias);
    data.inverseMass = data_.inverseMass;
    data.freeVelocity = bodyVelocity(others);
  } else {
    data.bias = pick(velocity(others));
    std::vector<int> newRow(rows_, -1);
    for (std::size_t i = 0; i < oldRow.size(); ++i) newRow[oldRow[i]] = static_cast<int>(i);
    std::vector<Eigen::Triplet<double>> entries;
    for (std::size_t i = 0; i < oldRow.size(); ++i)
      for (SparseMatrix::InnerIterator entry(data_.delassus, oldRow[i]); entry; ++entry)
        if (newRow[entry.col()] >= 0) entries.emplace_back(static_cast<int>(i), newRow[entry.col()], entry.value());
    data.delassus.resize(static_cast<int>(oldRow.size()), static_cast<int>(oldRow.size()));
    data.delassus.setFromTriplets(entries.begin(), entries.end());
  }
  return std::make_unique<ContactProblem>(std::move(data));
}

}  // namespace cairn
