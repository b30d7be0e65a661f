#include "soft/layout/watched_contacts.hpp"

#include <algorithm>
#include <cmath>

#include "base/growth.hpp"
#include "soft/plan/policy.hpp"

namespace cairn {

using namespace policy::layout;

namespace {

using wide::kLanes;
using wide::WatchBlock;

// How fast points of the two surfaces can approach by turning about the centres, per rad/s.
struct Reach {
  float a = 0.0f, b = 0.0f;  // m
};
Reach reachOf(const Contact& contact) {
  // Across the normal the two anchors of a point differ by what is between the centres.
  const Float3 across = contact.between.cross(contact.normal);
  const Float3 toA = contact.anchorsOnB ? Float3(-across) : Float3::Zero();
  const Float3 toB = contact.anchorsOnB ? Float3::Zero() : across;
  Reach squared;
  for (int i = 0; i < contact.count; ++i) {
    const Float3 arm = contact.points[i].anchor.cross(contact.normal);
    squared.a = std::max(squared.a, (arm + toA).squaredNorm());
    squared.b = std::max(squared.b, (arm + toB).squaredNorm());
  }
  return {std::sqrt(squared.a), std::sqrt(squared.b)};
}

float gapOf(const Contact& contact) {
  float gap = contact.points[0].separation;
  for (int i = 1; i < contact.count; ++i) gap = std::min(gap, contact.points[i].separation);
  return gap;
}

void setLane(WatchBlock& block, std::uint32_t lane, const ContactEnds& ends, const Contact& contact) {
  const Reach reach = reachOf(contact);
  block.bodyA[lane] = ends.a;
  block.bodyB[lane] = ends.b;
  for (int k = 0; k < 3; ++k) block.normal[k][lane] = contact.normal[k];
  block.gap[lane] = gapOf(contact);
  block.reachA[lane] = reach.a;
  block.reachB[lane] = reach.b;
}

}  // namespace

std::uint8_t watchRank(const Contact& contact, const BodyMotion& a, const BodyMotion& b, float near, float dt) {
  for (int i = 0; i < contact.count; ++i)
    if (contact.points[i].normalImpulse > 0.0f) return 0;
  const float gap = gapOf(contact);
  if (!(gap > near)) return 0;
  float opening = contact.normal.dot(b.velocity - a.velocity);
  if (std::max(a.spin, b.spin) > kSlowTurn) {
    const Reach reach = reachOf(contact);
    opening -= reach.a * a.spin + reach.b * b.spin;
  }
  const float left = gap + dt * opening;
  if (!(left > near)) return 0;
  std::uint8_t rank = 1;
  for (float width = 2.0f * near; width < left && rank < kSortKeys - 1; width *= 2.0f) ++rank;
  return rank;
}

void clearImpulses(Contact& contact) {
  contact.approachSpeed = contact.twistImpulse = contact.totalTwist = 0.0f;
  contact.frictionImpulse.setZero();
  contact.totalFriction.setZero();
  for (int i = 0; i < contact.count; ++i) contact.points[i].normalImpulse = contact.points[i].totalImpulse = 0.0f;
}

void ContactWatch::begin(std::span<const ContactEnds> contacts, MovableBodies movable, const std::vector<Contact>& slots,
                         float near, std::uint32_t ground, ColouringBuffers& buffers) {
  closest_ = kJoinShare * near;
  mayBounce_ = false;
  std::size_t count = 0;
  if (contacts.empty()) {
    resizeAnew(blocks_, 0);
    return;
  }
  colourContacts(contacts, movable, buffers, colouring_);
  sortColours(colouring_, buffers, [](const ContactEnds& ends) { return ends.rank; });
  forEachBlock(colouring_, kLanes, [&](std::uint32_t, std::uint32_t) { ++count; });
  resizeAnew(blocks_, count);
  WatchBlock* next = blocks_.data();
  forEachBlock(colouring_, kLanes, [&](std::uint32_t first, std::uint32_t last) {
    WatchBlock& block = *next++;
    block.first = first;
    block.lanes = last - first;
    block.joined = false;
    for (std::uint32_t i = first; i < last; ++i) {
      const Contact& contact = slots[colouring_.contacts[i].contact];
      setLane(block, i - first, colouring_.contacts[i], contact);
      mayBounce_ |= contact.restitution > 0.0f;
    }
    for (std::uint32_t lane = block.lanes; lane < kLanes; ++lane) {
      block.bodyA[lane] = block.bodyB[lane] = ground;
      for (int k = 0; k < 3; ++k) block.normal[k][lane] = 0.0f;
      block.gap[lane] = 1e30f;
      block.reachA[lane] = block.reachB[lane] = 0.0f;
    }
  });
}

}  // namespace cairn
