// The compiler settings of an MJCF file, and what depends on them alone: angles and orientations.
#pragma once

#include <string>

#include "import/robot/xml_node.hpp"

namespace cairn {

struct MjcfSettings {
  bool degrees = true;
  std::string eulerSequence = "xyz";  // lower case: about axes that turn with the body, upper case: fixed ones
  bool autoLimits = true;
  std::string meshFolder{}, textureFolder{};
  bool stripPath = false;
  bool fitToBox = false;  // fitaabb
  enum class FromGeoms { Never, Always, WhereMissing } inertiaFromGeoms = FromGeoms::WhereMissing;
  int groupLower = 0, groupUpper = 5;  // of shapes that count for inertia
  bool balanceInertia = false;
  double boundMass = 0.0, boundInertia = 0.0, totalMass = -1.0;
  bool exactMeshInertia = false;  // of older files, for all meshes

  double angle(double written) const;  // rad
};

// Adds what one <compiler> says.
void readCompiler(const XmlNode& node, MjcfSettings& settings, std::vector<RobotRemark>& missing,
                  std::vector<RobotRemark>& notes);
// Overlays pos and any one of quat, axisangle, xyaxes, zaxis, euler.
void readPlacement(const XmlNode& node, const MjcfSettings& settings, Pose& pose);
// The same for the orientation. Returns whether there was one.
bool readOrientation(const XmlNode& node, const MjcfSettings& settings, Quat& rotation);
Quat fromEuler(const Vec3& angles, const std::string& sequence);
// The shortest turn that brings z to the direction.
Quat turningZTo(const Vec3& direction);

}  // namespace cairn
