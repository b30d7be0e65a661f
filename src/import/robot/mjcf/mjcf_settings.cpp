#include "import/robot/mjcf/mjcf_settings.hpp"

#include <cmath>
#include <numbers>

namespace cairn {

double MjcfSettings::angle(double written) const { return degrees ? written * (std::numbers::pi / 180.0) : written; }

void readCompiler(const XmlNode& node, MjcfSettings& s, std::vector<RobotRemark>& missing, std::vector<RobotRemark>& notes) {
  s.degrees = node.choice("angle", {"radian", "degree"}, s.degrees) == 1;
  s.autoLimits = node.boolean("autolimits", s.autoLimits);
  s.stripPath = node.boolean("strippath", s.stripPath);
  s.fitToBox = node.boolean("fitaabb", s.fitToBox);
  s.balanceInertia = node.boolean("balanceinertia", s.balanceInertia);
  s.exactMeshInertia = node.boolean("exactmeshinertia", s.exactMeshInertia);
  if (const std::string* sequence = node.find("eulerseq")) {
    if (sequence->size() != 3 || sequence->find_first_not_of("xyzXYZ") != std::string::npos)
      node.fail("eulerseq", "found \"" + *sequence + "\"; allowed: three of x, y, z, X, Y, Z");
    s.eulerSequence = *sequence;
  }
  if (const std::string* folder = node.find("assetdir")) s.meshFolder = s.textureFolder = *folder;
  s.meshFolder = node.attribute("meshdir", s.meshFolder);
  s.textureFolder = node.attribute("texturedir", s.textureFolder);
  using From = MjcfSettings::FromGeoms;
  s.inertiaFromGeoms = static_cast<From>(
      node.choice("inertiafromgeom", {"false", "true", "auto"}, static_cast<std::size_t>(s.inertiaFromGeoms)));
  double groups[2]{static_cast<double>(s.groupLower), static_cast<double>(s.groupUpper)};
  node.overlay("inertiagrouprange", groups, 2, 2);
  s.groupLower = static_cast<int>(groups[0]), s.groupUpper = static_cast<int>(groups[1]);
  s.boundMass = node.number("boundmass", s.boundMass);
  s.boundInertia = node.number("boundinertia", s.boundInertia);
  s.totalMass = node.number("settotalmass", s.totalMass);
  if (s.boundMass < 0.0 || s.boundInertia < 0.0) node.fail("boundmass and boundinertia: allowed: 0 or more");
  if (node.attribute("coordinate", "local") != "local")
    missing.push_back({node.place, "compiler: coordinate=\"global\" is no longer part of MJCF; convert the file with MuJoCo"});
  if (node.boolean("fusestatic", false))
    notes.push_back({node.place, "compiler: fusestatic: fixed bodies are kept; the motion is the same"});
  if (node.boolean("alignfree", false))
    notes.push_back({node.place, "compiler: alignfree: frames of free bodies are kept as written; the motion is the same"});
  if (node.boolean("discardvisual", false))
    notes.push_back({node.place, "compiler: discardvisual: visual shapes are kept"});
  node.ignore({"usethread", "convexhull", "saveinertial", "conflict"});
  for (const XmlNode& part : node.children)
    if (part.name != "lengthrange") missing.push_back({part.place, "compiler: <" + part.name + "> is not known"});
}

Quat fromEuler(const Vec3& angles, const std::string& sequence) {
  Quat turn = Quat::Identity();
  for (int i = 0; i < 3; ++i) {
    const char letter = sequence[i];
    const bool fixed = letter < 'a';
    const int axis = (fixed ? letter - 'X' : letter - 'x');
    const Quat step(Eigen::AngleAxisd(angles[i], Vec3::Unit(axis)));
    turn = fixed ? step * turn : turn * step;
  }
  return turn;
}

Quat turningZTo(const Vec3& direction) {
  const Vec3 to = direction.normalized();
  Vec3 axis = Vec3::UnitZ().cross(to);
  const double sine = axis.norm();
  axis = sine < 1e-10 ? Vec3::UnitX() : Vec3(axis / sine);
  return Quat(Eigen::AngleAxisd(std::atan2(sine, to.z()), axis));
}

bool readOrientation(const XmlNode& node, const MjcfSettings& settings, Quat& rotation) {
  int forms = 0;
  for (const char* form : {"quat", "axisangle", "xyaxes", "zaxis", "euler"}) forms += node.has(form);
  if (forms == 0) return false;
  if (forms > 1) node.fail("found several orientations; allowed: one of quat, axisangle, xyaxes, zaxis, euler");
  double v[6];
  const auto direction = [&](const char* form, const Vec3& axis) {
    if (!(axis.norm() > 1e-14)) node.fail(form, "a direction has no length");
    return Vec3(axis.normalized());
  };
  if (node.overlay("quat", v, 4, 4)) {
    const double norm = std::sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2] + v[3] * v[3]);
    if (!(norm > 1e-14)) node.fail("quat", "the quaternion is zero; allowed: w x y z of any other length");
    rotation = Quat(v[0] / norm, v[1] / norm, v[2] / norm, v[3] / norm);
  } else if (node.overlay("axisangle", v, 4, 4)) {
    rotation = Eigen::AngleAxisd(settings.angle(v[3]), direction("axisangle", {v[0], v[1], v[2]}));
  } else if (node.overlay("xyaxes", v, 6, 6)) {
    Mat3 axes;
    axes.col(0) = direction("xyaxes", {v[0], v[1], v[2]});
    const Vec3 y(v[3], v[4], v[5]);
    axes.col(1) = direction("xyaxes", y - axes.col(0) * axes.col(0).dot(y));
    axes.col(2) = axes.col(0).cross(axes.col(1));
    rotation = Quat(axes).normalized();
  } else if (node.overlay("zaxis", v, 3, 3)) {
    rotation = turningZTo(direction("zaxis", {v[0], v[1], v[2]}));
  } else {
    node.overlay("euler", v, 3, 3);
    rotation = fromEuler({settings.angle(v[0]), settings.angle(v[1]), settings.angle(v[2])}, settings.eulerSequence);
  }
  return true;
}

void readPlacement(const XmlNode& node, const MjcfSettings& settings, Pose& pose) {
  node.overlay("pos", pose.position.data(), 3, 3);
  readOrientation(node, settings, pose.rotation);
}

}  // namespace cairn
