#include "steppers/soft_contacts.hpp"

#include <algorithm>
#include <cmath>

namespace cairn {

using wide::ContactBlock;
using wide::ContactPointLanes;
using wide::kLanes;

namespace {

constexpr std::size_t kBlockGrain = 8;
constexpr float kSmallestDeterminant = 1e-4f;  // of a 2 x 2 matrix, relative to the product of its diagonal
constexpr double kTwoPi = 6.283185307179586;
// Stored impulses are rescaled when the step changes, but not across absurd ratios.
constexpr double kMostRescaling = 10.0;

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

float inverse(float x) { return x > 0.0f ? 1.0f / x : 0.0f; }

// Where the friction of a patch acts: at the centre of last step's pressure, or of the points if there was none.
void frictionCenter(const Contact& contact, Float3& armA, Float3& armB) {
  float weight = 0.0f;
  for (int i = 0; i < contact.count; ++i) weight += contact.points[i].normalImpulse;
  armA.setZero();
  armB.setZero();
  for (int i = 0; i < contact.count; ++i) {
    const ContactPoint& point = contact.points[i];
    const float share = weight > 0.0f ? point.normalImpulse / weight : 1.0f / static_cast<float>(contact.count);
    armA += share * point.anchorA;
    armB += share * point.anchorB;
  }
}

// Everything of the points' rows that depends on the bodies' inertia: masses, and what their impulses do to each other's
// velocities.
void fillPoints(ContactBlock& block, ContactPointLanes* points, int lane, const Contact& contact, const SoftBody& a,
                const SoftBody& b, const SoftContactValues& values) {
  const Float3& n = contact.normal;
  const float linear = a.inverseMass + b.inverseMass;
  std::array<Float3, kManifoldPoints> armsA, armsB;
  for (int p = 0; p < contact.count; ++p) {
    ContactPointLanes& lanes = points[p];
    const Float3 armA = armsA[p] = contact.points[p].anchorA.cross(n);
    const Float3 armB = armsB[p] = contact.points[p].anchorB.cross(n);
    const Float3 turnA = a.inverseInertia * armA, turnB = b.inverseInertia * armB;
    const float mass = inverse(linear + armA.dot(turnA) + armB.dot(turnB));
    set(lanes.armA, lane, armA);
    set(lanes.armB, lane, armB);
    lanes.mass[lane] = mass;
    for (int q = 0; q < p; ++q)
      block.coupling[p * (p - 1) / 2 + q][lane] = linear + armsA[q].dot(turnA) + armsB[q].dot(turnB);
    if (contact.stiffness > 0.0f) {
      // A stated stiffness is shared by the points of the patch.
      const float k = contact.stiffness / static_cast<float>(contact.count);
      const float c = contact.damping / static_cast<float>(contact.count);
      const float compliance = 1.0f / (values.h * (values.h * k + c));
      lanes.stiffness[lane] = 1.0f / (1.0f + compliance * mass);
    } else {
      lanes.stiffness[lane] = softnessOf(a, b, values).massScale;
    }
  }
}

void setInertia(float (&lanes)[6][kLanes], int lane, const Eigen::Matrix3f& inverse) {
  lanes[0][lane] = inverse(0, 0);
  lanes[1][lane] = inverse(1, 1);
  lanes[2][lane] = inverse(2, 2);
  lanes[3][lane] = inverse(0, 1);
  lanes[4][lane] = inverse(0, 2);
  lanes[5][lane] = inverse(1, 2);
}

// Likewise of the patch's friction.
void fillFriction(ContactBlock& block, int lane, const Contact& contact, const Float3& t1, const Float3& centerA,
                  const Float3& centerB, const SoftBody& a, const SoftBody& b) {
  const Float3& n = contact.normal;
  const Float3 t2 = n.cross(t1);
  const Float3 armA1 = centerA.cross(t1), armB1 = centerB.cross(t1);
  const Float3 armA2 = centerA.cross(t2), armB2 = centerB.cross(t2);
  const Float3 turnA1 = a.inverseInertia * armA1, turnB1 = b.inverseInertia * armB1;
  const Float3 turnA2 = a.inverseInertia * armA2, turnB2 = b.inverseInertia * armB2;
  set(block.armA1, lane, armA1);
  set(block.armB1, lane, armB1);
  set(block.armA2, lane, armA2);
  set(block.armB2, lane, armB2);
  const float linear = a.inverseMass + b.inverseMass;
  const float k11 = linear + armA1.dot(turnA1) + armB1.dot(turnB1);
  const float k22 = linear + armA2.dot(turnA2) + armB2.dot(turnB2);
  const float k12 = armA1.dot(turnA2) + armB1.dot(turnB2);
  const float determinant = k11 * k22 - k12 * k12;
  if (determinant > kSmallestDeterminant * k11 * k22) {
    block.k11[lane] = k22 / determinant;
    block.k22[lane] = k11 / determinant;
    block.k12[lane] = -k12 / determinant;
  } else {
    // The difference is rounding noise. The trace bounds the matrix from above, so this never overshoots.
    block.k11[lane] = block.k22[lane] = inverse(k11 + k22);
    block.k12[lane] = 0.0f;
  }
  const Float3 twistA = a.inverseInertia * n, twistB = b.inverseInertia * n;
  block.twistMass[lane] = inverse(n.dot(twistA) + n.dot(twistB));
  block.twist1[lane] = n.dot(turnA1 + turnB1);
  block.twist2[lane] = n.dot(turnA2 + turnB2);
}

void fillLane(ContactBlock& block, ContactPointLanes* points, int lane, Contact& contact, std::uint32_t slot,
              const SoftBodies& bodies, const System& system, const SoftContactValues& values) {
  const SoftBody& a = bodies[contact.bodyA];
  const SoftBody& b = bodies[contact.bodyB];
  const bool movesA = a.inverseMass > 0.0f, movesB = b.inverseMass > 0.0f;
  block.contact[lane] = slot;
  block.bodyA[lane] = contact.bodyA;
  block.bodyB[lane] = contact.bodyB;
  block.writesA |= static_cast<std::uint8_t>(movesA << lane);
  block.writesB |= static_cast<std::uint8_t>(movesB << lane);
  block.inverseMassA[lane] = a.inverseMass;
  block.inverseMassB[lane] = b.inverseMass;
  set(block.normal, lane, contact.normal);
  block.friction[lane] = contact.friction;
  const bool stated = contact.stiffness > 0.0f;
  block.restitution[lane] = stated ? 0.0f : contact.restitution;
  if (block.restitution[lane] > 0.0f) block.bounces |= static_cast<std::uint8_t>(1u << lane);
  block.approachAcceleration[lane] =
      contact.normal.dot(bodies.acceleration(contact.bodyB) - bodies.acceleration(contact.bodyA));
  block.relaxes[lane] = stated ? 0.0f : 1.0f;  // relaxation would make a stated stiffness rigid
  block.pushOut[lane] = stated ? 1e30f : values.pushOut;
  block.biasRate[lane] =
      stated ? contact.stiffness / (values.h * contact.stiffness + contact.damping) : softnessOf(a, b, values).rate;

  setInertia(block.inertiaA, lane, a.inverseInertia);
  setInertia(block.inertiaB, lane, b.inverseInertia);
  fillPoints(block, points + block.firstPoint, lane, contact, a, b, values);
  Float3 centerA, centerB;
  frictionCenter(contact, centerA, centerB);
  for (int p = 0; p < contact.count; ++p) {
    ContactPointLanes& lanes = points[block.firstPoint + p];
    const ContactPoint& point = contact.points[p];
    lanes.separation[lane] = point.separation;
    lanes.impulse[lane] = values.rescale * point.normalImpulse;
    lanes.lever[lane] = (point.anchorA - centerA).norm();
    // A new point has no load to remember, and a stated stiffness must not be made stiffer.
    const bool remembers = !stated && (contact.oldPoints >> p & 1) != 0;
    lanes.heldImpulse[lane] = remembers ? values.memory * lanes.impulse[lane] : 0.0f;
  }
  const Float3 t1 = contact.normal.unitOrthogonal();
  fillFriction(block, lane, contact, t1, centerA, centerB, a, b);
  set(block.tangent, lane, t1);
  block.friction1[lane] = values.rescale * contact.frictionImpulse.dot(t1);
  block.friction2[lane] = values.rescale * contact.frictionImpulse.dot(contact.normal.cross(t1));
  block.twist[lane] = values.rescale * contact.twistImpulse;

  const Body& bodyA = system.bodies[contact.bodyA];
  const Body& bodyB = system.bodies[contact.bodyB];
  const Vec3 closing =
      bodyA.velocity + bodyA.spin.cross(centerA.cast<double>()) - bodyB.velocity - bodyB.spin.cross(centerB.cast<double>());
  contact.approachSpeed = static_cast<float>(closing.dot(contact.normal.cast<double>()));
}

}  // namespace

// Groups the contacts of a colour by eight, those with many points first so that lanes of a block have about as many.
void SoftContacts::layOut(StepContext& context) {
  const std::vector<Contact>& slots = context.system.contacts.slots;
  std::vector<std::uint32_t>& order = colouring_.contacts;
  for (int c = 0; c < colouring_.colours; ++c) {
    // A stable counting sort would do as well; runs are short and mostly sorted.
    std::uint32_t* first = order.data() + colouring_.firstOf[c];
    std::uint32_t* last = order.data() + colouring_.firstOf[c + 1];
    std::array<std::uint32_t, kManifoldPoints + 1> next{};
    for (const std::uint32_t* i = first; i != last; ++i) ++next[kManifoldPoints - slots[*i].count];
    std::uint32_t sum = 0;
    for (std::uint32_t& n : next) sum += std::exchange(n, sum);
    colouring_.live.assign(first, last);
    for (const std::uint32_t slot : colouring_.live) first[next[kManifoldPoints - slots[slot].count]++] = slot;
  }

  blocks_.clear();
  makeRoom(blocks_,
           order.size() / kLanes + static_cast<std::size_t>(colouring_.colours) + order.size() - colouring_.serialFrom + 1);
  runs_.assign(1, 0);
  std::uint32_t pointCount = 0;
  const auto addBlock = [&](std::size_t first, std::size_t last) {
    ContactBlock& block = blocks_.emplace_back();
    block = ContactBlock{};
    block.firstPoint = pointCount;
    for (int lane = 0; lane < kLanes; ++lane) {
      const bool used = first + lane < last;
      block.contact[lane] = used ? order[first + lane] : kNone;
      if (used) block.points = std::max(block.points, static_cast<std::uint32_t>(slots[order[first + lane]].count));
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

void SoftContacts::begin(StepContext& context, const SoftBodies& bodies, double h) {
  System& system = context.system;
  colourContacts(system, colouring_);
  layOut(context);

  const SoftOptions& options = context.settings.soft;
  const double most = 1.0 / (8.0 * h);  // Hz: above, a substep does not resolve the contact
  SoftContactValues& values = values_;
  values.between = softness(std::min(options.contactFrequency, most), options.contactDampingRatio, h);
  values.ground = softness(std::min(2.0 * options.contactFrequency, most), 0.5 * options.contactDampingRatio, h);
  values.pushOut = static_cast<float>(options.pushOutSpeed);
  values.memory = static_cast<float>(options.loadMemory);
  values.h = static_cast<float>(h);
  const double ratio = system.impulseSeconds > 0.0 ? h / system.impulseSeconds : 0.0;
  values.rescale = ratio > 1.0 / kMostRescaling && ratio < kMostRescaling ? static_cast<float>(ratio) : 0.0f;

  context.tasks.parallelFor(blocks_.size(), kBlockGrain, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      ContactBlock& block = blocks_[i];
      std::fill_n(points_.data() + block.firstPoint, block.points, ContactPointLanes{});
      for (int lane = 0; lane < kLanes; ++lane) {
        const std::uint32_t slot = block.contact[lane];
        if (slot != kNone) fillLane(block, points_.data(), lane, system.contacts.slots[slot], slot, bodies, system, values);
      }
    }
  });

  spinning_.clear();
  for (std::uint32_t i = 0; i < blocks_.size(); ++i) {
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
      if (blocks_[i].contact[lane] == kNone) continue;
      if (bodies.isSpinning(blocks_[i].bodyA[lane]) || bodies.isSpinning(blocks_[i].bodyB[lane]))
        spinning_.push_back({i, lane});
    }
  }

  std::uint32_t approaches = 0;
  for (ContactBlock& block : blocks_) {
    if (block.bounces == 0) continue;
    block.firstApproach = approaches;
    approaches += block.points;
  }
  resizeGently(approaches_, approaches);
  int count = 0;
  float deepest = 0.0f;
  for (const std::uint32_t slot : colouring_.contacts) {
    const Contact& contact = system.contacts.slots[slot];
    count += contact.count;
    for (int i = 0; i < contact.count; ++i) deepest = std::min(deepest, contact.points[i].separation);
  }
  context.report.contacts = count;
  context.report.touchingPairs = static_cast<int>(colouring_.contacts.size());
  context.report.colours = colouring_.colours;
  context.report.solverPenetration = -static_cast<double>(deepest);
}

void SoftContacts::refreshSpinning(StepContext& context, const SoftBodies& bodies) {
  for (const auto& [index, lane] : spinning_) {
    ContactBlock& block = blocks_[index];
    const Contact& contact = context.system.contacts.slots[block.contact[lane]];
    const SoftBody& a = bodies[contact.bodyA];
    const SoftBody& b = bodies[contact.bodyB];
    const int at = static_cast<int>(lane);
    setInertia(block.inertiaA, at, a.inverseInertia);
    setInertia(block.inertiaB, at, b.inverseInertia);
    fillPoints(block, points_.data() + block.firstPoint, at, contact, a, b, values_);
    Float3 centerA, centerB;
    frictionCenter(contact, centerA, centerB);
    fillFriction(block, at, contact, contact.normal.unitOrthogonal(), centerA, centerB, a, b);
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
        for (int p = 0; p < contact.count; ++p) {
          const ContactPointLanes& point = points_[block.firstPoint + p];
          contact.points[p].normalImpulse = point.impulse[lane];
          contact.points[p].totalImpulse = point.total[lane];
        }
        const Float3 t1(block.tangent[0][lane], block.tangent[1][lane], block.tangent[2][lane]);
        const Float3 t2 = contact.normal.cross(t1);
        contact.frictionImpulse = block.friction1[lane] * t1 + block.friction2[lane] * t2;
        contact.totalFriction = block.total1[lane] * t1 + block.total2[lane] * t2;
        contact.twistImpulse = block.twist[lane];
        contact.totalTwist = block.totalTwist[lane];
      }
    }
  });
}

template <class Kernel>
void SoftContacts::sweep(const Tasks& tasks, Kernel&& kernel) {
  for (std::size_t run = 0; run + 1 < runs_.size(); ++run) {
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
