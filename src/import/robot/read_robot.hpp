// Robot files into a RobotModel.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "import/robot/mesh_source.hpp"
#include "import/robot/robot_error.hpp"
#include "import/robot/robot_model.hpp"

namespace cairn {

enum class RobotBase {
  AsWritten,  // URDF: fixed. MJCF and SDFormat: as the file says
  Fixed,
  Floating,
};

struct RobotReadOptions {
  // Folders that hold packages, or "name=folder" for one package (a name may have several parts: "robots/arm=folder").
  std::vector<std::string> packagePaths{};
  const MeshSource* meshes = nullptr;  // none: masses that come from mesh files are listed as missing
  RobotBase base = RobotBase::AsWritten;
};

// By the root element: <robot>, <mujoco> or <sdf>. Throws RobotFileError.
RobotModel readRobot(const std::string& file, const RobotReadOptions& options = {});

RobotModel readUrdf(const std::string& file, const RobotReadOptions& options = {});
RobotModel readMjcf(const std::string& file, const RobotReadOptions& options = {});
RobotModel readSdf(const std::string& file, const RobotReadOptions& options = {});

}  // namespace cairn
