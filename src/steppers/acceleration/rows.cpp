#include "steppers/acceleration/rows.hpp"

#include <Eigen/QR>

#include "math/rotation.hpp"
#include "mechanics/integrate.hpp"
#include "mechanics/joint_rows.hpp"

namespace cairn {

namespace {

// The turn (rad), or the way over the body's size, between the poses of a central difference: truncation (its square) and
// rounding (1e-16 over it) are then both about 1e-11 of the drift.
constexpr double kDifference = 1e-5;
// Distances that are found by iteration are exact to rounding, but their normals only to its root. For such pairs the drift
// of the normal row is the second difference of the gap: rounding (1e-15 over its square) and truncation are then 1e-8.
constexpr double kIteratedDifference = 3e-4;
constexpr double kRank = 1e-9;       // singular rows over the largest, after scaling
constexpr double kJump = 0.015;      // of the pair's size: a point of contact that moves farther in a difference has jumped
constexpr double kSamePlace = 0.05;  // of the pair's size
constexpr double kFarNearer = 0.5;   // of the distance of the point that has the name
constexpr double kSameNormal = 0.9;  // cosine
constexpr double kContinued = 0.1;   // of the slip speed when the step began

double differenceSeconds(const Motion& a, const Motion& b, double size, double difference) {
  const double rate = a.spin.norm() + b.spin.norm() + (b.velocity - a.velocity).norm() / std::max(size, 1e-9);
  return rate > 1e-30 ? difference / rate : 0.0;
}

bool isIterated(const Shape& a, const Shape& b) {
  const auto isSimple = [](const Shape& s) { return s.type == ShapeType::Plane || s.type == ShapeType::Sphere; };
  const auto isRound = [](const Shape& s) { return s.type == ShapeType::Cylinder || s.type == ShapeType::Ellipsoid; };
  return !isSimple(a) && !isSimple(b) && (isRound(a) || isRound(b));
}

// The contact as it would be if the points of the two bodies stayed what they were.
TouchPoint frozenPoint(const ActiveContact& contact, const Motion& a, const Motion& b) {
  TouchPoint point;
  point.pair = contact.pair;
  point.feature = contact.feature;
  point.normal = a.rotation * contact.normalInA;
  point.onA = a.center + a.rotation * contact.localA;
  point.onB = b.center + b.rotation * contact.localB;
  point.gap = point.normal.dot(point.onB - point.onA);
  return point;
}

// The point with the contact's features, unless another is far nearer to where it should be: the lowest point of a rim that
// rolls changes its name from quarter to quarter, and its old name goes to one that is a quarter away. If there is none of
// that name: one close to where it should be, as features may change their names while the same place touches (a cylinder
// that stands on its rim and one that lies are told apart).
const TouchPoint* find(const Touches& touches, const ActiveContact& contact, const Motion& a, const Motion& b, double size) {
  const TouchPoint expected = frozenPoint(contact, a, b);
  // A corner stays where it is on its own body, whichever of the two that is.
  const auto distance = [&](const TouchPoint& point) {
    return std::min((point.onA - expected.onA).norm(), (point.onB - expected.onB).norm());
  };
  const TouchPoint* named = nullptr;
  const TouchPoint* nearest = nullptr;
  double limit = kSamePlace * size;
  for (int i = 0; i < touches.count; ++i) {
    if (touches.points[i].feature != contact.feature) continue;
    named = &touches.points[i];
    limit = kFarNearer * distance(*named);
  }
  for (int i = 0; i < touches.count; ++i) {
    const double away = distance(touches.points[i]);
    if (away > limit || touches.points[i].normal.dot(expected.normal) < kSameNormal) continue;
    limit = away;
    nearest = &touches.points[i];
  }
  return nearest != nullptr ? nearest : named;
}

Mat3 axesOf(const Vec3& n, const Vec3& direction) {
  Vec3 t = direction - direction.dot(n) * n;
  if (!(t.norm() > 1e-9)) t = n.unitOrthogonal();
  t.normalize();
  Mat3 axes;
  axes << n, t, n.cross(t);
  return axes;
}

// Collects rows.
class RowMaker {
 public:
  RowMaker(const Island& island, const IslandState& state, double slipTolerance, bool withDrift)
      : island_(island), state_(state), slipTolerance_(slipTolerance), withDrift_(withDrift) {}

