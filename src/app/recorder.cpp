#include "app/recorder.hpp"

#include <fmt/format.h>

#include <iterator>

namespace cairn {

std::string csvField(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

Recorder::Recorder(const std::string& path, int every) : file_("--record", path), every_(every) {
  file_.write(fmt::format("{}\n", kRecordHeader));
}

void Recorder::record(const SceneRun& run, long step) {
  if (step % every_ != 0) return;
  const World& world = run.world();
  if (names_.empty()) {
    for (const SceneBody& body : run.model().bodies) names_.push_back(csvField(body.desc.name));
  }
  const double time = static_cast<double>(step) * run.model().dt;
  block_.clear();
  auto out = std::back_inserter(block_);
  for (std::size_t i = 0; i < run.bodies().size(); ++i) {
    if (run.model().bodies[i].desc.kind == BodyKind::Static) continue;
    const auto state = world.state(run.bodies()[i]);
    if (!state) continue;  // it has not appeared yet
    const Vec3& p = state->center;
    const Quat& q = state->pose.rotation;
    const Vec3& v = state->linearVelocity;
    const Vec3& w = state->angularVelocity;
    fmt::format_to(out, "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", time, names_[i], p.x(), p.y(), p.z(), q.w(), q.x(),
                   q.y(), q.z(), v.x(), v.y(), v.z(), w.x(), w.y(), w.z());
  }
  file_.write(block_);
}

}  // namespace cairn
