#include "soft/joint_tree/joint_tree_contacts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "soft/joint_tree/joint_tree_rows.hpp"

namespace cairn {

using namespace policy::joint_tree;

void JointTreeContacts::clear() {
  contacts_.clear();
  movers_.clear();
  treeCount_ = 0;
}

std::uint32_t JointTreeContacts::addTree(JointTree& tree) {
  if (trees_.size() == treeCount_) trees_.emplace_back();
  trees_[treeCount_].joints = &tree;
  trees_[treeCount_].moverOfLink.assign(tree.links.size(), kNone);
  trees_[treeCount_].isTouched.assign(tree.links.size(), 0);
  return static_cast<std::uint32_t>(treeCount_++);
}

std::uint32_t JointTreeContacts::moverOf(std::uint32_t body, const Place& place, const SoftBodies& bodies,
                                         std::vector<std::uint32_t>& moverOfBody) {
  const wide::MassRow& mass = bodies[body].mass;
  if (!(mass.inverseMass > 0.0f)) return kNone;
  std::uint32_t& at = moverOfBody[body];
  if (at != kNone) return at;
  at = static_cast<std::uint32_t>(movers_.size());
  if (place.tree != kNone) {
    trees_[place.tree].moverOfLink[place.link] = at;
    trees_[place.tree].isTouched[place.link] = 1;
  }
  Mover& mover = movers_.emplace_back();
  mover.body = body;
  mover.place = place;
  mover.inverseMass = mass.inverseMass;
  const float* i = mass.inertia;
  mover.inverse = {i[0], i[1], i[2], i[3], i[4], i[5]};
  return at;
}

// Of an end, its factors of the twist of that body.
JointTreeContacts::Vector6 JointTreeContacts::side(const Row& row, int end) {
  Vector6 factors;
  if (end == 0) {
    factors << -row.linear, row.angularA;
  } else {
    factors << row.linear, row.angularB;
  }
  return factors;
}

bool JointTreeContacts::areInOneTree(const Patch& patch) const {
  if (patch.movers[0] == kNone || patch.movers[1] == kNone) return false;
  const std::uint32_t tree = movers_[patch.movers[0]].place.tree;
  return tree != kNone && tree == movers_[patch.movers[1]].place.tree;
}

// Friction acts at the centre of the last step's pressure, or of the points if there was none.
JointTreeContacts::Centres JointTreeContacts::placeRows(Patch& patch, const Contact& contact,
                                                        const SoftContactValues& values) {
  double pressure = 0.0;
  for (int p = 0; p < patch.points; ++p) pressure += contact.points[p].normalImpulse;
  const Vec3 normal = contact.normal.cast<double>();
  Vec3 centreA = Vec3::Zero(), centreB = Vec3::Zero();
  patch.rows = 0;
  const auto addRow = [&](const Vec3& along, const Vec3& turnA, const Vec3& turnB, double impulse) {
    Row& row = patch.row[patch.rows++];
    row.linear = along;
    row.angularA = turnA;
    row.angularB = turnB;
    row.impulse = values.fill.rescale * impulse;
    row.total = row.before = row.measured = 0.0;
  };
  const auto addAt = [&](const Vec3& along, const Vec3& atA, const Vec3& atB, double impulse) {
    addRow(along, -atA.cross(along), atB.cross(along), impulse);
  };
  for (int p = 0; p < patch.points; ++p) {
    Point& point = patch.point[p];
    const Vec3 anchorA = contact.anchorA(p).cast<double>(), anchorB = contact.anchorB(p).cast<double>();
    point.separation = point.gap = contact.points[p].separation;
    point.approach = 0.0;
    const double share = pressure > 0.0 ? contact.points[p].normalImpulse / pressure : 1.0 / patch.points;
    centreA += share * anchorA;
    centreB += share * anchorB;
    addAt(normal, anchorA, anchorB, contact.points[p].normalImpulse);
  }
  for (int p = 0; p < patch.points; ++p) patch.point[p].lever = (contact.anchorA(p).cast<double>() - centreA).norm();
  const Vec3 friction = contact.frictionImpulse.cast<double>();
  for (const Vec3& tangent : {patch.tangent1, patch.tangent2}) addAt(tangent, centreA, centreB, tangent.dot(friction));
  if (patch.points > 1) addRow(Vec3::Zero(), -normal, normal, double{contact.twistImpulse});
  return {centreA, centreB};
}

void JointTreeContacts::add(const ContactEnds& ends, const Contact& contact, const std::array<Place, 2>& places,
                            SoftBodies& bodies, const SoftContactValues& values, std::vector<std::uint32_t>& moverOfBody) {
  values_ = values;
  Patch& patch = contacts_.emplace_back();
  patch.slot = ends.contact;
  patch.bodies = {ends.a, ends.b};
  patch.movers = {moverOf(ends.a, places[0], bodies, moverOfBody), moverOf(ends.b, places[1], bodies, moverOfBody)};
  patch.points = contact.count;
  const Vec3 normal = contact.normal.cast<double>();
  patch.tangent1 = normal.unitOrthogonal();
  patch.tangent2 = normal.cross(patch.tangent1);
  patch.friction = contact.friction;
  patch.restitution = contact.restitution;
  patch.softness = patch.movers[0] != kNone && patch.movers[1] != kNone ? values.fill.between : values.fill.ground;
  patch.compliance = patch.stiffness = 0.0;
  if (contact.stiffness > 0.0f) {  // as stateStiffness() of contact_group.cpp
    const double k = contact.stiffness, c = contact.damping, h = values.h;
    patch.stiffness = k / contact.count;
    patch.compliance = contact.count / (h * (h * k + c));
    patch.softness.rate = static_cast<float>(k / (h * k + c));
    patch.restitution = 0.0;
  }
  const auto [centreA, centreB] = placeRows(patch, contact, values);
  const wide::SolverBody& a = bodies.solver()[ends.a];
  const wide::SolverBody& b = bodies.solver()[ends.b];
  patch.approachSpeed =
      static_cast<float>(normal.dot(velocityOf(a) + spinOf(a).cross(centreA) - velocityOf(b) - spinOf(b).cross(centreB)));
}

// In the order of the links of a tree: a sweep then goes along its chains and not to and fro.
void JointTreeContacts::finishAdding() {
  double heaviest = 0.0, lightest = std::numeric_limits<double>::infinity();  // kg
  const auto weigh = [&](double mass) { heaviest = std::max(heaviest, mass), lightest = std::min(lightest, mass); };
  for (std::size_t i = 0; i < treeCount_; ++i)
    for (const TreeLink& link : trees_[i].joints->links) weigh(link.mass);
  for (const Mover& mover : movers_) weigh(1.0 / mover.inverseMass);
  sweeps_ = kSweepsOfAlike;
  if (heaviest > kMostRatioOfAlike * lightest)
    sweeps_ = std::clamp(kMostVisits / static_cast<int>(contacts_.size()), kSweepsOfAlike, kMostSweeps);
  const auto placeOf = [&](const Patch& patch) {
    std::array<std::uint32_t, 4> key{kNone, kNone, kNone, patch.slot};
    for (const std::uint32_t mover : patch.movers) {
      if (mover == kNone || movers_[mover].place.tree == kNone) continue;
      const Place& place = movers_[mover].place;
      if (place.tree < key[0]) key = {place.tree, place.link, 0, patch.slot};
    }
    return key;
  };
  std::sort(contacts_.begin(), contacts_.end(), [&](const Patch& a, const Patch& b) { return placeOf(a) < placeOf(b); });
}

// Their masses, as the trees count them now.
void JointTreeContacts::placeMovers() {
  for (Mover& mover : movers_) {
    if (mover.place.tree == kNone) continue;
    const TreeLink& link = trees_[mover.place.tree].joints->links[mover.place.link];
    mover.inverseMass = 1.0 / link.mass;
    mover.inertia = Cholesky3::of(link.inertia);
  }
}

JointTreeContacts::Vector6 JointTreeContacts::freely(const Mover& mover, const Vector6& impulse) const {
  Vector6 moved;
  moved.head<3>() = mover.inverseMass * impulse.head<3>();
  const Vec3 turn = impulse.tail<3>();
  moved.tail<3>() = mover.place.tree != kNone ? mover.inertia.solve(turn) : Vec3(mover.inverse * turn);
  return moved;
}

void JointTreeContacts::findResponse(Patch& patch) {
  patch.response.fill(0.0);
  for (int i = 0; i < patch.rows; ++i) patch.row[i].freeMobility = 0.0;
  using Rows = Eigen::Matrix<double, 6, kMostRows>;
  std::array<Rows, 2> sides;
  const auto add = [&](int i, int j, double what) { patch.response[static_cast<std::size_t>(i * kMostRows + j)] += what; };
  for (const int end : {0, 1}) {
    if (patch.movers[end] == kNone) continue;
    const Mover& mover = movers_[patch.movers[end]];
    const bool isFree = mover.place.tree == kNone;
    for (int i = 0; i < patch.rows; ++i) sides[end].col(i) = side(patch.row[i], end);
    for (int i = 0; i < patch.rows; ++i) {
      const Vector6 alone = freely(mover, sides[end].col(i));
      patch.row[i].freeMobility += sides[end].col(i).dot(alone);
      const Vector6 moved =
          isFree ? alone : Vector6(trees_[mover.place.tree].mobility.own(mover.place.link) * sides[end].col(i));
      for (int j = 0; j < patch.rows; ++j) add(i, j, sides[end].col(j).dot(moved));
    }
  }
  if (!areInOneTree(patch)) return;
  const Place &a = movers_[patch.movers[0]].place, &b = movers_[patch.movers[1]].place;
  const Matrix6 between = trees_[a.tree].mobility.between(a.link, b.link);
  for (int j = 0; j < patch.rows; ++j) {
    const Vector6 moved = between * sides[1].col(j);
    for (int i = 0; i < patch.rows; ++i) {
      const double both = sides[0].col(i).dot(moved);
      add(i, j, both);
      add(j, i, both);
    }
  }
}

// Joints hold some rows already. An impulse that is to move what cannot move would be rounding magnified: they carry none.
void JointTreeContacts::findResponses() {
  for (std::size_t i = 0; i < treeCount_; ++i) trees_[i].mobility.place(*trees_[i].joints, trees_[i].isTouched);
  for (Patch& patch : contacts_) {
    findResponse(patch);
    double least = kLeastMobility;
    for (const std::uint32_t mover : patch.movers)
      if (mover != kNone && movers_[mover].place.tree != kNone &&
          !trees_[movers_[mover].place.tree].joints->closures.empty())
        least = kLeastMobilityOfClosures;
    for (int i = 0; i < patch.rows; ++i) {
      if (patch.w(i, i) > least * patch.row[i].freeMobility) continue;
      patch.row[i].impulse = 0.0;
      for (int j = 0; j < kMostRows; ++j)
        patch.response[static_cast<std::size_t>(i * kMostRows + j)] =
            patch.response[static_cast<std::size_t>(j * kMostRows + i)] = 0.0;
    }
  }
}

// Gaps and velocities, as they are now.
void JointTreeContacts::measure(SoftBodies& bodies) {
  for (Patch& patch : contacts_) {
    const wide::SolverBody& a = bodies.solver()[patch.bodies[0]];
    const wide::SolverBody& b = bodies.solver()[patch.bodies[1]];
    const auto vec = [](const float(&v)[3]) { return Vec3(v[0], v[1], v[2]); };
    const Vec3 moved = vec(b.moved) - vec(a.moved), turnedA = vec(a.turned), turnedB = vec(b.turned);
    const Vec3 speed = velocityOf(b) - velocityOf(a), spinA = spinOf(a), spinB = spinOf(b);
    for (int i = 0; i < patch.rows; ++i) {
      Row& row = patch.row[i];
      row.measured = row.linear.dot(speed) + row.angularA.dot(spinA) + row.angularB.dot(spinB);
      if (i < patch.points)
        patch.point[i].gap =
            patch.point[i].separation + row.linear.dot(moved) + row.angularA.dot(turnedA) + row.angularB.dot(turnedB);
    }
  }
}

void JointTreeContacts::solve(SoftBodies& bodies) {
  placeMovers();
  findResponses();
  measure(bodies);
  // The velocities have nothing of this substep's impulses yet, which begin where those of the last one were.
  for (Patch& patch : contacts_)
    for (int i = 0; i < patch.rows; ++i) patch.row[i].before = 0.0;
  startSweeps(false);
  for (int i = 0; i < sweeps_ && sweepOut(false) > kSettled; ++i) {
  }
  answer(bodies, pushOutEnergy());
}

void JointTreeContacts::relax(SoftBodies& bodies) {
  measure(bodies);
  startSweeps(true);
  for (int i = 0; i < sweeps_ && sweepOut(true) > kSettled; ++i) {
  }
  answer(bodies, 0.0);
}

void JointTreeContacts::noteApproach(SoftBodies& bodies) {
  measure(bodies);
  for (Patch& patch : contacts_)
    for (int p = 0; p < patch.points; ++p) patch.point[p].approach = patch.row[p].measured;
}

bool JointTreeContacts::bounce(SoftBodies& bodies, double slowest) {
  measure(bodies);
  startSweeps(true);
  if (!(sweepBounces(slowest) > 0.0)) return false;
  for (int i = 0; i < sweeps_ && sweepBounces(slowest) > kSettled; ++i) {
  }
  answer(bodies, bounceEnergy(slowest));
  // It happens once: the next substep does not begin with it.
  for (Patch& patch : contacts_) {
    for (int i = 0; i < patch.rows; ++i) {
      patch.row[i].total += patch.row[i].impulse - patch.row[i].before;
      patch.row[i].impulse = patch.row[i].before;
    }
  }
  return true;
}

void JointTreeContacts::addUp() {
  for (Patch& patch : contacts_)
    for (int i = 0; i < patch.rows; ++i) patch.row[i].total += patch.row[i].impulse;
}

void JointTreeContacts::finish(ContactCache& cache) const {
  for (const Patch& patch : contacts_) {
    Contact& contact = cache.slots[patch.slot];
    for (int p = 0; p < patch.points; ++p) {
      contact.points[p].normalImpulse = values_.unscale * static_cast<float>(patch.row[p].impulse);
      contact.points[p].totalImpulse = static_cast<float>(patch.row[p].total);
    }
    const Row* friction = &patch.row[patch.points];
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
