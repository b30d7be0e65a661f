#include "export/gltf_model.hpp"

#include <fmt/format.h>

#include <sstream>

#include "picture/palette.hpp"

namespace cairn {
namespace {

constexpr int kSegments = 32;  // chords around a curved shape
constexpr double kRoughness = 0.8;

template <class... Ts>
struct Overloaded : Ts... {
  using Ts::operator()...;
};

// Equal for equal shapes.
std::string keyOf(const Geometry& geometry) {
  const auto list = [](const Vec3& v) { return fmt::format("{},{},{}", v.x(), v.y(), v.z()); };
  const std::string sizes =
      std::visit(Overloaded{[&](const Plane& s) { return list(s.normal) + fmt::format(",{}", s.offset); },
                            [&](const Sphere& s) { return fmt::format("{}", s.radius); },
                            [&](const Box& s) { return list(s.halfExtents) + fmt::format(",{}", s.rounding); },
                            [&](const Capsule& s) { return fmt::format("{},{}", s.radius, s.halfHeight); },
                            [&](const Cylinder& s) { return fmt::format("{},{}", s.radius, s.halfHeight); },
                            [&](const Ellipsoid& s) { return list(s.radii); },
                            [&](const ConvexHull& s) {
                              std::string all;
                              for (const Vec3& point : s.points) all += list(point) + ";";
                              return all + fmt::format("{}", s.rounding);
                            },
                            [&](const Cone& s) { return fmt::format("{},{}", s.radius, s.halfHeight); },
                            [&](const auto&) {  // by what is drawn
                              const Mesh mesh = buildMesh(geometry, 4);
                              std::string all;
                              for (const Vec3& vertex : mesh.vertices) all += list(vertex) + ";";
                              return all;
                            }},
                 geometry);
  return fmt::format("{}:{}", geometry.index(), sizes);
}

Mesh squareMesh(const Plane& plane, const Vec3& center, double halfSide) {
  const Vec3 middle = center - (plane.normal.dot(center) - plane.offset) * plane.normal;
  const Vec3 across = plane.normal.unitOrthogonal();
  const Vec3 along = plane.normal.cross(across);
  Mesh mesh;
  for (const auto& [x, y] : {std::pair{-1, -1}, {1, -1}, {1, 1}, {-1, 1}})
    mesh.vertices.push_back(middle + halfSide * (x * across + y * along));
  mesh.triangles = {{0, 1, 2, 0}, {0, 2, 3, 0}};
  mesh.faceNormals = {plane.normal};
  return mesh;
}

}  // namespace

GltfModel::GltfModel() {
  model_.asset.version = "2.0";
  model_.asset.generator = "Cairn";
}

template <class Number>
int GltfModel::addAccessor(int view, const std::vector<Number>& numbers, int componentType, int width, bool withBounds) {
  tinygltf::Accessor accessor;
  accessor.bufferView = view;
  accessor.byteOffset = bytes_[view].size();
  accessor.componentType = componentType;
  accessor.count = numbers.size() / width;
  accessor.type = width == 1 ? TINYGLTF_TYPE_SCALAR : width == 3 ? TINYGLTF_TYPE_VEC3 : TINYGLTF_TYPE_VEC4;
  if (withBounds) {
    accessor.minValues.assign(numbers.begin(), numbers.begin() + width);
    accessor.maxValues = accessor.minValues;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      double &least = accessor.minValues[i % width], &most = accessor.maxValues[i % width];
      least = std::min<double>(least, numbers[i]);
      most = std::max<double>(most, numbers[i]);
    }
  }
  const auto* raw = reinterpret_cast<const unsigned char*>(numbers.data());
  bytes_[view].insert(bytes_[view].end(), raw, raw + numbers.size() * sizeof(Number));
  model_.accessors.push_back(std::move(accessor));
  return static_cast<int>(model_.accessors.size()) - 1;
}

GltfModel::Part GltfModel::buildPart(const Mesh& mesh, const Geometry& geometry) {
  std::vector<float> positions, normals;
  std::vector<std::uint32_t> indices;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> corners;  // by vertex and face: creases are sharp
  for (const MeshTriangle& triangle : mesh.triangles) {
    for (const std::uint32_t vertex : {triangle.a, triangle.b, triangle.c}) {
      const auto next = static_cast<std::uint32_t>(positions.size() / 3);
      const auto [corner, isNew] = corners.try_emplace({vertex, triangle.face}, next);
      indices.push_back(corner->second);
      if (!isNew) continue;
      const Vec3& point = mesh.vertices[vertex];
      const Vec3& flat = mesh.faceNormals[triangle.face];
      const Vec3 normal = flat.isZero(0.0) ? curvedNormal(geometry, point) : flat;
      for (int k = 0; k < 3; ++k) {
        positions.push_back(static_cast<float>(point[k]));
        normals.push_back(static_cast<float>(normal[k]));
      }
    }
  }
  if (indices.empty()) return {};
  return {addAccessor(kVertices, positions, TINYGLTF_COMPONENT_TYPE_FLOAT, 3, true),
          addAccessor(kVertices, normals, TINYGLTF_COMPONENT_TYPE_FLOAT, 3, false),
          addAccessor(kIndices, indices, TINYGLTF_COMPONENT_TYPE_UNSIGNED_INT, 1, false)};
}

