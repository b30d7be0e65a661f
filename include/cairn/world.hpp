// The World: bodies, joints, and time.
//
//   cairn::World world;
//   world.addBody({.kind = cairn::BodyKind::Static, .shapes = {{.geometry = cairn::Plane{}}}});
//   auto box = world.addBody({.pose = {.position = {0, 0, 2}}, .shapes = {{.geometry = cairn::Box{}}}});
//   for (int i = 0; i < 120; ++i) world.step(1.0 / 60);
//   double z = world.state(box)->center.z();
//
// Errors: a wrong description throws std::invalid_argument that names the field, and changes nothing. A stale id is an error
// value: an empty optional or `false`, never undefined behaviour.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "cairn/articulation.hpp"
#include "cairn/body.hpp"
#include "cairn/events.hpp"
#include "cairn/ids.hpp"
#include "cairn/inspect.hpp"
#include "cairn/joint.hpp"
#include "cairn/math.hpp"
#include "cairn/query.hpp"
#include "cairn/report.hpp"
#include "cairn/settings.hpp"
#include "cairn/shape.hpp"

namespace cairn {

struct StepProblem;  // cairn/contact_problem.hpp

// The names that WorldSettings::stepper takes.
std::vector<std::string_view> stepperNames();
// Whether WorldSettings::solver means anything to it.
bool stepperTakesSolver(std::string_view stepper);
// Mass, centre and inertia of one shape of the given density about its own frame's axes.
MassProperties massProperties(const Geometry& geometry, double density);

// A whole world at one moment, exact to the bit. Cheap to copy, cannot be changed.
class Snapshot {
 public:
  Snapshot() = default;
  bool isEmpty() const { return state_ == nullptr; }

 private:
  friend class World;
  std::shared_ptr<const struct WorldState> state_;
};

class World {
 public:
  explicit World(const WorldSettings& settings = {});
  ~World();
  World(World&&) noexcept;
  World& operator=(World&&) noexcept;

  const WorldSettings& settings() const;
  void setSettings(const WorldSettings& settings);  // between steps, any of them

  // Bodies and joints
  BodyId addBody(const BodyDesc& desc);
  bool removeBody(BodyId body);  // with its shapes and joints
  JointId addJoint(const JointDesc& desc);
  bool removeJoint(JointId joint);
  bool isValid(BodyId body) const;
  bool isValid(ShapeId shape) const;
  bool isValid(JointId joint) const;

  // Articulations (cairn/articulation.hpp). Their links are bodies, which go where the joints put them: they cannot be placed,
  // removed or given velocities by themselves, but forces, impulses, contacts and joints act on them as on others. A joint
  // between two links closes a loop.
  ArticulationId addArticulation(const ArticulationDesc& desc);
  bool removeArticulation(ArticulationId articulation);  // with its links and their joints
  bool isValid(ArticulationId articulation) const;
  std::vector<ArticulationId> articulations() const;
  std::string_view name(ArticulationId articulation) const;
  std::vector<BodyId> links(ArticulationId articulation) const;  // empty if stale
  std::optional<ArticulationState> state(ArticulationId articulation) const;
  bool setState(ArticulationId articulation, const Vector& q, const Vector& v);
  bool setEfforts(ArticulationId articulation, const Vector& efforts);  // N m (N), for the next step
  // Limits, motor and friction of one degree of freedom; armature and damping stay as they were made.
  bool setAxis(ArticulationId articulation, int degree, const AxisDesc& axis);
  bool setMotorTarget(ArticulationId articulation, int degree, double target);
  // By itself, in its present state: for Jacobians, inverse dynamics and kinematics.
  std::optional<Articulation> articulation(ArticulationId articulation) const;
  Mobility mobility(ArticulationId articulation) const;

  std::vector<BodyId> bodies() const;  // in id order
  std::vector<JointId> joints() const;
  std::vector<ShapeId> shapes(BodyId body) const;
  std::optional<BodyId> findBody(std::string_view name) const;
  std::optional<BodyId> bodyOf(ShapeId shape) const;
  std::string_view name(BodyId body) const;  // empty if stale
  std::string_view name(JointId joint) const;
  std::optional<BodyKind> kind(BodyId body) const;
  std::optional<MassProperties> massProperties(BodyId body) const;
  std::optional<ShapeDesc> shape(ShapeId shape) const;
  bool setMaterial(ShapeId shape, const Material& material);  // from the next step on

  // State
  std::optional<BodyState> state(BodyId body) const;
  bool setPose(BodyId body, const Pose& pose);
  bool setVelocity(BodyId body, const Vec3& linear, const Vec3& angular);
  bool isAwake(BodyId body) const;
  bool isQuarantined(BodyId body) const;
  bool wake(BodyId body);

