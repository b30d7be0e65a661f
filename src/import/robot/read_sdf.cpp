// SDFormat, the part that describes mechanisms: models of links and joints, poses relative to links, joints and frames. What
// else a world holds is listed.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>

#include "geometry/mass.hpp"
#include "import/robot/file_paths.hpp"
#include "import/robot/read_robot.hpp"
#include "import/robot/reference_state.hpp"
#include "import/robot/xml_node.hpp"

namespace cairn {
namespace {

std::vector<double> numbersIn(const XmlNode& node, std::size_t least, std::size_t most, bool allowInfinite = false) {
  std::vector<double> values;
  if (const std::string wrong = parseNumbers(node.text, values, allowInfinite); !wrong.empty()) node.fail(wrong);
  if (values.size() < least || values.size() > most)
    node.fail("found " + std::to_string(values.size()) + " numbers; allowed: " + std::to_string(least));
  return values;
}
double numberIn(const XmlNode& parent, const char* child, double otherwise, bool allowInfinite = false) {
  const XmlNode* node = parent.child(child);
  return node ? numbersIn(*node, 1, 1, allowInfinite)[0] : otherwise;
}
Vec3 vectorIn(const XmlNode& node) {
  const std::vector<double> v = numbersIn(node, 3, 3);
  return {v[0], v[1], v[2]};
}
std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}
std::string textOf(const XmlNode& parent, const char* child) {
  const XmlNode* node = parent.child(child);
  return node ? trimmed(node->text) : "";
}
bool boolIn(const XmlNode& parent, const char* child, bool otherwise) {
  const std::string word = textOf(parent, child);
  return word.empty() ? otherwise : word == "true" || word == "1";
}

Pose poseIn(const XmlNode& node) {
  if (trimmed(node.text).empty()) return {};
  const bool quaternion = node.attribute("rotation_format", "euler_rpy") == "quat_xyzw";
  const bool degrees = node.boolean("degrees", false);
  const std::vector<double> v = quaternion ? numbersIn(node, 7, 7) : numbersIn(node, 6, 6);
  Pose pose{{v[0], v[1], v[2]}, Quat::Identity()};
  if (quaternion) {
    pose.rotation = Quat(v[6], v[3], v[4], v[5]);
    if (!(pose.rotation.norm() > 1e-14)) node.fail("the quaternion is zero");
    pose.rotation.normalize();
  } else {
    const double unit = degrees ? 3.14159265358979323846 / 180.0 : 1.0;
    pose.rotation = Eigen::AngleAxisd(unit * v[5], Vec3::UnitZ()) * Eigen::AngleAxisd(unit * v[4], Vec3::UnitY()) *
                    Eigen::AngleAxisd(unit * v[3], Vec3::UnitX());
  }
  return pose;
}

class SdfReader {
 public:
  SdfReader(const std::string& file, const RobotReadOptions& options)
      : root_(readXml(file)), options_(options), folder_(std::filesystem::path(file).parent_path().string()) {}

  RobotModel read() {
    if (root_.name != "sdf") root_.fail("this is the first element; allowed: <sdf>");
    model_.format = "SDFormat";
    version_ = root_.has("version") ? std::atof(root_.attribute("version").c_str()) : 1.6;
    std::vector<std::pair<const XmlNode*, Pose>> models;
    collect(root_, models);
    if (models.empty()) root_.fail("there is no model; allowed: at least one");
    several_ = models.size() > 1;
    model_.name = models[0].first->attribute("name");
    for (const auto& [node, pose] : models) readModel(*node, pose);
    model_.floating = std::any_of(model_.joints.begin(), model_.joints.end(), [](const RobotJoint& joint) {
      return joint.body == 0 && joint.kind == RobotJointKind::Free;
    });
    finishModel(model_);
    return std::move(model_);
  }

 private:
  struct Frame {
    Pose pose{};
    std::string relativeTo{};  // empty: the model
  };
  struct SdfJoint {
    const XmlNode* node;
    std::string name, kind, parent, child;
  };

