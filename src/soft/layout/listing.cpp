// Which contacts the batches of the soft stepper have, and in which of their groups: part of BatchMaker.
//
// Contacts are listed by columns (SoftContacts): those of each group that are swept, and those that are watched. In a large
// world some contact comes, goes, or begins to be watched in every step. Lists of all others are then left as they are: what
// each contact was listed as is known by its slot, and only groups in which something is different get new lists. So a
// change somewhere costs no more than what is about it, however large the world is.
#include <algorithm>
#include <atomic>
#include <utility>

#include "soft/layout/batch_maker.hpp"
#include "soft/plan/policy.hpp"

namespace cairn {

using policy::layout::kContactGrain;

namespace {
// Column, whether the gap is wide (if not, it is followed step by step), and how many points: what a group lays out its
// blocks by.
constexpr int kListedBits = 4;
constexpr std::uint32_t kIsWide = 8;
static_assert(kManifoldPoints < kIsWide);
std::uint32_t listedAs(std::uint32_t column, const LiveContact& contact) {
  return (column << kListedBits) | (contact.rank >= kWideRank ? kIsWide : 0u) | contact.points;
}
}  // namespace

// By the part of a body that can be moved; of the other one if it cannot.
std::uint32_t BatchMaker::groupOf(const LiveContact& contact, const SoftBatch& batch) const {
  const bool movesA = plan_->islandOf(contact.a) != kNone, movesB = plan_->islandOf(contact.b) != kNone;
  const std::uint32_t a = places_[movesA ? contact.a : contact.b].part, b = places_[movesB ? contact.b : contact.a].part;
  return cut_tree::groupBetween(a, b, cut_tree::partsOfUnit(static_cast<std::uint32_t>(batch.bodies.parts)));
}

// What was remembered of the slot was of another contact.
void BatchMaker::forgetFormer(std::uint32_t slot, ContactCache& cache) {
  std::uint8_t& touch = cache.touch[slot];
  if (!memory_->solvedDirectly.empty() && (touch & Touch::kFresh) != 0) memory_->solvedDirectly[slot] = 0;
  touch &= ~Touch::kFresh;
}

void BatchMaker::findColumns() {
  firstColumns_.assign(made_->count + 1, 0);
  for (std::size_t b = 0; b < made_->count; ++b)
    firstColumns_[b + 1] = firstColumns_[b] + static_cast<std::uint32_t>(made_->list[b].contacts.columns());
}

// Contacts go into the groups of their batches: pieces of them are counted side by side, and then know where theirs go.
void BatchMaker::takeContacts(StepContext& context) {
  const std::vector<LiveContact>& all = plan_->contacts();
  const System& system = context.system;
  ContactCache& cache = context.system.contacts;
  findColumns();
  const std::size_t columns = firstColumns_.back(), pieces = (all.size() + kContactGrain - 1) / kContactGrain;
  resizeAnew(columnOf_, all.size());
  resizeAnew(made_->listedAs, cache.slots.size());
  made_->numbering = cache.numbering;
  assignGently(counts_, pieces * columns, 0u);
  std::atomic<bool> anyOthers = false;  // that move and are not in a batch yet
  context.tasks.parallelFor(all.size(), kContactGrain, [&](std::size_t first, std::size_t last) {
    std::uint32_t* const counts = counts_.data() + first / kContactGrain * columns;
    for (std::size_t i = first; i < last; ++i) {
      const LiveContact& contact = all[i];
      const std::uint32_t number = batchOf_[contact.island];
      SoftBatch& batch = made_->list[number];
      const std::uint32_t group = batch.bodies.parts == 1 ? 0 : groupOf(contact, batch);
      const int height = cut_tree::heightOf(group);
      columnOf_[i] = firstColumns_[number] + SoftContacts::columnOf(group, contact.rank != 0);
      ++counts[columnOf_[i]];
      made_->listedAs[contact.contact] = listedAs(columnOf_[i], contact);
      forgetFormer(contact.contact, cache);
      for (const std::uint32_t body : {contact.a, contact.b}) {
        const bool isIn = places_[body].batch == number;
        if (!isIn && drives(system.bodies[body])) anyOthers.store(true, std::memory_order_relaxed);
        if (isIn && height > 0) batch.bodies.share(places_[body].number, height);
      }
    }
  });
  // Where columns begin, in each batch from 0 on; then where each piece's part of a column begins.
  columnFirsts_.assign(columns, 0);
  for (std::size_t piece = 0; piece < pieces; ++piece)
    for (std::size_t column = 0; column < columns; ++column) columnFirsts_[column] += counts_[piece * columns + column];
  for (std::size_t b = 0; b < made_->count; ++b) {
    std::uint32_t next = 0;
    for (std::uint32_t column = firstColumns_[b]; column < firstColumns_[b + 1]; ++column)
      next += std::exchange(columnFirsts_[column], next);
    made_->list[b].contacts.makeRoom({columnFirsts_.data() + firstColumns_[b], columnFirsts_.data() + firstColumns_[b + 1]},
                                     next);
  }
  for (std::size_t piece = 0; piece < pieces; ++piece)
    for (std::size_t column = 0; column < columns; ++column)
      columnFirsts_[column] += std::exchange(counts_[piece * columns + column], columnFirsts_[column]);
  for (std::size_t b = 0; b < made_->count; ++b) {
    SoftBatch& batch = made_->list[b];
    if (batch.bodies.parts == 1) continue;
    batch.bodies.putSharedFirst(context.tasks);
    numberBodies(context.tasks, batch.bodies);
  }
  const auto take = [&](std::size_t i, std::uint32_t a, std::uint32_t b) {
    const LiveContact& contact = all[i];
    const std::uint32_t at = counts_[i / kContactGrain * columns + columnOf_[i]]++;
    made_->list[batchOf_[contact.island]].contacts.contacts[at] = {contact.contact, a, b, contact.points, contact.rank};
  };
  if (anyOthers.load()) {  // they get their numbers one after another
    for (std::size_t i = 0; i < all.size(); ++i) {
      const std::uint32_t batch = batchOf_[all[i].island];
      const std::uint32_t a = numberIn(batch, all[i].a, system, false);
      take(i, a, numberIn(batch, all[i].b, system, false));
    }
    return;
  }
  context.tasks.parallelFor(all.size(), kContactGrain, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      const std::uint32_t batch = batchOf_[all[i].island];
      take(i, numberOf(batch, all[i].a), numberOf(batch, all[i].b));
    }
  });
}

