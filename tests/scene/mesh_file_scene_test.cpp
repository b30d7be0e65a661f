// Meshes from files in scenes.
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "cairn/surface.hpp"
#include "cairn/world.hpp"
#include "scene/helpers.hpp"

namespace cairn {
namespace {

struct Folder {
  std::filesystem::path path = std::filesystem::temp_directory_path() / "cairn_mesh_scene_test";
  Folder() {
    std::filesystem::create_directories(path);
    // A cube of 100 mm, two triangles a side.
    std::ofstream(path / "cube.obj") << "v -50 -50 -50\nv 50 -50 -50\nv 50 50 -50\nv -50 50 -50\nv -50 -50 50\nv 50 -50 50\n"
                                        "v 50 50 50\nv -50 50 50\nf 1 3 2\nf 1 4 3\nf 5 6 7\nf 5 7 8\nf 1 2 6\nf 1 6 5\n"
                                        "f 2 3 7\nf 2 7 6\nf 3 4 8\nf 3 8 7\nf 4 1 5\nf 4 5 8\n";
  }
  ~Folder() { std::filesystem::remove_all(path); }
  std::string scene(const std::string& mesh) const {
    const std::string name = (path / "scene.json").string();
    std::ofstream(name) << sceneWith("\"bodies\": [{\"name\": \"cube\", \"shape\": {\"type\": \"mesh\", " + mesh + "}}]");
    return name;
  }
};

TEST(MeshFileScene, IsReadBesideTheSceneInItsUnit) {
  const Folder folder;
  const SceneModel model = loadSceneFile(folder.scene("\"file\": \"cube.obj\", \"unit\": \"mm\", \"density\": 1000, "
                                                      "\"decompose\": 0.05"),
                                         {});
  const MeshShape& mesh = std::get<MeshShape>(model.bodies.at(0).desc.shapes.at(0).geometry);
  EXPECT_TRUE(isClosed(*mesh.mesh));
  ASSERT_TRUE(mesh.parts);
  EXPECT_EQ(mesh.parts->children.size(), 1u);
  World world;
  const BodyId body = world.addBody(model.bodies[0].desc);
  EXPECT_NEAR(world.massProperties(body)->mass, 1.0, 1e-9);  // a litre of water
}

TEST(MeshFileScene, ErrorsNameTheLineAndTheFile) {
  const Folder folder;
  try {
    loadSceneFile(folder.scene("\n\"file\": \"cub.obj\""), {});
    FAIL() << "loaded";
  } catch (const SceneError& error) {
    const std::string text = error.problems().front().format();
    EXPECT_NE(text.find("scene.json:2"), std::string::npos) << text;
    EXPECT_NE(text.find("cub.obj"), std::string::npos) << text;
    EXPECT_NE(text.find("bodies[0].shape.file"), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace cairn
