#include "mechanics/tree_mobility.hpp"

namespace cairn {

namespace {

Mat3 cross(const Vec3& v) {
  Mat3 m;
  m << 0.0, -v.z(), v.y(), v.z(), 0.0, -v.x(), -v.y(), v.x(), 0.0;
  return m;
}

}  // namespace

// The joint's rows C x_k + P x_p + c f = 0 and H x_k = F + C^T f give f = -K (C H^-1 F + P x_p), K = (C H^-1 C^T + c)^-1.
void TreeMobility::placeRows(Link& to, const TreeLink& link, const RowHold& hold) {
  using Rows = Eigen::Matrix<double, 6, Eigen::Dynamic, 0, 6, kJointRows>;
  const int rows = hold.rows;
  Rows response(6, rows);
  for (int i = 0; i < rows; ++i) response.col(i) = hold.response[i];
  const Rows weighed = response * hold.inverse.topLeftCorner(rows, rows);
  to.held = hold.mass.solve(Matrix6::Identity());
  to.held.noalias() -= weighed * response.transpose();
  to.whole = to.held;
  if (link.parent == kNone) return;
  to.follows.setZero();
  for (int i = 0; i < rows; ++i) to.follows.noalias() -= weighed.col(i) * hold.parent[i].transpose();
  to.whole.noalias() += to.follows * links_[link.parent].whole * to.follows.transpose();
}

// With the twist (v, w) taken at the joint (a floating root: at the centre), w = T^-1 p_t - E v, E = T^-1 A^T. The joint's v
// is the parent's there; a floating root's is S^-1 (p_l - E^T p_t). At the centre, v + arm x w.
void TreeMobility::placeBall(Link& to, const TreeLink& link) {
  using Tall = Eigen::Matrix<double, 6, 3>;
  const bool isBall = link.kind == Hold::Ball;
  Mat3 inverse, e;  // T^-1, E
  for (int k = 0; k < 3; ++k) {
    inverse.col(k) = link.factor.solve(Vec3::Unit(k));
    e.col(k) = link.factor.backward(link.coupling.row(k).transpose().cwiseProduct(link.factor.inverse));
  }
  Tall turned, carried;  // what w and v do at the centre
  const Mat3 arm = cross(isBall ? link.arm : Vec3::Zero());
  turned << arm, Mat3::Identity();
  carried << Mat3::Identity() - arm * e, -e;
  to.held.noalias() = turned * inverse * turned.transpose();
  if (!isBall) {
    Mat3 root;
    for (int k = 0; k < 3; ++k) root.col(k) = link.root.solve(Vec3::Unit(k));
    to.held.noalias() += carried * root * carried.transpose();
  }
  to.whole = to.held;
  if (link.parent == kNone) return;
  Eigen::Matrix<double, 3, 6> shift;
  shift << Mat3::Identity(), -cross(link.parentArm);
  to.follows.noalias() = carried * shift;
  const Mat3 joint = shift * links_[link.parent].whole * shift.transpose();
  to.whole.noalias() += carried * joint * carried.transpose();
}

void TreeMobility::place(const JointTree& tree, const std::vector<char>& asked) {
  const std::size_t count = tree.links.size();
  links_.resize(count);
  for (std::size_t i = count; i-- > 0;) {
    links_[i].isNeeded = asked[i] != 0;
    links_[i].parent = tree.links[i].parent;
  }
  for (std::size_t i = count; i-- > 1;)
    if (links_[i].isNeeded) links_[links_[i].parent].isNeeded = true;
  for (std::size_t i = 0; i < count; ++i) {
    Link& to = links_[i];
    if (!to.isNeeded) continue;
    const TreeLink& link = tree.links[i];
    to.depth = link.parent == kNone ? 0 : links_[link.parent].depth + 1;
    if (link.kind == Hold::Rows) {
      placeRows(to, link, tree.holds[link.hold]);
    } else {
      placeBall(to, link);
    }
  }
}

TreeMobility::Matrix6 TreeMobility::between(std::uint32_t a, std::uint32_t b) const {
  Matrix6 fromA = Matrix6::Identity(), fromB = Matrix6::Identity();
  while (a != b) {
    const bool isA = links_[a].depth >= links_[b].depth;
    std::uint32_t& lower = isA ? a : b;
    Matrix6& from = isA ? fromA : fromB;
    from = (from * links_[lower].follows).eval();
    lower = links_[lower].parent;
  }
  return fromA * links_[a].whole * fromB.transpose();
}

void TreeMobility::clear() {
  for (Link& link : links_) link.impulse.setZero();
}

void TreeMobility::start() {
  for (std::size_t i = links_.size(); i-- > 0;) {
    Link& link = links_[i];
    if (!link.isNeeded) continue;
    link.change.setZero();
    link.isChanged = false;
    if (i > 0) links_[link.parent].impulse.noalias() += link.follows.transpose() * link.impulse;
  }
  here_ = 0;
  if (links_[0].isNeeded) links_[0].moved.noalias() = links_[0].held * links_[0].impulse;
}

void TreeMobility::leave() {
  Link& link = links_[here_];
  here_ = link.parent;
  if (!link.isChanged) return;
  const Vector6 change = link.follows.transpose() * link.change;
  link.change.setZero();
  link.isChanged = false;
  push(change);
}

void TreeMobility::enter(std::uint32_t at) {
  Link& link = links_[at];
  link.moved.noalias() = link.follows * links_[here_].moved;
  link.moved.noalias() += link.held * link.impulse;
  here_ = at;
}

void TreeMobility::go(std::uint32_t to) {
  path_.clear();
  while (to != here_) {
    if (links_[here_].depth > links_[to].depth) {
      leave();
    } else {
      path_.push_back(to);
      to = links_[to].parent;
    }
  }
  while (!path_.empty()) {
    enter(path_.back());
    path_.pop_back();
  }
}

}  // namespace cairn
