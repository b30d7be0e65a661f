#include "import/robot/mjcf/mjcf_classes.hpp"

#include <cmath>
#include <cstdio>

namespace cairn {
namespace {

std::string text(double value) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.4g", value);
  return buffer;
}

// MuJoCo 3 computes the acceleration of a constraint as -b v - k r and lets it act in the share d of its impedance. With d at
// its largest the motion is that of a spring of natural frequency 1/(timeconst dampratio) and that damping ratio, or of the
// stiffness and damping given as negative numbers (documentation, "Solver parameters").
void readSolver(const XmlNode& node, const char* reference, const char* impedance, MjcfSolver& solver, MjcfRemarks& remarks) {
  const bool newReference = node.overlay(reference, solver.reference, 2) > 0;
  const bool newImpedance = node.overlay(impedance, solver.impedance, 5) > 0;
  if (newReference) {
    solver.given = true;
    const double* r = solver.reference;
    if ((r[0] > 0.0) != (r[1] > 0.0) && (r[0] != 0.0 || r[1] != 0.0))
      node.fail(reference, "found " + text(r[0]) + " " + text(r[1]) + "; allowed: both positive, or both negative or zero");
    const RobotSoftness spring = *softness(solver);
    remarks.note(node, node.name + ": " + reference + " becomes a spring of stiffness " + text(spring.stiffness) +
                           " N/m and damping " + text(spring.damping) + " N s/m for each kg of effective mass (" +
                           text(std::sqrt(spring.stiffness) / (2.0 * 3.14159265358979)) + " Hz)");
  }
  if (newImpedance)
    remarks.note(node, node.name + ": " + impedance + ": the spring above acts in full at every depth; the change of impedance from " +
                           text(solver.impedance[0]) + " to " + text(solver.impedance[1]) + " is not kept");
}

void readFromTo(const XmlNode& node, std::optional<std::array<double, 6>>& fromTo) {
  std::array<double, 6> ends;
  if (node.overlay("fromto", ends.data(), 6, 6)) fromTo = ends;
}

std::array<double, 4> colourOf(const XmlNode& node, std::array<double, 4> otherwise) {
  node.overlay("rgba", otherwise.data(), 4);
  return otherwise;
}

}  // namespace

MjcfClass::MjcfClass() { material.colour = {1.0, 1.0, 1.0, 1.0}; }

MjcfAuto readAuto(const XmlNode& node, const char* attribute, MjcfAuto otherwise) {
  return static_cast<MjcfAuto>(node.choice(attribute, {"false", "true", "auto"}, static_cast<std::size_t>(otherwise)));
}

bool isLimited(MjcfAuto limited, const double range[2]) {
  return limited == MjcfAuto::True || (limited == MjcfAuto::Auto && range[0] < range[1]);
}

std::optional<RobotSoftness> softness(const MjcfSolver& solver) {
  if (!solver.given) return std::nullopt;
  const double* r = solver.reference;
  if (r[0] > 0.0) return RobotSoftness{1.0 / (r[0] * r[0] * r[1] * r[1]), 2.0 / r[0]};
  return RobotSoftness{-r[0], -r[1]};
}

void readAttributes(const XmlNode& node, const MjcfSettings& settings, MjcfGeom& g, MjcfRemarks& remarks) {
  g.type = node.attribute("type", g.type);
  g.mesh = node.attribute("mesh", g.mesh);
  g.material = node.attribute("material", g.material);
  readPlacement(node, settings, g.geom.pose);
  readFromTo(node, g.fromTo);
  node.overlay("size", g.geom.size.data(), 3);
  const auto bits = [&](const char* attribute, unsigned otherwise) {
    return static_cast<unsigned>(node.integer(attribute, static_cast<int>(otherwise)));
  };
  g.geom.contactType = bits("contype", g.geom.contactType);
  g.geom.contactAffinity = bits("conaffinity", g.geom.contactAffinity);
  g.geom.contactDimension = node.integer("condim", g.geom.contactDimension);
  g.geom.group = node.integer("group", g.geom.group);
  g.geom.priority = node.integer("priority", g.geom.priority);
  node.overlay("friction", g.geom.friction.data(), 3);
  g.geom.margin = node.number("margin", g.geom.margin);
  g.geom.gap = node.number("gap", g.geom.gap);
  if (node.has("mass")) g.mass = node.number("mass", 0.0);
  if (g.mass.value_or(0.0) < 0.0) node.fail("mass", "is negative; allowed: 0 or more");
  g.density = node.number("density", g.density);
  if (g.density < 0.0) node.fail("density", "is negative; allowed: 0 or more");
  g.shell = node.boolean("shellinertia", g.shell);
  g.fitScale = node.number("fitscale", g.fitScale);
  if (node.has("rgba")) g.coloured = true;
  g.geom.colour = colourOf(node, g.geom.colour);
  if (const std::string* shape = node.find("fluidshape")) g.fluidEllipsoid = *shape == "ellipsoid";
  readSolver(node, "solref", "solimp", g.solver, remarks);
  node.ignore({"name", "class", "solmix", "user", "fluidcoef", "hfield"});
}

