// How the simulation begins a scene, and how it records one.
#include <fmt/format.h>

#include <filesystem>

#include "scene/gallery.hpp"
#include "server/simulation.hpp"

namespace cairn {

// What can fail for reasons of the scene's happens before anything is changed.
void Simulation::begin(OpenedScene scene) {
  auto session = std::make_unique<LabSession>(scene.model);
  scene_ = std::move(scene);
  session_ = std::move(session);
  session_->setStopFlag(watch_.flag());
  stepSeconds_ = {};
  contacts_ = addedSinceStep_ = 0;
  view_ = sceneView(session_->world());
  describer_ = std::make_unique<BodyDescriber>(view_);
  ++epoch_;
  stepsAsked_ = 0;
  stats_.restart();
  frameIsStale_ = true;
  pace_.start(Clock::now());
  sceneText_ = nullptr;
}

void Simulation::startOver(OpenedScene scene, bool isRecorded) {
  begin(std::move(scene));
  writeLog([&] { log_->close(); });
  log_.reset();
  if (isRecorded) {
    try {
      openNextLog();
    } catch (const LogWriteError& error) {
      say(0, "notice", fmt::format("Nothing is recorded: {}", error.what()));
    }
  }
  for (const SetEdit& edit : std::exchange(settings_, {})) {
    try {
      session_->apply(edit);
    } catch (const EditRefused&) {  // it went with a setting that was made later
      continue;
    }
    settings_.push_back(edit);
    writeLog([&] { log_->edit(0, edit); });
  }
  sceneText_ = nullptr;
  events_.scene(sceneText(), state());
}

void Simulation::load(const LoadRequest& request) {
  // Gallery names only: a page must not make us read files, but for the one that we were started with.
  const bool isGallery = isGalleryName(request.scene);
  if (!isGallery && request.scene != startName_) {
    throw EditRefused(fmt::format("scene: found \"{}\"; allowed: a scene of the list", request.scene));
  }
  OpenedScene opened = openWithOrigin(isGallery ? request.scene : startPath_, request.set);
  const auto kept = std::exchange(settings_, {});
  try {
    startOver(std::move(opened), log_ != nullptr);
  } catch (...) {
    settings_ = kept;
    throw;
  }
}

void Simulation::record(bool on) {
  if (on == (log_ != nullptr)) return tellState();
  if (on) {  // a log begins with the scene's beginning
    startOver(scene_, true);
    if (log_) say(0, "notice", fmt::format("Recording into {}, from the beginning of the scene.", log_->path()));
  } else {
    const std::string path = log_->path();
    writeLog([&] { log_->close(); });
    if (log_) say(0, "notice", fmt::format("Recorded {} steps into {}.", session_->steps(), path));
    log_.reset();
    tellState();
  }
}

void Simulation::openLog(const std::string& path, bool isNew) {
  const WorldSettings& settings = session_->settings().world;
  if (settings.solver.milliseconds > 0.0) {
    throw LogWriteError(
        "settings.solver.milliseconds makes the result depend on the machine, and no log could repeat it; allowed: 0");
  }
  log_ = std::make_unique<InputLogWriter>(path, scene_.origin, session_->settings().dt, session_->stateHash(), isNew);
  ++logs_;
}

// "tower.cairnlog", "tower-2.cairnlog", ...: never over a file that exists.
void Simulation::openNextLog() {
  namespace fs = std::filesystem;
  const fs::path first = logPath_ ? fs::path(*logPath_) : fs::path(scene_.model.name + ".cairnlog");
  constexpr int kMostLogs = 10000;
  for (int number = logs_ + 1; number <= kMostLogs; ++number) {
    const fs::path path = number == 1 ? first
                                      : first.parent_path() / fmt::format("{}-{}{}", first.stem().string(), number,
                                                                          first.extension().string());
    std::error_code error;
    if (fs::exists(path, error)) continue;
    return openLog(path.string(), true);
  }
  throw LogWriteError(fmt::format("{}: there are {} of them already", first.string(), kMostLogs));
}

void Simulation::writeLog(const std::function<void()>& write) {
  if (!log_) return;
  try {
    write();
  } catch (const LogWriteError& error) {
    log_.reset();
    say(0, "notice", fmt::format("The recording ended: {}", error.what()));
    tellState();
  }
}

}  // namespace cairn
