#include "collision/contact.hpp"

#include <numeric>
#include <utility>

namespace cairn {

namespace {

constexpr std::size_t kManyContacts = 1024;  // fewer are in the cache wherever they are
constexpr std::size_t kManyNewcomers = 4;    // one in so many
constexpr std::size_t kSomeFree = 128;       // slots that are free and need not be given back

// What is beyond `count` goes back.
template <class T>
void cutDown(std::vector<T>& table, std::size_t count) {
  std::vector<T>(table.begin(), table.begin() + static_cast<std::ptrdiff_t>(count)).swap(table);
}

}  // namespace

std::uint32_t ContactCache::acquire(Pair& pair, Children children, std::uint32_t bodyA, std::uint32_t bodyB) {
  const std::uint32_t slot = acquire(bodyA, bodyB);
  slots[slot].colliderA = pair.a;
  slots[slot].colliderB = pair.b;
  chained += pair.contact != kNone ? 1 : 0;
  std::uint32_t* place = &pair.contact;
  while (*place != kNone && links[*place].children < children) place = &links[*place].next;
  links[slot] = {*place, children};
  *place = slot;
  return slot;
}

void ContactCache::release(Pair& pair, std::uint32_t slot) {
  std::uint32_t* place = &pair.contact;
  while (*place != slot) place = &links[*place].next;
  *place = links[slot].next;
  chained -= pair.contact != kNone ? 1 : 0;
  release(slot);
}

std::vector<std::uint32_t> ContactCache::arrange(std::vector<Pair>& pairs) {
  const bool outOfOrder = inUse.size() >= kManyContacts && newcomers * kManyNewcomers >= inUse.size();
  const bool tooLarge = freeSlots.size() > inUse.size() / 8 + kSomeFree;
  if (!outOfOrder && !tooLarge) return {};
  newcomers = 0;
  ++numbering;
  bondBroke |= !begun.empty();  // these are slots no more
  // Those in use, in the order of pairs, and then the free ones.
  std::vector<std::uint32_t> from;
  from.reserve(slots.size());
  for (Pair& pair : pairs) {
    // Contacts of a pair come one after another: the next one's number is known before it has its turn.
    for (std::uint32_t* place = &pair.contact; *place != kNone; place = &links[from.back()].next)
      from.push_back(std::exchange(*place, static_cast<std::uint32_t>(from.size())));
  }
  const std::size_t used = from.size();
  from.insert(from.end(), freeSlots.begin(), freeSlots.end());
  forSmallTables([&](auto& table) {
    auto old = table;
    for (std::size_t i = 0; i < from.size(); ++i) table[i] = old[from[i]];
  });
  std::vector<std::uint32_t> moved = from;
  // Slot from[i] goes to i, one cycle after another; who has arrived is from[i] = i.
  for (std::uint32_t start = 0; start < from.size(); ++start) {
    if (from[start] == start) continue;
    const Contact slot = slots[start];
    const KeptManifold manifold = kept[start];
    std::uint32_t at = start;
    while (from[at] != start) {
      slots[at] = slots[from[at]];
      kept[at] = kept[from[at]];
      at = std::exchange(from[at], at);
    }
    from[at] = at;
    slots[at] = slot;
    kept[at] = manifold;
  }
  if (tooLarge) {
    const std::size_t count = used + used / 16 + kSomeFree / 2;
    cutDown(slots, count);
    cutDown(kept, count);
    forSmallTables([count](auto& table) { cutDown(table, count); });
    moved.resize(count);
    freeSlots.resize(count - used);
    freeSlots.shrink_to_fit();
  }
  for (std::uint32_t i = 0; i < freeSlots.size(); ++i) freeSlots[i] = static_cast<std::uint32_t>(slots.size()) - 1 - i;
  inUse.resize(used);
  std::iota(inUse.begin(), inUse.end(), 0u);
  return moved;
}

}  // namespace cairn
