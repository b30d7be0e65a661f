// An articulation as the engine keeps it: its model, its state, and which bodies are its links. Bodies follow q and v.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "articulation/model.hpp"
#include "dynamics/joint.hpp"

namespace cairn {

struct Mechanism {
  std::shared_ptr<const ArticulationModel> model;  // never changed
  Vector q, v;
  Vector efforts;                     // N m (N), by degree, for the next step
  std::vector<AxisDesc> axes;         // by degree: limits and motors as they are set now
  std::vector<std::uint32_t> bodies;  // by link
  bool alive = false;
  std::uint32_t generation = 0;
  // N s or N m s, by degree and AxisForce: where the next solve starts, and sums over the last step.
  std::vector<std::array<double, kAxisForces>> impulse, total;
};

}  // namespace cairn
