// Bodies, frames, replicates, joints, sites.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "import/robot/mjcf/mjcf_reader.hpp"

namespace cairn {
namespace {

constexpr int kMostCopies = 100'000;
constexpr std::size_t kMostElements = 1'000'000;  // replicates inside replicates grow fast

void markAll(const XmlNode& node) {
  for (const XmlAttribute& a : node.attributes) a.read = true;
  for (const XmlNode& part : node.children) markAll(part);
}

}  // namespace

void MjcfReader::claimName(const XmlNode& node, const char* kind, const std::string& name) {
  if (!name.empty() && !names_.emplace(kind, name).second)
    node.fail("name", "\"" + name + "\" is the name of another " + kind);
}

// Joints, shapes and sites in the order of their bodies, wherever they stand among the bodies inside.
void MjcfReader::sortByBody() {
  const auto sorted = [](const auto& items) {
    std::vector<int> order(items.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return items[a].body < items[b].body; });
    return order;
  };
  const auto apply = [](auto& items, const std::vector<int>& order) {
    auto old = std::move(items);
    items.clear();
    for (const int index : order) items.push_back(std::move(old[index]));
  };
  const std::vector<int> joints = sorted(model_.joints), geoms = sorted(model_.geoms), sites = sorted(model_.sites);
  apply(model_.joints, joints);
  apply(model_.geoms, geoms);
  apply(shapeMasses_, geoms);
  apply(model_.sites, sites);
  std::vector<int> moved(joints.size());
  for (std::size_t i = 0; i < joints.size(); ++i) moved[joints[i]] = static_cast<int>(i);
  for (Pending& pending : springDampers_) pending.joint = moved[pending.joint];
}

const MjcfClass& MjcfReader::classOf(const XmlNode& node, const Scope& scope) const {
  return classes_.find(node.attribute("class", scope.childClass), node);
}

void MjcfReader::readBodyContent(const XmlNode& node, Scope scope) {
  if (++scope.depth > 600) node.fail("bodies are nested too deeply; allowed: 500 levels");
  for (const XmlNode& part : node.children) {
    if (model_.bodies.size() + model_.geoms.size() + model_.sites.size() + model_.joints.size() > kMostElements)
      part.fail("more than a million bodies, joints, shapes and sites");
    if (part.name == "body") {
      readBody(part, scope);
    } else if (part.name == "geom") {
      readGeom(part, scope);
    } else if (part.name == "site") {
      readSite(part, scope);
    } else if (part.name == "joint" || part.name == "freejoint") {
      readJoint(part, scope);
    } else if (part.name == "inertial") {
      if (scope.body < 0) part.fail("the world has no inertia; allowed: inside a body");
      readInertial(part, model_.bodies[scope.body]);
    } else if (part.name == "frame") {
      Scope inner = scope;
      Pose pose;
      readPlacement(part, settings_, pose);
      part.ignore({"name"});
      inner.frame = scope.frame * pose;
      inner.childClass = part.attribute("childclass", scope.childClass);
      readBodyContent(part, inner);
    } else if (part.name == "replicate") {
      readReplicate(part, scope);
    } else if (part.name == "light" || part.name == "camera") {
      markAll(part);
      remarks_.note(part, "<" + part.name + ">: does not change the motion, not read");
    } else {
      markAll(part);
      remarks_.missing(part, "<" + part.name + "> in a body: cannot be represented");
    }
  }
}

void MjcfReader::readBody(const XmlNode& node, const Scope& scope) {
  RobotBody body;
  if (node.has("name")) body.name = node.attribute("name") + scope.suffix;
  if (body.name == "world") node.fail("name", "this is the name of the world");
  claimName(node, "body", body.name);
  body.parent = scope.body;
  Pose pose;
  readPlacement(node, settings_, pose);
  body.pose = scope.frame * pose;
  body.mocap = node.boolean("mocap", false);
  if (body.mocap && scope.body >= 0) node.fail("mocap", "allowed: for children of the world only");
  body.gravityCompensation = node.number("gravcomp", 0.0);
  body.place = node.place;
  node.ignore({"user", "sleep"});
  Scope inner;
  inner.childClass = node.attribute("childclass", scope.childClass);
  inner.suffix = scope.suffix;
  inner.depth = scope.depth;
  inner.body = static_cast<int>(model_.bodies.size());
  model_.bodies.push_back(std::move(body));
  readBodyContent(node, inner);
}

void MjcfReader::readReplicate(const XmlNode& node, const Scope& scope) {
  node.required("count");
  const int count = node.integer("count", 1);
  if (count < 0 || count > kMostCopies) node.fail("count", "allowed: 0 to 100000");
  const std::string separator = node.attribute("sep");
  const Vec3 offset = node.vector("offset").value_or(Vec3::Zero());
  Vec3 angles = node.vector("euler").value_or(Vec3::Zero());
  for (double& angle : angles) angle = settings_.angle(angle);
  const Quat step = fromEuler(angles, settings_.eulerSequence);
  const std::size_t digits = std::to_string(count - 1).size();
  Pose at;
  for (int i = 0; i < count; ++i) {
    Scope inner = scope;
    std::string number = std::to_string(i);
    number.insert(0, digits - number.size(), '0');
    inner.suffix = separator + number + scope.suffix;
    inner.frame = scope.frame * at;
    inner.childClass = node.attribute("childclass", scope.childClass);
    readBodyContent(node, inner);
    at.position += at.rotation * offset;
    at.rotation = (at.rotation * step).normalized();
  }
}

