#include "export/gltf_animation.hpp"

#include "export/gltf_model.hpp"
#include "export/motion_stream.hpp"

namespace cairn {
namespace {

constexpr double kPlaneRadii = 5.0;  // of the scene: half the side of the square that stands for an endless plane

std::vector<double> toList(const Vec3& v) { return {v.x(), v.y(), v.z()}; }
std::vector<double> toList(const Quat& q) { return {q.x(), q.y(), q.z(), q.w()}; }

template <class Track>
void addTrack(GltfModel& model, tinygltf::Animation& animation, int node, const char* path, const Track& track) {
  if (track.keys().size() < 2) return;
  std::vector<float> times, values;
  for (const auto& key : track.keys()) {
    times.push_back(key.time);
    for (const double number : toList(key.value)) values.push_back(static_cast<float>(number));
  }
  const int width = static_cast<int>(values.size() / times.size());
  const int input = model.addKeys(times, 1);
  model.addChannel(animation, node, path, input, model.addKeys(values, width), "LINEAR");
}

int addBodyNode(GltfModel& model, const SceneDescription& scene, const DescribedBody& body, const Pose& pose) {
  tinygltf::Node node;
  node.name = body.name;
  node.translation = toList(pose.position);
  node.rotation = toList(pose.rotation);
  for (const DescribedShape& shape : body.shapes) {
    const Vec3 below = (pose * shape.local).inversePoint(Vec3::Zero());  // the scene's origin in the shape's frame
    tinygltf::Node part;
    part.mesh = model.mesh(shape.geometry, body.colour, below, kPlaneRadii * scene.radius);
    if (part.mesh < 0) continue;
    part.translation = toList(shape.local.position);
    part.rotation = toList(shape.local.rotation);
    node.children.push_back(model.addNode(std::move(part)));
  }
  return model.addNode(std::move(node));
}

}  // namespace

GltfAnimation::GltfAnimation(const SceneDescription& scene) : scene_(scene) {
  const double tolerance = motionResolution(scene.radius);
  tracks_.assign(scene.bodies.size(), {KeyTrack<PositionTrait>(tolerance), KeyTrack<RotationTrait>(kGltfRotationTolerance)});
}

void GltfAnimation::add(const Moment& moment) {
  if (!hasStarted_) start_ = moment.time;
  hasStarted_ = true;
  for (std::size_t i = 0; i < tracks_.size(); ++i) {
    const BodyState& state = moment.bodies[i];
    if (scene_.bodies[i].kind == BodyKind::Static || !Moment::isThere(state)) continue;
    BodyTracks& body = tracks_[i];
    if (!body.isThere) body.appears = moment.time;
    body.isThere = true;
    body.positions.add(moment.time, state.pose.position - scene_.origin);
    body.rotations.add(moment.time, state.pose.rotation.normalized());
  }
}

std::string GltfAnimation::finish(bool binary) {
  GltfModel model;
  tinygltf::Animation animation;
  animation.name = scene_.name;
  tinygltf::Node root;
  root.name = scene_.name;
  root.rotation = toList(Quat::FromTwoVectors(scene_.up, Vec3::UnitY()));
  for (std::size_t i = 0; i < tracks_.size(); ++i) {
    const DescribedBody& body = scene_.bodies[i];
    BodyTracks& tracks = tracks_[i];
    tracks.positions.finish();
    tracks.rotations.finish();
    const bool moves = body.kind != BodyKind::Static;
    const Pose pose = moves && tracks.isThere
                          ? Pose{tracks.positions.keys().front().value, tracks.rotations.keys().front().value}
                          : body.pose;
    const int node = addBodyNode(model, scene_, body, pose);
    root.children.push_back(node);
    if (moves && !tracks.isThere) model.model().nodes[node].scale = {0.0, 0.0, 0.0};  // it never came
    if (!moves || !tracks.isThere) continue;
    addTrack(model, animation, node, "translation", tracks.positions);
    addTrack(model, animation, node, "rotation", tracks.rotations);
    const auto from = static_cast<float>(start_), to = static_cast<float>(tracks.appears);
    if (to > from)
      model.addChannel(animation, node, "scale", model.addKeys({from, to}, 1), model.addKeys({0, 0, 0, 1, 1, 1}, 3), "STEP");
  }
  tinygltf::Scene scene;
  scene.name = scene_.title;
  scene.nodes = {model.addNode(std::move(root))};
  model.model().scenes = {std::move(scene)};
  model.model().defaultScene = 0;
  if (!animation.channels.empty()) model.model().animations = {std::move(animation)};
  return model.write(binary);
}

}  // namespace cairn
