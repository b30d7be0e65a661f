#include "steppers/contact_group.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>
#include <utility>

namespace cairn {

using wide::ContactBlock;
using wide::ContactPointLanes;
using wide::kLanes;

namespace {

// Contacts of a colour are all over the table: the next ones are asked for while one is worked on.
constexpr std::uint32_t kAhead = 3;  // lanes
void fetchAhead(const Contact& contact) {
  constexpr std::size_t kLine = 64;
  for (std::size_t at = 0; at < sizeof(Contact); at += kLine)
    __builtin_prefetch(reinterpret_cast<const char*>(&contact) + at);
}

constexpr int kPointStride = sizeof(ContactPoint) / sizeof(float);
static_assert(kPointStride * sizeof(float) == sizeof(ContactPoint));
constexpr float kNothing[8 + 3 * kPointStride] = {};

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

}  // namespace

// Groups the contacts of a colour by sixteen, those with many points first so that lanes of a block have about as many.
void ContactGroup::layOut() {
  std::vector<ContactEnds>& order = colouring_.contacts;
  for (int c = 0; c < colouring_.colours; ++c) {
    // A stable counting sort.
    ContactEnds* first = order.data() + colouring_.firstOf[c];
    ContactEnds* last = order.data() + colouring_.firstOf[c + 1];
    std::array<std::uint32_t, kManifoldPoints + 1> next{};
    for (const ContactEnds* i = first; i != last; ++i) ++next[kManifoldPoints - i->points];
    std::uint32_t sum = 0;
    for (std::uint32_t& n : next) sum += std::exchange(n, sum);
    sorting_.assign(first, last);
    for (const ContactEnds& ends : sorting_) first[next[kManifoldPoints - ends.points]++] = ends;
  }

  places_.clear();
  runs_.assign(1, 0);
  std::uint32_t pointCount = 0;
  const auto addBlock = [&](std::size_t first, std::size_t last) {
    places_.push_back({static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(last - first), pointCount});
    pointCount += order[first].points;
  };
  for (int c = 0; c < colouring_.colours; ++c) {
    const std::size_t last = colouring_.firstOf[c + 1];
    for (std::size_t i = colouring_.firstOf[c]; i < last; i += kLanes) addBlock(i, std::min(i + kLanes, last));
    runs_.push_back(places_.size());
  }
  serialFrom_ = places_.size();
  for (std::size_t i = colouring_.serialFrom; i < order.size(); ++i) addBlock(i, i + 1);
  resizeAnew(blocks_, places_.size());
  resizeAnew(points_, pointCount);
}

// A block as wide::prepare expects it.
void ContactGroup::fillBlock(std::size_t index, const std::vector<Contact>& slots, const SoftBodies& bodies,
                             const SoftContactValues& values) {
  const BlockPlace& place = places_[index];
  const ContactEnds* ends = colouring_.contacts.data() + place.first;
  ContactBlock& block = blocks_[index];
  ContactPointLanes* points = points_.data() + place.firstPoint;
  block.firstPoint = place.firstPoint;
  block.points = static_cast<std::uint16_t>(ends[0].points);
  block.lanes = static_cast<std::uint16_t>(place.lanes);
  block.writesA = block.writesB = block.bounces = 0;
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
  for (std::uint32_t lane = 0; lane < place.lanes; ++lane) {
    if (lane + kAhead < place.lanes) fetchAhead(slots[ends[lane + kAhead].contact]);
    const auto [slot, a, b, count] = ends[lane];
    const Contact& contact = slots[slot];
    const std::uint32_t bit = 1u << lane;
    block.contact[lane] = slot;
    block.bodyA[lane] = a;
    block.bodyB[lane] = b;
    block.writesA |= static_cast<std::uint16_t>(a < bodies.ground() ? bit : 0);
    block.writesB |= static_cast<std::uint16_t>(b < bodies.ground() ? bit : 0);
    if (contact.stiffness > 0.0f) {
      stated |= bit;
    } else if (contact.restitution > 0.0f) {
      block.bounces |= static_cast<std::uint16_t>(bit);
    }
    setLane(lane, contact.normal.data(), contact.frictionImpulse.data(), contact.points[0].anchor.data(),
            bodies[a].mass.inertia, bodies[b].mass.inertia);
    sources.count[lane] = static_cast<float>(count);
    sources.onB[lane] = contact.anchorsOnB ? 1.0f : 0.0f;
  }
  for (std::uint32_t lane = place.lanes; lane < kLanes; ++lane) {
    block.contact[lane] = kNone;
    block.bodyA[lane] = block.bodyB[lane] = bodies.ground();
    setLane(lane, kNothing, kNothing, kNothing, kNothing, kNothing);
    sources.count[lane] = sources.onB[lane] = 0.0f;
  }
  wide::fill(block, points, sources, values.fill);
  for (int lane = 0; stated >> lane != 0; ++lane)
    if ((stated >> lane & 1) != 0) stateStiffness(block, points, lane, slots[block.contact[lane]], values.h);
}

void ContactGroup::begin(std::span<const ContactEnds> contacts, MovableBodies movable, const std::vector<Contact>& slots,
                         SoftBodies& bodies, const SoftContactValues& values) {
  colourContacts(contacts, movable, colouring_);
  layOut();
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    fillBlock(i, slots, bodies, values);
    wide::prepare(wide::Blocks(&blocks_[i], 1), points_.data(), bodies.solver(), false);
  }

