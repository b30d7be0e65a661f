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
// Friction: the two tangent impulses of a patch are projected on the disc of radius mu * sum(lambda), the twist on the
// interval of half-width mu * sum(lever lambda).
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "wide/contact_kernels.cpp"
#include <hwy/foreach_target.h>
// foreach_target first, then:
#include "wide/lanes-inl.hpp"
#include "wide/width.hpp"

HWY_BEFORE_NAMESPACE();
namespace cairn::wide::HWY_NAMESPACE {

void ApplyImpulses(Blocks blocks, ContactPointLanes* points, SolverBody* bodies) {
  for (ContactBlock& block : blocks) {
    for (int at = 0; at < block.lanes; at += static_cast<int>(hn::Lanes(kTag))) {
      PairMotion motion(block, bodies, at);
      const V3 normal = load(block.normal, at);
      const V3 tangent1 = load(block.tangent, at);
      const V3 tangent2 = cross(normal, tangent1);
      Push push;
      for (unsigned p = 0; p < block.points; ++p) {
        const ContactPointLanes& point = points[block.firstPoint + p];
        push.add(normal, load(point.armA, at), load(point.armB, at), load(point.impulse + at));
      }
      push.add(tangent1, load(block.armA1, at), load(block.armB1, at), load(block.friction1 + at));
      push.add(tangent2, load(block.armA2, at), load(block.armB2, at), load(block.friction2 + at));
      push.addMoment(normal, normal, load(block.twist + at));
      motion.apply(push, block, at);
      motion.write(block, bodies, at);
    }
  }
}

// Sum of the normal impulses, and of impulse times lever.
struct Load {
  V force, moment;
};

// kRelax: the second pass, whose impulses are also added to the step's sums.
template <bool kRelax>
HWY_INLINE void SolveFriction(ContactBlock& block, PairMotion& motion, const V3& normal, const Load& load_, int at) {
  const V3 tangent1 = load(block.tangent, at);
  const V3 tangent2 = cross(normal, tangent1);
  const V zero = hn::Zero(kTag);
  const V mu = load(block.friction + at);

  const V u1 = motion.relative(tangent1, load(block.armA1, at), load(block.armB1, at));
  const V u2 = motion.relative(tangent2, load(block.armA2, at), load(block.armB2, at));
  const V spin = dot(normal, sub(motion.b.angular, motion.a.angular));
  const V k12 = load(block.k12 + at);
  const V old1 = load(block.friction1 + at);
  const V old2 = load(block.friction2 + at);
  V f1 = hn::Sub(old1, hn::Add(hn::Mul(load(block.k11 + at), u1), hn::Mul(k12, u2)));
  V f2 = hn::Sub(old2, hn::Add(hn::Mul(k12, u1), hn::Mul(load(block.k22 + at), u2)));
  const V limit = hn::Mul(mu, load_.force);
  const V length2 = hn::Add(hn::Mul(f1, f1), hn::Mul(f2, f2));
  const auto slides = hn::Gt(length2, hn::Mul(limit, limit));
  const V one = hn::Set(kTag, 1.0f);
  if (!hn::AllFalse(kTag, slides)) {
    const V scale = hn::IfThenElse(slides, hn::Div(limit, hn::Sqrt(hn::IfThenElse(slides, length2, one))), one);
    f1 = hn::Mul(f1, scale);
    f2 = hn::Mul(f2, scale);
  }
  store(f1, block.friction1 + at);
  store(f2, block.friction2 + at);
  const V change1 = hn::Sub(f1, old1), change2 = hn::Sub(f2, old2);

  // The spin after the tangents were changed.
  const V after =
      hn::Add(spin, hn::Add(hn::Mul(load(block.twist1 + at), change1), hn::Mul(load(block.twist2 + at), change2)));
  const V oldTwist = load(block.twist + at);
  const V most = hn::Mul(mu, load_.moment);
  const V wanted = hn::Sub(oldTwist, hn::Mul(load(block.twistMass + at), after));
  const V twist = hn::Max(hn::Min(wanted, most), hn::Sub(zero, most));
  store(twist, block.twist + at);
  const V change = hn::Sub(twist, oldTwist);

  Push push;
  push.add(tangent1, load(block.armA1, at), load(block.armB1, at), change1);
  push.add(tangent2, load(block.armA2, at), load(block.armB2, at), change2);
  push.addMoment(normal, normal, change);
  motion.apply(push, block, at);
  if (kRelax) {
    store(hn::Add(load(block.total1 + at), f1), block.total1 + at);
    store(hn::Add(load(block.total2 + at), f2), block.total2 + at);
    store(hn::Add(load(block.totalTwist + at), twist), block.totalTwist + at);
  }
}

// The points are solved one after another, but their velocities are all computed first: what a point's impulse does to the
// next one's velocity is a number (`coupling`) known in advance. The chain of operations that must wait for each other is
// then a third as long as through the bodies' velocities, and that chain is what a pass spends its time on.
template <int kPoints, bool kRelax>
HWY_INLINE void SolveBlock(ContactBlock& block, ContactPointLanes* points, SolverBody* bodies, V inverseH, int at) {
  const V zero = hn::Zero(kTag), one = hn::Set(kTag, 1.0f);
  PairMotion motion(block, bodies, at);
  const V3 normal = load(block.normal, at);
  const V alongV = dot(normal, sub(motion.b.linear, motion.a.linear));
  V u[kPoints], s[kPoints], change[kPoints];
  if constexpr (kRelax) {
    const Displacement displacement(block, bodies, at);
    const V alongX = displacement.along(normal);
#pragma GCC unroll 4
    for (int p = 0; p < kPoints; ++p) {
      s[p] = displacement.separation(points[p], alongX, at);
      store(s[p], points[p].gap + at);
    }
  }
#pragma GCC unroll 4
  for (int p = 0; p < kPoints; ++p) {
    const V3 armA = load(points[p].armA, at), armB = load(points[p].armB, at);
    u[p] = hn::Add(alongV, hn::Sub(dot(armB, motion.b.angular), dot(armA, motion.a.angular)));
    if constexpr (!kRelax) s[p] = load(points[p].gap + at);
  }
  Load sum{zero, zero};
  V total = zero;
  Push push;
#pragma GCC unroll 4
  for (int p = 0; p < kPoints; ++p) {
    ContactPointLanes& point = points[p];
#pragma GCC unroll 3
    for (int q = 0; q < p; ++q) u[p] = hn::Add(u[p], hn::Mul(load(block.coupling[p * (p - 1) / 2 + q] + at), change[q]));
    const V old = load(point.impulse + at);
    V impulse;
    if constexpr (kRelax) {
      const V bias = hn::Mul(hn::Max(s[p], zero), inverseH);
      const V mass = hn::Mul(load(block.relaxes + at), load(point.mass + at));
      impulse = hn::Max(hn::Sub(old, hn::Mul(mass, hn::Add(u[p], bias))), zero);
      store(hn::Add(load(point.total + at), impulse), point.total + at);
    } else {
      const auto apart = hn::Gt(s[p], zero);
      const V pushOut = hn::Max(hn::Mul(load(block.biasRate + at), s[p]), hn::Neg(load(block.pushOut + at)));
      const V bias = hn::IfThenElse(apart, hn::Mul(s[p], inverseH), pushOut);
      const V stiffness = hn::IfThenElse(apart, one, load(point.stiffness + at));
      const V mass = hn::Mul(stiffness, load(point.mass + at));
      const V pull = hn::Mul(hn::Sub(one, stiffness), old);
      impulse = hn::Max(hn::Sub(hn::Sub(old, pull), hn::Mul(mass, hn::Add(u[p], bias))), zero);
    }
    store(impulse, point.impulse + at);
    change[p] = hn::Sub(impulse, old);
    total = hn::Add(total, change[p]);
    sum.force = hn::Add(sum.force, impulse);
    sum.moment = hn::Add(sum.moment, hn::Mul(impulse, load(point.lever + at)));
    push.addMoment(load(point.armA, at), load(point.armB, at), change[p]);
  }
  addScaled(push.linear, normal, total);
  motion.apply(push, block, at);
  // In both passes: without friction in the first, pushing bricks out of each other would shove them sideways before
  // relaxation can object.
  SolveFriction<kRelax>(block, motion, normal, sum, at);
  motion.write(block, bodies, at);
}

template <bool kRelax>
HWY_INLINE void SolveBlocks(Blocks blocks, ContactPointLanes* points, SolverBody* bodies, const SubstepValues& values) {
  const V inverseH = hn::Set(kTag, values.inverseH);
  for (ContactBlock& block : blocks) {
    ContactPointLanes* first = points + block.firstPoint;
    for (int at = 0; at < block.lanes; at += static_cast<int>(hn::Lanes(kTag))) {
      switch (block.points) {
        case 1:
          SolveBlock<1, kRelax>(block, first, bodies, inverseH, at);
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
      const Displacement displacement(block, bodies, at);
      const V alongX = displacement.along(load(block.normal, at));
      for (unsigned p = 0; p < block.points; ++p) {
        ContactPointLanes& point = points[block.firstPoint + p];
        store(displacement.separation(point, alongX, at), point.gap + at);
      }
    }
  }
}

void NoteApproach(Blocks blocks, const ContactPointLanes* points, ApproachLanes* approaches, const SolverBody* bodies) {
  for (ContactBlock& block : blocks) {
    if (block.bounces == 0) continue;
    for (int at = 0; at < block.lanes; at += static_cast<int>(hn::Lanes(kTag))) {
      const PairMotion motion(block, bodies, at);
      const V3 normal = load(block.normal, at);
      for (unsigned p = 0; p < block.points; ++p) {
        const ContactPointLanes& point = points[block.firstPoint + p];
        ApproachLanes& approach = approaches[block.firstApproach + p];
        store(motion.relative(normal, load(point.armA, at), load(point.armB, at)), approach.speed + at);
        store(load(point.gap + at), approach.gap + at);
      }
    }
  }
}

// Newton's law for points that closed fast in this substep: u+ = -e u-. The approach speed is the one at the surface: the
// speed at the substep's beginning plus what external loads add while the rest of the gap is crossed. Energy then comes out
// right whatever part of the substep the impact falls in.
void Bounce(Blocks blocks, ContactPointLanes* points, const ApproachLanes* approaches, SolverBody* bodies,
            const SubstepValues& values) {
  const V zero = hn::Zero(kTag);
  const V h = hn::Set(kTag, values.h);
  const V slowest = hn::Set(kTag, -values.bounceSpeed);
  for (ContactBlock& block : blocks) {
    if (block.bounces == 0) continue;
    for (int at = 0; at < block.lanes; at += static_cast<int>(hn::Lanes(kTag))) {
      PairMotion motion(block, bodies, at);
      const V3 normal = load(block.normal, at);
      for (unsigned p = 0; p < block.points; ++p) {
        ContactPointLanes& point = points[block.firstPoint + p];
        const ApproachLanes& approach = approaches[block.firstApproach + p];
        const V restitution = load(approach.restitution + at), acceleration = load(approach.acceleration + at);
        const V before = load(approach.speed + at);
        const V old = load(point.impulse + at);
        const auto hits = hn::And(hn::And(hn::Lt(before, slowest), hn::Gt(old, zero)), hn::Gt(restitution, zero));
        if (hn::AllFalse(kTag, hits)) continue;
        const V safe = hn::IfThenElse(hits, before, hn::Set(kTag, -1.0f));
        const V crossing = hn::Min(hn::Max(hn::Div(load(approach.gap + at), hn::Neg(safe)), zero), h);
        const V atSurface = hn::Min(hn::Add(before, hn::Mul(acceleration, crossing)), zero);
        const V u = motion.relative(normal, load(point.armA, at), load(point.armB, at));
        const V push = hn::Neg(hn::Mul(load(point.mass + at), hn::Add(u, hn::Mul(restitution, atSurface))));
        // Only ever pushes: a faster separation than asked for is left alone.
        const V change = hn::IfThenElseZero(hits, hn::Max(push, zero));
        Push one;
        one.add(normal, load(point.armA, at), load(point.armB, at), change);
        motion.apply(one, block, at);
        store(hn::Add(load(point.total + at), change), point.total + at);
      }
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

void applyImpulses(Blocks blocks, ContactPointLanes* points, SolverBody* bodies) {
  CAIRN_WIDE_DISPATCH(ApplyImpulses)(blocks, points, bodies);
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
