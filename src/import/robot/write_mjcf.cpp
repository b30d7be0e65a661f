#include <array>
#include <cstdio>
#include <set>

#include "import/robot/reference_state.hpp"
#include "import/robot/write_robot.hpp"

namespace cairn {
namespace {

std::string escaped(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    if (c == '&')
      safe += "&amp;";
    else if (c == '<')
      safe += "&lt;";
    else if (c == '"')
      safe += "&quot;";
    else
      safe += c;
  }
  return safe;
}

std::string digits(double value) {
  char buffer[40];
  std::snprintf(buffer, sizeof buffer, "%.17g", value);
  return buffer;
}

// One element under way: attributes, then children or the end.
class Text {
 public:
  Text& open(const std::string& name) {
    out_ += std::string(2 * depth_, ' ') + "<" + name;
    return *this;
  }
  Text& word(const char* key, const std::string& value) {
    if (!value.empty()) out_ += std::string(" ") + key + "=\"" + escaped(value) + "\"";
    return *this;
  }
  template <typename List>
  Text& list(const char* key, const List& values) {
    std::string all;
    for (const double value : values) all += (all.empty() ? "" : " ") + digits(value);
    return word(key, all);
  }
  Text& vector(const char* key, const Vec3& v) { return list(key, std::array{v.x(), v.y(), v.z()}); }
  Text& number(const char* key, double value, double otherwise) { return value == otherwise ? *this : word(key, digits(value)); }
  Text& quat(const char* key, const Quat& q) {
    return q.coeffs() == Quat::Identity().coeffs() ? *this : list(key, std::array{q.w(), q.x(), q.y(), q.z()});
  }
  Text& pose(const Pose& p) {
    if (p.position != Vec3::Zero()) vector("pos", p.position);
    return quat("quat", p.rotation);
  }
  Text& range(const char* flag, const char* key, const std::optional<RobotRange>& range) {
    return range ? word(flag, "true").list(key, std::array{range->lower, range->upper}) : *this;
  }
  Text& soft(const char* key, const std::optional<RobotSoftness>& s) {
    return s ? list(key, std::array{-s->stiffness, -s->damping}) : *this;
  }
  void end() { out_ += "/>\n"; }
  void begin() { out_ += ">\n", ++depth_; }
  void close(const char* name) { --depth_, out_ += std::string(2 * depth_, ' ') + "</" + name + ">\n"; }
  std::string text() const { return out_; }

 private:
  std::string out_;
  int depth_ = 0;
};

class MjcfWriter {
 public:
  MjcfWriter(const RobotModel& model, std::vector<RobotRemark>& lost) : model_(model), lost_(lost) {}

  std::string write() {
    out_.open("mujoco").word("model", model_.name).begin();
    out_.open("compiler").word("angle", "radian").word("autolimits", "false").word("inertiafromgeom", "false").end();
    writeOption();
    section("asset", [&] { writeAssets(); });
    out_.open("worldbody").begin();
    writeBodies();
    out_.close("worldbody");
    if (!model_.tendons.empty()) section("tendon", [&] { writeTendons(); });
    if (!model_.excludes.empty() || !model_.pairs.empty()) section("contact", [&] { writeContacts(); });
    section("equality", [&] { writeEqualities(); });
    if (!model_.actuators.empty()) section("actuator", [&] { writeActuators(); });
    if (!model_.sensors.empty()) section("sensor", [&] { writeSensors(); });
    if (!model_.keyframes.empty()) section("keyframe", [&] { writeKeyframes(); });
    out_.close("mujoco");
    return out_.text();
  }

 private:
  template <typename Fill>
  void section(const char* name, Fill fill) {
    out_.open(name).begin();
    fill();
    out_.close(name);
  }
  void lose(const RobotPlace& place, const std::string& what) { lost_.push_back({place, what}); }
  std::string bodyName(int body) const { return body < 0 ? "world" : model_.bodies[body].name; }
  std::string meshName(int mesh) const { return "mesh" + std::to_string(mesh) + "_" + model_.meshes[mesh].name; }
  std::string materialName(int material) const {
    return "material" + std::to_string(material) + "_" + model_.materials[material].name;
  }

  void writeOption() {
    const RobotOptions& o = model_.options;
    out_.open("option");
    if (o.timestep) out_.number("timestep", *o.timestep, 0.0);
    out_.vector("gravity", o.gravity).vector("wind", o.wind).vector("magnetic", o.magneticField);
    out_.number("density", o.density, 0.0).number("viscosity", o.viscosity, 0.0);
    out_.word("integrator", o.integrator).word("solver", o.solver).word("cone", o.cone);
    out_.number("impratio", o.frictionImpedanceRatio, 1.0);
    if (!o.parentsTouchChildren) return out_.end();
    out_.begin();
    out_.open("flag").word("filterparent", "disable").end();
    out_.close("option");
  }

