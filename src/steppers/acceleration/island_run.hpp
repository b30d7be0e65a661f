// The run of an island through a step: its state, and what it decides on (run.cpp), and its motion from event to event
// (flow.cpp).
#pragma once

#include <set>

#include "math/runge_kutta.hpp"
#include "steppers/acceleration/run.hpp"

namespace cairn {

inline constexpr double kMostWork = 1e9;  // some nanoseconds each: seconds, not minutes
inline constexpr const char* kTooMuchWork = "an island takes more work than there is for one step";

class IslandRun {
 public:
  IslandRun(const SmoothIsland& island, double dt);

  IslandOutcome run();

 private:
  using Key = std::pair<int, PointId>;  // pair and point of it

  void say(const std::string& what);

  // Why the rest of the step is left to another method.
  bool giveUp(const std::string& why);

  // Forces of so many contact points are a dense factorisation.
  bool isTooMuch(std::size_t contacts) const;

  // ---- at an instant ----

  std::vector<ActiveContact> touchingPoints(const std::set<Key>& stopped, double& fastest) const;

  // Impacts until nothing approaches, then modes. False: this island is beyond the method.
  bool prepare(const std::set<Key>& stopped);

  double jointSpeedError() const;

  // Forces and events where the stretch begins. Redundant contacts may break a law a little from the start.
  void begin();

  double margin(double seconds) const;

  Forces evaluate(const IslandState& state);

  // ---- smooth motion ----

  // Bodies as one vector: centre, rotation (w, x, y, z), velocity, spin; then the impulses of all rows so far.
  static constexpr int kBody = 13;
  Vector encode(const IslandState& state, int rows) const;
  IslandState decode(const Vector& y, double time) const;
  Vector slope(const Vector& y, double time);

  struct Trial {
    IslandState state;
    Vector impulse;  // of all rows, over the trial
    double error = 0.0;
    Forces forces;
    std::vector<EventValue> values;
  };

  Trial attempt(double h);
  // What is only worth it for a step that is accurate.
  void finish(Trial& trial, double h);
  int jointRows() const;

  // Over what is allowed. Every part is measured by a size of its own.
  double errorOf(const Vector& y, const CashKarp<Vector>& next, double h) const;

  // From the decision to the next event, or the end of the step. False: no end in sight.
  bool flow(std::set<Key>& stopped);

  // Redundant contacts can share the same forces in many ways. If all that happened is that one way broke a law, and
  // another way with the same modes does not, then nothing has happened: accelerations are the same.
  bool canShareAnew(const Trial& trial, std::vector<ActiveContact>& shared) const;

  // Shortens a trial of length h that something happens in until the first event is at its end; says what it is.
  std::vector<EventValue> locate(Trial& trial, double& h);

  // The trial becomes the state. True if a contact's features do not touch any more.
  bool commit(Trial& trial, double h);

  const SmoothIsland& island_;
  double dt_;
  IslandState state_;
  double step_;         // s, to try next
  double speed_ = 0.0;  // m/s, that stands for the island
  Tolerances tolerances_;
  double impactSpeed_ = 0.0;  // m/s: slower approaches are no impacts
  std::vector<ActiveContact> contacts_;
  std::vector<double> slack_;       // by contact
  std::vector<EventValue> values_;  // now
  int steps_ = 0;
  double work_ = 0.0;
  IslandOutcome out_;
};

}  // namespace cairn
