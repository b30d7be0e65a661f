// What steppers remember of single contact points from step to step, beyond impulses. "soft" needs none of it.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "cairn/contact_problem.hpp"
#include "collision/touch.hpp"

namespace cairn {

// The identity of a contact point: nothing that lasts from step to step goes by anything else.
struct ContactKey {
  std::uint64_t pair = 0;  // Pair::key()
  PointId point{};
  bool operator==(const ContactKey&) const = default;
};
struct ContactKeyHash {
  std::size_t operator()(const ContactKey& key) const {
    const Children& children = key.point.children;
    return std::hash<std::uint64_t>{}(key.pair * 0x9e3779b97f4a7c15ULL + children.a * 0xc2b2ae3d27d4eb4fULL +
                                      children.b * 0x165667b19e3779f9ULL + key.point.feature);
  }
};

struct PointMemory {
  bool stuck = false;           // it did not slip in the last step: static friction holds
  bool lasting = false;         // "hybrid": treated as a constraint
  int idleSteps = 0;            // "hybrid": steps without load
  double impactSpeed = 0.0;     // m/s: "penalty", when it came into touch
  double touching = 0.0;        // s: "penalty", since then
  double slack = 0.0;           // m: "penalty", of an overlap that was there before there was a spring
  Vec3 stretch = Vec3::Zero();  // m: "penalty", of the friction spring, world axes
};

struct StepMemory {
  std::unordered_map<ContactKey, PointMemory, ContactKeyHash> points;

  const PointMemory* find(const ContactKey& key) const {
    const auto found = points.find(key);
    return found == points.end() ? nullptr : &found->second;
  }
};

}  // namespace cairn
