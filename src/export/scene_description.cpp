#include "export/scene_description.hpp"

#include <fmt/format.h>
#include <rapidjson/document.h>

#include <cmath>
#include <unordered_map>

#include "cairn/surface.hpp"
#include "lab/describe.hpp"

namespace cairn {
namespace {

constexpr double kLargest = 1e15;  // m, kg: beyond any world, far from where arithmetic overflows

// A value of the JSON that knows where it is.
class Node {
 public:
  Node(const rapidjson::Value& value, std::string path) : value_(value), path_(std::move(path)) {}

  [[noreturn]] void refuse(const std::string& allowed) const {
    throw DescriptionError(fmt::format("{}: found something else; allowed: {}", path_.empty() ? "scene" : path_, allowed));
  }
  bool has(const char* name) const { return value_.IsObject() && value_.HasMember(name); }
  Node at(const char* name) const {
    if (!value_.IsObject()) refuse("an object");
    const auto found = value_.FindMember(name);
    if (found == value_.MemberEnd())
      throw DescriptionError(fmt::format("{}: {} is missing", path_.empty() ? "scene" : path_, name));
    return {found->value, path_.empty() ? name : path_ + "." + name};
  }
  std::size_t size() const {
    if (!value_.IsArray()) refuse("a list");
    return value_.Size();
  }
  Node operator[](std::size_t i) const {
    return {value_[static_cast<rapidjson::SizeType>(i)], fmt::format("{}[{}]", path_, i)};
  }
  std::string text() const {
    if (!value_.IsString()) refuse("a text");
    return {value_.GetString(), value_.GetStringLength()};
  }
  double number() const {
    const bool good = value_.IsNumber() && std::abs(value_.GetDouble()) <= kLargest;
    if (!good) refuse(fmt::format("a number, at most {:g} either way", kLargest));
    return value_.GetDouble();
  }
  double positive() const {
    const double value = number();
    if (!(value > 0.0)) refuse("a number above 0");
    return value;
  }
  double notNegative() const {
    const double value = number();
    if (!(value >= 0.0)) refuse("a number, at least 0");
    return value;
  }
  std::uint32_t whole() const {
    if (!value_.IsUint()) refuse("a whole number");
    return value_.GetUint();
  }
  Vec3 vector() const {
    if (size() != 3) refuse("three numbers");
    return {(*this)[0].number(), (*this)[1].number(), (*this)[2].number()};
  }
  Vec3 sizes() const {
    if (size() != 3) refuse("three numbers");
    return {(*this)[0].positive(), (*this)[1].positive(), (*this)[2].positive()};
  }
  Vec3 direction() const {
    const Vec3 value = vector();
    if (!(value.norm() > 1e-9)) refuse("a direction");
    return value.normalized();
  }
  Quat rotation() const {
    if (size() != 4) refuse("four numbers x, y, z, w");
    const Quat value((*this)[3].number(), (*this)[0].number(), (*this)[1].number(), (*this)[2].number());
    if (!(std::abs(value.norm() - 1.0) < 1e-3)) refuse("a rotation: a unit quaternion");
    return value.normalized();
  }
  bool isNull() const { return value_.IsNull(); }

 private:
  const rapidjson::Value& value_;
  std::string path_;
};

BodyKind readKind(const Node& node) {
  const std::string kind = node.text();
  if (kind == "static") return BodyKind::Static;
  if (kind == "kinematic") return BodyKind::Kinematic;
  if (kind != "dynamic") node.refuse("static, kinematic or dynamic");
  return BodyKind::Dynamic;
}

unsigned readColour(const Node& node) {
  const std::string text = node.text();
  if (text.size() != 7 || text[0] != '#' || text.find_first_not_of("0123456789abcdefABCDEF", 1) != std::string::npos)
    node.refuse("a colour such as #c08a5a");
  return static_cast<unsigned>(std::stoul(text.substr(1), nullptr, 16));
}

class Reader {
 public:
  SceneDescription read(std::string json) {
    rapidjson::Document document;
    // Not by recursion: a file may nest as deep as it likes.
    document.Parse<rapidjson::kParseIterativeFlag | rapidjson::kParseFullPrecisionFlag>(json.data(), json.size());
    if (document.HasParseError())
      throw DescriptionError(
          fmt::format("found no JSON (at byte {}); allowed: the description of a scene", document.GetErrorOffset()));
    const Node root(document, "");
    SceneDescription scene;
    scene.name = root.at("name").text();
    scene.title = root.at("title").text();
    scene.origin = root.at("origin").vector();
    scene.up = root.at("up").direction();
    scene.radius = root.at("radius").positive();
    const Node bodies = root.at("bodies");
    const std::size_t count = bodies.size();
    for (std::size_t i = 0; i < count; ++i) scene.bodies.push_back(readBody(bodies[i]));
    scene.json = std::move(json);
    return scene;
  }

