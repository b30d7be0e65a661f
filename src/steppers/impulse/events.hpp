// A step as a sequence of single impacts, each at its own time (Mirtich 1996; STAR §5.2 on event-driven simulation).
//
// A heap holds for each pair of shapes a time before which the two cannot touch. The earliest is popped, its two bodies fly
// there, and their distance is measured: if they touch and approach, one impact by the pair's own law; then all pairs of the
// two get new times. Bodies that nothing happens to fly through the whole step in one piece.
//
// Resting contact is a series of micro-collisions. An impact whose bounce would be lower than kHop of the envelope ends with
// the bounce that is just that high, and in the direction that lands where it took off: both velocities of the next flight
// are reversed by the loads in it. On a slope this takes back what gravity adds along it, so that nothing creeps, as long as
// the impulse lies within the cone of friction. So a resting body trembles by a tenth of the envelope (1e-4 m and 0.04 m/s
// by default), and an event takes place every few milliseconds, whatever its restitution.
//
// Where events crowd (piles) an island gives up on them after a stated number per body, and the rest of its step is passes
// of plastic contacts (passes.hpp); the report says so. What others would have had to do with it waits for the next
// step.
//
// Known limits: stacks walk by millimetres per second, since trembling has no memory of where it began; bodies that tremble
// never fall asleep; and an impulse between bodies that were not near when the step began is in no contact event.
#pragma once

#include <map>
#include <queue>
#include <unordered_set>

#include "geometry/distance.hpp"
#include "steppers/impulse/bounds.hpp"
#include "steppers/impulse/points.hpp"

namespace cairn {

class ImpactEvents {
 public:
  ImpactEvents(StepContext& context, PointImpulses& impulses, double dt);
  // Bodies (marked) that are not to be moved, nor touched by others.
  void leaveAlone(const std::vector<char>& bodies);
  // Moves everything by dt.
  void run();

 private:
  struct Flight {       // of a body
    double time = 0.0;  // s since the step began: where the body is now
    int events = 0;     // impacts so far
    int looks = 0;      // times that it was flown to where it might have touched something
    bool done = false;  // it is at dt; nothing can happen to it any more
  };
  struct Entry {
    double time;
    std::uint32_t pair;
    std::uint32_t version;
    bool operator>(const Entry& other) const { return std::tie(time, pair) > std::tie(other.time, other.pair); }
  };

  void partOverlaps();
  void flyTo(std::uint32_t body, double time);
  Pose poseOf(std::uint32_t body) const { return {system_.bodies[body].center, system_.bodies[body].rotation}; }
  FlyingShape flying(std::uint32_t collider, double ahead) const;
  SignedDistance distanceOf(const ImpulsePair& pair) const;
  bool isOver(const ImpulsePair& pair) const { return flights_[pair.bodyA].done || flights_[pair.bodyB].done; }

  // Puts the pair's next time into the heap.
  void schedule(std::uint32_t pair, double now);
  void schedulePairsOf(std::uint32_t body, double now);
  // Finds pairs that the broad phase does not know, because a body has become faster than it was told.
  void findPairs(std::uint32_t body, double now);
  void addPair(const ImpulsePair& pair);

  // False if nothing approaches.
  bool touch(const ImpulsePair& pair, const SignedDistance& near);
  // Impacts of what approaches fast enough to bounce out of its hop; false if there is none.
  bool bounce(const ImpulsePair& pair, std::span<const ImpulsePoint> points);
  // A micro-collision.
  void tremble(const ImpulsePair& pair, std::span<const ImpulsePoint> points);
  double approachingLoad(const ImpulsePair& pair, const Vec3& n) const;  // m/s^2
  double hopSpeed(const ImpulsePair& pair, const ImpulsePoint& point) const;

  bool isExhausted(std::uint32_t body) const;
  void finishIsland(std::uint32_t bodyA, std::uint32_t bodyB, double now);

  StepContext& context_;
  System& system_;
  PointImpulses& impulses_;
  const ImpulseOptions& options_;
  FreeMotion motion_;
  double dt_;
  double touching_;              // m: nearer than this is touching
  double hop_;                   // m: height of the bounces of resting contacts
  std::vector<Flight> flights_;  // by body
  std::vector<Body> start_;      // kinematic bodies move from here
  std::vector<ImpulsePair> pairs_;
  std::vector<std::uint32_t> versions_;              // by pair: older entries of the heap are void
  std::vector<std::vector<std::uint32_t>> pairsOf_;  // by body that can be pushed
  std::unordered_set<std::uint64_t> known_;          // keys of pairs_; only if findPairs had to look
  std::map<std::uint32_t, Aabb> strays_;             // colliders that leave their box of the broad phase, and where to
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> heap_;
};

}  // namespace cairn
