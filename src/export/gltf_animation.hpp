// The motion of a run as a glTF 2.0 animation, which Blender, three.js and most others open.
//
// A node for each body under a root that turns the scene's up into glTF's y; a mesh for each distinct shape and colour;
// translations and rotations as linear tracks; bodies that appear later are scaled to nothing until then. Positions are
// relative to the scene's origin: single precision would be too coarse for a scene that is far from the world's own.
#pragma once

#include <string>
#include <vector>

#include "export/key_track.hpp"
#include "export/moment.hpp"
#include "export/scene_description.hpp"

namespace cairn {

inline constexpr double kGltfRotationTolerance = 1e-4;  // rad; positions: motionResolution()

class GltfAnimation {
 public:
  explicit GltfAnimation(const SceneDescription& scene);

  void add(const Moment& moment);
  std::string finish(bool binary);  // a .glb, or a .gltf with everything inside; nothing may be added after

 private:
  struct BodyTracks {
    KeyTrack<PositionTrait> positions;
    KeyTrack<RotationTrait> rotations;
    bool isThere = false;
    double appears = 0.0;  // s
  };
  SceneDescription scene_;
  std::vector<BodyTracks> tracks_;  // by body; static ones stay as they are described
  double start_ = 0.0;              // s, of the first moment
  bool hasStarted_ = false;
};

}  // namespace cairn
