// Sweeps over the rows of W (joint_tree_contacts.hpp): normals, friction and bounces, and how much energy they may add.
#include <algorithm>
#include <cmath>

#include "soft/joint_tree/joint_tree_contacts.hpp"

namespace cairn {

using namespace policy::joint_tree;

namespace {

struct Both {
  double x, y;
};
// The solution of (a b; b c) (x y) = (p q), or what is safe where there is none. Diagonal entries of 0: left alone.
Both solve2(double a, double b, double c, double p, double q) {
  if (!(a > 0.0) || !(c > 0.0)) return {a > 0.0 ? p / a : 0.0, c > 0.0 ? q / c : 0.0};
  const double determinant = a * c - b * b;
  if (determinant > kSingular * a * c) return {(c * p - b * q) / determinant, (a * q - b * p) / determinant};
  return {p / (a + c), q / (a + c)};
}

}  // namespace

// Returns by how much the row's own velocity changes.
double JointTreeContacts::change(std::size_t row, double impulse) {
  const std::size_t count = rows_.size();
  if (impulse == 0.0) return 0.0;
  const double* column = response_.data() + row * count;
  rows_[row].impulse += impulse;
  for (std::size_t j = 0; j < count; ++j) speed_[j] += column[j] * impulse;
  return std::abs(column[row] * impulse);
}

// Friction of a patch, by the normal impulses of now. What slides is pushed against its velocity u: against W^-1 u, which
// would stop it, is another direction where W is not alike in all of them.
double JointTreeContacts::solveFriction(const Patch& patch) {
  const std::size_t count = rows_.size(), f = frictionRow(patch);
  const auto w = [&](std::size_t i, std::size_t j) { return response_[j * count + i]; };
  double load = 0.0, moment = 0.0;
  for (int p = 0; p < patch.points; ++p) {
    const double impulse = rows_[patch.firstRow + static_cast<std::size_t>(p)].impulse;
    load += impulse;
    moment += impulse * patch.point[p].lever;
  }
  const double old1 = rows_[f].impulse, old2 = rows_[f + 1].impulse, trace = w(f, f) + w(f + 1, f + 1);
  const Both less = solve2(w(f, f), w(f, f + 1), w(f + 1, f + 1), speed_[f], speed_[f + 1]);
  double f1 = old1 - less.x, f2 = old2 - less.y;
  const double limit = patch.friction * load;
  if (std::hypot(f1, f2) > limit && trace > 0.0) {
    f1 = old1 - speed_[f] / trace;
    f2 = old2 - speed_[f + 1] / trace;
    const double length = std::hypot(f1, f2);
    if (length > 0.0) f1 *= limit / length, f2 *= limit / length;
  }
  const double most = std::max(change(f, f1 - old1), change(f + 1, f2 - old2));
  if (patch.points == 1 || !(w(f + 2, f + 2) > 0.0)) return most;
  const double bound = patch.friction * moment, old = rows_[f + 2].impulse;
  const double twist = std::clamp(old - speed_[f + 2] / w(f + 2, f + 2), -bound, bound);
  return std::max(most, change(f + 2, twist - old));
}

double JointTreeContacts::sweep(bool relaxing) {
  const double inverseH = 1.0 / values_.h;
  double most = 0.0;
  for (const Patch& patch : contacts_) {
    for (int p = 0; p < patch.points; ++p) {
      const std::size_t i = patch.firstRow + static_cast<std::size_t>(p);
      const double gap = patch.point[p].gap, own = response_[i * rows_.size() + i], old = rows_[i].impulse;
      if (!(own > 0.0)) continue;
      double next = old - (speed_[i] + std::max(gap, 0.0) * inverseH) / own;
      if (!relaxing && !(gap > 0.0)) {
        const double scale = patch.softness.massScale;
        const double bias = std::max<double>(patch.softness.rate * gap, -values_.fill.pushOut);
        next = old - scale * (speed_[i] + bias) / own - (1.0 - scale) * old;
      }
      most = std::max(most, change(i, std::max(next, 0.0) - old));
    }
    most = std::max(most, solveFriction(patch));
  }
  return most;
}

// Normals are only ever pushed: a faster separation than asked for is left alone. Friction has its share of the bounce.
double JointTreeContacts::bounceSweep(double slowest) {
  double most = 0.0;
  for (const Patch& patch : contacts_) {
    if (!(patch.restitution > 0.0)) continue;
    bool bounces = false;
    for (int p = 0; p < patch.points; ++p) {
      const std::size_t i = patch.firstRow + static_cast<std::size_t>(p);
      const double own = response_[i * rows_.size() + i], approach = patch.point[p].approach;
      if (!(approach < -slowest) || !(before_[i] > 0.0) || !(own > 0.0)) continue;
      bounces = true;
      const double next = rows_[i].impulse - (speed_[i] + patch.restitution * approach) / own;
      most = std::max(most, change(i, std::max(next, before_[i]) - rows_[i].impulse));
    }
    if (bounces) most = std::max(most, solveFriction(patch));
  }
  return most;
}

// Sweeps that have not converged may ask for wild motion, where contacts and joints contradict each other. With d the change
// of the impulses and u the rows' velocities, the share s of it changes the kinetic energy by s d.u + s^2 d.W d/2: no more
// of it is taken than adds `most`.
void JointTreeContacts::limitGain(double most) {
  double first = 0.0, second = 0.0;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const double change = rows_[i].impulse - before_[i];
    first += change * measured_[i];
    second += change * (speed_[i] - measured_[i]);
  }
  if (!(first + 0.5 * second > most + kContactEnergyRounding * (std::abs(first) + second))) return;
  const double root = std::sqrt(std::max(first * first + 2.0 * second * most, 0.0));
  const double share = first > 0.0 ? 2.0 * most / (first + root) : (root - first) / second;
  for (std::size_t i = 0; i < rows_.size(); ++i)
    rows_[i].impulse = before_[i] + std::clamp(share, 0.0, 1.0) * (rows_[i].impulse - before_[i]);
}

// Of those that overlap, if each were pushed out as if nothing else held its bodies.
double JointTreeContacts::pushOutEnergy() const {
  double energy = 0.0;
  for (const Patch& patch : contacts_) {
    for (int p = 0; p < patch.points; ++p) {
      const double speed = std::min<double>(-patch.softness.rate * patch.point[p].gap, values_.fill.pushOut);
      const Row& row = rows_[patch.firstRow + static_cast<std::size_t>(p)];
      if (speed > 0.0) energy += 0.5 * speed * speed / row.freeMobility;
    }
  }
  return energy;
}

// If every point that bounces did so by itself.
double JointTreeContacts::bounceEnergy(double slowest) const {
  double energy = 0.0;
  for (const Patch& patch : contacts_) {
    for (int p = 0; p < patch.points; ++p) {
      const double speed = patch.restitution * patch.point[p].approach;
      const Row& row = rows_[patch.firstRow + static_cast<std::size_t>(p)];
      if (patch.point[p].approach < -slowest) energy += 0.5 * speed * speed / row.freeMobility;
    }
  }
  return energy;
}

}  // namespace cairn