void readAttributes(const XmlNode& node, const MjcfSettings&, MjcfJoint& j, MjcfRemarks& remarks) {
  j.type = node.attribute("type", j.type);
  node.overlay("pos", j.joint.anchor.data(), 3, 3);
  node.overlay("axis", j.joint.axis.data(), 3, 3);
  j.limited = readAuto(node, "limited", j.limited);
  node.overlay("range", j.range, 2, 2);
  j.effortLimited = readAuto(node, "actuatorfrclimited", j.effortLimited);
  node.overlay("actuatorfrcrange", j.effort, 2, 2);
  j.joint.compensatesByActuator = node.boolean("actuatorgravcomp", j.joint.compensatesByActuator);
  j.reference = node.number("ref", j.reference);
  j.springReference = node.number("springref", j.springReference);
  node.overlay("springdamper", j.springDamper, 2, 2);
  const auto linear = [&](const char* attribute, double otherwise) {
    // Newer files may add coefficients of higher powers.
    const std::vector<double> found = node.numbers(attribute);
    for (std::size_t i = 1; i < found.size(); ++i)
      if (found[i] != 0.0) {
        remarks.missing(node, "joint: " + std::string(attribute) + " with powers above the first");
        break;
      }
    return found.empty() ? otherwise : found[0];
  };
  j.joint.stiffness = linear("stiffness", j.joint.stiffness);
  j.joint.damping = linear("damping", j.joint.damping);
  j.joint.armature = node.number("armature", j.joint.armature);
  j.joint.frictionLoss = node.number("frictionloss", j.joint.frictionLoss);
  j.joint.limitMargin = node.number("margin", j.joint.limitMargin);
  if (j.joint.stiffness < 0.0 || j.joint.damping < 0.0 || j.joint.armature < 0.0 || j.joint.frictionLoss < 0.0)
    node.fail("stiffness, damping, armature or frictionloss is negative; allowed: 0 or more");
  readSolver(node, "solreflimit", "solimplimit", j.limitSolver, remarks);
  readSolver(node, "solreffriction", "solimpfriction", j.frictionSolver, remarks);
  node.ignore({"name", "class", "group", "user", "align"});
}

void readAttributes(const XmlNode& node, const MjcfSettings& settings, MjcfSite& s, MjcfRemarks&) {
  readPlacement(node, settings, s.site.pose);
  readFromTo(node, s.fromTo);
  s.site.group = node.integer("group", s.site.group);
  node.ignore({"name", "class", "type", "size", "material", "rgba", "user"});
}

void readAttributes(const XmlNode& node, const MjcfSettings&, MjcfMesh& m, MjcfRemarks& remarks) {
  node.overlay("scale", m.mesh.scale.data(), 3, 3);
  node.overlay("refpos", m.mesh.referencePosition.data(), 3, 3);
  double q[4];
  if (node.overlay("refquat", q, 4, 4)) {
    m.mesh.referenceRotation = Quat(q[0], q[1], q[2], q[3]);
    if (!(m.mesh.referenceRotation.norm() > 1e-14)) node.fail("refquat", "the quaternion is zero");
    m.mesh.referenceRotation.normalize();
  }
  m.inertiaGiven = m.inertiaGiven || node.has("inertia");
  m.inertia = static_cast<MeshInertia>(
      node.choice("inertia", {"convex", "exact", "legacy", "shell"}, static_cast<std::size_t>(m.inertia)));
  if (node.has("builtin") && node.attribute("builtin") != "none")
    remarks.missing(node, "mesh: builtin=\"" + node.attribute("builtin") + "\": shapes that MuJoCo makes itself");
  node.ignore({"name", "class", "content_type", "smoothnormal", "maxhullvert", "material", "texcoord", "normal", "octree_maxdepth",
               "user"});
}

void readAttributes(const XmlNode& node, RobotMaterial& m) {
  m.texture = node.attribute("texture", m.texture);
  m.colour = colourOf(node, m.colour);
  node.ignore({"name", "class", "texrepeat", "texuniform", "emission", "specular", "shininess", "reflectance", "metallic",
               "roughness"});
}

