// A scene in MuJoCo's own language, MJCF.
#pragma once

#include <string>
#include <vector>

#include "engine.hpp"

namespace cairn::bench {

inline constexpr int kMujocoSteps = 8;  // in each of kTimeStep

// How the bodies hang together: MuJoCo's way to write joints is a tree of bodies, in which joints cannot open.
struct JointTree {
  static constexpr std::size_t kWorld = static_cast<std::size_t>(-1);
  struct Node {
    std::size_t parent = kWorld;
    const BenchScene::Joint* joint = nullptr;  // to the parent; null: the body is free
    bool childIsB = true;                      // which of the joint's two bodies this one is
    std::vector<std::size_t> children;
  };
  std::vector<Node> nodes;         // one for each body of the scene
  std::vector<std::size_t> roots;  // dynamic bodies that are free or hang on the world
  std::string problem;             // why there is no such tree; empty if there is
};
JointTree jointTree(const BenchScene& scene);

// How many contacts and rows of constraints MuJoCo sets aside. It keeps the rows as dense matrices in one buffer whose size
// is an int: past 2 GiB there is no model.
struct MujocoSize {
  int contacts = 0;
  int rows = 0;
};
inline constexpr double kMostMujocoBytes = 0.9 * 2147483648.0;
double mujocoBytes(int dynamicBodies, const MujocoSize& size);
// As much as pays, as little as must be; no contacts at all if the scene is too large.
MujocoSize mujocoSize(int dynamicBodies);
int mostMujocoBodies();  // that a scene may have

// The model of the bodies in `present`, free ones at the given poses.
std::string mujocoXml(const BenchScene& scene, const JointTree& tree, const std::vector<bool>& present,
                      const std::vector<Pose>& poses, const MujocoSize& size);
std::string mujocoName(std::size_t body);  // of a body in the model

}  // namespace cairn::bench
