// Newton's method of a directly solved island: rows, impulses, limits of friction, the matrix, and the iterations. See
// direct_island.hpp for the equations.
#include <algorithm>
#include <bit>
#include <cmath>
#include <tuple>

#include "base/hash.hpp"
#include "base/stop.hpp"
#include "soft/direct/direct_island.hpp"
#include "soft/plan/policy_direct.hpp"

namespace cairn {

using namespace policy::direct;

// Who touches whom, for the matrix. Mostly it is as in the last step.
void DirectIsland::findPattern(const SoftBodies& batch) {
  ends_.clear();
  for (const Patch& patch : patches_) ends_.emplace_back(patch.a, patch.b);
  if (!lu_ || patternBodies_ != batch.movable || pattern_ != ends_) {
    const auto areBothIn = [&](const auto& pair) { return canMove(pair.first) && canMove(pair.second); };
    std::vector<std::vector<int>> neighbours(ground_);
    for (const auto& pair : ends_) {
      if (!areBothIn(pair)) continue;
      neighbours[pair.first].push_back(static_cast<int>(pair.second));
      neighbours[pair.second].push_back(static_cast<int>(pair.first));
    }
    for (std::vector<int>& some : neighbours) {
      std::sort(some.begin(), some.end());
      some.erase(std::unique(some.begin(), some.end()), some.end());
    }
    lu_.emplace(std::vector<int>(ground_, 6), neighbours);
    pattern_ = ends_;
    patternBodies_ = batch.movable;
    factoredFor_ = 0;
    used_.assign(ground_, 6);
    const auto place = [&](std::uint32_t a, std::uint32_t b) {
      return lu_->place(static_cast<int>(a), static_cast<int>(b));
    };
    diagonal_.clear();
    for (std::uint32_t i = 0; i < ground_; ++i) diagonal_.push_back(place(i, i));
    places_.assign(ends_.size(), {});
    for (std::size_t i = 0; i < ends_.size(); ++i)
      if (const auto [a, b] = ends_[i]; areBothIn(ends_[i])) places_[i] = {place(a, b), place(b, a)};
  }
  for (std::size_t i = 0; i < patches_.size(); ++i) std::tie(patches_[i].ab, patches_[i].ba) = places_[i];
}

void DirectIsland::evaluateRows() {
  for (Patch& patch : patches_) {
    for (Point& point : pointsOf(patch)) point.closing = point.target - along(point.row, patch, &Mover::velocity);
    for (int k = 0; k < 3; ++k)
      patch.wanted[k] = patch.last[k] - stiffnessOf(patch, k) * along(patch.friction[k], patch, &Mover::velocity);
  }
}

double DirectIsland::evaluateImpulses() {
  // Of a spring that gives way at a limit: what it has stored, and what is lost beyond.
  const auto stored = [](double size, double limit, double stiffness) {
    return (size <= limit ? 0.5 * size * size : limit * (size - 0.5 * limit)) / stiffness;
  };
  double energy = 0.0;
  for (Patch& patch : patches_) {
    for (Point& point : pointsOf(patch)) {
      const double closing = std::max(0.0, point.closing);
      point.impulse = point.stiffness * closing;
      energy += 0.5 * point.impulse * closing;
    }
    const double size = tangentialOf(patch), share = size > patch.limit ? patch.limit / size : 1.0;
    patch.now = {share * patch.wanted[0], share * patch.wanted[1],
                 std::clamp(patch.wanted[2], -patch.twistLimit, patch.twistLimit)};
    energy += stored(size, patch.limit, patch.stiffness);
    if (patch.twistStiffness > 0.0) energy += stored(std::abs(patch.wanted[2]), patch.twistLimit, patch.twistStiffness);
  }
  return energy;
}

double DirectIsland::kinetic() const {
  double energy = 0.0;
  for (std::uint32_t i = 0; i < ground_; ++i) {
    const Mover& mover = movers_[i];
    const Vec6 gained = mover.velocity - mover.free;
    energy += 0.5 * (mover.mass * linear(gained).squaredNorm() + angular(gained).dot(mover.inertia * angular(gained)));
  }
  return energy;
}

bool DirectIsland::takeLimits(double tolerance) {
  bool matters = false;
  for (Patch& patch : patches_) {
    double pressed = 0.0, torque = 0.0;
    for (const Point& point : pointsOf(patch)) {
      pressed += point.impulse;
      torque += point.impulse * point.lever;
    }
    // If friction was at the limit, or is now.
    const auto take = [&](double& limit, double now, double size, double mass) {
      matters |= std::abs(now - limit) > tolerance * mass && size >= std::min(limit, now);
      limit = now;
    };
    take(patch.limit, patch.mu * pressed, tangentialOf(patch), patch.mass);
    take(patch.twistLimit, patch.mu * torque, std::abs(patch.wanted[2]), patch.mass * patch.reach);
  }
  return matters;
}

// M + J^T A J, for what evaluateImpulses() found. `grip`: what is added where patches slide, see below.
void DirectIsland::assemble(double grip) {
  lu_->begin(used_);
  scale_.assign(ground_, 0.0);
  const auto add = [&](const BlockLu::Place& place, double value, const Vec6& left, const Vec6& right) {
    const BlockLu::Entry entry = lu_->entry(place, 6);
    for (int i = 0; i < 6; ++i)
      for (int j = 0; j < 6; ++j) entry.values[i * entry.stride + j] += value * left[i] * right[j];
  };
  const auto addRow = [&](const Patch& patch, const Row& row, double value) {
    const bool movesA = canMove(patch.a), movesB = canMove(patch.b);
    if (movesA) add(diagonal_[patch.a], value, row.a, row.a);
    if (movesB) add(diagonal_[patch.b], value, row.b, row.b);
    if (!movesA || !movesB) return;
    add(patch.ab, value, row.a, row.b);
    add(patch.ba, value, row.b, row.a);
  };
  for (std::uint32_t i = 0; i < ground_; ++i) {
    const BlockLu::Entry entry = lu_->entry(diagonal_[i], 6);
    const Mover& mover = movers_[i];
    for (int k = 0; k < 3; ++k) {
      entry.values[k * entry.stride + k] += mover.mass;
      for (int l = 0; l < 3; ++l) entry.values[(3 + k) * entry.stride + 3 + l] += mover.inertia(k, l);
    }
    scale_[i] = std::min(mover.mass, mover.inertia.trace());
  }
  for (const Patch& patch : patches_) {
    for (const Point& point : pointsOf(patch))
      if (point.closing >= 0.0) addRow(patch, point.row, point.stiffness);
    if (patch.limit <= 0.0) continue;
    const Row& first = patch.friction[0];
    const Row& second = patch.friction[1];
    const double size = tangentialOf(patch);
    if (size <= patch.limit) {
      addRow(patch, first, patch.stiffness);
      addRow(patch, second, patch.stiffness);
    } else {
      // It slides: friction changes with the velocity only across its direction.
      const double c = patch.wanted[0] / size, s = patch.wanted[1] / size;
      const double stiffness = patch.stiffness * patch.limit / size;
      addRow(patch, {c * second.a - s * first.a, c * second.b - s * first.b}, stiffness);
      if (grip > 0.0) addRow(patch, {c * first.a + s * second.a, c * first.b + s * second.b}, grip * stiffness);
    }
    const double twist = std::abs(patch.wanted[2]), hold = twist <= patch.twistLimit ? 1.0 : grip * patch.twistLimit / twist;
    if (hold > 0.0) addRow(patch, patch.friction[2], hold * patch.twistStiffness);
  }
}

std::uint64_t DirectIsland::stateOf(double h) const {
  Hash hash;
  hash.add(std::bit_cast<std::uint64_t>(h));
  for (const Patch& patch : patches_) {
    std::uint64_t state = 1;
    for (const Point& point : pointsOf(patch)) state = 2 * state + (point.closing >= 0.0 ? 1 : 0);
    const bool slides = tangentialOf(patch) > patch.limit, twists = std::abs(patch.wanted[2]) > patch.twistLimit;
    hash.add(4 * state + (slides ? 2 : 0) + (twists ? 1 : 0));
  }
  return hash.value();
}

// Newton's method on a convex energy. Where patches slide its own matrix has nothing along the direction of friction, and
// far from the solution leads astray: it starts with as much there as brings friction to its limit, which never goes too
// far, and lets go when the same ones slide again. At rest the matrix of the last time is as good as a new one: if what it
// says is small, that is the last iteration.
void DirectIsland::converge(double h, double tolerance) {
  double energy = kinetic() + evaluateImpulses(), grip = 1.0;
  bool mayLetGo = true;
  std::uint64_t lastState = 0;
  for (int iteration = factoredFor_ == stateOf(h) ? -1 : 0; iteration < kMostOfRound; ++iteration) {
    pollStop();
    momenta_.resize(6 * static_cast<Eigen::Index>(ground_));
    for (std::uint32_t i = 0; i < ground_; ++i) {
      const Vec6 gained = movers_[i].velocity - movers_[i].free;
      momenta_.segment<6>(6 * i) << movers_[i].mass * linear(gained), movers_[i].inertia * angular(gained);
    }
    const auto push = [&](const Patch& patch, const Row& row, double impulse) {
      if (impulse == 0.0) return;
      if (canMove(patch.a)) momenta_.segment<6>(6 * patch.a) -= impulse * row.a;
      if (canMove(patch.b)) momenta_.segment<6>(6 * patch.b) -= impulse * row.b;
    };
    for (const Patch& patch : patches_) {
      for (const Point& point : pointsOf(patch)) push(patch, point.row, point.impulse);
      for (int k = 0; k < 3; ++k) push(patch, patch.friction[k], patch.now[k]);
    }
    if (iteration >= 0) {
      if (iterationsLeft_ == 0) return;
      --iterationsLeft_;
      assemble(grip);
      lu_->factor(scale_);
      factoredFor_ = stateOf(h);
    }
    change_ = momenta_;
    lu_->solve(change_);
    double most = 0.0;  // m/s
    for (std::uint32_t i = 0; i < ground_; ++i) {
      movers_[i].before = movers_[i].velocity;
      most = std::max({most, change_.segment<3>(6 * i).norm(), movers_[i].size * change_.segment<3>(6 * i + 3).norm()});
    }
    if (iteration < 0 && !(most < tolerance)) continue;
    const double slope = -momenta_.dot(change_);
    if (iteration <= 0) firstChange_ = most;
    lastChange_ = most;
    double share = 1.0, now = 0.0;
    for (int halving = 0; halving <= kMostHalvings; ++halving, share *= 0.5) {
      for (std::uint32_t i = 0; i < ground_; ++i)
        movers_[i].velocity = movers_[i].before - share * change_.segment<6>(6 * i);
      evaluateRows();
      now = kinetic() + evaluateImpulses();
      if (now <= energy + kArmijo * share * slope || most < tolerance) break;
    }
    energy = now;
    if (most < tolerance) return;
    mayLetGo &= grip > 0.0 || share == 1.0;
    const std::uint64_t state = stateOf(h);
    grip = mayLetGo && share == 1.0 && state == lastState ? 0.0 : 1.0;
    lastState = state;
  }
}

// Friction depends on pressure: its limits are held until all else agrees with them, and taken anew.
bool DirectIsland::solve(double h, double tolerance) {
  evaluateRows();
  evaluateImpulses();
  const bool isFresh = std::none_of(patches_.begin(), patches_.end(), [](const Patch& patch) { return patch.isKnown; });
  for (Patch& patch : patches_) patch.limit = patch.twistLimit = kNoLimit;
  for (int round = 0; round < kMostRounds; ++round) {
    // Where loads are not known, everything holds at first.
    const bool matters = (round == 0 && isFresh) || takeLimits(tolerance);
    if (round > 0 && !matters && lastChange_ < tolerance) return true;
    converge(h, tolerance);
  }
  return std::max(firstChange_, lastChange_) < kGoodEnough * tolerance;
}

}  // namespace cairn
