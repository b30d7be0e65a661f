#include "mechanics/joint_tree.hpp"

namespace cairn {

namespace {

using Vector6 = RowHold::Vector6;
using Matrix6 = Eigen::Matrix<double, 6, 6>;

// A row is redundant if the other rows of its joint leave less than this share of it.
constexpr double kRedundant = 1e-10;

Matrix6 massMatrix(const TreeLink& link) {
  Matrix6 h;
  h.topLeftCorner<3, 3>() = link.linear.full();
  h.topRightCorner<3, 3>() = link.coupling;
  h.bottomLeftCorner<3, 3>() = link.coupling.transpose();
  h.bottomRightCorner<3, 3>() = link.turning.full();
  return h;
}

// From the centre of mass to where the twist of the link is taken.
Vec3 placeOf(const TreeLink& link) { return link.kind == Hold::Ball ? link.arm : Vec3::Zero(); }

// Inverts the first rows x rows of a symmetric matrix that is positive definite but for rounding, by sweeps. A row that says
// nothing new beside the others is left out: it gets no impulse.
void invert(Matrix6& m, int rows) {
  const Eigen::Array<double, 6, 1> before = m.diagonal().array();
  std::array<bool, 6> swept{};
  const auto newness = [&](int i) { return before[i] > 0.0 ? m(i, i) / before[i] : 0.0; };
  for (int count = 0; count < rows; ++count) {
    int pivot = -1;
    for (int i = 0; i < rows; ++i)
      if (!swept[i] && newness(i) > kRedundant && (pivot < 0 || newness(i) > newness(pivot))) pivot = i;
    if (pivot < 0) break;
    swept[pivot] = true;
    const double inverse = 1.0 / m(pivot, pivot);
    for (int j = 0; j < rows; ++j)
      if (j != pivot) m(pivot, j) *= inverse;
    for (int i = 0; i < rows; ++i) {
      if (i == pivot) continue;
      const double factor = m(i, pivot);
      for (int j = 0; j < rows; ++j)
        if (j != pivot) m(i, j) -= factor * m(pivot, j);
      m(i, pivot) = -factor * inverse;
    }
    m(pivot, pivot) = inverse;
  }
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < rows; ++j)
      if (!swept[i] || !swept[j]) m(i, j) = 0.0;
}

void placeRows(RowHold& hold, const Vec3& place) {
  for (int i = 0; i < hold.rows; ++i) {
    hold.onParent[i] = hold.parent[i];
    hold.onParent[i].tail<3>() += hold.parent[i].head<3>().cross(place);
  }
}

void addToParent(const RowHold& hold, TreeLink& parent) {
  Matrix6 h = Matrix6::Zero();
  for (int i = 0; i < hold.rows; ++i)
    for (int j = 0; j < hold.rows; ++j) h += hold.inverse(i, j) * hold.onParent[i] * hold.onParent[j].transpose();
  parent.linear += Symmetric3::of(h.topLeftCorner<3, 3>());
  parent.coupling += h.topRightCorner<3, 3>();
  parent.turning += Symmetric3::of(h.bottomRightCorner<3, 3>());
}

void eliminate(TreeLink& link, RowHold& hold, TreeLink* parent) {
  hold.mass.compute(massMatrix(link));
  for (int i = 0; i < hold.rows; ++i) hold.response[i] = hold.mass.solve(hold.child[i]);
  for (int i = 0; i < hold.rows; ++i) {
    for (int j = 0; j < hold.rows; ++j) hold.inverse(i, j) = hold.child[i].dot(hold.response[j]);
    hold.inverse(i, i) += hold.compliance + hold.more[i];
  }
  invert(hold.inverse, hold.rows);
  if (parent != nullptr) addToParent(hold, *parent);
}

// What the joint gives if its parent does not move, and pushes the parent with.
void holdStill(RowHold& hold, int question, const std::array<double, kJointRows>& ask, TreeLink* parent) {
  std::array<double, kJointRows>& held = hold.questions[question].held;
  for (int i = 0; i < hold.rows; ++i) {
    held[i] = 0.0;
    for (int j = 0; j < hold.rows; ++j) held[i] += hold.inverse(i, j) * ask[j];
    if (parent == nullptr) continue;
    parent->questions[question].push += held[i] * hold.onParent[i].head<3>();
    parent->questions[question].pushTurn += held[i] * hold.onParent[i].tail<3>();
  }
}

// What it gives now that the parent's motion is known.
void giveWay(RowHold& hold, int question, const TreeLink* parent) {
  std::array<double, kJointRows>& impulse = hold.questions[question].impulse;
  impulse = hold.questions[question].held;
  if (parent == nullptr) return;
  const TreeLink::Question& moved = parent->questions[question];
  for (int j = 0; j < hold.rows; ++j) {
    const double speed = hold.onParent[j].head<3>().dot(moved.twist) + hold.onParent[j].tail<3>().dot(moved.turn);
    for (int i = 0; i < hold.rows; ++i) impulse[i] -= hold.inverse(i, j) * speed;
  }
}

void pushBack(TreeLink& link, RowHold& hold, int question, TreeLink* parent) {
  TreeLink::Question& at = link.questions[question];
  Vector6 push;
  push << at.push, at.pushTurn;
  const Vector6 free = hold.mass.solve(push);
  at.push = free.head<3>();
  at.pushTurn = free.tail<3>();
  std::array<double, kJointRows> ask = hold.questions[question].ask;
  for (int k = 0; k < hold.rows; ++k) ask[k] -= hold.child[k].dot(free);
  holdStill(hold, question, ask, parent);
}

// These three are most of what a chain costs: inlined, the one works while the other waits.
[[gnu::always_inline]] inline void eliminate(TreeLink& link, TreeLink* parent) {
  link.factor = Cholesky3::of(link.turning);
  link.coupling = link.factor.forwardRows(link.coupling);
  subtractProduct(link.linear, link.coupling, link.factor.inverse);
  if (link.kind == Hold::Nothing) link.root = Cholesky3::of(link.linear);
  if (parent == nullptr) return;
  const Mat3 sd = timesCross(link.linear, link.offset);
  parent->linear += link.linear;
  parent->coupling -= sd;
  parent->turning += crossInertia(link.offset, sd);
}

[[gnu::always_inline]] inline void pushBack(TreeLink& link, int question, TreeLink* parent) {
  TreeLink::Question& at = link.questions[question];
  at.pushTurn = link.factor.forward(at.pushTurn).cwiseProduct(link.factor.inverse);
  at.push -= link.coupling * at.pushTurn;
  if (parent == nullptr) return;
  const Vec3 y = at.push - link.linear * at.ask;
  parent->questions[question].push += y;
  parent->questions[question].pushTurn += link.offset.cross(y);
}

void move(TreeLink& link, RowHold& hold, int question, const TreeLink* parent) {
  TreeLink::Question& at = link.questions[question];
  giveWay(hold, question, parent);
  at.change = at.push;
  at.turn = at.pushTurn;
  for (int k = 0; k < hold.rows; ++k) {
    at.change += hold.questions[question].impulse[k] * hold.response[k].head<3>();
    at.turn += hold.questions[question].impulse[k] * hold.response[k].tail<3>();
  }
  at.twist = at.change;
}

[[gnu::always_inline]] inline void move(TreeLink& link, int question, const TreeLink* parent) {
  TreeLink::Question& at = link.questions[question];
  if (link.kind == Hold::Ball) {
    at.twist = at.ask;
    if (parent != nullptr) {
      const TreeLink::Question& from = parent->questions[question];
      at.twist += from.twist + from.turn.cross(link.offset);
    }
    at.impulse = link.linear * at.twist - at.push;
  } else {
    at.twist = link.root.solve(at.push);
  }
  const Vec3 slowed = (link.coupling.transpose() * at.twist).cwiseProduct(link.factor.inverse);
  at.turn = link.factor.backward(at.pushTurn - slowed);
  at.change = link.kind == Hold::Ball ? Vec3(at.twist - at.turn.cross(link.arm)) : at.twist;
}

}  // namespace

