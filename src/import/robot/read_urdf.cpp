// URDF on tinyxml2: links and joints, a tree with one root (docs/decisions/0024 says why not urdfdom).
#include <filesystem>
#include <functional>
#include <map>
#include <set>

#include "geometry/mass.hpp"
#include "import/robot/file_paths.hpp"
#include "import/robot/read_robot.hpp"
#include "import/robot/reference_state.hpp"
#include "import/robot/xml_node.hpp"

namespace cairn {
namespace {

struct UrdfJoint {
  const XmlNode* node = nullptr;
  std::string name, kind, parent, child;
};

// Fixed axes: roll about x, then pitch about y, then yaw about z.
Pose originOf(const XmlNode& node) {
  const XmlNode* origin = node.child("origin");
  if (!origin) return {};
  Pose pose;
  if (const auto xyz = origin->vector("xyz")) pose.position = *xyz;
  if (const auto rpy = origin->vector("rpy"))
    pose.rotation = Eigen::AngleAxisd(rpy->z(), Vec3::UnitZ()) * Eigen::AngleAxisd(rpy->y(), Vec3::UnitY()) *
                    Eigen::AngleAxisd(rpy->x(), Vec3::UnitX());
  return pose;
}

class UrdfReader {
 public:
  UrdfReader(const std::string& file, const RobotReadOptions& options)
      : root_(readXml(file)), options_(options), folder_(std::filesystem::path(file).parent_path().string()) {}

  RobotModel read() {
    if (root_.name != "robot") root_.fail("found <" + root_.name + ">; allowed: <robot> as the first element of a URDF file");
    model_.format = "URDF";
    model_.name = root_.attribute("name");
    root_.ignore({"version"});
    for (const XmlNode& node : root_.children) readTop(node);
    if (links_.empty())
      root_.fail(sawXacro_ ? "there is no link; this is xacro, not expanded: run `xacro FILE > robot.urdf` first"
                           : "there is no link; allowed: at least one");
    const std::string rootLink = findRoot();
    addBody(rootLink, -1);
    for (const auto& [joint, node] : mimics_) readMimic(joint, *node);
    for (const XmlNode* node : transmissions_) readTransmission(*node);
    for (const XmlNode* node : extensions_) readGazebo(*node);
    reportUnread(root_);
    finishModel(model_);
    return std::move(model_);
  }

 private:
  void missing(const XmlNode& node, const std::string& what) { model_.missing.push_back({node.place, what}); }
  void warn(const XmlNode& node, const std::string& what) { model_.warnings.push_back({node.place, what}); }
  void note(const XmlNode& node, const std::string& what) { model_.notes.push_back({node.place, what}); }

  void readTop(const XmlNode& node) {
    if (node.name == "link") {
      const std::string& name = node.required("name");
      if (!links_.emplace(name, &node).second) node.fail("name", "there are two links \"" + name + "\"");
    } else if (node.name == "joint") {
      readJointHead(node);
    } else if (node.name == "material") {
      readMaterial(node);
    } else if (node.name == "transmission") {
      transmissions_.push_back(&node);
    } else if (node.name == "gazebo") {
      extensions_.push_back(&node);
    } else if (node.name.starts_with("xacro:")) {
      sawXacro_ = true;
      if (node.name == "xacro:property" || node.name == "xacro:arg" || node.name == "xacro:macro")
        note(node, "<" + node.name + ">: a definition of xacro, not used by the expanded file");
      else
        missing(node, "<" + node.name + ">: xacro, not expanded; run `xacro FILE > robot.urdf` first");
    } else if (node.name == "sensor" || node.name == "ros2_control" || node.name == "group" || node.name == "mujoco" ||
               node.name == "plugin") {
      note(node, "<" + node.name + ">: for other programs, not read");
    } else {
      missing(node, "<" + node.name + ">: no element of URDF that is known");
    }
  }

