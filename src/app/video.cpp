#include "app/video.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <future>
#include <limits>
#include <ostream>
#include <thread>

#include "app/bad_input.hpp"
#include "app/progress.hpp"
#include "picture/picture_camera.hpp"
#include "picture/picture_scene.hpp"

namespace cairn {
namespace {

constexpr long kMostGlances = 16;         // moments that the camera is chosen from
constexpr std::size_t kMostSeen = 20000;  // bodies in all of them together
// The camera need not see this share of the bodies, if they are this much farther away than all others.
constexpr double kStrayShare = 0.03;
constexpr double kStrayFactor = 1.5;
constexpr long kMostAtOnce = 8;
constexpr long kMostPixelsAtOnce = 4'000'000;

bool isThere(const Pose& pose) { return pose.position.x() == pose.position.x(); }

BodyDesc standIn(const DescribedBody& body, const Pose& pose, const std::string& name) {
  BodyDesc desc;
  desc.name = name;
  desc.kind = body.kind == BodyKind::Static ? BodyKind::Static : BodyKind::Kinematic;
  desc.pose = pose;
  for (const DescribedShape& shape : body.shapes) desc.shapes.push_back({.geometry = shape.geometry, .local = shape.local});
  return desc;
}

// A world that is only looked at: bodies stand where the frames say.
class Stage {
 public:
  explicit Stage(const SceneDescription& scene) : scene_(scene), ids_(scene.bodies.size()) {
    WorldSettings settings;
    settings.gravity = -9.81 * scene.up;  // m/s^2; says where up is
    settings.maximumCoordinate = 1e12;    // m
    world_ = World(settings);
  }
  // `copy`: beside those that stand there already.
  void show(const std::vector<Pose>& poses, long copy = 0) {
    for (std::size_t i = 0; i < poses.size(); ++i) {
      const DescribedBody& body = scene_.bodies[i];
      if (!isThere(poses[i])) continue;
      if (copy == 0 && !ids_[i].isNull()) {
        if (body.kind != BodyKind::Static) world_.setPose(ids_[i], poses[i]);
        continue;
      }
      if (copy > 0 && body.kind == BodyKind::Static) continue;
      const BodyId id = add(body, poses[i], copy == 0 ? body.name : fmt::format("{}#{}", body.name, copy));
      if (copy == 0) ids_[i] = id;
    }
  }
  const World& world() const { return world_; }

 private:
  BodyId add(const DescribedBody& body, const Pose& pose, const std::string& name) {
    try {
      return world_.addBody(standIn(body, pose, name));
    } catch (const std::invalid_argument& error) {  // only what comes from a file can be so wrong
      throw BadInput(fmt::format("\"{}\" cannot be drawn: {}", body.name, error.what()));
    }
  }

