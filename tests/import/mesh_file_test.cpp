#include "import/mesh_file.hpp"

#include <gtest/gtest.h>

#include "geometry/mesh_check.hpp"
#include "geometry/mesh_mass.hpp"
#include "import/isolated.hpp"
#include "import/sample_files.hpp"

namespace cairn::testing {
namespace {

const Vec3 kHalf(0.5, 1.0, 1.5);

TEST(MeshFile, EveryFormatGivesTheSameSolidWhereItsNodePutsIt) {
  const Folder folder;
  for (const SampleFile& sample : sampleFiles(boxMesh(kHalf))) {
    SCOPED_TRACE(sample.name);
    const MeshFile file = readMeshFile(folder.write(sample.name, sample.bytes));
    EXPECT_EQ(file.triangles.size(), 12u);
    ASSERT_EQ(file.parts.size(), 1u);
    EXPECT_EQ(file.parts[0].triangleCount, 12u);
    EXPECT_FALSE(file.parts[0].name.empty());
    if (sample.name != "b.stl" && sample.name != "a.ply" && sample.name != "a.dae") {  // they have no names, or ids
      EXPECT_EQ(file.parts[0].name.substr(0, 5), "thing");
    }
    const RepairedMesh mesh = repairMesh(file.vertices, file.triangles);
    EXPECT_EQ(mesh.report.solidRefusal, "");
    EXPECT_EQ(mesh.vertices.size(), 8u);
    const MassProperties mass = meshMass({mesh.vertices, mesh.triangles}, 1.0);
    EXPECT_NEAR(mass.mass, 6.0, 1e-12);
    EXPECT_LT((mass.center - (sample.isPlaced ? Vec3(1, 2, 3) : Vec3(0, 0, 0))).norm(), 1e-12);
  }
}

TEST(MeshFile, ScaleAxesAndPlacementAreAppliedInThisOrder) {
  const Folder folder;
  const std::string path = folder.write("a.obj", asObj(boxMesh(kHalf).move({1, 2, 3})));
  MeshFileOptions options;
  options.scale = metresPer("cm");
  options.yUp = true;
  options.placement = {{10, 0, 0}, Quat(Eigen::AngleAxisd(0.5 * std::numbers::pi, Vec3::UnitZ()))};
  const MeshFile file = readMeshFile(path, options);
  // (1, 2, 3) cm, y up: (1, -3, 2) cm; turned about z: (3, 1, 2) cm; moved.
  const MassProperties mass = meshMass({file.vertices, file.triangles}, 1.0);
  EXPECT_LT((mass.center - Vec3(10.03, 0.01, 0.02)).norm(), 1e-12);
  EXPECT_NEAR(mass.mass, 6e-6, 1e-15);
}

TEST(MeshFile, ColladaBringsItsUnit) {
  const Folder folder;
  const MeshFile file = readMeshFile(folder.write("a.dae", asCollada(boxMesh(kHalf), 0.01)));
  EXPECT_NEAR(meshMass({file.vertices, file.triangles}, 1.0).mass, 6e-6, 1e-12);
}

TEST(MeshFile, PartsKeepTheirNames) {
  const Folder folder;
  const MeshFile file = readMeshFile(folder.write(
      "two.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\no first\nf 1 2 3\no second\nf 1 3 4\nf 1 4 2\n"));
  ASSERT_EQ(file.parts.size(), 2u);
  EXPECT_EQ(file.parts[0].name, "first");
  EXPECT_EQ(file.parts[1].name, "second");
  EXPECT_EQ(file.parts[1].firstTriangle, 1u);
  EXPECT_EQ(file.parts[1].triangleCount, 2u);
}

std::string refusalOf(const std::string& path, const MeshFileOptions& options = {}) {
  try {
    readMeshFile(path, options);
  } catch (const MeshFileError& error) {
    return error.what();
  }
  return "";
}

TEST(MeshFile, ErrorsNameTheFileAndWhatIsWrong) {
  const Folder folder;
  const std::string good = folder.write("good.obj", asObj(boxMesh(kHalf)));
  const std::string missing = (folder.path() / "missing.obj").string();
  EXPECT_EQ(refusalOf(missing), missing + ": no such file");
  const std::string empty = folder.write("empty.stl", "");
  EXPECT_EQ(refusalOf(empty), empty + ": it is empty");
  const std::string text = folder.write("mesh.txt", "hello");
  EXPECT_EQ(refusalOf(text), text + ": the name ends in \".txt\"; allowed: .obj, .stl, .ply, .gltf, .glb, .dae");
  EXPECT_EQ(refusalOf(good, {.mostBytes = 10}), good + ": " + std::to_string(asObj(boxMesh(kHalf)).size()) + " bytes; at most 10");
  EXPECT_EQ(refusalOf(good, {.mostTriangles = 11}), good + ": more than 11 triangles");
  const std::string rubbish = folder.write("rubbish.glb", "this is no glb");
  EXPECT_EQ(refusalOf(rubbish).substr(0, rubbish.size() + 2), rubbish + ": ");
  std::filesystem::create_directory(folder.path() / "folder.obj");
  EXPECT_NE(refusalOf((folder.path() / "folder.obj").string()).find("not a file"), std::string::npos);
  const std::string points = folder.write("points.obj", "v 0 0 0\nv 1 0 0\n");
  EXPECT_NE(refusalOf(points), "");
  EXPECT_THROW(readMeshFile(good, {.scale = 0.0}), std::invalid_argument);
  EXPECT_THROW(metresPer("parsec"), std::invalid_argument);
}

// Crashes and endless loops of the other side are errors here.
TEST(Isolated, WhateverHappensThereIsAnErrorHere) {
  const auto failure = [](const std::function<std::string()>& work, const IsolatedLimits& limits = {}) -> std::string {
    try {
      return runIsolated(work, limits);
    } catch (const IsolatedFailure& error) {
      return std::string("! ") + error.what();
    }
  };
  EXPECT_EQ(failure([] { return std::string(3000000, 'x'); }), std::string(3000000, 'x'));
  EXPECT_EQ(failure([]() -> std::string { throw std::runtime_error("bad luck"); }), "! bad luck");
  EXPECT_EQ(failure([]() -> std::string { ::raise(SIGSEGV); return ""; }), "! the reader fails on it (signal 11)");
  EXPECT_EQ(failure([]() -> std::string { ::_exit(3); }), "! the reader fails on it");
  EXPECT_EQ(failure([]() -> std::string { for (;;) ::getpid(); }, {.seconds = 1.0}), "! it takes too long");
}

// Bytes flipped, cut off, repeated: every outcome is a mesh that passes the check of numbers, or a MeshFileError.
TEST(MeshFile, MutatedFilesAreReadOrRefused) {
  const Folder folder;
  Random random(42);
  int read = 0, refused = 0;
  const std::vector<SampleFile> samples = sampleFiles(boxMesh(kHalf));
  for (int i = 0; i < 140; ++i) {
    const SampleFile& sample = samples[static_cast<std::size_t>(i) % samples.size()];
    std::string bytes = sample.bytes;
    const int changes = 1 + static_cast<int>(random() % 4);
    for (int k = 0; k < changes && !bytes.empty(); ++k) {
      const std::size_t at = random() % bytes.size();
      switch (random() % 8) {
        case 0: bytes[at] = static_cast<char>(random() & 255u); break;
        case 1: bytes.resize(at); break;
        case 2: bytes.insert(at, bytes.substr(random() % bytes.size(), random() % 64)); break;
        default: bytes[at] = static_cast<char>(bytes[at] ^ (1 << (random() % 8))); break;
      }
    }
    try {
      const MeshFile file = readMeshFile(folder.write(sample.name, bytes), {.mostTriangles = 100000, .seconds = 1.0});
      const RepairedMesh mesh = repairMesh(file.vertices, file.triangles);
      if (mesh.report.refusal.empty()) {
        EXPECT_NO_THROW(buildTriangleMesh(mesh.vertices, mesh.triangles));
      }
      ++read;
    } catch (const MeshFileError&) {
      ++refused;
    }
  }
  EXPECT_GT(read, 10);
  EXPECT_GT(refused, 10);
}

}  // namespace
}  // namespace cairn::testing
