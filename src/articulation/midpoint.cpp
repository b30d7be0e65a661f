#include "articulation/midpoint.hpp"

#include <cmath>

namespace cairn {

namespace {

constexpr double kSettled = 1e-13;    // of the speed: changes of v_m below it are rounding
constexpr double kGoodEnough = 1e-9;  // where rounding does not let it come nearer

}  // namespace

namespace {

// Looks for the velocity of the middle; where positions are those of the beginning, or of the middle too.
template <bool kMoves>
bool findMiddle(const ArticulationModel& model, ArticulationData& data, double h, const Vector& efforts,
                MidpointScratch& scratch) {
  const int degrees = model.degrees();
  scratch.q = data.q;
  scratch.v = data.v;
  scratch.middle = data.v;
  scratch.efforts = efforts;
  for (int k = 0; k < degrees; ++k) {
    const double damping = model.axes()[static_cast<std::size_t>(k)].damping;
    data.armature[k] = model.armature(k) + 0.5 * h * damping;
    scratch.efforts[k] -= damping * scratch.v[k];
  }
  bool settled = false;
  double last = std::numeric_limits<double>::infinity();
  for (int round = 0; round < kMidpointRounds && !settled; ++round) {
    if (kMoves) model.integrate(scratch.q, scratch.middle, 0.5 * h, data.q);
    data.v = scratch.middle;
    if (kMoves || round == 0) {
      data.computeAll(model);
    } else {
      data.computeVelocities(model);
    }
    data.forwardDynamics(model, scratch.efforts, scratch.acceleration);
    double change = 0.0, size = 0.0;
    for (int k = 0; k < degrees; ++k) {
      const double next = scratch.v[k] + 0.5 * h * scratch.acceleration[k];
      change = std::max(change, std::abs(next - scratch.middle[k]));
      size = std::max({size, std::abs(next), std::abs(h * scratch.acceleration[k])});
      scratch.middle[k] = next;
    }
    if (!std::isfinite(change)) break;
    settled = change <= kSettled * size || (change <= kGoodEnough * size && change >= 0.5 * last);
    last = change;
  }
  for (int k = 0; k < degrees; ++k) data.armature[k] = model.armature(k);
  data.q = scratch.q;
  data.v = scratch.v;
  return settled;
}

}  // namespace

bool stepMidpoint(const ArticulationModel& model, ArticulationData& data, double h, const Vector& efforts,
                  MidpointScratch& scratch) {
  if (!findMiddle<true>(model, data, h, efforts, scratch)) return false;
  model.integrate(scratch.q, scratch.middle, h, data.q);
  data.v = 2.0 * scratch.middle - scratch.v;
  return true;
}

bool stepVelocities(const ArticulationModel& model, ArticulationData& data, double h, const Vector& efforts,
                    MidpointScratch& scratch) {
  if (!findMiddle<false>(model, data, h, efforts, scratch)) return false;
  data.v = 2.0 * scratch.middle - scratch.v;
  return true;
}

bool stepMidpointSafely(const ArticulationModel& model, ArticulationData& data, double h, const Vector& efforts,
                        MidpointScratch& scratch) {
  if (stepMidpoint(model, data, h, efforts, scratch)) return true;
  const Vector q = data.q, v = data.v;
  for (int halvings = 1; halvings <= kMidpointHalvings; ++halvings) {
    const int parts = 1 << halvings;
    bool done = true;
    for (int i = 0; i < parts && done; ++i) done = stepMidpoint(model, data, h / parts, efforts, scratch);
    if (done) return true;
    data.q = q;
    data.v = v;
  }
  return false;
}

bool stepSemiImplicit(const ArticulationModel& model, ArticulationData& data, double h, const Vector& efforts,
                      MidpointScratch& scratch) {
  scratch.efforts = efforts;
  for (int k = 0; k < model.degrees(); ++k) {
    const double damping = model.axes()[static_cast<std::size_t>(k)].damping;
    data.armature[k] = model.armature(k) + h * damping;
    scratch.efforts[k] -= damping * data.v[k];
  }
  data.computeAll(model);
  data.forwardDynamics(model, scratch.efforts, scratch.acceleration);
  for (int k = 0; k < model.degrees(); ++k) data.armature[k] = model.armature(k);
  if (!scratch.acceleration.allFinite()) return false;
  data.v += h * scratch.acceleration;
  model.integrate(data.q, data.v, h, data.q);
  return true;
}

}  // namespace cairn
