// MuJoCo at its defaults: Newton's method to a tolerance of 1e-8, pyramidal cones, semi-implicit Euler, soft contacts
// (solref 0.02 s, which it raises to twice the time step by itself). What is set, and why:
// - a step of 1/60 s is eight of MuJoCo's, which makes them 2.08 ms: its own default is 2 ms, and in one step of 1/60 s even
//   a stack of ten boxes falls;
// - joints make a tree, which is how its users write them: in generalised coordinates they cannot open;
// - room for contacts, which version 2.2 wants to know beforehand.
// MuJoCo cannot add bodies to a model: when one appears a new model is made from the state of the old one, outside of what
// is timed. A step has one thread.
#include <fmt/format.h>
#include <mujoco/mujoco.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "mujoco_model.hpp"

namespace cairn::bench {
namespace {

struct FreeModel {
  void operator()(mjModel* model) const { mj_deleteModel(model); }
};
struct FreeData {
  void operator()(mjData* data) const { mj_deleteData(data); }
};

// MuJoCo writes a log into the current folder, and ends the program, unless told otherwise.
void listen() {
  mju_user_warning = [](const char*) {};  // what matters is in mjData::warning
  mju_user_error = [](const char* message) {
    std::fprintf(stderr, "cairn-bench: MuJoCo gave up: %s\n", message);
    std::exit(1);
  };
}

class MujocoEngine : public Engine {
 public:
  explicit MujocoEngine(const BenchScene& scene)
      : scene_(scene),
        tree_(jointTree(scene)),
        size_(mujocoSize(scene.dynamicCount())),
        present_(scene.bodies.size()),
        ids_(scene.bodies.size(), -1) {
    listen();
    for (const BenchBody& body : scene.bodies) {
      const BodyDesc& desc = body.desc();
      present_[start_.size()] = body.scene->appear <= 0.0;
      start_.push_back({desc.pose, desc.pose.point(body.mass.center), desc.linearVelocity, desc.angularVelocity});
    }
    build(start_);
  }

  std::string settings() const override {
    const mjOption& option = model_->opt;
    return fmt::format(
        "{} calls of mj_step, {} solver, at most {} iterations to {:.0e}, {} cones, semi-implicit Euler, default solref and "
        "solimp, joints as a tree, double precision",
        kMujocoSteps, option.solver == mjSOL_NEWTON ? "Newton" : "other", option.iterations, option.tolerance,
        option.cone == mjCONE_PYRAMIDAL ? "pyramidal" : "elliptic");
  }

  void add(std::size_t index) override {
    std::vector<BodyState> now = start_;
    for (std::size_t i = 0; i < now.size(); ++i)
      if (ids_[i] >= 0) now[i] = state(i);
    present_[index] = true;
    build(now);
  }

  void step() override {
    for (int i = 0; i < kMujocoSteps; ++i) mj_step(model_.get(), data_.get());
    fresh_ = false;
  }

  BodyState state(std::size_t index) const override {
    BodyState state;
    if (gaveUp()) {
      state.center.setConstant(std::numeric_limits<double>::quiet_NaN());
      state.pose.position = state.linearVelocity = state.angularVelocity = state.center;
      return state;
    }
    // After a step the places are still those of its start.
    if (!fresh_) {
      mj_kinematics(model_.get(), data_.get());
      mj_comPos(model_.get(), data_.get());
      mj_comVel(model_.get(), data_.get());
      fresh_ = true;
    }
    const int id = ids_[index];
    const mjtNum* q = data_->xquat + 4 * id;
    state.pose = {Eigen::Map<const Vec3>(data_->xpos + 3 * id), Quat(q[0], q[1], q[2], q[3]).normalized()};
    state.center = Eigen::Map<const Vec3>(data_->xipos + 3 * id);
    mjtNum velocity[6];
    mj_objectVelocity(model_.get(), data_.get(), mjOBJ_BODY, id, velocity, 0);
    state.angularVelocity = Eigen::Map<const Vec3>(velocity);
    state.linearVelocity = Eigen::Map<const Vec3>(velocity + 3);
    return state;
  }

  MassProperties massProperties(std::size_t index) const override {
    const int id = ids_[index];
    const mjtNum* q = model_->body_iquat + 4 * id;
    const Mat3 axes = Quat(q[0], q[1], q[2], q[3]).toRotationMatrix();
    const Vec3 moments = Eigen::Map<const Vec3>(model_->body_inertia + 3 * id);
    return {model_->body_mass[id], Eigen::Map<const Vec3>(model_->body_ipos + 3 * id),
            axes * moments.asDiagonal() * axes.transpose()};
  }

