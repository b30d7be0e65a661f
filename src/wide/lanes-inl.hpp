// What the kernels share: lanes of numbers and vectors, and bodies gathered into them. Compiled once per instruction
// set, so its guard opens again for each.
#if defined(CAIRN_WIDE_LANES_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef CAIRN_WIDE_LANES_INL
#undef CAIRN_WIDE_LANES_INL
#else
#define CAIRN_WIDE_LANES_INL
#endif

#include <hwy/highway.h>

#include "wide/contact_block.hpp"

HWY_BEFORE_NAMESPACE();
namespace cairn::wide::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// As many lanes of a block at once as the machine has. Lanes know nothing of each other, so the bits do not depend on that.
using Tag = hn::CappedTag<float, kLanes>;
using V = hn::Vec<Tag>;
constexpr Tag kTag;

struct V3 {
  V x, y, z;
};

HWY_INLINE V load(const float* lane) { return hn::Load(kTag, lane); }
HWY_INLINE V3 load(const Lane3& lanes, int at) { return {load(lanes[0] + at), load(lanes[1] + at), load(lanes[2] + at)}; }
HWY_INLINE void store(V v, float* lane) { hn::Store(v, kTag, lane); }
HWY_INLINE V dot(const V3& a, const V3& b) {
  return hn::Add(hn::Add(hn::Mul(a.x, b.x), hn::Mul(a.y, b.y)), hn::Mul(a.z, b.z));
}
HWY_INLINE V3 add(const V3& a, const V3& b) { return {hn::Add(a.x, b.x), hn::Add(a.y, b.y), hn::Add(a.z, b.z)}; }
HWY_INLINE V3 scaled(const V3& a, V s) { return {hn::Mul(a.x, s), hn::Mul(a.y, s), hn::Mul(a.z, s)}; }
HWY_INLINE V3 sub(const V3& a, const V3& b) { return {hn::Sub(a.x, b.x), hn::Sub(a.y, b.y), hn::Sub(a.z, b.z)}; }
HWY_INLINE void addScaled(V3& a, const V3& b, V s) {
  a.x = hn::Add(a.x, hn::Mul(b.x, s));
  a.y = hn::Add(a.y, hn::Mul(b.y, s));
  a.z = hn::Add(a.z, hn::Mul(b.z, s));
}
HWY_INLINE void subScaled(V3& a, const V3& b, V s) {
  a.x = hn::Sub(a.x, hn::Mul(b.x, s));
  a.y = hn::Sub(a.y, hn::Mul(b.y, s));
  a.z = hn::Sub(a.z, hn::Mul(b.z, s));
}
HWY_INLINE V3 cross(const V3& a, const V3& b) {
  return {hn::Sub(hn::Mul(a.y, b.z), hn::Mul(a.z, b.y)), hn::Sub(hn::Mul(a.z, b.x), hn::Mul(a.x, b.z)),
          hn::Sub(hn::Mul(a.x, b.y), hn::Mul(a.y, b.x))};
}

// The velocities (or motions) of the bodies in the lanes: rows in memory, one per body, columns in registers.
struct Motion {
  V3 linear, angular;
};

// gatherColumns: the eight numbers at row(lane), of all lanes; columns[k] has the k-th of each.

#if HWY_TARGET == HWY_SCALAR

template <class Row>
HWY_INLINE void gatherColumns(Row&& row, V (&columns)[8]) {
  for (int k = 0; k < 8; ++k) columns[k] = load(row(0) + k);
}
HWY_INLINE void scatter(const Motion& m, SolverBody* bodies, const std::uint32_t* index, unsigned mask) {
  if ((mask & 1u) == 0) return;
  float* row = bodies[index[0]].velocity;
  store(m.linear.x, row);
  store(m.linear.y, row + 1);
  store(m.linear.z, row + 2);
  store(m.angular.x, row + 3);
  store(m.angular.y, row + 4);
  store(m.angular.z, row + 5);
}

#else

// Transposes 4 x 4 numbers in every 128-bit part of four vectors.
HWY_INLINE void transpose4(V& a, V& b, V& c, V& d) {
  const hn::Repartition<double, Tag> wide;
  const auto ab0 = hn::BitCast(wide, hn::InterleaveLower(kTag, a, b)),
             ab1 = hn::BitCast(wide, hn::InterleaveUpper(kTag, a, b));
  const auto cd0 = hn::BitCast(wide, hn::InterleaveLower(kTag, c, d)),
             cd1 = hn::BitCast(wide, hn::InterleaveUpper(kTag, c, d));
  a = hn::BitCast(kTag, hn::InterleaveLower(wide, ab0, cd0));
  b = hn::BitCast(kTag, hn::InterleaveUpper(wide, ab0, cd0));
  c = hn::BitCast(kTag, hn::InterleaveLower(wide, ab1, cd1));
  d = hn::BitCast(kTag, hn::InterleaveUpper(wide, ab1, cd1));
}