  spinning_.clear();
  for (std::uint32_t i = 0; i < blocks_.size() && bodies.anySpinning(); ++i) {
    bool any = false;
    for (int lane = 0; lane < blocks_[i].lanes; ++lane)
      any |= bodies.isSpinning(blocks_[i].bodyA[lane]) || bodies.isSpinning(blocks_[i].bodyB[lane]);
    if (any) spinning_.push_back(i);
  }

  approaches_.clear();
  for (ContactBlock& block : blocks_) {
    if (block.bounces == 0) continue;
    block.firstApproach = static_cast<std::uint32_t>(approaches_.size());
    wide::ApproachLanes approach{};
    for (int lane = 0; lane < block.lanes; ++lane) {
      if ((block.bounces >> lane & 1) == 0) continue;
      const Contact& contact = slots[block.contact[lane]];
      approach.restitution[lane] = contact.restitution;
      approach.acceleration[lane] =
          contact.normal.dot(bodies.acceleration(block.bodyB[lane]) - bodies.acceleration(block.bodyA[lane]));
    }
    approaches_.insert(approaches_.end(), block.points, approach);
  }
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

void ContactGroup::finish(std::vector<Contact>& slots, float unscale) const {
  for (const ContactBlock& block : blocks_) {
    for (int lane = 0; lane < block.lanes; ++lane) {
      Contact& contact = slots[block.contact[lane]];
      contact.approachSpeed = block.approachSpeed[lane];
      for (int p = 0; p < contact.count; ++p) {
        const ContactPointLanes& point = points_[block.firstPoint + p];
        contact.points[p].normalImpulse = unscale * point.impulse[lane];
        contact.points[p].totalImpulse = point.total[lane];
      }
      const Float3 t1(block.tangent[0][lane], block.tangent[1][lane], block.tangent[2][lane]);
      const Float3 t2 = contact.normal.cross(t1);
      contact.frictionImpulse = unscale * (block.friction1[lane] * t1 + block.friction2[lane] * t2);
      contact.totalFriction = block.total1[lane] * t1 + block.total2[lane] * t2;
      contact.twistImpulse = unscale * block.twist[lane];
      contact.totalTwist = block.totalTwist[lane];
    }
  }
}

void ContactGroup::arrange(int number) {
  order_.resize(runs_.size() - 1);
  std::iota(order_.begin(), order_.end(), 0u);
  if (number == 0) return;
  std::uint64_t random = static_cast<std::uint64_t>(number) * 0x9E3779B97F4A7C15u;
  for (std::size_t i = order_.size(); i > 1; --i) {
    random = random * 6364136223846793005u + 1442695040888963407u;  // Knuth's multiplier
    std::swap(order_[i - 1], order_[(random >> 33) % i]);
  }
}

}  // namespace cairn
