// Turns checked JSON into a SceneModel. The values already obey the rules of format.cpp, so the readers below only look for
// what rules cannot say: names that must exist, fields that exclude each other, directions that must not be zero.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>

#include "cairn/surface.hpp"
#include "scene/located_json.hpp"
#include "scene/patterns.hpp"
#include "scene/scene_model.hpp"

namespace cairn {

struct ReadMaterial {
  Material material;
  std::optional<double> density;  // kg/m^3
};

class SceneReader {
 public:
  SceneReader(SceneModel& model, ProblemList& problems) : model_(model), problems_(problems) {}

  // Each takes the value of the top-level field of that name; call them in this order over all files.
  void readMaterials(const JsonValue& materials);
  void readPairs(const JsonValue& pairs);
  void readBodies(const JsonValue& bodies);
  void readJoints(const JsonValue& joints);

 private:
  // read_values.cpp
  Vec3 readDirection(const JsonValue& value, const std::string& path);  // unit
  Quat readRotation(const JsonValue& value, const std::string& path);
  Pose readPose(const JsonValue& owner, const std::string& path);
  ReadMaterial readMaterial(const JsonValue& value, const std::string& path);
  ReadMaterial findMaterial(const JsonValue& value, const std::string& path);
  // read_shapes.cpp
  ShapeDesc readShape(const JsonValue& value, const std::string& path);
  Geometry readGeometry(const JsonValue& value, const std::string& path);
  Compound readChildren(const JsonValue& children, const std::string& path);
  Geometry readSpheres(const JsonValue& value, const std::string& path);
  Geometry readMesh(const JsonValue& value, const std::string& path);
  Geometry readHeightField(const JsonValue& value, const std::string& path);
  Geometry readDistanceField(const JsonValue& value, const std::string& path);
  FieldSolid readFieldSolid(const JsonValue& value, const std::string& path);
  // read_values.cpp
  std::vector<Pattern> readPatterns(const JsonValue& value, const std::string& path, const BodyDesc& body);
  Trajectory readTrajectory(const JsonValue& value, const std::string& path);
  JointDrive readDrive(const JsonValue& value, bool angular);
  MassProperties readMassProperties(const JsonValue& value, const std::string& path);

  // read_bodies.cpp
  void readBody(const JsonValue& value, const std::string& path);
  void checkKind(const JsonValue& value, const std::string& path, const BodyDesc& desc);
  void addCopies(const JsonValue& value, const std::string& path, const SceneBody& body,
                 const std::vector<Pattern>& patterns);
  void addBody(SceneBody body, const JsonValue& value, const std::string& path);

  // read_joints.cpp
  void readJoint(const JsonValue& value, const std::string& path);
  void addJoint(const JsonValue& value, const std::string& path, SceneJoint joint);
  std::optional<Pose> findBodyPose(const JsonValue& value, const std::string& path, const std::string& name);

  SceneModel& model_;
  ProblemList& problems_;
  double parts_ = 0.0;  // shapes and hull points so far
  std::map<std::string, ReadMaterial> materials_;
  std::unordered_map<std::string, std::size_t> bodyByName_;
  std::unordered_map<std::string, std::size_t> jointByName_;
};

// Reads the fields that are there over what the model already has. Checked against settingsRule() before.
void readSettings(const JsonValue& settings, SceneModel& model);

Vec3 readVector(const JsonValue& value);

}  // namespace cairn
