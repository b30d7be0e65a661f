// A box falls on a slope, slides to its foot, and Cairn says what happened.
#include <cairn/cairn.hpp>
#include <cstdio>

int main() {
  using namespace cairn;
  World world;
  const Material ice{.friction = 0.05};

  BodyDesc ground;
  ground.kind = BodyKind::Static;
  ground.shapes = {{.geometry = Plane{}}};
  world.addBody(ground);

  BodyDesc slope;
  slope.kind = BodyKind::Static;
  slope.pose.position = {0, 0, 1};
  slope.pose.rotation = Quat(Eigen::AngleAxisd(0.4, Vec3::UnitY()));
  slope.shapes = {{.geometry = Box{Vec3(2, 1, 0.1)}, .material = ice}};
  world.addBody(slope);

  BodyDesc box;
  box.name = "box";
  box.pose.position = {-1.2, 0, 2.2};
  box.shapes = {{.geometry = Box{Vec3(0.2, 0.2, 0.2)}, .material = ice}};
  const BodyId id = world.addBody(box);

  for (int i = 0; i < 240; ++i) {
    world.step(1.0 / 60.0);
    for (const ContactEvent& event : world.contactEvents()) {
      if (event.phase != ContactPhase::Begin) continue;
      std::printf("%5.2f s  %s touches %s at %.2f m/s\n", world.time(), std::string(world.name(event.bodyB)).c_str(),
                  std::string(world.name(event.bodyA)).c_str(), event.approachSpeed);
    }
  }
  const BodyState end = *world.state(id);
  std::printf("after %.0f s the box is at x = %.2f m, z = %.2f m\n", world.time(), end.center.x(), end.center.z());
  std::printf("deepest penetration %.2g m, energy %.1f J\n", world.deepestPenetration().depth, world.energy().total());
  return end.center.x() > 1.0 ? 0 : 1;
}