  void missing(const XmlNode& node, const std::string& what) { model_.missing.push_back({node.place, what}); }
  void warn(const XmlNode& node, const std::string& what) { model_.warnings.push_back({node.place, what}); }
  void note(const XmlNode& node, const std::string& what) { model_.notes.push_back({node.place, what}); }

  void collect(const XmlNode& node, std::vector<std::pair<const XmlNode*, Pose>>& models) {
    for (const XmlNode& part : node.children) {
      if (part.name == "model") {
        models.emplace_back(&part, part.child("pose") ? poseIn(*part.child("pose")) : Pose{});
      } else if (part.name == "world") {
        collect(part, models);
        if (const XmlNode* gravity = part.child("gravity")) model_.options.gravity = vectorIn(*gravity);
        if (const XmlNode* physics = part.child("physics"); physics && physics->child("max_step_size"))
          model_.options.timestep = numberIn(*physics, "max_step_size", 0.001);
      } else if (part.name == "include") {
        missing(part, "<include> of \"" + textOf(part, "uri") + "\": name that file instead");
      } else if (part.name == "actor" || part.name == "joint" || part.name == "road") {
        missing(part, "<" + part.name + ">: cannot be represented");
      } else if (part.name != "gravity" && part.name != "physics") {
        note(part, "<" + part.name + ">: does not change the motion, not read");
      }
    }
  }

  std::string prefixed(const std::string& name) const { return several_ ? scope_ + "::" + name : name; }

  void readModel(const XmlNode& model, const Pose& placed) {
    scope_ = model.required("name");
    const bool isStatic = boolIn(model, "static", false);
    frames_.clear();
    std::map<std::string, const XmlNode*> links;
    std::vector<std::string> order;
    std::vector<SdfJoint> joints;
    for (const XmlNode& part : model.children) {
      if (part.name == "link") {
        const std::string& name = part.required("name");
        if (!links.emplace(name, &part).second) part.fail("name", "there are two links \"" + name + "\"");
        order.push_back(name);
        addFrame(part, name, "");
      } else if (part.name == "joint") {
        SdfJoint joint{&part, part.required("name"), part.required("type"), textOf(part, "parent"), textOf(part, "child")};
        if (joint.parent.empty() || joint.child.empty()) part.fail("\"" + joint.name + "\" has no parent or no child");
        joints.push_back(joint);
        addFrame(part, joint.name, joint.child);
      } else if (part.name == "frame") {
        addFrame(part, part.required("name"), part.attribute("attached_to"));
      } else if (part.name == "model" || part.name == "include" || part.name == "gripper") {
        missing(part, "<" + part.name + "> inside a model: cannot be represented");
      } else if (part.name != "pose" && part.name != "static") {
        note(part, "<" + part.name + "> of model \"" + scope_ + "\": not read");
      }
    }
    // A frame may be named as parent or child: it stands for the link that it is attached to.
    for (SdfJoint& joint : joints)
      for (std::string* end : {&joint.parent, &joint.child})
        for (int hops = 0; !links.contains(*end) && *end != "world" && hops < 100; ++hops) {
          const XmlNode* frame = nullptr;
          for (const XmlNode& part : model.children)
            if (part.name == "frame" && part.attribute("name") == *end) frame = &part;
          if (!frame || frame->attribute("attached_to").empty())
            joint.node->fail("\"" + joint.name + "\": there is no link \"" + *end + "\"");
          *end = frame->attribute("attached_to");
        }
    build(placed, isStatic, links, order, joints);
  }

  void addFrame(const XmlNode& node, const std::string& name, const std::string& otherwise) {
    Frame frame{{}, otherwise};
    if (const XmlNode* pose = node.child("pose")) {
      frame.pose = poseIn(*pose);
      frame.relativeTo = pose->attribute("relative_to", pose->attribute("frame", otherwise));
    }
    frames_[name] = frame;
  }

  // In the frame of the model.
  Pose resolve(const std::string& name, const XmlNode& user, int depth = 0) {
    if (name.empty() || name == "__model__" || name == "world") return {};
    const auto found = frames_.find(name);
    if (found == frames_.end()) user.fail("there is no frame \"" + name + "\"");
    if (depth > 200) user.fail("frame \"" + name + "\" is relative to itself");
    return resolve(found->second.relativeTo, user, depth + 1) * found->second.pose;
  }