// Of batches that another stepper object made, or an earlier state of the world had: where their bodies are.
void BatchMaker::placeBodies(const StepContext& context, std::size_t islands) {
  if (std::exchange(placesFor_, made_->number) == made_->number) return;
  places_.assign(context.system.bodies.size(), Place{});
  assignGently(batchOf_, islands, kNone);
  for (std::uint32_t b = 0; b < made_->count; ++b) {
    const SoftBodies& bodies = made_->list[b].bodies;
    for (const std::uint32_t body : bodies.movable) {
      places_[body].batch = b;
      batchOf_[plan_->islandOf(body)] = b;
    }
    numberBodies(context.tasks, bodies);
  }
}

// Nothing if its batch would have to be made anew: it has none, a body does not know yet that it is shared, or one drives
// others and is to come in.
std::optional<std::uint32_t> BatchMaker::columnOfFresh(const LiveContact& contact, const System& system) const {
  const std::uint32_t number = batchOf_[contact.island];
  if (number == kNone) return std::nullopt;
  const SoftBatch& batch = made_->list[number];
  const std::uint32_t group = batch.bodies.parts == 1 ? 0 : groupOf(contact, batch);
  const int height = cut_tree::heightOf(group);
  for (const std::uint32_t body : {contact.a, contact.b}) {
    const Place& place = places_[body];
    const bool isIn = place.batch == number;
    if (!isIn && drives(system.bodies[body])) return std::nullopt;
    if (isIn && height > 0 && !batch.bodies.isShared(place.number, place.part, height)) return std::nullopt;
  }
  return firstColumns_[number] + SoftContacts::columnOf(group, false);
}

