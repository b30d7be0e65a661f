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

const Softness& softnessOf(const SoftBody& a, const SoftBody& b, const SoftContactValues& values) {
  return a.inverseMass > 0.0f && b.inverseMass > 0.0f ? values.between : values.ground;
}

void set(float (&lanes)[3][kLanes], int lane, const Float3& v) {
  for (int k = 0; k < 3; ++k) lanes[k][lane] = v[k];
}

void setInertia(float (&lanes)[6][kLanes], int lane, const Eigen::Matrix3f& inverse) {
  lanes[0][lane] = inverse(0, 0);
  lanes[1][lane] = inverse(1, 1);
  lanes[2][lane] = inverse(2, 2);
  lanes[3][lane] = inverse(0, 1);
  lanes[4][lane] = inverse(0, 2);
  lanes[5][lane] = inverse(1, 2);
}

// What wide::prepare makes rows of, besides what stays the same within a step.
void fillRows(ContactBlock& block, ContactPointLanes* points, int lane, const Contact& contact, const SoftBody& a,
              const SoftBody& b, const SoftContactValues& values) {
  setInertia(block.inertiaA, lane, a.inverseInertia);
  setInertia(block.inertiaB, lane, b.inverseInertia);
  float stiffness = softnessOf(a, b, values).massScale;
  if (contact.stiffness > 0.0f) {
    // A stated stiffness is shared by the points of the patch.
    const float k = contact.stiffness / static_cast<float>(contact.count);
    const float c = contact.damping / static_cast<float>(contact.count);
    stiffness = 1.0f / (values.h * (values.h * k + c));
  }
  for (int p = 0; p < contact.count; ++p) {
    const ContactPoint& point = contact.points[p];
    ContactPointLanes& lanes = points[p];
    set(lanes.armA, lane, contact.anchorA(p));
    set(lanes.armB, lane, contact.anchorB(p));
    lanes.mass[lane] = 1.0f;
    lanes.stiffness[lane] = stiffness;
    lanes.lever[lane] = point.normalImpulse;
  }
}

// What is not written for every lane and point begins at zero. In a full block that is little.
void clearBlock(ContactBlock& block, ContactPointLanes* points, std::uint32_t count, bool full) {
  if (!full) {
    std::memset(&block, 0, sizeof(ContactBlock));
    std::memset(points, 0, count * sizeof(ContactPointLanes));
    return;
  }
  block.writesA = block.writesB = block.bounces = 0;
  for (auto* lanes : {&block.total1, &block.total2, &block.totalTwist}) std::memset(*lanes, 0, sizeof(*lanes));
  for (std::uint32_t p = 0; p < count; ++p) std::memset(points[p].total, 0, sizeof(points[p].total));
}

void fillLane(ContactBlock& block, ContactPointLanes* points, int lane, const Contact& contact, const SoftBodies& bodies,
              const SoftContactValues& values) {
  const SoftBody& a = bodies[block.bodyA[lane]];
  const SoftBody& b = bodies[block.bodyB[lane]];
  block.writesA |= static_cast<std::uint16_t>((a.inverseMass > 0.0f) << lane);
  block.writesB |= static_cast<std::uint16_t>((b.inverseMass > 0.0f) << lane);
  block.inverseMassA[lane] = a.inverseMass;
  block.inverseMassB[lane] = b.inverseMass;
  set(block.normal, lane, contact.normal);
  block.friction[lane] = contact.friction;
  const bool stated = contact.stiffness > 0.0f;
  if (contact.restitution > 0.0f && !stated) block.bounces |= static_cast<std::uint16_t>(1u << lane);
  block.relaxes[lane] = stated ? 0.0f : 1.0f;  // relaxation would make a stated stiffness rigid
  block.pushOut[lane] = stated ? 1e30f : values.pushOut;
  block.biasRate[lane] =
      stated ? contact.stiffness / (values.h * contact.stiffness + contact.damping) : softnessOf(a, b, values).rate;
  fillRows(block, points, lane, contact, a, b, values);
  for (int p = 0; p < contact.count; ++p) {
    points[p].separation[lane] = points[p].gap[lane] = contact.points[p].separation;
    points[p].impulse[lane] = values.rescale * contact.points[p].normalImpulse;
  }
  set(block.armA1, lane, values.rescale * contact.frictionImpulse);
  block.twist[lane] = values.rescale * contact.twistImpulse;
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
  clearBlock(block, points, ends[0].points, place.lanes == kLanes && ends[place.lanes - 1].points == ends[0].points);
  block.firstPoint = place.firstPoint;
  block.points = static_cast<std::uint16_t>(ends[0].points);
  block.lanes = static_cast<std::uint16_t>(place.lanes);
  for (std::uint32_t lane = 0; lane < place.lanes; ++lane) {
    if (lane + kAhead < place.lanes) fetchAhead(slots[ends[lane + kAhead].contact]);
    block.contact[lane] = ends[lane].contact;
    block.bodyA[lane] = ends[lane].a;
    block.bodyB[lane] = ends[lane].b;
    fillLane(block, points, static_cast<int>(lane), slots[ends[lane].contact], bodies, values);
  }
}

void ContactGroup::begin(std::span<const ContactEnds> contacts, const std::vector<Contact>& slots, SoftBodies& bodies,
                         const SoftContactValues& values) {
  colourContacts(contacts, bodies.ground(), colouring_);
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
      setInertia(block.inertiaA, lane, bodies[block.bodyA[lane]].inverseInertia);
      setInertia(block.inertiaB, lane, bodies[block.bodyB[lane]].inverseInertia);
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