void JointTree::clear(std::size_t count) {
  links.resize(count);
  holds.clear();
  closures.clear();
}

void JointTree::setLink(std::uint32_t at, std::uint32_t parent, Hold kind, double mass) {
  TreeLink& link = links[at];
  link.parent = parent;
  link.kind = kind;
  link.mass = mass;
  if (kind != Hold::Rows) return;
  link.hold = static_cast<std::uint32_t>(holds.size());
  holds.emplace_back();
}

std::uint32_t JointTree::addLink(std::uint32_t parent, Hold kind) {
  const auto at = static_cast<std::uint32_t>(links.size());
  links.emplace_back();
  setLink(at, parent, kind, 0.0);
  return at;
}

TreeClosure& JointTree::addClosure(std::uint32_t link) {
  closures.emplace_back().link = link;
  return closures.back();
}

// Every link by itself, its twist where the elimination wants it.
void JointTree::placeTwists() {
  for (TreeLink& link : links) {
    link.linear = {link.mass, link.mass, link.mass, 0.0, 0.0, 0.0};
    link.turning = link.inertia;
    if (link.kind == Hold::Ball) {
      const Vec3 r = link.mass * link.arm;
      link.coupling << 0.0, -r.z(), r.y(), r.z(), 0.0, -r.x(), -r.y(), r.x(), 0.0;
      link.turning += pointInertia(link.mass, link.arm);
    } else {
      link.coupling.setZero();
    }
    if (link.parent == kNone) continue;
    const Vec3 place = placeOf(links[link.parent]);
    link.offset = link.parentArm - place;
    if (link.kind == Hold::Rows) placeRows(holds[link.hold], place);
  }
}

