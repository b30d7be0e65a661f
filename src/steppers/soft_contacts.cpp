#include "steppers/soft_contacts.hpp"

#include <algorithm>
#include <cmath>

namespace cairn {

namespace {

constexpr double kTwoPi = 6.283185307179586;
// Stored impulses are rescaled when the step changes, but not across absurd ratios.
constexpr double kMostRescaling = 10.0;
// Angular frequency of contact springs times substep, at most. Sweeps with warm starts act on the slow modes of a tall stack
// as springs of 2 m/h^2; a contact spring that is stiffer than those feeds the mode (see docs/how-a-step-works.md: unstable
// from the square root of 2 on).
constexpr double kMostAngle = kTwoPi * 3.0 / 16.0;

wide::Softness softness(double frequency, double dampingRatio, double h) {
  if (frequency <= 0.0) return {0.0f, 1.0f};
  const double omega = kTwoPi * frequency;
  const double a1 = 2.0 * dampingRatio + h * omega;
  const double a2 = h * omega * a1;
  return {static_cast<float>(omega / a1), static_cast<float>(a2 / (1.0 + a2))};
}

}  // namespace

void SoftContacts::clear(std::size_t parts) {
  groups_.resize(parts == 1 ? 1 : parts + 1);
  firsts_.assign(groups_.size() + 1, 0);
  if (parts == 1) firsts_[1] = expected;
}

void SoftContacts::allCounted() {
  for (std::size_t i = 1; i < firsts_.size(); ++i) firsts_[i] += firsts_[i - 1];
  next_.assign(firsts_.begin(), firsts_.end() - 1);
  watchedFrom_.assign(firsts_.begin() + 1, firsts_.end());
  resizeAnew(contacts, firsts_.back());
}

void SoftContacts::begin(StepContext& context, SoftBodies& bodies, double dt, double h) {
  System& system = context.system;
  const SoftOptions& options = context.settings.soft;
  const double most = kMostAngle / (kTwoPi * h);  // Hz
  values_.fill.between = softness(std::min(options.contactFrequency, most), options.contactDampingRatio, h);
  values_.fill.ground = softness(std::min(2.0 * options.contactFrequency, most), 0.5 * options.contactDampingRatio, h);
  values_.fill.pushOut = static_cast<float>(options.pushOutSpeed);
  const double ratio = system.impulseSeconds > 0.0 ? dt / system.impulseSeconds : 0.0;
  const bool like = ratio > 1.0 / kMostRescaling && ratio < kMostRescaling;
  values_.fill.rescale = like ? static_cast<float>(h / system.impulseSeconds) : 0.0f;
  values_.h = static_cast<float>(h);
  values_.near = static_cast<float>(nearGap(context.settings.speculativeDistance));
  values_.unscale = static_cast<float>(dt / h);

  context.tasks.parallelFor(groups_.size(), 1, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      const auto from = contacts.begin() + firsts_[i], watched = contacts.begin() + watchedFrom_[i];
      groups_[i].begin(std::span(from, watched), std::span(watched, contacts.begin() + firsts_[i + 1]), bodies.movableIn(i),
                       system.contacts.slots, bodies, values_);
    }
  });
  mayBounce_ = std::any_of(groups_.begin(), groups_.end(), [](const ContactGroup& group) { return group.mayBounce(); });
}

void SoftContacts::look(const StepContext& context, SoftBodies& bodies) {
  context.tasks.parallelFor(groups_.size(), 1, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) look(context, bodies, i);
  });
}

void SoftContacts::refreshSpinning(SoftBodies& bodies) {
  for (ContactGroup& group : groups_) group.refreshSpinning(bodies);
}

void SoftContacts::forgetRows() {
  for (ContactGroup& group : groups_) group.forgetRows();
}

void SoftContacts::finish(StepContext& context, const SoftBodies& bodies) {
  context.tasks.parallelFor(groups_.size(), 1, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) groups_[i].finish(context.system.contacts.slots, values_.unscale, bodies);
  });
}

int SoftContacts::colours() const {
  int most = 0;
  for (const ContactGroup& group : groups_) most = std::max(most, group.colours());
  return most;
}

void SoftContacts::arrange(int number) {
  for (ContactGroup& group : groups_) group.arrange(number);
}

void SoftContacts::noteApproach(const Tasks& tasks, const wide::SolverBody* bodies) {
  sweep(tasks, nothing, [&](wide::Blocks blocks, auto* points, auto* approaches) {
    wide::noteApproach(blocks, points, approaches, bodies);
  });
}
void SoftContacts::bounce(const Tasks& tasks, wide::SolverBody* bodies, const wide::SubstepValues& values) {
  sweep(tasks, nothing, [&](wide::Blocks blocks, auto* points, auto* approaches) {
    wide::bounce(blocks, points, approaches, bodies, values);
  });
}

}  // namespace cairn
