#include "soft/tree/tree_contacts.hpp"

#include <algorithm>
#include <cmath>

#include "soft/tree/soft_tree_parts.hpp"

namespace cairn {

namespace {

constexpr std::size_t kMostSweeps = 50, kMostWork = 2'000'000;  // numbers of W that all sweeps may use
constexpr double kMostImpulse = 1e30;                           // N s: single precision holds it over a step
constexpr double kSettled = 1e-6;                               // m/s: a sweep that changes no velocity by more was the last
// A row is immobile if the joints leave it less than this share of the mobility that its bodies would have without them.
// What is left then is rounding; or, of a body that is held twice to what does not move, the give of the second joint.
constexpr double kLeastMobility = 1e-7, kLeastMobilityOfStays = 10.0 / JointTree::kClosureRatio;
constexpr double kRounding = 1e-9;  // of the energies that are compared

struct Both {
  double x, y;
};
// The solution of (a b; b c) (x y) = (p q), or what is safe where there is none. Diagonal entries of 0: left alone.
Both solve2(double a, double b, double c, double p, double q) {
  if (!(a > 0.0) || !(c > 0.0)) return {a > 0.0 ? p / a : 0.0, c > 0.0 ? q / c : 0.0};
  const double determinant = a * c - b * b;
  if (determinant > 1e-9 * a * c) return {(c * p - b * q) / determinant, (a * q - b * p) / determinant};
  return {p / (a + c), q / (a + c)};
}

}  // namespace

void TreeContacts::clear() {
  contacts_.clear();
  movers_.clear();
  rows_.clear();
}

std::uint32_t TreeContacts::moverOf(std::uint32_t body, std::uint32_t link, const SoftBodies& bodies) {
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

void TreeContacts::add(const ContactEnds& ends, const Contact& contact, const std::array<std::uint32_t, 2>& links,
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
void TreeContacts::placeMovers(const JointTree& tree) {
  moverOfLink_.assign(tree.links.size(), kNone);
  for (std::uint32_t i = 0; i < movers_.size(); ++i) {
    Mover& mover = movers_[i];
    if (mover.link == kNone) continue;
    moverOfLink_[mover.link] = i;
    mover.inverseMass = 1.0 / tree.links[mover.link].mass;
    mover.inertia = Cholesky3::of(tree.links[mover.link].inertia);
  }
}

void TreeContacts::pushBy(const Row& row, double impulse) {
  const Patch& patch = contacts_[row.contact];
  const auto push = [&](std::uint32_t at, double sign, const Vec3& angular) {
    if (at == kNone) return;
    movers_[at].push += sign * impulse * row.linear;
    movers_[at].pushTurn += impulse * angular;
  };
  push(patch.movers[0], -1.0, row.angularA);
  push(patch.movers[1], 1.0, row.angularB);
}

void TreeContacts::moveFreely(int question) {
  for (Mover& mover : movers_) {
    mover.free[question] = {mover.inverseMass * mover.push, mover.link != kNone ? mover.inertia.solve(mover.pushTurn)
                                                                                : Vec3(mover.inverse * mover.pushTurn)};
    mover.push.setZero();
    mover.pushTurn.setZero();
  }
}

// The joints ask for what bodies would do by themselves to be undone at their ends.
void TreeContacts::ask(JointTree& tree, int questions) const {
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

TreeContacts::Twist TreeContacts::answerOf(const JointTree& tree, const Mover& mover, int question) const {
  Twist twist = mover.free[question];
  if (mover.link != kNone) {
    const TreeLink::Question& answer = tree.links[mover.link].questions[question];
    twist.linear += answer.change;
    twist.angular += answer.turn;
  }
  return twist;
}

void TreeContacts::findResponses(JointTree& tree) {
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
  dropImmobile(tree.closures.empty() ? kLeastMobility : kLeastMobilityOfStays);
}

double TreeContacts::freeMobility(const Row& row) const {
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
void TreeContacts::dropImmobile(double least) {
  const std::size_t count = rows_.size();
  for (std::size_t i = 0; i < count; ++i) {
    rows_[i].freeMobility = freeMobility(rows_[i]);
    if (response_[i * count + i] > least * rows_[i].freeMobility) continue;
    rows_[i].impulse = 0.0;
    for (std::size_t j = 0; j < count; ++j) response_[i * count + j] = response_[j * count + i] = 0.0;
  }
}

// Gaps and velocities, as they are now.
void TreeContacts::measure(SoftBodies& bodies) {
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

// Returns by how much the row's own velocity changes.
double TreeContacts::change(std::size_t row, double impulse) {
  const std::size_t count = rows_.size();
  if (impulse == 0.0) return 0.0;
  const double* column = response_.data() + row * count;
  rows_[row].impulse += impulse;
  for (std::size_t j = 0; j < count; ++j) speed_[j] += column[j] * impulse;
  return std::abs(column[row] * impulse);
}

// Friction of a patch, by the normal impulses of now. What slides is pushed against its velocity u: against W^-1 u, which
// would stop it, is another direction where W is not alike in all of them.
double TreeContacts::rub(const Patch& patch) {
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

double TreeContacts::sweep(bool relaxing) {
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
    most = std::max(most, rub(patch));
  }
  return most;
}

// Normals are only ever pushed: a faster separation than asked for is left alone. Friction has its share of the bounce.
double TreeContacts::bounceSweep(double slowest) {
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
    if (bounces) most = std::max(most, rub(patch));
  }
  return most;
}

// Sweeps that have not converged may ask for wild motion, where contacts and joints contradict each other. With d the change
// of the impulses and u the rows' velocities, the share s of it changes the kinetic energy by s d.u + s^2 d.W d/2: no more
// of it is taken than adds `most`.
void TreeContacts::limitGain(double most) {
  double first = 0.0, second = 0.0;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const double change = rows_[i].impulse - before_[i];
    first += change * measured_[i];
    second += change * (speed_[i] - measured_[i]);
  }
  if (!(first + 0.5 * second > most + kRounding * (std::abs(first) + second))) return;
  const double root = std::sqrt(std::max(first * first + 2.0 * second * most, 0.0));
  const double share = first > 0.0 ? 2.0 * most / (first + root) : (root - first) / second;
  for (std::size_t i = 0; i < rows_.size(); ++i)
    rows_[i].impulse = before_[i] + std::clamp(share, 0.0, 1.0) * (rows_[i].impulse - before_[i]);
}

// Of those that overlap, if each were pushed out as if nothing else held its bodies.
double TreeContacts::pushOutEnergy() const {
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
double TreeContacts::bounceEnergy(double slowest) const {
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

template <class Sweep>
void TreeContacts::apply(JointTree& tree, SoftBodies& bodies, double mostGain, Sweep&& sweep) {
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

void TreeContacts::solve(JointTree& tree, SoftBodies& bodies) {
  placeMovers(tree);
  findResponses(tree);
  measure(bodies);
  // The velocities have nothing of this substep's impulses yet, which begin where those of the last one were.
  before_.assign(rows_.size(), 0.0);
  for (std::size_t i = 0; i < rows_.size(); ++i)
    for (std::size_t j = 0; j < rows_.size(); ++j) speed_[j] += response_[i * rows_.size() + j] * rows_[i].impulse;
  apply(tree, bodies, pushOutEnergy(), [&] { return sweep(false); });
}

void TreeContacts::relax(JointTree& tree, SoftBodies& bodies) {
  measure(bodies);
  keepImpulses();
  apply(tree, bodies, 0.0, [&] { return sweep(true); });
}

void TreeContacts::keepImpulses() {
  for (std::size_t i = 0; i < rows_.size(); ++i) before_[i] = rows_[i].impulse;
}

void TreeContacts::noteApproach(SoftBodies& bodies) {
  measure(bodies);
  for (Patch& patch : contacts_)
    for (int p = 0; p < patch.points; ++p) patch.point[p].approach = speed_[patch.firstRow + static_cast<std::size_t>(p)];
}

bool TreeContacts::bounce(JointTree& tree, SoftBodies& bodies, double slowest) {
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

void TreeContacts::addUp() {
  for (Row& row : rows_) row.total += row.impulse;
}

void TreeContacts::finish(ContactCache& cache) const {
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
