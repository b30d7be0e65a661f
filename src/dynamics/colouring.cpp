#include "dynamics/colouring.hpp"

#include <array>
#include <bit>

namespace cairn {

namespace {
constexpr std::uint8_t kSerial = kColours;
// Contacts with one immovable body use the colours from here on, and so come last. Where contacts are so few that a colour
// more costs more than its order is worth, they use all.
constexpr int kFirstStaticColour = kColours - 16;
constexpr std::size_t kFewContacts = 32;

// With some room to spare: the number of contacts rises and falls a little from step to step.
template <class T>
void resizeWithRoom(std::vector<T>& table, std::size_t count) {
  if (table.capacity() < count) table.reserve(count + count / 8 + 32);
  table.resize(count);
}
}  // namespace

void colourContacts(std::span<const ContactEnds> contacts, MovableBodies movable, ColouringBuffers& buffers,
                    Colouring& colouring) {
  buffers.used.assign(movable.last - movable.first, 0);
  resizeWithRoom(buffers.colourOf, contacts.size());
  std::array<std::uint32_t, kColours + 2> counts{};

  const std::uint64_t low = (std::uint64_t{1} << kFirstStaticColour) - 1;
  const std::uint64_t reserved = contacts.size() <= kFewContacts ? 0 : low;
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    const std::uint32_t a = contacts[i].a, b = contacts[i].b;
    const bool movesA = movable.has(a), movesB = movable.has(b);
    std::uint64_t taken = (movesA ? buffers.used[a - movable.first] : 0) | (movesB ? buffers.used[b - movable.first] : 0);
    taken |= movesA && movesB ? ~low : reserved;
    const int colour = std::countr_one(taken);
    std::uint8_t chosen = kSerial;
    if (colour < kColours) {
      chosen = static_cast<std::uint8_t>(colour);
      const std::uint64_t bit = std::uint64_t{1} << colour;
      if (movesA) buffers.used[a - movable.first] |= bit;
      if (movesB) buffers.used[b - movable.first] |= bit;
    }
    buffers.colourOf[i] = chosen;
    ++counts[chosen];
  }

  // Counting sort by colour, leaving out empty colours.
  std::array<std::uint32_t, kColours + 1> next{};
  colouring.firstOf.reserve(kColours + 1);
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
  resizeWithRoom(colouring.contacts, contacts.size());
  for (std::size_t i = 0; i < contacts.size(); ++i) colouring.contacts[next[buffers.colourOf[i]]++] = contacts[i];
}

}  // namespace cairn