// From columns to rows: parts of 128 bits are first and second halves of the rows of bodies.
HWY_INLINE void halvesOfRows(const Motion& m, V (&first)[4], V (&second)[4]) {
  const V zero = hn::Zero(kTag);
  V a = m.linear.x, b = m.linear.y, c = m.linear.z, d = m.angular.x;
  V e = m.angular.y, f = m.angular.z, g = zero, h = zero;
  transpose4(a, b, c, d);
  transpose4(e, f, g, h);
  first[0] = a, first[1] = b, first[2] = c, first[3] = d;
  second[0] = e, second[1] = f, second[2] = g, second[3] = h;
}

// A body's row is eight numbers, the last two unused: half a vector of sixteen lanes, one of eight, or two of four.
constexpr int kVectorLanes = static_cast<int>(hn::MaxLanes(Tag()));

#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3

constexpr hn::CappedTag<float, 8> kRowTag;

template <class Row>
HWY_INLINE void gatherColumns(Row&& row, V (&columns)[8]) {
  // Two rows, four lanes apart.
  const auto rows = [&](int lane) {
    return hn::Combine(kTag, hn::LoadU(kRowTag, row(lane + 4)), hn::LoadU(kRowTag, row(lane)));
  };
  V a = rows(0), b = rows(1), c = rows(2), d = rows(3), e = rows(8), f = rows(9), g = rows(10), h = rows(11);
  transpose4(a, b, c, d);
  transpose4(e, f, g, h);
  // Parts of 128 bits are now x of bodies 0-3, fifth number of the same, x of 4-7, fifth number of those.
  const auto even = [](V low, V high) { return V{_mm512_shuffle_f32x4(low.raw, high.raw, 0x88)}; };
  const auto odd = [](V low, V high) { return V{_mm512_shuffle_f32x4(low.raw, high.raw, 0xDD)}; };
  const V all[8] = {even(a, e), even(b, f), even(c, g), even(d, h), odd(a, e), odd(b, f), odd(c, g), odd(d, h)};
#pragma GCC unroll 8
  for (int k = 0; k < 8; ++k) columns[k] = all[k];
}

// Bodies that cannot be moved are shared between lanes and threads: they are read, never written.
HWY_INLINE void scatter(const Motion& m, SolverBody* bodies, const std::uint32_t* index, unsigned mask) {
  V first[4], second[4];
  halvesOfRows(m, first, second);
  const auto put = [&](auto row, int lane) {
    if ((mask >> lane & 1u) != 0) hn::Store(row, kRowTag, bodies[index[lane]].velocity);
  };
  const __m512i low = _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11), high = _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15);
  for (int lane = 0; lane < 4; ++lane) {
    const __m512d lo = _mm512_castps_pd(first[lane].raw), hi = _mm512_castps_pd(second[lane].raw);
    const V near{_mm512_castpd_ps(_mm512_permutex2var_pd(lo, low, hi))},
        far{_mm512_castpd_ps(_mm512_permutex2var_pd(lo, high, hi))};
    put(hn::LowerHalf(kRowTag, near), lane);
    put(hn::UpperHalf(kRowTag, near), lane + 4);
    put(hn::LowerHalf(kRowTag, far), lane + 8);
    put(hn::UpperHalf(kRowTag, far), lane + 12);
  }
}

#else

// The first four numbers of every row and then the last four: a vector of eight lanes takes its upper half from four rows
// on.
template <class Row>
HWY_INLINE void gatherColumns(Row&& row, V (&columns)[8]) {
  constexpr hn::CappedTag<float, 4> kHalfRow;
#pragma GCC unroll 2
  for (int from = 0; from < 8; from += 4) {
    const auto part = [&](int lane) {
      const auto low = hn::LoadU(kHalfRow, row(lane) + from);
      if constexpr (kVectorLanes == 8) {
        return hn::Combine(kTag, hn::LoadU(kHalfRow, row(lane + 4) + from), low);
      } else {
        return low;
      }
    };
    V a = part(0), b = part(1), c = part(2), d = part(3);
    transpose4(a, b, c, d);
    columns[from] = a, columns[from + 1] = b, columns[from + 2] = c, columns[from + 3] = d;
  }
}

// Bodies that cannot be moved are shared between lanes and threads: they are read, never written.
HWY_INLINE void scatter(const Motion& m, SolverBody* bodies, const std::uint32_t* index, unsigned mask) {
  V first[4], second[4];
  halvesOfRows(m, first, second);
  constexpr unsigned kAll = (1u << kVectorLanes) - 1;
  const auto put = [&](auto&& isWritten) HWY_ATTR {
#pragma GCC unroll 4
    for (int lane = 0; lane < 4; ++lane) {
      if constexpr (kVectorLanes == 8) {
        if (isWritten(lane)) store(hn::ConcatLowerLower(kTag, second[lane], first[lane]), bodies[index[lane]].velocity);
        if (isWritten(lane + 4))
          store(hn::ConcatUpperUpper(kTag, second[lane], first[lane]), bodies[index[lane + 4]].velocity);
      } else if (isWritten(lane)) {
        store(first[lane], bodies[index[lane]].velocity);
        store(second[lane], bodies[index[lane]].velocity + 4);
      }
    }
  };
  if ((mask & kAll) == kAll) {
    put([](int) { return true; });
  } else {
    put([mask](int lane) { return (mask >> lane & 1u) != 0; });
  }
}

