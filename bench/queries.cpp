// How long questions and removals take: rays per second among resting bodies, and removing some of many bodies.
//   bench_queries [rays]
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <random>

#include "cairn/world.hpp"

namespace {

using namespace cairn;

// Of the processor: others may use the machine too.
double secondsOf(const auto& work) {
  const std::clock_t start = std::clock();
  work();
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

// Boxes on a plane in short columns, some metres apart.
std::vector<BodyId> build(World& world, int count, int layers) {
  world.addBody({.kind = BodyKind::Static, .shapes = {{.geometry = Plane{}}}});
  std::vector<BodyId> bodies;
  const int side = static_cast<int>(std::ceil(std::sqrt(static_cast<double>(count) / layers)));
  for (int i = 0; i < count; ++i) {
    const int column = i / layers, layer = i % layers;
    const Vec3 place(2.0 * (column % side), 2.0 * (column / side), 0.5 + layer);
    bodies.push_back(world.addBody({.pose = {.position = place}, .shapes = {{.geometry = Box{Vec3::Constant(0.5)}}}}));
  }
  for (int i = 0; i < 3; ++i) world.step(1.0 / 60);
  return bodies;
}

void castRays(int rays) {
  World world;
  build(world, 4000, 4);
  std::mt19937 random(1);
  std::uniform_real_distribution<double> across(0.0, 60.0), slope(-1.0, 1.0);
  int hits = 0;
  const double seconds = secondsOf([&] {
    for (int i = 0; i < rays; ++i) {
      const Ray ray{.origin = Vec3(across(random), across(random), 6.0),
                    .direction = Vec3(slope(random), slope(random), -0.5)};
      hits += world.castRay(ray) ? 1 : 0;
    }
  });
  std::printf("rays among 4,000 bodies: %.0f per second (%d of %d hit)\n", rays / seconds, hits, rays);
}

void removeBodies() {
  World world;
  const std::vector<BodyId> bodies = build(world, 10000, 4);
  const double seconds = secondsOf([&] {
    for (int i = 0; i < 1000; ++i) world.removeBody(bodies[static_cast<std::size_t>(i) * 10 + 3]);
  });
  std::printf("removing 1,000 of 10,000 bodies: %.3f ms (%.2f us each)\n", 1e3 * seconds, 1e3 * seconds);
}

}  // namespace

int main(int argc, char** argv) {
  castRays(argc > 1 ? std::atoi(argv[1]) : 2000);
  removeBodies();
}