  void build(const Pose& placed, bool isStatic, const std::map<std::string, const XmlNode*>& links,
             const std::vector<std::string>& order, const std::vector<SdfJoint>& joints) {
    std::map<std::string, const SdfJoint*> joined;  // by child
    std::vector<const SdfJoint*> closing;
    for (const SdfJoint& joint : joints) {
      if (joint.child == "world") joint.node->fail("\"" + joint.name + "\": the world is the child; allowed: as the parent");
      if (joint.child == joint.parent) joint.node->fail("\"" + joint.name + "\" joins a link to itself");
      if (!joined.emplace(joint.child, &joint).second) closing.push_back(&joint);
    }
    std::map<std::string, int> index;
    std::multimap<std::string, const SdfJoint*> below;
    for (const auto& [child, joint] : joined) below.emplace(joint->parent, joint);
    std::vector<std::pair<std::string, const SdfJoint*>> stack;
    const auto grow = [&] {
      while (!stack.empty()) {
        const auto [name, by] = stack.back();
        stack.pop_back();
        const XmlNode& link = *links.at(name);
        const Pose pose = resolve(name, link);
        const bool onWorld = !by || by->parent == "world";
        const int parent = onWorld ? -1 : index.at(by->parent);
        const int body = static_cast<int>(model_.bodies.size());
        index[name] = body;
        RobotBody item;
        item.name = prefixed(name);
        item.parent = parent;
        item.pose = onWorld ? placed * pose : resolve(by->parent, link).inverse() * pose;
        item.place = link.place;
        model_.bodies.push_back(item);
        if (by && !isStatic)
          readJoint(*by, body, pose);
        else if (!by && !isStatic && options_.base != RobotBase::Fixed)
          addFree(link, body);
        readLink(link, body);
        for (auto [at, end] = below.equal_range(name); at != end; ++at) stack.emplace_back(at->second->child, at->second);
      }
    };
    for (const std::string& name : order) {
      const auto by = joined.find(name);
      if (by != joined.end() && by->second->parent != "world") continue;
      stack.emplace_back(name, by == joined.end() ? nullptr : by->second);
      grow();
    }
    if (index.size() < links.size()) {
      // What is left hangs on loops without a root: cut one joint of each.
      for (const std::string& name : order) {
        if (index.contains(name)) continue;
        closing.push_back(joined.at(name));
        for (auto at = below.begin(); at != below.end(); ++at)
          if (at->second == joined.at(name)) {
            below.erase(at);
            break;
          }
        stack.emplace_back(name, nullptr);
        grow();
      }
    }
    for (const SdfJoint* joint : closing) closeLoop(*joint, index);
  }

  void addFree(const XmlNode& link, int body) {
    RobotJoint joint;
    joint.kind = RobotJointKind::Free;
    joint.name = model_.bodies[body].name + "_free";
    joint.body = body;
    joint.place = link.place;
    model_.joints.push_back(joint);
  }

  void readLink(const XmlNode& link, int index) {
    for (const XmlNode& part : link.children) {
      if (part.name == "inertial") {
        readInertial(part, model_.bodies[index]);
      } else if (part.name == "visual" || part.name == "collision") {
        readGeom(part, index);
      } else if (part.name == "gravity") {
        if (!boolIn(link, "gravity", true)) model_.bodies[index].gravityCompensation = 1.0;
      } else if (part.name == "kinematic") {
        if (boolIn(link, "kinematic", false)) missing(part, "<kinematic> of link \"" + model_.bodies[index].name + "\"");
      } else if (part.name != "pose") {
        note(part, "<" + part.name + "> of link \"" + model_.bodies[index].name + "\": not read");
      }
    }
    if (!link.child("inertial")) {  // as the format says
      model_.bodies[index].mass = {1.0, Vec3::Zero(), Mat3::Identity()};
      note(link, "link \"" + model_.bodies[index].name + "\" has no inertial: 1 kg and 1 kg m^2, the format's defaults");
    }
  }

