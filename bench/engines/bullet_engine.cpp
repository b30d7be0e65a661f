// Bullet: btDiscreteDynamicsWorld with everything as it comes. What is set, and why:
// - one step of 1/60 s for each call, which is what its users do at 60 Hz;
// - deactivation off, since nothing sleeps in this benchmark;
// - friction: Bullet multiplies the coefficients of a pair where the scene means their geometric mean, so that each body
//   gets the square root of its own;
// - margins: those of boxes and cylinders lie inside the shape, so that its outside is exact; hulls would grow by theirs,
//   which is therefore 0.
// Debian builds Bullet without threads, and in single precision.
#include <btBulletDynamicsCommon.h>
#include <fmt/format.h>

#include "engine.hpp"

namespace cairn::bench {
namespace {

btVector3 toBullet(const Vec3& v) {
  return {static_cast<btScalar>(v.x()), static_cast<btScalar>(v.y()), static_cast<btScalar>(v.z())};
}
btQuaternion toBullet(const Quat& q) {
  return {static_cast<btScalar>(q.x()), static_cast<btScalar>(q.y()), static_cast<btScalar>(q.z()),
          static_cast<btScalar>(q.w())};
}
btTransform toBullet(const Pose& pose) { return btTransform(toBullet(pose.rotation), toBullet(pose.position)); }
Vec3 fromBullet(const btVector3& v) { return {v.x(), v.y(), v.z()}; }
Pose fromBullet(const btTransform& t) {
  const btQuaternion q = t.getRotation();
  return {fromBullet(t.getOrigin()), Quat(q.w(), q.x(), q.y(), q.z()).normalized()};
}

struct MakeShape {
  std::unique_ptr<btCollisionShape> operator()(const Plane& plane) const {
    return std::make_unique<btStaticPlaneShape>(toBullet(plane.normal), static_cast<btScalar>(plane.offset));
  }
  std::unique_ptr<btCollisionShape> operator()(const Sphere& sphere) const {
    return std::make_unique<btSphereShape>(static_cast<btScalar>(sphere.radius));
  }
  std::unique_ptr<btCollisionShape> operator()(const Box& box) const {
    return std::make_unique<btBoxShape>(toBullet(box.halfExtents));
  }
  std::unique_ptr<btCollisionShape> operator()(const Capsule& capsule) const {
    return std::make_unique<btCapsuleShapeZ>(static_cast<btScalar>(capsule.radius),
                                             static_cast<btScalar>(2.0 * capsule.halfHeight));
  }
  std::unique_ptr<btCollisionShape> operator()(const Cylinder& cylinder) const {
    return std::make_unique<btCylinderShapeZ>(toBullet(Vec3(cylinder.radius, cylinder.radius, cylinder.halfHeight)));
  }
  std::unique_ptr<btCollisionShape> operator()(const ConvexHull& hull) const {
    auto shape = std::make_unique<btConvexHullShape>();
    for (const Vec3& point : hull.points) shape->addPoint(toBullet(point), false);
    shape->recalcLocalAabb();
    shape->setMargin(0);
    return shape;
  }
  template <class Other>
  std::unique_ptr<btCollisionShape> operator()(const Other&) const {
    throw std::logic_error("other shapes are refused");
  }
};

class BulletEngine : public Engine {
 public:
  explicit BulletEngine(const BenchScene& scene) : scene_(scene), bodies_(scene.bodies.size()) {
    world_.setGravity(toBullet(scene.model.settings.gravity));
    for (std::size_t i = 0; i < scene.bodies.size(); ++i)
      if (scene.bodies[i].scene->appear <= 0.0) add(i);
    for (const BenchScene::Joint& joint : scene.joints) addJoint(joint);
  }
  ~BulletEngine() override {
    for (const auto& joint : joints_) world_.removeConstraint(joint.get());
    for (const auto& body : bodies_)
      if (body) world_.removeRigidBody(body.get());
  }

  std::string settings() const override {
    const btContactSolverInfo& info = const_cast<btDiscreteDynamicsWorld&>(world_).getSolverInfo();
    return fmt::format(
        "btDiscreteDynamicsWorld, sequential impulse, {} iterations, erp {:.2g}, erp2 {:.2g}, split impulse {}, warm "
        "starting {:.2g}, margins inside boxes, deactivation off, single precision",
        info.m_numIterations, info.m_erp, info.m_erp2, info.m_splitImpulse ? "on" : "off", info.m_warmstartingFactor);
  }

  void add(std::size_t index) override {
    const BenchBody& body = scene_.bodies[index];
    const BodyDesc& desc = body.desc();
    if (desc.shapes.empty()) return;  // an anchor: joints to it hold on to the world
    const Pose frame = body.massFrame();
    btRigidBody::btRigidBodyConstructionInfo info(static_cast<btScalar>(body.mass.mass), nullptr, shapeOf(desc, frame),
                                                  toBullet(body.moments));
    info.m_startWorldTransform = toBullet(desc.pose * frame);
    info.m_friction = static_cast<btScalar>(std::sqrt(desc.shapes[0].material.friction));
    bodies_[index] = std::make_unique<btRigidBody>(info);
    btRigidBody& made = *bodies_[index];
    made.setActivationState(DISABLE_DEACTIVATION);
    if (body.isDynamic()) {
      made.setLinearVelocity(toBullet(desc.linearVelocity));
      made.setAngularVelocity(toBullet(desc.angularVelocity));
    }
    world_.addRigidBody(&made);
  }