  void readJointHead(const XmlNode& node) {
    UrdfJoint joint{&node, node.required("name"), node.required("type"), "", ""};
    const XmlNode* parent = node.child("parent");
    const XmlNode* child = node.child("child");
    if (!parent || !child) node.fail("\"" + joint.name + "\" has no " + std::string(parent ? "child" : "parent"));
    joint.parent = parent->required("link");
    joint.child = child->required("link");
    for (const UrdfJoint& other : joints_)
      if (other.name == joint.name) node.fail("name", "there are two joints \"" + joint.name + "\"");
    joints_.push_back(joint);
  }

  std::string findRoot() {
    std::map<std::string, const UrdfJoint*> joined;
    for (const UrdfJoint& joint : joints_) {
      for (const std::string& name : {joint.parent, joint.child})
        if (!links_.contains(name)) joint.node->fail("\"" + joint.name + "\": there is no link \"" + name + "\"");
      if (!joined.emplace(joint.child, &joint).second)
        joint.node->fail("link \"" + joint.child + "\" is the child of two joints, \"" + joined[joint.child]->name + "\" and \"" +
                         joint.name + "\"; allowed: a tree");
    }
    std::string found;
    for (const XmlNode& node : root_.children) {
      if (node.name != "link" || joined.contains(*node.find("name"))) continue;
      if (!found.empty())
        node.fail("two links have no parent, \"" + found + "\" and \"" + *node.find("name") + "\"; allowed: one root");
      found = *node.find("name");
    }
    if (found.empty()) root_.fail("every link is the child of a joint: a loop; allowed: a tree with one root");
    return found;
  }

  void addBody(const std::string& name, int parent, const UrdfJoint* by = nullptr) {
    // Without recursion: a chain may be as long as the file.
    struct Todo {
      std::string link;
      int parent;
      const UrdfJoint* by;
    };
    std::multimap<std::string, const UrdfJoint*> below;
    for (const UrdfJoint& joint : joints_) below.emplace(joint.parent, &joint);
    std::vector<Todo> stack{{name, parent, by}};
    while (!stack.empty()) {
      const Todo next = stack.back();
      stack.pop_back();
      const XmlNode& link = *links_.at(next.link);
      const int body = static_cast<int>(model_.bodies.size());
      model_.bodies.push_back({.name = next.link, .parent = next.parent, .place = link.place});
      if (next.by)
        readJoint(*next.by, body);
      else
        addBase(link);
      readLink(link, body);
      std::vector<Todo> children;
      for (auto [at, end] = below.equal_range(next.link); at != end; ++at)
        children.push_back({at->second->child, body, at->second});
      stack.insert(stack.end(), children.rbegin(), children.rend());
    }
    if (model_.bodies.size() < links_.size())
      for (const UrdfJoint& joint : joints_)
        if (std::none_of(model_.bodies.begin(), model_.bodies.end(), [&](const RobotBody& b) { return b.name == joint.child; }))
          joint.node->fail("link \"" + joint.child + "\" hangs on a loop of joints; allowed: a tree with one root");
  }

  void addBase(const XmlNode& link) {
    if (options_.base != RobotBase::Floating) return;
    model_.floating = true;
    model_.joints.push_back({.name = "base", .kind = RobotJointKind::Free, .body = 0, .place = link.place});
  }

  void readLink(const XmlNode& link, int index) {
    link.ignore({"type"});
    for (const XmlNode& part : link.children) {
      if (part.name == "inertial") {
        readInertial(part, model_.bodies[index]);
      } else if (part.name == "visual" || part.name == "collision") {
        readGeom(part, index, part.name == "visual");
      } else {  // Gazebo's and others' own; URDF says nothing about them
        note(part, "<" + part.name + "> of link \"" + model_.bodies[index].name + "\": no element of URDF, not read");
      }
    }
  }

