// The passes of the default stepper over contacts, a block at a time. Compiled once per instruction set and chosen at run
// time.
//
// Only plain multiplications and additions are used, never fused ones, and square roots and divisions are the exact ones: so
// the bits are the same on every instruction set.
//
// One normal row, with u = J v its relative velocity, s its separation, m its mass, lambda its impulse:
//   s > 0 (apart):   lambda' = max(0, lambda - m (u + s/h))                       do not cross the gap within the substep
//   s <= 0, soft:    lambda' = max(0, lambda - w m (u + b) - (1 - w) lambda),  b = max(rate s, -pushOut)
//   s <= 0, relax:   lambda' = max(0, lambda - m u)                                take the push-out velocity back
// Friction: the two tangent impulses of a patch stay in the disc of radius mu * sum(lambda), on its rim against the velocity
// where they slide; the twist in the interval of half-width mu * sum(lever lambda).
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "wide/contact_kernels.cpp"
#include <hwy/foreach_target.h>
// foreach_target first, then:
#include "wide/lanes-inl.hpp"
#include "wide/width.hpp"

HWY_BEFORE_NAMESPACE();
namespace cairn::wide::HWY_NAMESPACE {

// Asks the second cache for the block after this one, and its points: processors that see them coming by themselves do so
// anew at each page. It is taken to be as this one is: what it is like it says itself, and that would have to be waited for.
HWY_INLINE void FetchNext(const ContactBlock& block, Blocks blocks, const ContactPointLanes* points) {
  if (&block == &blocks.back()) return;
  constexpr std::size_t kLine = 64;
  const auto fetch = [](const void* from, std::size_t bytes) {
    for (std::size_t i = 0; i < bytes; i += kLine) __builtin_prefetch(static_cast<const char*>(from) + i, 1, 2);
  };
  fetch(&block + 1, block.central != 0 ? offsetof(ContactBlock, k12) : offsetof(ContactBlock, approachSpeed));
  fetch(points + block.firstPoint + block.points, block.points * sizeof(ContactPointLanes));
}

void ApplyImpulses(Blocks blocks, ContactPointLanes* points, SolverBody* bodies, const SubstepValues& values) {
  for (ContactBlock& block : blocks) {
    if (values.fetchesAhead) FetchNext(block, blocks, points);
    for (int at = 0; at < block.lanes; at += static_cast<int>(hn::Lanes(kTag))) {
      PairMotion motion(block, bodies, at);
      const V3 normal = load(block.normal, at);
      const V3 tangent1 = load(block.tangent, at);
      const V3 tangent2 = cross(normal, tangent1);
      const V3 beyond = beyondArms(block, normal, at), centre = load(block.centre, at);
      V3 tangential = scaled(tangent1, load(block.friction1 + at));
      addScaled(tangential, tangent2, load(block.friction2 + at));
      Push push;
      push.linear = tangential;
      push.momentA = cross(centre, tangential);
      push.momentB = cross(add(centre, load(block.apart, at)), tangential);
      for (unsigned p = 0; p < block.points; ++p) {
        const ContactPointLanes& point = points[block.firstPoint + p];
        const V3 arm = load(point.arm, at);
        push.add(normal, arm, add(arm, beyond), load(point.impulse + at));
      }
      push.addMoment(normal, normal, load(block.twist + at));
      motion.apply(push, block, at);
      motion.write(block, bodies, at);
    }
  }
}

// Of a block's points: what friction goes by.
struct Load {
  V force, moment;   // sum of the normal impulses, and of impulse times lever
  V along1, along2;  // relative velocity of the centres along the tangents: impulses along the normal do not change it
};

enum class Pass { Soft, Relax, Bounce };

// Impulses of the second pass, and what bounces add, are added to the step's sums. Bounces do not change the impulses of the
// substep, with which the next one begins; `bounces` is 1 in the lanes that do, and 0 in others. kTwist: against turning
// about the normal too; a single point has no lever to do that with. kCentral: as ContactBlock::central. Adds its own
// impulse to `linear`, which the bodies have yet to get, and the moments to the bodies.
template <Pass kPass, bool kTwist, bool kCentral>
HWY_INLINE void SolveFriction(ContactBlock& block, PairMotion& motion, const V3& normal, const V3& tangent1,
                              const V3& tangent2, const Load& load_, V3& linear, int at,
                              [[maybe_unused]] V bounces = hn::Zero(kTag)) {
  const V mu = load(block.friction + at);

  V u1 = load_.along1, u2 = load_.along2;
  [[maybe_unused]] V3 centreA, centreB;
  if constexpr (kCentral) {
    // With the centre at reachA n from A and -reachB n from B.
    V3 rolling = scaled(motion.b.angular, load(block.coupling[kReachB] + at));
    addScaled(rolling, motion.a.angular, load(block.coupling[kReachA] + at));
    u1 = hn::Sub(u1, dot(tangent2, rolling));
    u2 = hn::Add(u2, dot(tangent1, rolling));
  } else {
    centreA = load(block.centre, at);
    centreB = add(centreA, load(block.apart, at));
    const V3 turning = sub(cross(motion.b.angular, centreB), cross(motion.a.angular, centreA));
    u1 = hn::Add(u1, dot(tangent1, turning));
    u2 = hn::Add(u2, dot(tangent2, turning));
  }
  const V old1 = load(block.friction1 + at);
  const V old2 = load(block.friction2 + at);
  V less1 = hn::Mul(load(block.k11 + at), u1), less2 = hn::Mul(load(block.k22 + at), u2);
  if constexpr (!kCentral) {
    const V k12 = load(block.k12 + at);
    less1 = hn::Add(less1, hn::Mul(k12, u2));
    less2 = hn::Add(less2, hn::Mul(k12, u1));
  }
  V f1 = hn::Sub(old1, less1), f2 = hn::Sub(old2, less2);
  const V limit = hn::Mul(mu, load_.force);
  const V length2 = hn::Add(hn::Mul(f1, f1), hn::Mul(f2, f2));
  const auto slides = hn::Gt(length2, hn::Mul(limit, limit));
  const V one = hn::Set(kTag, 1.0f);
  if (!hn::AllFalse(kTag, slides)) {
    V size2 = length2;
    if constexpr (!kCentral) {
      // What slides is pushed against its velocity u. Against K u, which would stop it, is another direction where K is not
      // alike in all of them, however short the step is. So the direction is that of a step of 1/trace(K^-1) against u.
      const V k11 = load(block.k11 + at), k22 = load(block.k22 + at), k12 = load(block.k12 + at);
      const V determinant = hn::Sub(hn::Mul(k11, k22), hn::Mul(k12, k12));
      const V step = hn::Div(determinant, hn::Max(hn::Add(k11, k22), hn::Set(kTag, 1e-30f)));
      const V along1 = hn::Sub(old1, hn::Mul(step, u1)), along2 = hn::Sub(old2, hn::Mul(step, u2));
      size2 = hn::Add(hn::Mul(along1, along1), hn::Mul(along2, along2));
      f1 = hn::IfThenElse(slides, along1, f1);
      f2 = hn::IfThenElse(slides, along2, f2);
    }
    const auto some = hn::And(slides, hn::Gt(size2, hn::Zero(kTag)));
    const V scale = hn::IfThenElse(some, hn::Div(limit, hn::Sqrt(hn::IfThenElse(some, size2, one))), one);
    f1 = hn::Mul(f1, scale);
    f2 = hn::Mul(f2, scale);
  }
  V change1 = hn::Sub(f1, old1), change2 = hn::Sub(f2, old2);
  if constexpr (kPass == Pass::Bounce) {
    change1 = hn::Mul(bounces, change1);
    change2 = hn::Mul(bounces, change2);
  } else {
    store(f1, block.friction1 + at);
    store(f2, block.friction2 + at);
  }

  V3 push = scaled(tangent1, change1);
  addScaled(push, tangent2, change2);
  linear = add(linear, push);
  if constexpr (kCentral) {
    V3 turn = scaled(tangent2, change1);
    subScaled(turn, tangent1, change2);
    subScaled(motion.a.angular, turn, load(block.coupling[kTurnA] + at));
    subScaled(motion.b.angular, turn, load(block.coupling[kTurnB] + at));
  } else {
    V3 momentA = cross(centreA, push), momentB = cross(centreB, push);
    if constexpr (kTwist) {
      // What the twist would be, and from there after the tangents were changed.
      const V spin = dot(normal, sub(motion.b.angular, motion.a.angular));
      const V twistMass = load(block.twistMass + at);
      const V oldTwist = load(block.twist + at);
      const V most = hn::Mul(mu, load_.moment);
      const V still = hn::Sub(oldTwist, hn::Mul(twistMass, spin));
      const V wanted = hn::Sub(hn::Sub(still, hn::Mul(hn::Mul(twistMass, load(block.twist1 + at)), change1)),
                               hn::Mul(hn::Mul(twistMass, load(block.twist2 + at)), change2));
      const V twist = hn::Max(hn::Min(wanted, most), hn::Neg(most));
      V change = hn::Sub(twist, oldTwist);
      if constexpr (kPass == Pass::Bounce) {
        change = hn::Mul(bounces, change);
        store(hn::Add(load(block.totalTwist + at), change), block.totalTwist + at);
      } else {
        store(twist, block.twist + at);
      }
      const V3 moment = scaled(normal, change);
      momentA = add(momentA, moment);
      momentB = add(momentB, moment);
      if constexpr (kPass == Pass::Relax) store(hn::Add(load(block.totalTwist + at), twist), block.totalTwist + at);
    }
    motion.turn(momentA, momentB, block, at);
  }
  if constexpr (kPass != Pass::Soft) {
    store(hn::Add(load(block.total1 + at), kPass == Pass::Relax ? f1 : change1), block.total1 + at);
    store(hn::Add(load(block.total2 + at), kPass == Pass::Relax ? f2 : change2), block.total2 + at);
  }
}

// A pass spends its time on the chain of operations that must wait for each other, so that it is kept short. The points are
// solved one after another, but their velocities are all computed first, and what each would be changed by if it were
// alone; what a point's change does to the next ones is a number (`coupling`) known in advance.
// kCentral: impulses along the normal turn nothing.
template <int kPoints, bool kRelax, bool kCentral = false>
HWY_INLINE void SolveBlock(ContactBlock& block, ContactPointLanes* points, SolverBody* bodies, V inverseH, int at) {
  const V zero = hn::Zero(kTag), one = hn::Set(kTag, 1.0f);
  PairMotion motion(block, bodies, at);
  const V3 normal = load(block.normal, at);
  const V3 tangent1 = load(block.tangent, at), tangent2 = cross(normal, tangent1);
  const V3 closing = sub(motion.b.linear, motion.a.linear);
  V alongV = dot(normal, closing);
  [[maybe_unused]] V3 beyond{zero, zero, zero}, spin;
  if constexpr (!kCentral) {
    beyond = beyondArms(block, normal, at);
    alongV = hn::Add(alongV, dot(beyond, motion.b.angular));
    spin = sub(motion.b.angular, motion.a.angular);
  }
  V gaps[kPoints];
  if constexpr (kRelax) {
    const Displacement displacement(block, bodies, at);
    if constexpr (kCentral) {
      gaps[0] = hn::Add(load(points[0].separation + at), displacement.along(normal));
    } else {
      const Gaps now(displacement, normal, beyond);
#pragma GCC unroll 4
      for (int p = 0; p < kPoints; ++p) gaps[p] = now.of(points[p], load(points[p].arm, at), at);
    }
  }
  V wanted[kPoints], mass[kPoints], change[kPoints];
#pragma GCC unroll 4
  for (int p = 0; p < kPoints; ++p) {
    ContactPointLanes& point = points[p];
    V u = alongV;
    if constexpr (!kCentral) u = hn::Add(u, dot(load(point.arm, at), spin));
    if constexpr (kRelax) {
      store(gaps[p], point.gap + at);
      const V bias = hn::Mul(hn::Max(gaps[p], zero), inverseH);
      mass[p] = hn::Mul(load(block.relaxes + at), load(point.mass + at));
      wanted[p] = hn::Neg(hn::Mul(mass[p], hn::Add(u, bias)));
    } else {
      const V s = load(point.gap + at);
      const auto apart = hn::Gt(s, zero);
      const V pushOut = hn::Max(hn::Mul(load(block.biasRate + at), s), hn::Neg(load(block.pushOut + at)));
      const V bias = hn::IfThenElse(apart, hn::Mul(s, inverseH), pushOut);
      const V stiffness = hn::IfThenElse(apart, one, load(point.stiffness + at));
      mass[p] = hn::Mul(stiffness, load(point.mass + at));
      const V pull = hn::Mul(hn::Sub(stiffness, one), load(point.impulse + at));
      wanted[p] = hn::Sub(pull, hn::Mul(mass[p], hn::Add(u, bias)));
    }
  }
  Load sum{zero, zero, dot(tangent1, closing), dot(tangent2, closing)};
  V total = zero;
  [[maybe_unused]] V3 moment{zero, zero, zero};
#pragma GCC unroll 4
  for (int p = 0; p < kPoints; ++p) {
    ContactPointLanes& point = points[p];
    const V old = load(point.impulse + at);
#pragma GCC unroll 3
    for (int q = 0; q < p; ++q) {
      const V coupling = hn::Mul(mass[p], load(block.coupling[p * (p - 1) / 2 + q] + at));
      wanted[p] = hn::Sub(wanted[p], hn::Mul(coupling, change[q]));
    }
    change[p] = hn::Max(wanted[p], hn::Neg(old));  // no point ever pulls
    const V impulse = hn::Add(old, change[p]);
    store(impulse, point.impulse + at);
    if constexpr (kRelax) store(hn::Add(load(point.total + at), impulse), point.total + at);
    total = p == 0 ? change[p] : hn::Add(total, change[p]);
    sum.force = p == 0 ? impulse : hn::Add(sum.force, impulse);
    if constexpr (kPoints > 1) sum.moment = hn::Add(sum.moment, hn::Mul(impulse, load(point.lever + at)));
    if constexpr (!kCentral) addScaled(moment, load(point.arm, at), change[p]);
  }
  if constexpr (!kCentral) {
    V3 momentB = moment;
    addScaled(momentB, beyond, total);
    motion.turn(moment, momentB, block, at);
  }
  V3 linear = scaled(normal, total);
  // In both passes: without friction in the first, pushing bricks out of each other would shove them sideways before
  // relaxation can object.
  SolveFriction<kRelax ? Pass::Relax : Pass::Soft, (kPoints > 1), kCentral>(block, motion, normal, tangent1, tangent2, sum,
                                                                            linear, at);
  motion.move(linear);
  motion.write(block, bodies, at);
}

template <bool kRelax>
HWY_INLINE void SolveBlocks(Blocks blocks, ContactPointLanes* points, SolverBody* bodies, const SubstepValues& values) {
  const V inverseH = hn::Set(kTag, values.inverseH);
  for (ContactBlock& block : blocks) {
    ContactPointLanes* first = points + block.firstPoint;
    if (values.fetchesAhead) FetchNext(block, blocks, points);
    for (int at = 0; at < block.lanes; at += static_cast<int>(hn::Lanes(kTag))) {
      switch (block.points) {
        case 1:
          if (block.central != 0) {
            SolveBlock<1, kRelax, true>(block, first, bodies, inverseH, at);
          } else {
            SolveBlock<1, kRelax>(block, first, bodies, inverseH, at);
          }
          break;
        case 2:
          SolveBlock<2, kRelax>(block, first, bodies, inverseH, at);
          break;
        case 3:
          SolveBlock<3, kRelax>(block, first, bodies, inverseH, at);
          break;
        default:
          SolveBlock<4, kRelax>(block, first, bodies, inverseH, at);
          break;
      }
    }
  }
}

void SolveSoft(Blocks blocks, ContactPointLanes* points, SolverBody* bodies, const SubstepValues& values) {
  SolveBlocks<false>(blocks, points, bodies, values);
}

void Relax(Blocks blocks, ContactPointLanes* points, SolverBody* bodies, const SubstepValues& values) {
  SolveBlocks<true>(blocks, points, bodies, values);
}

void MeasureGaps(Blocks blocks, ContactPointLanes* points, const SolverBody* bodies) {
  for (ContactBlock& block : blocks) {
    for (int at = 0; at < block.lanes; at += static_cast<int>(hn::Lanes(kTag))) {
      const V3 normal = load(block.normal, at);
      const Gaps now(Displacement(block, bodies, at), normal, beyondArms(block, normal, at));
      for (unsigned p = 0; p < block.points; ++p) {
        ContactPointLanes& point = points[block.firstPoint + p];
        store(now.of(point, load(point.arm, at), at), point.gap + at);
      }
    }
  }
}

void NoteApproach(Blocks blocks, const ContactPointLanes* points, ApproachLanes* approaches, const SolverBody* bodies) {
  for (ContactBlock& block : blocks) {
    if (block.bounces == 0) continue;
    for (int at = 0; at < block.lanes; at += static_cast<int>(hn::Lanes(kTag))) {
      const PairMotion motion(block, bodies, at);
      const V3 normal = load(block.normal, at), beyond = beyondArms(block, normal, at);
      for (unsigned p = 0; p < block.points; ++p) {
        const ContactPointLanes& point = points[block.firstPoint + p];
        ApproachLanes& approach = approaches[block.firstApproach + p];
        const V3 arm = load(point.arm, at);
        store(motion.relative(normal, arm, add(arm, beyond)), approach.speed + at);
        store(load(point.gap + at), approach.gap + at);
      }
    }
  }
}

constexpr int kMostPoints = 4, kBounceRounds = 16;

// Newton's law for points that closed fast in this substep: u+ = -e u-. The approach speed is the one at the surface: the
// speed at the substep's beginning plus what external loads add while the rest of the gap is crossed. Energy then comes out
// right whatever part of the substep the impact falls in. Friction has its share of what that adds: over the substep, and so
// over the impact, it is limited by mu times all of the normal impulse, wherever in the substep the surface was reached.
void Bounce(Blocks blocks, ContactPointLanes* points, const ApproachLanes* approaches, SolverBody* bodies,
            const SubstepValues& values) {
  const V zero = hn::Zero(kTag);
  const V h = hn::Set(kTag, values.h);
  const V slowest = hn::Set(kTag, -values.bounceSpeed), never = hn::Set(kTag, -1e30f);
  for (ContactBlock& block : blocks) {
    if (block.bounces == 0) continue;
    for (int at = 0; at < block.lanes; at += static_cast<int>(hn::Lanes(kTag))) {
      PairMotion motion(block, bodies, at);
      const V3 normal = load(block.normal, at), beyond = beyondArms(block, normal, at);
      // What each point is to part with, and what that adds to its impulse.
      V wanted[kMostPoints], added[kMostPoints], bounces = zero;
      for (unsigned p = 0; p < block.points; ++p) {
        const ApproachLanes& approach = approaches[block.firstApproach + p];
        const V restitution = load(approach.restitution + at), acceleration = load(approach.acceleration + at);
        const V before = load(approach.speed + at), old = load(points[block.firstPoint + p].impulse + at);
        const auto hits = hn::And(hn::And(hn::Lt(before, slowest), hn::Gt(old, zero)), hn::Gt(restitution, zero));
        const V safe = hn::IfThenElse(hits, before, hn::Set(kTag, -1.0f));
        const V crossing = hn::Min(hn::Max(hn::Div(load(approach.gap + at), hn::Neg(safe)), zero), h);
        const V atSurface = hn::Min(hn::Add(before, hn::Mul(acceleration, crossing)), zero);
        wanted[p] = hn::IfThenElse(hits, hn::Neg(hn::Mul(restitution, atSurface)), never);
        added[p] = zero;
        bounces = hn::IfThenElse(hits, hn::Set(kTag, 1.0f), bounces);
      }
      if (hn::AllTrue(kTag, hn::Eq(bounces, zero))) continue;
      // Points of a face push each other about: one after another, until they agree.
      for (int round = 0; round < (block.points > 1 ? kBounceRounds : 1); ++round) {
        for (unsigned p = 0; p < block.points; ++p) {
          const ContactPointLanes& point = points[block.firstPoint + p];
          const V3 armA = load(point.arm, at), armB = add(armA, beyond);
          const V missing = hn::Sub(wanted[p], motion.relative(normal, armA, armB));
          // Only ever pushes: a faster separation than asked for is left alone.
          const V all = hn::Max(hn::Add(added[p], hn::Mul(load(point.mass + at), missing)), zero);
          Push one;
          one.add(normal, armA, armB, hn::Sub(all, added[p]));
          motion.apply(one, block, at);
          added[p] = all;
        }
      }
      V force = zero, moment = zero;
      for (unsigned p = 0; p < block.points; ++p) {
        ContactPointLanes& point = points[block.firstPoint + p];
        const V all = hn::Add(load(point.impulse + at), added[p]);
        store(hn::Add(load(point.total + at), added[p]), point.total + at);
        force = hn::Add(force, all);
        moment = hn::Add(moment, hn::Mul(all, load(point.lever + at)));
      }
      const V3 tangent1 = load(block.tangent, at), tangent2 = cross(normal, tangent1);
      const V3 closing = sub(motion.b.linear, motion.a.linear);
      const Load load_{force, moment, dot(tangent1, closing), dot(tangent2, closing)};
      V3 linear{zero, zero, zero};
      block.points > 1
          ? SolveFriction<Pass::Bounce, true, false>(block, motion, normal, tangent1, tangent2, load_, linear, at, bounces)
          : SolveFriction<Pass::Bounce, false, false>(block, motion, normal, tangent1, tangent2, load_, linear, at, bounces);
      motion.move(linear);
      motion.write(block, bodies, at);
    }
  }
}

const char* InstructionSet() { return hwy::TargetName(HWY_TARGET); }

}  // namespace cairn::wide::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cairn::wide {

