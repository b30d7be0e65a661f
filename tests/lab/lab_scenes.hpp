// Small scenes to play with, random edits, and a folder for logs.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "lab/session.hpp"
#include "scene/scene_file.hpp"

namespace cairn {

// A floor, a light and a heavy box, a ball, a plank, a driven slab, and a ball that comes after a quarter of a second.
inline constexpr const char* kPlayground = R"({"cairn": 1, "settings": {"dt": 0.0166666666666666666}, "bodies": [
  {"name": "floor", "kind": "static", "shape": {"type": "plane"}},
  {"name": "light", "position": [0, 0, 0.5], "mass": 1, "shape": {"type": "box", "size": [1, 1, 1]}},
  {"name": "heavy", "position": [3, 0, 0.5], "mass": 1000, "shape": {"type": "box", "size": [1, 1, 1]}},
  {"name": "ball", "position": [0, 3, 0.5], "shape": {"type": "sphere", "radius": 0.5}},
  {"name": "plank", "position": [3, 3, 0.1], "shape": {"type": "box", "size": [2, 0.4, 0.2]}},
  {"name": "slab", "kind": "kinematic", "position": [-4, 0, 0.5], "velocity": [0.1, 0, 0],
   "shape": {"type": "box", "size": [1, 1, 1]}},
  {"name": "late", "position": [-2, 2, 2], "appear": 0.25, "shape": {"type": "sphere", "radius": 0.3}}]})";

inline SceneModel playground(const std::string& stepper = "soft") {
  return loadSceneText("playground.json", kPlayground, {{"settings.stepper", stepper}});
}

inline Vec3 placeOf(const LabSession& session, const std::string& body) {
  return session.world().state(*session.world().findBody(body))->center;
}

class Folder {
 public:
  Folder() : path_(std::filesystem::temp_directory_path() / ("cairn_lab_" + std::to_string(getpid()))) {
    std::filesystem::create_directories(path_);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  std::string file(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

inline std::string contentOf(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(in), {});
}
inline void writeFile(const std::string& path, const std::string& text) { std::ofstream(path, std::ios::binary) << text; }

// Edits that a person might make, and some that make no sense.
class RandomEdits {
 public:
  explicit RandomEdits(unsigned seed) : random_(seed) {}

  double number(double low, double high) { return std::uniform_real_distribution<double>(low, high)(random_); }
  int whole(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }
  Vec3 place() { return {number(-5, 5), number(-5, 5), number(0, 5)}; }
  std::string body() {
    const char* names[] = {"light", "heavy", "ball", "plank", "late", "slab", "floor", "thrown.1", "dropped.2", "nobody"};
    return names[whole(0, 9)];
  }
  Edit next() {
    switch (whole(0, 11)) {
      case 0:
        return SetEdit{"friction", std::to_string(number(0, 1))};
      case 1:
        return SetEdit{"restitution", whole(0, 1) ? "scene" : "0.25"};
      case 2:
        return SetEdit{"dt", whole(0, 1) ? "0.01" : "0.02"};
      case 3:
        return SetEdit{"settings.gravity", whole(0, 1) ? "[0, 0, -9.81]" : "[1, 0, -5]"};
      case 4:
      case 5:
        return GrabEdit{body(), {number(-0.5, 0.5), 0, 0}, place()};
      case 6:
        return DragEdit{place()};
      case 7:
        return ReleaseEdit{};
      case 8:
        return ThrowEdit{place(), {number(-20, 20), number(-20, 20), 0}, number(0.1, 0.4), 2000};
      case 9: {
        const char* shapes[] = {"box", "sphere", "capsule", "cylinder", "hull", "teapot"};
        return AddEdit{shapes[whole(0, 5)], place() + Vec3(0, 0, 3), number(0.2, 0.6)};
      }
      case 10:
        return whole(0, 1) ? Edit{PinEdit{body()}} : Edit{UnpinEdit{body()}};
      default:
        return DeleteEdit{body()};
    }
  }

 private:
  std::mt19937 random_;
};

}  // namespace cairn
