// What the sweep over contacts could reach on this machine, and what it does reach: multiplications and additions per second
// that are independent of each other, bytes per second from each level of the cache, and the time of a pass over contacts
// whose data is in one of them. docs/performance.md tells what comes out.
//
//   bench_roofline
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <limits>
#include <random>
#include <vector>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "bench/roofline.cpp"
#include <hwy/foreach_target.h>
// foreach_target first, then:
#include <hwy/highway.h>

#include "wide/contact_block.hpp"

HWY_BEFORE_NAMESPACE();
namespace cairn::bench::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Tag = hn::CappedTag<float, wide::kLanes>;
constexpr Tag kTag;

// Sixteen chains of x = x a + b, rounded after each operation as in the kernels. Returns how many operations that was.
double Arithmetic(long rounds, float* out) {
  constexpr int kChains = 16;
  const auto a = hn::Set(kTag, 0.999999f), b = hn::Set(kTag, 1e-7f);
  const auto at = [](int k) HWY_ATTR { return hn::Set(kTag, 1.0f + 0.01f * static_cast<float>(k)); };  // all different
  auto x0 = at(0), x1 = at(1), x2 = at(2), x3 = at(3), x4 = at(4), x5 = at(5), x6 = at(6), x7 = at(7);
  auto y0 = at(8), y1 = at(9), y2 = at(10), y3 = at(11), y4 = at(12), y5 = at(13), y6 = at(14), y7 = at(15);
  for (long i = 0; i < rounds; ++i) {
    x0 = hn::Add(hn::Mul(x0, a), b), x1 = hn::Add(hn::Mul(x1, a), b), x2 = hn::Add(hn::Mul(x2, a), b);
    x3 = hn::Add(hn::Mul(x3, a), b), x4 = hn::Add(hn::Mul(x4, a), b), x5 = hn::Add(hn::Mul(x5, a), b);
    x6 = hn::Add(hn::Mul(x6, a), b), x7 = hn::Add(hn::Mul(x7, a), b), y0 = hn::Add(hn::Mul(y0, a), b);
    y1 = hn::Add(hn::Mul(y1, a), b), y2 = hn::Add(hn::Mul(y2, a), b), y3 = hn::Add(hn::Mul(y3, a), b);
    y4 = hn::Add(hn::Mul(y4, a), b), y5 = hn::Add(hn::Mul(y5, a), b), y6 = hn::Add(hn::Mul(y6, a), b);
    y7 = hn::Add(hn::Mul(y7, a), b);
  }
  const auto sum = hn::Add(hn::Add(hn::Add(x0, x1), hn::Add(x2, x3)), hn::Add(hn::Add(x4, x5), hn::Add(x6, x7)));
  const auto more = hn::Add(hn::Add(hn::Add(y0, y1), hn::Add(y2, y3)), hn::Add(hn::Add(y4, y5), hn::Add(y6, y7)));
  hn::Store(hn::Add(sum, more), kTag, out);
  return 2.0 * kChains * static_cast<double>(hn::Lanes(kTag)) * static_cast<double>(rounds);
}