  void readInertial(const XmlNode& node, RobotBody& body) {
    body.hasInertial = true;
    const Pose pose = originOf(node);
    MassProperties mass;
    if (const XmlNode* value = node.child("mass"))
      mass.mass = value->number("value", 0.0);
    else
      warn(node, "link \"" + body.name + "\": inertial without a mass, read as 0");
    if (mass.mass < 0.0) node.child("mass")->fail("value", "the mass is negative; allowed: 0 or more");
    if (const XmlNode* tensor = node.child("inertia")) {
      const auto entry = [&](const char* name) { return tensor->number(name, 0.0); };
      const double xx = entry("ixx"), yy = entry("iyy"), zz = entry("izz"), xy = entry("ixy"), xz = entry("ixz"),
                   yz = entry("iyz");
      mass.inertia << xx, xy, xz, xy, yy, yz, xz, yz, zz;
      if (mass.mass > 0.0 && !isPhysicalInertia(mass.inertia))
        warn(*tensor, "link \"" + body.name + "\": no solid has this inertia (principal moments must be positive, and none above "
                      "the sum of the others); kept as written");
    }
    body.mass = transformed(mass, pose);
  }

  void readGeom(const XmlNode& node, int body, bool visual) {
    RobotGeom geom;
    geom.name = node.attribute("name");
    geom.body = body;
    geom.visual = visual;
    geom.collision = !visual;
    geom.contactType = geom.contactAffinity = visual ? 0 : 1;
    geom.group = visual ? 2 : 3;
    geom.pose = originOf(node);
    geom.place = node.place;
    const XmlNode* geometry = node.child("geometry");
    if (!geometry || geometry->children.empty()) {
      missing(node, "<" + node.name + "> of link \"" + model_.bodies[body].name + "\" has no geometry");
      return;
    }
    if (!readShape(geometry->children.front(), geom)) return;
    for (const XmlNode& part : node.children) {
      if (part.name == "material")
        geom.material = readMaterial(part);
      else if (part.name != "origin" && part.name != "geometry")
        note(part, "<" + part.name + "> of <" + node.name + ">: for other programs, not read");
    }
    if (geom.material >= 0) geom.colour = model_.materials[geom.material].colour;
    model_.geoms.push_back(geom);
  }

  bool readShape(const XmlNode& shape, RobotGeom& geom) {
    const auto positive = [&](const char* attribute) {
      shape.required(attribute);
      const double value = shape.number(attribute, 0.0);
      if (!(value >= 0.0)) shape.fail(attribute, "found a negative length; allowed: 0 or more");
      if (value == 0.0) warn(shape, std::string(attribute) + " of <" + shape.name + "> is 0");
      return value;
    };
    if (shape.name == "sphere") {
      geom.kind = RobotGeomKind::Sphere;
      geom.size.x() = positive("radius");
    } else if (shape.name == "cylinder" || shape.name == "capsule") {
      geom.kind = shape.name == "capsule" ? RobotGeomKind::Capsule : RobotGeomKind::Cylinder;
      geom.size.x() = positive("radius");
      geom.size.y() = positive("length") / 2.0;
    } else if (shape.name == "box") {
      geom.kind = RobotGeomKind::Box;
      shape.required("size");
      geom.size = *shape.vector("size") / 2.0;
      if (geom.size.minCoeff() < 0.0) shape.fail("size", "found a negative length; allowed: 0 or more");
    } else if (shape.name == "mesh") {
      geom.kind = RobotGeomKind::Mesh;
      geom.mesh = addMesh(shape);
    } else {
      missing(shape, "<" + shape.name + ">: no shape of URDF that is known");
      return false;
    }
    return true;
  }

  int addMesh(const XmlNode& node) {
    RobotMesh mesh;
    const std::string& written = node.required("filename");
    if (node.has("scale")) {
      const std::vector<double> scale = node.numbers("scale");  // one number is common in hand-written files
      if (scale.size() != 1 && scale.size() != 3)
        node.fail("scale", "found " + std::to_string(scale.size()) + " numbers; allowed: 3");
      mesh.scale = scale.size() == 1 ? Vec3::Constant(scale[0]) : Vec3(scale[0], scale[1], scale[2]);
    }
    if (mesh.scale.cwiseAbs().minCoeff() == 0.0) node.fail("scale", "found 0; allowed: other numbers");
    mesh.file = resolveFile(written, folder_, options_.packagePaths);
    mesh.place = node.place;
    mesh.name = std::filesystem::path(written).stem().string();
    if (mesh.file.empty()) {
      missing(node, "mesh file \"" + written + "\" is not found; name its folder as a package path");
      mesh.file = written;
    }
    for (std::size_t i = 0; i < model_.meshes.size(); ++i)
      if (model_.meshes[i].file == mesh.file && model_.meshes[i].scale == mesh.scale) return static_cast<int>(i);
    model_.meshes.push_back(mesh);
    return static_cast<int>(model_.meshes.size()) - 1;
  }

