// Pictures of worlds: the right size, the right things at the right places, the same bytes every time.
#include "picture/picture.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>

#include "picture/picture_mesh.hpp"
#include "picture/picture_scene.hpp"

namespace cairn {
namespace {

namespace fs = std::filesystem;

using Colour = std::array<int, 3>;

Colour at(const Image& image, int x, int y) {
  const std::size_t i = 3 * (static_cast<std::size_t>(y) * image.width + x);
  return {image.rgb[i], image.rgb[i + 1], image.rgb[i + 2]};
}

int difference(const Colour& a, const Colour& b) {
  return std::abs(a[0] - b[0]) + std::abs(a[1] - b[1]) + std::abs(a[2] - b[2]);
}

// How strong a colour is: greys and the background's pale blue have little of it, bodies have much.
int saturation(const Colour& c) { return std::max({c[0], c[1], c[2]}) - std::min({c[0], c[1], c[2]}); }
constexpr int kBodySaturation = 45;

BodyId add(World& world, const std::string& name, const Geometry& geometry, const Vec3& position,
           BodyKind kind = BodyKind::Dynamic) {
  BodyDesc desc;
  desc.name = name;
  desc.kind = kind;
  desc.pose.position = position;
  desc.shapes.resize(1);
  desc.shapes[0].geometry = geometry;
  return world.addBody(desc);
}

BodyId addGround(World& world) { return add(world, "ground", Plane{}, Vec3::Zero(), BodyKind::Static); }

ConvexHull octahedron(double radius) {
  ConvexHull hull;
  for (int k = 0; k < 3; ++k) {
    hull.points.push_back(radius * Vec3::Unit(k));
    hull.points.push_back(-radius * Vec3::Unit(k));
  }
  return hull;
}

std::vector<Geometry> allSolids() {
  return {Sphere{0.4},        Box{Vec3(0.3, 0.4, 0.2)},       Capsule{0.2, 0.3},
          Cylinder{0.3, 0.3}, Ellipsoid{Vec3(0.4, 0.3, 0.2)}, octahedron(0.4)};
}

PictureOptions small() { return {.width = 160, .height = 90}; }

int colouredPixels(const Image& image) {
  int count = 0;
  for (int y = 0; y < image.height; ++y) {
    for (int x = 0; x < image.width; ++x) count += saturation(at(image, x, y)) >= kBodySaturation;
  }
  return count;
}

TEST(Picture, HasTheSizeThatWasAskedFor) {
  World world;
  addGround(world);
  const Image image = renderPicture(world, {.width = 123, .height = 45});
  EXPECT_EQ(image.width, 123);
  EXPECT_EQ(image.height, 45);
  EXPECT_EQ(image.rgb.size(), 3u * 123 * 45);
}

TEST(Picture, ShowsEveryKindOfShape) {
  for (const Geometry& geometry : allSolids()) {
    World world;
    addGround(world);
    add(world, "brick", geometry, {0, 0, 0.6});
    EXPECT_GT(colouredPixels(renderPicture(world, small())), 1000) << "shape " << geometry.index();
  }
}

TEST(Picture, OfOneWorldIsTheSameEveryTime) {
  World world;
  addGround(world);
  double x = 0.0;
  for (const Geometry& geometry : allSolids()) add(world, "", geometry, {x += 0.9, 0.0, 0.5});
  EXPECT_EQ(renderPicture(world, small()).rgb, renderPicture(world, small()).rgb);
}

// A camera that looks along +y with a vertical angle of view of 90 degrees and 200 rows has a focal length of 100 pixels: a
// point 10 m away, 3 m to the right and 2 m up appears 30 pixels right of and 20 above the middle.
TEST(Picture, ShowsABodyWhereThePinholeSaysItIs) {
  World world;
  add(world, "brick", Sphere{0.5}, {3, 0, 2});
  const Image image = renderPicture(
      world, {.width = 300, .height = 200, .eye = Vec3(0, -10, 0), .target = Vec3(0, 0, 0), .verticalFieldOfViewDeg = 90});
  EXPECT_GE(saturation(at(image, 180, 80)), kBodySaturation);
  // Its radius is 5 pixels, a little more away from the middle.
  for (const auto& [x, y] : {std::pair{172, 80}, {188, 80}, {180, 72}, {180, 88}, {120, 80}, {180, 120}}) {
    EXPECT_LT(saturation(at(image, x, y)), kBodySaturation) << x << ", " << y;
  }
}

TEST(Picture, ShowsTheNearerOfTwoBodies) {
  const PictureOptions options{.width = 60, .height = 60, .eye = Vec3(0, -10, 0), .target = Vec3(0, 0, 0)};
  World near, far, both;
  add(near, "brick", Box{}, {0, 0, 0});
  add(far, "block", Box{}, {0, 3, 0});
  add(both, "block", Box{}, {0, 3, 0});
  add(both, "brick", Box{}, {0, 0, 0});
  const Colour seen = at(renderPicture(both, options), 30, 30);
  EXPECT_LT(difference(seen, at(renderPicture(near, options), 30, 30)), 10);
  EXPECT_GT(difference(seen, at(renderPicture(far, options), 30, 30)), 60);
}

TEST(Picture, FramesEveryBodyThatCanMove) {
  World world;
  addGround(world);
  add(world, "brick.1", Box{}, {-40, 0, 0.5});
  add(world, "brick.2", Box{}, {40, 25, 0.5});
  add(world, "brick.3", Sphere{3}, {0, 0, 30});
  const Image image = renderPicture(world, {.width = 640, .height = 360});
  EXPECT_GT(colouredPixels(image), 100);
  for (int y = 0; y < image.height; ++y) {
    for (int x = 0; x < image.width; ++x) {
      if (x >= 20 && x < 620 && y >= 20 && y < 340) continue;
      ASSERT_LT(saturation(at(image, x, y)), kBodySaturation) << "something reaches the rim at " << x << ", " << y;
    }
  }
}

TEST(Picture, IsNotTakenFromAfarBecauseOneBodyOfManyFlewOff) {
  World world;
  addGround(world);
  for (int i = 0; i < 30; ++i) add(world, "brick." + std::to_string(i), Box{}, {1.5 * (i % 6), 1.5 * (i / 6), 0.5});
  const int before = colouredPixels(renderPicture(world, small()));
  add(world, "brick.30", Box{}, {1e4, 0, 0.5});
  EXPECT_GT(colouredPixels(renderPicture(world, small())), before / 2);
}

TEST(Picture, ThrowsShadowsOnTheGround) {
  World world;
  addGround(world);
  add(world, "brick", Box{Vec3(0.5, 0.5, 0.1)}, {0, 0, 2});
  const PictureOptions above{.width = 200, .height = 200, .eye = Vec3(0.01, -0.02, 12), .target = Vec3(0, 0, 0)};
  const Image image = renderPicture(world, above);
  int dark = 0;
  for (std::size_t i = 0; i < image.rgb.size(); i += 3) {
    const Colour c{image.rgb[i], image.rgb[i + 1], image.rgb[i + 2]};
    dark += saturation(c) < kBodySaturation && c[1] < 165;
  }
  // The shadow is about 1 m square, and a metre is 200 / (2 * 12 m * tan(17.5 deg)) = 26 pixels there.
  EXPECT_GT(dark, 26 * 26 / 3);
  EXPECT_LT(dark, 26 * 26 * 2);
}

TEST(Picture, SeesThroughAWallInFrontOfTheBodies) {
  World world;
  addGround(world);
  add(world, "brick", Box{}, {0, 0, 0.5});
  add(world, "wall", Box{Vec3(4, 0.1, 4)}, {0, -2, 2}, BodyKind::Static);
  const Image image =
      renderPicture(world, {.width = 100, .height = 100, .eye = Vec3(0, -12, 0.6), .target = Vec3(0, 0, 0.5)});
  EXPECT_GE(saturation(at(image, 50, 50)), kBodySaturation);
}

TEST(Picture, LooksAtBodiesAMillionMetresAwayAsAtThoseNearby) {
  World near, far;
  add(near, "brick", Sphere{}, {0, 0, 0});
  add(far, "brick", Sphere{}, {1e6, -1e6, 1e6});
  const Image a = renderPicture(near, small()), b = renderPicture(far, small());
  for (std::size_t i = 0; i < a.rgb.size(); ++i) ASSERT_NEAR(a.rgb[i], b.rgb[i], 2) << "byte " << i;
}

TEST(Picture, OfAnEmptyWorldIsItsBackground) {
  const Image image = renderPicture(World(), small());
  EXPECT_EQ(image.rgb.size(), 3u * 160 * 90);
  EXPECT_EQ(colouredPixels(image), 0);
  EXPECT_GT(at(image, 80, 89)[0], 200);
  EXPECT_NE(at(image, 80, 0), at(image, 80, 89));
}

TEST(Picture, OfExtremeWorldsCanBeTaken) {
  WorldSettings weightless;
  weightless.gravity = Vec3::Zero();
  World zero(weightless);
  for (const Geometry& geometry : allSolids()) add(zero, "", geometry, Vec3::Random());
  EXPECT_GT(colouredPixels(renderPicture(zero, small())), 500);

  WorldSettings sideways;
  sideways.gravity = Vec3(0, 9.81, 0);
  World tilted(sideways);
  add(tilted, "floor", Plane{.normal = -Vec3::UnitY(), .offset = 0}, Vec3::Zero(), BodyKind::Static);
  add(tilted, "brick", Box{}, {0, -0.5, 0});
  EXPECT_GT(colouredPixels(renderPicture(tilted, small())), 500);

  World scattered;
  addGround(scattered);
  add(scattered, "brick.1", Sphere{1e-3}, {0, 0, 1e-3});
  add(scattered, "brick.2", Sphere{1e3}, {1e6, 0, 1e3});
  EXPECT_EQ(renderPicture(scattered, small()).width, 160);

  World onlyWalls;
  add(onlyWalls, "wall", Box{Vec3(1e4, 1, 1e4)}, Vec3::Zero(), BodyKind::Static);
  EXPECT_EQ(renderPicture(onlyWalls, small()).width, 160);
}

TEST(Picture, CanBeTakenFromAnywhere) {
  World world;
  addGround(world);
  for (const Geometry& geometry : allSolids()) add(world, "", geometry, {0, 0, 0.4});
  add(world, "floor", Box{Vec3(50, 50, 0.5)}, {0, 0, -0.5}, BodyKind::Static);
  for (const Vec3& eye :
       {Vec3(0, 0, 0.4), Vec3(0, 0, 10), Vec3(0, 0, -10), Vec3(0.3, 0, 0.4), Vec3(1e7, 0, 0), Vec3(0, 5, 0)}) {
    const Image image = renderPicture(world, {.width = 64, .height = 64, .eye = eye, .target = Vec3(0, 0, 0.4)});
    EXPECT_EQ(image.rgb.size(), 3u * 64 * 64);
  }
  EXPECT_EQ(renderPicture(world, {.width = 1, .height = 1}).rgb.size(), 3u);
  EXPECT_GT(colouredPixels(renderPicture(world, {.width = 90, .height = 160, .target = Vec3(0, 0, 0.4)})), 100);
}

TEST(Picture, RefusesOptionsThatMakeNoSense) {
  const World world;
  EXPECT_THROW(renderPicture(world, {.width = 0}), std::invalid_argument);
  EXPECT_THROW(renderPicture(world, {.height = -5}), std::invalid_argument);
  EXPECT_THROW(renderPicture(world, {.width = 8192, .height = 8192}), std::invalid_argument);
  EXPECT_THROW(renderPicture(world, {.width = 100000}), std::invalid_argument);
  EXPECT_THROW(renderPicture(world, {.verticalFieldOfViewDeg = 180}), std::invalid_argument);
  EXPECT_THROW(renderPicture(world, {.eye = Vec3(0, 0, std::numeric_limits<double>::quiet_NaN())}), std::invalid_argument);
}

TEST(Picture, IsWrittenAsPng) {
  const fs::path path = fs::temp_directory_path() / ("cairn-picture-" + std::to_string(::getpid()) + ".png");
  writePng(renderPicture(World(), small()), path.string());
  std::ifstream file(path, std::ios::binary);
  std::array<char, 24> start{};
  file.read(start.data(), start.size());
  EXPECT_EQ(std::string(start.data() + 1, 3), "PNG");
  // Width and height are the last bytes of the two big-endian words after "IHDR".
  EXPECT_EQ(static_cast<unsigned char>(start[19]), 160);
  EXPECT_EQ(static_cast<unsigned char>(start[23]), 90);
  fs::remove(path);
}

TEST(Picture, NamesThePathThatCannotBeWritten) {
  const Image image = renderPicture(World(), small());
  for (const std::string path : {"/nonexistent/folder/out.png", "/dev/full"}) {
    try {
      writePng(image, path);
      ADD_FAILURE() << path << " was written";
    } catch (const std::runtime_error& error) {
      EXPECT_NE(std::string(error.what()).find(path), std::string::npos) << error.what();
    }
  }
}

TEST(PictureScene, SiblingsAreOneFamily) {
  EXPECT_EQ(nameFamily("brick.3.17"), "brick");
  EXPECT_EQ(nameFamily("box 12"), "box");
  EXPECT_EQ(nameFamily("ball"), "ball");
  EXPECT_EQ(nameFamily("8 kg"), nameFamily("512 kg"));
  EXPECT_EQ(nameFamily("17"), "");
}

// Every edge of a closed mesh is used once in each direction.
TEST(PictureMesh, IsClosedAndLooksOutwards) {
  for (const Geometry& geometry : allSolids()) {
    const Mesh mesh = buildMesh(geometry, 24);
    std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;
    double volume = 0.0;
    for (const MeshTriangle& t : mesh.triangles) {
      ASSERT_LT(t.face, mesh.faceNormals.size());
      for (const auto& edge : {std::pair{t.a, t.b}, {t.b, t.c}, {t.c, t.a}}) edges.push_back(edge);
      volume += mesh.vertices[t.a].dot(mesh.vertices[t.b].cross(mesh.vertices[t.c])) / 6.0;
    }
    std::sort(edges.begin(), edges.end());
    EXPECT_EQ(std::adjacent_find(edges.begin(), edges.end()), edges.end()) << "shape " << geometry.index();
    for (const auto& [from, to] : edges) {
      EXPECT_TRUE(std::binary_search(edges.begin(), edges.end(), std::pair{to, from})) << "shape " << geometry.index();
    }
    // Chords lie inside a curved surface: 24 of them cost a sphere 2.5 % of its volume.
    const double exact = massProperties(geometry, 1.0).mass;
    EXPECT_LE(volume, exact * (1.0 + 1e-9)) << "shape " << geometry.index();
    EXPECT_GT(volume, exact * 0.97) << "shape " << geometry.index();
  }
}

TEST(PictureMesh, HullMergesTheTrianglesOfAFace) {
  ConvexHull hull;
  for (int i = 0; i < 27; ++i) hull.points.emplace_back(i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1);
  const Mesh mesh = buildMesh(hull, 0);
  EXPECT_EQ(mesh.faceNormals.size(), 6u);
}

TEST(PictureMesh, HullOfManyPointsStaysCheap) {
  ConvexHull hull;
  for (int i = 0; i < 20000; ++i) {
    const double z = 1.0 - 2.0 * (i + 0.5) / 20000, angle = 2.4 * i, r = std::sqrt(1.0 - z * z);
    hull.points.emplace_back(r * std::cos(angle), r * std::sin(angle), z);
  }
  EXPECT_LE(buildMesh(hull, 0).triangles.size(), 1200u);
}

}  // namespace
}  // namespace cairn
