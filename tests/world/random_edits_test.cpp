// Random lives of worlds: whatever is added, removed, pushed, teleported, put to sleep or restored, and in whatever order,
// nothing breaks, and the same life gives the same bits again.
#include <random>

#include "world/building.hpp"

namespace cairn::test {
namespace {

class Life {
 public:
  explicit Life(std::uint64_t seed, int threads) : random_(seed) {
    WorldSettings settings;
    settings.threads = threads;
    settings.sleep.enabled = seed % 2 == 0;
    settings.maximumCoordinate = 1000.0;
    world_ = World(settings);
    if (seed % 3 != 0) world_.addBody(fixedSolid(Plane{}, Vec3::Zero(), {.friction = 0.5, .restitution = 0.5}));
  }

  // Returns the hash of the state after it all.
  std::uint64_t live(int moments) {
    for (int i = 0; i < moments; ++i) {
      act();
      if (random_() % 2 == 0) step();
      for (const BodyId id : world_.bodies()) {
        const BodyState s = *world_.state(id);
        if (!(s.center.allFinite() && s.linearVelocity.allFinite() && s.angularVelocity.allFinite())) {
          ADD_FAILURE() << "not a number in " << world_.name(id);
          return 0;
        }
      }
    }
    return world_.stateHash();
  }

 private:
  double uniform(double low, double high) { return low + (high - low) * static_cast<double>(random_() >> 11) * 0x1p-53; }
  Vec3 vector(double size) {
    Vec3 v;
    for (int k = 0; k < 3; ++k) v[k] = uniform(-size, size);
    return v;
  }
  Quat rotation() {
    Quat q(uniform(-1, 1), uniform(-1, 1), uniform(-1, 1), uniform(-1, 1));
    return q.norm() > 0.1 ? q.normalized() : Quat::Identity();
  }
  Geometry geometry() {
    const double r = std::exp(uniform(std::log(0.02), std::log(2.0)));
    switch (random_() % 6) {
      case 0:
        return Sphere{r};
      case 1:
        return Box{Vec3(r, uniform(0.1, 1.0) * r, uniform(0.1, 1.0) * r)};
      case 2:
        return Capsule{0.5 * r, r};
      case 3:
        return Cylinder{r, uniform(0.1, 1.0) * r};
      case 4:
        return Ellipsoid{Vec3(r, uniform(0.3, 1.0) * r, uniform(0.3, 1.0) * r)};
      default: {
        ConvexHull hull;
        for (int i = 0; i < 8; ++i) hull.points.push_back(vector(r));
        hull.points.insert(hull.points.end(), {{r, 0, 0}, {0, r, 0}, {0, 0, r}, {-r, -r, -r}});
        return hull;
      }
    }
  }
  BodyId any() {
    const std::vector<BodyId> ids = world_.bodies();
    if (ids.empty() || random_() % 16 == 0) return stale_;  // now and then one that is gone
    return ids[random_() % ids.size()];
  }

  void act() {
    switch (random_() % 16) {
      case 0:
      case 1:
      case 2:
      case 3:
      case 4: {
        BodyDesc desc =
            solid(geometry(), vector(3.0) + Vec3(0, 0, 3), {.friction = uniform(0, 1.5), .restitution = uniform(0, 1)});
        if (random_() % 4 == 0) desc.shapes.push_back({.geometry = geometry(), .local = {vector(0.5), rotation()}});
        desc.pose.rotation = rotation();
        desc.linearVelocity = vector(random_() % 8 == 0 ? 200.0 : 3.0);
        desc.angularVelocity = vector(random_() % 8 == 0 ? 300.0 : 5.0);
        if (random_() % 8 == 0) desc.kind = BodyKind::Kinematic;
        if (random_() % 4 == 0) desc.mass = std::exp(uniform(-10.0, 10.0));
        world_.addBody(desc);
        break;
      }
      case 5: {
        const BodyId id = any();
        if (world_.removeBody(id)) stale_ = id;
        break;
      }
      case 6:
      case 7: {
        JointDesc joint{.a = any(), .b = any(), .anchorA = vector(0.5), .anchorB = vector(0.5)};
        const std::uint64_t kind = random_() % 4;
        if (kind == 1) joint.kind = HingeJoint{};
        if (kind == 2) joint.kind = FixedJoint{};
        if (kind == 3) joint.kind = DistanceJoint{};
        if (random_() % 4 == 0) joint.spring = JointSpring{uniform(1.0, 1e4), uniform(0.0, 100.0)};
        joint.bodiesCollide = random_() % 2 == 0;
        try {
          joints_.push_back(world_.addJoint(joint));
        } catch (const std::invalid_argument&) {  // the same body twice, two that cannot move, or one that is gone
        }
        break;
      }
      case 8:
        if (!joints_.empty()) world_.removeJoint(joints_[random_() % joints_.size()]);
        break;
      case 9:
        world_.setPose(any(), {vector(3.0), rotation()});
        break;  // into whatever is there
      case 10:
        world_.applyImpulse(any(), vector(100.0));
        break;
      case 11:
        world_.addForceAt(any(), vector(1e4), vector(3.0));
        break;
      case 12:
        snapshot_ = world_.snapshot();
        break;
      case 13:
        if (!snapshot_.isEmpty()) world_.restore(snapshot_);
        break;
      case 14:
        (void)world_.deepestPenetration();
        (void)world_.castRay({.origin = vector(5.0), .direction = vector(1.0) + Vec3(2, 0, 0)});
        break;
      default: {
        WorldSettings settings = world_.settings();
        settings.soft.substeps = 1 + static_cast<int>(random_() % 24);
        settings.gravity = vector(10.0);
        world_.setSettings(settings);
      }
    }
  }

  void step() {
    const double steps[] = {1.0 / 60.0, 1.0 / 60.0, 1.0 / 240.0, 0.1, 1e-6, 1.0};
    world_.step(steps[random_() % std::size(steps)]);
    for (const ContactEvent& event : world_.contactEvents()) {
      ASSERT_TRUE(std::isfinite(event.normalImpulse) && event.normalImpulse >= 0.0 && event.point.allFinite())
          << world_.name(event.bodyA) << " and " << world_.name(event.bodyB) << ": " << event.normalImpulse << " N s at "
          << event.point.transpose();
      if (event.phase == ContactPhase::End) continue;
      ASSERT_TRUE(world_.isValid(event.shapeA) && world_.isValid(event.bodyB));
    }
  }

  std::mt19937_64 random_;
  World world_;
  Snapshot snapshot_;
  std::vector<JointId> joints_;
  BodyId stale_;
};

TEST(RandomLives, NeverBreakAndRepeatToTheBit) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const std::uint64_t once = Life(seed, 1).live(150);
    EXPECT_EQ(Life(seed, 2).live(150), once) << "seed " << seed;
  }
}

}  // namespace
}  // namespace cairn::test