void MjcfReader::readInertial(const XmlNode& node, RobotBody& body) {
  if (body.hasInertial) node.fail("there are two in this body; allowed: one");
  body.hasInertial = true;
  Pose pose;
  node.required("pos");
  readPlacement(node, settings_, pose);
  MassProperties mass;
  node.required("mass");
  mass.mass = node.number("mass", 0.0);
  if (mass.mass < 0.0) node.fail("mass", "is negative; allowed: 0 or more");
  double full[6];
  if (node.overlay("fullinertia", full, 6, 6)) {
    if (node.has("diaginertia")) node.fail("diaginertia and fullinertia are both given; allowed: one of them");
    mass.inertia << full[0], full[3], full[4], full[3], full[1], full[5], full[4], full[5], full[2];
  } else if (Vec3 moments; node.overlay("diaginertia", moments.data(), 3, 3)) {
    if (moments.minCoeff() < 0.0) node.fail("diaginertia", "is negative; allowed: 0 or more");
    mass.inertia = moments.asDiagonal();
  } else {
    remarks_.warn(node, "inertial of body \"" + body.name + "\" has a mass and no inertia: a point");
  }
  const Mat3 r = pose.rotation.toRotationMatrix();
  mass.inertia = r * mass.inertia * r.transpose();
  mass.center = pose.position;
  body.mass = mass;
  node.ignore({"class"});
}

void MjcfReader::readJoint(const XmlNode& node, const Scope& scope) {
  if (scope.body < 0) node.fail("the world cannot move; allowed: inside a body");
  if (node.name == "freejoint") {
    MjcfJoint record;  // defaults do not apply to it
    record.type = "free";
    node.ignore({"group", "align"});
    addJoint(node, record, scope);
    return;
  }
  MjcfJoint record = classOf(node, scope).joint;
  readAttributes(node, settings_, record, remarks_);
  addJoint(node, record, scope);
}

void MjcfReader::addJoint(const XmlNode& node, MjcfJoint record, const Scope& scope) {
  RobotJoint& joint = record.joint;
  if (node.has("name")) joint.name = node.attribute("name") + scope.suffix;
  claimName(node, "joint", joint.name);
  joint.body = scope.body;
  joint.place = node.place;
  if (record.type == "hinge")
    joint.kind = RobotJointKind::Hinge;
  else if (record.type == "slide")
    joint.kind = RobotJointKind::Slide;
  else if (record.type == "ball")
    joint.kind = RobotJointKind::Ball;
  else if (record.type == "free")
    joint.kind = RobotJointKind::Free;
  else
    node.fail("type", "found \"" + record.type + "\"; allowed: free, ball, slide, hinge");
  const bool angular = joint.kind == RobotJointKind::Hinge || joint.kind == RobotJointKind::Ball;
  const auto unit = [&](double value) { return angular ? settings_.angle(value) : value; };
  if (joint.kind == RobotJointKind::Hinge || joint.kind == RobotJointKind::Slide) {
    if (!(joint.axis.norm() > 1e-14)) node.fail("axis", "has no length; allowed: a direction");
    joint.axis = scope.frame.direction(joint.axis.normalized());
    joint.reference = unit(record.reference);
    joint.springReference = unit(record.springReference);
  }
  joint.anchor = scope.frame.point(joint.anchor);
  if (joint.kind == RobotJointKind::Free) {
    if (model_.bodies[scope.body].parent >= 0) node.fail("a free joint; allowed: in children of the world only");
    joint.anchor.setZero();
    record.limited = MjcfAuto::False;
  }
  if (record.limited == MjcfAuto::Auto && !settings_.autoLimits) {
    if (record.range[0] < record.range[1])
      remarks_.warn(node, "joint \"" + joint.name + "\" has a range, and autolimits is false: it is not limited");
  } else if (isLimited(record.limited, record.range)) {
    if (!(record.range[0] < record.range[1])) node.fail("range", "allowed: the first number below the second");
    joint.range = RobotRange{unit(record.range[0]), unit(record.range[1])};
  }
  const bool openEffort = record.effortLimited == MjcfAuto::Auto && !settings_.autoLimits;
  if (!openEffort && isLimited(record.effortLimited, record.effort))
    joint.effort = RobotRange{record.effort[0], record.effort[1]};
  joint.limitSoftness = softness(record.limitSolver);
  joint.frictionSoftness = softness(record.frictionSolver);
  if (record.springDamper[0] > 0.0 && record.springDamper[1] > 0.0)
    springDampers_.push_back({static_cast<int>(model_.joints.size()), record.springDamper[0], record.springDamper[1]});
  model_.joints.push_back(joint);
}

void MjcfReader::readSite(const XmlNode& node, const Scope& scope) {
  MjcfSite record = classOf(node, scope).site;
  readAttributes(node, settings_, record, remarks_);
  if (record.fromTo) {
    const auto& e = *record.fromTo;
    const Vec3 from(e[0], e[1], e[2]), to(e[3], e[4], e[5]);
    if (!((from - to).norm() > 1e-14)) node.fail("fromto", "both ends are the same point");
    record.site.pose = {0.5 * (from + to), turningZTo(from - to)};
  }
  RobotSite& site = record.site;
  if (node.has("name")) site.name = node.attribute("name") + scope.suffix;
  claimName(node, "site", site.name);
  site.body = scope.body;
  site.pose = scope.frame * site.pose;
  site.place = node.place;
  model_.sites.push_back(site);
}

}  // namespace cairn
