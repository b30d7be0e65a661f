// The Open Dynamics Engine: dWorldQuickStep, with the world's parameters as they come (20 iterations, over-relaxation 1.3,
// ERP 0.2, CFM 1e-10). What is set, and why:
// - contacts of at most 8 points a pair, which is all that two boxes have;
// - friction by dContactApprox1, the pyramid whose bounds follow the normal force: without it a coefficient would be a
// force;
// - a sweep-and-prune space, the faster of ODE's two for these scenes;
// - the seed of the random order of its sweeps, so that a run can be repeated.
// With two threads the solver runs on both; collisions stay on one, since ODE has no other way. Debian builds it in double
// precision.
#include <fmt/format.h>
#include <ode/ode.h>
#include <ode/version.h>

#include "engine.hpp"

namespace cairn::bench {
namespace {

constexpr int kMostPoints = 8;  // of a pair

struct SetUpOde {
  SetUpOde() { dInitODE2(0); }
};

void toOde(const Quat& q, dQuaternion out) {
  out[0] = q.w();
  out[1] = q.x();
  out[2] = q.y();
  out[3] = q.z();
}
Quat fromOde(const dReal* q) { return Quat(q[0], q[1], q[2], q[3]); }
Vec3 vectorOf(const dReal* v) { return {v[0], v[1], v[2]}; }

struct MakeGeom {
  dSpaceID space;
  dGeomID operator()(const Sphere& sphere) const { return dCreateSphere(space, sphere.radius); }
  dGeomID operator()(const Box& box) const {
    const Vec3 edges = 2.0 * box.halfExtents;
    return dCreateBox(space, edges.x(), edges.y(), edges.z());
  }
  dGeomID operator()(const Capsule& capsule) const {
    return dCreateCapsule(space, capsule.radius, 2.0 * capsule.halfHeight);
  }
  dGeomID operator()(const Cylinder& cylinder) const {
    return dCreateCylinder(space, cylinder.radius, 2.0 * cylinder.halfHeight);
  }
  template <class Other>
  dGeomID operator()(const Other&) const {
    throw std::logic_error("planes are made elsewhere, other shapes are refused");
  }
};

class OdeEngine : public Engine {
 public:
  OdeEngine(const BenchScene& scene, int threads) : scene_(scene), bodies_(scene.bodies.size(), nullptr) {
    static const SetUpOde once;
    dAllocateODEDataForThread(dAllocateMaskAll);
    world_ = dWorldCreate();
    // The axis along gravity comes last: there, everything that lies in a stack overlaps.
    space_ = dSweepAndPruneSpaceCreate(nullptr, dSAP_AXES_XYZ);
    contacts_ = dJointGroupCreate(0);
    const Vec3& gravity = scene.model.settings.gravity;
    dWorldSetGravity(world_, gravity.x(), gravity.y(), gravity.z());
    if (threads > 1) {
      threading_ = dThreadingAllocateMultiThreadedImplementation();
      pool_ = dThreadingAllocateThreadPool(static_cast<unsigned>(threads), 0, dAllocateFlagBasicData, nullptr);
      dThreadingThreadPoolServeMultiThreadedImplementation(pool_, threading_);
      dWorldSetStepThreadingImplementation(world_, dThreadingImplementationGetFunctions(threading_), threading_);
    }
    dWorldSetStepIslandsProcessingMaxThreadCount(world_, static_cast<unsigned>(threads));
    for (std::size_t i = 0; i < scene.bodies.size(); ++i)
      if (scene.bodies[i].scene->appear <= 0.0) add(i);
    for (const BenchScene::Joint& joint : scene.joints) addJoint(joint);
  }
  ~OdeEngine() override {
    dJointGroupDestroy(contacts_);
    dSpaceDestroy(space_);
    if (threading_) {
      dThreadingImplementationShutdownProcessing(threading_);
      dThreadingFreeThreadPool(pool_);
      dWorldSetStepThreadingImplementation(world_, nullptr, nullptr);
      dThreadingFreeImplementation(threading_);
    }
    dWorldDestroy(world_);
  }

