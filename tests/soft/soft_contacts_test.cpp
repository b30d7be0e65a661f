// Lists of contacts by columns, of which some are made anew while the others stay.
#include <gtest/gtest.h>

#include <random>

#include "soft/sweep/contacts.hpp"

namespace cairn {
namespace {

using Columns = std::vector<std::vector<std::uint32_t>>;  // numbers of contacts

void fill(SoftContacts& contacts, const Columns& columns, std::size_t column, std::uint32_t first) {
  for (const std::uint32_t number : columns[column]) contacts.contacts[first++] = {number, 0, 0};
}

TEST(SoftContacts, GroupsThatAreNotChangedKeepTheirContacts) {
  std::mt19937 random(7);
  const auto upTo = [&](std::uint32_t most) { return random() % (most + 1); };
  for (int round = 0; round < 200; ++round) {
    const std::size_t parts = std::size_t{1} << upTo(4);
    SoftContacts contacts;
    contacts.clear(parts);
    Columns columns(contacts.columns());
    std::uint32_t next = 0, end = 0;
    const auto make = [&](std::vector<std::uint32_t>& column) {
      column.resize(upTo(1) * upTo(9));
      for (std::uint32_t& number : column) number = next++;
    };
    std::vector<std::uint32_t> firsts;
    for (auto& column : columns) {
      make(column);
      firsts.push_back(end);
      end += static_cast<std::uint32_t>(column.size());
    }
    contacts.makeRoom(firsts, end);
    for (std::size_t c = 0; c < columns.size(); ++c) fill(contacts, columns, c, firsts[c]);

    for (int time = 0; time < 5; ++time) {
      std::vector<std::uint8_t> changed(columns.size() / 2);
      for (std::uint8_t& one : changed) one = upTo(2) == 0 ? 1 : 0;
      for (std::size_t c = 0; c < columns.size(); ++c)
        if (changed[c / 2] != 0) make(columns[c]);
      std::vector<std::uint32_t> places;
      for (const auto& column : columns) places.push_back(static_cast<std::uint32_t>(column.size()));
      contacts.makeRoomFor(changed, places);
      for (std::size_t c = 0; c < columns.size(); ++c)
        if (changed[c / 2] != 0) fill(contacts, columns, c, places[c]);

      std::vector<std::uint32_t> expected, found;
      for (const auto& column : columns) expected.insert(expected.end(), column.begin(), column.end());
      for (const ContactEnds& ends : contacts.contacts) found.push_back(ends.contact);
      ASSERT_EQ(found, expected) << "round " << round << " time " << time;
      for (std::size_t c = 0; c < columns.size(); ++c) ASSERT_EQ(contacts.countOf(c), columns[c].size());
    }
  }
}

}  // namespace
}  // namespace cairn