// The bodies of all batches are those of the last step. False, and lists are left as they were, if batches have to be made
// anew all the same.
bool BatchMaker::renewContacts(StepContext& context) {
  const std::vector<IslandPlan>& plans = plan_->plans();
  const std::vector<LiveContact>& all = plan_->contacts();
  ContactCache& cache = context.system.contacts;
  if (made_->numbering != cache.numbering) return false;
  placeBodies(context, plans.size());
  for (std::size_t i = 0; i < plans.size(); ++i) {  // what has no contact left, or its first, changes sides
    const SubstepPlan::Size size = plan_->sizeOf(i);
    if ((size.contacts + size.joints == 0) != (batchOf_[i] == kNone)) return false;
  }
  findColumns();
  const std::size_t columns = firstColumns_.back();
  resizeGently(made_->listedAs, cache.slots.size());
  resizeAnew(columnOf_, all.size());
  changed_.assign(columns / 2, 0);
  std::atomic<bool> fits = true, anyChanged = false;
  std::atomic<std::size_t> fresh = 0;
  context.tasks.parallelFor(all.size(), kContactGrain, [&](std::size_t first, std::size_t last) {
    std::size_t freshHere = 0;
    for (std::size_t i = first; i < last; ++i) {
      const LiveContact& contact = all[i];
      std::uint32_t& listed = made_->listedAs[contact.contact];
      const bool isFresh = (cache.touch[contact.contact] & Touch::kFresh) != 0;
      std::uint32_t column = listed >> kListedBits;
      if (isFresh) {
        const std::optional<std::uint32_t> found = columnOfFresh(contact, context.system);
        if (!found) return fits.store(false, std::memory_order_relaxed);
        column = *found;
        ++freshHere;
      }
      columnOf_[i] = (column & ~1u) | (contact.rank != 0 ? 1u : 0u);
      const std::uint32_t now = listedAs(columnOf_[i], contact);
      if (!isFresh && now == listed) continue;
      listed = now;
      if (isFresh) forgetFormer(contact.contact, cache);
      std::atomic_ref(changed_[column / 2]).store(1, std::memory_order_relaxed);
      anyChanged.store(true, std::memory_order_relaxed);
    }
    fresh += freshHere;
  });
  if (!fits.load()) return false;
  std::size_t before = 0;
  for (std::size_t b = 0; b < made_->count; ++b) before += made_->list[b].contacts.contacts.size();
  if (!anyChanged.load() && before == all.size()) return true;

  columnFirsts_.assign(columns, 0);
  for (const std::uint32_t column : columnOf_) ++columnFirsts_[column];
  for (std::size_t b = 0; b < made_->count; ++b) {
    SoftBatch& batch = made_->list[b];
    const std::span<std::uint32_t> counts(columnFirsts_.data() + firstColumns_[b], batch.contacts.columns());
    const std::span<std::uint8_t> changed(changed_.data() + firstColumns_[b] / 2, counts.size() / 2);
    for (std::size_t c = 0; c < counts.size(); ++c)  // some may have gone
      if (counts[c] != batch.contacts.countOf(c)) changed[c / 2] = 1;
    batch.contacts.makeRoomFor(changed, counts);
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (changed_[columnOf_[i] / 2] == 0) continue;
    const LiveContact& contact = all[i];
    const std::uint32_t batch = batchOf_[contact.island];
    made_->list[batch].contacts.contacts[columnFirsts_[columnOf_[i]]++] = {
        contact.contact, numberOf(batch, contact.a), numberOf(batch, contact.b), contact.points, contact.rank};
  }
  if (fresh.load() > 0)
    for (std::size_t b = 0; b < made_->count; ++b) made_->list[b].contacts.findSlabs(slabFinder_, made_->list[b].bodies);
  return true;
}

}  // namespace cairn
