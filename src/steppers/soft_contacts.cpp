#include "steppers/soft_contacts.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

namespace cairn {

using wide::ContactBlock;
using wide::ContactPointLanes;
using wide::kLanes;

namespace {

constexpr std::size_t kBlockGrain = 8;
constexpr double kTwoPi = 6.283185307179586;
// Stored impulses are rescaled when the step changes, but not across absurd ratios.
constexpr double kMostRescaling = 10.0;
// Angular frequency of contact springs times substep, at most. Sweeps with warm starts act on the slow modes of a tall stack
// as springs of 2 m/h^2; a contact spring that is stiffer than those feeds the mode (see docs/how-a-step-works.md: unstable
// from the square root of 2 on).
constexpr double kMostAngle = kTwoPi * 3.0 / 16.0;

Softness softness(double frequency, double dampingRatio, double h) {
  if (frequency <= 0.0) return {0.0f, 1.0f};
  const double omega = kTwoPi * frequency;
  const double a1 = 2.0 * dampingRatio + h * omega;
  const double a2 = h * omega * a1;
  return {static_cast<float>(omega / a1), static_cast<float>(a2 / (1.0 + a2))};
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
    set(lanes.armA, lane, point.anchorA);
    set(lanes.armB, lane, point.anchorB);
    lanes.mass[lane] = 1.0f;
    lanes.stiffness[lane] = stiffness;
    lanes.lever[lane] = point.normalImpulse;
  }
}

void fillLane(ContactBlock& block, ContactPointLanes* points, int lane, const Contact& contact, const SoftBodies& bodies,
              const SoftContactValues& values) {
  const SoftBody& a = bodies[block.bodyA[lane]];
  const SoftBody& b = bodies[block.bodyB[lane]];
  block.writesA |= static_cast<std::uint8_t>((a.inverseMass > 0.0f) << lane);
  block.writesB |= static_cast<std::uint8_t>((b.inverseMass > 0.0f) << lane);
  block.inverseMassA[lane] = a.inverseMass;
  block.inverseMassB[lane] = b.inverseMass;
  set(block.normal, lane, contact.normal);
  block.friction[lane] = contact.friction;
  const bool stated = contact.stiffness > 0.0f;
  if (contact.restitution > 0.0f && !stated) {
    block.restitution[lane] = contact.restitution;
    block.bounces |= static_cast<std::uint8_t>(1u << lane);
    block.approachAcceleration[lane] =
        contact.normal.dot(bodies.acceleration(block.bodyB[lane]) - bodies.acceleration(block.bodyA[lane]));
  }
  block.relaxes[lane] = stated ? 0.0f : 1.0f;  // relaxation would make a stated stiffness rigid
  block.pushOut[lane] = stated ? 1e30f : values.pushOut;
  block.biasRate[lane] =
      stated ? contact.stiffness / (values.h * contact.stiffness + contact.damping) : softnessOf(a, b, values).rate;
  fillRows(block, points, lane, contact, a, b, values);
  for (int p = 0; p < contact.count; ++p) {
    points[p].separation[lane] = contact.points[p].separation;
    points[p].impulse[lane] = values.rescale * contact.points[p].normalImpulse;
  }
  set(block.armA1, lane, values.rescale * contact.frictionImpulse);
  block.twist[lane] = values.rescale * contact.twistImpulse;
}

}  // namespace

