// The colours of bodies: siblings by name alike, families apart. Shared by pictures, the lab and its replay files.
#pragma once

#include <Eigen/Core>
#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "cairn/shape.hpp"

namespace cairn {

using Vec3f = Eigen::Vector3f;

// Remembers which families have which colour, so that bodies that come later are told apart from those that were there.
class Palette {
 public:
  static constexpr std::size_t kColours = 10;

  Vec3f colourOf(std::string_view name, const Geometry& firstShape);  // linear, 0 to 1

 private:
  std::map<std::string, std::size_t, std::less<>> entries_;
  std::array<bool, kColours> taken_{};
};

Vec3f staticColour();  // linear, of everything that never moves

// The part of a body's name that it shares with its siblings: "brick" of "brick.3.17", "box" of "box 12".
std::string_view nameFamily(std::string_view name);
float linearFromSrgb(float value);
Vec3f linearFromHex(unsigned hex);
std::string hexFromLinear(const Vec3f& colour);  // "#c08a5a", sRGB

}  // namespace cairn