HWY_EXPORT(ApplyImpulses);
HWY_EXPORT(SolveSoft);
HWY_EXPORT(Relax);
HWY_EXPORT(MeasureGaps);
HWY_EXPORT(NoteApproach);
HWY_EXPORT(Bounce);
HWY_EXPORT(InstructionSet);

void applyImpulses(Blocks blocks, ContactPointLanes* points, SolverBody* bodies, const SubstepValues& values) {
  CAIRN_WIDE_DISPATCH(ApplyImpulses)(blocks, points, bodies, values);
}
void solveSoft(Blocks blocks, ContactPointLanes* points, SolverBody* bodies, const SubstepValues& values) {
  CAIRN_WIDE_DISPATCH(SolveSoft)(blocks, points, bodies, values);
}
void relax(Blocks blocks, ContactPointLanes* points, SolverBody* bodies, const SubstepValues& values) {
  CAIRN_WIDE_DISPATCH(Relax)(blocks, points, bodies, values);
}
void measureGaps(Blocks blocks, ContactPointLanes* points, const SolverBody* bodies) {
  CAIRN_WIDE_DISPATCH(MeasureGaps)(blocks, points, bodies);
}
void noteApproach(Blocks blocks, const ContactPointLanes* points, ApproachLanes* approaches, const SolverBody* bodies) {
  CAIRN_WIDE_DISPATCH(NoteApproach)(blocks, points, approaches, bodies);
}
void bounce(Blocks blocks, ContactPointLanes* points, const ApproachLanes* approaches, SolverBody* bodies,
            const SubstepValues& values) {
  CAIRN_WIDE_DISPATCH(Bounce)(blocks, points, approaches, bodies, values);
}
const char* instructionSet() { return CAIRN_WIDE_DISPATCH(InstructionSet)(); }

}  // namespace cairn::wide
#endif
