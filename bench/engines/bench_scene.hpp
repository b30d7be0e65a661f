// A scene as every engine gets it: the bodies of the gallery's model, with their masses worked out once for all engines.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cairn/body.hpp"
#include "scene/scene_model.hpp"

namespace cairn::bench {

inline constexpr double kTimeStep = 1.0 / 60.0;  // s, of every engine and scene

struct BenchBody {
  const SceneBody* scene = nullptr;
  MassProperties mass{};         // of a dynamic body, in its own frame
  Vec3 moments = Vec3::Zero();   // kg m^2, principal
  Quat axes = Quat::Identity();  // of those moments, in the body's frame
  const BodyDesc& desc() const { return scene->desc; }
  bool isDynamic() const { return desc().kind == BodyKind::Dynamic; }
  // The frame that some engines want: origin in the centre of mass, axes along the principal axes; in the body's frame.
  Pose massFrame() const { return {mass.center, axes}; }
};

struct BenchScene {
  explicit BenchScene(SceneModel model);  // throws SceneError if the scene cannot be built
  BenchScene(const BenchScene&) = delete;
  BenchScene& operator=(const BenchScene&) = delete;

  SceneModel model;
  std::vector<BenchBody> bodies;  // as in the model
  std::size_t bodyNamed(const std::string& name) const;
  int dynamicCount() const;
  // Those that joints hold on to, by index into `bodies`.
  struct Joint {
    std::size_t a, b;
    const JointDesc* desc;
  };
  std::vector<Joint> joints;
};

// What an engine other than Cairn has no equal for, in words that follow "it does not take"; empty if there is nothing.
// Engines may refuse more of their own.
std::string whatOnlyCairnTakes(const BenchScene& scene);

// The coefficient that all shapes share; none if there are several.
std::optional<double> commonFriction(const BenchScene& scene);

}  // namespace cairn::bench
