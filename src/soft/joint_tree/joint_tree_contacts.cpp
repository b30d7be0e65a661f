#include "soft/joint_tree/joint_tree_contacts.hpp"

#include <algorithm>
#include <cmath>

#include "soft/joint_tree/joint_tree_arcs.hpp"

namespace cairn {

using namespace policy::joint_tree;

void JointTreeContacts::clear() {
  contacts_.clear();
  movers_.clear();
  rows_.clear();
}

std::uint32_t JointTreeContacts::moverOf(std::uint32_t body, std::uint32_t link, const SoftBodies& bodies) {
  const wide::MassRow& mass = bodies[body].mass;
  if (!(mass.inverseMass > 0.0f)) return kNone;
  const auto known = std::find_if(movers_.begin(), movers_.end(), [&](const Mover& mover) { return mover.body == body; });
  if (known != movers_.end()) return static_cast<std::uint32_t>(known - movers_.begin());
  Mover& mover = movers_.emplace_back();
  mover.body = body;
  mover.link = link;
  mover.inverseMass = mass.inverseMass;
  const float* i = mass.inertia;
  mover.inverse = {i[0], i[1], i[2], i[3], i[4], i[5]};
  mover.push.setZero();
  mover.pushTurn.setZero();
  return static_cast<std::uint32_t>(movers_.size() - 1);
}

void JointTreeContacts::add(const ContactEnds& ends, const Contact& contact, const std::array<std::uint32_t, 2>& links,
                            SoftBodies& bodies, const SoftContactValues& values) {
  values_ = values;
  Patch& patch = contacts_.emplace_back();
  const auto index = static_cast<std::uint32_t>(contacts_.size() - 1);
  patch.slot = ends.contact;
  patch.bodies = {ends.a, ends.b};
  patch.movers = {moverOf(ends.a, links[0], bodies), moverOf(ends.b, links[1], bodies)};
  patch.firstRow = static_cast<std::uint32_t>(rows_.size());
  patch.points = contact.count;
  patch.normal = contact.normal.cast<double>();
  patch.tangent1 = patch.normal.unitOrthogonal();
  patch.tangent2 = patch.normal.cross(patch.tangent1);
  patch.friction = contact.friction;
  patch.restitution = contact.restitution;
  patch.softness = patch.movers[0] != kNone && patch.movers[1] != kNone ? values.fill.between : values.fill.ground;

  // Friction acts at the centre of the last step's pressure, or of the points if there was none.
  double pressure = 0.0;
  for (int p = 0; p < patch.points; ++p) pressure += contact.points[p].normalImpulse;
  Vec3 centreA = Vec3::Zero(), centreB = Vec3::Zero();
  const auto addRow = [&](const Vec3& along, const Vec3& atA, const Vec3& atB, double impulse) {
    rows_.push_back({index, along, -atA.cross(along), atB.cross(along), values.fill.rescale * impulse, 0.0});
  };
  for (int p = 0; p < patch.points; ++p) {
    Point& point = patch.point[p];
    point.anchorA = contact.anchorA(p).cast<double>();
    point.anchorB = contact.anchorB(p).cast<double>();
    point.separation = point.gap = contact.points[p].separation;
    const double share = pressure > 0.0 ? contact.points[p].normalImpulse / pressure : 1.0 / patch.points;
    centreA += share * point.anchorA;
    centreB += share * point.anchorB;
    addRow(patch.normal, point.anchorA, point.anchorB, contact.points[p].normalImpulse);
  }
  for (int p = 0; p < patch.points; ++p) patch.point[p].lever = (patch.point[p].anchorA - centreA).norm();
  const Vec3 friction = contact.frictionImpulse.cast<double>();
  addRow(patch.tangent1, centreA, centreB, patch.tangent1.dot(friction));
  addRow(patch.tangent2, centreA, centreB, patch.tangent2.dot(friction));
  if (patch.points > 1)
    rows_.push_back(
        {index, Vec3::Zero(), -patch.normal, patch.normal, values.fill.rescale * double{contact.twistImpulse}, 0.0});
  const wide::SolverBody& a = bodies.solver()[ends.a];
  const wide::SolverBody& b = bodies.solver()[ends.b];
  patch.approachSpeed = static_cast<float>(
      patch.normal.dot(velocityOf(a) + spinOf(a).cross(centreA) - velocityOf(b) - spinOf(b).cross(centreB)));
}

// Their masses, as the tree counts them now.
void JointTreeContacts::placeMovers(const JointTree& tree) {
  moverOfLink_.assign(tree.links.size(), kNone);
  for (std::uint32_t i = 0; i < movers_.size(); ++i) {
    Mover& mover = movers_[i];
    if (mover.link == kNone) continue;
    moverOfLink_[mover.link] = i;
    mover.inverseMass = 1.0 / tree.links[mover.link].mass;
    mover.inertia = Cholesky3::of(tree.links[mover.link].inertia);
  }
}

void JointTreeContacts::pushBy(const Row& row, double impulse) {
  const Patch& patch = contacts_[row.contact];
  const auto push = [&](std::uint32_t at, double sign, const Vec3& angular) {
    if (at == kNone) return;
    movers_[at].push += sign * impulse * row.linear;
    movers_[at].pushTurn += impulse * angular;
  };
  push(patch.movers[0], -1.0, row.angularA);
  push(patch.movers[1], 1.0, row.angularB);
}

void JointTreeContacts::moveFreely(int question) {
  for (Mover& mover : movers_) {
    mover.free[question] = {mover.inverseMass * mover.push, mover.link != kNone ? mover.inertia.solve(mover.pushTurn)
                                                                                : Vec3(mover.inverse * mover.pushTurn)};
    mover.push.setZero();
    mover.pushTurn.setZero();
  }
}

// The joints ask for what bodies would do by themselves to be undone at their ends.
void JointTreeContacts::ask(JointTree& tree, int questions) const {
  const Twist none;
  const auto freeOf = [&](std::uint32_t link, int question) -> const Twist& {
    return link == kNone || moverOfLink_[link] == kNone ? none : movers_[moverOfLink_[link]].free[question];
  };
  const auto speed = [](const RowHold::Vector6& factors, const Twist& twist) {
    return factors.head<3>().dot(twist.linear) + factors.tail<3>().dot(twist.angular);
  };
  for (std::uint32_t i = 0; i < tree.links.size(); ++i) {
    TreeLink& link = tree.links[i];
    for (int q = 0; q < questions; ++q) {
      const Twist& own = freeOf(i, q);
      const Twist& parent = freeOf(link.parent, q);
      if (link.kind == Hold::Ball)
        link.questions[q].ask =
            parent.linear + parent.angular.cross(link.parentArm) - own.linear - own.angular.cross(link.arm);
      if (link.kind != Hold::Rows) continue;
      RowHold& hold = tree.holds[link.hold];
      for (int k = 0; k < hold.rows; ++k)
        hold.questions[q].ask[k] = -(speed(hold.child[k], own) + speed(hold.parent[k], parent));
    }
  }
  for (TreeClosure& closure : tree.closures)
    for (int q = 0; q < questions; ++q)
      for (int k = 0; k < closure.hold.rows; ++k)
        closure.hold.questions[q].ask[k] = -speed(closure.hold.parent[k], freeOf(closure.link, q));
}

JointTreeContacts::Twist JointTreeContacts::answerOf(const JointTree& tree, const Mover& mover, int question) const {
  Twist twist = mover.free[question];
  if (mover.link != kNone) {
    const TreeLink::Question& answer = tree.links[mover.link].questions[question];
    twist.linear += answer.change;
    twist.angular += answer.turn;
  }
  return twist;
}

void JointTreeContacts::findResponses(JointTree& tree) {
  const std::size_t count = rows_.size();
  response_.resize(count * count);
  for (std::size_t first = 0; first < count; first += kQuestions) {
    const int questions = static_cast<int>(std::min<std::size_t>(kQuestions, count - first));
    for (int q = 0; q < questions; ++q) {
      pushBy(rows_[first + q], 1.0);
      moveFreely(q);
    }
    ask(tree, questions);
    tree.solve(questions);
    for (int q = 0; q < questions; ++q) {
      for (std::size_t j = 0; j < count; ++j) {
        const Row& row = rows_[j];
        const Patch& patch = contacts_[row.contact];
        double& found = response_[(first + q) * count + j] = 0.0;
        if (patch.movers[0] != kNone) {
          const Twist a = answerOf(tree, movers_[patch.movers[0]], q);
          found += row.angularA.dot(a.angular) - row.linear.dot(a.linear);
        }
        if (patch.movers[1] != kNone) {
          const Twist b = answerOf(tree, movers_[patch.movers[1]], q);
          found += row.angularB.dot(b.angular) + row.linear.dot(b.linear);
        }
      }
    }
  }
  dropImmobile(tree.closures.empty() ? kLeastMobility : kLeastMobilityOfClosures);
}

double JointTreeContacts::freeMobility(const Row& row) const {
  double found = 0.0;
  for (int side = 0; side < 2; ++side) {
    const std::uint32_t at = contacts_[row.contact].movers[side];
    if (at == kNone) continue;
    const Mover& mover = movers_[at];
    const Vec3& angular = side == 0 ? row.angularA : row.angularB;
    const Vec3 turn = mover.link != kNone ? mover.inertia.solve(angular) : Vec3(mover.inverse * angular);
    found += mover.inverseMass * row.linear.squaredNorm() + angular.dot(turn);
  }
  return found;
}

// Joints hold such rows already. An impulse that is to move what cannot move would be rounding magnified: they carry none.
void JointTreeContacts::dropImmobile(double least) {
  const std::size_t count = rows_.size();
  for (std::size_t i = 0; i < count; ++i) {
    rows_[i].freeMobility = freeMobility(rows_[i]);
    if (response_[i * count + i] > least * rows_[i].freeMobility) continue;
    rows_[i].impulse = 0.0;
    for (std::size_t j = 0; j < count; ++j) response_[i * count + j] = response_[j * count + i] = 0.0;
  }
}

// Gaps and velocities, as they are now.
void JointTreeContacts::measure(SoftBodies& bodies) {
  speed_.resize(rows_.size());
  for (Patch& patch : contacts_) {
    const wide::SolverBody& a = bodies.solver()[patch.bodies[0]];
    const wide::SolverBody& b = bodies.solver()[patch.bodies[1]];
    const auto vec = [](const float(&v)[3]) { return Vec3(v[0], v[1], v[2]); };
    const Vec3 moved = vec(b.moved) - vec(a.moved), turnedA = vec(a.turned), turnedB = vec(b.turned);
    const Vec3 speed = velocityOf(b) - velocityOf(a), spinA = spinOf(a), spinB = spinOf(b);
    const std::size_t end = patch.firstRow + static_cast<std::size_t>(patch.points) + (patch.points > 1 ? 3 : 2);
    for (std::size_t i = patch.firstRow; i < end; ++i)
      speed_[i] = rows_[i].linear.dot(speed) + rows_[i].angularA.dot(spinA) + rows_[i].angularB.dot(spinB);
    for (int p = 0; p < patch.points; ++p) {
      const Row& row = rows_[patch.firstRow + static_cast<std::size_t>(p)];
      patch.point[p].gap =
          patch.point[p].separation + row.linear.dot(moved) + row.angularA.dot(turnedA) + row.angularB.dot(turnedB);
    }
  }
  measured_ = speed_;
}

template <class Sweep>
void JointTreeContacts::apply(JointTree& tree, SoftBodies& bodies, double mostGain, Sweep&& sweep) {
  const std::size_t sweeps = std::min(kMostSweeps, kMostWork / (rows_.size() * rows_.size()));
  for (std::size_t i = 0; i < sweeps && sweep() > kSettled; ++i) {
  }
  // Masses and speeds beyond all reason: rather nothing than that.
  if (!std::all_of(rows_.begin(), rows_.end(), [](const Row& row) { return std::abs(row.impulse) < kMostImpulse; }))
    for (std::size_t i = 0; i < rows_.size(); ++i) rows_[i].impulse = before_[i];
  limitGain(mostGain);
  for (std::size_t i = 0; i < rows_.size(); ++i) pushBy(rows_[i], rows_[i].impulse - before_[i]);
  moveFreely(kKept);
  ask(tree, 1);
  tree.solve(1);
  for (const Mover& mover : movers_) {
    const Twist& free = mover.free[kKept];
    if (mover.link == kNone) {
      bodies.push(mover.body, free.linear, free.angular);
    } else {
      tree.links[mover.link].questions[kKept].change += free.linear;
      tree.links[mover.link].questions[kKept].turn += free.angular;
    }
  }
}

void JointTreeContacts::solve(JointTree& tree, SoftBodies& bodies) {
  placeMovers(tree);
  findResponses(tree);
  measure(bodies);
  // The velocities have nothing of this substep's impulses yet, which begin where those of the last one were.
  before_.assign(rows_.size(), 0.0);
  for (std::size_t i = 0; i < rows_.size(); ++i)
    for (std::size_t j = 0; j < rows_.size(); ++j) speed_[j] += response_[i * rows_.size() + j] * rows_[i].impulse;
  apply(tree, bodies, pushOutEnergy(), [&] { return sweep(false); });
}

void JointTreeContacts::relax(JointTree& tree, SoftBodies& bodies) {
  measure(bodies);
  keepImpulses();
  apply(tree, bodies, 0.0, [&] { return sweep(true); });
}

void JointTreeContacts::keepImpulses() {
  for (std::size_t i = 0; i < rows_.size(); ++i) before_[i] = rows_[i].impulse;
}

void JointTreeContacts::noteApproach(SoftBodies& bodies) {
  measure(bodies);
  for (Patch& patch : contacts_)
    for (int p = 0; p < patch.points; ++p) patch.point[p].approach = speed_[patch.firstRow + static_cast<std::size_t>(p)];
}

bool JointTreeContacts::bounce(JointTree& tree, SoftBodies& bodies, double slowest) {
  measure(bodies);
  keepImpulses();
  if (!(bounceSweep(slowest) > 0.0)) return false;
  apply(tree, bodies, bounceEnergy(slowest), [&] { return bounceSweep(slowest); });
  // It happens once: the next substep does not begin with it.
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    rows_[i].total += rows_[i].impulse - before_[i];
    rows_[i].impulse = before_[i];
  }
  return true;
}

