// How good a simulation is, from the poses and velocities of its bodies alone: the same judge for every engine.
#pragma once

#include <optional>

#include "cairn/world.hpp"
#include "engine.hpp"
#include "scene/energy_meter.hpp"

namespace cairn::bench {

struct Quality {
  double penetrationMax = 0.0;        // m, deepest overlap of two shapes, by exact geometry
  double penetrationEnd = 0.0;        // m, after the last step
  std::optional<double> drift;        // m, sideways, largest of the bodies that should stand; none: the scene does not stand
  std::optional<double> sag;          // m, largest loss of height of the topmost bodies
  std::optional<double> jointGap;     // m, largest; none: no joints
  std::optional<double> energyDrift;  // largest rise of the energy over the energy in play; none: not finite
  int lost = 0;                       // bodies that are not where bodies can be, or not where they should stand
  std::optional<bool> stands;         // none: the scene does not stand
};

// Holds a world of Cairn's with the same bodies, which never steps: bodies are put where the engine says they are, and
// the world is asked how deep they overlap and how far its joints are apart.
class Judge {
 public:
  explicit Judge(const BenchScene& scene);

  void add(std::size_t body);      // that appears now
  void beforeStep(const Engine&);  // after bodies were added
  // After each step; `closely` also looks at overlaps and joints, which costs about as much as a step.
  void afterStep(const Engine&, bool closely);
  void noteStanding();  // drift, sag and whether it stands are those of now
  void noteLost();      // so are the bodies lost
  Quality quality() const { return quality_; }

 private:
  struct Rest {
    bool atRest = false;
    Vec3 start = Vec3::Zero();  // m, centre of mass
    double radius = 0.0;        // m, of the bounding sphere
  };
  Energy energyNow() const;
  bool isLost(std::size_t body) const;
  void read(const Engine&);
  double energyScale() const;

  const BenchScene& scene_;
  World world_;
  std::vector<BodyId> ids_;  // null: not there, or lost for good
  std::vector<bool> present_;
  std::vector<BodyState> states_;  // of the last look
  std::vector<Rest> rest_;
  std::vector<Plane> floors_;  // in the world
  Vec3 up_ = Vec3::Zero();     // against gravity
  double top_ = 0.0;           // m along up_, of the topmost body that rests at the start
  std::optional<EnergyMeter> energy_;
  bool finite_ = true;
  Quality quality_;
};

}  // namespace cairn::bench
