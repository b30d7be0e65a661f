#include "import/assimp_reader.hpp"

#include <assimp/config.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>

#include <assimp/Importer.hpp>
#include <limits>
#include <stdexcept>

#include "import/bytes.hpp"

namespace cairn {
namespace {

Eigen::Matrix4d matrixOf(const aiMatrix4x4& m) {
  Eigen::Matrix4d out;
  for (unsigned row = 0; row < 4; ++row) {
    for (unsigned column = 0; column < 4; ++column) out(row, column) = m[row][column];
  }
  return out;
}

std::string textOf(const aiString& text) { return std::string(text.data, std::min<std::size_t>(text.length, sizeof(text.data))); }

struct Place {
  const aiNode* node;
  Eigen::Matrix4d matrix;
};

}  // namespace

std::string readWithAssimp(const std::string& path, std::size_t mostTriangles) {
  Assimp::Importer importer;
  // Shapes only. Points and lines are dropped.
  importer.SetPropertyInteger(AI_CONFIG_PP_RVC_FLAGS, aiComponent_NORMALS | aiComponent_TANGENTS_AND_BITANGENTS | aiComponent_COLORS |
                                                          aiComponent_TEXCOORDS | aiComponent_BONEWEIGHTS | aiComponent_ANIMATIONS |
                                                          aiComponent_TEXTURES | aiComponent_LIGHTS | aiComponent_CAMERAS |
                                                          aiComponent_MATERIALS);
  importer.SetPropertyInteger(AI_CONFIG_PP_SBP_REMOVE, aiPrimitiveType_POINT | aiPrimitiveType_LINE);
  importer.SetPropertyBool(AI_CONFIG_IMPORT_COLLADA_IGNORE_UP_DIRECTION, true);  // coordinates stay the file's
  const aiScene* scene = importer.ReadFile(path, aiProcess_Triangulate | aiProcess_SortByPType | aiProcess_RemoveComponent |
                                                     aiProcess_ValidateDataStructure);
  if (scene == nullptr) throw std::runtime_error(importer.GetErrorString());
  if (scene->mRootNode == nullptr) throw std::runtime_error("no meshes");

  ByteWriter parts, vertices, triangles;
  std::uint64_t partCount = 0, vertexCount = 0, triangleCount = 0;
  std::vector<Place> open{{scene->mRootNode, Eigen::Matrix4d::Identity()}};
  while (!open.empty()) {
    const Place place = open.back();
    open.pop_back();
    const Eigen::Matrix4d matrix = place.matrix * matrixOf(place.node->mTransformation);
    for (unsigned i = place.node->mNumChildren; i-- > 0;) open.push_back({place.node->mChildren[i], matrix});
    for (unsigned i = 0; i < place.node->mNumMeshes; ++i) {
      const unsigned index = place.node->mMeshes[i];
      if (index >= scene->mNumMeshes) throw std::runtime_error("a node names a mesh that is not there");
      const aiMesh& mesh = *scene->mMeshes[index];
      if (vertexCount + mesh.mNumVertices > std::numeric_limits<std::uint32_t>::max()) throw std::runtime_error("too many vertices");
      if (triangleCount + mesh.mNumFaces > mostTriangles)
        throw std::runtime_error("more than " + std::to_string(mostTriangles) + " triangles");
      // A mirrored part would be inside out.
      const bool isMirrored = matrix.topLeftCorner<3, 3>().determinant() < 0.0;
      std::uint64_t count = 0;
      for (unsigned f = 0; f < mesh.mNumFaces; ++f) {
        const aiFace& face = mesh.mFaces[f];
        if (face.mNumIndices != 3) continue;
        for (int k : {0, isMirrored ? 2 : 1, isMirrored ? 1 : 2}) {
          if (face.mIndices[k] >= mesh.mNumVertices) throw std::runtime_error("a triangle names a vertex that is not there");
          triangles.add(static_cast<std::uint32_t>(vertexCount + face.mIndices[k]));
        }
        ++count;
      }
      if (count == 0) continue;
      for (unsigned v = 0; v < mesh.mNumVertices; ++v) {
        const aiVector3D& p = mesh.mVertices[v];
        vertices.add(Vec3((matrix * Eigen::Vector4d(p.x, p.y, p.z, 1.0)).head<3>()));
      }
      vertexCount += mesh.mNumVertices;
      triangleCount += count;
      ++partCount;
      const std::string meshName = textOf(mesh.mName), nodeName = textOf(place.node->mName);
      parts.add(std::string_view(meshName.empty() ? nodeName : meshName));
      parts.add(count);
    }
  }
  ByteWriter all;
  all.add(partCount), all.add(vertexCount), all.add(triangleCount);
  all.bytes() += parts.bytes();
  all.bytes() += vertices.bytes();
  all.bytes() += triangles.bytes();
  return std::move(all.bytes());
}

}  // namespace cairn