// Groups the contacts of a colour by eight, those with many points first so that lanes of a block have about as many.
void SoftContacts::layOut(StepContext& context) {
  const std::vector<Contact>& slots = context.system.contacts.slots;
  std::vector<ContactEnds>& order = colouring_.contacts;
  for (int c = 0; c < colouring_.colours; ++c) {
    // A stable counting sort would do as well; runs are short and mostly sorted.
    ContactEnds* first = order.data() + colouring_.firstOf[c];
    ContactEnds* last = order.data() + colouring_.firstOf[c + 1];
    std::array<std::uint32_t, kManifoldPoints + 1> next{};
    for (const ContactEnds* i = first; i != last; ++i) ++next[kManifoldPoints - slots[i->contact].count];
    std::uint32_t sum = 0;
    for (std::uint32_t& n : next) sum += std::exchange(n, sum);
    sorting_.assign(first, last);
    for (const ContactEnds& ends : sorting_) first[next[kManifoldPoints - slots[ends.contact].count]++] = ends;
  }

  blocks_.clear();
  makeRoom(blocks_,
           order.size() / kLanes + static_cast<std::size_t>(colouring_.colours) + order.size() - colouring_.serialFrom + 1);
  runs_.assign(1, 0);
  std::uint32_t pointCount = 0;
  const auto addBlock = [&](std::size_t first, std::size_t last) {
    ContactBlock& block = blocks_.emplace_back();  // all zero
    block.firstPoint = pointCount;
    for (int lane = 0; lane < kLanes; ++lane) {
      block.contact[lane] = kNone;
      if (first + lane >= last) continue;
      const ContactEnds& ends = order[first + lane];
      block.contact[lane] = ends.contact;
      block.bodyA[lane] = ends.a;
      block.bodyB[lane] = ends.b;
      block.points = std::max(block.points, static_cast<std::uint32_t>(slots[ends.contact].count));
    }
    pointCount += block.points;
  };
  for (int c = 0; c < colouring_.colours; ++c) {
    const std::size_t last = colouring_.firstOf[c + 1];
    for (std::size_t i = colouring_.firstOf[c]; i < last; i += kLanes) addBlock(i, last);
    runs_.push_back(blocks_.size());
  }
  serialFrom_ = blocks_.size();
  for (std::size_t i = colouring_.serialFrom; i < order.size(); ++i) addBlock(i, i + 1);
  resizeGently(points_, pointCount);
}

void SoftContacts::begin(StepContext& context, SoftBodies& bodies, double dt, double h) {
  System& system = context.system;
  colourContacts(contacts, bodies.ground(), colouring_);
  layOut(context);

  const SoftOptions& options = context.settings.soft;
  const double most = kMostAngle / (kTwoPi * h);  // Hz
  SoftContactValues& values = values_;
  values.between = softness(std::min(options.contactFrequency, most), options.contactDampingRatio, h);
  values.ground = softness(std::min(2.0 * options.contactFrequency, most), 0.5 * options.contactDampingRatio, h);
  values.pushOut = static_cast<float>(options.pushOutSpeed);
  values.h = static_cast<float>(h);
  const double ratio = system.impulseSeconds > 0.0 ? dt / system.impulseSeconds : 0.0;
  const bool like = ratio > 1.0 / kMostRescaling && ratio < kMostRescaling;
  values.rescale = like ? static_cast<float>(h / system.impulseSeconds) : 0.0f;
  values.unscale = static_cast<float>(dt / h);

  context.tasks.parallelFor(blocks_.size(), kBlockGrain, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      ContactBlock& block = blocks_[i];
      std::memset(points_.data() + block.firstPoint, 0, block.points * sizeof(ContactPointLanes));
      for (int lane = 0; lane < kLanes; ++lane) {
        const std::uint32_t slot = block.contact[lane];
        if (slot != kNone)
          fillLane(block, points_.data() + block.firstPoint, lane, system.contacts.slots[slot], bodies, values);
      }
    }
    wide::prepare(wide::Blocks(blocks_.data() + first, blocks_.data() + last), points_.data(), bodies.solver(), false);
  });

  spinning_.clear();
  for (std::uint32_t i = 0; i < blocks_.size() && bodies.anySpinning(); ++i) {
    bool any = false;
    for (int lane = 0; lane < kLanes; ++lane) {
      if (blocks_[i].contact[lane] == kNone) continue;
      any |= bodies.isSpinning(blocks_[i].bodyA[lane]) || bodies.isSpinning(blocks_[i].bodyB[lane]);
    }
    if (any) spinning_.push_back(i);
  }

  std::uint32_t approaches = 0;
  for (ContactBlock& block : blocks_) {
    if (block.bounces == 0) continue;
    block.firstApproach = approaches;
    approaches += block.points;
  }
  resizeGently(approaches_, approaches);
}

