// Graph colouring: contacts of one colour share no body that can be moved, so they can be solved side by side, in any order
// and on any number of threads, with the same result.
#pragma once

#include <cstdint>
#include <vector>

#include "dynamics/system.hpp"

namespace cairn {

inline constexpr int kColours = 64;  // contacts that find no colour go one by one, last

struct Colouring {
  std::vector<std::uint32_t> contacts;  // contact slots, colour after colour, in pair order within a colour
  std::vector<std::uint32_t> firstOf;   // colour c is contacts[firstOf[c]] .. contacts[firstOf[c + 1]]
  std::size_t serialFrom = 0;           // contacts from here on are to be solved one after another
  int colours = 0;

  // buffers
  std::vector<std::uint64_t> used;
  std::vector<std::uint8_t> colourOf;
  std::vector<std::uint32_t> live;
};

// Greedy in pair order. Contacts with a body that cannot be moved come after all others: what stands on the ground is
// pushed out of it last.
void colourContacts(const System& system, Colouring& colouring);

}  // namespace cairn