  void writeAssets() {
    std::set<std::string> textures;
    for (std::size_t i = 0; i < model_.materials.size(); ++i) {
      const RobotMaterial& material = model_.materials[i];
      const std::string texture = material.texture.empty() ? "" : "texture" + std::to_string(i);
      if (!texture.empty()) out_.open("texture").word("name", texture).word("type", "2d").word("file", material.texture).end();
      out_.open("material").word("name", materialName(static_cast<int>(i))).word("texture", texture).list("rgba", material.colour).end();
    }
    for (std::size_t i = 0; i < model_.meshes.size(); ++i) {
      const RobotMesh& mesh = model_.meshes[i];
      out_.open("mesh").word("name", meshName(static_cast<int>(i))).word("file", mesh.file).vector("scale", mesh.scale);
      out_.vector("refpos", mesh.referencePosition).quat("refquat", mesh.referenceRotation);
      std::vector<double> points, corners;
      for (const Vec3& v : mesh.vertices) points.insert(points.end(), {v.x(), v.y(), v.z()});
      for (const auto& triangle : mesh.triangles) corners.insert(corners.end(), triangle.begin(), triangle.end());
      out_.list("vertex", points).list("face", corners).end();
    }
  }

  // Depth first without recursion: a chain may be long.
  void writeBodies() {
    std::vector<std::vector<int>> children(model_.bodies.size() + 1), geoms(children.size()), sites(children.size()),
        joints(children.size());
    for (std::size_t i = model_.bodies.size(); i-- > 0;) children[model_.bodies[i].parent + 1].push_back(static_cast<int>(i));
    for (std::size_t i = 0; i < model_.geoms.size(); ++i) geoms[model_.geoms[i].body + 1].push_back(static_cast<int>(i));
    for (std::size_t i = 0; i < model_.sites.size(); ++i) sites[model_.sites[i].body + 1].push_back(static_cast<int>(i));
    for (std::size_t i = 0; i < model_.joints.size(); ++i) joints[model_.joints[i].body + 1].push_back(static_cast<int>(i));
    std::vector<std::pair<int, bool>> stack{{-1, false}};
    while (!stack.empty()) {
      const auto [body, done] = stack.back();
      stack.pop_back();
      if (done) {
        if (body >= 0) out_.close("body");
        continue;
      }
      if (body >= 0) beginBody(model_.bodies[body]);
      for (const int joint : joints[body + 1]) writeJoint(model_.joints[joint]);
      for (const int geom : geoms[body + 1]) writeGeom(model_.geoms[geom]);
      for (const int site : sites[body + 1])
        out_.open("site").word("name", model_.sites[site].name).pose(model_.sites[site].pose).number("group", model_.sites[site].group, 0).end();
      stack.emplace_back(body, true);
      for (const int child : children[body + 1]) stack.emplace_back(child, false);
    }
  }

  void beginBody(const RobotBody& body) {
    out_.open("body").word("name", body.name).pose(body.pose).number("gravcomp", body.gravityCompensation, 0.0);
    if (body.mocap) out_.word("mocap", "true");
    out_.begin();
    const MassProperties& m = body.mass;
    if (m.mass == 0.0 && m.inertia == Mat3::Zero()) return;
    const Mat3& i = m.inertia;
    out_.open("inertial").vector("pos", m.center).word("mass", digits(m.mass));
    out_.list("fullinertia", std::array{i(0, 0), i(1, 1), i(2, 2), i(0, 1), i(0, 2), i(1, 2)}).end();
  }

  void writeJoint(const RobotJoint& j) {
    if (j.velocityLimit) lose(j.place, "joint \"" + j.name + "\": its limit of velocity");
    static const char* kTypes[] = {"", "hinge", "slide", "ball", "free"};
    if (j.kind == RobotJointKind::Fixed) return;
    out_.open("joint").word("name", j.name).word("type", kTypes[static_cast<int>(j.kind)]);
    if (dofs(j.kind) == 1) out_.vector("axis", j.axis);
    if (j.anchor != Vec3::Zero()) out_.vector("pos", j.anchor);
    out_.range("limited", "range", j.range).range("actuatorfrclimited", "actuatorfrcrange", j.effort);
    out_.number("ref", j.reference, 0.0).number("springref", j.springReference, 0.0).number("stiffness", j.stiffness, 0.0);
    out_.number("damping", j.damping, 0.0).number("frictionloss", j.frictionLoss, 0.0).number("armature", j.armature, 0.0);
    out_.number("margin", j.limitMargin, 0.0).soft("solreflimit", j.limitSoftness).soft("solreffriction", j.frictionSoftness);
    if (j.compensatesByActuator) out_.word("actuatorgravcomp", "true");
    out_.end();
  }