  // Joints. Axes are counted as in cairn/joint.hpp; a number that the joint does not have is a std::invalid_argument.
  std::optional<JointKind> kind(JointId joint) const;
  std::optional<JointReaction> reaction(JointId joint) const;  // of the last step
  std::optional<AxisState> axis(JointId joint, int axis) const;
  bool setMotorTarget(JointId joint, int axis, double target);  // from the next step on; as often as wanted
  // All that acts along an axis, anew. Limits that are left out stay as they are.
  bool setAxis(JointId joint, int axis, const JointAxisDesc& desc);
  bool setEnabled(JointId joint, bool enabled);  // one that is not enabled does nothing, and its bodies collide
  bool isEnabled(JointId joint) const;
  bool isBroken(JointId joint) const;  // setEnabled mends it

  // Loads, world axes. A force lasts for the next step; an impulse changes the velocity at once.
  bool addForce(BodyId body, const Vec3& force);  // N, at the centre of mass
  bool addForceAt(BodyId body, const Vec3& force, const Vec3& point);
  bool addTorque(BodyId body, const Vec3& torque);      // N m
  bool applyImpulse(BodyId body, const Vec3& impulse);  // N s, at the centre of mass
  bool applyImpulseAt(BodyId body, const Vec3& impulse, const Vec3& point);
  bool applyAngularImpulse(BodyId body, const Vec3& impulse);  // N m s

  // Time
  StepReport step(double dt);
  // Once `flag` is raised, by any thread, a step that takes long ends within some 0.1 s with StepStatus::Stopped, and the
  // world is, to the bit, as it was when the step began. That needs a copy of the state: if it takes more than a hundredth
  // of a step, or a quarter of one that takes half a second, the step is done to its end.
  // The flag must outlive the world; nullptr: none. Until it is lowered, every step ends at once.
  void setStopFlag(const std::atomic<bool>* flag);
  double time() const;                                  // s
  std::span<const ContactEvent> contactEvents() const;  // of the last step
  std::span<const JointEvent> jointEvents() const;      // of the last step: joints that broke
  std::span<const ImpactRecord> impacts() const;        // of the last step, in the order of time
  // Of the last step, if WorldSettings::audit is Problems. Include cairn/contact_problem.hpp to read them.
  std::span<const StepProblem> contactProblems() const;

  // Questions. They change nothing, and any number of threads may ask at once while none edits or steps.
  std::optional<RayHit> castRay(const Ray& ray, const ShapeFilter& accepts = {}) const;  // nearest
  std::vector<RayHit> castRayAll(const Ray& ray, const ShapeFilter& accepts = {}) const;  // nearest first, one per shape
  bool castRayAny(const Ray& ray, const ShapeFilter& accepts = {}) const;                 // whether it hits anything
  std::optional<CastHit> castShape(const ShapeCast& cast, const ShapeFilter& accepts = {}) const;  // first
  // All shapes that touch, in the order of their ids.
  std::vector<Overlap> overlaps(const ShapeProbe& probe, const ShapeFilter& accepts = {}) const;
  std::vector<Overlap> overlaps(const RegionProbe& region, const ShapeFilter& accepts = {}) const;
  // How deep a shape at a place would be in others, or how near to them within its margin: the deepest first.
  std::vector<ClosestPoints> penetrations(const ShapeProbe& probe, const ShapeFilter& accepts = {}) const;
  // Nothing for a stale id, for bodies without shapes, and for two planes.
  std::optional<ClosestPoints> closestPoints(ShapeId a, ShapeId b) const;
  std::optional<ClosestPoints> closestPoints(BodyId a, BodyId b) const;
  std::optional<ClosestPoints> closestPoints(const PointProbe& probe, const ShapeFilter& accepts = {}) const;
  // Many at once, over the threads of the world; answers in the order of the questions.
  std::vector<std::optional<RayHit>> castRays(std::span<const Ray> rays, const ShapeFilter& accepts = {}) const;
  std::vector<std::optional<CastHit>> castShapes(std::span<const ShapeCast> casts, const ShapeFilter& accepts = {}) const;
  std::vector<std::vector<Overlap>> overlaps(std::span<const ShapeProbe> probes, const ShapeFilter& accepts = {}) const;
  std::vector<std::optional<ClosestPoints>> closestPoints(std::span<const PointProbe> probes,
                                                          const ShapeFilter& accepts = {}) const;
  Energy energy() const;
  Penetration deepestPenetration() const;             // now, over all shapes that may collide, from exact geometry
  double jointError() const;                          // m, largest, now; travel of stated springs is none
  std::vector<TouchPoint> touchPoints() const;        // of the last step, in the order of the shapes
  std::vector<BodyInspection> inspectBodies() const;  // one for each of bodies()

  // Exact copies of the whole state
  Snapshot snapshot() const;
  void restore(const Snapshot& snapshot);  // throws std::invalid_argument if empty
  std::uint64_t stateHash() const;         // of every bit of pose and velocity of every body

 private:
  std::unique_ptr<struct WorldImpl> impl_;
};

}  // namespace cairn
