// Forward dynamics without contact, side by side with MuJoCo and DART: the same model, the same state, the same steps of
// semi-implicit Euler, in one run. Links that are fixed to each other are one body in all three.
//
//   bench_articulations [ROBOT.json ...]     files of the reference set; a chain of 100 links is always there
//
// Motions are compared too: an engine that did something else would not be a comparison.
#include <mujoco/mujoco.h>

#include <chrono>
#include <cstdio>
#include <cstring>
#include <dart/dynamics/FreeJoint.hpp>
#include <dart/dynamics/PrismaticJoint.hpp>
#include <dart/dynamics/RevoluteJoint.hpp>
#include <dart/dynamics/Skeleton.hpp>

#include "articulation/data.hpp"
#include "articulation/robot.hpp"

namespace {

using namespace cairn;

constexpr double kStep = 1e-4;    // s
constexpr int kCompared = 100;    // steps after which motions are compared
constexpr double kSeconds = 1.0;  // of each measurement; the best of kRounds
constexpr int kRounds = 3;

struct Case {
  std::string name;
  ArticulationDesc desc;
  Vector q, v;
};

Case chain() {
  Case out{"chain of 100", {}, Vector::Zero(100), Vector::Zero(100)};
  for (int i = 0; i < 100; ++i) {
    LinkDesc link;
    link.parent = i - 1;
    if (i > 0) link.placement.position = {0.0, 0.0, -0.1};
    link.axis = i % 2 == 0 ? Vec3(Vec3::UnitY()) : Vec3(Vec3::UnitX());
    MassProperties rod;
    rod.mass = 0.1;
    rod.center = {0.0, 0.0, -0.05};
    rod.inertia = Vec3(1e-4, 1e-4, 1e-5).asDiagonal();
    link.massProperties = rod;
    out.desc.links.push_back(link);
    out.q[i] = 0.05 * ((i * 7) % 5 - 2);
  }
  return out;
}

Mat3 inertiaAtCenter(const ArticulationNode& node, const Vec3& center) {
  return node.inertia - pointInertia(node.mass, center).full();
}

// A body for each node, joints along z as the nodes have them.
std::string mjcf(const ArticulationModel& model) {
  std::string xml =
      "<mujoco><compiler angle=\"radian\" inertiafromgeom=\"false\" balanceinertia=\"false\" boundmass=\"0\"/>"
      "<option timestep=\"1e-4\"><flag contact=\"disable\" constraint=\"disable\"/></option><size nconmax=\"1\" "
      "njmax=\"1\"/>"
      "<worldbody>";
  char text[1024];
  std::vector<int> open;
  const auto& nodes = model.nodes();
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const ArticulationNode& node = nodes[i];
    while (!open.empty() && open.back() != node.parent) open.pop_back(), xml += "</body>";
    const Quat turn(node.turn);
    std::snprintf(text, sizeof text, "<body pos=\"%.17g %.17g %.17g\" quat=\"%.17g %.17g %.17g %.17g\">", node.place.x(),
                  node.place.y(), node.place.z(), turn.w(), turn.x(), turn.y(), turn.z());
    xml += text;
    const Vec3 center = node.moment / node.mass;
    const Mat3 inertia = inertiaAtCenter(node, center);
    std::snprintf(text, sizeof text,
                  "<inertial pos=\"%.17g %.17g %.17g\" mass=\"%.17g\" fullinertia=\"%.17g %.17g %.17g %.17g %.17g %.17g\"/>",
                  center.x(), center.y(), center.z(), node.mass, inertia(0, 0), inertia(1, 1), inertia(2, 2), inertia(0, 1),
                  inertia(0, 2), inertia(1, 2));
    xml += text;
    if (node.kind == NodeKind::Free) {
      xml += "<joint type=\"free\"/>";
    } else {
      std::snprintf(text, sizeof text, "<joint type=\"%s\" axis=\"0 0 1\" armature=\"%.17g\"/>",
                    node.kind == NodeKind::Revolute ? "hinge" : "slide", model.armature(node.v));
      xml += text;
    }
    open.push_back(static_cast<int>(i));
  }
  for (std::size_t i = 0; i < open.size(); ++i) xml += "</body>";
  return xml + "</worldbody></mujoco>";
}

