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
  std::vector<ContactEnds> sorting;
};

// Bodies with numbers from first to last, without the last, can be moved.
struct MovableBodies {
  std::uint32_t first, last;
  bool has(std::uint32_t body) const { return body >= first && body < last; }
};

// Greedy, in the order given. At least one body of every contact can be moved.
void colourContacts(std::span<const ContactEnds> contacts, MovableBodies movable, Colouring& colouring);

// Within every colour, contacts with many points first: lanes of a block then have about as many.
void sortByPoints(Colouring& colouring);

// Calls work(first, last) for runs of up to `lanes` contacts of one colour, colour by colour, then for each of those that
// have none.
template <class Work>
void forEachBlock(const Colouring& colouring, std::uint32_t lanes, Work&& work) {
  for (int c = 0; c < colouring.colours; ++c) {
    const std::uint32_t last = colouring.firstOf[c + 1];
    for (std::uint32_t i = colouring.firstOf[c]; i < last; i += lanes) work(i, i + lanes < last ? i + lanes : last);
  }
  for (auto i = static_cast<std::uint32_t>(colouring.serialFrom); i < colouring.contacts.size(); ++i) work(i, i + 1);
}

}  // namespace cairn
