// Which islands are solved directly (direct_island.hpp): where a body bears too many times its own weight for sweeps or for
// springs, and where a house of cards stands that sweeps would let creep.
#include <algorithm>
#include <cmath>

#include "soft/plan/contact_springs.hpp"
#include "soft/plan/policy.hpp"
#include "soft/plan/policy_direct.hpp"
#include "soft/plan/substep_plan.hpp"

namespace cairn {

using namespace policy::direct;
using policy::plan::kMostMassRatio, policy::plan::kFewBodies, policy::plan::kSpringAngle;

// Few islands are looked at, so that others need not remember more of their contacts.
void SubstepPlan::surveyHard(const StepContext& context) {
  const System& system = context.system;
  bool any = false;
  for (Need& need : needs_) {
    need.mayBeDirect = context.settings.soft.direct && need.touches && need.joints == 0 && !need.exact &&
                       need.spinning == 0 && need.bodies <= kMostBodies && need.contacts <= kMostContacts;
    need.isLookedAt =
        need.mayBeDirect && (need.heaviest * need.lightness > kMostMassRatio || need.points < kBroad * need.contacts);
    any |= need.isLookedAt;
  }
  if (!any) return;
  const double perSecond = system.impulseSeconds > 0.0 ? 1.0 / system.impulseSeconds : 0.0;
  for (const LiveContact& live : contacts_) {
    Need& need = needs_[live.island];
    if (!need.isLookedAt) continue;
    const Contact& contact = system.contacts.slots[live.contact];
    float load = 0.0f;
    for (int p = 0; p < contact.count; ++p) load += contact.points[p].normalImpulse;
    int pressed = 0;  // if none carries anything, those that are all but closed
    for (int p = 0; p < contact.count; ++p) {
      const ContactPoint& point = contact.points[p];
      pressed += (load > 0.0f ? point.normalImpulse > 0.0f : point.separation < kAllButClosed) ? 1 : 0;
    }
    need.pressing += pressed > 0 ? 1 : 0;
    need.pressed += pressed;
    need.loaded += load;
    const float friction = contact.frictionImpulse.norm(), most = contact.friction * load;
    if (friction > kLeansFrom * most && friction < kLeansTo * most) need.leaning += load;
    // What it took to stop them in an impact is over.
    const double stopped = load * (bodies_[live.a].inverseMass + bodies_[live.b].inverseMass);
    need.burden = std::max(need.burden, (stopped - std::max(contact.approachSpeed, 0.0f)) * perSecond);
  }
}

int SubstepPlan::directEighths(const Need& need, const SoftOptions& options, double gravity, double dt) {
  if (!need.mayBeDirect) return 0;
  const int threshold = 8 * options.substeps, before = need.known > 0 ? (need.before + need.known / 2) / need.known : 0;
  const bool was = before > threshold;
  const double share = was ? kStaysDirect : 1.0;
  const double omega = std::min(kTwoPi * options.contactFrequency, kSpringAngle * options.substeps / dt);
  // Of an island that is new the loads are not known: its lightest body might carry all others, and what stands on edges,
  // which have two points each, is thought to lean. What came to rest while it was swept is held by sweeps.
  const bool isNew = 2 * need.known <= need.bodies;
  const double burden = isNew ? need.mass * need.lightness * gravity : need.burden;
  const bool isUneven = need.heaviest * need.lightness > kMostMassRatio;
  const bool bears = need.hardness > share * omega * omega || (isUneven && burden > share * kMostBurden * gravity);
  const bool onEdges = need.pressed > kLeastEdge * need.pressing && need.pressed < kMostEdge * need.pressing;
  const bool leans = onEdges && (isNew || (was && need.leaning > kLeaning * need.loaded));
  const bool isAtRest = need.speeds < need.bodies * kResting * kResting;
  if (bears || (leans && isAtRest && need.bodies > kFewBodies)) return threshold + kStepsDirect;
  return was ? before - 1 : 0;
}

}  // namespace cairn