  void addJoint(const IslandJoint& one) {
    set_.firstOfJoint.push_back(set_.count());
    const Joint& joint = island_.system().joints[one.joint];
    const Motion a = island_.motionOf(joint.a, one.a, state_), b = island_.motionOf(joint.b, one.b, state_);
    std::array<JointRow, kJointRows> rows;
    const int count = jointRows(joint, a.center, a.rotation, b.center, b.rotation, rows, state_.time);
    const double size = std::max({joint.anchorA.norm(), joint.anchorB.norm(), (b.center - a.center).norm(), 1e-6});
    const double e = withDrift_ ? differenceSeconds(a, b, size, kDifference) : 0.0;
    std::array<JointRow, kJointRows> before, after;
    if (e > 0.0) {
      const Motion a0 = displaced(a, -e), b0 = displaced(b, -e), a1 = displaced(a, e), b1 = displaced(b, e);
      jointRows(joint, a0.center, a0.rotation, b0.center, b0.rotation, before, state_.time - e);
      jointRows(joint, a1.center, a1.rotation, b1.center, b1.rotation, after, state_.time + e);
    }
    for (int k = 0; k < count; ++k) {
      const JointRow& row = rows[k];
      const auto speed = [&](const JointRow& r) {
        return r.linear.dot(b.velocity - a.velocity) + r.angularA.dot(a.spin) + r.angularB.dot(b.spin);
      };
      double drift = 0.0;
      // Rows of rotation turn with A, whatever frame across the axis is chosen at the displaced poses.
      if (e > 0.0)
        drift = row.linear.isZero(0.0) ? a.spin.cross(row.angularB).dot(b.spin - a.spin)
                                       : (speed(after[k]) - speed(before[k])) / (2.0 * e);
      Vec6 onA, onB;
      onA << -row.linear, row.angularA;
      onB << row.linear, row.angularB;
      add(one.a, onA, one.b, onB, speed(row) + row.rate, drift, row.error);
    }
  }

  void addContact(const ActiveContact& contact) {
    const IslandPair& pair = island_.pairs()[contact.pair];
    if (contact.pair != pair_) select(contact.pair);
    ContactFrame frame;
    const TouchPoint* now = find(now_.touches, contact, now_.a, now_.b, pair.size);
    frame.lost = now == nullptr;
    frame.point = now != nullptr ? *now : frozenPoint(contact, now_.a, now_.b);
    const Vec3 n = frame.point.normal;
    const Vec3 velocity = island_.relativeVelocity(frame.point, now_.a, now_.b);
    frame.slip = velocity - velocity.dot(n) * n;
    const bool slides = contact.mode == ContactMode::Slide;
    frame.axes = axesOf(n, slides ? slipDirection(contact, frame.slip, n, slipTolerance_) : Vec3::Zero());
    const Vec3 drift = seconds_ > 0.0 ? driftOf(contact, frame) : Vec3(Vec3::Zero());
    const Vec3 armA = frame.point.onA - now_.a.center, armB = frame.point.onB - now_.b.center;
    for (int k = 0; k < 3; ++k) {
      const Vec3 d = frame.axes.col(k);
      Vec6 onA, onB;
      onA << -d, -armA.cross(d);
      onB << d, armB.cross(d);
      add(pair.a, onA, pair.b, onB, d.dot(velocity), drift[k], k == 0 ? frame.point.gap : 0.0);
    }
    set_.frames.push_back(frame);
  }

  void endJoints() { set_.firstOfJoint.push_back(set_.count()); }

  RowSet finish() {
    const auto vector = [](const std::vector<double>& from) {
      return Vector(Eigen::Map<const Vector>(from.data(), static_cast<Eigen::Index>(from.size())));
    };
    set_.speed = vector(speed_);
    set_.drift = vector(drift_);
    set_.error = vector(error_);
    return std::move(set_);
  }