int GltfModel::material(unsigned colour) {
  const auto [entry, isNew] = materials_.try_emplace(colour, static_cast<int>(model_.materials.size()));
  if (isNew) {
    const Vec3f linear = linearFromHex(colour);
    tinygltf::Material material;
    material.name = fmt::format("#{:06x}", colour);
    material.pbrMetallicRoughness.baseColorFactor = {linear.x(), linear.y(), linear.z(), 1.0};
    material.pbrMetallicRoughness.metallicFactor = 0.0;
    material.pbrMetallicRoughness.roughnessFactor = kRoughness;
    model_.materials.push_back(std::move(material));
  }
  return entry->second;
}

int GltfModel::mesh(const Geometry& geometry, unsigned colour, const Vec3& planeCenter, double planeHalfSide) {
  std::string key = keyOf(geometry);
  const auto* plane = std::get_if<Plane>(&geometry);
  if (plane) key += fmt::format("@{},{},{}", planeCenter.x(), planeCenter.y(), planeCenter.z());
  const auto known = parts_.find(key);
  const Part part = known != parts_.end() ? known->second
                    : plane               ? buildPart(squareMesh(*plane, planeCenter, planeHalfSide), geometry)
                                          : buildPart(buildMesh(geometry, kSegments), geometry);
  parts_.emplace(key, part);
  if (part.indices < 0) return -1;
  const auto [entry, isNew] = meshes_.try_emplace({key, colour}, static_cast<int>(model_.meshes.size()));
  if (isNew) {
    tinygltf::Primitive primitive;
    primitive.attributes = {{"POSITION", part.positions}, {"NORMAL", part.normals}};
    primitive.indices = part.indices;
    primitive.material = material(colour);
    primitive.mode = TINYGLTF_MODE_TRIANGLES;
    tinygltf::Mesh mesh;
    mesh.primitives.push_back(std::move(primitive));
    model_.meshes.push_back(std::move(mesh));
  }
  return entry->second;
}

int GltfModel::addNode(tinygltf::Node node) {
  model_.nodes.push_back(std::move(node));
  return static_cast<int>(model_.nodes.size()) - 1;
}

int GltfModel::addKeys(const std::vector<float>& numbers, int width) {
  return addAccessor(kKeys, numbers, TINYGLTF_COMPONENT_TYPE_FLOAT, width, width == 1);
}

void GltfModel::addChannel(tinygltf::Animation& animation, int node, const char* path, int times, int values,
                           const char* how) const {
  tinygltf::AnimationSampler sampler;
  sampler.input = times;
  sampler.output = values;
  sampler.interpolation = how;
  tinygltf::AnimationChannel channel;
  channel.sampler = static_cast<int>(animation.samplers.size());
  channel.target_node = node;
  channel.target_path = path;
  animation.samplers.push_back(std::move(sampler));
  animation.channels.push_back(std::move(channel));
}

std::string GltfModel::write(bool binary) {
  constexpr int kTargets[kViews] = {TINYGLTF_TARGET_ARRAY_BUFFER, TINYGLTF_TARGET_ELEMENT_ARRAY_BUFFER, 0};
  constexpr std::size_t kVertexBytes = 3 * sizeof(float);
  tinygltf::Buffer buffer;
  int viewOf[kViews];
  for (int i = 0; i < kViews; ++i) {
    viewOf[i] = static_cast<int>(model_.bufferViews.size());
    if (bytes_[i].empty()) continue;  // glTF has no empty views
    tinygltf::BufferView view;
    view.buffer = 0;
    view.byteOffset = buffer.data.size();
    view.byteLength = bytes_[i].size();
    view.byteStride = i == kVertices ? kVertexBytes : 0;
    view.target = kTargets[i];
    model_.bufferViews.push_back(std::move(view));
    buffer.data.insert(buffer.data.end(), bytes_[i].begin(), bytes_[i].end());
    bytes_[i] = {};
  }
  for (tinygltf::Accessor& accessor : model_.accessors) accessor.bufferView = viewOf[accessor.bufferView];
  if (!buffer.data.empty()) model_.buffers.push_back(std::move(buffer));
  std::ostringstream stream;
  tinygltf::TinyGLTF().WriteGltfSceneToStream(&model_, stream, false, binary);
  return std::move(stream).str();
}

}  // namespace cairn
