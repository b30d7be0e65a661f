#include "steppers/acceleration/projection.hpp"

#include "base/stop.hpp"

namespace cairn {

namespace {

constexpr double kSettled = 1e-14;  // m
constexpr int kPasses = 3;

std::vector<int> heldRows(const RowSet& rows, const std::vector<ActiveContact>& contacts, bool withTangents) {
  std::vector<int> held;
  for (int i = 0; i < rows.jointRows(); ++i) held.push_back(i);
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    held.push_back(rows.normal(c));
    if (!withTangents || contacts[c].mode != ContactMode::Stick) continue;
    held.push_back(rows.normal(c) + 1);
    held.push_back(rows.normal(c) + 2);
  }
  return held;
}

// Impulses of all rows that change the held ones' speeds by `change`.
Vector holding(const Matrix& w, const std::vector<int>& held, const Vector& change) {
  const Matrix part = w(held, held);
  const Vector x = leastNorm(part, change, part.diagonal());
  Vector impulse = Vector::Zero(w.rows());
  for (std::size_t k = 0; k < held.size(); ++k) impulse[held[k]] = x[static_cast<Eigen::Index>(k)];
  return impulse;
}

}  // namespace

void projectSpeeds(const SmoothIsland& island, IslandState& state, const std::vector<ActiveContact>& contacts,
                   double slipTolerance, IslandLoads* loads) {
  if (contacts.empty() && island.joints().empty()) return;
  const RowSet rows = makeRows(island, state, contacts, slipTolerance, false);
  const IslandMass mass(island, state);
  const std::vector<int> held = heldRows(rows, contacts, true);
  const Vector impulse = holding(mass.delassus(rows), held, -rows.speed(held));
  addVelocity(state, mass.push(rows, impulse));
  if (loads != nullptr) addLoads(rows, contacts, impulse, *loads);
}

void projectPlaces(const SmoothIsland& island, IslandState& state, const std::vector<ActiveContact>& contacts,
                   double slipTolerance, double mostMove) {
  if (contacts.empty() && island.joints().empty()) return;
  for (int pass = 0; pass < kPasses; ++pass) {
    pollStop();
    const RowSet rows = makeRows(island, state, contacts, slipTolerance, false);
    const std::vector<int> held = heldRows(rows, contacts, false);
    Vector change = -rows.error(held);
    for (std::size_t c = 0; c < contacts.size(); ++c)
      change[rows.jointRows() + static_cast<Eigen::Index>(c)] += std::min(0.0, contacts[c].target + mostMove);
    // Joints that are far off come back at a bounded speed.
    const double off = rows.jointRows() > 0 ? change.head(rows.jointRows()).norm() : 0.0;
    if (off > mostMove) change.head(rows.jointRows()) *= pass == 0 ? mostMove / off : 0.0;
    if (!(change.cwiseAbs().maxCoeff() > kSettled)) return;
    const IslandMass mass(island, state);
    addDisplacement(state, mass.push(rows, holding(mass.delassus(rows), held, change)));
  }
}

}  // namespace cairn
