// Smooth motion from a decision to the next event, and where that is.
#include "steppers/acceleration/island_run.hpp"
#include "steppers/acceleration/overlap.hpp"
#include "steppers/acceleration/projection.hpp"

namespace cairn {

namespace {

constexpr double kShortestStep = 1e-13;  // of dt: what fails there is taken as it is
constexpr int kMostSteps = 20000;
constexpr int kMostLocations = 100;  // steps to find an event; bisection alone takes 30

}  // namespace

bool IslandRun::flow(std::set<Key>& stopped) {
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

bool IslandRun::canShareAnew(const Trial& trial, std::vector<ActiveContact>& shared) const {
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

std::vector<EventValue> IslandRun::locate(Trial& trial, double& h) {
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

bool IslandRun::commit(Trial& trial, double h) {
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
    freeze(contact, frame.point, island_.motionOf(pair.bodyA, pair.a, state_), island_.motionOf(pair.bodyB, pair.b, state_));
    if (contact.mode != ContactMode::Slide || !(frame.slip.norm() > tolerances_.speed)) continue;
    contact.direction = frame.slip.normalized();
    contact.slipSpeed = frame.slip.norm();
  }
  return lost;
}

}  // namespace cairn