  void writeGeom(const RobotGeom& g) {
    static const char* kTypes[] = {"plane", "sphere", "capsule", "ellipsoid", "cylinder", "box", "mesh"};
    if (g.restitution) lose(g.place, "geom \"" + g.name + "\": its restitution");
    std::string name = g.name;
    if (!name.empty() && !geomNames_.insert(name).second) name.clear();  // URDF may repeat them
    out_.open("geom").word("name", name).word("type", kTypes[static_cast<int>(g.kind)]).pose(g.pose);
    if (g.kind == RobotGeomKind::Mesh)
      out_.word("mesh", meshName(g.mesh));
    else
      out_.vector("size", g.size);
    out_.number("contype", g.contactType, 1).number("conaffinity", g.contactAffinity, 1).number("group", g.group, 0);
    out_.number("condim", g.contactDimension, 3).number("priority", g.priority, 0).list("friction", g.friction);
    out_.number("margin", g.margin, 0.0).number("gap", g.gap, 0.0).soft("solref", g.softness).list("rgba", g.colour);
    if (g.material >= 0) out_.word("material", materialName(g.material));
    out_.end();
  }

  void writeTendons() {
    for (const RobotTendon& t : model_.tendons) {
      const char* kind = t.path.empty() ? "fixed" : "spatial";
      out_.open(kind).word("name", t.name).range("limited", "range", t.range);
      out_.range("actuatorfrclimited", "actuatorfrcrange", t.effort).number("stiffness", t.stiffness, 0.0);
      out_.number("damping", t.damping, 0.0).number("frictionloss", t.frictionLoss, 0.0).number("armature", t.armature, 0.0);
      out_.number("margin", t.limitMargin, 0.0).soft("solreflimit", t.limitSoftness);
      if (t.restLength) out_.list("springlength", std::array{t.restLength->lower, t.restLength->upper});
      out_.begin();
      for (const auto& [joint, coefficient] : t.joints)
        out_.open("joint").word("joint", model_.joints[joint].name).word("coef", digits(coefficient)).end();
      for (const RobotTendonPoint& p : t.path) {
        if (p.kind == RobotTendonPoint::Kind::Pulley) {
          out_.open("pulley").word("divisor", digits(p.divisor)).end();
        } else if (p.kind == RobotTendonPoint::Kind::Site) {
          out_.open("site").word("site", model_.sites[p.site].name).end();
        } else {
          out_.open("geom").word("geom", model_.geoms[p.geom].name);
          if (p.sideSite >= 0) out_.word("sidesite", model_.sites[p.sideSite].name);
          out_.end();
        }
      }
      out_.close(kind);
    }
  }

  void writeContacts() {
    for (const RobotExclude& e : model_.excludes)
      out_.open("exclude").word("body1", bodyName(e.first)).word("body2", bodyName(e.second)).end();
    for (const RobotPair& p : model_.pairs) {
      out_.open("pair").word("geom1", model_.geoms[p.first].name).word("geom2", model_.geoms[p.second].name);
      out_.word("condim", std::to_string(p.contactDimension)).list("friction", p.friction).word("margin", digits(p.margin));
      out_.word("gap", digits(p.gap)).soft("solref", p.softness).end();
    }
  }

  // A site at the frame, if there is one with a name.
  std::string siteAt(int body, const Pose& frame) const {
    for (const RobotSite& site : model_.sites)
      if (site.body == body && !site.name.empty() && site.pose.position == frame.position &&
          site.pose.rotation.coeffs() == frame.rotation.coeffs())
        return site.name;
    return "";
  }

