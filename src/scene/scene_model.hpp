// A scene as plain data: what a file or a builder describes, complete and checked, before any World exists.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "cairn/body.hpp"
#include "cairn/joint.hpp"
#include "cairn/settings.hpp"
#include "cairn/shape.hpp"
#include "scene/scene_error.hpp"

namespace cairn {

inline constexpr double kDefaultTimeStep = 1.0 / 60.0;  // s
inline constexpr double kDefaultSeconds = 10.0;         // s
inline constexpr double kMaximumSeconds = 1e6;          // s, of a run
inline constexpr std::size_t kMaximumBodies = 1000000;  // in one scene, after patterns
inline constexpr double kMaximumParts = 2e7;            // shapes and hull points in one scene, after patterns

// Joints may name this in place of a body: an immovable anchor.
inline constexpr std::string_view kWorldBodyName = "world";
inline constexpr std::size_t kNoOrigin = static_cast<std::size_t>(-1);

struct SceneBody {
  BodyDesc desc;
  double appear = 0.0;             // s, when it enters the world
  std::size_t origin = kNoOrigin;  // index into SceneModel::origins
};

struct SceneJoint {
  JointDesc desc;  // its bodies are named below; desc.a and desc.b are not set
  std::string a;   // a body's name, or kWorldBodyName
  std::string b;
  std::size_t origin = kNoOrigin;
};

struct SceneParameter {
  std::string name;
  double value = 0.0;  // in a builder's list: the default
  double least = -std::numeric_limits<double>::infinity();
  double most = std::numeric_limits<double>::infinity();
  std::string unit = {};
  std::string what = {};
  bool whole = false;  // whole numbers only
};

struct SceneModel {
  std::string name;
  std::string title;
  std::string description;
  WorldSettings settings;
  double dt = kDefaultTimeStep;      // s
  double seconds = kDefaultSeconds;  // s
  bool stands = false;               // what rests at the start should still be there at the end
  std::map<std::string, Material> materials;
  std::vector<SceneParameter> parameters;  // with the values used
  std::vector<SceneBody> bodies;           // in the order they are added to a world
  std::vector<SceneJoint> joints;
  std::vector<SourcePlace> origins;
};

}  // namespace cairn
