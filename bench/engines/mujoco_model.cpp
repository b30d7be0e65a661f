#include "mujoco_model.hpp"

#include <fmt/format.h>

#include <deque>

namespace cairn::bench {
namespace {

constexpr int kRowsOfContact = 4;          // pyramidal cone, two directions of friction
constexpr double kMostContacts = 24.0;     // set aside for each body: three pairs of boxes
constexpr double kLeastContacts = 8.0;     // a stack has that many
constexpr double kBytesOfContact = 600.0;  // sizeof(mjContact), rounded up

std::string text(const Vec3& v) { return fmt::format("{:.17g} {:.17g} {:.17g}", v.x(), v.y(), v.z()); }
std::string text(const Quat& q) { return fmt::format("{:.17g} {:.17g} {:.17g} {:.17g}", q.w(), q.x(), q.y(), q.z()); }
std::string text(const Pose& pose) {
  return fmt::format("pos=\"{}\" quat=\"{}\"", text(pose.position), text(pose.rotation));
}

std::string meshName(std::size_t body, std::size_t shape) { return fmt::format("hull{}.{}", body, shape); }

struct GeomText {
  std::string mesh;
  std::string operator()(const Plane&) const { return "type=\"plane\" size=\"0 0 1\""; }  // without end
  std::string operator()(const Sphere& s) const { return fmt::format("type=\"sphere\" size=\"{:.17g}\"", s.radius); }
  std::string operator()(const Box& s) const { return fmt::format("type=\"box\" size=\"{}\"", text(s.halfExtents)); }
  std::string operator()(const Capsule& s) const {
    return fmt::format("type=\"capsule\" size=\"{:.17g} {:.17g}\"", s.radius, s.halfHeight);
  }
  std::string operator()(const Cylinder& s) const {
    return fmt::format("type=\"cylinder\" size=\"{:.17g} {:.17g}\"", s.radius, s.halfHeight);
  }
  std::string operator()(const ConvexHull&) const { return fmt::format("type=\"mesh\" mesh=\"{}\"", mesh); }
  template <class Other>
  std::string operator()(const Other&) const {
    throw std::logic_error("other shapes are refused");
  }
};

class Writer {
 public:
  Writer(const BenchScene& scene, const JointTree& tree, const std::vector<bool>& present, const std::vector<Pose>& poses)
      : scene_(scene), tree_(tree), present_(present), poses_(poses) {}

  std::string all(const MujocoSize& size) const {
    const Vec3& gravity = scene_.model.settings.gravity;
    std::string xml = fmt::format(
        "<mujoco><compiler angle=\"radian\" inertiafromgeom=\"false\"/><option timestep=\"{:.17g}\" gravity=\"{}\"/>"
        "<size nconmax=\"{}\" njmax=\"{}\"/>\n<asset>",
        kTimeStep / kMujocoSteps, text(gravity), size.contacts, size.rows);
    for (std::size_t i = 0; i < scene_.bodies.size(); ++i)
      if (present_[i]) xml += meshes(i);
    xml += "</asset>\n<worldbody>\n";
    for (std::size_t i = 0; i < scene_.bodies.size(); ++i)
      if (present_[i] && !scene_.bodies[i].isDynamic()) xml += geoms(i, scene_.bodies[i].desc().pose);
    for (const std::size_t root : tree_.roots)
      if (present_[root]) xml += body(root, Pose{});
    return xml + "</worldbody></mujoco>\n";
  }

 private:
  std::string meshes(std::size_t index) const {
    std::string xml;
    const auto& shapes = scene_.bodies[index].desc().shapes;
    for (std::size_t i = 0; i < shapes.size(); ++i) {
      const ConvexHull* hull = std::get_if<ConvexHull>(&shapes[i].geometry);
      if (hull == nullptr) continue;
      xml += fmt::format("<mesh name=\"{}\" vertex=\"", meshName(index, i));
      for (const Vec3& point : hull->points) xml += text(point) + " ";
      xml += "\"/>\n";
    }
    return xml;
  }
  std::string geoms(std::size_t index, const Pose& frame) const {
    std::string xml;
    const auto& shapes = scene_.bodies[index].desc().shapes;
    for (std::size_t i = 0; i < shapes.size(); ++i) {
      Pose place = frame * shapes[i].local;
      if (const Plane* plane = std::get_if<Plane>(&shapes[i].geometry))
        place = place * Pose{plane->offset * plane->normal, Quat::FromTwoVectors(Vec3::UnitZ(), plane->normal)};
      xml +=
          fmt::format("<geom {} {} friction=\"{:.17g}\"/>\n", std::visit(GeomText{meshName(index, i)}, shapes[i].geometry),
                      text(place), shapes[i].material.friction);
    }
    return xml;
  }
  std::string joint(const JointTree::Node& node) const {
    if (node.joint == nullptr) return "<freejoint/>";
    const JointDesc& desc = *node.joint->desc;
    const Vec3& anchor = node.childIsB ? desc.anchorB : desc.anchorA;
    if (const HingeJoint* hinge = std::get_if<HingeJoint>(&desc.kind))
      return fmt::format("<joint type=\"hinge\" pos=\"{}\" axis=\"{}\"/>", text(anchor),
                         text(node.childIsB ? hinge->axisB : hinge->axisA));
    return fmt::format("<joint type=\"ball\" pos=\"{}\"/>", text(anchor));
  }
  std::string body(std::size_t index, const Pose& parent) const {
    const BenchBody& body = scene_.bodies[index];
    const JointTree::Node& node = tree_.nodes[index];
    const Pose& pose = poses_[index];
    std::string xml =
        fmt::format("<body name=\"{}\" {}>{}<inertial {} mass=\"{:.17g}\" diaginertia=\"{}\"/>\n", mujocoName(index),
                    text(parent.inverse() * pose), joint(node), text(body.massFrame()), body.mass.mass, text(body.moments));
    xml += geoms(index, Pose{});
    for (const std::size_t child : node.children) xml += this->body(child, pose);
    return xml + "</body>\n";
  }