  void writeEqualities() {
    const std::vector<Pose> poses = referencePoses(model_);
    for (const RobotEquality& e : model_.equalities) {
      const auto open = [&](const char* kind) {
        out_.open(kind).word("name", e.name).soft("solref", e.softness);
        if (!e.active) out_.word("active", "false");
      };
      if (e.kind == RobotEqualityKind::Joint || e.kind == RobotEqualityKind::Tendon) {
        const bool joints = e.kind == RobotEqualityKind::Joint;
        const auto name = [&](int i) { return i < 0 ? "" : joints ? model_.joints[i].name : model_.tendons[i].name; };
        open(joints ? "joint" : "tendon");
        out_.word(joints ? "joint1" : "tendon1", name(e.first)).word(joints ? "joint2" : "tendon2", name(e.second));
        out_.list("polycoef", e.polynomial).end();
        continue;
      }
      const bool weld = e.kind == RobotEqualityKind::Weld;
      const std::string first = siteAt(e.first, e.firstFrame), second = siteAt(e.second, e.secondFrame);
      const auto world = [&](int body) { return body < 0 ? Pose{} : poses[body]; };
      const double apart =
          (world(e.first).point(e.firstFrame.position) - world(e.second).point(e.secondFrame.position)).norm();
      if (!first.empty() && !second.empty()) {
        open(weld ? "weld" : "connect");
        out_.word("site1", first).word("site2", second);
      } else if (e.first < 0 || (!weld && apart > 1e-9)) {
        lose(e.place, "equality \"" + e.name + "\": points that are apart at the reference");
        continue;
      } else {
        open(weld ? "weld" : "connect");
        out_.word("body1", bodyName(e.first)).word("body2", bodyName(e.second));
        if (!weld) {
          out_.vector("anchor", e.firstFrame.position);
        } else {
          const Pose relative = e.firstFrame * e.secondFrame.inverse();
          const Vec3& p = relative.position;
          const Quat& q = relative.rotation;
          out_.vector("anchor", e.secondFrame.position);
          out_.list("relpose", std::array{p.x(), p.y(), p.z(), q.w(), q.x(), q.y(), q.z()});
        }
      }
      if (weld) out_.number("torquescale", e.torqueScale, 1.0);
      out_.end();
    }
    for (const RobotJoint& joint : model_.joints)
      if (joint.mimic)
        out_.open("joint").word("joint1", joint.name).word("joint2", model_.joints[joint.mimic->joint].name)
            .list("polycoef", std::array{joint.mimic->offset, joint.mimic->multiplier, 0.0, 0.0, 0.0}).end();
  }

  void writeActuators() {
    for (const RobotActuator& a : model_.actuators) {
      const double factor = a.kind == RobotActuatorKind::Position   ? a.stiffness
                            : a.kind == RobotActuatorKind::Velocity ? a.damping
                                                                    : 1.0;
      out_.open("general").word("name", a.name);
      if (a.target == RobotTarget::Tendon) {
        out_.word("tendon", model_.tendons[a.index].name);
      } else if (a.target == RobotTarget::Site) {
        out_.word("site", model_.sites[a.index].name);
        if (a.referenceSite >= 0) out_.word("refsite", model_.sites[a.referenceSite].name);
      } else {
        out_.word(a.target == RobotTarget::Joint ? "joint" : "jointinparent", model_.joints[a.index].name);
      }
      out_.list("gear", a.gear).word("gainprm", digits(factor * a.scale)).word("biastype", "affine");
      out_.list("biasprm", std::array{factor * a.offset, -a.stiffness, -a.damping});
      if (a.filterTime > 0.0) out_.word("dyntype", "filterexact").word("dynprm", digits(a.filterTime));
      out_.range("ctrllimited", "ctrlrange", a.controlRange).range("forcelimited", "forcerange", a.forceRange);
      out_.range("actlimited", "actrange", a.activationRange).end();
    }
  }

  std::string objectName(const std::string& kind, int index) const {
    if (kind == "site") return model_.sites[index].name;
    if (kind == "joint") return model_.joints[index].name;
    if (kind == "tendon") return model_.tendons[index].name;
    if (kind == "geom") return model_.geoms[index].name;
    if (kind == "actuator") return index < 0 ? "" : model_.actuators[index].name;
    return bodyName(index);
  }

  void writeSensors() {
    for (const RobotSensor& s : model_.sensors) {
      out_.open(s.kind).word("name", s.name).number("cutoff", s.cutoff, 0.0).number("noise", s.noise, 0.0);
      if (s.kind.starts_with("frame")) {
        out_.word("objtype", s.objectKind).word("objname", objectName(s.objectKind, s.object));
        if (!s.referenceKind.empty())
          out_.word("reftype", s.referenceKind).word("refname", objectName(s.referenceKind, s.reference));
      } else if (!s.objectKind.empty()) {
        out_.word(s.objectKind.c_str(), objectName(s.objectKind, s.object));
      }
      out_.end();
    }
  }

  void writeKeyframes() {
    for (const RobotKeyframe& key : model_.keyframes)
      out_.open("key").word("name", key.name).number("time", key.time, 0.0).list("qpos", key.positions).list("qvel", key.velocities)
          .list("act", key.activations).list("ctrl", key.controls).end();
  }

  const RobotModel& model_;
  std::vector<RobotRemark>& lost_;
  Text out_;
  std::set<std::string> geomNames_;
};

}  // namespace

std::string writeMjcf(const RobotModel& model, std::vector<RobotRemark>& lost) { return MjcfWriter(model, lost).write(); }

}  // namespace cairn
