// Bodies that slide and roll over a floor of many pieces feel a plane: no kick at a seam, no push sideways. True edges are
// felt.
#include "cairn/surface.hpp"
#include "world/building.hpp"

namespace cairn::test {
namespace {

constexpr double kTile = 0.5;  // m

enum class Floor { Plane, Tiles, Grid, TwoGrids, Heights, CompoundTiles };
constexpr std::array<const char*, 6> kFloorNames = {"plane", "tiles", "grid", "two_grids", "heights", "compound"};

// Triangles over [x0, x0 + columns * size] x [y0, ...], all at height 0.
MeshShape gridMesh(double x0, double y0, int columns, int rows, double size) {
  SurfaceTriangles surface;
  for (int row = 0; row <= rows; ++row)
    for (int column = 0; column <= columns; ++column) surface.vertices.push_back({x0 + size * column, y0 + size * row, 0.0});
  const auto at = [&](int row, int column) { return static_cast<std::uint32_t>(row * (columns + 1) + column); };
  for (int row = 0; row < rows; ++row) {
    for (int column = 0; column < columns; ++column) {
      if ((row + column) % 2 == 0) {
        surface.triangles.push_back({at(row, column), at(row, column + 1), at(row + 1, column + 1)});
        surface.triangles.push_back({at(row, column), at(row + 1, column + 1), at(row + 1, column)});
      } else {
        surface.triangles.push_back({at(row, column), at(row, column + 1), at(row + 1, column)});
        surface.triangles.push_back({at(row, column + 1), at(row + 1, column + 1), at(row + 1, column)});
      }
    }
  }
  MeshShape shape;
  shape.mesh = makeMesh(std::move(surface));
  return shape;
}

constexpr double kReach = 8.0;  // m: the floor's half width

void addFloor(World& world, Floor floor, const Material& material) {
  const int tiles = static_cast<int>(2.0 * kReach / kTile);
  switch (floor) {
    case Floor::Plane:
      world.addBody(fixedSolid(Plane{}, Vec3::Zero(), material));
      break;
    case Floor::Tiles:
      for (int i = 0; i < tiles; ++i)
        for (int j = 0; j < tiles; ++j)
          world.addBody(fixedSolid(Box{{0.5 * kTile, 0.5 * kTile, 0.5}},
                                   {(i + 0.5) * kTile - kReach, (j + 0.5) * kTile - kReach, -0.5}, material));
      break;
    case Floor::CompoundTiles: {
      Compound compound;
      for (int i = 0; i < tiles; ++i)
        for (int j = 0; j < tiles; ++j)
          compound.children.push_back({Box{{0.5 * kTile, 0.5 * kTile, 0.5}},
                                       {{(i + 0.5) * kTile - kReach, (j + 0.5) * kTile - kReach, -0.5}, Quat::Identity()}});
      world.addBody(fixedSolid(compound, Vec3::Zero(), material));
      break;
    }
    case Floor::Grid:
      world.addBody(fixedSolid(gridMesh(-kReach, -kReach, 100, 100, 2.0 * kReach / 100), Vec3::Zero(), material));
      break;
    case Floor::TwoGrids:
      for (int k = -1; k < 1; ++k)
        world.addBody(fixedSolid(gridMesh(k * kReach, -kReach, 50, 100, 2.0 * kReach / 100), Vec3::Zero(), material));
      break;
    case Floor::Heights: {
      HeightGrid grid;
      grid.rows = grid.columns = 81;
      grid.spacing = 2.0 * kReach / 80;
      grid.heights.assign(81 * 81, 0.0f);
      world.addBody(fixedSolid(HeightFieldShape{makeHeightField(grid)}, Vec3::Zero(), material));
      break;
    }
  }
}

ConvexHull octagon(double radius, double half) {
  ConvexHull hull;
  for (int i = 0; i < 8; ++i) {
    const double angle = 0.25 * i * EIGEN_PI + 0.1;
    for (const double z : {-half, half}) hull.points.push_back({radius * std::cos(angle), radius * std::sin(angle), z});
  }
  return hull;
}

struct Mover {
  const char* name;
  Geometry geometry;
  double height;  // m, of its centre when it lies
  Quat rotation;
  bool rolls;
};

std::vector<Mover> movers() {
  const Quat lying = turn(0.5 * EIGEN_PI, Vec3::UnitX());
  return {{"ball", Sphere{0.1}, 0.1, Quat::Identity(), true},
          {"box", Box{{0.15, 0.1, 0.05}}, 0.05, Quat::Identity(), false},
          {"capsule", Capsule{0.1, 0.15}, 0.1, lying, false},
          {"cylinder", Cylinder{0.1, 0.1}, 0.1, Quat::Identity(), false},
          {"hull", octagon(0.12, 0.06), 0.06, Quat::Identity(), false}};
}

struct Ride {
  double rise = 0.0;      // m, highest over the start
  double sink = 0.0;      // m
  double sideways = 0.0;  // m/s, across the way, largest
  double slowing = 0.0;   // m/s, along it
  double impulse = 0.0;   // N s, normal, all in all
};

Ride ride(const Mover& mover, Floor floor, double speed, double angle, double friction, const std::string& stepper) {
  WorldSettings settings;
  settings.stepper = stepper;
  World world(settings);
  Material material;
  material.friction = friction;
  addFloor(world, floor, material);
  const Vec3 along(std::cos(angle), std::sin(angle), 0.0), across(-along.y(), along.x(), 0.0);
  const double seconds = std::min(2.0, 8.0 / speed);
  BodyDesc desc = solid(mover.geometry, Vec3(0.013, 0.021, mover.height) - 0.5 * speed * seconds * along, material);
  desc.pose.rotation = turn(angle, Vec3::UnitZ()) * mover.rotation;
  desc.linearVelocity = speed * along;
  if (mover.rolls && friction > 0.0) desc.angularVelocity = speed / mover.height * Vec3::UnitZ().cross(along);
  const BodyId body = world.addBody(desc);
  Ride result;
  const int steps = std::max(8, static_cast<int>(std::lround(seconds / kDt)));
  for (int i = 0; i < steps; ++i) {
    EXPECT_EQ(world.step(kDt).status, StepStatus::Ok);
    const BodyState state = *world.state(body);
    result.rise = std::max(result.rise, state.center.z() - mover.height);
    result.sink = std::max(result.sink, mover.height - state.center.z());
    result.sideways = std::max(result.sideways, std::abs(state.linearVelocity.dot(across)));
    for (const ContactEvent& event : world.contactEvents()) result.impulse += event.normalImpulse;
  }
  result.slowing = speed - world.state(body)->linearVelocity.dot(along);
  return result;
}

class Ghosts : public testing::TestWithParam<std::tuple<Floor, std::string>> {};

TEST_P(Ghosts, NothingIsFeltOfTheSeams) {
  const auto& [floor, stepper] = GetParam();
  for (const Mover& mover : movers()) {
    for (const double speed : {0.3, 3.0, 30.0}) {
      for (const double angle : {0.0, 0.3, 0.785398}) {
        const double friction = mover.rolls ? 1.0 : 0.0;
        const Ride plane = ride(mover, Floor::Plane, speed, angle, friction, stepper);
        const Ride felt = ride(mover, floor, speed, angle, friction, stepper);
        SCOPED_TRACE(std::string(mover.name) + " at " + std::to_string(speed) + " m/s, " + std::to_string(angle) + " rad");
        // Measured over tiles: 0.75 mm at 30 m/s, where a step is half a metre long; 0.05 mm/s and 0.45 mm/s at 0.3 m/s.
        const double most = speed > 10.0 ? 1e-3 : 1e-4;
        EXPECT_LE(felt.rise, std::max(plane.rise, 0.0) + most);
        EXPECT_LE(felt.sink, plane.sink + most);
        EXPECT_LE(felt.sideways, plane.sideways + 1e-4 * std::max(speed, 1.0));
        EXPECT_LE(std::abs(felt.slowing - plane.slowing), 1e-3 * std::max(speed, 1.0));
        EXPECT_NEAR(felt.impulse, plane.impulse, 0.01 * plane.impulse);
      }
    }
  }
}

std::vector<std::tuple<Floor, std::string>> floors() {
  std::vector<std::tuple<Floor, std::string>> all;
  // Not Floor::TwoGrids: the seam of two meshes is still felt (docs/shapes.md).
  for (const Floor floor : {Floor::Tiles, Floor::Grid, Floor::Heights, Floor::CompoundTiles})
    for (const char* stepper : {"soft", "velocity", "lcp"}) all.emplace_back(floor, stepper);
  return all;
}
INSTANTIATE_TEST_SUITE_P(Floors, Ghosts, testing::ValuesIn(floors()), [](const auto& one) {
  return std::string(kFloorNames[static_cast<int>(std::get<0>(one.param))]) + "_" + std::get<1>(one.param);
});

}  // namespace
}  // namespace cairn::test