void readAttributes(const XmlNode& node, MjcfPair& p, MjcfRemarks& remarks) {
  p.first = node.attribute("geom1", p.first);
  p.second = node.attribute("geom2", p.second);
  p.dimensionGiven = p.dimensionGiven || node.has("condim");
  p.pair.contactDimension = node.integer("condim", p.pair.contactDimension);
  if (const std::size_t count = node.overlay("friction", p.pair.friction.data(), 5)) {
    p.frictionGiven = true;
    if (count == 1) p.pair.friction[1] = p.pair.friction[0];
  }
  p.marginGiven = p.marginGiven || node.has("margin");
  p.pair.margin = node.number("margin", p.pair.margin);
  p.gapGiven = p.gapGiven || node.has("gap");
  p.pair.gap = node.number("gap", p.pair.gap);
  readSolver(node, "solref", "solimp", p.solver, remarks);
  node.ignore({"name", "class", "solreffriction"});
}

void readAttributes(const XmlNode& node, MjcfEquality& e, MjcfRemarks& remarks) {
  e.equality.active = node.boolean("active", e.equality.active);
  readSolver(node, "solref", "solimp", e.solver, remarks);
  node.ignore({"name", "class"});
}

void readAttributes(const XmlNode& node, MjcfTendon& t, MjcfRemarks& remarks) {
  t.limited = readAuto(node, "limited", t.limited);
  node.overlay("range", t.range, 2, 2);
  t.effortLimited = readAuto(node, "actuatorfrclimited", t.effortLimited);
  node.overlay("actuatorfrcrange", t.effort, 2, 2);
  if (node.overlay("springlength", t.springLength, 2) == 1) t.springLength[1] = t.springLength[0];
  t.tendon.stiffness = node.number("stiffness", t.tendon.stiffness);
  t.tendon.damping = node.number("damping", t.tendon.damping);
  t.tendon.frictionLoss = node.number("frictionloss", t.tendon.frictionLoss);
  t.tendon.armature = node.number("armature", t.tendon.armature);
  t.tendon.limitMargin = node.number("margin", t.tendon.limitMargin);
  readSolver(node, "solreflimit", "solimplimit", t.limitSolver, remarks);
  node.ignore({"name", "class", "group", "width", "material", "rgba", "user", "solreffriction", "solimpfriction"});
}

void MjcfClasses::read(const XmlNode& node, const MjcfSettings& settings, MjcfRemarks& remarks) {
  readClass(node, "main", settings, remarks);
  // The outermost class may have a name of its own: the main one by that name.
  if (const std::string* name = node.find("class"); name && *name != "main") classes_[*name] = classes_["main"];
}

void MjcfClasses::readClass(const XmlNode& node, const std::string& name, const MjcfSettings& settings, MjcfRemarks& remarks) {
  MjcfClass& c = classes_[name];
  for (const XmlNode& part : node.children) {
    if (part.name == "default") continue;
    if (part.name == "geom")
      readAttributes(part, settings, c.geom, remarks);
    else if (part.name == "joint")
      readAttributes(part, settings, c.joint, remarks);
    else if (part.name == "site")
      readAttributes(part, settings, c.site, remarks);
    else if (part.name == "mesh")
      readAttributes(part, settings, c.mesh, remarks);
    else if (part.name == "material")
      readAttributes(part, c.material);
    else if (part.name == "pair")
      readAttributes(part, c.pair, remarks);
    else if (part.name == "equality")
      readAttributes(part, c.equality, remarks);
    else if (part.name == "tendon")
      readAttributes(part, c.tendon, remarks);
    else if (readAttributes(part, c.actuator, remarks))
      continue;
    else {  // an element that needs it is listed itself
      for (const XmlAttribute& a : part.attributes) a.read = true;
      remarks.note(part, "default: <" + part.name + ">: not read; elements that use it are listed");
    }
  }
  for (const XmlNode& part : node.children) {
    if (part.name != "default") continue;
    const std::string& inner = part.required("class");
    if (inner.empty() || classes_.contains(inner)) part.fail("class", "there are two classes \"" + inner + "\"");
    classes_[inner] = classes_[name];
    readClass(part, inner, settings, remarks);
  }
}

const MjcfClass& MjcfClasses::find(const std::string& name, const XmlNode& user) const {
  const auto found = classes_.find(name.empty() ? "main" : name);
  if (found == classes_.end()) user.fail("there is no default class \"" + name + "\"");
  return found->second;
}

}  // namespace cairn
