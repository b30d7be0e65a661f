// Default classes of MJCF. Every kind of element has a record with all that its attributes can say; a class holds one record
// of each kind, a nested class begins as a copy of the one around it, and an element as a copy of its class's record. The
// same function reads attributes into a record, for classes and for elements: a vector that is given shorter than its
// default keeps the rest, as MuJoCo does it.
#pragma once

#include <limits>
#include <map>
#include <optional>
#include <string>

#include "import/robot/mesh_mass.hpp"
#include "import/robot/mjcf/mjcf_settings.hpp"
#include "import/robot/robot_model.hpp"

namespace cairn {

enum class MjcfAuto { False, True, Auto };

// solref and solimp of one constraint; `given` if the file says anything.
struct MjcfSolver {
  double reference[2]{0.02, 1.0};
  double impedance[5]{0.9, 0.95, 0.001, 0.5, 2.0};
  bool given = false;
};

struct MjcfGeom {
  RobotGeom geom{};
  std::string type = "sphere";
  std::string mesh{}, material{};
  std::optional<std::array<double, 6>> fromTo{};
  std::optional<double> mass{};
  double density = 1000.0;
  bool shell = false;
  double fitScale = 1.0;
  bool coloured = false;      // it has an rgba of its own
  bool fluidEllipsoid = false;
  MjcfSolver solver{};
};

struct MjcfJoint {
  RobotJoint joint{};
  std::string type = "hinge";
  MjcfAuto limited = MjcfAuto::Auto, effortLimited = MjcfAuto::Auto;
  double range[2]{0.0, 0.0}, effort[2]{0.0, 0.0};
  double reference = 0.0, springReference = 0.0;  // as written
  double springDamper[2]{0.0, 0.0};               // time constant (s), damping ratio
  MjcfSolver limitSolver{}, frictionSolver{};
};

struct MjcfSite {
  RobotSite site{};
  std::optional<std::array<double, 6>> fromTo{};
};

struct MjcfMesh {
  RobotMesh mesh{};
  MeshInertia inertia = MeshInertia::Legacy;
  bool inertiaGiven = false;
};

struct MjcfPair {
  RobotPair pair{};
  std::string first{}, second{};
  bool dimensionGiven = false, frictionGiven = false, marginGiven = false, gapGiven = false;
  MjcfSolver solver{};
};

struct MjcfEquality {
  RobotEquality equality{};
  MjcfSolver solver{};
};

struct MjcfTendon {
  RobotTendon tendon{};
  MjcfAuto limited = MjcfAuto::Auto, effortLimited = MjcfAuto::Auto;
  double range[2]{0.0, 0.0}, effort[2]{0.0, 0.0};
  double springLength[2]{-1.0, -1.0};
  MjcfSolver limitSolver{};
};

// All shortcuts (motor, position, ...) share one record of MuJoCo's general actuator.
struct MjcfActuator {
  RobotActuator actuator{};
  std::string gainType = "fixed", biasType = "none", dynamicsType = "none";
  double gain[10]{1.0}, bias[10]{}, dynamics[10]{1.0};
  MjcfAuto controlLimited = MjcfAuto::Auto, forceLimited = MjcfAuto::Auto, activationLimited = MjcfAuto::Auto;
  double control[2]{}, force[2]{}, activation[2]{};
  double inheritRange = 0.0;
};

struct MjcfClass {
  MjcfGeom geom{};
  MjcfJoint joint{};
  MjcfSite site{};
  MjcfMesh mesh{};
  RobotMaterial material{};
  MjcfPair pair{};
  MjcfEquality equality{};
  MjcfTendon tendon{};
  MjcfActuator actuator{};

  MjcfClass();
};

// Remarks go to these lists of the model.
struct MjcfRemarks {
  RobotModel& model;
  void missing(const XmlNode& node, const std::string& what) { model.missing.push_back({node.place, what}); }
  void warn(const XmlNode& node, const std::string& what) { model.warnings.push_back({node.place, what}); }
  void note(const XmlNode& node, const std::string& what) { model.notes.push_back({node.place, what}); }
};

void readAttributes(const XmlNode& node, const MjcfSettings& settings, MjcfGeom& record, MjcfRemarks& remarks);
void readAttributes(const XmlNode& node, const MjcfSettings& settings, MjcfJoint& record, MjcfRemarks& remarks);
void readAttributes(const XmlNode& node, const MjcfSettings& settings, MjcfSite& record, MjcfRemarks& remarks);
void readAttributes(const XmlNode& node, const MjcfSettings& settings, MjcfMesh& record, MjcfRemarks& remarks);
void readAttributes(const XmlNode& node, RobotMaterial& record);
void readAttributes(const XmlNode& node, MjcfPair& record, MjcfRemarks& remarks);
void readAttributes(const XmlNode& node, MjcfEquality& record, MjcfRemarks& remarks);
void readAttributes(const XmlNode& node, MjcfTendon& record, MjcfRemarks& remarks);
// By the name of the element: general, motor, position, velocity, cylinder. False if it is none of them.
bool readAttributes(const XmlNode& node, MjcfActuator& record, MjcfRemarks& remarks);

// A limit holds if it says so, or if that is left open and the range is not empty.
bool isLimited(MjcfAuto limited, const double range[2]);
MjcfAuto readAuto(const XmlNode& node, const char* attribute, MjcfAuto otherwise);
// Stiffness and damping per unit of effective mass, where the file says something about them.
std::optional<RobotSoftness> softness(const MjcfSolver& solver);

class MjcfClasses {
 public:
  MjcfClasses() { classes_["main"]; }
  // A <default> at the top of the file.
  void read(const XmlNode& node, const MjcfSettings& settings, MjcfRemarks& remarks);
  // Empty: the main class. Throws if there is none of the name.
  const MjcfClass& find(const std::string& name, const XmlNode& user) const;

 private:
  void readClass(const XmlNode& node, const std::string& name, const MjcfSettings& settings, MjcfRemarks& remarks);

  std::map<std::string, MjcfClass> classes_;
};

}  // namespace cairn
