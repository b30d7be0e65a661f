#include "export/replay.hpp"

#include <rapidjson/document.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace cairn {
namespace {

constexpr std::string_view kMarker = "<!--cairn-data-->";

std::string base64(std::string_view bytes) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    unsigned bits = 0;
    for (std::size_t k = 0; k < 3; ++k)
      bits = bits << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0u);
    for (int k = 0; k < 4; ++k) text.push_back(i + k > bytes.size() ? '=' : kDigits[bits >> (18 - 6 * k) & 63]);
  }
  return text;
}

// Nothing in a <script> may look like its end or like a comment: in JSON, "<" stands within texts only.
std::string withoutTags(const std::string& json) {
  std::string safe;
  safe.reserve(json.size());
  for (const char c : json) {
    if (c == '<') {
      safe += "\\u003c";
    } else {
      safe += c;
    }
  }
  return safe;
}

std::vector<std::size_t> movingBodies(const SceneDescription& scene) {
  std::vector<std::size_t> moving;
  for (std::size_t i = 0; i < scene.bodies.size(); ++i)
    if (scene.bodies[i].kind != BodyKind::Static) moving.push_back(i);
  return moving;
}

std::vector<std::uint32_t> slotsOf(const SceneDescription& scene, const std::vector<std::size_t>& bodies) {
  std::vector<std::uint32_t> slots;
  for (const std::size_t body : bodies) slots.push_back(scene.bodies[body].slot);
  return slots;
}

}  // namespace

long replayStride(const ReplayPace& pace, std::size_t movingBodies) {
  const double wanted = 1.0 / (pace.rate.value_or(kReplayRate) * pace.interval);
  const double poses = static_cast<double>(pace.moments) * static_cast<double>(movingBodies);
  const double bounded = std::ceil(poses / (pace.rate ? kMostAskedPoses : kMostReplayPoses));
  return static_cast<long>(std::clamp(std::max(std::round(wanted), bounded), 1.0, 1e9));
}

Replay::Replay(const SceneDescription& scene, const ReplayPace& pace)
    : scene_(scene),
      moving_(movingBodies(scene)),
      appears_(scene.bodies.size()),
      stride_(replayStride(pace, moving_.size())),
      interval_(static_cast<double>(stride_) * pace.interval),
      motion_(slotsOf(scene, moving_), motionResolution(scene.radius)),
      series_(pace.moments),
      poses_(moving_.size()) {}

void Replay::addFrame(double time) {
  const long frame = motion_.frames();
  for (std::size_t i = 0; i < moving_.size(); ++i) {
    const bool isThere = poses_[i].position.allFinite();
    if (!isThere) appears_[moving_[i]] = frame + 1;
  }
  motion_.add(time, poses_);
}

void Replay::add(const Moment& moment) {
  for (std::size_t i = 0; i < moving_.size(); ++i) {
    poses_[i] = moment.bodies[moving_[i]].pose;
    poses_[i].position -= scene_.origin;
  }
  time_ = moment.time;
  if (moment.step > 0) series_.add(moment);
  isShown_ = moments_++ % stride_ == 0;
  if (isShown_) addFrame(time_);
}

std::string Replay::data(const std::string& report) const {
  rapidjson::Document scene;
  scene.Parse<rapidjson::kParseIterativeFlag | rapidjson::kParseFullPrecisionFlag>(scene_.json.data(), scene_.json.size());
  for (std::size_t i = 0; i < appears_.size(); ++i) {
    if (!appears_[i]) continue;
    rapidjson::Value& body = scene["bodies"][static_cast<rapidjson::SizeType>(i)];
    body.AddMember("appears", rapidjson::Value(static_cast<std::int64_t>(*appears_[i])), scene.GetAllocator());
  }
  rapidjson::StringBuffer text;
  rapidjson::Writer<rapidjson::StringBuffer> writer(text);
  scene.Accept(writer);
  CompactJson out;
  out.object("", [&] {
    out.raw("scene", {text.GetString(), text.GetSize()});
    series_.describe(out);
    report.empty() ? out.null("report") : out.raw("report", report);
    out.value("interval", interval_);
  });
  return out.text();
}

std::string Replay::finish(std::string_view page, const std::string& report) {
  if (!isShown_) addFrame(time_);  // the end is what people look for
  const std::size_t place = page.find(kMarker);
  if (place == std::string_view::npos) throw std::logic_error("the lab's page has no place for a replay");
  std::string file(page.substr(0, place));
  file += "<script type=\"application/json\" id=\"cairn-replay\">";
  file += withoutTags(data(report));
  file += "</script>\n<script type=\"text/plain\" id=\"cairn-motion\">";
  file += base64(motion_.finish());
  file += "</script>";
  file += page.substr(place + kMarker.size());
  return file;
}

}  // namespace cairn