 private:
  DescribedBody readBody(const Node& node) {
    DescribedBody body;
    body.slot = node.at("slot").whole();
    if (!slots_.emplace(body.slot, hulls_.size()).second) node.at("slot").refuse("a number that no other body has");
    body.name = node.at("name").text();
    body.kind = readKind(node.at("kind"));
    body.colour = readColour(node.at("colour"));
    if (const Node mass = node.at("mass"); !mass.isNull()) body.mass = mass.number();
    body.center = node.at("center").vector();
    body.pose = {node.at("position").vector(), node.at("rotation").rotation()};
    hulls_.emplace_back();
    const Node shapes = node.at("shapes");
    const std::size_t count = shapes.size();
    for (std::size_t i = 0; i < count; ++i) {
      body.shapes.push_back(
          {readGeometry(shapes[i]), {shapes[i].at("position").vector(), shapes[i].at("rotation").rotation()}});
      const Geometry& geometry = body.shapes.back().geometry;
      const bool isOfTriangles = std::holds_alternative<ConvexHull>(geometry) || std::holds_alternative<MeshShape>(geometry);
      hulls_.back().push_back(isOfTriangles ? geometry : Geometry{Plane{}});
    }
    return body;
  }

  Geometry readGeometry(const Node& node) const {
    const std::string type = node.at("type").text();
    const auto size = [&](const char* name) { return node.at(name).positive(); };
    if (type == "plane") return Plane{node.at("normal").direction(), node.at("offset").number()};
    if (type == "sphere") return Sphere{size("radius")};
    if (type == "box") return Box{node.at("half").sizes()};
    if (type == "capsule") return Capsule{size("radius"), node.at("halfHeight").notNegative()};
    if (type == "cylinder") return Cylinder{size("radius"), size("halfHeight")};
    if (type == "ellipsoid") return Ellipsoid{node.at("radii").sizes()};
    if (type != "hull") node.at("type").refuse("plane, sphere, box, capsule, cylinder, ellipsoid or hull");
    if (node.has("same")) return earlierShape(node);
    return node.has("concave") ? Geometry{readMesh(node)} : Geometry{readHull(node.at("vertices"))};
  }

  static ConvexHull readHull(const Node& vertices) {
    ConvexHull hull;
    const std::size_t count = vertices.size();
    if (count < 4) vertices.refuse("at least four points");
    for (std::size_t i = 0; i < count; ++i) hull.points.push_back(vertices[i].vector());
    return hull;
  }

  // Triangles as they are: of shapes that are neither round nor hulls.
  static MeshShape readMesh(const Node& node) {
    SurfaceTriangles surface;
    const Node vertices = node.at("vertices"), triangles = node.at("triangles");
    for (std::size_t i = 0; i < vertices.size(); ++i) surface.vertices.push_back(vertices[i].vector());
    for (std::size_t i = 0; i < triangles.size(); ++i) {
      const Node corners = triangles[i];
      if (corners.size() != 3) corners.refuse("three numbers of vertices");
      const std::array<std::uint32_t, 3> triangle{corners[0].whole(), corners[1].whole(), corners[2].whole()};
      for (const std::uint32_t corner : triangle)
        if (corner >= surface.vertices.size()) corners.refuse("numbers of vertices");
      const Vec3& a = surface.vertices[triangle[0]];
      const Vec3 area = (surface.vertices[triangle[1]] - a).cross(surface.vertices[triangle[2]] - a);
      if (area.squaredNorm() > 0.0) surface.triangles.push_back(triangle);
    }
    try {
      return {.mesh = makeMesh(std::move(surface))};
    } catch (const std::invalid_argument& error) {
      node.refuse(std::string("triangles that make a mesh: ") + error.what());
    }
  }

  Geometry earlierShape(const Node& node) const {
    const auto found = slots_.find(node.at("same").whole());
    const std::uint32_t shape = node.at("shape").whole();
    if (found == slots_.end() || shape >= hulls_[found->second].size() ||
        std::holds_alternative<Plane>(hulls_[found->second][shape]))
      node.at("same").refuse("an earlier body whose shape of that number is a hull");
    return hulls_[found->second][shape];
  }

  std::unordered_map<std::uint32_t, std::size_t> slots_;  // to the order of bodies
  std::vector<std::vector<Geometry>> hulls_;              // by body and shape; a plane where the shape has no triangles
};

}  // namespace

SceneDescription readDescription(std::string json) { return Reader().read(std::move(json)); }

SceneDescription describeWhole(const SceneRun& run) {
  SceneModel all = run.model();
  for (SceneBody& body : all.bodies) body.appear = 0.0;
  all.joints.clear();
  World world(all.settings);
  const std::vector<BodyId> ids = instantiate(all, world);
  const SceneView view = sceneView(run.world());  // where bodies come from later is not what one wants to see
  BodyDescriber bodies(view);
  CompactJson out;
  out.object("", [&] {
    out.value("say", "scene");
    out.value("epoch", 0);
    describeScene(out, run.model(), view,
                  {.world = run.model().settings, .dt = run.model().dt, .friction = {}, .restitution = {}});
    out.list("bodies", [&] {
      for (const BodyId id : ids) bodies.describe(out, world, id);
    });
  });
  return readDescription(out.text());
}

}  // namespace cairn