  std::string settings() const override {
    return fmt::format(
        "dWorldQuickStep, {} iterations, over-relaxation {:.3g}, ERP {:.3g}, CFM {:.3g}, at most {} points a pair, "
        "sweep-and-prune space, auto-disable off, double precision",
        dWorldGetQuickStepNumIterations(world_), dWorldGetQuickStepW(world_), dWorldGetERP(world_), dWorldGetCFM(world_),
        kMostPoints);
  }

  void add(std::size_t index) override {
    const BenchBody& body = scene_.bodies[index];
    const BodyDesc& desc = body.desc();
    if (body.isDynamic()) bodies_[index] = makeBody(body);
    for (const ShapeDesc& shape : desc.shapes) {
      const Pose place = desc.pose * shape.local;
      dGeomID geom = nullptr;
      if (const Plane* plane = std::get_if<Plane>(&shape.geometry)) {
        const Vec3 normal = place.direction(plane->normal);
        geom = dCreatePlane(space_, normal.x(), normal.y(), normal.z(), plane->offset + normal.dot(place.position));
      } else {
        geom = std::visit(MakeGeom{space_}, shape.geometry);
        if (body.isDynamic()) dGeomSetBody(geom, bodies_[index]);
        const Pose inBody{shape.local.position - body.mass.center, shape.local.rotation};
        placeGeom(geom, body.isDynamic() ? inBody : place, body.isDynamic());
      }
      dGeomSetData(geom, const_cast<Material*>(&shape.material));
    }
  }

  void step() override {
    dRandSetSeed(seed_);  // there is one generator for all worlds
    dSpaceCollide(space_, this, [](void* self, dGeomID a, dGeomID b) { static_cast<OdeEngine*>(self)->collide(a, b); });
    if (dWorldQuickStep(world_, kTimeStep) == 0) failure_ = "dWorldQuickStep ran out of memory";
    dJointGroupEmpty(contacts_);
    seed_ = dRandGetSeed();
  }

  BodyState state(std::size_t index) const override {
    const dBodyID body = bodies_[index];
    const Vec3 center = vectorOf(dBodyGetPosition(body));
    const Quat rotation = fromOde(dBodyGetQuaternion(body));
    return {{center - rotation * scene_.bodies[index].mass.center, rotation},
            center,
            vectorOf(dBodyGetLinearVel(body)),
            vectorOf(dBodyGetAngularVel(body))};
  }

  MassProperties massProperties(std::size_t index) const override {
    dMass mass;
    dBodyGetMass(bodies_[index], &mass);
    Mat3 inertia;
    for (int row = 0; row < 3; ++row)
      for (int column = 0; column < 3; ++column) inertia(row, column) = mass.I[4 * row + column];
    return {mass.mass, scene_.bodies[index].mass.center, inertia};
  }
  std::string failure() const override { return failure_; }

 private:
  // ODE's bodies have their origin in the centre of mass, and any axes.
  dBodyID makeBody(const BenchBody& body) {
    const BodyDesc& desc = body.desc();
    const dBodyID made = dBodyCreate(world_);
    const Mat3& inertia = body.mass.inertia;
    dMass mass;
    dMassSetParameters(&mass, body.mass.mass, 0, 0, 0, inertia(0, 0), inertia(1, 1), inertia(2, 2), inertia(0, 1),
                       inertia(0, 2), inertia(1, 2));
    dBodySetMass(made, &mass);
    const Vec3 center = desc.pose.point(body.mass.center);
    dQuaternion rotation;
    toOde(desc.pose.rotation, rotation);
    dBodySetPosition(made, center.x(), center.y(), center.z());
    dBodySetQuaternion(made, rotation);
    dBodySetLinearVel(made, desc.linearVelocity.x(), desc.linearVelocity.y(), desc.linearVelocity.z());
    dBodySetAngularVel(made, desc.angularVelocity.x(), desc.angularVelocity.y(), desc.angularVelocity.z());
    return made;
  }

  // An offset that is none would still cost time in every step.
  static void placeGeom(dGeomID geom, const Pose& pose, bool onBody) {
    const Vec3& at = pose.position;
    dQuaternion rotation;
    toOde(pose.rotation, rotation);
    if (!onBody) {
      dGeomSetPosition(geom, at.x(), at.y(), at.z());
      dGeomSetQuaternion(geom, rotation);
    } else if (at.norm() > 1e-12 || pose.rotation.vec().norm() > 1e-12) {
      dGeomSetOffsetPosition(geom, at.x(), at.y(), at.z());
      dGeomSetOffsetQuaternion(geom, rotation);
    }
  }

