#include "soft/sweep/contact_group.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

#include "base/fetch_ahead.hpp"
#include "base/hash.hpp"
#include "soft/memory.hpp"
#include "soft/plan/contact_summary.hpp"

namespace cairn {

using wide::ContactBlock;
using wide::ContactPointLanes;
using wide::kLanes;

namespace {

constexpr int kPointStride = sizeof(ContactPoint) / sizeof(float);
static_assert(kPointStride * sizeof(float) == sizeof(ContactPoint));
constexpr std::size_t kLine = 64;
constexpr float kNothing[8 + 3 * kPointStride] = {};

// Rows are most of what a step needs: of these even a sixteenth too much is given back, save for a few, because their number
// rises and falls by that from step to step.
template <class T>
void makeAnew(std::vector<T>& rows, std::size_t count) {
  if (rows.capacity() > count + count / policy::layout::kRowRoomShare + policy::layout::kRowRoom)
    std::vector<T>().swap(rows);
  resizeAnew(rows, count);
}

std::uint64_t hashOf(std::span<const ContactEnds> contacts) {
  Hash hash;
  for (const ContactEnds& ends : contacts) {
    constexpr std::uint64_t kOdd = 0x9E3779B97F4A7C15u;
    hash.add(((std::uint64_t{ends.contact} << 24) | (std::uint64_t{ends.rank} << 8) | ends.points) * kOdd +
             ((std::uint64_t{ends.a} << 32) | ends.b));
  }
  return hash.value();
}

bool areResting(std::span<const ContactEnds> contacts, const ContactCache& cache) {
  return std::all_of(contacts.begin(), contacts.end(), [&](const ContactEnds& ends) { return cache.resting[ends.contact]; });
}

std::uint16_t mostPoints(std::span<const ContactEnds> contacts) {
  std::uint16_t most = 0;
  for (const ContactEnds& ends : contacts) most = std::max<std::uint16_t>(most, ends.points);
  return most;
}

Float3 laneOf(const wide::Lane3& lanes, int lane) { return {lanes[0][lane], lanes[1][lane], lanes[2][lane]}; }

void setInertia(float (&lanes)[6][kLanes], int lane, const wide::MassRow& mass) {
  for (int k = 0; k < 6; ++k) lanes[k][lane] = mass.inertia[k];
}

// A stated stiffness is shared by the points of the patch. Relaxation would make it rigid.
void stateStiffness(ContactBlock& block, ContactPointLanes* points, int lane, const Contact& contact, float h) {
  block.relaxes[lane] = 0.0f;
  block.pushOut[lane] = 1e30f;
  block.biasRate[lane] = contact.stiffness / (h * contact.stiffness + contact.damping);
  const float k = contact.stiffness / static_cast<float>(contact.count);
  const float c = contact.damping / static_cast<float>(contact.count);
  for (int p = 0; p < contact.count; ++p) points[p].stiffness[lane] = 1.0f / (h * (h * k + c));
}

// Someone else solves it: it pushes nothing.
void silence(ContactBlock& block, ContactPointLanes* points, int lane) {
  block.friction1[lane] = block.friction2[lane] = block.twist[lane] = 0.0f;
  for (int p = 0; p < block.points; ++p) points[p].mass[lane] = points[p].impulse[lane] = 0.0f;
}

// What is read back of a block: first what is at hand without knowing where its points are, then these.
void fetchResults(const ContactBlock& block) {
  prefetch(block.bodyA, sizeof(block.bodyA) + sizeof(block.bodyB) + kLine);
  prefetch(block.normal, sizeof(block.normal) + sizeof(block.tangent));
  prefetch(block.friction1, 4 * sizeof(wide::Lane));
  prefetch(block.twist, 4 * sizeof(wide::Lane));
}
void fetchResults(const ContactBlock& block, const ContactPointLanes* points) {
  for (int p = 0; p < block.points; ++p) prefetch(points[block.firstPoint + p].gap, 3 * sizeof(wide::Lane));
}

}  // namespace

// Groups the contacts of a colour by sixteen.
void ContactGroup::layOut() {
  sortColours(colouring_, buffers_,
              [](const ContactEnds& ends) { return static_cast<std::uint32_t>(kManifoldPoints - ends.points); });
  firsts_.clear();
  runs_.clear();
  std::uint32_t pointCount = 0;
  const std::size_t joinedBlocks = blocks_.size() - swept_.blocks, joinedPoints = points_.size() - swept_.points;
  int colour = -1;
  forEachBlock(colouring_, kLanes, [&](std::uint32_t first, std::uint32_t) {
    const auto index = static_cast<std::uint32_t>(firsts_.size());
    const bool begins = first >= colouring_.serialFrom || first == colouring_.firstOf[colour + 1];
    if (begins) {
      ++colour;
      runs_.push_back({index, index});
    }
    ++runs_.back().last;
    firsts_.push_back(first);
    pointCount += colouring_.contacts[first].points;
  });
  // With room for as many as joined in last time.
  swept_ = {firsts_.size(), pointCount, runs_.size()};
  makeAnew(blocks_, swept_.blocks + joinedBlocks);
  makeAnew(points_, swept_.points + joinedPoints);
  blocks_.resize(swept_.blocks);
  points_.resize(swept_.points);
}

// Rows of contacts. Where the block's points are is known already. Contacts of a colour are all over the table: those of the
// next block are asked for meanwhile.
void ContactGroup::makeBlock(std::span<const ContactEnds> ends, std::span<const ContactEnds> next, ContactBlock& block,
                             const std::vector<Contact>& slots, SoftBodies& bodies, const SoftContactValues& values) {
  ContactPointLanes* points = points_.data() + block.firstPoint;
  const auto lanes = static_cast<std::uint32_t>(ends.size());
  block.points = mostPoints(ends);
  block.lanes = static_cast<std::uint16_t>(lanes);
  block.writesA = block.writesB = block.bounces = 0;
  block.central = block.points == 1 ? 1 : 0;
  wide::BlockSources sources;
  sources.pointStride = kPointStride;
  const auto setLane = [&](std::uint32_t lane, const float* contact, const float* friction, const float* first,
                           const float* massA, const float* massB) {
    sources.contact[lane] = contact;
    sources.friction[lane] = friction;
    sources.points[lane] = first;
    sources.massA[lane] = massA;
    sources.massB[lane] = massB;
  };
  std::uint32_t stated = 0;  // bit per lane
  for (std::uint32_t lane = 0; lane < lanes; ++lane) {
    if (lane < next.size()) prefetch(slots[next[lane].contact], bytesOfContact(next[lane].points));
    const ContactEnds& one = ends[lane];
    const std::uint32_t slot = one.contact;
    const Contact& contact = slots[slot];
    // The nearer one comes first (see ContactBlock).
    const std::uint32_t a = contact.anchorsOnB ? one.b : one.a, b = contact.anchorsOnB ? one.a : one.b;
    const std::uint32_t bit = 1u << lane;
    block.contact[lane] = slot;
    block.bodyA[lane] = a;
    block.bodyB[lane] = b;
    block.writesA |= static_cast<std::uint16_t>(a < bodies.ground() ? bit : 0);
    block.writesB |= static_cast<std::uint16_t>(b < bodies.ground() ? bit : 0);
    const bool centralA = (contact.centralA && bodies[one.a].round) || one.a == bodies.ground();
    const bool centralB = (contact.centralB && bodies[one.b].round) || one.b == bodies.ground();
    if (!centralA || !centralB) block.central = 0;
    if (contact.special && contact.stiffness > 0.0f) {
      stated |= bit;
    } else if (contact.special) {
      block.bounces |= static_cast<std::uint16_t>(bit);
    }
    setLane(lane, contact.normal.data(), contact.frictionImpulse.data(), contact.points[0].anchor.data(),
            bodies[a].mass.inertia, bodies[b].mass.inertia);
    sources.count[lane] = static_cast<float>(one.points);
    sources.swapped[lane] = contact.anchorsOnB ? 1.0f : 0.0f;
  }
  for (std::uint32_t lane = lanes; lane < kLanes; ++lane) {
    block.contact[lane] = kNone;
    block.bodyA[lane] = block.bodyB[lane] = bodies.ground();
    setLane(lane, kNothing, kNothing, kNothing, kNothing, kNothing);
    sources.count[lane] = sources.swapped[lane] = 0.0f;
  }
  wide::fill(block, points, sources, values.fill);
  for (int lane = 0; stated >> lane != 0; ++lane)
    if ((stated >> lane & 1) != 0) stateStiffness(block, points, lane, slots[block.contact[lane]], values.h);
  wide::prepare(wide::Blocks(&block, 1), points_.data(), bodies.solver(), false);
  for (std::uint32_t lane = 0; lane < lanes; ++lane)
    if (bodies[ends[lane].a].held || bodies[ends[lane].b].held) silence(block, points, static_cast<int>(lane));
}

void ContactGroup::takeIn(std::span<const ContactEnds> contacts, std::span<const ContactEnds> next, std::uint32_t index,
                          const std::vector<Contact>& slots, SoftBodies& bodies, const SoftContactValues& values) {
  makeBlock(contacts, next, blocks_[index], slots, bodies, values);
  if (anySpinning(contacts, bodies)) spinning_.push_back(index);
  if (blocks_[index].bounces != 0) noteBounces(blocks_[index], slots, bodies);
}

bool ContactGroup::anySpinning(std::span<const ContactEnds> contacts, const SoftBodies& bodies) {
  return bodies.anySpinning() && std::any_of(contacts.begin(), contacts.end(), [&](const ContactEnds& ends) {
           return bodies[ends.a].spins || bodies[ends.b].spins;
         });
}

void ContactGroup::noteBounces(ContactBlock& block, const std::vector<Contact>& slots, const SoftBodies& bodies) {
  block.firstApproach = static_cast<std::uint32_t>(approaches_.size());
  wide::ApproachLanes approach{};
  for (int lane = 0; lane < block.lanes; ++lane) {
    if ((block.bounces >> lane & 1) == 0) continue;
    const Contact& contact = slots[block.contact[lane]];
    approach.restitution[lane] = contact.restitution;
    const Float3 relative = bodies.acceleration(block.bodyB[lane]) - bodies.acceleration(block.bodyA[lane]);
    approach.acceleration[lane] = laneOf(block.normal, lane).dot(relative);
  }
  approaches_.insert(approaches_.end(), block.points, approach);
}

void ContactGroup::begin(std::span<const ContactEnds> contacts, std::span<const ContactEnds> watched, MovableBodies movable,
                         const ContactCache& cache, SoftBodies& bodies, const SoftContactValues& values, bool asBefore) {
  const Origin origin{asBefore ? origin_.contacts : hashOf(contacts), movable, bodies.ground(), values};
  const std::uint64_t watchedNow = asBefore ? watched_ : hashOf(watched);
  const bool same = origin.movable == origin_.movable && origin.ground == origin_.ground && values == origin_.values;
  if (std::exchange(watchFollowed_, false) && same && watchedNow == watched_ && areResting(watched, cache)) {
    watch_.beginAgain();
  } else {
    watch_.begin(watched, movable, cache.slots, values.near, bodies.ground(), buffers_);
  }
  watched_ = watchedNow;
  const bool fit = std::exchange(known_, false) && origin == origin_ && approaches_.empty();
  if (!fit || !keepRows(cache, bodies, values)) makeRows(contacts, movable, cache.slots, bodies, values);
  origin_ = origin;
}

// The rows of the last step are those of the same contacts: blocks of contacts that rest are left as they are, the
// others are made anew, and so are those of bodies that spin fast, whatever was said of them before. Contacts that joined in
// are watched again. False if a contact can bounce, which none could before.
bool ContactGroup::keepRows(const ContactCache& cache, SoftBodies& bodies, const SoftContactValues& values) {
  blocks_.resize(swept_.blocks);
  points_.resize(swept_.points);
  runs_.resize(swept_.runs);
  spinning_.clear();
  const auto isResting = [&](std::size_t block) {
    return block < blocks_.size() && areResting(contactsOf(block), cache) && !anySpinning(contactsOf(block), bodies);
  };
  bool rests = isResting(0);
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    const bool nextRests = isResting(i + 1);
    if (rests) {
      wide::keepRows(wide::Blocks(&blocks_[i], 1), points_.data(), bodies.solver());
    } else {
      const bool asks = i + 1 < blocks_.size() && !nextRests;
      takeIn(contactsOf(i), asks ? contactsOf(i + 1) : std::span<const ContactEnds>(), static_cast<std::uint32_t>(i),
             cache.slots, bodies, values);
      if (blocks_[i].bounces != 0) return false;
    }
    rests = nextRests;
  }
  return true;
}

