#include "scene/energy_meter.hpp"

#include <algorithm>

namespace cairn {

EnergyMeter::EnergyMeter(const Energy& start)
    : start_(start.total()), now_(start), before_(start.total()), lowest_(start.total()) {
  note(start);
}

void EnergyMeter::beforeStep(const Energy& energy) {
  appeared_.kinetic += energy.kinetic - now_.kinetic;
  appeared_.potential += energy.potential - now_.potential;
  before_ = energy.total();
  now_ = energy;
  note(energy);
}

void EnergyMeter::afterStep(const Energy& energy) {
  now_ = energy;
  largestGain_ = std::max(largestGain_, energy.total() - before_);
  note(energy);
}

void EnergyMeter::note(const Energy& energy) {
  const double own = energy.total() - appeared_.total();
  lowest_ = std::min(lowest_, own);
  largestRise_ = std::max(largestRise_, own - lowest_);
  mostKinetic_ = std::max(mostKinetic_, energy.kinetic);
  const double potential = energy.potential - appeared_.potential;
  lowestPotential_ = std::min(lowestPotential_, potential);
  highestPotential_ = std::max(highestPotential_, potential);
}

}  // namespace cairn