  void readInertial(const XmlNode& node, RobotBody& body) {
    body.hasInertial = true;
    MassProperties mass;
    mass.mass = numberIn(node, "mass", 1.0);
    if (mass.mass < 0.0) node.fail("the mass is negative; allowed: 0 or more");
    double xx = 1.0, yy = 1.0, zz = 1.0, xy = 0.0, xz = 0.0, yz = 0.0;
    if (const XmlNode* tensor = node.child("inertia")) {
      xx = numberIn(*tensor, "ixx", 1.0), yy = numberIn(*tensor, "iyy", 1.0), zz = numberIn(*tensor, "izz", 1.0);
      xy = numberIn(*tensor, "ixy", 0.0), xz = numberIn(*tensor, "ixz", 0.0), yz = numberIn(*tensor, "iyz", 0.0);
    }
    mass.inertia << xx, xy, xz, xy, yy, yz, xz, yz, zz;
    if (mass.mass > 0.0 && !isPhysicalInertia(mass.inertia))
      warn(node, "link \"" + body.name + "\": no solid has this inertia (principal moments must be positive, and none above the "
                 "sum of the others); kept as written");
    if (node.attribute("auto") == "true") missing(node, "inertial: auto=\"true\": inertia from shapes");
    body.mass = transformed(mass, node.child("pose") ? poseIn(*node.child("pose")) : Pose{});
  }

  void readGeom(const XmlNode& node, int body) {
    RobotGeom geom;
    geom.name = node.attribute("name");
    geom.body = body;
    geom.visual = node.name == "visual";
    geom.collision = !geom.visual;
    geom.contactType = geom.contactAffinity = geom.visual ? 0 : 1;
    geom.group = geom.visual ? 2 : 3;
    geom.place = node.place;
    if (const XmlNode* pose = node.child("pose")) {
      geom.pose = poseIn(*pose);
      if (const std::string to = pose->attribute("relative_to"); !to.empty())
        missing(*pose, "pose of a shape relative to \"" + to + "\"");
    }
    const XmlNode* geometry = node.child("geometry");
    if (!geometry || geometry->children.empty()) {
      missing(node, "<" + node.name + "> \"" + geom.name + "\" has no geometry");
      return;
    }
    if (!readShape(geometry->children.front(), geom)) return;
    if (const XmlNode* material = node.child("material"))
      if (const XmlNode* colour = material->child("diffuse") ? material->child("diffuse") : material->child("ambient")) {
        const std::vector<double> v = numbersIn(*colour, 3, 4);
        std::copy(v.begin(), v.end(), geom.colour.begin());
      }
    if (const XmlNode* surface = node.child("surface")) {
      if (const XmlNode* friction = surface->child("friction"))
        if (const XmlNode* ode = friction->child("ode")) geom.friction[0] = numberIn(*ode, "mu", 1.0);
      if (const XmlNode* bounce = surface->child("bounce"))
        geom.restitution = numberIn(*bounce, "restitution_coefficient", 0.0);
    }
    model_.geoms.push_back(geom);
  }