  const BenchScene& scene_;
  const JointTree& tree_;
  const std::vector<bool>& present_;
  const std::vector<Pose>& poses_;
};

}  // namespace

std::string mujocoName(std::size_t body) { return fmt::format("b{}", body); }

JointTree jointTree(const BenchScene& scene) {
  JointTree tree;
  tree.nodes.resize(scene.bodies.size());
  std::vector<bool> placed(scene.bodies.size(), false), used(scene.joints.size(), false);
  const auto isWorld = [&](std::size_t body) { return !scene.bodies[body].isDynamic(); };
  std::deque<std::size_t> open;
  const auto growFrom = [&](std::size_t parent) {  // kWorld or a body
    for (std::size_t i = 0; i < scene.joints.size(); ++i) {
      const BenchScene::Joint& joint = scene.joints[i];
      const auto isParent = [&](std::size_t body) { return parent == JointTree::kWorld ? isWorld(body) : body == parent; };
      if (used[i] || isParent(joint.a) == isParent(joint.b)) continue;
      used[i] = true;
      const bool childIsB = isParent(joint.a);
      const std::size_t child = childIsB ? joint.b : joint.a;
      if (placed[child] || isWorld(child)) {
        tree.problem = "joints that close a loop (\"" + joint.desc->name + "\")";
        return;
      }
      placed[child] = true;
      tree.nodes[child].parent = parent;
      tree.nodes[child].joint = &joint;
      tree.nodes[child].childIsB = childIsB;
      (parent == JointTree::kWorld ? tree.roots : tree.nodes[parent].children).push_back(child);
      open.push_back(child);
    }
  };
  const auto growAll = [&] {
    while (!open.empty() && tree.problem.empty()) {
      const std::size_t next = open.front();
      open.pop_front();
      growFrom(next);
    }
  };
  if (!scene.joints.empty()) growFrom(JointTree::kWorld);
  growAll();
  for (std::size_t i = 0; i < scene.bodies.size() && tree.problem.empty(); ++i) {
    if (placed[i] || isWorld(i)) continue;
    placed[i] = true;
    tree.roots.push_back(i);
    if (scene.joints.empty()) continue;
    open.push_back(i);
    growAll();
  }
  return tree;
}

double mujocoBytes(int dynamicBodies, const MujocoSize& size) {
  constexpr double kEntry = 12.0;  // a double and a column
  const double rows = size.rows, freedoms = 6.0 * dynamicBodies;
  return kEntry * rows * rows + 2.0 * kEntry * rows * freedoms + kBytesOfContact * size.contacts;
}

MujocoSize mujocoSize(int dynamicBodies) {
  for (double each = kMostContacts; each >= kLeastContacts; each -= 1.0) {
    const double contacts = each * (dynamicBodies + 1);
    if (contacts > 1e6) continue;
    const MujocoSize size{static_cast<int>(contacts), static_cast<int>(contacts) * kRowsOfContact};
    if (mujocoBytes(dynamicBodies, size) <= kMostMujocoBytes) return size;
  }
  return {};
}

int mostMujocoBodies() {
  int most = 1;
  while (mujocoSize(most + 1).contacts > 0) ++most;
  return most;
}

std::string mujocoXml(const BenchScene& scene, const JointTree& tree, const std::vector<bool>& present,
                      const std::vector<Pose>& poses, const MujocoSize& size) {
  return Writer(scene, tree, present, poses).all(size);
}

}  // namespace cairn::bench
