#include "lab/scene_origin.hpp"

#include <fmt/format.h>

#include "scene/gallery.hpp"

namespace cairn {
namespace {

// The disk, with a copy of every text that is read from it.
class CopyingSource : public DiskSource {
 public:
  explicit CopyingSource(std::map<std::string, std::string>& copies) : copies_(copies) {}
  std::string read(const std::string& path) const override {
    std::string text = DiskSource::read(path);
    copies_[path] = text;
    return text;
  }

 private:
  std::map<std::string, std::string>& copies_;
};

class CopiedSource : public SceneSource {
 public:
  explicit CopiedSource(const std::map<std::string, std::string>& copies) : copies_(copies) {}
  std::string read(const std::string& path) const override {
    const auto found = copies_.find(path);
    if (found == copies_.end()) throw SceneError({problemOfFile(path, "the log does not hold this file")});
    return found->second;
  }
  std::string resolve(const std::string& from, const std::string& included) const override {
    return DiskSource{}.resolve(from, included);  // looks at the names only
  }

 private:
  const std::map<std::string, std::string>& copies_;
};

}  // namespace

OpenedScene openWithOrigin(const std::string& nameOrPath, std::vector<Override> set) {
  OpenedScene opened;
  opened.origin.scene = nameOrPath;
  opened.origin.set = std::move(set);
  if (looksLikeFile(nameOrPath)) {
    opened.model = loadScene(CopyingSource{opened.origin.files}, nameOrPath, opened.origin.set);
  } else {
    opened.model = openScene(nameOrPath, opened.origin.set);
  }
  return opened;
}

void addOptions(SceneOrigin& origin, const SceneModel& model) {
  origin.set.push_back({"settings.dt", fmt::format("{}", model.dt)});
  origin.set.push_back({"settings.stepper", model.settings.stepper});
  origin.set.push_back({"settings.solver.name", model.settings.solver.name});
  origin.set.push_back({"settings.threads", fmt::format("{}", model.settings.threads)});
}

SceneModel reopen(const SceneOrigin& origin) {
  if (!origin.files.empty()) return loadScene(CopiedSource{origin.files}, origin.scene, origin.set);
  if (!isGalleryName(origin.scene)) {
    throw SceneError({problemOfFile(origin.scene, "no scene of the gallery, and the text of a file did not come with it")});
  }
  return openScene(origin.scene, origin.set);
}

}  // namespace cairn
