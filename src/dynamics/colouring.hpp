// Graph colouring: contacts of one colour share no body that can be moved, so they can be solved side by side, in any order
// and on any number of threads, with the same result.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace cairn {

inline constexpr int kColours = 64;  // contacts that find no colour go one by one, last

// A contact and the two bodies it is between, by whatever numbers its user gives them.
struct ContactEnds {
  std::uint32_t contact;
  std::uint32_t a, b;
  std::uint32_t points = 0;
};

struct Colouring {
  std::vector<ContactEnds> contacts;   // colour after colour, in the order given within a colour
  std::vector<std::uint32_t> firstOf;  // colour c is contacts[firstOf[c]] .. contacts[firstOf[c + 1]]
  std::size_t serialFrom = 0;          // contacts from here on are to be solved one after another
  int colours = 0;

  // buffers
  std::vector<std::uint64_t> used;
  std::vector<std::uint8_t> colourOf;
};

// Bodies with numbers from first to last, without the last, can be moved.
struct MovableBodies {
  std::uint32_t first, last;
  bool has(std::uint32_t body) const { return body >= first && body < last; }
};

// Greedy, in the order given. At least one body of every contact can be moved.
void colourContacts(std::span<const ContactEnds> contacts, MovableBodies movable, Colouring& colouring);

}  // namespace cairn
