// Reading one MJCF file: sections in MuJoCo's order, whatever their order in the file.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "import/robot/mjcf/mjcf_classes.hpp"
#include "import/robot/read_robot.hpp"

namespace cairn {

class MjcfReader {
 public:
  MjcfReader(const std::string& file, const RobotReadOptions& options);
  RobotModel read();

 private:
  // Where elements inside bodies, frames and replicates are.
  struct Scope {
    int body = -1;
    Pose frame{};            // within the body
    std::string childClass{};
    std::string suffix{};    // of names, inside <replicate>
    int depth = 0;
  };
  // What inertia needs to know of a shape later.
  struct ShapeMass {
    std::optional<double> mass{};
    double density = 1000.0;
    bool shell = false;
    MeshInertia meshInertia = MeshInertia::Legacy;
    const XmlNode* node = nullptr;
  };
  struct Pending {  // springdamper of a joint
    int joint;
    double timeConstant, dampingRatio;
  };

  // read_mjcf.cpp
  void spliceIncludes(XmlNode& node, int depth);
  void readSettings();
  void readAssets();
  void readOption(const XmlNode& node);
  void readKeyframes();
  void applyDisabled();
  void reportUnread(const XmlNode& node);
  template <typename Function>
  void eachSection(const char* name, Function function) {
    for (const XmlNode& section : root_.children)
      if (section.name == name) function(section);
  }

  // mjcf_assets.cpp
  std::string assetFile(const XmlNode& node, const std::string& folder, const std::string& written) const;
  void readTexture(const XmlNode& node);
  void readMaterial(const XmlNode& node);
  void readMesh(const XmlNode& node);
  MeshTriangles trianglesOf(int mesh) const;  // in the frame of the shape; throws std::runtime_error
  const MassProperties& unitMass(int mesh, MeshInertia rule);

  // mjcf_bodies.cpp
  void readBodyContent(const XmlNode& node, Scope scope);
  void readBody(const XmlNode& node, const Scope& scope);
  void readReplicate(const XmlNode& node, const Scope& scope);
  void readInertial(const XmlNode& node, RobotBody& body);
  void readJoint(const XmlNode& node, const Scope& scope);
  void addJoint(const XmlNode& node, MjcfJoint record, const Scope& scope);
  void readSite(const XmlNode& node, const Scope& scope);
  const MjcfClass& classOf(const XmlNode& node, const Scope& scope) const;

  // mjcf_geoms.cpp
  void readGeom(const XmlNode& node, const Scope& scope);
  bool fitToMesh(const XmlNode& node, MjcfGeom& record);

  // mjcf_masses.cpp
  void computeMasses();
  void massFromGeoms(int body);
  MassProperties geomMass(int geom);
  void computeDrag();
  void resolveSpringDampers();

  // mjcf_constraints.cpp
  void readEqualities();
  void readConnectOrWeld(const XmlNode& node, RobotEquality equality);
  void readTendons();
  void readTendon(const XmlNode& node);
  void readContacts();

  // mjcf_actuators.cpp
  void readActuators();
  bool findTarget(const XmlNode& node, RobotActuator& actuator);
  void resolveGains(const XmlNode& node, MjcfActuator& record);
  double reflectedInertia(const RobotActuator& actuator, const std::vector<double>& inertia) const;

  // mjcf_sensors.cpp
  void readSensors();

  // Index by name; -1 if there is none. `find...` throw, and name the element that asked.
  int bodyNamed(const XmlNode& user, const char* attribute, const std::string& name) const;  // -1 only for the world
  void claimName(const XmlNode& node, const char* kind, const std::string& name);  // throws if it is taken
  void sortByBody();
  template <typename Item>
  int indexOf(const std::vector<Item>& items, const std::string& name) const {
    for (std::size_t i = 0; i < items.size(); ++i)
      if (items[i].name == name) return static_cast<int>(i);
    return -1;
  }
  template <typename Item>
  int required(const std::vector<Item>& items, const XmlNode& user, const char* attribute, const char* kind) const {
    const std::string& name = user.required(attribute);
    const int index = indexOf(items, name);
    if (index < 0) user.fail(attribute, "there is no " + std::string(kind) + " \"" + name + "\"");
    return index;
  }

  std::string file_, folder_;
  RobotReadOptions options_;
  XmlNode root_;
  std::set<std::string> included_;
  std::set<std::pair<std::string, std::string>> names_;  // kind and name
  MjcfSettings settings_;
  RobotModel model_;
  MjcfRemarks remarks_{model_};
  MjcfClasses classes_;
  std::map<std::string, std::string> textures_;  // file by name
  std::vector<MeshInertia> meshRules_;           // beside model_.meshes
  std::vector<bool> meshFound_;
  std::map<std::pair<int, MeshInertia>, MassProperties> unitMasses_;
  std::vector<ShapeMass> shapeMasses_;  // beside model_.geoms
  std::vector<Pending> springDampers_;
  std::set<std::string> unsupportedTendons_;
  bool fluidEllipsoid_ = false;
};

}  // namespace cairn
