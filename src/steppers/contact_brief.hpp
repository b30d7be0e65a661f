// What a step is planned by, of a contact (ContactBrief).
#pragma once

#include <algorithm>
#include <cmath>

#include "collision/contact.hpp"

namespace cairn {

inline constexpr float kAllButClosed = 1e-3f;  // m

// By the squares of its friction and of the most that there could be. What slides does not lean.
inline bool leansOn(float friction, float most) { return friction > 0.16f * most && friction < 0.96f * most; }

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
  for (int p = 0; p < contact.count; ++p) {
    const ContactPoint& point = contact.points[p];
    brief.pressed += (brief.load > 0.0f ? point.normalImpulse > 0.0f : point.separation < kAllButClosed) ? 1 : 0;
  }
  const float most = contact.friction * brief.load;
  brief.leans = leansOn(contact.frictionImpulse.squaredNorm(), most * most);
  return brief;
}

}  // namespace cairn
