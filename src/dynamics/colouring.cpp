#include "dynamics/colouring.hpp"

#include <bit>

namespace cairn {

namespace {
constexpr std::uint8_t kSerial = kColours;
// Contacts with one immovable body use the colours from here on.
constexpr int kFirstStaticColour = kColours - 16;
}  // namespace

void colourContacts(const System& system, Colouring& colouring) {
  colouring.used.assign(system.bodies.size(), 0);
  colouring.live.clear();
  colouring.colourOf.clear();
  std::array<std::uint32_t, kColours + 2> counts{};

  for (const Pair& pair : system.broad.pairs) {
    if (pair.contact == kNone) continue;
    const Contact& contact = system.contacts.slots[pair.contact];
    const Body& a = system.bodies[contact.bodyA];
    const Body& b = system.bodies[contact.bodyB];
    const bool movesA = a.isDynamic() && a.awake;
    const bool movesB = b.isDynamic() && b.awake;
    if (contact.count == 0 || !(movesA || movesB)) continue;

    std::uint64_t taken = (movesA ? colouring.used[contact.bodyA] : 0) | (movesB ? colouring.used[contact.bodyB] : 0);
    const std::uint64_t low = (std::uint64_t{1} << kFirstStaticColour) - 1;
    taken |= movesA && movesB ? ~low : low;
    const int colour = std::countr_one(taken);
    std::uint8_t chosen = kSerial;
    if (colour < kColours) {
      chosen = static_cast<std::uint8_t>(colour);
      const std::uint64_t bit = std::uint64_t{1} << colour;
      if (movesA) colouring.used[contact.bodyA] |= bit;
      if (movesB) colouring.used[contact.bodyB] |= bit;
    }
    colouring.live.push_back(pair.contact);
    colouring.colourOf.push_back(chosen);
    ++counts[chosen];
  }

  // Counting sort by colour, leaving out empty colours.
  std::array<std::uint32_t, kColours + 1> next{};
  colouring.firstOf.assign(1, 0);
  std::uint32_t total = 0;
  for (int c = 0; c < kColours; ++c) {
    next[c] = total;
    if (counts[c] == 0) continue;
    total += counts[c];
    colouring.firstOf.push_back(total);
  }
  next[kSerial] = total;
  colouring.colours = static_cast<int>(colouring.firstOf.size()) - 1;
  colouring.serialFrom = total;
  colouring.contacts.resize(colouring.live.size());
  for (std::size_t i = 0; i < colouring.live.size(); ++i)
    colouring.contacts[next[colouring.colourOf[i]]++] = colouring.live[i];
}

}  // namespace cairn
