// Graph colouring: contacts of one colour share no body that can be moved, so they can be solved side by side, in any order
// and on any number of threads, with the same result.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace cairn {

inline constexpr int kColours = 64;  // contacts that find no colour go one by one, last

// A contact and the two bodies it is between, by whatever numbers its user gives them.
struct ContactEnds {
  std::uint32_t contact;
  std::uint32_t a, b;
  std::uint8_t points = 0;
  std::uint16_t rank = 0;  // see layout/watched_contacts.hpp
};

struct Colouring {
  std::vector<ContactEnds> contacts;   // colour after colour, in the order given within a colour
  std::vector<std::uint32_t> firstOf;  // colour c is contacts[firstOf[c]] .. contacts[firstOf[c + 1]]
  std::size_t serialFrom = 0;          // contacts from here on are to be solved one after another
  int colours = 0;
};

// Room to work in, kept from one time to the next.
struct ColouringBuffers {
  std::vector<std::uint64_t> used;     // by body: bit per colour
  std::vector<std::uint8_t> colourOf;  // by contact
  std::vector<ContactEnds> sorting;
};

// Bodies with numbers from first to last, without the last, can be moved.
struct MovableBodies {
  std::uint32_t first, last;
  bool has(std::uint32_t body) const { return body >= first && body < last; }
  bool operator==(const MovableBodies&) const = default;
};

// Greedy, in the order given. At least one body of every contact can be moved.
void colourContacts(std::span<const ContactEnds> contacts, MovableBodies movable, ColouringBuffers& buffers,
                    Colouring& colouring);

// Sorts the contacts of every colour by keyOf(contact), a small number; stable. Lanes of a block are then alike.
inline constexpr std::uint32_t kSortKeys = 8;
template <class KeyOf>
void sortColours(Colouring& colouring, ColouringBuffers& buffers, KeyOf&& keyOf) {
  for (int c = 0; c < colouring.colours; ++c) {
    ContactEnds* first = colouring.contacts.data() + colouring.firstOf[c];
    ContactEnds* last = colouring.contacts.data() + colouring.firstOf[c + 1];
    std::array<std::uint32_t, kSortKeys> next{};
    for (const ContactEnds* i = first; i != last; ++i) ++next[keyOf(*i)];
    std::uint32_t sum = 0;
    for (std::uint32_t& n : next) sum += std::exchange(n, sum);
    buffers.sorting.assign(first, last);
    for (const ContactEnds& ends : buffers.sorting) first[next[keyOf(ends)]++] = ends;
  }
}

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
