// Rays, casts and overlaps per second: Cairn beside Bullet and FCL, each asked the same of the same shapes, one by one and on
// one thread. FCL has no rays; its casts are its manager's candidates in the swept box, then conservative advancement.
//   bench_query_compare [shapes] [questions]
#include <btBulletCollisionCommon.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <random>

#include "cairn/world.hpp"
#ifdef CAIRN_HAS_FCL
#include <fcl/fcl.h>
#endif

namespace {

using namespace cairn;

double secondsOf(const auto& work) {  // of the processor: others may use the machine too
  const std::clock_t start = std::clock();
  work();
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

struct Placed {
  Geometry geometry;
  Pose pose;
};
struct Cast {
  Geometry geometry;
  Pose start;
  Vec3 displacement;
};

struct Problem {
  std::vector<Placed> shapes;
  std::vector<Ray> rays;
  std::vector<Cast> casts;
};

Problem makeProblem(int shapes, int questions) {
  std::mt19937_64 random(1);
  const auto uniform = [&](double least, double most) { return std::uniform_real_distribution<double>(least, most)(random); };
  const auto vector = [&](double size) { return Vec3(uniform(-size, size), uniform(-size, size), uniform(-size, size)); };
  const auto turn = [&] { return Quat(Eigen::AngleAxisd(uniform(-3, 3), (vector(1.0) + Vec3(0, 0, 1e-3)).normalized())); };
  const auto geometry = [&](double size) -> Geometry {
    switch (random() % 3) {
      case 0:
        return Sphere{size * uniform(0.5, 1.0)};
      case 1:
        return Box{size * Vec3(uniform(0.3, 1.0), uniform(0.3, 1.0), uniform(0.3, 1.0))};
      default:
        return Capsule{size * uniform(0.2, 0.5), size * uniform(0.3, 0.8)};
    }
  };
  Problem problem;
  const double half = 10.0;
  const double size = 0.3 * std::cbrt(4000.0 / shapes);
  for (int i = 0; i < shapes; ++i) problem.shapes.push_back({geometry(size), {vector(half), turn()}});
  for (int i = 0; i < questions; ++i) {
    problem.rays.push_back({.origin = vector(half), .direction = vector(1.0).normalized(), .length = 20.0});
    problem.casts.push_back({geometry(0.2), {vector(half), turn()}, 5.0 * vector(1.0).normalized()});
  }
  return problem;
}

void print(const char* who, const char* what, std::size_t count, double seconds, int hits) {
  std::printf("%-8s %-9s %10.0f per second  (%d of %zu hit)\n", who, what, static_cast<double>(count) / seconds, hits, count);
}

void askCairn(const Problem& problem) {
  World world;
  for (const Placed& one : problem.shapes)
    world.addBody({.kind = BodyKind::Static, .pose = one.pose, .shapes = {{.geometry = one.geometry}}});
  world.step(1.0 / 60);
  (void)world.castRay({});
  int hits = 0;
  double seconds = secondsOf([&] {
    for (const Ray& ray : problem.rays) hits += world.castRay(ray) ? 1 : 0;
  });
  print("Cairn", "rays", problem.rays.size(), seconds, hits);
  std::vector<ShapeCast> casts;
  std::vector<ShapeProbe> probes;
  for (const Cast& one : problem.casts) {
    casts.push_back({.shape = one.geometry, .start = one.start, .velocity = one.displacement});
    probes.push_back({.shape = one.geometry, .pose = one.start});
  }
  hits = 0;
  seconds = secondsOf([&] {
    for (const ShapeCast& cast : casts) hits += world.castShape(cast) ? 1 : 0;
  });
  print("Cairn", "casts", casts.size(), seconds, hits);
  hits = 0;
  seconds = secondsOf([&] {
    for (const ShapeProbe& probe : probes) hits += world.overlaps(probe).empty() ? 0 : 1;
  });
  print("Cairn", "overlaps", probes.size(), seconds, hits);
}

btVector3 toBullet(const Vec3& v) {
  return {static_cast<btScalar>(v.x()), static_cast<btScalar>(v.y()), static_cast<btScalar>(v.z())};
}
btTransform toBullet(const Pose& pose) {
  const Quat& q = pose.rotation;
  return btTransform(btQuaternion(static_cast<btScalar>(q.x()), static_cast<btScalar>(q.y()), static_cast<btScalar>(q.z()),
                                  static_cast<btScalar>(q.w())),
                     toBullet(pose.position));
}
std::unique_ptr<btConvexShape> bulletShape(const Geometry& geometry) {
  if (const auto* sphere = std::get_if<Sphere>(&geometry))
    return std::make_unique<btSphereShape>(static_cast<btScalar>(sphere->radius));
  if (const auto* box = std::get_if<Box>(&geometry)) return std::make_unique<btBoxShape>(toBullet(box->halfExtents));
  const auto& capsule = std::get<Capsule>(geometry);
  return std::make_unique<btCapsuleShapeZ>(static_cast<btScalar>(capsule.radius),
                                           static_cast<btScalar>(2.0 * capsule.halfHeight));
}

struct AnyContact : btCollisionWorld::ContactResultCallback {
  bool found = false;
  btScalar addSingleResult(btManifoldPoint& point, const btCollisionObjectWrapper*, int, int, const btCollisionObjectWrapper*,
                           int, int) override {
    found |= point.getDistance() <= 0;
    return 0;
  }
};

void askBullet(const Problem& problem) {
  btDefaultCollisionConfiguration configuration;
  btCollisionDispatcher dispatcher(&configuration);
  btDbvtBroadphase broadphase;
  btCollisionWorld world(&dispatcher, &broadphase, &configuration);
  std::vector<std::unique_ptr<btConvexShape>> shapes;
  std::vector<std::unique_ptr<btCollisionObject>> objects;
  for (const Placed& one : problem.shapes) {
    shapes.push_back(bulletShape(one.geometry));
    objects.push_back(std::make_unique<btCollisionObject>());
    objects.back()->setCollisionShape(shapes.back().get());
    objects.back()->setWorldTransform(toBullet(one.pose));
    world.addCollisionObject(objects.back().get());
  }
  world.updateAabbs();
  broadphase.optimize();
  int hits = 0;
  double seconds = secondsOf([&] {
    for (const Ray& ray : problem.rays) {
      const btVector3 from = toBullet(ray.origin), to = toBullet(ray.origin + ray.length * ray.direction);
      btCollisionWorld::ClosestRayResultCallback result(from, to);
      world.rayTest(from, to, result);
      hits += result.hasHit() ? 1 : 0;
    }
  });
  print("Bullet", "rays", problem.rays.size(), seconds, hits);
  std::vector<std::unique_ptr<btConvexShape>> cast;
  for (const Cast& one : problem.casts) cast.push_back(bulletShape(one.geometry));
  hits = 0;
  seconds = secondsOf([&] {
    for (std::size_t i = 0; i < cast.size(); ++i) {
      const Cast& one = problem.casts[i];
      const btTransform from = toBullet(one.start);
      const btTransform to = toBullet(Pose{one.start.position + one.displacement, one.start.rotation});
      btCollisionWorld::ClosestConvexResultCallback result(from.getOrigin(), to.getOrigin());
      world.convexSweepTest(cast[i].get(), from, to, result);
      hits += result.hasHit() ? 1 : 0;
    }
  });
  print("Bullet", "casts", cast.size(), seconds, hits);
  hits = 0;
  btCollisionObject probe;
  seconds = secondsOf([&] {
    for (std::size_t i = 0; i < cast.size(); ++i) {
      probe.setCollisionShape(cast[i].get());
      probe.setWorldTransform(toBullet(problem.casts[i].start));
      AnyContact result;
      world.contactTest(&probe, result);
      hits += result.found ? 1 : 0;
    }
  });
  print("Bullet", "overlaps", cast.size(), seconds, hits);
  for (const auto& object : objects) world.removeCollisionObject(object.get());
}

#ifdef CAIRN_HAS_FCL
std::shared_ptr<fcl::CollisionGeometryd> fclShape(const Geometry& geometry) {
  if (const auto* sphere = std::get_if<Sphere>(&geometry)) return std::make_shared<fcl::Sphered>(sphere->radius);
  if (const auto* box = std::get_if<Box>(&geometry)) return std::make_shared<fcl::Boxd>(2.0 * box->halfExtents);
  const auto& capsule = std::get<Capsule>(geometry);
  return std::make_shared<fcl::Capsuled>(capsule.radius, 2.0 * capsule.halfHeight);
}
fcl::Transform3d toFcl(const Pose& pose) {
  fcl::Transform3d transform = fcl::Transform3d::Identity();
  transform.linear() = pose.rotation.toRotationMatrix();
  transform.translation() = pose.position;
  return transform;
}

void askFcl(const Problem& problem, std::size_t mostCasts) {
  fcl::DynamicAABBTreeCollisionManagerd manager;
  std::vector<std::unique_ptr<fcl::CollisionObjectd>> objects;
  for (const Placed& one : problem.shapes) {
    objects.push_back(std::make_unique<fcl::CollisionObjectd>(fclShape(one.geometry), toFcl(one.pose)));
    manager.registerObject(objects.back().get());
  }
  manager.setup();
  std::printf("%-8s %-9s it has none\n", "FCL", "rays");
  const std::size_t count = std::min(problem.casts.size(), mostCasts);
  std::vector<std::shared_ptr<fcl::CollisionGeometryd>> cast;
  for (std::size_t i = 0; i < problem.casts.size(); ++i) cast.push_back(fclShape(problem.casts[i].geometry));
  int hits = 0;
  double seconds = secondsOf([&] {
    for (std::size_t i = 0; i < count; ++i) {
      const Cast& one = problem.casts[i];
      cast[i]->computeLocalAABB();
      const Vec3 reach = Vec3::Constant(cast[i]->aabb_radius);
      const Vec3 end = one.start.position + one.displacement;
      const Vec3 lower = one.start.position.cwiseMin(end) - reach, upper = one.start.position.cwiseMax(end) + reach;
      fcl::CollisionObjectd region(std::make_shared<fcl::Boxd>(upper - lower),
                                   toFcl({0.5 * (lower + upper), Quat::Identity()}));
      std::vector<fcl::CollisionObjectd*> near;
      manager.collide(&region, &near, [](fcl::CollisionObjectd* a, fcl::CollisionObjectd* b, void* data) {
        auto& found = *static_cast<std::vector<fcl::CollisionObjectd*>*>(data);
        found.push_back(a->getUserData() == nullptr ? a : b);
        found.push_back(b);
        return false;
      });
      double best = 1.0;
      bool any = false;
      for (std::size_t k = 1; k < near.size(); k += 2) {
        fcl::CollisionObjectd* other = near[k] == &region ? near[k - 1] : near[k];
        fcl::ContinuousCollisionRequestd request(10, 1e-4, fcl::CCDM_TRANS, fcl::GST_LIBCCD,
                                                 fcl::CCDC_CONSERVATIVE_ADVANCEMENT);
        fcl::ContinuousCollisionResultd result;
        fcl::continuousCollide(cast[i].get(), toFcl(one.start), toFcl({end, one.start.rotation}),
                               other->collisionGeometry().get(), other->getTransform(), other->getTransform(), request, result);
        if (!result.is_collide) continue;
        any = true;
        best = std::min(best, result.time_of_contact);
      }
      hits += any ? 1 : 0;
    }
  });
  print("FCL", "casts", count, seconds, hits);
  hits = 0;
  seconds = secondsOf([&] {
    for (std::size_t i = 0; i < problem.casts.size(); ++i) {
      fcl::CollisionObjectd probe(cast[i], toFcl(problem.casts[i].start));
      bool found = false;
      manager.collide(&probe, &found, [](fcl::CollisionObjectd* a, fcl::CollisionObjectd* b, void* data) {
        fcl::CollisionRequestd request;
        fcl::CollisionResultd result;
        auto& any = *static_cast<bool*>(data);
        any |= fcl::collide(a, b, request, result) > 0;
        return any;
      });
      hits += found ? 1 : 0;
    }
  });
  print("FCL", "overlaps", problem.casts.size(), seconds, hits);
}
#endif

}  // namespace

int main(int argc, char** argv) {
  const Problem problem = makeProblem(argc > 1 ? std::atoi(argv[1]) : 4000, argc > 2 ? std::atoi(argv[2]) : 20000);
  askCairn(problem);
  askBullet(problem);
#ifdef CAIRN_HAS_FCL
  askFcl(problem, 500);
#else
  std::printf("FCL was not found when this was built\n");
#endif
}