  void addJoint(const BenchScene::Joint& joint) {
    // Anchors and axes are given in the world, where the bodies are now; a null body is the world.
    const Pose& poseA = scene_.bodies[joint.a].desc().pose;
    const Pose& poseB = scene_.bodies[joint.b].desc().pose;
    const Vec3 a = poseA.point(joint.desc->anchorA), b = poseB.point(joint.desc->anchorB);
    dJointID made = nullptr;
    if (const HingeJoint* hinge = std::get_if<HingeJoint>(&joint.desc->kind)) {
      made = dJointCreateHinge(world_, nullptr);
      dJointAttach(made, bodies_[joint.a], bodies_[joint.b]);
      const Vec3 axis = poseA.direction(hinge->axisA);
      dJointSetHingeAnchor(made, a.x(), a.y(), a.z());
      dJointSetHingeAxis(made, axis.x(), axis.y(), axis.z());
    } else if (std::holds_alternative<DistanceJoint>(joint.desc->kind)) {
      made = dJointCreateDBall(world_, nullptr);
      dJointAttach(made, bodies_[joint.a], bodies_[joint.b]);
      dJointSetDBallAnchor1(made, a.x(), a.y(), a.z());
      dJointSetDBallAnchor2(made, b.x(), b.y(), b.z());
      dJointSetDBallDistance(made, std::get<DistanceJoint>(joint.desc->kind).length.value_or((a - b).norm()));
    } else {
      made = dJointCreateBall(world_, nullptr);
      dJointAttach(made, bodies_[joint.a], bodies_[joint.b]);
      dJointSetBallAnchor(made, a.x(), a.y(), a.z());
    }
  }

  void collide(dGeomID a, dGeomID b) {
    const dBodyID bodyA = dGeomGetBody(a), bodyB = dGeomGetBody(b);
    if (bodyA == bodyB) return;  // two shapes of one body, or two that stand still
    if (bodyA && bodyB && dAreConnectedExcluding(bodyA, bodyB, dJointTypeContact)) return;
    dContact contacts[kMostPoints];
    const int count = dCollide(a, b, kMostPoints, &contacts[0].geom, sizeof(dContact));
    if (count == 0) return;
    const double friction = std::sqrt(static_cast<const Material*>(dGeomGetData(a))->friction *
                                      static_cast<const Material*>(dGeomGetData(b))->friction);
    for (int i = 0; i < count; ++i) {
      contacts[i].surface = {};
      contacts[i].surface.mode = dContactApprox1;
      contacts[i].surface.mu = friction;
      dJointAttach(dJointCreateContact(world_, contacts_, &contacts[i]), bodyA, bodyB);
    }
  }

  const BenchScene& scene_;
  dWorldID world_ = nullptr;
  dSpaceID space_ = nullptr;
  dJointGroupID contacts_ = nullptr;
  dThreadingImplementationID threading_ = nullptr;  // null: one thread
  dThreadingThreadPoolID pool_ = nullptr;
  std::vector<dBodyID> bodies_;  // null: not there, or not dynamic
  unsigned long seed_ = 1;       // of the order of its sweeps
  std::string failure_;
};

std::string refusal(const BenchScene& scene, int) {
  if (const std::string what = whatOnlyCairnTakes(scene); !what.empty()) return "it does not take " + what;
  for (const BenchBody& body : scene.bodies) {
    for (const ShapeDesc& shape : body.desc().shapes) {
      if (std::holds_alternative<ConvexHull>(shape.geometry))
        return fmt::format("its hulls want planes and polygons, which the scene does not state (\"{}\")", body.desc().name);
    }
  }
  return {};
}

}  // namespace

EngineKind odeEngine() {
  return {.name = "ode",
          .version = dODE_VERSION,
          .refusal = refusal,
          .make = [](const BenchScene& scene, int threads) -> std::unique_ptr<Engine> {
            return std::make_unique<OdeEngine>(scene, threads);
          }};
}

}  // namespace cairn::bench
