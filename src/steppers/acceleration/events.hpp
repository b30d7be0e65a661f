// Events: what ends a stretch of smooth motion, as numbers that fall below zero.
#pragma once

#include "steppers/acceleration/modes.hpp"

namespace cairn {

enum class EventKind : std::uint8_t {
  Touch,    // a point comes into contact
  Release,  // lambda_n of an active contact reaches zero
  Stop,     // slip ends
  Slip,     // a sticking contact reaches the edge of its cone
};

struct EventValue {
  EventKind kind{};
  int pair = 0;
  PointId id{};
  double value = 0.0;  // m, N/N or m/s; below zero: it may have happened
  double speed = 0.0;  // m/s, of Touch: its rate
  bool happened = false;
};

// How deep (m) a point is when it counts as having touched: what rounding may do to gaps.
double touchDepth(const IslandState& state);

// Events of an instant. `slack` by active contact: how far its laws were broken already when modes were decided.
// Points farther apart than the margin (m) are left out.
std::vector<EventValue> eventValues(const SmoothIsland& island, const IslandState& state,
                                    const std::vector<ActiveContact>& contacts, const Forces& forces,
                                    const std::vector<double>& slack, const Tolerances& tolerances, double margin);

const EventValue* findTwin(const std::vector<EventValue>& values, const EventValue& one);
bool anyHappened(const std::vector<EventValue>& values);

// When (s, from `low` to `high`) the first of the events that happened at `high` did, by straight lines between the two.
double estimateTime(const std::vector<EventValue>& atLow, double low, const std::vector<EventValue>& atHigh, double high);

// Whether a point that is apart at both ends may have touched in between: cubics through gaps and their rates.
bool mayHaveGrazed(const std::vector<EventValue>& before, const std::vector<EventValue>& after, double seconds);

// The longest step (s) that cannot carry any shape through another, or, if it is to be conservative, into contact.
double safeStep(const SmoothIsland& island, const IslandState& state, const std::vector<ActiveContact>& contacts,
                double seconds);

}  // namespace cairn
