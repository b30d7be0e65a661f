// A picture of a mesh or of its convex parts: from the front, right and above, by parallel light rays.
#pragma once

#include <vector>

#include "geometry/triangle_tree.hpp"
#include "picture/picture.hpp"

namespace cairn {

struct PictureSurface {
  TriangleView view;
  std::vector<std::uint32_t> colour;  // by triangle; 0: grey, others are told apart
};

// Fronts are lit, backs are dark red: what is inside out, or seen through a hole, shows.
Image drawSurface(const PictureSurface& surface, int width, int height);

}  // namespace cairn