 private:
  struct Look {
    Motion a, b;
    Touches touches;
  };
  // u_n = n.v changes by d(n.v), and t.v by t.dv as v_n = 0: which way the tangents turn does not matter.
  Vec3 driftOf(const ActiveContact& contact, const ContactFrame& frame) const {
    const double size = island_.pairs()[contact.pair].size;
    ActiveContact here = contact;
    freeze(here, frame.point, now_.a, now_.b);
    // A point that jumped is another one: where flats meet, the lowest point may change sides within any turn. That of a
    // coin that rolls at a tilt a does not jump, but it goes round 1/sin(a) times as fast as the coin turns.
    const double farthest = kJump * size;
    const auto displacedPoint = [&](const Look& look) {
      const TouchPoint* found = find(look.touches, here, look.a, look.b, size);
      return found != nullptr && (found->onB - frame.point.onB).norm() <= farthest ? found : nullptr;
    };
    const TouchPoint* before = displacedPoint(before_);
    const TouchPoint* after = displacedPoint(after_);
    const bool all = !frame.lost && before != nullptr && after != nullptr;
    const TouchPoint p0 = all ? *before : frozenPoint(here, before_.a, before_.b);
    const TouchPoint p1 = all ? *after : frozenPoint(here, after_.a, after_.b);
    const Vec3 v0 = island_.relativeVelocity(p0, before_.a, before_.b);
    const Vec3 v1 = island_.relativeVelocity(p1, after_.a, after_.b);
    Vec3 drift = frame.axes.transpose() * (v1 - v0) / (2.0 * seconds_);
    drift[0] = (p1.normal.dot(v1) - p0.normal.dot(v0)) / (2.0 * seconds_);
    if (all && iterated_) drift[0] = (p1.gap - 2.0 * frame.point.gap + p0.gap) / (seconds_ * seconds_);
    return drift;
  }

  void select(int index) {
    const IslandPair& pair = island_.pairs()[index];
    pair_ = index;
    now_.a = island_.motionOf(pair.bodyA, pair.a, state_);
    now_.b = island_.motionOf(pair.bodyB, pair.b, state_);
    // Wide enough for whatever a trial step moves them apart or into each other.
    const double margin = 0.5 * pair.size;
    now_.touches = island_.touch(index, now_.a, now_.b, margin);
    iterated_ =
        isIterated(island_.system().colliders[pair.colliderA].shape, island_.system().colliders[pair.colliderB].shape);
    const double difference = iterated_ ? kIteratedDifference : kDifference;
    seconds_ = withDrift_ ? differenceSeconds(now_.a, now_.b, pair.size, difference) : 0.0;
    if (!(seconds_ > 0.0)) return;
    before_.a = displaced(now_.a, -seconds_);
    before_.b = displaced(now_.b, -seconds_);
    after_.a = displaced(now_.a, seconds_);
    after_.b = displaced(now_.b, seconds_);
    before_.touches = island_.touch(index, before_.a, before_.b, margin);
    after_.touches = island_.touch(index, after_.a, after_.b, margin);
  }

  void add(int a, const Vec6& onA, int b, const Vec6& onB, double speed, double drift, double error) {
    // A body does not feel what would move it along an axis that it is locked on.
    const auto unlocked = [&](int number, const Vec6& part) {
      Vec6 out = part;
      if (number < 0) return Vec6(Vec6::Zero());
      for (int axis = 0; axis < 3; ++axis)
        if ((island_.body(number).lockedPosition >> axis & 1) != 0) out[axis] = 0.0;
      return out;
    };
    set_.rows.push_back({a, b, unlocked(a, onA), unlocked(b, onB)});
    speed_.push_back(speed);
    drift_.push_back(drift);
    error_.push_back(error);
  }

