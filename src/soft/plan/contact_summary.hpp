// What a step is planned by, of a contact (ContactSummary).
#pragma once

#include <algorithm>
#include <cmath>

#include "collision/contact.hpp"
#include "soft/plan/policy.hpp"

namespace cairn {

// Of a resting contact: the rest of it is not looked at then.
struct ContactSummary {
  float load = 0.0f;           // N s per System::impulseSeconds, along the normal
  float deepest = 0.0f;        // m, the least separation, or 0 if none is negative
  float approachSpeed = 0.0f;  // m/s
  std::uint8_t points = 0;
  bool special = false;
  bool isUpright = false;  // one body is above the other
};

inline bool isUpright(float steepness) { return !(steepness < policy::plan::kUpright); }  // a cosine

inline ContactSummary summaryOf(const Contact& contact, const Float3& up) {
  ContactSummary summary;
  summary.approachSpeed = contact.approachSpeed;
  summary.points = contact.count;
  summary.special = contact.special;
  summary.isUpright = isUpright(std::abs(contact.normal.dot(up)));
  for (int p = 0; p < contact.count; ++p) {
    summary.load += contact.points[p].normalImpulse;
    summary.deepest = std::min(summary.deepest, contact.points[p].separation);
  }
  return summary;
}

}  // namespace cairn