void ContactGroup::makeRows(std::span<const ContactEnds> contacts, MovableBodies movable, const std::vector<Contact>& slots,
                            SoftBodies& bodies, const SoftContactValues& values) {
  colourContacts(contacts, movable, buffers_, colouring_);
  layOut();
  spinning_.clear();
  approaches_.clear();
  std::uint32_t nextPoint = 0;
  for (std::uint32_t i = 0; i < blocks_.size(); ++i) {
    ContactBlock& block = blocks_[i];
    block.firstPoint = nextPoint;
    takeIn(contactsOf(i), i + 1 < blocks_.size() ? contactsOf(i + 1) : std::span<const ContactEnds>(), i, slots, bodies,
           values);
    nextPoint += block.points;
  }
}

void ContactGroup::joinWatched(const std::vector<Contact>& slots, SoftBodies& bodies, const SoftContactValues& values) {
  if (watch_.empty()) return;
  watch_.check(bodies.solver(), policy::layout::kSubstepsAhead * values.h, [&](std::span<const ContactEnds> contacts) {
    const auto index = static_cast<std::uint32_t>(blocks_.size());
    const std::size_t firstPoint = points_.size();
    resizeGently(blocks_, index + 1);
    resizeGently(points_, firstPoint + mostPoints(contacts));
    ContactBlock& block = blocks_[index];
    block.firstPoint = static_cast<std::uint32_t>(firstPoint);
    takeIn(contacts, {}, index, slots, bodies, values);
    wide::measureGaps(wide::Blocks(&block, 1), points_.data(), bodies.solver());  // bodies have moved since the step began
    order_.push_back(static_cast<std::uint32_t>(runs_.size()));
    runs_.push_back({index, index + 1});
  });
}

