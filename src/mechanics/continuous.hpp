// Continuous collision: after a step, what moved fast is swept along its path, so that it passes through nothing.
//
// A stepper makes contacts where the step begins, with normals that stay as they are. That holds whatever moves slowly. A
// body that goes by more than half its inner radius, or turns by much, could get to the other side of something. Its path
// from where the step began to where it ended is followed (swept_body.hpp), and the path of all that comes near it. Two
// cross if they sink into each other by nearly the inner radius of the thinner one: real paths are bent by contacts, and may
// cut a corner of what they slid around. If nothing crosses, everything stays as the stepper left it, to the bit. Else the
// times at which those that cross first touch go onto a heap. The earliest, ties by pair, is taken off:
//
//   - both bodies go to where they are then;
//   - an impulse with friction and restitution stops the approach, of the bodies' velocities and of their paths;
//   - both go on for the rest of the step, and what they may meet then is put on the heap.
//
// A body that met others four times is held where it is until the step ends; the time that it loses is reported. One that a
// kinematic body pushes is carried along with that. So every path ends without a crossing, after at most five events for each
// body, and the next step finds contacts whose normals point back to where the bodies came from.
//
// Joints do not know of this: a jointed body that is stopped here is pulled back by the next step.
#pragma once

#include <queue>
#include <span>
#include <tuple>
#include <vector>

#include "collision/kept_manifold.hpp"
#include "collision/narrow_phase.hpp"
#include "mechanics/stepper.hpp"
#include "mechanics/swept_body.hpp"

namespace cairn {

struct ContinuousInput {
  System& system;
  const WorldSettings& settings;
  const Tasks& tasks;
  std::span<const Placement> before;             // of each body, when the step began
  std::span<const BodyVelocity> velocityBefore;  // likewise
  std::span<const BodyExtent> extents;           // of each body
  std::span<const std::uint32_t> fast;           // bodies, in their order
  double dt;                                     // s
  StepReport& report;
  std::vector<ImpactRecord>& impacts;  // found ones are appended
};

class ContinuousSweep {
 public:
  // Puts bodies that met something where they are without passing through it. Their numbers, in their order.
  const std::vector<std::uint32_t>& run(const ContinuousInput& input);

 private:
  struct Path {  // of a body that is fast, or was met
    SweptBody swept;
    std::uint32_t body = kNone;
    Quat spinTurn = Quat::Identity();  // how the body is turned where its spin (Body::spin) is meant
    std::uint32_t version = 0;  // events of earlier ones are void
    int impacts = 0;
    bool changed = false;
    bool held = false;
  };
  struct Event {
    double time;  // s since the step began
    std::uint64_t pair;
    std::uint32_t versionA, versionB;
    bool later(const Event& other) const { return std::tie(time, pair) > std::tie(other.time, other.pair); }
  };
  struct Later {
    bool operator()(const Event& a, const Event& b) const { return a.later(b); }
  };
  struct Piece {  // of all pairs, found side by side
    std::vector<Event> events;
    int pairs = 0;
  };
  struct Stray {  // a shape that leaves its box of the broad phase
    std::uint32_t collider;
    Aabb box;
  };

  SweptBody pathOf(std::uint32_t body) const;  // as it is now
  std::uint32_t versionOf(std::uint32_t body) const;
  Path& pathFor(std::uint32_t body);  // is made if there is none
  bool canPush(std::uint32_t body) const;
  // Calls use(a, b) for pairs of a body's shapes with others that come near from `now` on.
  template <class Use>
  void forEachNear(std::uint32_t body, const SweptBody& swept, double now, Use&& use) const;
  // Whether two shapes could cross at all, from where their bodies were and are: quick.
  bool mayCross(const Collider& a, const Collider& b) const;
  // When the two first touch, if they cross.
  TimeOfImpact meet(std::uint32_t a, std::uint32_t b, double now) const;
  void findEvent(std::uint32_t a, std::uint32_t b, double now, Piece& piece) const;
  template <class Skip>
  void findEvents(std::uint32_t body, double now, Piece& piece, Skip&& skip) const;
  void findFirstEvents();
  void noteStrays(std::uint32_t body, double now);
  void handle(const Event& event);
  bool resolve(std::uint32_t a, std::uint32_t b, Path* pathA, Path* pathB, double time);
  // A body that is turned otherwise than the stepper left it keeps its spin in its own axes, and so its energy.
  void meanSpinAt(Path& path, const Quat& rotation);
  void hold(Path& path, std::uint32_t pushedBy, double time);

  const ContinuousInput* input_ = nullptr;
  std::vector<Path> paths_;
  std::vector<std::uint32_t> pathIndex_;  // by body
  std::vector<Piece> pieces_;
  std::vector<std::uint8_t> fastShapes_;  // by collider: 1 if its body is fast
  std::vector<Stray> strays_;
  std::vector<std::uint32_t> changed_;
  std::priority_queue<Event, std::vector<Event>, Later> heap_;
};

}  // namespace cairn