void JointTree::factorClosures() {
  for (TreeClosure& closure : closures) {
    RowHold& hold = closure.hold;
    TreeLink& link = links[closure.link];
    placeRows(hold, placeOf(link));
    const Cholesky3 inertia = Cholesky3::of(link.inertia);
    hold.inverse.setZero();
    for (int i = 0; i < hold.rows; ++i) {
      const Vec3 l = hold.parent[i].head<3>(), t = hold.parent[i].tail<3>();
      hold.inverse(i, i) = (l.squaredNorm() / link.mass + t.dot(inertia.solve(t))) / kClosureRatio + (hold.compliance + hold.more[i]);
    }
    invert(hold.inverse, hold.rows);
    addToParent(hold, link);
  }
}

// From the leaves to the root and back. kAnew: the matrices too.
template <int kCount, bool kAnew>
void JointTree::eliminateAndMove() {
  if (kAnew) {
    placeTwists();
    factorClosures();
  }
  for (TreeLink& link : links) {
    for (int q = 0; q < kCount; ++q) {
      link.questions[q].push.setZero();
      link.questions[q].pushTurn.setZero();
    }
  }
  for (TreeClosure& closure : closures)
    for (int q = 0; q < kCount; ++q) holdStill(closure.hold, q, closure.hold.questions[q].ask, &links[closure.link]);
  for (std::size_t i = links.size(); i-- > 0;) {
    TreeLink& link = links[i];
    TreeLink* parent = link.parent != kNone ? &links[link.parent] : nullptr;
    if (link.kind == Hold::Rows) {
      if (kAnew) eliminate(link, holds[link.hold], parent);
      for (int q = 0; q < kCount; ++q) pushBack(link, holds[link.hold], q, parent);
    } else {
      if (kAnew) eliminate(link, parent);
      for (int q = 0; q < kCount; ++q) pushBack(link, q, parent);
    }
  }
  if (kCount == 0) return;
  for (TreeLink& link : links) {
    const TreeLink* parent = link.parent != kNone ? &links[link.parent] : nullptr;
    if (link.kind == Hold::Rows) {
      for (int q = 0; q < kCount; ++q) move(link, holds[link.hold], q, parent);
    } else {
      for (int q = 0; q < kCount; ++q) move(link, q, parent);
    }
  }
  for (TreeClosure& closure : closures)
    for (int q = 0; q < kCount; ++q) giveWay(closure.hold, q, &links[closure.link]);
}

void JointTree::run(int questions, bool anew) {
  if (questions == 0) return eliminateAndMove<0, true>();
  if (questions == 1) return anew ? eliminateAndMove<1, true>() : eliminateAndMove<1, false>();
  anew ? eliminateAndMove<2, true>() : eliminateAndMove<2, false>();
}

}  // namespace cairn
