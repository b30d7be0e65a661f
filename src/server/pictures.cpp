#include "server/pictures.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include "picture/picture.hpp"
#include "scene/gallery.hpp"
#include "scene/scene_run.hpp"

namespace cairn {
namespace {

constexpr int kWidth = 320, kHeight = 180;  // pixels
constexpr int kNice = 10;                   // pictures can wait; the simulation cannot

}  // namespace

std::string drawScene(const std::string& name) {
  const SceneRun run(openScene(name));
  return encodePng(renderPicture(run.world(), {.width = kWidth, .height = kHeight}));
}

PictureShop::PictureShop() : thread_([this] { loop(); }) {}

PictureShop::~PictureShop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  thread_.join();
}

void PictureShop::ask(const std::string& scene, std::function<void(SharedPicture)> answer) {
  SharedPicture ready;
  if (isGalleryName(scene)) {
    const std::lock_guard lock(mutex_);
    const auto found = done_.find(scene);
    if (found == done_.end()) {
      auto& waiting = asked_[scene];
      if (waiting.empty()) queue_.push_back(scene);
      waiting.push_back(std::move(answer));
      wake_.notify_all();
      return;
    }
    ready = found->second;
  }
  answer(ready);
}

void PictureShop::loop() {
  setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), kNice);  // of this thread only, on Linux
  for (;;) {
    std::string scene;
    {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [&] { return stopping_ || !queue_.empty(); });
      if (stopping_) return;
      scene = queue_.front();
      queue_.pop_front();
    }
    SharedPicture picture;
    try {
      picture = std::make_shared<const std::string>(drawScene(scene));
    } catch (const std::exception&) {  // a page without one of its pictures is no reason to stop
    }
    std::vector<std::function<void(SharedPicture)>> waiting;
    {
      const std::lock_guard lock(mutex_);
      done_[scene] = picture;
      waiting = std::move(asked_[scene]);
      asked_.erase(scene);
    }
    for (const auto& answer : waiting) answer(picture);
  }
}

}  // namespace cairn
