// How cost grows with the number of bodies: Cairn alone, boxes and balls in a bin that grows with them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "scene/scene_file.hpp"
#include "step_clock.hpp"

namespace cairn::bench {

struct GrowthPoint {
  std::string scene;  // "pile" or "spheres"
  int bodies = 0;
  double msMedian = 0.0;      // of a step, everything at rest
  double contacts = 0.0;      // points, of the last step
  double bytesPerBody = 0.0;  // live heap of the world, over the bodies
};

struct GrowthPlan {
  std::vector<int> sizes;
  int threads = 1;
  std::vector<Override> settings;  // settings.* of --set
};
std::vector<int> growthSizes(bool quick);  // 1,000 to 64,000; quick: to 8,000

// Told how far it is and what is being done; false ends it, with the points so far. `waiting` grows by what was lost to
// others, with one thread.
std::vector<GrowthPoint> measureGrowth(const GrowthPlan& plan, Waiting& waiting,
                                       const std::function<bool(double, const std::string&)>& progress);

// The exponent p of cost ~ bodies^p, fitted to the points of one scene: 1 is linear.
double growthExponent(const std::vector<GrowthPoint>& points, const std::string& scene);

std::string growthSvg(const std::vector<GrowthPoint>& points);
std::string growthJson(const std::string& machine, int threads, const std::vector<GrowthPoint>& points);
std::string growthTable(const std::vector<GrowthPoint>& points);

}  // namespace cairn::bench