// The same as URDF, which is a flat list: MuJoCo's reader of XML does not nest as deep as a long chain.
std::string urdf(const ArticulationModel& model) {
  std::string xml =
      "<robot name=\"chain\"><mujoco><compiler balanceinertia=\"false\" boundmass=\"0\"/></mujoco><link name=\"w\"/>";
  char text[1024];
  const auto name = [](int node) { return node < 0 ? std::string("w") : "l" + std::to_string(node); };
  for (std::size_t i = 0; i < model.nodes().size(); ++i) {
    const ArticulationNode& node = model.nodes()[i];
    const Vec3 center = node.moment / node.mass, turns = node.turn.eulerAngles(2, 1, 0);
    const Mat3 inertia = inertiaAtCenter(node, center);
    std::snprintf(
        text, sizeof text,
        "<link name=\"l%d\"><inertial><origin xyz=\"%.17g %.17g %.17g\"/><mass value=\"%.17g\"/><inertia ixx=\"%.17g\" "
        "iyy=\"%.17g\" izz=\"%.17g\" ixy=\"%.17g\" ixz=\"%.17g\" iyz=\"%.17g\"/></inertial></link>",
        static_cast<int>(i), center.x(), center.y(), center.z(), node.mass, inertia(0, 0), inertia(1, 1), inertia(2, 2),
        inertia(0, 1), inertia(0, 2), inertia(1, 2));
    xml += text;
    std::snprintf(text, sizeof text,
                  "<joint name=\"j%d\" type=\"continuous\"><parent link=\"%s\"/><child link=\"l%d\"/><axis xyz=\"0 0 1\"/>"
                  "<origin xyz=\"%.17g %.17g %.17g\" rpy=\"%.17g %.17g %.17g\"/></joint>",
                  static_cast<int>(i), name(node.parent).c_str(), static_cast<int>(i), node.place.x(), node.place.y(),
                  node.place.z(), turns[2], turns[1], turns[0]);
    xml += text;
  }
  return xml + "</robot>";
}

// Steps a second: `step` is called until time is over.
template <class Reset, class Step>
double rate(Reset&& reset, Step&& step) {
  double best = 0.0;
  for (int round = 0; round < kRounds; ++round) {
    reset();
    long steps = 0;
    double elapsed = 0.0;
    const auto start = std::chrono::steady_clock::now();
    while (elapsed < kSeconds) {
      for (int i = 0; i < 100; ++i) step();
      steps += 100;
      if (steps % 2000 == 0) reset();  // so that nothing runs away
      elapsed = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    }
    best = std::max(best, static_cast<double>(steps) / elapsed);
  }
  return best;
}

dart::dynamics::SkeletonPtr dartSkeleton(const ArticulationModel& model) {
  auto skeleton = dart::dynamics::Skeleton::create("s");
  std::vector<dart::dynamics::BodyNode*> bodies;
  for (const ArticulationNode& node : model.nodes()) {
    dart::dynamics::BodyNode* parent = node.parent < 0 ? nullptr : bodies[static_cast<std::size_t>(node.parent)];
    dart::dynamics::BodyNode::Properties body;
    body.mName = "b" + std::to_string(bodies.size());
    const std::string jointName = "j" + std::to_string(bodies.size());
    const Vec3 center = node.moment / node.mass;
    body.mInertia = dart::dynamics::Inertia(node.mass, center, inertiaAtCenter(node, center));
    Eigen::Isometry3d place = Eigen::Isometry3d::Identity();
    place.linear() = node.turn;
    place.translation() = node.place;
    if (node.kind == NodeKind::Free) {
      bodies.push_back(skeleton->createJointAndBodyNodePair<dart::dynamics::FreeJoint>(parent, {}, body).second);
    } else if (node.kind == NodeKind::Revolute) {
      dart::dynamics::RevoluteJoint::Properties joint;
      joint.mName = jointName;
      joint.mAxis = Vec3::UnitZ();
      joint.mT_ParentBodyToJoint = place;
      bodies.push_back(skeleton->createJointAndBodyNodePair<dart::dynamics::RevoluteJoint>(parent, joint, body).second);
    } else {
      dart::dynamics::PrismaticJoint::Properties joint;
      joint.mName = jointName;
      joint.mAxis = Vec3::UnitZ();
      joint.mT_ParentBodyToJoint = place;
      bodies.push_back(skeleton->createJointAndBodyNodePair<dart::dynamics::PrismaticJoint>(parent, joint, body).second);
    }
  }
  skeleton->setGravity(Vec3(0.0, 0.0, -9.81));
  skeleton->setTimeStep(kStep);
  return skeleton;
}

