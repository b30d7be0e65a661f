// What a page is told about a world so that it can draw it: docs/lab-protocol.md, "scene" and "bodies".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "cairn/world.hpp"
#include "picture/palette.hpp"
#include "picture/picture_mesh.hpp"
#include "scene/json_text.hpp"
#include "scene/scene_model.hpp"

namespace cairn {

// Where a viewer looks. Chosen once for a scene: every position that a page gets is relative to this origin, so that single
// precision is enough for a scene that is far from the world's own.
struct SceneView {
  Vec3 origin = Vec3::Zero();  // m
  Vec3 up = Vec3::UnitZ();     // against gravity
  double radius = 1.0;         // m, of a ball around the origin that holds what one wants to see
};
SceneView sceneView(const World& world);

// Settings as they hold now, with what was put over all surfaces.
struct LabSettings {
  WorldSettings world;
  double dt = kDefaultTimeStep;       // s
  std::optional<double> friction;     // none: each surface has its own
  std::optional<double> restitution;  // likewise
};
// The object that the protocol calls SETTINGS.
void describeSettings(CompactJson& out, std::string_view name, const LabSettings& settings);

// Writes bodies; remembers colours, and which hulls have been written, so that equal ones are written once.
class BodyDescriber {
 public:
  explicit BodyDescriber(const SceneView& view) : origin_(view.origin) {}

  // An item of a list of bodies. `appears` is the frame of a replay in which a later body comes. Nothing if the body is
  // gone.
  void describe(CompactJson& out, const World& world, BodyId body, std::optional<long> appears = std::nullopt);
  // A body that was written may be gone by the time a hull refers to it; from here on hulls are written whole.
  void writeHullsWhole() { hulls_.clear(), hullsAreShared_ = false; }

 private:
  struct WrittenHull {
    std::uint32_t slot;
    std::size_t shape;
    std::vector<Vec3> points;
  };
  void describeShape(CompactJson& out, const ShapeDesc& shape, std::uint32_t slot, std::size_t index);
  void describeHull(CompactJson& out, const ConvexHull& hull, std::uint32_t slot, std::size_t index);
  void describeTriangles(CompactJson& out, const Geometry& geometry, std::uint32_t slot, std::size_t index);
  static void writeTriangles(CompactJson& out, const Mesh& mesh);

  Vec3 origin_;
  Palette palette_;
  bool hullsAreShared_ = true;
  std::unordered_map<std::uint64_t, std::vector<WrittenHull>> hulls_;  // by a hash of their points
};

// The members of a "scene" message from "name" to "settings", without its bodies: call within an object.
void describeScene(CompactJson& out, const SceneModel& model, const SceneView& view, const LabSettings& settings);
// A whole "scene" message.
std::string sceneMessage(long epoch, const SceneModel& model, const SceneView& view, const LabSettings& settings,
                         const World& world, BodyDescriber& bodies);

void describeVector(CompactJson& out, std::string_view name, const Vec3& vector);
void describeQuaternion(CompactJson& out, std::string_view name, const Quat& rotation);  // x, y, z, w

}  // namespace cairn
