// A heap of mixed shapes in flight, and questions about it, for tests of queries.
#pragma once

#include <random>

#include "geometry/distance.hpp"
#include "geometry/shape.hpp"
#include "world/building.hpp"

namespace cairn::test {

class QueryYard {
 public:
  explicit QueryYard(std::uint64_t seed, int bodies, int threads = 1) : random_(seed) {
    WorldSettings settings;
    settings.threads = threads;
    world.setSettings(settings);
    world.addBody({.kind = BodyKind::Static, .shapes = {{.geometry = Plane{}, .group = 4}}});
    for (int i = 0; i < bodies; ++i) {
      BodyDesc desc;
      desc.pose = {vector(1.5) + Vec3(0, 0, 2.0), turn()};
      desc.linearVelocity = vector(3.0);
      desc.shapes = {{.geometry = geometry(), .group = i % 2 == 0 ? 1u : 2u}};
      if (i % 5 == 0) desc.shapes.push_back({.geometry = geometry(), .local = {vector(0.5), turn()}, .group = 2});
      world.addBody(desc);
    }
    for (int i = 0; i < 3; ++i) world.step(1.0 / 60);
  }

  double uniform(double least, double most) { return std::uniform_real_distribution<double>(least, most)(random_); }
  Vec3 vector(double size) { return {uniform(-size, size), uniform(-size, size), uniform(-size, size)}; }
  Quat turn() { return Quat(Eigen::AngleAxisd(uniform(-3.0, 3.0), (vector(1.0) + Vec3(0, 0, 1e-3)).normalized())); }
  Geometry geometry() {
    switch (random_() % 6) {
      case 0:
        return Sphere{uniform(0.1, 0.4)};
      case 1:
        return Box{Vec3(uniform(0.05, 0.4), uniform(0.05, 0.4), uniform(0.05, 0.4))};
      case 2:
        return Capsule{uniform(0.05, 0.2), uniform(0.1, 0.4)};
      case 3:
        return Cylinder{uniform(0.1, 0.3), uniform(0.05, 0.4)};
      case 4:
        return Ellipsoid{Vec3(uniform(0.1, 0.4), uniform(0.1, 0.4), uniform(0.1, 0.4))};
      default: {
        ConvexHull hull;
        for (int i = 0; i < 12; ++i) hull.points.push_back(vector(0.4));
        return hull;
      }
    }
  }
  ShapeCast cast(bool moves, bool turns) {
    ShapeCast cast{.shape = geometry(), .start = {vector(3.0) + Vec3(0, 0, 3.5), turn()}};
    if (moves) cast.velocity = 3.0 * (Vec3(0, 0, 2) + vector(1.0) - cast.start.position);
    if (turns) cast.spin = vector(4.0), cast.pivot = vector(0.6);
    return cast;
  }

  World world;

 private:
  std::mt19937_64 random_;
};

struct PlacedShape {
  ShapeId id;
  BodyId body;
  Shape shape;
  Pose pose;
  std::uint32_t group;
};

inline std::vector<PlacedShape> placedShapes(const World& world) {
  std::vector<PlacedShape> all;
  for (const BodyId body : world.bodies())
    for (const ShapeId id : world.shapes(body)) {
      const ShapeDesc desc = *world.shape(id);
      all.push_back({id, body, makeShape(desc.geometry), world.state(body)->pose * desc.local, desc.group});
    }
  return all;
}

// Where a cast shape is, from the definition: straight on, and turning about the pivot.
inline Pose castPose(const ShapeCast& cast, double time) {
  const Vec3 pivot = cast.start.point(cast.pivot);
  const double angle = time * cast.spin.norm();
  const Quat turn = angle > 0.0 ? Quat(Eigen::AngleAxisd(angle, cast.spin.normalized())) : Quat::Identity();
  return {pivot + time * cast.velocity + turn * (cast.start.position - pivot), turn * cast.start.rotation};
}

}  // namespace cairn::test
