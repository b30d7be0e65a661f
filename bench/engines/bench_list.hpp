// The scenes of the benchmark, and when each of them is looked at.
#pragma once

#include <string>
#include <vector>

#include "scene/gallery.hpp"

namespace cairn::bench {

struct BenchEntry {
  std::string scene;       // gallery name or file
  double seconds = 10.0;   // s, of a whole run
  double standing = 10.0;  // s: drift, sag and whether it stands are measured then, or at the end if that is sooner
  double lost = 10.0;      // s: so are the bodies lost
  double quick = 2.0;      // s, of a quick run
};

const std::vector<BenchEntry>& benchList();  // the scenes that --scenes takes if it is not given
// Any scene: as in the list, or for as long as it says itself.
BenchEntry benchEntry(const std::string& scene, const SceneModel& model);

}  // namespace cairn::bench
