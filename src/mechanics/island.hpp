// An island as a value: some bodies with all that touches or holds them, taken out of the world as a small system of its
// own. Any stepper can advance it without touching the rest; commit() writes what came out of it back. Thus one island can
// be tried again, by another method, while all others keep their result.
//
// Bodies, shapes, joints and contacts keep their order, so that an island alone has the same answer, to the bit, as in its
// world. Pairs are those that the world has found: what comes nearer from farther away is not in it.
#pragma once

#include <memory>
#include <span>

#include "mechanics/stepper.hpp"

namespace cairn {

struct Island {
  System system;
  // By index in `system`: the index in the world.
  std::vector<std::uint32_t> bodies, colliders, joints, contacts, mechanisms;
  std::vector<char> isOwn;  // by body: it belongs to the island; the others are what it touches, and stay as they are
};

// `bodies`: of one or several whole islands.
Island gather(const System& world, std::span<const std::uint32_t> bodies);

// What a stepper made of an island.
struct Outcome {
  Island island;
  StepReport report;
};
// By dt, from `time` (s) on.
Outcome advance(Island island, Stepper& stepper, const WorldSettings& settings, const Tasks& tasks, double time, double dt);

// Poses and velocities of its own bodies, impulses of its contacts and joints, and what is remembered of contact points.
void commit(const Island& island, System& world);

}  // namespace cairn
