#include "bench_list.hpp"

namespace cairn::bench {

const std::vector<BenchEntry>& benchList() {
  static const std::vector<BenchEntry> list{
      // The block appears at 5 s, the cannonball at 9.9 s; what it breaks is not lost by the engine.
      {.scene = "tower", .seconds = 15.0, .standing = 5.0, .lost = 9.8, .quick = 2.0},
      {.scene = "pyramid", .quick = 2.0},
      {.scene = "wall", .quick = 2.0},
      // The last boxes land after 3.4 s, the last balls after 3.3 s.
      {.scene = "pile", .quick = 3.5},
      {.scene = "spheres", .quick = 3.5},
      {.scene = "pyramids", .quick = 0.7},
      {.scene = "mass_ratio", .quick = 10.0},
      {.scene = "ball_and_chain", .quick = 10.0},
      {.scene = "card_house", .quick = 10.0},
  };
  return list;
}

BenchEntry benchEntry(const std::string& scene, const SceneModel& model) {
  for (const BenchEntry& entry : benchList())
    if (entry.scene == scene) return entry;
  BenchEntry entry;
  entry.scene = scene;
  entry.seconds = entry.standing = entry.lost = model.seconds;
  entry.quick = std::min(2.0, model.seconds);
  return entry;
}

}  // namespace cairn::bench
