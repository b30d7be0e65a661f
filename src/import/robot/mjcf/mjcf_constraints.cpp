// Equality constraints, tendons, and which shapes may touch.
#include <algorithm>
#include <cmath>

#include "import/robot/mjcf/mjcf_reader.hpp"
#include "import/robot/reference_state.hpp"

namespace cairn {

void MjcfReader::readEqualities() {
  eachSection("equality", [&](const XmlNode& section) {
    for (const XmlNode& node : section.children) {
      MjcfEquality record = classes_.find(node.attribute("class"), node).equality;
      readAttributes(node, record, remarks_);
      RobotEquality& equality = record.equality;
      equality.softness = softness(record.solver);
      equality.name = node.attribute("name");
      equality.place = node.place;
      if (node.name == "connect" || node.name == "weld") {
        readConnectOrWeld(node, equality);
      } else if (node.name == "joint" || node.name == "tendon") {
        const bool joints = node.name == "joint";
        equality.kind = joints ? RobotEqualityKind::Joint : RobotEqualityKind::Tendon;
        const auto find = [&](const char* attribute) {
          return joints ? required(model_.joints, node, attribute, "joint") : required(model_.tendons, node, attribute, "tendon");
        };
        equality.first = find(joints ? "joint1" : "tendon1");
        if (node.has(joints ? "joint2" : "tendon2")) equality.second = find(joints ? "joint2" : "tendon2");
        for (const int index : {equality.first, equality.second})
          if (joints && index >= 0 && dofs(model_.joints[index].kind) != 1)
            node.fail("joint \"" + model_.joints[index].name + "\" has several coordinates; allowed: hinges and slides");
        node.overlay("polycoef", equality.polynomial.data(), 5);
        model_.equalities.push_back(equality);
      } else {
        for (const XmlAttribute& a : node.attributes) a.read = true;
        remarks_.missing(node, "equality: <" + node.name + ">: cannot be represented");
      }
    }
  });
}

void MjcfReader::readConnectOrWeld(const XmlNode& node, RobotEquality equality) {
  const bool weld = node.name == "weld";
  equality.kind = weld ? RobotEqualityKind::Weld : RobotEqualityKind::Connect;
  equality.torqueScale = node.number("torquescale", 1.0);
  if (node.has("site1") || node.has("site2")) {
    const RobotSite& first = model_.sites[required(model_.sites, node, "site1", "site")];
    const RobotSite& second = model_.sites[required(model_.sites, node, "site2", "site")];
    equality.first = first.body;
    equality.second = second.body;
    equality.firstFrame = first.pose;
    equality.secondFrame = second.pose;
    node.ignore({"anchor", "relpose", "body1", "body2"});
    model_.equalities.push_back(equality);
    return;
  }
  equality.first = bodyNamed(node, "body1", node.required("body1"));
  equality.second = bodyNamed(node, "body2", node.attribute("body2", "world"));
  if (equality.first == equality.second) node.fail("body2", "both are the same body; allowed: two");
  const std::vector<Pose> poses = referencePoses(model_);
  const auto poseOf = [&](int body) { return body < 0 ? Pose{} : poses[body]; };
  const Pose relative = poseOf(equality.first).inverse() * poseOf(equality.second);  // the second in the first
  const Vec3 anchor = node.vector("anchor").value_or(Vec3::Zero());
  if (!weld) {
    node.required("anchor");
    equality.firstFrame.position = anchor;  // in the first body; the second has it where it is at the reference
    equality.secondFrame.position = relative.inversePoint(anchor);
  } else {
    // The anchor is in the second body. A relative pose whose quaternion is zero stands for the one at the reference.
    Pose wanted = relative;
    double p[7];
    if (node.overlay("relpose", p, 7, 7)) {
      const Quat q(p[3], p[4], p[5], p[6]);
      if (q.norm() > 1e-14) wanted = {Vec3(p[0], p[1], p[2]), q.normalized()};
    }
    equality.secondFrame.position = anchor;
    equality.firstFrame = wanted * equality.secondFrame;
  }
  model_.equalities.push_back(equality);
}

void MjcfReader::readTendons() {
  eachSection("tendon", [&](const XmlNode& section) {
    for (const XmlNode& node : section.children) readTendon(node);
  });
}

void MjcfReader::readTendon(const XmlNode& node) {
  if (node.name != "fixed" && node.name != "spatial") node.fail("allowed: fixed, spatial");
  MjcfTendon record = classes_.find(node.attribute("class"), node).tendon;
  readAttributes(node, record, remarks_);
  RobotTendon& tendon = record.tendon;
  tendon.name = node.attribute("name");
  claimName(node, "tendon", tendon.name);
  tendon.place = node.place;
  for (const XmlNode& part : node.children) {
    if (node.name == "fixed" && part.name == "joint") {
      const int joint = required(model_.joints, part, "joint", "joint");
      if (dofs(model_.joints[joint].kind) != 1) part.fail("joint", "allowed: hinges and slides");
      part.required("coef");
      tendon.joints.emplace_back(joint, part.number("coef", 1.0));
    } else if (node.name == "spatial" && part.name == "site") {
      tendon.path.push_back({.kind = RobotTendonPoint::Kind::Site, .site = required(model_.sites, part, "site", "site")});
    } else if (node.name == "spatial" && part.name == "geom") {
      RobotTendonPoint point{.kind = RobotTendonPoint::Kind::Wrap, .geom = required(model_.geoms, part, "geom", "geom")};
      const RobotGeomKind kind = model_.geoms[point.geom].kind;
      if (kind != RobotGeomKind::Sphere && kind != RobotGeomKind::Cylinder) part.fail("geom", "allowed: spheres and cylinders");
      if (part.has("sidesite")) point.sideSite = required(model_.sites, part, "sidesite", "site");
      tendon.path.push_back(point);
    } else if (node.name == "spatial" && part.name == "pulley") {
      part.required("divisor");
      const double divisor = part.number("divisor", 1.0);
      if (!(divisor > 0.0)) part.fail("divisor", "allowed: above 0");
      tendon.path.push_back({.kind = RobotTendonPoint::Kind::Pulley, .divisor = divisor});
    } else {
      part.fail("is no part of a " + node.name + " tendon");
    }
  }
  if (tendon.joints.empty() && tendon.path.empty()) node.fail("the tendon has no path");
  const bool open = !settings_.autoLimits;
  if (!(record.limited == MjcfAuto::Auto && open) && isLimited(record.limited, record.range))
    tendon.range = RobotRange{record.range[0], record.range[1]};
  if (!(record.effortLimited == MjcfAuto::Auto && open) && isLimited(record.effortLimited, record.effort))
    tendon.effort = RobotRange{record.effort[0], record.effort[1]};
  if (record.springLength[0] >= 0.0 || record.springLength[1] != record.springLength[0])
    tendon.restLength = RobotRange{record.springLength[0], std::max(record.springLength[0], record.springLength[1])};
  tendon.limitSoftness = softness(record.limitSolver);
  model_.tendons.push_back(tendon);
}

void MjcfReader::readContacts() {
  eachSection("contact", [&](const XmlNode& section) {
    for (const XmlNode& node : section.children) {
      if (node.name == "exclude") {
        node.ignore({"name"});
        RobotExclude exclude;
        exclude.first = bodyNamed(node, "body1", node.required("body1"));
        exclude.second = bodyNamed(node, "body2", node.required("body2"));
        exclude.place = node.place;
        model_.excludes.push_back(exclude);
      } else if (node.name == "pair") {
        MjcfPair record = classes_.find(node.attribute("class"), node).pair;
        readAttributes(node, record, remarks_);
        RobotPair& pair = record.pair;
        pair.first = indexOf(model_.geoms, record.first);
        pair.second = indexOf(model_.geoms, record.second);
        if (pair.first < 0) node.fail("geom1", "there is no geom \"" + record.first + "\"");
        if (pair.second < 0) node.fail("geom2", "there is no geom \"" + record.second + "\"");
        // What the pair leaves open comes from its shapes: the larger, or that of the higher priority.
        const RobotGeom &a = model_.geoms[pair.first], &b = model_.geoms[pair.second];
        const auto merged = [&](double first, double second) {
          return a.priority == b.priority ? std::max(first, second) : a.priority > b.priority ? first : second;
        };
        if (!record.dimensionGiven)
          pair.contactDimension = static_cast<int>(merged(a.contactDimension, b.contactDimension));
        if (!record.frictionGiven)
          for (int i = 0; i < 5; ++i) {
            const int from = i < 2 ? 0 : i == 2 ? 1 : 2;
            pair.friction[i] = merged(a.friction[from], b.friction[from]);
          }
        if (!record.marginGiven) pair.margin = std::max(a.margin, b.margin);
        if (!record.gapGiven) pair.gap = std::max(a.gap, b.gap);
        pair.softness = softness(record.solver);
        pair.place = node.place;
        model_.pairs.push_back(pair);
      } else {
        node.fail("allowed: pair, exclude");
      }
    }
  });
}

}  // namespace cairn
