// The scene as files that outlive the run keep it: the lab's description (docs/lab-protocol.md, "scene") with every body
// that ever appears. As JSON, which goes into the files as it is, and read back into what writers need.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "cairn/body.hpp"
#include "cairn/shape.hpp"
#include "scene/scene_run.hpp"

namespace cairn {

// The JSON is not a description; the message says where, what was found and what is allowed.
class DescriptionError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct DescribedShape {
  Geometry geometry;
  Pose local;  // in the body's frame
};

struct DescribedBody {
  std::uint32_t slot = 0;  // by which motions refer to it
  std::string name{};
  BodyKind kind = BodyKind::Dynamic;
  unsigned colour = 0;         // sRGB, 0xRRGGBB
  double mass = 0.0;           // kg; infinity is told as 0
  Vec3 center = Vec3::Zero();  // m: centre of mass in the body's frame
  Pose pose{};                 // at first, relative to the scene's origin
  std::vector<DescribedShape> shapes{};
};

struct SceneDescription {
  std::string json;
  std::string name{}, title{};
  Vec3 origin = Vec3::Zero();           // m: what positions of the description are relative to
  Vec3 up = Vec3::UnitZ();              // unit, against gravity
  double radius = 1.0;                  // m, around the origin: what one wants to see
  std::vector<DescribedBody> bodies{};  // in the scene's order
};

SceneDescription describeWhole(const SceneRun& run);  // before its first step
SceneDescription readDescription(std::string json);   // throws DescriptionError

}  // namespace cairn