void Read(const float* from, std::size_t count, float* out) {
  auto a = hn::Zero(kTag), b = a, c = a, d = a;
  const std::size_t n = hn::Lanes(kTag);
  for (std::size_t i = 0; i + 4 * n <= count; i += 4 * n) {
    a = hn::Add(a, hn::Load(kTag, from + i));
    b = hn::Add(b, hn::Load(kTag, from + i + n));
    c = hn::Add(c, hn::Load(kTag, from + i + 2 * n));
    d = hn::Add(d, hn::Load(kTag, from + i + 3 * n));
  }
  hn::Store(hn::Add(hn::Add(a, b), hn::Add(c, d)), kTag, out);
}

}  // namespace cairn::bench::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cairn::bench {
namespace {

HWY_EXPORT(Arithmetic);
HWY_EXPORT(Read);

// The least of many: what else the machine does only ever adds.
double seconds(const std::function<void()>& work) {
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < 200; ++i) {
    const auto start = std::chrono::steady_clock::now();
    work();
    least = std::min(least, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return least;
}

struct alignas(64) Line {
  float numbers[16];
};

double bandwidth(std::size_t bytes) {
  const std::vector<Line> data(bytes / sizeof(Line), Line{});
  alignas(64) float out[wide::kLanes];
  const int rounds = static_cast<int>(std::max<std::size_t>(1, (4u << 20) / bytes));
  const double time = seconds([&] {
    for (int i = 0; i < rounds; ++i) HWY_DYNAMIC_DISPATCH(Read)(data[0].numbers, data.size() * 16, out);
  });
  return static_cast<double>(data.size() * sizeof(Line)) * rounds / time;
}

// A wall without ends: contacts of four points between neighbours, as many bodies as a third of the contacts.
struct Sweep {
  std::vector<wide::ContactBlock> blocks;
  std::vector<wide::ContactPointLanes> points;
  std::vector<wide::SolverBody> bodies;

  explicit Sweep(std::size_t count) : blocks(count), points(4 * count), bodies(count * wide::kLanes / 3 + 2 * wide::kLanes) {
    std::mt19937_64 random(1);
    std::uniform_real_distribution<float> number(-0.1f, 0.1f);
    for (std::size_t i = 0; i < count; ++i) {
      wide::ContactBlock& block = blocks[i] = wide::ContactBlock{};
      block.firstPoint = static_cast<std::uint32_t>(4 * i);
      block.points = 4;
      block.lanes = wide::kLanes;
      block.writesA = block.writesB = 0xFFFF;
      for (int lane = 0; lane < wide::kLanes; ++lane) {
        // Neighbours, and no body twice within a block.
        const std::size_t place = (i * wide::kLanes / 3 + 2 * static_cast<std::size_t>(lane)) % (bodies.size() - 1);
        block.bodyA[lane] = static_cast<std::uint32_t>(place);
        block.bodyB[lane] = static_cast<std::uint32_t>(place + 1);
        block.normal[2][lane] = block.relaxes[lane] = block.inverseMassA[lane] = block.inverseMassB[lane] = 1.0f;
        block.friction[lane] = 0.6f;
        block.pushOut[lane] = 3.0f;
        block.biasRate[lane] = 100.0f;
        for (int k = 0; k < 3; ++k) block.inertiaA[k][lane] = block.inertiaB[k][lane] = 6.0f;
        for (int p = 0; p < 4; ++p) {
          wide::ContactPointLanes& point = points[4 * i + static_cast<std::size_t>(p)];
          for (int k = 0; k < 3; ++k) point.arm[k][lane] = number(random);
          point.mass[lane] = 1.0f;
          point.stiffness[lane] = 0.9f;
          point.lever[lane] = 0.1f;
          point.separation[lane] = point.gap[lane] = -1e-3f;
        }
      }
    }
    wide::prepare(blocks, points.data(), bodies.data(), false);
  }

  std::size_t bytes() const {
    return blocks.size() * (sizeof(wide::ContactBlock) + 4 * sizeof(wide::ContactPointLanes)) +
           bodies.size() * sizeof(wide::SolverBody);
  }
  double contacts() const { return static_cast<double>(blocks.size() * wide::kLanes); }
};

int run() {
  alignas(64) float out[wide::kLanes];
  double operations = 0.0;
  const double time = seconds([&] { operations = HWY_DYNAMIC_DISPATCH(Arithmetic)(100000, out); });
  std::printf("%s\narithmetic          %6.1f Gflop/s (multiplications and additions, none fused)\n", wide::instructionSet(),
              1e-9 * operations / time);
  for (const auto& [name, bytes] : {std::pair("first cache", 24u << 10),
                                    {"second cache", 512u << 10},
                                    {"third cache", 8u << 20},
                                    {"memory", 256u << 20}})
    std::printf("read, %-13s %6.1f GB/s\n", name, 1e-9 * bandwidth(bytes));
  std::printf("\n%10s %10s %12s %12s\n", "contacts", "data", "soft pass", "relaxation");
  const wide::SubstepValues values{1e-3f, 1e3f, 1.0f};
  for (const std::size_t count : {2, 8, 32, 128, 512, 2048, 8192}) {
    Sweep sweep(count);
    const int rounds = static_cast<int>(std::max<std::size_t>(1, 256 / count));
    const auto each = [&](auto&& pass) {
      return 1e9 / (sweep.contacts() * rounds) * seconds([&] {
               for (int i = 0; i < rounds; ++i)
                 pass(wide::Blocks(sweep.blocks), sweep.points.data(), sweep.bodies.data(), values);
             });
    };
    const double soft = each(wide::solveSoft), relax = each(wide::relax);
    std::printf("%10.0f %7.1f KB %9.1f ns %9.1f ns\n", sweep.contacts(), 1e-3 * static_cast<double>(sweep.bytes()), soft,
                relax);
  }
  return 0;
}

}  // namespace
}  // namespace cairn::bench

int main() { return cairn::bench::run(); }
#endif