#endif

#endif

template <int kOffset>  // in floats from the body's beginning
HWY_INLINE Motion gather(const SolverBody* bodies, const std::uint32_t* index) {
  V columns[8];
  gatherColumns([&](int lane) { return reinterpret_cast<const float*>(bodies + index[lane]) + kOffset; }, columns);
  return {{columns[0], columns[1], columns[2]}, {columns[3], columns[4], columns[5]}};
}

// Symmetric.
struct Inertia {
  V xx, yy, zz, xy, xz, yz;
  HWY_INLINE Inertia(const Lane (&lanes)[6], int at)
      : xx(load(lanes[0] + at)),
        yy(load(lanes[1] + at)),
        zz(load(lanes[2] + at)),
        xy(load(lanes[3] + at)),
        xz(load(lanes[4] + at)),
        yz(load(lanes[5] + at)) {}
  HWY_INLINE V3 operator*(const V3& v) const { return {dot({xx, xy, xz}, v), dot({xy, yy, yz}, v), dot({xz, yz, zz}, v)}; }
};

// Impulses on a pair: along directions, and their moments about the two centres of mass.
struct Push {
  V3 linear, momentA, momentB;
  HWY_INLINE Push() {
    const V zero = hn::Zero(kTag);
    linear = momentA = momentB = {zero, zero, zero};
  }
  HWY_INLINE void add(const V3& direction, const V3& armA, const V3& armB, V impulse) {
    addScaled(linear, direction, impulse);
    addMoment(armA, armB, impulse);
  }
  HWY_INLINE void addMoment(const V3& armA, const V3& armB, V impulse) {
    addScaled(momentA, armA, impulse);
    addScaled(momentB, armB, impulse);
  }
};

// One block's bodies, from gather to scatter.
struct PairMotion {
  Motion a, b;
  V massA, massB;

  HWY_INLINE PairMotion(const ContactBlock& block, const SolverBody* bodies, int at)
      : a(gather<0>(bodies, block.bodyA + at)),
        b(gather<0>(bodies, block.bodyB + at)),
        massA(load(block.inverseMassA + at)),
        massB(load(block.inverseMassB + at)) {}
  HWY_INLINE void write(const ContactBlock& block, SolverBody* bodies, int at) const {
    scatter(a, bodies, block.bodyA + at, static_cast<unsigned>(block.writesA) >> at);
    scatter(b, bodies, block.bodyB + at, static_cast<unsigned>(block.writesB) >> at);
  }
  HWY_INLINE V relative(const V3& direction, const V3& armA, const V3& armB) const {
    return hn::Add(dot(direction, sub(b.linear, a.linear)), hn::Sub(dot(armB, b.angular), dot(armA, a.angular)));
  }
  HWY_INLINE void apply(const Push& push, const ContactBlock& block, int at) {
    move(push.linear);
    turn(push, block, at);
  }
  HWY_INLINE void move(const V3& linear) {
    subScaled(a.linear, linear, massA);
    addScaled(b.linear, linear, massB);
  }
  HWY_INLINE void turn(const Push& push, const ContactBlock& block, int at) { turn(push.momentA, push.momentB, block, at); }
  HWY_INLINE void turn(const V3& momentA, const V3& momentB, const ContactBlock& block, int at) {
    a.angular = sub(a.angular, Inertia(block.inertiaA, at) * momentA);
    b.angular = add(b.angular, Inertia(block.inertiaB, at) * momentB);
  }
};

// Rows of a contact's points about both centres: what is beyond arms about A's centre is the same for all of them.
HWY_INLINE V3 beyondArms(const ContactBlock& block, const V3& normal, int at) {
  return cross(load(block.apart, at), normal);
}

// Motion since the step's beginning.
struct Displacement {
  Motion a, b;
  Displacement() = default;
  HWY_INLINE Displacement(const ContactBlock& block, const SolverBody* bodies, int at)
      : a(gather<8>(bodies, block.bodyA + at)), b(gather<8>(bodies, block.bodyB + at)) {}
  HWY_INLINE V along(const V3& normal) const { return dot(normal, sub(b.linear, a.linear)); }
};

// Gaps of points now: those at the step's beginning plus the motion since, most of which all points share.
struct Gaps {
  V shared;
  V3 turned;
  HWY_INLINE Gaps(const Displacement& moved, const V3& normal, const V3& beyond)
      : shared(hn::Add(moved.along(normal), dot(beyond, moved.b.angular))), turned(sub(moved.b.angular, moved.a.angular)) {}
  HWY_INLINE V of(const ContactPointLanes& point, const V3& arm, int at) const {
    return hn::Add(load(point.separation + at), hn::Add(shared, dot(arm, turned)));
  }
};

}  // namespace cairn::wide::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