  bool readShape(const XmlNode& shape, RobotGeom& geom) {
    const auto length = [&](const char* child) {
      const XmlNode* node = shape.child(child);
      if (!node) shape.fail("<" + std::string(child) + "> is missing");
      const double value = numbersIn(*node, 1, 1)[0];
      if (!(value > 0.0)) node->fail("allowed: above 0");
      return value;
    };
    const auto lengths = [&](const char* child) {
      const XmlNode* node = shape.child(child);
      if (!node) shape.fail("<" + std::string(child) + "> is missing");
      const Vec3 value = vectorIn(*node);
      if (!(value.minCoeff() > 0.0)) node->fail("allowed: above 0");
      return value;
    };
    if (shape.name == "sphere") {
      geom.kind = RobotGeomKind::Sphere;
      geom.size.x() = length("radius");
    } else if (shape.name == "cylinder" || shape.name == "capsule") {
      geom.kind = shape.name == "capsule" ? RobotGeomKind::Capsule : RobotGeomKind::Cylinder;
      geom.size = {length("radius"), length("length") / 2.0, 0.0};
    } else if (shape.name == "box") {
      geom.kind = RobotGeomKind::Box;
      geom.size = lengths("size") / 2.0;
    } else if (shape.name == "ellipsoid") {
      geom.kind = RobotGeomKind::Ellipsoid;
      geom.size = lengths("radii");
    } else if (shape.name == "plane") {
      geom.kind = RobotGeomKind::Plane;
      Vec3 normal = Vec3::UnitZ();
      if (const XmlNode* node = shape.child("normal")) normal = vectorIn(*node);
      if (!(normal.norm() > 1e-12)) shape.fail("the normal has no length");
      geom.pose.rotation = geom.pose.rotation * Quat::FromTwoVectors(Vec3::UnitZ(), normal);
    } else if (shape.name == "mesh") {
      geom.kind = RobotGeomKind::Mesh;
      RobotMesh mesh;
      const std::string written = textOf(shape, "uri");
      if (const XmlNode* scale = shape.child("scale")) mesh.scale = vectorIn(*scale);
      if (shape.child("submesh")) missing(shape, "<submesh>: the whole file is used");
      mesh.file = resolveFile(written, folder_, options_.packagePaths);
      mesh.name = std::filesystem::path(written).stem().string();
      mesh.place = shape.place;
      if (mesh.file.empty()) {
        missing(shape, "mesh file \"" + written + "\" is not found; name its folder as a package path");
        mesh.file = written;
      }
      geom.mesh = static_cast<int>(model_.meshes.size());
      model_.meshes.push_back(mesh);
    } else {
      missing(shape, "<" + shape.name + ">: no shape that can be represented");
      return false;
    }
    return true;
  }

  // The joint's axis in the frame of the child.
  Vec3 axisOf(const SdfJoint& joint, const char* which, const Pose& child) {
    Vec3 axis = Vec3::UnitZ();
    const XmlNode* node = joint.node->child(which);
    std::string frame = joint.name;
    if (node) {
      if (const XmlNode* xyz = node->child("xyz")) {
        axis = vectorIn(*xyz);
        if (!(axis.norm() > 1e-12)) xyz->fail("the axis has no length; allowed: a direction");
        frame = xyz->attribute("expressed_in", frame);
      }
      // Before version 1.5 axes were written in the frame of the model.
      if (version_ < 1.5 || boolIn(*node, "use_parent_model_frame", false)) frame = "__model__";
    }
    return child.rotation.conjugate() * (resolve(frame, *joint.node).rotation * axis.normalized());
  }

  void readJoint(const SdfJoint& from, int body, const Pose& child) {
    const XmlNode& node = *from.node;
    RobotJoint joint;
    joint.name = prefixed(from.name);
    joint.body = body;
    joint.place = node.place;
    joint.anchor = child.inversePoint(resolve(from.name, node).position);
    const auto add = [&](RobotJointKind kind, const char* axis, const std::string& suffix) {
      RobotJoint one = joint;
      one.kind = kind;
      one.name += suffix;
      if (axis) {
        one.axis = axisOf(from, axis, child);
        if (const XmlNode* details = node.child(axis)) readAxis(*details, from.kind, one);
      }
      model_.joints.push_back(one);
    };
    if (from.kind == "fixed")
      add(RobotJointKind::Fixed, nullptr, "");
    else if (from.kind == "revolute" || from.kind == "continuous")
      add(RobotJointKind::Hinge, "axis", "");
    else if (from.kind == "prismatic")
      add(RobotJointKind::Slide, "axis", "");
    else if (from.kind == "ball")
      add(RobotJointKind::Ball, nullptr, "");
    else if (from.kind == "universal" || from.kind == "revolute2") {
      add(RobotJointKind::Hinge, "axis", "_1");
      add(RobotJointKind::Hinge, "axis2", "_2");
    } else if (from.kind == "screw" || from.kind == "gearbox") {
      missing(node, "joint \"" + from.name + "\": type=\"" + from.kind + "\": read as revolute");
      add(RobotJointKind::Hinge, "axis", "");
    } else {
      node.fail("type", "found \"" + from.kind + "\"; allowed: revolute, continuous, prismatic, fixed, ball, universal, revolute2");
    }
    for (const XmlNode& part : node.children)
      if (part.name == "physics" || part.name == "sensor") note(part, "<" + part.name + "> of joint \"" + from.name + "\": not read");
  }

