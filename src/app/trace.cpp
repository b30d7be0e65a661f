#include "app/trace.hpp"

#include <algorithm>

namespace cairn {

void Trace::add(double time, double value) {
  if (places_.empty() || places_.back().count == stepsPerPlace_) {
    places_.push_back({time, value, value, value, 1});
    return;
  }
  Place& place = places_.back();
  place.time = time;
  place.low = std::min(place.low, value);
  place.high = std::max(place.high, value);
  place.sum += value;
  ++place.count;
}

Trace::Points Trace::envelope() const {
  Points points;
  for (const Place& place : places_) {
    points.push_back({place.time, place.low});
    if (place.high > place.low) points.push_back({place.time, place.high});
  }
  return points;
}

Trace::Points Trace::means() const {
  Points points;
  for (const Place& place : places_) points.push_back({place.time, place.sum / static_cast<double>(place.count)});
  return points;
}

}  // namespace cairn