  void step() override { world_.stepSimulation(static_cast<btScalar>(kTimeStep), 0); }

  BodyState state(std::size_t index) const override {
    const btRigidBody& body = *bodies_[index];
    const Pose mass = fromBullet(body.getWorldTransform());
    return {mass * scene_.bodies[index].massFrame().inverse(), mass.position, fromBullet(body.getLinearVelocity()),
            fromBullet(body.getAngularVelocity())};
  }

  MassProperties massProperties(std::size_t index) const override {
    const btRigidBody& body = *bodies_[index];
    const Mat3 axes = scene_.bodies[index].axes.toRotationMatrix();
    const Vec3 moments = fromBullet(body.getInvInertiaDiagLocal()).cwiseInverse();
    return {1.0 / body.getInvMass(), scene_.bodies[index].mass.center, axes * moments.asDiagonal() * axes.transpose()};
  }

 private:
  // A single shape that sits in the frame of the mass is taken as it is: a compound would cost time for nothing.
  btCollisionShape* shapeOf(const BodyDesc& desc, const Pose& frame) {
    const auto placeOf = [&](const ShapeDesc& shape) { return frame.inverse() * shape.local; };
    const Pose first = placeOf(desc.shapes[0]);
    if (desc.shapes.size() == 1 && first.position.norm() < 1e-12 && first.rotation.vec().norm() < 1e-12)
      return keep(std::visit(MakeShape{}, desc.shapes[0].geometry));
    auto compound = std::make_unique<btCompoundShape>();
    for (const ShapeDesc& shape : desc.shapes)
      compound->addChildShape(toBullet(placeOf(shape)), keep(std::visit(MakeShape{}, shape.geometry)));
    return keep(std::move(compound));
  }
  btCollisionShape* keep(std::unique_ptr<btCollisionShape> shape) {
    shapes_.push_back(std::move(shape));
    return shapes_.back().get();
  }

  void addJoint(const BenchScene::Joint& joint) {
    // A point or direction of a body's frame in the frame that Bullet knows.
    const auto pivot = [&](std::size_t body, const Vec3& anchor) {
      return toBullet(scene_.bodies[body].massFrame().inversePoint(anchor));
    };
    const auto axis = [&](std::size_t body, const Vec3& direction) {
      return toBullet(scene_.bodies[body].massFrame().inverseDirection(direction));
    };
    // Bullet's joints to the world take the body alone, at the place where it is.
    std::size_t a = joint.a, b = joint.b;
    Vec3 anchorA = joint.desc->anchorA, anchorB = joint.desc->anchorB;
    const HingeJoint* hinge = std::get_if<HingeJoint>(&joint.desc->kind);
    Vec3 axisA = hinge ? hinge->axisA : Vec3::UnitZ(), axisB = hinge ? hinge->axisB : Vec3::UnitZ();
    if (!scene_.bodies[a].isDynamic()) {
      std::swap(a, b);
      std::swap(anchorA, anchorB);
      std::swap(axisA, axisB);
    }
    const bool toWorld = !scene_.bodies[b].isDynamic();
    std::unique_ptr<btTypedConstraint> made;
    if (hinge && toWorld) {
      made = std::make_unique<btHingeConstraint>(*bodies_[a], pivot(a, anchorA), axis(a, axisA));
    } else if (hinge) {
      made = std::make_unique<btHingeConstraint>(*bodies_[a], *bodies_[b], pivot(a, anchorA), pivot(b, anchorB),
                                                 axis(a, axisA), axis(b, axisB));
    } else if (toWorld) {
      made = std::make_unique<btPoint2PointConstraint>(*bodies_[a], pivot(a, anchorA));
    } else {
      made = std::make_unique<btPoint2PointConstraint>(*bodies_[a], *bodies_[b], pivot(a, anchorA), pivot(b, anchorB));
    }
    world_.addConstraint(made.get(), true);
    joints_.push_back(std::move(made));
  }

  const BenchScene& scene_;
  btDefaultCollisionConfiguration configuration_;
  btCollisionDispatcher dispatcher_{&configuration_};
  btDbvtBroadphase broadphase_;
  btSequentialImpulseConstraintSolver solver_;
  btDiscreteDynamicsWorld world_{&dispatcher_, &broadphase_, &solver_, &configuration_};
  std::vector<std::unique_ptr<btCollisionShape>> shapes_;
  std::vector<std::unique_ptr<btRigidBody>> bodies_;  // null: not there, or an anchor
  std::vector<std::unique_ptr<btTypedConstraint>> joints_;
};

std::string refusal(const BenchScene& scene, int threads) {
  if (threads > 1) return "Debian builds Bullet without threads; it runs with one";
  if (const std::string what = whatOnlyCairnTakes(scene); !what.empty()) return "it does not take " + what;
  for (const BenchScene::Joint& joint : scene.joints) {
    if (std::holds_alternative<DistanceJoint>(joint.desc->kind)) return "it has no joint that holds a distance";
  }
  return {};
}

}  // namespace

EngineKind bulletEngine() {
  return {
      .name = "bullet",
      .version = fmt::format("{}.{}", btGetVersion() / 100, btGetVersion() % 100),
      .refusal = refusal,
      .make = [](const BenchScene& scene, int) -> std::unique_ptr<Engine> { return std::make_unique<BulletEngine>(scene); }};
}

}  // namespace cairn::bench
