// What a step is planned by, of a contact (ContactBrief).
#pragma once

#include <algorithm>
#include <cmath>

#include "collision/contact.hpp"

namespace cairn {

inline bool isUpright(float steepness) { return !(steepness < 0.7f); }  // cosine: it is between layers

inline ContactBrief briefOf(const Contact& contact, const Float3& up) {
  ContactBrief brief;
  brief.approachSpeed = contact.approachSpeed;
  brief.points = contact.count;
  brief.special = contact.special;
  brief.isUpright = isUpright(std::abs(contact.normal.dot(up)));
  for (int p = 0; p < contact.count; ++p) {
    brief.load += contact.points[p].normalImpulse;
    brief.deepest = std::min(brief.deepest, contact.points[p].separation);
  }
  return brief;
}

}  // namespace cairn