void compare(const Case& one) {
  const ArticulationModel model(one.desc);
  Articulation a(one.desc);
  const Vector none = Vector::Zero(a.degrees());
  const auto reset = [&] { a.setState(one.q, one.v); };
  const auto step = [&] { a.step(kStep, none, ArticulationIntegrator::SemiImplicit); };
  reset();
  for (int i = 0; i < kCompared; ++i) step();
  const Vector reached = a.q();
  const double cairnRate = rate(reset, step);

  const std::string xml = model.nodes().size() > 90 ? urdf(model) : mjcf(model);
  static mjVFS files;
  mj_defaultVFS(&files);
  mj_makeEmptyFileVFS(&files, "model.xml", static_cast<int>(xml.size()) + 1);
  std::memcpy(files.filedata[0], xml.c_str(), xml.size() + 1);
  char error[1000] = "";
  mjModel* m = mj_loadXML("model.xml", &files, error, sizeof error);
  mj_deleteVFS(&files);
  if (m == nullptr) {
    std::printf("%s: MuJoCo: %s\n", one.name.c_str(), error);
    return;
  }
  m->opt.timestep = kStep;
  m->opt.disableflags |= mjDSBL_CONTACT | mjDSBL_CONSTRAINT;
  mjData* d = mj_makeData(m);
  const auto resetMujoco = [&] {
    mj_resetData(m, d);
    for (int i = 0; i < m->nq; ++i) d->qpos[i] = one.q[i];
    for (int i = 0; i < m->nv; ++i) d->qvel[i] = one.v[i];
  };
  resetMujoco();
  for (int i = 0; i < kCompared; ++i) mj_step(m, d);
  const double mujocoOff = (Eigen::Map<Vector>(d->qpos, m->nq) - reached).cwiseAbs().maxCoeff();
  const double mujocoRate = rate(resetMujoco, [&] { mj_step(m, d); });
  mj_deleteData(d);
  mj_deleteModel(m);

  const auto skeleton = dartSkeleton(model);
  Vector q = Vector::Zero(a.degrees()), v = one.v;
  for (const ArticulationNode& node : model.nodes()) {
    if (node.kind == NodeKind::Free) {
      // Rotation vector and position; the velocity is the body's twist, angular first.
      const Quat turn(one.q[node.q + 3], one.q[node.q + 4], one.q[node.q + 5], one.q[node.q + 6]);
      Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();
      pose.linear() = turn.toRotationMatrix();
      pose.translation() = one.q.segment<3>(node.q);
      q.segment<6>(node.v) = dart::dynamics::FreeJoint::convertToPositions(pose);
      v.segment<3>(node.v) = one.v.segment<3>(node.v + 3);
      v.segment<3>(node.v + 3) = turn.conjugate() * one.v.segment<3>(node.v);
    } else {
      q[node.v] = one.q[node.q];
    }
  }
  const auto resetDart = [&] {
    skeleton->setPositions(q);
    skeleton->setVelocities(v);
  };
  const auto stepDart = [&] {
    skeleton->computeForwardDynamics();
    skeleton->integrateVelocities(kStep);
    skeleton->integratePositions(kStep);
  };
  resetDart();
  for (int i = 0; i < kCompared; ++i) stepDart();
  double dartOff = 0.0;  // of angles and lengths
  for (const ArticulationNode& node : model.nodes())
    if (node.kind != NodeKind::Free)
      dartOff = std::max(dartOff, std::abs(skeleton->getPosition(static_cast<std::size_t>(node.v)) - reached[node.q]));
  const double dartRate = rate(resetDart, stepDart);

  std::printf("%-28s %4d  %10.0f %10.0f %10.0f   %5.1f  %5.1f   %.1e %.1e  (moved %.1e)\n", one.name.c_str(), a.degrees(),
              cairnRate, mujocoRate, dartRate, cairnRate / mujocoRate, cairnRate / dartRate, mujocoOff, dartOff,
              (reached - one.q).cwiseAbs().maxCoeff());
  std::fflush(stdout);
}

}  // namespace

int main(int count, char** arguments) {
  std::printf("%-28s %4s  %10s %10s %10s   %5s  %5s   %s\n", "steps a second", "dofs", "Cairn", "MuJoCo", "DART", "x MJ",
              "x DART", "motions differ by (100 steps)");
  for (int i = 1; i < count; ++i) {
    test::Robot robot(arguments[i]);
    const auto& state = robot.file["states"][1];
    for (LinkDesc& link : robot.desc.links)
      for (AxisDesc& axis : link.axes) axis.armature = 0.0;  // DART has none
    compare({robot.file["name"].GetString(), robot.desc, robot.q(state["q"]), robot.v(state["v"])});
  }
  compare(chain());
}
