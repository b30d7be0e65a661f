#include "steppers/acceleration/run.hpp"

#include <set>

#include "base/stop.hpp"
#include "math/runge_kutta.hpp"
#include "steppers/acceleration/overlap.hpp"
#include "steppers/acceleration/projection.hpp"

namespace cairn {

namespace {

constexpr double kTouchBand = 1e-11;      // m: nearer points touch
constexpr double kSpeedTolerance = 1e-8;  // of the island's largest speed
constexpr double kImpactSpeed = 10.0;     // times that, at least: slower approaches are taken away without an impact
constexpr double kFalls = 4.0;            // or times what is gained by falling as deep as points must be to touch
constexpr double kShortestStep = 1e-13;   // of dt: what fails there is taken as it is
constexpr int kMostInstants = 60;         // impacts and decisions at one instant
constexpr int kMostSteps = 20000;
constexpr double kStiff = 1e3;       // decay times in dt: an explicit rule takes a step for every three
constexpr int kMostLocations = 100;  // steps to find an event; bisection alone takes 30
constexpr double kMostWork = 1e9;    // some nanoseconds each: seconds, not minutes
constexpr double kWorkOfPair = 5e3;  // to find a contact at three poses

constexpr const char* kTooMuchWork = "an island takes more work than there is for one step";

using Key = std::pair<int, PointId>;  // pair and point of it

class IslandRun {
 public:
  IslandRun(const SmoothIsland& island, double dt) : island_(island), dt_(dt), state_(island.start()), step_(dt) {
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

  IslandOutcome run() {
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

 private:
  void say(const std::string& what) {
    if (out_.message.empty()) out_.message = what;
  }

  // Why the rest of the step is left to another method.
  bool giveUp(const std::string& why) {
    out_.message += (out_.message.empty() ? "" : "; ") + why;
    return false;
  }

  // Forces of so many contact points are a dense factorisation.
  bool isTooMuch(std::size_t contacts) const {
    const double rows = 3.0 * static_cast<double>(contacts) + jointRows();
    return work_ + rows * rows * rows > kMostWork;
  }

  // ---- at an instant ----

  std::vector<ActiveContact> touchingPoints(const std::set<Key>& stopped, double& fastest) const {
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

  // Impacts until nothing approaches, then modes. False: this island is beyond the method.
  bool prepare(const std::set<Key>& stopped) {
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

  double jointSpeedError() const {
    if (island_.joints().empty()) return 0.0;
    return makeRows(island_, state_, {}, tolerances_.speed, false).speed.cwiseAbs().maxCoeff();
  }

  // Forces and events where the stretch begins. Redundant contacts may break a law a little from the start.
  void begin() {
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

  double margin(double seconds) const {
    return island_.settings().speculativeDistance + seconds * (island_.speedBound(state_) + speed_);
  }

  Forces evaluate(const IslandState& state) {
    pollStop();
    Forces forces = forcesOf(island_, state, contacts_, tolerances_);
    const double rows = forces.rows.count();
    work_ += rows * rows * rows + kWorkOfPair * static_cast<double>(1 + contacts_.size());
    return forces;
  }

  // ---- smooth motion ----

  // Bodies as one vector: centre, rotation (w, x, y, z), velocity, spin; then the impulses of all rows so far.
  static constexpr int kBody = 13;
  Vector encode(const IslandState& state, int rows) const {
    Vector y = Vector::Zero(kBody * island_.size() + rows);
    for (int i = 0; i < island_.size(); ++i) {
      const Motion& m = state.bodies[i];
      y.segment<kBody>(kBody * i) << m.center, m.rotation.w(), m.rotation.vec(), m.velocity, m.spin;
    }
    return y;
  }
  IslandState decode(const Vector& y, double time) const {
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
  Vector slope(const Vector& y, double time) {
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

  struct Trial {
    IslandState state;
    Vector impulse;  // of all rows, over the trial
    double error = 0.0;
    Forces forces;
    std::vector<EventValue> values;
  };

  Trial attempt(double h) {
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
  // What is only worth it for a step that is accurate.
  void finish(Trial& trial, double h) {
    projectPlaces(island_, trial.state, contacts_, tolerances_.speed, kPushOutSpeed * h);
    projectSpeeds(island_, trial.state, contacts_, tolerances_.speed);
    trial.forces = evaluate(trial.state);
    trial.values = eventValues(island_, trial.state, contacts_, trial.forces, slack_, tolerances_, margin(h));
  }
  int jointRows() const {
    return island_.joints().empty() ? 0 : makeRows(island_, state_, {}, tolerances_.speed, false).jointRows();
  }

  // Over what is allowed. Every part is measured by a size of its own.
  double errorOf(const Vector& y, const CashKarp<Vector>& next, double h) const {
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

  // From the decision to the next event, or the end of the step. False: no end in sight.
  bool flow(std::set<Key>& stopped) {
    stopped.clear();
    while (state_.time < dt_) {
      if (++steps_ > kMostSteps || work_ > kMostWork) {
        return giveUp(kTooMuchWork);
      }
      const double left = dt_ - state_.time;
      double h = std::min(step_, left);
      h = std::min(h, safeStep(island_, state_, contacts_, h));
      if (left - h < 1e-12 * dt_) h = left;
      Trial trial = attempt(h);
      if (!(trial.error <= 1.0) && h > kShortestStep * dt_) {
        step_ = std::isfinite(trial.error) ? nextStepSize(h, trial.error) : 0.1 * h;
        continue;
      }
      if (!std::isfinite(trial.error)) {
        return giveUp("motion is not finite");
      }
      finish(trial, h);
      if (!anyHappened(trial.values) && h > island_.settings().acceleration.eventSeconds &&
          mayHaveGrazed(values_, trial.values, h)) {
        step_ = 0.5 * h;
        continue;
      }
      if (!anyHappened(trial.values)) {
        step_ = std::max(nextStepSize(h, trial.error), step_ > h ? step_ : 0.0);
        if (!commit(trial, h)) continue;
        return true;  // other features touch now
      }
      if (std::vector<ActiveContact> shared; canShareAnew(trial, shared)) {
        commit(trial, h);
        for (std::size_t c = 0; c < contacts_.size(); ++c) {
          contacts_[c].normalReference = shared[c].normalReference;
          contacts_[c].frictionReference = shared[c].frictionReference;
        }
        begin();
        continue;
      }
      for (const EventValue& value : locate(trial, h))
        if (value.kind == EventKind::Stop) stopped.insert({value.pair, value.id});
      commit(trial, h);
      ++out_.events;
      return true;
    }
    return true;
  }

  // Redundant contacts can share the same forces in many ways. If all that happened is that one way broke a law, and
  // another way with the same modes does not, then nothing has happened: accelerations are the same.
  bool canShareAnew(const Trial& trial, std::vector<ActiveContact>& shared) const {
    for (const EventValue& value : trial.values)
      if (value.happened && value.kind != EventKind::Release && value.kind != EventKind::Slip) return false;
    std::vector<ActiveContact> touching = contacts_;
    for (std::size_t c = 0; c < touching.size(); ++c) {
      const ContactFrame& frame = trial.forces.rows.frames[c];
      if (frame.lost) return false;
      touching[c].normalReference = 0.0;
      touching[c].frictionReference.setZero();
      if (touching[c].mode != ContactMode::Slide) continue;
      if (!(frame.slip.norm() > tolerances_.speed)) return false;
      touching[c].direction = frame.slip.normalized();
      touching[c].slipSpeed = frame.slip.norm();
    }
    Decision decision = decideModes(island_, trial.state, touching, tolerances_);
    if (decision.verdict != Verdict::Consistent || decision.contacts.size() != touching.size()) return false;
    for (std::size_t c = 0; c < touching.size(); ++c)
      if (decision.contacts[c].mode != touching[c].mode) return false;
    shared = std::move(decision.contacts);
    return true;
  }

  // Shortens a trial of length h that something happens in until the first event is at its end; says what it is.
  std::vector<EventValue> locate(Trial& trial, double& h) {
    const double exactly = island_.settings().acceleration.eventSeconds;
    double low = 0.0, width = h;
    std::vector<EventValue> atLow = values_;
    for (int i = 0; i < kMostLocations && h - low > exactly; ++i) {
      double x = estimateTime(atLow, low, trial.values, h) + (i % 2 == 0 ? 0.3 : -0.3) * exactly;
      // Straight lines that get nowhere give way to bisection.
      if (i % 3 == 2) {
        if (h - low > 0.3 * width) x = 0.5 * (low + h);
        width = h - low;
      }
      if (!(x > low + 0.1 * exactly)) x = low + std::min(0.5 * exactly, 0.5 * (h - low));
      if (!(x < h - 0.1 * exactly)) x = h - std::min(0.5 * exactly, 0.5 * (h - low));
      Trial shorter = attempt(x);
      if (!std::isfinite(shorter.error)) break;
      finish(shorter, x);
      if (anyHappened(shorter.values)) {
        trial = std::move(shorter);
        h = x;
      } else {
        low = x;
        atLow = std::move(shorter.values);
      }
    }
    std::vector<EventValue> happened;
    for (const EventValue& value : trial.values)
      if (value.happened) happened.push_back(value);
    // So near the event everything is a straight line: its crossing is better than either end.
    const double crossing = estimateTime(atLow, low, trial.values, h);
    Trial last = attempt(crossing);
    if (crossing < h && std::isfinite(last.error)) {
      finish(last, crossing);
      trial = std::move(last);
      h = crossing;
    }
    return happened;
  }

  // The trial becomes the state. True if a contact's features do not touch any more.
  bool commit(Trial& trial, double h) {
    state_ = std::move(trial.state);
    addLoads(trial.forces.rows, contacts_, trial.impulse, out_.loads);
    values_ = std::move(trial.values);
    bool lost = false;
    for (std::size_t c = 0; c < contacts_.size(); ++c) {
      ActiveContact& contact = contacts_[c];
      const ContactFrame& frame = trial.forces.rows.frames[c];
      lost |= frame.lost;
      if (contact.id != frame.point.id) {
        // The same place by another name; if that is another contact's, one of the two is gone.
        lost |= std::any_of(contacts_.begin(), contacts_.end(), [&](const ActiveContact& other) {
          return other.pair == contact.pair && other.id == frame.point.id;
        });
        contact.id = frame.point.id;
      }
      contact.target = std::min(0.0, contact.target + kPushOutSpeed * h);
      const IslandPair& pair = island_.pairs()[contact.pair];
      freeze(contact, frame.point, island_.motionOf(pair.bodyA, pair.a, state_),
             island_.motionOf(pair.bodyB, pair.b, state_));
      if (contact.mode != ContactMode::Slide || !(frame.slip.norm() > tolerances_.speed)) continue;
      contact.direction = frame.slip.normalized();
      contact.slipSpeed = frame.slip.norm();
    }
    return lost;
  }

  const SmoothIsland& island_;
  double dt_;
  IslandState state_;
  double step_;         // s, to try next
  double speed_ = 0.0;  // m/s, that stands for the island
  Tolerances tolerances_;
  double impactSpeed_ = 0.0;  // m/s: slower approaches are no impacts
  std::vector<ActiveContact> contacts_;
  std::vector<double> slack_;       // by contact
  std::vector<EventValue> values_;  // now
  int steps_ = 0;
  double work_ = 0.0;
  IslandOutcome out_;
};

}  // namespace

IslandOutcome runIsland(const SmoothIsland& island, double dt) { return IslandRun(island, dt).run(); }

}  // namespace cairn
