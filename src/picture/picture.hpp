// A still picture of a world, drawn without a graphics card: for the README, the documents and `cairn run --picture`.
//
// Everything is drawn by one thread in one order from double-precision positions, so that the same world gives the same
// bytes. The steps: choose a camera (picture_camera), cover the samples with faces (picture_raster, picture_mesh), light
// each visible face of each pixel (picture_light), colour and blend (picture_shade).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cairn/world.hpp"

namespace cairn {

inline constexpr int kLargestPictureSide = 8192;       // pixels
inline constexpr int kMostPicturePixels = 36'000'000;  // drawing takes about 200 bytes each

// What a picture is about: a ball around a point, which light, grid and haze are measured by.
struct PictureStage {
  Vec3 origin = Vec3::Zero();  // m, world
  double radius = 1.0;         // m
};

struct PictureOptions {
  int width = 1600;  // pixels
  int height = 900;  // pixels
  // m, world. Unset: a three-quarter view from slightly above that has every body that can move in frame (but for a few
  // that flew far away from all others).
  std::optional<Vec3> eye = std::nullopt;
  std::optional<Vec3> target = std::nullopt;
  double verticalFieldOfViewDeg = 35.0;
  // Unset: chosen from the world as it is. Pictures of one video share it, so that nothing jumps.
  std::optional<PictureStage> stage = std::nullopt;
};

struct Image {
  int width = 0;
  int height = 0;
  std::vector<std::uint8_t> rgb;  // sRGB, rows from the top
};

// Throws std::invalid_argument, naming the option, if an option makes no sense.
Image renderPicture(const World& world, const PictureOptions& options = {});

std::string encodePng(const Image& image);
void writePng(const Image& image, const std::string& path);  // throws std::runtime_error that names the path

}  // namespace cairn
