// Assets: textures by name, materials, meshes.
#include <filesystem>
#include <stdexcept>

#include "import/robot/file_paths.hpp"
#include "import/robot/mjcf/mjcf_reader.hpp"

namespace cairn {

namespace fs = std::filesystem;

void MjcfReader::readAssets() {
  // Textures first: a material may stand before its texture.
  eachSection("asset", [&](const XmlNode& section) {
    for (const XmlNode& node : section.children)
      if (node.name == "texture") readTexture(node);
  });
  eachSection("asset", [&](const XmlNode& section) {
    for (const XmlNode& node : section.children) {
      if (node.name == "material") {
        readMaterial(node);
      } else if (node.name == "mesh") {
        readMesh(node);
      } else if (node.name == "hfield") {
        for (const XmlAttribute& a : node.attributes) a.read = true;
        remarks_.note(node, "asset: <hfield>: shapes that use it are listed");
      } else if (node.name == "skin") {
        for (const XmlAttribute& a : node.attributes) a.read = true;
        remarks_.note(node, "asset: <skin>: does not change the motion, not read");
      } else if (node.name == "model") {
        for (const XmlAttribute& a : node.attributes) a.read = true;
        remarks_.note(node, "asset: <model>: what is attached from it is listed");
      } else if (node.name != "texture") {
        remarks_.missing(node, "asset: <" + node.name + ">: cannot be represented");
      }
    }
  });
}

// In the folder that the compiler settings name, beside the main file or beside the file that the element stands in.
std::string MjcfReader::assetFile(const XmlNode& node, const std::string& folder, const std::string& written) const {
  const std::string base = settings_.stripPath ? fs::path(written).filename().string() : written;
  const std::string path = (fs::path(folder) / base).string();
  if (base.find("://") != std::string::npos) return resolveFile(base, folder_, options_.packagePaths);
  std::string found = fileAt(path, folder_);
  const std::string beside = fs::path(node.place.file).parent_path().string();
  if (found.empty()) found = fileAt(path, beside);
  if (found.empty()) found = fileAt(base, beside);
  return found;
}

void MjcfReader::readTexture(const XmlNode& node) {
  const std::string written = node.attribute("file");
  const std::string name = node.attribute("name", fs::path(written).stem().string());
  if (written.empty()) {
    remarks_.note(node, "texture \"" + name + "\": a pattern that MuJoCo draws itself; the colour of the material is used");
    return;
  }
  const std::string found = assetFile(node, settings_.textureFolder, written);
  if (found.empty()) remarks_.note(node, "texture file \"" + written + "\" is not found: the colour of the material is used");
  textures_[name] = found;
}

void MjcfReader::readMaterial(const XmlNode& node) {
  RobotMaterial material = classes_.find(node.attribute("class"), node).material;
  readAttributes(node, material);
  material.name = node.required("name");
  material.place = node.place;
  const auto texture = textures_.find(material.texture);
  material.texture = texture == textures_.end() ? "" : texture->second;
  for (const XmlNode& part : node.children)
    if (part.name == "layer") part.ignore({"texture", "role"});
  if (indexOf(model_.materials, material.name) >= 0) node.fail("name", "there are two materials \"" + material.name + "\"");
  model_.materials.push_back(material);
}

void MjcfReader::readMesh(const XmlNode& node) {
  MjcfMesh record = classes_.find(node.attribute("class"), node).mesh;
  if (settings_.exactMeshInertia && !record.inertiaGiven) record.inertia = MeshInertia::Exact;
  readAttributes(node, settings_, record, remarks_);
  RobotMesh& mesh = record.mesh;
  mesh.place = node.place;
  const std::string written = node.attribute("file");
  mesh.name = node.attribute("name", fs::path(written).stem().string());
  if (mesh.scale.cwiseAbs().minCoeff() == 0.0) node.fail("scale", "found 0; allowed: other numbers");
  bool found = true;
  if (!written.empty()) {
    mesh.file = assetFile(node, settings_.meshFolder, written);
    if (mesh.file.empty()) {
      found = false;
      mesh.file = written;
      remarks_.missing(node, "mesh file \"" + (fs::path(settings_.meshFolder) / written).string() + "\" is not found");
    }
  } else {
    const std::vector<double> points = node.numbers("vertex"), corners = node.numbers("face");
    if (points.size() % 3 != 0 || (points.size() < 12 && !node.has("builtin")))
      node.fail("vertex", "found " + std::to_string(points.size()) + " numbers; allowed: x y z of four points or more, or a file");
    for (std::size_t i = 0; i + 2 < points.size(); i += 3) mesh.vertices.emplace_back(points[i], points[i + 1], points[i + 2]);
    if (corners.size() % 3 != 0) node.fail("face", "found " + std::to_string(corners.size()) + " numbers; allowed: three for each");
    for (std::size_t i = 0; i + 2 < corners.size(); i += 3) {
      std::array<std::uint32_t, 3> triangle{};
      for (int k = 0; k < 3; ++k) {
        if (!(corners[i + k] >= 0.0) || corners[i + k] >= static_cast<double>(mesh.vertices.size()))
          node.fail("face", "there is no such vertex; allowed: 0 to " + std::to_string(mesh.vertices.size() - 1));
        triangle[k] = static_cast<std::uint32_t>(corners[i + k]);
      }
      mesh.triangles.push_back(triangle);
    }
    found = !mesh.vertices.empty();
  }
  if (mesh.name.empty()) node.fail("the mesh has no name and no file");
  if (indexOf(model_.meshes, mesh.name) >= 0) node.fail("name", "there are two meshes \"" + mesh.name + "\"");
  for (const XmlNode& part : node.children) remarks_.missing(part, "mesh: <" + part.name + ">: cannot be represented");
  model_.meshes.push_back(mesh);
  meshRules_.push_back(record.inertia);
  meshFound_.push_back(found);
}

MeshTriangles MjcfReader::trianglesOf(int index) const {
  const RobotMesh& mesh = model_.meshes[index];
  MeshTriangles result;
  if (mesh.file.empty()) {
    result = {mesh.vertices, mesh.triangles};
  } else {
    if (!meshFound_[index]) throw std::runtime_error("its mesh file is not found");
    if (!options_.meshes) throw std::runtime_error("mesh files cannot be read here");
    result = options_.meshes->load(mesh.file);
  }
  for (Vec3& v : result.vertices)
    v = mesh.scale.cwiseProduct(mesh.referenceRotation.conjugate() * (v - mesh.referencePosition));
  if (mesh.scale.prod() < 0.0)
    for (auto& triangle : result.triangles) std::swap(triangle[1], triangle[2]);  // mirrored: inside stays inside
  return result;
}

const MassProperties& MjcfReader::unitMass(int mesh, MeshInertia rule) {
  const auto [at, isNew] = unitMasses_.try_emplace({mesh, rule});
  if (isNew) {
    try {
      at->second = meshMass(trianglesOf(mesh), rule);
    } catch (...) {
      unitMasses_.erase(at);
      throw;
    }
  }
  return at->second;
}

}  // namespace cairn