  // A material by name alone is one that is described elsewhere; without a name it belongs to its shape.
  int readMaterial(const XmlNode& node) {
    RobotMaterial material;
    material.name = node.attribute("name");
    material.place = node.place;
    bool described = false;
    for (const XmlNode& part : node.children) {
      if (part.name == "color") {
        part.required("rgba");
        part.overlay("rgba", material.colour.data(), 4, 3);
        described = true;
      } else if (part.name == "texture") {
        const std::string written = part.attribute("filename");
        described = true;
        if (written.empty()) continue;
        material.texture = resolveFile(written, folder_, options_.packagePaths);
        if (material.texture.empty()) note(part, "texture \"" + written + "\" is not found: the colour is used");
      } else {
        note(part, "<" + part.name + "> of a material: for other programs, not read");
      }
    }
    if (!material.name.empty())
      for (std::size_t i = 0; i < model_.materials.size(); ++i) {
        RobotMaterial& known = model_.materials[i];
        if (known.name != material.name) continue;
        const bool same = known.colour == material.colour && known.texture == material.texture;
        if (described && !same && bare_.erase(static_cast<int>(i)) > 0) known = material;
        if (!described || same) return static_cast<int>(i);
      }
    if (!described) bare_.insert(static_cast<int>(model_.materials.size()));
    model_.materials.push_back(material);
    return static_cast<int>(model_.materials.size()) - 1;
  }

  void readJoint(const UrdfJoint& from, int body) {
    const XmlNode& node = *from.node;
    model_.bodies[body].pose = originOf(node);
    RobotJoint joint;
    joint.name = from.name;
    joint.body = body;
    joint.place = node.place;
    joint.axis = Vec3::UnitX();
    if (const XmlNode* axis = node.child("axis"))
      if (const auto xyz = axis->vector("xyz")) joint.axis = *xyz;
    const bool turns = from.kind == "revolute" || from.kind == "continuous";
    if (turns || from.kind == "prismatic" || from.kind == "planar") {
      if (!(joint.axis.norm() > 1e-9)) node.child("axis")->fail("xyz", "the axis has no length; allowed: a direction");
      if (std::abs(joint.axis.norm() - 1.0) > 1e-6)
        warn(node, "joint \"" + joint.name + "\": the axis is not of unit length; its direction is used");
      joint.axis.normalize();
    }
    if (from.kind == "fixed") {
      joint.kind = RobotJointKind::Fixed;
    } else if (turns) {
      joint.kind = RobotJointKind::Hinge;
    } else if (from.kind == "prismatic") {
      joint.kind = RobotJointKind::Slide;
    } else if (from.kind == "floating") {
      joint.kind = RobotJointKind::Free;
    } else if (from.kind == "spherical" || from.kind == "ball") {
      joint.kind = RobotJointKind::Ball;
    } else if (from.kind == "planar") {
      addPlanar(joint);
      return;
    } else {
      node.fail("type", "found \"" + from.kind + "\"; allowed: revolute, continuous, prismatic, fixed, floating, planar");
    }
    readDetails(node, from.kind, joint);
    model_.joints.push_back(joint);
  }

  // Two slides in the plane and a hinge about its normal.
  void addPlanar(RobotJoint joint) {
    const Vec3 normal = joint.axis;
    const Vec3 across = normal.unitOrthogonal();
    const std::string name = joint.name;
    for (const auto& [kind, axis, suffix] :
         {std::tuple(RobotJointKind::Slide, across, "_x"), std::tuple(RobotJointKind::Slide, Vec3(normal.cross(across)), "_y"),
          std::tuple(RobotJointKind::Hinge, normal, "_turn")}) {
      joint.kind = kind;
      joint.axis = axis;
      joint.name = name + suffix;
      model_.joints.push_back(joint);
    }
    model_.notes.push_back({joint.place, "planar joint \"" + name + "\": two slides and a hinge"});
  }

