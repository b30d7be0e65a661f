// From contacts to rows and back, many at a time. As in contact_kernels.cpp nothing is fused, so that the bits are the same
// on every instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "wide/prepare_kernels.cpp"
#include <hwy/foreach_target.h>
// foreach_target first, then:
#include "wide/lanes-inl.hpp"
#include "wide/width.hpp"

HWY_BEFORE_NAMESPACE();
namespace cairn::wide::HWY_NAMESPACE {

constexpr float kSmallestDeterminant = 1e-4f;  // of a 2 x 2 matrix, relative to the product of its diagonal
constexpr int kMostPoints = 4;

HWY_INLINE void store(const V3& v, Lane3& lanes, int at) {
  store(v.x, lanes[0] + at);
  store(v.y, lanes[1] + at);
  store(v.z, lanes[2] + at);
}
HWY_INLINE V inverse(V x) {
  const auto positive = hn::Gt(x, hn::Zero(kTag));
  return hn::IfThenElseZero(positive, hn::Div(hn::Set(kTag, 1.0f), hn::IfThenElse(positive, x, hn::Set(kTag, 1.0f))));
}

// A unit vector across n: through whichever two of its components are not both small.
HWY_INLINE V3 across(const V3& n) {
  const V zero = hn::Zero(kTag);
  const auto flat = hn::Lt(hn::Mul(n.z, n.z), hn::Set(kTag, 0.5f));
  const V a = hn::IfThenElse(flat, n.x, n.z), square = hn::Add(hn::Mul(a, a), hn::Mul(n.y, n.y));
  const auto some = hn::Gt(square, zero);  // an empty lane has no normal
  const V scale = hn::Div(hn::Set(kTag, 1.0f), hn::Sqrt(hn::IfThenElse(some, square, hn::Set(kTag, 1.0f))));
  const V p = hn::Mul(n.y, scale), q = hn::Mul(a, scale);
  // (-y, x, 0) or (0, -z, y)
  return {hn::IfThenElse(flat, hn::Neg(p), zero), hn::IfThenElse(flat, q, hn::Neg(q)), hn::IfThenElse(flat, zero, p)};
}

// The rows of the points, and what their impulses do to each other's velocities.
HWY_INLINE void preparePoints(ContactBlock& block, ContactPointLanes* points, const V3& n, V linear, const Inertia& inertiaA,
                              const Inertia& inertiaB, bool again, int at) {
  const V one = hn::Set(kTag, 1.0f);
  const auto stated = hn::Eq(load(block.relaxes + at), hn::Zero(kTag));
  const V3 beyond = beyondArms(block, n, at);
  V3 armsA[kMostPoints], armsB[kMostPoints];
  for (unsigned p = 0; p < block.points; ++p) {
    ContactPointLanes& point = points[p];
    const V3 armA = armsA[p] = again ? load(point.arm, at) : cross(load(point.arm, at), n);
    const V3 armB = armsB[p] = add(armA, beyond);
    const V3 turnA = inertiaA * armA, turnB = inertiaB * armB;
    const V before = load(point.mass + at);  // or 1 the first time
    const V used = hn::IfThenElseZero(hn::Gt(before, hn::Zero(kTag)), one);
    const V mass = hn::Mul(used, inverse(hn::Add(linear, hn::Add(dot(armA, turnA), dot(armB, turnB)))));
    store(armA, point.arm, at);
    store(mass, point.mass + at);
    const V stiffness = load(point.stiffness + at);
    // The compliance in units of the mass before: m_soft/m = 1/(1 + compliance m).
    const V compliance = again ? hn::Mul(hn::Sub(inverse(stiffness), one), inverse(before)) : stiffness;
    store(hn::IfThenElse(stated, hn::Div(one, hn::Add(one, hn::Mul(compliance, mass))), stiffness), point.stiffness + at);
    for (unsigned q = 0; q < p; ++q)
      store(hn::Add(linear, hn::Add(dot(armsA[q], turnA), dot(armsB[q], turnB))), block.coupling[p * (p - 1) / 2 + q] + at);
  }
}

// Where the friction of a patch acts: at the centre of last step's pressure, or of the points if there was none. Also how
// far from there the points are, and how far the centres of mass are apart as seen from the two surfaces there.
HWY_INLINE void findCentre(ContactBlock& block, ContactPointLanes* points, const V3& n, int at) {
  const V zero = hn::Zero(kTag);
  V weight = zero, count = zero;
  for (unsigned p = 0; p < block.points; ++p) {
    weight = hn::Add(weight, load(points[p].lever + at));
    count = hn::Add(count, load(points[p].mass + at));
  }
  const auto pressed = hn::Gt(weight, hn::Set(kTag, 1e-30f));  // the inverse of less may be infinite
  const V share = inverse(hn::IfThenElse(pressed, weight, count));
  V3 centre{zero, zero, zero}, apart = load(block.apart, at);
  V gap = zero;
  for (unsigned p = 0; p < block.points; ++p) {
    const ContactPointLanes& point = points[p];
    const V part = hn::Mul(share, hn::IfThenElse(pressed, load(point.lever + at), load(point.mass + at)));
    addScaled(centre, load(point.arm, at), part);
    gap = hn::Add(gap, hn::Mul(load(point.separation + at), part));
  }
  addScaled(apart, n, gap);
  store(centre, block.centre, at);
  store(apart, block.apart, at);
  for (unsigned p = 0; p < block.points; ++p) {
    const V3 lever = sub(load(points[p].arm, at), centre);
    store(hn::Sqrt(dot(lever, lever)), points[p].lever + at);
  }
}

HWY_INLINE void prepareFriction(ContactBlock& block, const V3& n, const V3& t1, const V3& t2, V linear,
                                const Inertia& inertiaA, const Inertia& inertiaB, int at) {
  const V3 centreA = load(block.centre, at), centreB = add(centreA, load(block.apart, at));
  const V3 armA1 = cross(centreA, t1), armB1 = cross(centreB, t1);
  const V3 armA2 = cross(centreA, t2), armB2 = cross(centreB, t2);
  const V3 turnA1 = inertiaA * armA1, turnB1 = inertiaB * armB1;
  const V3 turnA2 = inertiaA * armA2, turnB2 = inertiaB * armB2;
  const V k11 = hn::Add(linear, hn::Add(dot(armA1, turnA1), dot(armB1, turnB1)));
  const V k22 = hn::Add(linear, hn::Add(dot(armA2, turnA2), dot(armB2, turnB2)));
  const V k12 = hn::Add(dot(armA1, turnA2), dot(armB1, turnB2));
  const V product = hn::Mul(k11, k22), determinant = hn::Sub(product, hn::Mul(k12, k12));
  const auto sound = hn::Gt(determinant, hn::Mul(hn::Set(kTag, kSmallestDeterminant), product));
  const V scale = inverse(determinant);
  // Where the difference is rounding noise: the trace bounds the matrix from above, so this never overshoots.
  const V trace = inverse(hn::Add(k11, k22));
  store(hn::IfThenElse(sound, hn::Mul(k22, scale), trace), block.k11 + at);
  store(hn::IfThenElse(sound, hn::Mul(k11, scale), trace), block.k22 + at);
  store(hn::IfThenElseZero(sound, hn::Neg(hn::Mul(k12, scale))), block.k12 + at);
  store(inverse(hn::Add(dot(n, inertiaA * n), dot(n, inertiaB * n))), block.twistMass + at);
  store(dot(n, add(turnA1, turnB1)), block.twist1 + at);
  store(dot(n, add(turnA2, turnB2)), block.twist2 + at);
  if (block.central == 0) return;
  const V reachA = dot(n, centreA), reachB = hn::Neg(dot(n, centreB));
  store(reachA, block.coupling[kReachA] + at);
  store(reachB, block.coupling[kReachB] + at);
  store(hn::Mul(inertiaA.xx, reachA), block.coupling[kTurnA] + at);
  store(hn::Mul(inertiaB.xx, reachB), block.coupling[kTurnB] + at);
}

void Fill(ContactBlock& block, ContactPointLanes* points, const BlockSources& sources, const FillValues& values) {
  const V zero = hn::Zero(kTag), one = hn::Set(kTag, 1.0f), rescale = hn::Set(kTag, values.rescale);
  for (int at = 0; at < kLanes; at += static_cast<int>(hn::Lanes(kTag))) {
    const auto take = [&](const float* const* rows, int from, V(&columns)[8])
                          HWY_ATTR { gatherColumns([&](int lane) HWY_ATTR { return rows[at + lane] + from; }, columns); };
    V massA[8], massB[8];
    take(sources.massA, 0, massA);
    take(sources.massB, 0, massB);
    for (int k = 0; k < 6; ++k) {
      store(massA[k], block.inertiaA[k] + at);
      store(massB[k], block.inertiaB[k] + at);
    }
    store(massA[6], block.inverseMassA + at);
    store(massB[6], block.inverseMassB + at);
    const auto both = hn::And(hn::Gt(massA[6], zero), hn::Gt(massB[6], zero));
    const auto choose = [&](float between, float ground)
                            HWY_ATTR { return hn::IfThenElse(both, hn::Set(kTag, between), hn::Set(kTag, ground)); };
    store(choose(values.between.rate, values.ground.rate), block.biasRate + at);
    const V stiffness = choose(values.between.massScale, values.ground.massScale);
    store(one, block.relaxes + at);
    store(hn::Set(kTag, values.pushOut), block.pushOut + at);

    V contact[8], friction[8];
    take(sources.contact, 0, contact);
    take(sources.friction, 0, friction);
    const auto swapped = hn::Gt(load(sources.swapped + at), zero);
    const auto turned = [&](V x, V y, V z) HWY_ATTR {
      return V3{hn::IfThenElse(swapped, hn::Neg(x), x), hn::IfThenElse(swapped, hn::Neg(y), y),
                hn::IfThenElse(swapped, hn::Neg(z), z)};
    };
    store(turned(contact[0], contact[1], contact[2]), block.normal, at);
    store(turned(contact[3], contact[4], contact[5]), block.apart, at);
    store(contact[6], block.friction + at);
    store(block.points == 1 ? zero : hn::Mul(rescale, contact[7]), block.twist + at);  // a single point has no lever
    store(scaled(turned(friction[0], friction[1], friction[2]), rescale), block.centre, at);
    for (float* sum : {block.total1, block.total2, block.totalTwist}) store(zero, sum + at);

    const V count = load(sources.count + at);
    for (unsigned p = 0; p < block.points; ++p) {
      ContactPointLanes& point = points[p];
      V numbers[8];
      take(sources.points, static_cast<int>(p) * sources.pointStride, numbers);
      const auto used = hn::Gt(count, hn::Set(kTag, static_cast<float>(p)));
      const auto ifUsed = [&](V v) HWY_ATTR { return hn::IfThenElseZero(used, v); };
      const V separation = numbers[3], impulse = numbers[4];
      store({ifUsed(numbers[0]), ifUsed(numbers[1]), ifUsed(numbers[2])}, point.arm, at);
      store(ifUsed(one), point.mass + at);
      store(ifUsed(stiffness), point.stiffness + at);
      store(ifUsed(separation), point.separation + at);
      store(ifUsed(separation), point.gap + at);
      store(ifUsed(hn::Mul(rescale, impulse)), point.impulse + at);
      store(zero, point.total + at);
      store(ifUsed(impulse), point.lever + at);
    }
  }
}

void Prepare(Blocks blocks, ContactPointLanes* points, const SolverBody* bodies, bool again) {
  for (ContactBlock& block : blocks) {
    ContactPointLanes* first = points + block.firstPoint;
    for (int at = 0; at < block.lanes; at += static_cast<int>(hn::Lanes(kTag))) {
      const V3 n = load(block.normal, at);
      const V3 t1 = across(n), t2 = cross(n, t1);
      const V linear = hn::Add(load(block.inverseMassA + at), load(block.inverseMassB + at));
      const Inertia inertiaA(block.inertiaA, at), inertiaB(block.inertiaB, at);
      if (!again) {
        const V3 last = load(block.centre, at);
        store(dot(last, t1), block.friction1 + at);
        store(dot(last, t2), block.friction2 + at);
        findCentre(block, first, n, at);
        const V3 centreA = load(block.centre, at), centreB = add(centreA, load(block.apart, at));
        const Motion a = gather<0>(bodies, block.bodyA + at), b = gather<0>(bodies, block.bodyB + at);
        const V3 atA = add(a.linear, cross(a.angular, centreA)), atB = add(b.linear, cross(b.angular, centreB));
        store(dot(n, sub(atA, atB)), block.approachSpeed + at);
      }
      store(t1, block.tangent, at);
      prepareFriction(block, n, t1, t2, linear, inertiaA, inertiaB, at);
      preparePoints(block, first, n, linear, inertiaA, inertiaB, again, at);
    }
  }
}

void KeepRows(Blocks blocks, ContactPointLanes* points, const SolverBody* bodies) {
  const V zero = hn::Zero(kTag), one = hn::Set(kTag, 1.0f);
  for (ContactBlock& block : blocks) {
    for (int at = 0; at < block.lanes; at += static_cast<int>(hn::Lanes(kTag))) {
      const Motion a = gather<0>(bodies, block.bodyA + at), b = gather<0>(bodies, block.bodyB + at);
      const V3 normal = load(block.normal, at), spin = sub(b.angular, a.angular);
      const V along = hn::Add(dot(normal, sub(b.linear, a.linear)), dot(beyondArms(block, normal, at), b.angular));
      V sum = zero, count = zero;
      for (unsigned p = 0; p < block.points; ++p) {
        ContactPointLanes& point = points[block.firstPoint + p];
        store(load(point.gap + at), point.separation + at);
        store(zero, point.total + at);
        const V used = hn::IfThenElseZero(hn::Gt(load(point.mass + at), zero), one);
        const V opening = hn::Add(along, dot(load(point.arm, at), spin));
        sum = hn::Add(sum, hn::Mul(used, opening));
        count = hn::Add(count, used);
      }
      store(hn::Neg(hn::Mul(sum, inverse(count))), block.approachSpeed + at);
      for (float* total : {block.total1, block.total2, block.totalTwist}) store(zero, total + at);
    }
  }
}

void ReadBack(const ContactBlock& block, const ContactPointLanes* points, float unscale, const float (&up)[3],
              BlockResults& results) {
  const V zero = hn::Zero(kTag), scale = hn::Set(kTag, unscale);
  const V3 above{hn::Set(kTag, up[0]), hn::Set(kTag, up[1]), hn::Set(kTag, up[2])};
  for (int at = 0; at < block.lanes; at += static_cast<int>(hn::Lanes(kTag))) {
    const V3 normal = load(block.normal, at), tangent1 = load(block.tangent, at), tangent2 = cross(normal, tangent1);
    V3 friction = scaled(tangent1, load(block.friction1 + at)), total = scaled(tangent1, load(block.total1 + at));
    addScaled(friction, tangent2, load(block.friction2 + at));
    addScaled(total, tangent2, load(block.total2 + at));
    store(scaled(friction, scale), results.friction, at);
    store(total, results.totalFriction, at);
    store(hn::Mul(scale, load(block.twist + at)), results.twist + at);
    store(hn::Abs(dot(normal, above)), results.steepness + at);
    V sum = zero, gap = hn::Set(kTag, 1e30f), most = zero;
    for (unsigned p = 0; p < block.points; ++p) {
      const ContactPointLanes& point = points[block.firstPoint + p];
      sum = hn::Add(sum, hn::Mul(scale, load(point.impulse + at)));
      most = hn::Max(most, load(point.total + at));
      const auto used = hn::Gt(load(point.mass + at), zero);
      gap = hn::IfThenElse(used, hn::Min(gap, load(point.gap + at)), gap);
    }
    store(sum, results.load + at);
    store(gap, results.gap + at);
    store(most, results.total + at);
  }
}

}  // namespace cairn::wide::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cairn::wide {

HWY_EXPORT(Fill);
HWY_EXPORT(Prepare);
HWY_EXPORT(KeepRows);
HWY_EXPORT(ReadBack);

void fill(ContactBlock& block, ContactPointLanes* points, const BlockSources& sources, const FillValues& values) {
  CAIRN_WIDE_DISPATCH(Fill)(block, points, sources, values);
}
void prepare(Blocks blocks, ContactPointLanes* points, const SolverBody* bodies, bool again) {
  CAIRN_WIDE_DISPATCH(Prepare)(blocks, points, bodies, again);
}
void keepRows(Blocks blocks, ContactPointLanes* points, const SolverBody* bodies) {
  CAIRN_WIDE_DISPATCH(KeepRows)(blocks, points, bodies);
}
void readBack(const ContactBlock& block, const ContactPointLanes* points, float unscale, const float (&up)[3],
              BlockResults& results) {
  CAIRN_WIDE_DISPATCH(ReadBack)(block, points, unscale, up, results);
}

}  // namespace cairn::wide
#endif
