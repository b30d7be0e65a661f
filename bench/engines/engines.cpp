// The engines that are compared. All run at their defaults, as Debian builds them, with the same bodies, the same
// coefficient of friction in every contact, dt = 1/60 s and nothing asleep. What each of them changes, and why, is said at
// the head of its file and in the "settings" of every row.
#include "engine.hpp"

namespace cairn::bench {

const std::vector<EngineKind>& engineKinds() {
  static const std::vector<EngineKind> kinds{cairnEngine(), bulletEngine(), odeEngine(), mujocoEngine()};
  return kinds;
}

std::vector<std::string_view> engineNames() {
  std::vector<std::string_view> names;
  for (const EngineKind& kind : engineKinds()) names.push_back(kind.name);
  return names;
}

}  // namespace cairn::bench
