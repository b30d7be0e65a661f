// Small pictures of the gallery's scenes, drawn when they are first asked for, in a thread of their own.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace cairn {

using SharedPicture = std::shared_ptr<const std::string>;  // PNG; null: there is no such picture

class PictureShop {
 public:
  PictureShop();
  ~PictureShop();  // after the picture that is being drawn
  PictureShop(const PictureShop&) = delete;
  PictureShop& operator=(const PictureShop&) = delete;

  // Calls back at once if the picture is there or never will be, else later from the drawing thread.
  void ask(const std::string& scene, std::function<void(SharedPicture)> answer);

 private:
  void loop();

  std::mutex mutex_;
  std::condition_variable wake_;
  bool stopping_ = false;
  std::map<std::string, SharedPicture> done_;
  std::map<std::string, std::vector<std::function<void(SharedPicture)>>> asked_;
  std::deque<std::string> queue_;
  std::thread thread_;
};

// 320 x 180 pixels of the scene at its beginning. Throws SceneError.
std::string drawScene(const std::string& name);

}  // namespace cairn