  std::string failure() const override {
    const bool full = data_->warning[mjWARN_CONTACTFULL].number > 0 || data_->warning[mjWARN_CNSTRFULL].number > 0;
    return full ? "there were more contacts than MuJoCo has room for" : "";
  }

 private:
  // A state that is not finite makes MuJoCo start over from the beginning, which must not pass for standing still.
  bool gaveUp() const {
    for (const int bad : {mjWARN_BADQPOS, mjWARN_BADQVEL, mjWARN_BADQACC})
      if (data_->warning[bad].number > 0) return true;
    return false;
  }

  void build(const std::vector<BodyState>& states) {
    std::vector<Pose> poses;
    for (const BodyState& state : states) poses.push_back(state.pose);
    const std::string xml = mujocoXml(scene_, tree_, present_, poses, size_);
    const auto files = std::make_unique<mjVFS>();
    mj_defaultVFS(files.get());
    mj_makeEmptyFileVFS(files.get(), "scene.xml", static_cast<int>(xml.size()));
    std::memcpy(files->filedata[mj_findFileVFS(files.get(), "scene.xml")], xml.data(), xml.size());
    char message[1000] = "";
    model_.reset(mj_loadXML("scene.xml", files.get(), message, sizeof message));
    mj_deleteVFS(files.get());
    if (!model_) throw std::runtime_error(fmt::format("MuJoCo does not read scene {}: {}", scene_.model.name, message));
    data_.reset(mj_makeData(model_.get()));
    for (std::size_t i = 0; i < ids_.size(); ++i) {
      ids_[i] = -1;
      if (!present_[i] || !scene_.bodies[i].isDynamic()) continue;
      ids_[i] = mj_name2id(model_.get(), mjOBJ_BODY, mujocoName(i).c_str());
      if (tree_.nodes[i].joint == nullptr) setVelocity(i, states[i]);
    }
    fresh_ = false;
  }

  // A free joint's velocity: of the body's origin in world axes, then the rotation in the body's axes.
  void setVelocity(std::size_t index, const BodyState& state) {
    mjtNum* velocity = data_->qvel + model_->body_dofadr[ids_[index]];
    const Vec3 origin = state.linearVelocity + state.angularVelocity.cross(state.pose.position - state.center);
    Eigen::Map<Vec3> linear(velocity), angular(velocity + 3);
    linear = origin;
    angular = state.pose.inverseDirection(state.angularVelocity);
  }

  const BenchScene& scene_;
  JointTree tree_;
  MujocoSize size_;
  std::vector<bool> present_;
  std::vector<BodyState> start_;
  std::vector<int> ids_;  // in the model; -1: not there, or not dynamic
  std::unique_ptr<mjModel, FreeModel> model_;
  std::unique_ptr<mjData, FreeData> data_;
  mutable bool fresh_ = false;
};

std::string refusal(const BenchScene& scene, int threads) {
  if (threads > 1) return "a step of MuJoCo has one thread";
  if (const std::string what = whatOnlyCairnTakes(scene); !what.empty()) return "it does not take " + what;
  if (!commonFriction(scene)) return "it takes the larger friction of a pair, where the scene means the geometric mean";
  const JointTree tree = jointTree(scene);
  if (!tree.problem.empty()) return "its trees do not take " + tree.problem;
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
    const BodyDesc& desc = scene.bodies[i].desc();
    const bool moves = !desc.linearVelocity.isZero(0.0) || !desc.angularVelocity.isZero(0.0);
    if (tree.nodes[i].joint && moves) return fmt::format("\"{}\" has a joint and a velocity of its own", desc.name);
    if (scene.bodies[i].scene->appear > 0.0 && !scene.joints.empty())
      return "it does not take bodies that join a tree later";
  }
  for (const BenchScene::Joint& joint : scene.joints) {
    if (std::holds_alternative<DistanceJoint>(joint.desc->kind)) return "it has no joint that holds a distance";
  }
  if (mujocoSize(scene.dynamicCount()).contacts == 0)
    return fmt::format(
        "MuJoCo 2.2 keeps its constraints as dense matrices in one buffer of at most 2 GiB, which is enough for {} bodies "
        "with 8 contacts each",
        mostMujocoBodies());
  return {};
}

}  // namespace

EngineKind mujocoEngine() {
  return {
      .name = "mujoco",
      .version = mj_versionString(),
      .refusal = refusal,
      .make = [](const BenchScene& scene, int) -> std::unique_ptr<Engine> { return std::make_unique<MujocoEngine>(scene); }};
}

}  // namespace cairn::bench