  void readAxis(const XmlNode& axis, const std::string& kind, RobotJoint& joint) {
    if (const XmlNode* limit = axis.child("limit")) {
      constexpr double kEndless = 1e15;  // what the format writes for "none"
      const double lower = numberIn(*limit, "lower", -1e16, true), upper = numberIn(*limit, "upper", 1e16, true);
      if (lower > upper) limit->fail("lower is above upper; allowed: lower <= upper");
      if (kind != "continuous" && (lower > -kEndless || upper < kEndless))
        joint.range = RobotRange{std::max(lower, -1e16), std::min(upper, 1e16)};
      const double effort = numberIn(*limit, "effort", -1.0, true), velocity = numberIn(*limit, "velocity", -1.0, true);
      if (effort >= 0.0 && effort < kEndless) joint.effort = RobotRange{-effort, effort};
      if (velocity >= 0.0 && velocity < kEndless) joint.velocityLimit = velocity;
    }
    if (const XmlNode* dynamics = axis.child("dynamics")) {
      joint.damping = numberIn(*dynamics, "damping", 0.0);
      joint.frictionLoss = numberIn(*dynamics, "friction", 0.0);
      joint.stiffness = numberIn(*dynamics, "spring_stiffness", 0.0);
      joint.springReference = numberIn(*dynamics, "spring_reference", 0.0);
      if (joint.damping < 0.0 || joint.frictionLoss < 0.0) dynamics->fail("found a negative value; allowed: 0 or more");
    }
    if (const XmlNode* mimic = axis.child("mimic")) missing(*mimic, "<mimic> of joint \"" + joint.name + "\"");
  }

  // A second joint of a link: a loop, held by equality constraints.
  void closeLoop(const SdfJoint& joint, const std::map<std::string, int>& index) {
    RobotEquality equality;
    equality.name = prefixed(joint.name);
    equality.place = joint.node->place;
    equality.first = joint.parent == "world" ? -1 : index.at(joint.parent);
    equality.second = index.at(joint.child);
    const Pose parent = resolve(joint.parent, *joint.node), child = resolve(joint.child, *joint.node);
    const Pose at = resolve(joint.name, *joint.node);
    const auto hold = [&](const Vec3& point, RobotEqualityKind kind) {
      equality.kind = kind;
      equality.firstFrame = parent.inverse() * Pose{point, at.rotation};
      equality.secondFrame = child.inverse() * Pose{point, at.rotation};
      model_.equalities.push_back(equality);
    };
    if (joint.kind == "fixed") {
      hold(at.position, RobotEqualityKind::Weld);
    } else if (joint.kind == "ball") {
      hold(at.position, RobotEqualityKind::Connect);
    } else if (joint.kind == "revolute" || joint.kind == "continuous") {
      constexpr double kApart = 0.1;  // m: two points on an axis hold it
      const Vec3 axis = child.direction(axisOf(joint, "axis", child));
      hold(at.position, RobotEqualityKind::Connect);
      hold(at.position + kApart * axis, RobotEqualityKind::Connect);
      note(*joint.node, "joint \"" + joint.name + "\" closes a loop: two points of its axis are held, its limits are not kept");
    } else {
      missing(*joint.node, "joint \"" + joint.name + "\" of type " + joint.kind + " closes a loop");
    }
  }

  XmlNode root_;
  RobotReadOptions options_;
  std::string folder_, scope_;
  double version_ = 1.6;
  bool several_ = false;
  RobotModel model_;
  std::map<std::string, Frame> frames_;
};

}  // namespace

RobotModel readSdf(const std::string& file, const RobotReadOptions& options) { return SdfReader(file, options).read(); }

}  // namespace cairn