  const SceneDescription& scene_;
  World world_;
  std::vector<BodyId> ids_;
};

// Bodies far away from nearly all others at nearly all times: one brick that rolled off must not make a dot of the rest.
void leaveOutStrays(std::vector<std::vector<Pose>>& glances, const SceneDescription& scene) {
  std::vector<double> along[3], distances;
  const auto each = [&](const auto& visit) {
    for (auto& poses : glances)
      for (std::size_t i = 0; i < poses.size(); ++i)
        if (scene.bodies[i].kind != BodyKind::Static && isThere(poses[i])) visit(poses[i]);
  };
  each([&](const Pose& pose) {
    for (int k = 0; k < 3; ++k) along[k].push_back(pose.position[k]);
  });
  if (along[0].empty()) return;
  const auto quantile = [](std::vector<double>& values, double share) {
    const auto place = values.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
    std::nth_element(values.begin(), place, values.end());
    return *place;
  };
  const Vec3 middle(quantile(along[0], 0.5), quantile(along[1], 0.5), quantile(along[2], 0.5));
  each([&](const Pose& pose) { distances.push_back((pose.position - middle).norm()); });
  const double limit = kStrayFactor * quantile(distances, 1.0 - kStrayShare);
  each([&](Pose& pose) {
    if ((pose.position - middle).norm() > limit) pose.position.setConstant(std::numeric_limits<double>::quiet_NaN());
  });
}

// One camera for the whole video: that of a picture which shows every body at many of its moments at once.
PictureOptions chooseView(const SceneDescription& scene, FrameSpool& spool, const VideoFormat& format) {
  const long most = static_cast<long>(kMostSeen / std::max<std::size_t>(1, scene.bodies.size()));
  const long count = std::min(std::clamp(most, 2L, kMostGlances), spool.frames());
  std::vector<std::vector<Pose>> glances;
  for (long k = 0; k < count; ++k) glances.push_back(spool.frame(count == 1 ? 0 : k * (spool.frames() - 1) / (count - 1)));
  leaveOutStrays(glances, scene);
  Stage all(scene);
  for (long k = 0; k < count; ++k) all.show(glances[k], k);
  const PictureScene seen = gatherScene(all.world());
  PictureOptions options{.width = format.width, .height = format.height};
  options.stage = PictureStage{seen.origin, seen.radius};
  const Camera camera = chooseCamera(seen, options);
  options.eye = camera.eye + seen.origin;
  options.target = *options.eye + std::max(camera.eye.norm(), seen.radius) * camera.forward;
  return options;
}

// Pictures at once: each takes a core, and about 200 bytes for each of its pixels.
std::size_t picturesAtOnce(const VideoFormat& format) {
  const auto cores = static_cast<long>(std::max(1u, std::thread::hardware_concurrency()));
  const long room = kMostPixelsAtOnce / (static_cast<long>(format.width) * format.height);
  return static_cast<std::size_t>(std::clamp(std::min(cores, room), 1L, kMostAtOnce));
}

}  // namespace

VideoRecording::VideoRecording(const RecordingPlan& plan, const InterruptGuard& interrupt, std::ostream& err)
    : option_(plan.option),
      path_(plan.path),
      ffmpeg_(findFfmpeg()),
      format_{plan.width, plan.height, kVideoRate, plan.format == RecordFormat::Webm},
      scene_(*plan.scene),
      spool_(plan.scene->bodies.size(), kVideoRate),
      interrupt_(interrupt),
      err_(err),
      showProgress_(plan.showProgress) {
  if (ffmpeg_.empty())
    throw BadInput(
        fmt::format("{} {}: videos are made by ffmpeg, which is not on PATH; allowed: install ffmpeg (Debian: apt "
                    "install ffmpeg), or record .h5 and export the video elsewhere",
                    option_, path_));
  const WholeFile canBeWritten(option_, path_);  // and is gone again at once
}

void VideoRecording::finish(const std::string&) {
  if (interrupt_.signal() != 0) {
    err_ << fmt::format("cairn: {} {}: no video was made, since the run was interrupted\n", option_, path_);
    return;
  }
  const PictureOptions view = chooseView(scene_, spool_, format_);
  VideoPipe pipe(ffmpeg_, path_, format_);
  // A batch of pictures is drawn at once, each on a stage of its own, and written in order.
  std::deque<Stage> stages;
  for (std::size_t i = picturesAtOnce(format_); i > 0; --i) stages.emplace_back(scene_);
  {
    CountProgress progress(err_, showProgress_, static_cast<int>(spool_.frames()));
    for (long k = 0; k < spool_.frames() && interrupt_.signal() == 0;) {
      std::vector<std::future<Image>> pictures;
      for (Stage& stage : stages) {
        if (k == spool_.frames()) break;
        stage.show(spool_.frame(k++));
        pictures.push_back(std::async(std::launch::async, [&] { return renderPicture(stage.world(), view); }));
      }
      for (auto& picture : pictures) pipe.write(picture.get().rgb);
      progress.show(static_cast<double>(k), "frames drawn");
    }
  }
  pipe.finish();
}

}  // namespace cairn
