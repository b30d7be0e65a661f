// One island as the stepper "acceleration" integrates it: its bodies as a state of their own, the pairs of shapes that may
// touch, its joints. Nothing here writes to the world, so islands can run side by side.
#pragma once

#include "collision/touch.hpp"
#include "dynamics/system.hpp"

namespace cairn {

// How one body is placed and moves at an instant.
struct Motion {
  Vec3 center = Vec3::Zero();        // m
  Quat rotation = Quat::Identity();  // body to world
  Vec3 velocity = Vec3::Zero();      // m/s
  Vec3 spin = Vec3::Zero();          // rad/s, world axes
};
// Where it would be after some seconds if its velocity and spin stayed.
Motion displaced(const Motion& motion, double seconds);

struct IslandState {
  std::vector<Motion> bodies;  // by number in the island
  double time = 0.0;           // s since the step began
};

struct IslandPair {
  std::uint32_t colliderA = kNone, colliderB = kNone;
  std::uint32_t bodyA = kNone, bodyB = kNone;  // of the system
  int a = -1, b = -1;                          // numbers in the island; -1: contacts cannot move it
  std::uint32_t slot = kNone;                  // first of the world's contacts of the pair, if it has any
  Material surface{};
  double size = 1.0;       // m, of the smaller body
  double thickness = 0.0;  // m: half of the thinner shape; 0 if one of them is a plane, which nothing can pass
  double reachA = 0.0, reachB = 0.0;
};

struct IslandJoint {
  std::uint32_t joint = kNone;
  int a = -1, b = -1;
};

// Where the shapes of a pair touch at an instant.
struct PairPoint {
  int pair = 0;
  PointId id{};
  double gap = 0.0;            // m
  Vec3 normal = Vec3::Zero();  // from A to B
  Vec3 onA = Vec3::Zero();     // m, world: where the surfaces are
  Vec3 onB = Vec3::Zero();
};
// Of all children of a pair. To be used again: a vector that is warm does not allocate.
struct Touches {
  std::vector<PairPoint> points;
};

class SmoothIsland {
 public:
  // `numbers`: of each body in its island.
  SmoothIsland(const System& system, const WorldSettings& settings, std::uint32_t island,
               const std::vector<std::uint32_t>& bodies, const std::vector<int>& numbers);

  const System& system() const { return system_; }
  const WorldSettings& settings() const { return settings_; }
  const std::vector<std::uint32_t>& bodies() const { return bodies_; }
  const Body& body(int number) const { return system_.bodies[bodies_[number]]; }
  int size() const { return static_cast<int>(bodies_.size()); }
  const std::vector<IslandPair>& pairs() const { return pairs_; }
  const std::vector<IslandJoint>& joints() const { return joints_; }
  double reach(int number) const { return reach_[number]; }  // m: a length that stands for the body

  IslandState start() const;
  // Of a body that may also be static or kinematic.
  Motion motionOf(std::uint32_t body, int number, const IslandState& state) const;
  // Points nearer than the margin (m).
  void touch(int pair, const Motion& a, const Motion& b, double margin, Touches& touches) const;
  // B's point against A's.
  Vec3 relativeVelocity(const PairPoint& point, const Motion& a, const Motion& b) const;
  // Accelerations without contacts and joints, 6 a body: gravity, loads, damping, drag, gyroscopic torque.
  Vector freeAcceleration(const IslandState& state) const;
  // 1/s: no velocity or spin decays faster by damping and drag.
  double resistance(const IslandState& state) const;
  double kineticEnergy(int number, const IslandState& state) const;  // J; 0 for -1
  // No point of the island is faster (m/s), now.
  double speedBound(const IslandState& state) const;

 private:
  const System& system_;
  const WorldSettings& settings_;
  std::vector<std::uint32_t> bodies_;
  std::vector<IslandPair> pairs_;
  std::vector<IslandJoint> joints_;
  std::vector<double> reach_;
};

}  // namespace cairn
