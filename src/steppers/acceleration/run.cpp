#include "steppers/acceleration/run.hpp"

#include "base/stop.hpp"
#include "steppers/acceleration/island_run.hpp"
#include "steppers/acceleration/overlap.hpp"
#include "steppers/acceleration/projection.hpp"

namespace cairn {

namespace {

constexpr double kTouchBand = 1e-11;      // m: nearer points touch
constexpr double kSpeedTolerance = 1e-8;  // of the island's largest speed
constexpr double kImpactSpeed = 10.0;     // times that, at least: slower approaches are taken away without an impact
constexpr double kFalls = 4.0;            // or times what is gained by falling as deep as points must be to touch
constexpr int kMostInstants = 60;         // impacts and decisions at one instant
constexpr double kStiff = 1e3;            // decay times in dt: an explicit rule takes a step for every three
constexpr double kWorkOfPair = 5e3;       // to find a contact at three poses

}  // namespace

IslandRun::IslandRun(const SmoothIsland& island, double dt) : island_(island), dt_(dt), state_(island.start()), step_(dt) {
  out_.loads.joints.resize(island.joints().size());
  const double gravity = island.settings().gravity.norm();
  double lightest = std::numeric_limits<double>::infinity();
  const Vector free = island.freeAcceleration(state_);
  double pull = gravity;
  for (int i = 0; i < island.size(); ++i) {
    lightest = std::min(lightest, island.body(i).mass);
    pull = std::max(pull, free.segment<3>(6 * i).norm());
  }
  double speed = island.speedBound(state_);
  for (const IslandPair& pair : island.pairs()) {
    if (pair.a >= 0 && pair.b >= 0) continue;
    const Motion other = pair.a < 0 ? island.motionOf(pair.bodyA, -1, state_) : island.motionOf(pair.bodyB, -1, state_);
    speed = std::max(speed, other.velocity.norm());
  }
  speed_ = std::max(speed + pull * dt, 1e-9);
  tolerances_.speed = kSpeedTolerance * speed_;
  tolerances_.acceleration = std::max(pull, 1e-6 * speed_ / dt);
  impactSpeed_ =
      std::max(kImpactSpeed * tolerances_.speed, kFalls * std::sqrt(2.0 * tolerances_.acceleration * touchDepth(state_)));
  tolerances_.force = 1e-9 * lightest * tolerances_.acceleration;
}

IslandOutcome IslandRun::run() {
  std::set<Key> stopped;
  std::size_t points = 0;  // that overlap
  const ContactCache& cache = island_.system().contacts;
  for (const IslandPair& pair : island_.pairs()) {
    for (std::uint32_t slot = pair.slot; slot != kNone; slot = cache.links[slot].next) {
      const Contact& contact = cache.slots[slot];
      for (int p = 0; p < contact.count; ++p) points += contact.points[p].separation < 0.0f ? 1 : 0;
    }
  }
  if (isTooMuch(points)) {  // to be taken apart
    giveUp(kTooMuchWork);
    out_.state = state_;
    return std::move(out_);
  }
  if (deepestOverlap(island_, state_) > 0.0) {
    say("bodies overlapped, and were taken apart");
    if (!takeApart(island_, state_, kPushOutSpeed * dt_)) {
      out_.state = state_;
      return std::move(out_);
    }
  }
  const bool stiff = island_.resistance(state_) * dt_ > kStiff;
  if (stiff) giveUp("drag stops bodies in far less than a step");
  while (!stiff && state_.time < dt_) {
    if (!prepare(stopped) || !flow(stopped)) break;
    if (out_.events >= island_.settings().acceleration.events) {
      giveUp("more events than acceleration.events in one step");
      break;
    }
  }
  if (out_.book.ended > 0) say(std::to_string(out_.book.ended) + " endless series of bounces ended at once");
  out_.state = state_;
  return std::move(out_);
}

void IslandRun::say(const std::string& what) {
  if (out_.message.empty()) out_.message = what;
}

bool IslandRun::giveUp(const std::string& why) {
  out_.message += (out_.message.empty() ? "" : "; ") + why;
  return false;
}

bool IslandRun::isTooMuch(std::size_t contacts) const {
  const double rows = 3.0 * static_cast<double>(contacts) + jointRows();
  return work_ + rows * rows * rows > kMostWork;
}

std::vector<ActiveContact> IslandRun::touchingPoints(const std::set<Key>& stopped, double& fastest) const {
  std::vector<ActiveContact> touching;
  Touches touches;
  fastest = 0.0;
  for (int i = 0; i < static_cast<int>(island_.pairs().size()); ++i) {
    pollStop();
    const IslandPair& pair = island_.pairs()[i];
    const Motion a = island_.motionOf(pair.bodyA, pair.a, state_), b = island_.motionOf(pair.bodyB, pair.b, state_);
    island_.touch(i, a, b, kTouchBand, touches);
    for (const PairPoint& point : touches.points) {
      if (!(point.gap <= kTouchBand)) continue;
      const Vec3 velocity = island_.relativeVelocity(point, a, b);
      const double normal = velocity.dot(point.normal);
      if (normal > impactSpeed_) continue;
      fastest = std::max(fastest, -normal);
      ActiveContact contact;
      contact.pair = i;
      contact.id = point.id;
      contact.friction = pair.surface.friction;
      contact.target = std::min(0.0, point.gap);
      freeze(contact, point, a, b);
      const Vec3 slip = velocity - normal * point.normal;
      const bool rests = slip.norm() <= tolerances_.speed || stopped.contains({i, point.id});
      contact.mode = rests && contact.friction > 0.0 ? ContactMode::Stick : ContactMode::Slide;
      if (!rests) {
        contact.direction = slip.normalized();
        contact.slipSpeed = slip.norm();
      }
      touching.push_back(contact);
    }
  }
  return touching;
}

bool IslandRun::prepare(const std::set<Key>& stopped) {
  contacts_.clear();
  bool jointsJumped = false;
  for (int instant = 0; instant < kMostInstants; ++instant) {
    double fastest = 0.0;
    std::vector<ActiveContact> touching = touchingPoints(stopped, fastest);
    if (isTooMuch(touching.size())) return giveUp(kTooMuchWork);
    const bool jump = !jointsJumped && jointSpeedError() > impactSpeed_;
    jointsJumped = true;
    if (jump && touching.empty()) {
      projectSpeeds(island_, state_, contacts_, tolerances_.speed, &out_.loads);
      continue;
    }
    if (jump || fastest > impactSpeed_) {
      ++out_.events;
      std::string note;
      const std::string trouble = impactAll(island_, state_, touching, tolerances_, out_.loads, out_.book, note);
      if (!note.empty()) say(note);
      if (trouble.empty()) continue;
      return giveUp(trouble);
    }
    Decision decision = decideModes(island_, state_, touching, tolerances_);
    if (!decision.note.empty()) say(decision.note);
    if (decision.verdict == Verdict::Consistent) {
      contacts_ = std::move(decision.contacts);
      projectSpeeds(island_, state_, contacts_, tolerances_.speed);
      begin();
      return true;
    }
    if (decision.verdict == Verdict::Unsolved) return giveUp("no way to go on");
    ++out_.inconsistent;
    ++out_.events;
    if (!impactWithoutCollision(island_, state_, decision.culprit, tolerances_, out_.loads, out_.book))
      return giveUp("its impulse has no end");
  }
  return giveUp("impacts at one instant did not come to an end");
}

double IslandRun::jointSpeedError() const {
  if (island_.joints().empty()) return 0.0;
  return makeRows(island_, state_, {}, tolerances_.speed, false).speed.cwiseAbs().maxCoeff();
}

void IslandRun::begin() {
  slack_.clear();
  const Forces forces = evaluate(state_);
  for (std::size_t c = 0; c < contacts_.size(); ++c) {
    double worst = std::min(0.0, normalReserve(forces, c, tolerances_));
    if (contacts_[c].mode == ContactMode::Stick)
      worst = std::min(worst, stickReserve(forces, c, contacts_[c].friction, tolerances_));
    slack_.push_back(2.0 * std::abs(worst));
  }
  values_ = eventValues(island_, state_, contacts_, forces, slack_, tolerances_, margin(dt_ - state_.time));
}

double IslandRun::margin(double seconds) const {
  return island_.settings().speculativeDistance + seconds * (island_.speedBound(state_) + speed_);
}

Forces IslandRun::evaluate(const IslandState& state) {
  pollStop();
  Forces forces = forcesOf(island_, state, contacts_, tolerances_);
  const double rows = forces.rows.count();
  work_ += rows * rows * rows + kWorkOfPair * static_cast<double>(1 + contacts_.size());
  return forces;
}

Vector IslandRun::encode(const IslandState& state, int rows) const {
  Vector y = Vector::Zero(kBody * island_.size() + rows);
  for (int i = 0; i < island_.size(); ++i) {
    const Motion& m = state.bodies[i];
    y.segment<kBody>(kBody * i) << m.center, m.rotation.w(), m.rotation.vec(), m.velocity, m.spin;
  }
  return y;
}

IslandState IslandRun::decode(const Vector& y, double time) const {
  IslandState state;
  state.time = time;
  for (int i = 0; i < island_.size(); ++i) {
    const auto part = y.segment<kBody>(kBody * i);
    Quat q(part[3], part[4], part[5], part[6]);
    q.normalize();
    state.bodies.push_back({part.head<3>(), q, part.segment<3>(7), part.tail<3>()});
  }
  return state;
}

Vector IslandRun::slope(const Vector& y, double time) {
  const Forces forces = evaluate(decode(y, time));
  Vector dy(y.size());
  for (int i = 0; i < island_.size(); ++i) {
    const auto part = y.segment<kBody>(kBody * i);
    const Vec3 w = part.tail<3>();
    const Quat turning = Quat(0.0, w.x(), w.y(), w.z()) * Quat(part[3], part[4], part[5], part[6]);
    dy.segment<kBody>(kBody * i) << part.segment<3>(7), 0.5 * turning.w(), 0.5 * turning.vec(),
        forces.acceleration.segment<6>(6 * i);
  }
  dy.tail(forces.lambda.size()) = forces.lambda;
  return dy;
}

IslandRun::Trial IslandRun::attempt(double h) {
  Trial trial;
  const int rows = jointRows() + 3 * static_cast<int>(contacts_.size());
  const Vector y = encode(state_, rows);
  const CashKarp<Vector> next = cashKarp(y, state_.time, h, [&](double t, const Vector& at) { return slope(at, t); });
  trial.error = errorOf(y, next, h);
  if (!next.y.allFinite()) trial.error = std::numeric_limits<double>::infinity();
  trial.impulse = next.y.tail(rows);
  trial.state = decode(next.y, h >= dt_ - state_.time ? dt_ : state_.time + h);
  return trial;
}

void IslandRun::finish(Trial& trial, double h) {
  projectPlaces(island_, trial.state, contacts_, tolerances_.speed, kPushOutSpeed * h);
  projectSpeeds(island_, trial.state, contacts_, tolerances_.speed);
  trial.forces = evaluate(trial.state);
  trial.values = eventValues(island_, trial.state, contacts_, trial.forces, slack_, tolerances_, margin(h));
}

int IslandRun::jointRows() const {
  return island_.joints().empty() ? 0 : makeRows(island_, state_, {}, tolerances_.speed, false).jointRows();
}

double IslandRun::errorOf(const Vector& y, const CashKarp<Vector>& next, double h) const {
  double error = 0.0;
  const double tolerance = island_.settings().acceleration.tolerance;
  for (int i = 0; i < island_.size(); ++i) {
    const auto wrong = next.error.segment<kBody>(kBody * i);
    const double reach = island_.reach(i), speed = speed_;
    const double spin = std::max(y.segment<3>(kBody * i + 10).norm(), speed / reach);
    error = std::max({error, wrong.head<3>().norm() / (reach + h * speed), wrong.segment<4>(3).norm(),
                      wrong.segment<3>(7).norm() / speed, wrong.tail<3>().norm() / spin});
  }
  return error / tolerance;
}

IslandOutcome runIsland(const SmoothIsland& island, double dt) { return IslandRun(island, dt).run(); }

}  // namespace cairn