void JointTreeContacts::addUp() {
  for (Row& row : rows_) row.total += row.impulse;
}

void JointTreeContacts::finish(ContactCache& cache) const {
  for (const Patch& patch : contacts_) {
    Contact& contact = cache.slots[patch.slot];
    for (int p = 0; p < patch.points; ++p) {
      const Row& row = rows_[patch.firstRow + static_cast<std::size_t>(p)];
      contact.points[p].normalImpulse = values_.unscale * static_cast<float>(row.impulse);
      contact.points[p].totalImpulse = static_cast<float>(row.total);
    }
    const Row* friction = rows_.data() + frictionRow(patch);
    const auto along = [&](double first, double second) {
      return Float3((first * patch.tangent1 + second * patch.tangent2).cast<float>());
    };
    contact.frictionImpulse = values_.unscale * along(friction[0].impulse, friction[1].impulse);
    contact.totalFriction = along(friction[0].total, friction[1].total);
    contact.twistImpulse = patch.points > 1 ? values_.unscale * static_cast<float>(friction[2].impulse) : 0.0f;
    contact.totalTwist = patch.points > 1 ? static_cast<float>(friction[2].total) : 0.0f;
    contact.approachSpeed = patch.approachSpeed;
    cache.note(patch.slot, false, contact.touches());
  }
}

}  // namespace cairn