  void readDetails(const XmlNode& node, const std::string& kind, RobotJoint& joint) {
    const bool moves = joint.kind == RobotJointKind::Hinge || joint.kind == RobotJointKind::Slide;
    for (const XmlNode& part : node.children) {
      if (part.name == "limit" && moves) {
        readLimit(part, kind, joint);
      } else if (part.name == "dynamics") {
        joint.damping = part.number("damping", 0.0);
        joint.frictionLoss = part.number("friction", 0.0);
        joint.armature = part.number("armature", 0.0);
        joint.stiffness = part.number("spring_stiffness", 0.0);
        joint.springReference = part.number("spring_reference", 0.0);
        if (joint.damping < 0.0 || joint.frictionLoss < 0.0 || joint.armature < 0.0)
          part.fail("found a negative value; allowed: 0 or more");
      } else if (part.name == "mimic") {
        if (moves) mimics_.emplace_back(static_cast<int>(model_.joints.size()), &part);
      } else if (part.name == "safety_controller" || part.name == "calibration") {
        part.ignore({"soft_lower_limit", "soft_upper_limit", "k_position", "k_velocity", "rising", "falling",
                     "reference_position"});
        note(part, "<" + part.name + "> of joint \"" + joint.name + "\": for a controller, not read");
      } else if (part.name != "origin" && part.name != "parent" && part.name != "child" && part.name != "axis" &&
                 part.name != "limit") {
        note(part, "<" + part.name + "> of joint \"" + joint.name + "\": no element of URDF that is known, not read");
      }
    }
    if (kind == "revolute" && !joint.range)
      warn(node, "revolute joint \"" + joint.name + "\" has no limits; read as continuous");
  }

  void readLimit(const XmlNode& part, const std::string& kind, RobotJoint& joint) {
    const auto value = [&](const char* attribute, double otherwise) {
      std::vector<double> found;
      if (const std::string* text = part.find(attribute)) {
        const std::string wrong = parseNumbers(*text, found, true);
        if (!wrong.empty() || found.size() != 1) part.fail(attribute, wrong.empty() ? "allowed: one number" : wrong);
        return found[0];
      }
      return otherwise;
    };
    const double lower = value("lower", 0.0), upper = value("upper", 0.0);
    if (kind == "continuous") {
      // Its position has no limits, whatever stands there.
    } else if (lower > upper) {
      part.fail("lower", "is above upper; allowed: lower <= upper");
    } else if (std::isinf(lower) && std::isinf(upper)) {
      note(part, "joint \"" + joint.name + "\": infinite limits, read as none");
    } else {
      joint.range = RobotRange{lower, upper};
    }
    if (part.has("effort")) {
      const double effort = value("effort", 0.0);
      if (effort < 0.0) part.fail("effort", "is negative; allowed: 0 or more");
      if (std::isfinite(effort)) joint.effort = RobotRange{-effort, effort};
    }
    if (part.has("velocity")) {
      const double velocity = value("velocity", 0.0);
      if (velocity < 0.0) part.fail("velocity", "is negative; allowed: 0 or more");
      if (std::isfinite(velocity)) joint.velocityLimit = velocity;
    }
  }

  int jointNamed(const std::string& name) const {
    for (std::size_t i = 0; i < model_.joints.size(); ++i)
      if (model_.joints[i].name == name) return static_cast<int>(i);
    return -1;
  }

  void readMimic(int index, const XmlNode& node) {
    RobotMimic mimic;
    const std::string& name = node.required("joint");
    mimic.joint = jointNamed(name);
    if (mimic.joint < 0) {
      missing(node, "joint \"" + model_.joints[index].name + "\" mimics \"" + name + "\", and there is no such joint");
      return;
    }
    if (mimic.joint == index) node.fail("joint", "a joint cannot follow itself");
    mimic.multiplier = node.number("multiplier", 1.0);
    mimic.offset = node.number("offset", 0.0);
    model_.joints[index].mimic = mimic;
  }

