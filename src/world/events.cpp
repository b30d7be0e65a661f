// Who touches whom: noted by every step, told when asked for.
#include <algorithm>
#include <utility>

#include "base/fetch_ahead.hpp"
#include "world/state.hpp"

namespace cairn {

namespace {

constexpr std::size_t kContactGrain = 128;
constexpr std::size_t kAhead = 8;  // contacts: asked for before they have their turn

}  // namespace

// Events are told when asked for; here only what changed is noted.
void WorldImpl::markTouching() {
  ContactCache& cache = state.system.contacts;
  const std::vector<std::uint32_t>& inUse = cache.inUse;
  const bool known = std::exchange(cache.knowsTouch, false);
  // Those that ended are told of in their order.
  endings.assign((inUse.size() + kContactGrain - 1) / kContactGrain, 0);
  tasks.parallelFor(inUse.size(), kContactGrain, [&](std::size_t first, std::size_t last) {
    bool found = false;
    for (std::size_t i = first; i < last; ++i) {
      std::uint8_t& touch = cache.touch[inUse[i]];
      std::uint8_t now = touch;
      if (!known) {
        if (i + kAhead < last) prefetch(cache.slots[inUse[i + kAhead]]);
        now = cache.slots[inUse[i]].touches() ? now | Touch::kNow : now & ~Touch::kNow;
      }
      const bool touchesNow = (now & Touch::kNow) != 0, touched = (now & Touch::kTold) != 0;
      found |= touched && !touchesNow;
      now = touchesNow && !touched ? now | Touch::kTold | Touch::kBegan : now & ~Touch::kBegan;
      if (now != touch) touch = now;
    }
    endings[first / kContactGrain] = found ? 1 : 0;
  });
  for (std::size_t piece = 0; piece < endings.size(); ++piece) {
    if (endings[piece] == 0) continue;
    for (std::size_t i = piece * kContactGrain; i < std::min((piece + 1) * kContactGrain, inUse.size()); ++i) {
      std::uint8_t& touch = cache.touch[inUse[i]];
      if ((touch & Touch::kTold) == 0 || (touch & Touch::kNow) != 0) continue;
      touch &= ~Touch::kTouching;
      state.ending.push_back(partiesOf(cache.slots[inUse[i]], state.system.colliders));
    }
  }
  state.ended.swap(state.ending);
  state.ending.clear();
  eventsAreFresh = false;
}

void WorldImpl::collectEvents() {
  const std::scoped_lock lock(eventsMutex);
  if (eventsAreFresh) return;
  eventsAreFresh = true;
  events.clear();
  const auto tell = [&](ContactPhase phase, const ContactParties& contact) -> ContactEvent& {
    ContactEvent& event = events.emplace_back();
    event.phase = phase;
    event.shapeA = contact.shapeA;
    event.shapeB = contact.shapeB;
    event.bodyA = contact.bodyA;
    event.bodyB = contact.bodyB;
    event.normal = contact.normal.cast<double>();
    return event;
  };
  const std::vector<Collider>& colliders = state.system.colliders;
  forEachContact(state.system, [&](std::uint32_t slot) {
    const Contact& contact = state.system.contacts.slots[slot];
    const std::uint8_t touch = state.system.contacts.touch[slot];
    if ((touch & Touch::kTold) == 0) return;
    float weight = 0.0f;
    for (int i = 0; i < contact.count; ++i) weight += contact.points[i].totalImpulse;
    Float3 arm = Float3::Zero();
    for (int i = 0; i < contact.count; ++i) {
      const ContactPoint& point = contact.points[i];
      arm += (weight > 0.0f ? point.totalImpulse / weight : 1.0f / static_cast<float>(contact.count)) * contact.anchorA(i);
    }
    ContactEvent& event =
        tell((touch & Touch::kBegan) != 0 ? ContactPhase::Begin : ContactPhase::Persist, partiesOf(contact, colliders));
    event.point = places[contact.bodyA].center + arm.cast<double>();
    event.normalImpulse = weight;
    event.frictionImpulse = contact.totalFriction.cast<double>();
    event.twistImpulse = contact.totalTwist;
    event.approachSpeed = contact.approachSpeed;
    event.points = contact.count;
  });
  for (const ContactParties& contact : state.ended) tell(ContactPhase::End, contact);
  std::sort(events.begin(), events.end(), [](const ContactEvent& a, const ContactEvent& b) {
    return std::pair(a.shapeA.index, a.shapeB.index) < std::pair(b.shapeA.index, b.shapeB.index);
  });
}

std::span<const ImpactRecord> World::impacts() const { return impl_->impacts; }

std::span<const ContactEvent> World::contactEvents() const {
  impl_->collectEvents();
  return impl_->events;
}

}  // namespace cairn
