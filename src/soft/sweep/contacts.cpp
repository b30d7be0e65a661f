#include "soft/sweep/contacts.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "soft/plan/contact_springs.hpp"

namespace cairn {

using namespace policy::layout;
using policy::plan::kSpringAngle, policy::sweep::kGroundFrequency;

void SoftContacts::clear(std::size_t parts) { groups_.resize(cut_tree::groupCount(static_cast<std::uint32_t>(parts))); }

void SoftContacts::makeRoom(std::span<const std::uint32_t> firsts, std::uint32_t end) {
  firsts_.assign(firsts.begin(), firsts.end());
  firsts_.push_back(end);
  changed_.assign(groups_.size(), 1);
  resizeAnew(contacts, end);
}

void SoftContacts::makeRoomFor(std::span<const std::uint8_t> changed, std::span<std::uint32_t> counts) {
  std::uint32_t end = 0;
  for (std::uint32_t& count : counts) end += std::exchange(count, end);
  if (end > contacts.size()) resizeGently(contacts, end);
  // What goes to the front first, from there on, and then what goes to the back, from there: nothing is overwritten before
  // it had its turn.
  const auto at = [&](std::uint32_t place) { return contacts.begin() + place; };
  for (std::size_t c = 0; c < counts.size(); ++c)
    if (changed[c / 2] == 0 && counts[c] < firsts_[c]) std::copy(at(firsts_[c]), at(firsts_[c + 1]), at(counts[c]));
  for (std::size_t c = counts.size(); c-- > 0;)
    if (changed[c / 2] == 0 && counts[c] > firsts_[c])
      std::copy_backward(at(firsts_[c]), at(firsts_[c + 1]), at(counts[c] + countOf(c)));
  contacts.resize(end);
  std::copy(counts.begin(), counts.end(), firsts_.begin());
  firsts_.back() = end;
  for (std::size_t i = 0; i < changed.size(); ++i) changed_[i] |= changed[i];
}

void SoftContacts::findSlabs(SlabFinder& finder, const SoftBodies& bodies) {
  const std::uint32_t parts = partCount();
  heightWithinSlabs_ = std::countr_zero(parts);
  if (bodies.movable.size() < kLargeIsland) return;
  const int unit = std::countr_zero(cut_tree::partsOfUnit(parts));
  heightWithinSlabs_ = finder.heightWithin(parts, unit, bodies.partOf, [&](std::uint32_t cut) {
    const auto column = [&](std::uint32_t group) { return contacts.data() + firsts_[columnOf(group, false)]; };
    return std::span<const ContactEnds>(column(cut), column(cut + 1));
  });
}

bool SoftContacts::fillsCaches() const { return static_cast<double>(rowBytes_) > kCacheBytes; }

// As many sweeps at once as have room in the cache, and between the ends of a thread's stretch.
Wave SoftContacts::waveOf(std::size_t sweeps, int threads) const {
  const std::size_t slabs = partCount() >> heightWithinSlabs_, stretches = static_cast<std::size_t>(threads);
  std::size_t atOnce = 1;
  if (fillsCaches() && slabs > 1) {
    const double fit = kCacheBytes * static_cast<double>(slabs) / static_cast<double>(rowBytes_);
    atOnce = std::min(static_cast<std::size_t>(fit), stretches == 1 ? sweeps : slabs / stretches / 2);
  }
  return {slabs, sweeps, atOnce, stretches};
}

SoftContactValues SoftContacts::valuesFor(const StepContext& context, double dt, double h) {
  const SoftOptions& options = context.settings.soft;
  const double most = kSpringAngle / h, wanted = kTwoPi * options.contactFrequency;  // 1/s
  const double zeta = options.contactDampingRatio;
  SoftContactValues values;
  values.fill.between = softness(std::min(wanted, most), zeta, h);
  values.fill.ground = softness(std::min(kGroundFrequency * wanted, most), zeta / kGroundFrequency, h);
  values.fill.pushOut = static_cast<float>(options.pushOutSpeed);
  values.fill.rescale = static_cast<float>(impulseShare(context.system.impulseSeconds, dt, h));
  values.h = static_cast<float>(h);
  values.near = static_cast<float>(nearGap(context.settings.speculativeDistance));
  values.unscale = static_cast<float>(dt / h);
  return values;
}

void SoftContacts::begin(StepContext& context, SoftBodies& bodies, const SoftContactValues& values) {
  System& system = context.system;
  values_ = values;
  forAll(context.tasks, [&](std::uint32_t i, ContactGroup& group) {
    const auto column = [&](std::size_t c) {
      return std::span<const ContactEnds>(contacts.data() + firsts_[c], contacts.data() + firsts_[c + 1]);
    };
    group.begin(column(2 * i), column(2 * i + 1), bodies.movableOf(i), system.contacts, bodies, values_, changed_[i] == 0);
  });
  std::fill(changed_.begin(), changed_.end(), std::uint8_t{0});
  rowBytes_ = 0;
  for (const ContactGroup& group : groups_) rowBytes_ += group.bytes();
  mayBounce_ = std::any_of(groups_.begin(), groups_.end(), [](const ContactGroup& group) { return group.mayBounce(); });
}

void SoftContacts::forgetRows() {
  for (ContactGroup& group : groups_) group.forgetRows();
}

void SoftContacts::finish(StepContext& context, const SoftBodies& bodies) {
  forAll(context.tasks, [&](std::size_t, ContactGroup& group) { group.finish(context.system, values_.unscale, bodies); });
}

int SoftContacts::colours() const {
  int most = 0;
  for (const ContactGroup& group : groups_) most = std::max(most, group.colours());
  return most;
}

}  // namespace cairn
