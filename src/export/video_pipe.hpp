// Frames into a video file, through ffmpeg. Whatever ffmpeg does, this neither hangs nor dies: a message comes instead.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace cairn {

struct VideoFormat {
  int width = 1280, height = 720;  // pixels, even
  double rate = 30.0;              // frames per second
  bool isWebm = false;             // else mp4
};

std::string findFfmpeg();  // its path; empty if it is not on PATH

class VideoPipe {
 public:
  // Writes beside `path` and moves there when it is finished. Throws ExportFailure, like the others.
  VideoPipe(const std::string& ffmpeg, std::string path, const VideoFormat& format);
  ~VideoPipe();  // unfinished: nothing is left
  VideoPipe(const VideoPipe&) = delete;
  VideoPipe& operator=(const VideoPipe&) = delete;

  void write(std::span<const std::uint8_t> rgb);  // one frame, rows from the top
  void finish();

 private:
  void start(const std::string& ffmpeg, const VideoFormat& format);
  void release();
  [[noreturn]] void fail(const std::string& why);
  bool waitForEnd(double seconds);  // whether it ended well
  std::string complaint() const;    // ffmpeg's last words

  std::string path_, temporary_;
  int socket_ = -1;
  int words_ = -1;  // file with what ffmpeg says
  int process_ = -1;
};

}  // namespace cairn