  const Island& island_;
  const IslandState& state_;
  double slipTolerance_;
  bool withDrift_;
  int pair_ = -1;         // that was looked at last
  double seconds_ = 0.0;  // between its poses
  Look before_, now_, after_;
  bool iterated_ = false;  // its distance is
  RowSet set_;
  std::vector<double> speed_, drift_, error_;
};

}  // namespace

void freeze(ActiveContact& contact, const TouchPoint& point, const Motion& a, const Motion& b) {
  contact.localA = a.rotation.conjugate() * (point.onA - a.center);
  contact.localB = b.rotation.conjugate() * (point.onB - b.center);
  contact.normalInA = a.rotation.conjugate() * point.normal;
}

Vec3 slipDirection(const ActiveContact& contact, const Vec3& slip, const Vec3& normal, double slipTolerance) {
  const double speed = slip.norm();
  if (speed > slipTolerance && slip.dot(contact.direction) >= kContinued * contact.slipSpeed) return slip / speed;
  const Vec3 kept = contact.direction - contact.direction.dot(normal) * normal;
  return kept.norm() > 1e-9 ? Vec3(kept.normalized()) : kept;
}

RowSet makeRows(const Island& island, const IslandState& state, const std::vector<ActiveContact>& contacts,
                double slipTolerance, bool withDrift) {
  RowMaker maker(island, state, slipTolerance, withDrift);
  for (const IslandJoint& joint : island.joints()) maker.addJoint(joint);
  maker.endJoints();
  for (const ActiveContact& contact : contacts) maker.addContact(contact);
  return maker.finish();
}

IslandMass::IslandMass(const Island& island, const IslandState& state) {
  for (int i = 0; i < island.size(); ++i)
    items_.push_back({island.body(i).inverseMass, inWorldAxes(state.bodies[i].rotation, island.body(i).inverseInertia)});
}

Vec6 IslandMass::apply(int body, const Vec6& momentum) const {
  Vec6 out;
  out << items_[body].inverseMass * momentum.head<3>(), items_[body].inverseInertia * momentum.tail<3>();
  return out;
}

Matrix IslandMass::delassus(const RowSet& rows) const {
  const int n = rows.count();
  std::vector<std::vector<std::pair<int, const Vec6*>>> ofBody(items_.size());
  for (int i = 0; i < n; ++i) {
    if (rows.rows[i].a >= 0) ofBody[rows.rows[i].a].push_back({i, &rows.rows[i].onA});
    if (rows.rows[i].b >= 0) ofBody[rows.rows[i].b].push_back({i, &rows.rows[i].onB});
  }
  Matrix w = Matrix::Zero(n, n);
  for (std::size_t body = 0; body < items_.size(); ++body) {
    for (const auto& [j, part] : ofBody[body]) {
      const Vec6 pushed = apply(static_cast<int>(body), *part);
      for (const auto& [i, other] : ofBody[body])
        if (i <= j) w(i, j) += other->dot(pushed);
    }
  }
  w.triangularView<Eigen::StrictlyLower>() = w.transpose();
  return w;
}

Vector IslandMass::push(const RowSet& rows, const Vector& impulse) const {
  Vector out = Vector::Zero(6 * static_cast<Eigen::Index>(items_.size()));
  for (int i = 0; i < rows.count(); ++i) {
    const RowParts& row = rows.rows[i];
    if (row.a >= 0) out.segment<6>(6 * row.a) += impulse[i] * row.onA;
    if (row.b >= 0) out.segment<6>(6 * row.b) += impulse[i] * row.onB;
  }
  for (int body = 0; body < static_cast<int>(items_.size()); ++body)
    out.segment<6>(6 * body) = apply(body, out.segment<6>(6 * body));
  return out;
}

Vector along(const RowSet& rows, const Vector& x) {
  Vector out = Vector::Zero(rows.count());
  for (int i = 0; i < rows.count(); ++i) {
    const RowParts& row = rows.rows[i];
    if (row.a >= 0) out[i] += row.onA.dot(x.segment<6>(6 * row.a));
    if (row.b >= 0) out[i] += row.onB.dot(x.segment<6>(6 * row.b));
  }
  return out;
}

void addVelocity(IslandState& state, const Vector& change) {
  for (std::size_t i = 0; i < state.bodies.size(); ++i) {
    state.bodies[i].velocity += change.segment<3>(6 * static_cast<Eigen::Index>(i));
    state.bodies[i].spin += change.segment<3>(6 * static_cast<Eigen::Index>(i) + 3);
  }
}

void addDisplacement(IslandState& state, const Vector& change) {
  for (std::size_t i = 0; i < state.bodies.size(); ++i) {
    const auto part = change.segment<6>(6 * static_cast<Eigen::Index>(i));
    displace(state.bodies[i], part.head<3>(), part.tail<3>());
  }
}

Vector leastNorm(const Matrix& a, const Vector& b, const Vector& scale) {
  if (b.size() == 0) return b;
  Vector d(scale.size());
  for (Eigen::Index i = 0; i < scale.size(); ++i) d[i] = scale[i] > 0.0 ? 1.0 / std::sqrt(scale[i]) : 0.0;
  Eigen::CompleteOrthogonalDecomposition<Matrix> factors(b.size(), b.size());
  factors.setThreshold(kRank);
  factors.compute(d.asDiagonal() * a * d.asDiagonal());
  return d.cwiseProduct(factors.solve(d.cwiseProduct(b)));
}

}  // namespace cairn
