// What a step is planned by, of a contact (ContactSummary).
#pragma once

#include <algorithm>
#include <cmath>

#include "collision/contact.hpp"

namespace cairn {

inline bool isUpright(float steepness) { return !(steepness < 0.7f); }  // cosine: it is between layers

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