void ContactGroup::refreshSpinning(SoftBodies& bodies) {
  for (const std::uint32_t index : spinning_) {
    ContactBlock& block = blocks_[index];
    for (int lane = 0; lane < block.lanes; ++lane) {
      setInertia(block.inertiaA, lane, bodies[block.bodyA[lane]].mass);
      setInertia(block.inertiaB, lane, bodies[block.bodyB[lane]].mass);
    }
    wide::prepare(wide::Blocks(&block, 1), points_.data(), bodies.solver(), true);
  }
}

void ContactGroup::finish(System& system, float unscale, const SoftBodies& bodies) {
  ContactCache& cache = system.contacts;
  std::vector<Contact>& slots = cache.slots;
  SoftMemory& memory = softMemory(system);
  const float up[3] = {memory.summariesUp.x(), memory.summariesUp.y(), memory.summariesUp.z()};
  wide::BlockResults results;
  known_ = true;
  watchFollowed_ = !watch_.anyJoined();
  // Of those that are far apart the gap stays as it was while nothing moves by more than a hair.
  watch_.forEachLeft([&](const ContactEnds& ends) {
    const bool rests = ends.rank >= kWideRank && bodies.isResting(ends.a) && bodies.isResting(ends.b);
    watchFollowed_ &= rests;
    cache.note(ends.contact, rests, false);
    if (rests) memory.summaries[ends.contact].load = 0.0f;
  });
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    const ContactBlock& block = blocks_[i];
    const ContactBlock& next = blocks_[std::min(i + 1, blocks_.size() - 1)];
    if (i + 2 < blocks_.size()) fetchResults(blocks_[i + 2]);
    fetchResults(next, points_.data());
    wide::readBack(block, points_.data(), unscale, up, results);
    for (int lane = 0; lane < block.lanes; ++lane) {
      if (lane < next.lanes) prefetch(slots[next.contact[lane]], bytesOfContact(next.points));
      const std::uint32_t slot = block.contact[lane];
      Contact& contact = slots[slot];
      const bool rests = bodies.isResting(block.bodyA[lane]) && bodies.isResting(block.bodyB[lane]);
      for (int p = 0; p < contact.count; ++p) {
        const ContactPointLanes& point = points_[block.firstPoint + p];
        contact.points[p].normalImpulse = unscale * point.impulse[lane];
        contact.points[p].totalImpulse = point.total[lane];
        if (rests) contact.points[p].separation = point.gap[lane];
      }
      // On the block's B, which may be the contact's A.
      const float sign = contact.anchorsOnB ? -1.0f : 1.0f;
      contact.frictionImpulse = sign * laneOf(results.friction, lane);
      contact.totalFriction = sign * laneOf(results.totalFriction, lane);
      contact.twistImpulse = results.twist[lane];
      contact.totalTwist = block.totalTwist[lane];
      contact.approachSpeed = block.approachSpeed[lane];
      cache.note(slot, rests, rests ? results.total[lane] > 0.0f || results.gap[lane] <= 0.0f : contact.touches());
      if (rests)
        memory.summaries[slot] = {results.load[lane],    std::min(results.gap[lane], 0.0f),
                                  contact.approachSpeed, contact.count,
                                  contact.special,       isUpright(results.steepness[lane])};
    }
  }
}

void ContactGroup::arrange(int number) {
  order_.resize(runs_.size());
  std::iota(order_.begin(), order_.end(), 0u);
  inOrder_ = number == 0;
  if (inOrder_) return;
  std::uint64_t random = static_cast<std::uint64_t>(number) * 0x9E3779B97F4A7C15u;
  for (std::size_t i = order_.size(); i > 1; --i) {
    random = random * 6364136223846793005u + 1442695040888963407u;  // Knuth's multiplier
    std::swap(order_[i - 1], order_[(random >> 33) % i]);
  }
}

}  // namespace cairn
