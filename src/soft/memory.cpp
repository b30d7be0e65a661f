#include "soft/memory.hpp"

#include "base/growth.hpp"

namespace cairn {

namespace {

template <class T>
void forget(std::vector<T>& table, std::uint32_t slot) {
  if (slot < table.size()) table[slot] = T{};
}

// Slots that were handed out since the last step have nothing to remember.
template <class T>
void renumber(std::vector<T>& table, std::span<const std::uint32_t> from) {
  if (table.empty()) return;
  const std::vector<T> old = std::move(table);
  table = std::vector<T>(from.size());
  for (std::size_t i = 0; i < from.size(); ++i)
    if (from[i] < old.size()) table[i] = old[from[i]];
}

}  // namespace

void SoftMemory::forgetBody(std::uint32_t body) {
  forget(pathLengths, body);
  forget(substeps, body);
}

void SoftMemory::forgetJoint(std::uint32_t joint) { forget(spareEnergies, joint); }

void SoftMemory::renumberContacts(std::span<const std::uint32_t> from) {
  renumber(summaries, from);
  renumber(solvedDirectly, from);
}

void SoftMemory::makeRoom(const System& system) {
  resizeGently(pathLengths, system.bodies.size());
  resizeGently(substeps, system.bodies.size());
  resizeGently(spareEnergies, system.joints.size());
  resizeGently(summaries, system.contacts.slots.size());
  if (!solvedDirectly.empty()) resizeGently(solvedDirectly, system.contacts.slots.size());
}

}  // namespace cairn