  // What drives a joint: a motor whose force is geared up.
  void readTransmission(const XmlNode& node) {
    node.ignore({"name", "type"});
    const XmlNode* joint = node.child("joint");
    if (!joint) {
      note(node, "<transmission> without a joint, not read");
      return;
    }
    const std::string name = joint->attribute("name");
    RobotActuator actuator;
    actuator.index = jointNamed(name);
    if (actuator.index < 0 || dofs(model_.joints[actuator.index].kind) != 1) {
      note(node, "<transmission> for \"" + name + "\", which is no joint that moves: not read");
      return;
    }
    const auto readReduction = [&](const XmlNode& owner) {
      const XmlNode* reduction = owner.child("mechanicalReduction");
      std::vector<double> value;
      if (reduction && parseNumbers(reduction->text, value).empty() && value.size() == 1 && value[0] != 0.0)
        actuator.gear[0] = value[0];
    };
    readReduction(node);
    readReduction(*joint);
    const XmlNode* drive = node.child("actuator");
    if (drive) readReduction(*drive);
    actuator.name = drive ? drive->attribute("name", name) : name;
    actuator.place = node.place;
    if (const auto& effort = model_.joints[actuator.index].effort; effort && effort->upper > 0.0) {
      const double most = effort->upper / std::abs(actuator.gear[0]);
      actuator.controlRange = RobotRange{-most, most};
    }
    for (const RobotActuator& other : model_.actuators)
      if (other.index == actuator.index) {
        note(node, "a second <transmission> for joint \"" + name + "\", not read");
        return;
      }
    model_.actuators.push_back(actuator);
  }

  // Friction of a link's collision shapes; everything else is for Gazebo alone.
  void readGazebo(const XmlNode& node) {
    const std::string link = node.attribute("reference");
    for (const XmlNode& part : node.children) {
      std::vector<double> value;
      const XmlAttribute* written = part.attributes.empty() ? nullptr : &part.attributes.front();
      const std::string& text = written && written->name == "value" ? written->value : part.text;
      if (part.name == "mu1" && links_.contains(link) && parseNumbers(text, value).empty() && value.size() == 1 &&
          value[0] >= 0.0) {
        for (RobotGeom& geom : model_.geoms)
          if (geom.collision && model_.bodies[geom.body].name == link) geom.friction[0] = value[0];
      } else if (part.name != "mu2" && part.name != "material") {
        note(part, "<" + part.name + "> in <gazebo>" + (link.empty() ? "" : " of \"" + link + "\"") + ": for Gazebo, not read");
      }
    }
  }

  // Attributes that no reader asked for, in the elements that URDF has.
  void reportUnread(const XmlNode& node) {
    for (const XmlNode& part : node.children) {
      static const std::set<std::string> kOfUrdf{"link",   "joint",    "inertial", "mass", "inertia", "origin", "visual",
                                                 "collision", "geometry", "box", "cylinder", "sphere", "capsule", "mesh",
                                                 "axis",   "limit",    "dynamics", "mimic"};
      if (!kOfUrdf.contains(part.name)) continue;
      for (const std::string& name : part.unread())
        note(part, "attribute \"" + name + "\" of <" + part.name + ">: not read");
      reportUnread(part);
    }
  }

  XmlNode root_;
  RobotReadOptions options_;
  std::string folder_;
  RobotModel model_;
  std::map<std::string, const XmlNode*> links_;
  std::vector<UrdfJoint> joints_;
  std::vector<std::pair<int, const XmlNode*>> mimics_;
  std::vector<const XmlNode*> transmissions_, extensions_;
  std::set<int> bare_;  // materials that so far are names only
  bool sawXacro_ = false;
};

}  // namespace

RobotModel readUrdf(const std::string& file, const RobotReadOptions& options) { return UrdfReader(file, options).read(); }

}  // namespace cairn
