// A shape in the world: what the broad and the narrow phase see of a body.
#pragma once

#include <vector>

#include "cairn/ids.hpp"
#include "collision/dynamic_tree.hpp"
#include "geometry/shape.hpp"

namespace cairn {

inline constexpr std::uint32_t kNone = UINT32_MAX;

// In an order that leaves no holes.
struct Collider {
  Pose local;  // shape frame relative to the body's centre of mass, in the body's axes
  Pose pose;   // shape frame in the world, as of the last synchronisation
  Shape shape;
  Vec3 velocity = Vec3::Zero();  // m/s, of the body's centre of mass
  double spinReach = 0.0;        // m/s: how fast the body's turning can move any point of the shape
  double travel = 0.0;           // m: no point of the shape has ever moved farther than this, all in all
  double boxedUntil = 0.0;       // m: its fat box holds all that it reaches before travel and reach add up to this
  double radius = 0.0;           // m, of a sphere about the body's centre of mass that holds the shape
  double density = 0.0;
  std::uint32_t material = 0;  // in System::materials
  std::uint32_t group = 1;
  std::uint32_t collidesWith = 0xffffffffu;
  std::uint32_t body = kNone;
  std::uint32_t next = kNone;  // next collider of the same body
  std::uint32_t generation = 0;
  std::uint32_t bodyGeneration = 0;
  DynamicTree::Node node = DynamicTree::kNull;
  bool centred = false;  // the shape's frame is the body's
  bool alive = false;    // the slot is in use
  bool enabled = false;  // it collides: not of a quarantined body
  bool dynamic = false;  // of a body that contacts can move: only pairs with at least one such collider matter
  bool active = false;   // of a body that moves now; the others keep their boxes and contacts
  bool stale = true;     // the body was edited: pose and box are to be taken anew whether it moves or not
};

// Puts the shape where its body is (centre of mass, rotation), and adds the way there to its travel.
void placeCollider(Collider& collider, const Pose& body);

}  // namespace cairn