void SoftContacts::refreshSpinning(SoftBodies& bodies) {
  for (const std::uint32_t index : spinning_) {
    ContactBlock& block = blocks_[index];
    for (int lane = 0; lane < kLanes; ++lane) {
      if (block.contact[lane] == kNone) continue;
      setInertia(block.inertiaA, lane, bodies[block.bodyA[lane]].inverseInertia);
      setInertia(block.inertiaB, lane, bodies[block.bodyB[lane]].inverseInertia);
    }
    wide::prepare(wide::Blocks(&block, 1), points_.data(), bodies.solver(), true);
  }
}

void SoftContacts::finish(StepContext& context) const {
  std::vector<Contact>& slots = context.system.contacts.slots;
  context.tasks.parallelFor(blocks_.size(), kBlockGrain, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      const ContactBlock& block = blocks_[i];
      for (int lane = 0; lane < kLanes; ++lane) {
        if (block.contact[lane] == kNone) continue;
        Contact& contact = slots[block.contact[lane]];
        contact.approachSpeed = block.approachSpeed[lane];
        for (int p = 0; p < contact.count; ++p) {
          const ContactPointLanes& point = points_[block.firstPoint + p];
          contact.points[p].normalImpulse = values_.unscale * point.impulse[lane];
          contact.points[p].totalImpulse = point.total[lane];
        }
        const Float3 t1(block.tangent[0][lane], block.tangent[1][lane], block.tangent[2][lane]);
        const Float3 t2 = contact.normal.cross(t1);
        contact.frictionImpulse = values_.unscale * (block.friction1[lane] * t1 + block.friction2[lane] * t2);
        contact.totalFriction = block.total1[lane] * t1 + block.total2[lane] * t2;
        contact.twistImpulse = values_.unscale * block.twist[lane];
        contact.totalTwist = block.totalTwist[lane];
      }
    }
  });
}

void SoftContacts::arrange(int number) {
  order_.resize(runs_.size() - 1);
  std::iota(order_.begin(), order_.end(), 0u);
  if (number == 0) return;
  std::uint64_t random = static_cast<std::uint64_t>(number) * 0x9E3779B97F4A7C15u;
  for (std::size_t i = order_.size(); i > 1; --i) {
    random = random * 6364136223846793005u + 1442695040888963407u;  // Knuth's multiplier
    std::swap(order_[i - 1], order_[(random >> 33) % i]);
  }
}

template <class Kernel>
void SoftContacts::sweep(const Tasks& tasks, Kernel&& kernel) {
  for (const std::uint32_t run : order_) {
    ContactBlock* first = blocks_.data() + runs_[run];
    tasks.parallelFor(runs_[run + 1] - runs_[run], kBlockGrain,
                      [&](std::size_t begin, std::size_t end) { kernel(wide::Blocks(first + begin, first + end)); });
  }
  if (serialFrom_ < blocks_.size()) kernel(wide::Blocks(blocks_.data() + serialFrom_, blocks_.data() + blocks_.size()));
}

void SoftContacts::applyImpulses(const Tasks& tasks, wide::SolverBody* bodies) {
  sweep(tasks, [&](wide::Blocks blocks) { wide::applyImpulses(blocks, points_.data(), bodies); });
}
void SoftContacts::solve(const Tasks& tasks, wide::SolverBody* bodies, const wide::SubstepValues& values) {
  sweep(tasks, [&](wide::Blocks blocks) { wide::solveSoft(blocks, points_.data(), bodies, values); });
}
void SoftContacts::relax(const Tasks& tasks, wide::SolverBody* bodies, const wide::SubstepValues& values) {
  sweep(tasks, [&](wide::Blocks blocks) { wide::relax(blocks, points_.data(), bodies, values); });
}
void SoftContacts::noteApproach(const Tasks& tasks, const wide::SolverBody* bodies) {
  sweep(tasks, [&](wide::Blocks blocks) { wide::noteApproach(blocks, points_.data(), approaches_.data(), bodies); });
}
void SoftContacts::bounce(const Tasks& tasks, wide::SolverBody* bodies, const wide::SubstepValues& values) {
  sweep(tasks, [&](wide::Blocks blocks) { wide::bounce(blocks, points_.data(), approaches_.data(), bodies, values); });
}

}  // namespace cairn
