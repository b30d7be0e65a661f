// A glTF model that is being put together: numbers into its one buffer, shapes into meshes.
#pragma once

#include <tiny_gltf.h>

#include <map>
#include <string>
#include <vector>

#include "export/scene_description.hpp"
#include "picture/picture_mesh.hpp"

namespace cairn {

class GltfModel {
 public:
  GltfModel();

  // The number of a mesh of this shape and colour; -1 if there is nothing to see. A plane becomes a square of the given half
  // side around the given point.
  int mesh(const Geometry& geometry, unsigned colour, const Vec3& planeCenter, double planeHalfSide);
  int addNode(tinygltf::Node node);
  // The number of an accessor for numbers of an animation; `width` of them make one element.
  int addKeys(const std::vector<float>& numbers, int width);
  void addChannel(tinygltf::Animation& animation, int node, const char* path, int times, int values, const char* how) const;

  tinygltf::Model& model() { return model_; }
  std::string write(bool binary);  // once

 private:
  struct Part {  // of a mesh without its colour
    int positions = -1, normals = -1, indices = -1;
  };
  Part buildPart(const Mesh& mesh, const Geometry& geometry);
  int material(unsigned colour);
  template <class Number>
  int addAccessor(int view, const std::vector<Number>& numbers, int componentType, int width, bool withBounds);

  enum View { kVertices, kIndices, kKeys, kViews };
  tinygltf::Model model_;
  std::vector<unsigned char> bytes_[kViews];
  std::map<std::string, Part> parts_;  // by what the shape is
  std::map<std::pair<std::string, unsigned>, int> meshes_;
  std::map<unsigned, int> materials_;
};

}  // namespace cairn
