// What a step is planned by, of a contact (ContactSummary).
#pragma once

#include <algorithm>
#include <cmath>

#include "collision/contact.hpp"
#include "soft/plan/policy.hpp"

namespace cairn {

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
