#include "steppers/acceleration/events.hpp"

namespace cairn {

namespace {

constexpr double kTouchDepth = 1e-12;  // m, times 1 + the largest coordinate in m: rounding of gaps
constexpr double kForceSlack = 1e-7;   // of the largest force: how far a law is broken before it is an event
constexpr double kThroughShare = 0.5;  // of the thinner shape, that one step may go

// By the names that features have at the instant of the frames.
bool isActive(const std::vector<ActiveContact>& contacts, const std::vector<ContactFrame>& frames, int pair,
              const PointId& id) {
  for (std::size_t c = 0; c < contacts.size(); ++c)
    if (contacts[c].pair == pair && frames[c].point.id == id) return true;
  return false;
}
bool isActive(const std::vector<ActiveContact>& contacts, int pair) {
  return std::any_of(contacts.begin(), contacts.end(), [&](const ActiveContact& c) { return c.pair == pair; });
}

}  // namespace

double touchDepth(const IslandState& state) {
  double extent = 0.0;
  for (const Motion& motion : state.bodies) extent = std::max(extent, motion.center.cwiseAbs().maxCoeff());
  return kTouchDepth * (1.0 + extent);
}

std::vector<EventValue> eventValues(const SmoothIsland& island, const IslandState& state,
                                    const std::vector<ActiveContact>& contacts, const Forces& forces,
                                    const std::vector<double>& slack, const Tolerances& tolerances, double margin) {
  std::vector<EventValue> values;
  Touches touches;
  const auto add = [&](EventKind kind, int pair, const PointId& id, double value) {
    values.push_back({kind, pair, id, value, 0.0, value < 0.0});
  };
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    const ActiveContact& contact = contacts[c];
    const double allowed = kForceSlack + (c < slack.size() ? slack[c] : 0.0);
    add(EventKind::Release, contact.pair, contact.id, normalReserve(forces, c, tolerances) + allowed);
    if (contact.mode == ContactMode::Stick) {
      add(EventKind::Slip, contact.pair, contact.id, stickReserve(forces, c, contact.friction, tolerances) + allowed);
    } else if (contact.friction > 0.0) {
      const double slip = forces.rows.frames[c].slip.dot(contact.direction);
      add(EventKind::Stop, contact.pair, contact.id,
          contact.slipSpeed > 0.0 ? slip - 0.5 * tolerances.speed : slip + tolerances.speed);
    }
  }
  const double depth = touchDepth(state);
  for (int i = 0; i < static_cast<int>(island.pairs().size()); ++i) {
    const IslandPair& pair = island.pairs()[i];
    const Motion a = island.motionOf(pair.bodyA, pair.a, state), b = island.motionOf(pair.bodyB, pair.b, state);
    island.touch(i, a, b, margin, touches);
    for (const PairPoint& point : touches.points) {
      if (isActive(contacts, forces.rows.frames, i, point.id)) continue;
      EventValue value{EventKind::Touch, i, point.id, point.gap + depth, 0.0, false};
      value.speed = island.relativeVelocity(point, a, b).dot(point.normal);
      value.happened = value.value <= 0.0 && value.speed < -tolerances.speed;
      values.push_back(value);
    }
  }
  return values;
}

const EventValue* findTwin(const std::vector<EventValue>& values, const EventValue& one) {
  for (const EventValue& value : values)
    if (value.kind == one.kind && value.pair == one.pair && value.id == one.id) return &value;
  return nullptr;
}

bool anyHappened(const std::vector<EventValue>& values) {
  return std::any_of(values.begin(), values.end(), [](const EventValue& value) { return value.happened; });
}

double estimateTime(const std::vector<EventValue>& atLow, double low, const std::vector<EventValue>& atHigh, double high) {
  double first = high;
  for (const EventValue& value : atHigh) {
    if (!value.happened) continue;
    const EventValue* before = findTwin(atLow, value);
    const bool crosses = before != nullptr && before->value > 0.0 && value.value < 0.0;
    const double share = crosses ? before->value / (before->value - value.value) : 0.5;
    first = std::min(first, low + share * (high - low));
  }
  return first;
}

bool mayHaveGrazed(const std::vector<EventValue>& before, const std::vector<EventValue>& after, double seconds) {
  for (const EventValue& end : after) {
    if (end.kind != EventKind::Touch || !(end.speed > 0.0) || !(end.value > 0.0)) continue;
    const EventValue* start = findTwin(before, end);
    if (start == nullptr || !(start->speed < 0.0) || !(start->value > 0.0)) continue;
    for (int k = 1; k < 8; ++k) {
      const double s = k / 8.0, r = 1.0 - s;
      const double gap = r * r * (1.0 + 2.0 * s) * start->value + s * s * (3.0 - 2.0 * s) * end.value +
                         seconds * s * r * (r * start->speed - s * end.speed);
      if (gap < 0.0) return true;
    }
  }
  return false;
}

double safeStep(const SmoothIsland& island, const IslandState& state, const std::vector<ActiveContact>& contacts,
                double seconds) {
  Touches touches;
  const AccelerationOptions& options = island.settings().acceleration;
  const bool conservative = options.location == "conservative";
  double step = seconds;
  for (int i = 0; i < static_cast<int>(island.pairs().size()); ++i) {
    const IslandPair& pair = island.pairs()[i];
    if (isActive(contacts, i)) continue;
    const double through = conservative ? 0.0 : kThroughShare * pair.thickness;
    if (!conservative && !(through > 0.0)) continue;
    const Motion a = island.motionOf(pair.bodyA, pair.a, state), b = island.motionOf(pair.bodyB, pair.b, state);
    const double gained = seconds * island.settings().gravity.norm();
    const double speed =
        (b.velocity - a.velocity).norm() + a.spin.norm() * pair.reachA + b.spin.norm() * pair.reachB + gained;
    if (through >= speed * step) continue;
    double gap = speed * step;  // or more
    bool approaches = false;
    island.touch(i, a, b, gap, touches);
    for (const PairPoint& point : touches.points) {
      gap = std::min(gap, point.gap);
      approaches |= island.relativeVelocity(point, a, b).dot(point.normal) < 0.0;
    }
    // A point that has just bounced moves away: it is no reason to stand still.
    if (touches.points.empty() || (gap <= 0.0 && !approaches)) continue;
    step = std::min(step, std::max({gap / speed, through / speed, options.eventSeconds}));
  }
  return step;
}

}  // namespace cairn
