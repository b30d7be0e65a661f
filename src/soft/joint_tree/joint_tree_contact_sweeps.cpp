// Sweeps over the contacts of joint trees (joint_tree_contacts.hpp): normals, friction and bounces.
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

void JointTreeContacts::startSweeps(bool haveImpulses) {
  for (std::size_t i = 0; i < treeCount_; ++i) trees_[i].mobility.clear();
  for (Mover& mover : movers_) mover.moved.setZero();
  for (Patch& patch : contacts_) {
    if (haveImpulses) {
      for (int i = 0; i < patch.rows; ++i) patch.row[i].before = patch.row[i].impulse;
      continue;
    }
    for (const int end : {0, 1}) {
      if (patch.movers[end] == kNone) continue;
      Mover& mover = movers_[patch.movers[end]];
      Vector6 impulse = Vector6::Zero();
      for (int i = 0; i < patch.rows; ++i) impulse += patch.row[i].impulse * side(patch.row[i], end);
      if (mover.place.tree != kNone) {
        trees_[mover.place.tree].mobility.add(mover.place.link, impulse);
      } else {
        mover.moved += freely(mover, impulse);
      }
    }
  }
  for (std::size_t i = 0; i < treeCount_; ++i) trees_[i].mobility.start();
}

template <class Step>
double JointTreeContacts::sweep(Step&& step) {
  double most = 0.0;
  for (Patch& patch : contacts_) {
    Speeds speed{}, old{};
    for (int i = 0; i < patch.rows; ++i) {
      speed[i] = patch.row[i].measured;
      old[i] = patch.row[i].impulse;
    }
    for (const int end : {0, 1}) {
      if (patch.movers[end] == kNone) continue;
      const Mover& mover = movers_[patch.movers[end]];
      const Vector6& moved =
          mover.place.tree != kNone ? trees_[mover.place.tree].mobility.at(mover.place.link) : mover.moved;
      for (int i = 0; i < patch.rows; ++i) speed[i] += side(patch.row[i], end).dot(moved);
    }
    const double changed = step(patch, speed);
    if (changed == 0.0) continue;
    most = std::max(most, changed);
    // Where it is already comes first.
    for (const int end : {1, 0}) {
      if (patch.movers[end] == kNone) continue;
      Mover& mover = movers_[patch.movers[end]];
      Vector6 impulse = Vector6::Zero();
      for (int i = 0; i < patch.rows; ++i) impulse += (patch.row[i].impulse - old[i]) * side(patch.row[i], end);
      if (mover.place.tree == kNone) {
        mover.moved += freely(mover, impulse);
        continue;
      }
      TreeMobility& mobility = trees_[mover.place.tree].mobility;
      mobility.at(mover.place.link);
      mobility.push(impulse);
    }
  }
  return most;
}

// Returns by how much the row's own velocity changes.
double JointTreeContacts::change(Patch& patch, int row, double impulse, Speeds& speed) {
  if (impulse == 0.0) return 0.0;
  patch.row[row].impulse += impulse;
  for (int j = 0; j < patch.rows; ++j) speed[j] += patch.w(row, j) * impulse;
  return std::abs(patch.w(row, row) * impulse);
}

// Friction of a patch, by the normal impulses of now. What slides is pushed against its velocity u: against W^-1 u, which
// would stop it, is another direction where W is not alike in all of them.
double JointTreeContacts::solveFriction(Patch& patch, Speeds& speed) {
  const int f = patch.points;
  double load = 0.0, moment = 0.0;
  for (int p = 0; p < patch.points; ++p) {
    load += patch.row[p].impulse;
    moment += patch.row[p].impulse * patch.point[p].lever;
  }
  const double old1 = patch.row[f].impulse, old2 = patch.row[f + 1].impulse, trace = patch.w(f, f) + patch.w(f + 1, f + 1);
  const Both less = solve2(patch.w(f, f), patch.w(f, f + 1), patch.w(f + 1, f + 1), speed[f], speed[f + 1]);
  double f1 = old1 - less.x, f2 = old2 - less.y;
  const double limit = patch.friction * load;
  if (std::hypot(f1, f2) > limit && trace > 0.0) {
    f1 = old1 - speed[f] / trace;
    f2 = old2 - speed[f + 1] / trace;
    const double length = std::hypot(f1, f2);
    if (length > 0.0) f1 *= limit / length, f2 *= limit / length;
  }
  const double most = std::max(change(patch, f, f1 - old1, speed), change(patch, f + 1, f2 - old2, speed));
  if (patch.points == 1 || !(patch.w(f + 2, f + 2) > 0.0)) return most;
  const double bound = patch.friction * moment, old = patch.row[f + 2].impulse;
  const double twist = std::clamp(old - speed[f + 2] / patch.w(f + 2, f + 2), -bound, bound);
  return std::max(most, change(patch, f + 2, twist - old, speed));
}

double JointTreeContacts::pushOut(Patch& patch, bool relaxing, Speeds& speed) const {
  const double inverseH = 1.0 / values_.h;
  double most = 0.0;
  for (int p = 0; p < patch.points; ++p) {
    const double gap = patch.point[p].gap, own = patch.w(p, p), old = patch.row[p].impulse;
    const bool isSpring = patch.compliance > 0.0;
    // A stated spring is a spring: relaxation would make it rigid.
    if (!(own > 0.0) || (relaxing && isSpring)) continue;
    double next = old - (speed[p] + std::max(gap, 0.0) * inverseH) / own;
    if (isSpring && !(gap > 0.0)) {
      next = old - (speed[p] + patch.softness.rate * gap + patch.compliance * old) / (own + patch.compliance);
    } else if (!relaxing && !(gap > 0.0)) {
      const double scale = patch.softness.massScale;
      const double bias = std::max<double>(patch.softness.rate * gap, -values_.fill.pushOut);
      next = old - scale * (speed[p] + bias) / own - (1.0 - scale) * old;
    }
    most = std::max(most, change(patch, p, std::max(next, 0.0) - old, speed));
  }
  return std::max(most, solveFriction(patch, speed));
}

double JointTreeContacts::sweepOut(bool relaxing) {
  return sweep([&](Patch& patch, Speeds& speed) { return pushOut(patch, relaxing, speed); });
}

// Normals are only ever pushed: a faster separation than asked for is left alone. Friction has its share of the bounce.
double JointTreeContacts::bounceBack(Patch& patch, double slowest, Speeds& speed) {
  if (!(patch.restitution > 0.0)) return 0.0;
  bool bounces = false;
  double most = 0.0;
  for (int p = 0; p < patch.points; ++p) {
    const double own = patch.w(p, p), approach = patch.point[p].approach, before = patch.row[p].before;
    if (!(approach < -slowest) || !(before > 0.0) || !(own > 0.0)) continue;
    bounces = true;
    const double next = patch.row[p].impulse - (speed[p] + patch.restitution * approach) / own;
    most = std::max(most, change(patch, p, std::max(next, before) - patch.row[p].impulse, speed));
  }
  return bounces ? std::max(most, solveFriction(patch, speed)) : most;
}

double JointTreeContacts::sweepBounces(double slowest) {
  return sweep([&](Patch& patch, Speeds& speed) { return bounceBack(patch, slowest, speed); });
}

}  // namespace cairn
