#include "lab/describe.hpp"

#include <cstring>

#include "picture/picture_scene.hpp"

namespace cairn {
namespace {

constexpr int kSegments = 24;  // chords around the curved parts of shapes that are sent as triangles
constexpr std::string_view kKindNames[] = {"static", "kinematic", "dynamic"};
constexpr std::string_view kShapeNames[] = {"plane", "sphere", "box", "capsule", "cylinder", "ellipsoid", "hull"};

template <class... Ts>
struct Overloaded : Ts... {
  using Ts::operator()...;
};

std::uint64_t hashPoints(const std::vector<Vec3>& points) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const Vec3& point : points) {
    for (int k = 0; k < 3; ++k) {
      std::uint64_t bits;
      std::memcpy(&bits, &point[k], sizeof bits);
      hash = (hash ^ bits) * 0x100000001b3u;
      hash ^= hash >> 31;
    }
  }
  return hash;
}

}  // namespace

SceneView sceneView(const World& world) {
  const PictureScene scene = gatherScene(world);
  return {scene.origin, scene.up, scene.radius};
}

void describeVector(CompactJson& out, std::string_view name, const Vec3& vector) {
  out.list(name, [&] {
    for (int k = 0; k < 3; ++k) out.value("", vector[k]);
  });
}

void describeQuaternion(CompactJson& out, std::string_view name, const Quat& rotation) {
  out.list(name, [&] {
    for (const double part : {rotation.x(), rotation.y(), rotation.z(), rotation.w()}) out.value("", part);
  });
}

void describeSettings(CompactJson& out, std::string_view name, const LabSettings& settings) {
  const WorldSettings& world = settings.world;
  out.object(name, [&] {
    out.value("stepper", world.stepper);
    out.value("solver", world.solver.name);
    out.value("takesSolver", stepperTakesSolver(world.stepper));
    out.value("friction_law", world.friction.law);
    out.value("facets", world.friction.facets);
    out.value("iterations", world.solver.iterations);
    out.value("tolerance", world.solver.tolerance);
    out.value("substeps", world.soft.substeps);
    out.value("dt", settings.dt);
    describeVector(out, "gravity", world.gravity);
    out.value("friction", settings.friction);
    out.value("restitution", settings.restitution);
    out.value("threads", world.threads);
    out.value("sleep", world.sleep.enabled);
  });
}

void BodyDescriber::describe(CompactJson& out, const World& world, BodyId body, std::optional<long> appears) {
  const auto state = world.state(body);
  const auto kind = world.kind(body);
  const auto mass = world.massProperties(body);
  if (!state || !kind || !mass) return;
  std::vector<ShapeDesc> shapes;
  for (const ShapeId id : world.shapes(body)) {
    if (auto shape = world.shape(id)) shapes.push_back(std::move(*shape));
  }
  Vec3f colour = staticColour();
  if (*kind != BodyKind::Static) {
    for (const ShapeDesc& shape : shapes) {
      if (std::holds_alternative<Plane>(shape.geometry)) continue;
      colour = palette_.colourOf(world.name(body), shape.geometry);
      break;
    }
  }
  out.object("", [&] {
    out.value("slot", body.index);
    out.value("name", world.name(body));
    out.value("kind", kKindNames[static_cast<int>(*kind)]);
    out.value("mass", mass->mass);
    out.value("colour", hexFromLinear(colour));
    describeVector(out, "position", state->pose.position - origin_);
    describeQuaternion(out, "rotation", state->pose.rotation);
    describeVector(out, "center", mass->center);
    if (appears) out.value("appears", *appears);
    out.list("shapes", [&] {
      for (std::size_t i = 0; i < shapes.size(); ++i) describeShape(out, shapes[i], body.index, i);
    });
  });
}

void BodyDescriber::describeShape(CompactJson& out, const ShapeDesc& shape, std::uint32_t slot, std::size_t index) {
  out.object("", [&] {
    const bool isRounded = (std::holds_alternative<Box>(shape.geometry) && std::get<Box>(shape.geometry).rounding > 0.0) ||
                           (std::holds_alternative<ConvexHull>(shape.geometry) &&
                            std::get<ConvexHull>(shape.geometry).rounding > 0.0);
    const bool isTriangles = isRounded || shape.geometry.index() >= std::size(kShapeNames);
    out.value("type", isTriangles ? "hull" : kShapeNames[shape.geometry.index()]);
    describeVector(out, "position", shape.local.position);
    describeQuaternion(out, "rotation", shape.local.rotation);
    if (isTriangles) return describeTriangles(out, shape.geometry, slot, index);
    const auto tall = [&](const auto& one) {
      out.value("radius", one.radius);
      out.value("halfHeight", one.halfHeight);
    };
    std::visit(Overloaded{[&](const Plane& plane) {
                            describeVector(out, "normal", plane.normal.normalized());
                            out.value("offset", plane.offset / plane.normal.norm());
                          },
                          [&](const Sphere& sphere) { out.value("radius", sphere.radius); },
                          [&](const Box& box) { describeVector(out, "half", box.halfExtents); },
                          [&](const Capsule& capsule) { tall(capsule); }, [&](const Cylinder& cylinder) { tall(cylinder); },
                          [&](const Ellipsoid& ellipsoid) { describeVector(out, "radii", ellipsoid.radii); },
                          [&](const ConvexHull& hull) { describeHull(out, hull, slot, index); }, [](const auto&) {}},
               shape.geometry);
  });
}

void BodyDescriber::describeHull(CompactJson& out, const ConvexHull& hull, std::uint32_t slot, std::size_t index) {
  if (hullsAreShared_) {
    std::vector<WrittenHull>& alike = hulls_[hashPoints(hull.points)];
    for (const WrittenHull& written : alike) {
      if (written.points != hull.points) continue;
      out.value("same", written.slot);
      out.value("shape", static_cast<long>(written.shape));
      return;
    }
    alike.push_back({slot, index, hull.points});
  }
  writeTriangles(out, buildHullMesh(hull.points));
}

// Whatever is not round or a hull: triangles, as they are. Equal shapes are written once.
void BodyDescriber::describeTriangles(CompactJson& out, const Geometry& geometry, std::uint32_t slot, std::size_t index) {
  const Mesh mesh = buildMesh(geometry, kSegments);
  if (hullsAreShared_) {
    std::vector<WrittenHull>& alike = hulls_[hashPoints(mesh.vertices)];
    for (const WrittenHull& written : alike) {
      if (written.points != mesh.vertices) continue;
      out.value("same", written.slot);
      out.value("shape", static_cast<long>(written.shape));
      return;
    }
    alike.push_back({slot, index, mesh.vertices});
  }
  out.value("concave", true);
  writeTriangles(out, mesh);
}

void BodyDescriber::writeTriangles(CompactJson& out, const Mesh& mesh) {
  out.list("vertices", [&] {
    for (const Vec3& vertex : mesh.vertices) describeVector(out, "", vertex);
  });
  out.list("triangles", [&] {
    for (const MeshTriangle& triangle : mesh.triangles) {
      out.list("", [&] {
        for (const std::uint32_t corner : {triangle.a, triangle.b, triangle.c}) out.value("", corner);
      });
    }
  });
}

void describeScene(CompactJson& out, const SceneModel& model, const SceneView& view, const LabSettings& settings) {
  out.value("name", model.name);
  out.value("title", model.title);
  out.value("description", model.description);
  describeVector(out, "origin", view.origin);
  describeVector(out, "up", view.up);
  out.value("radius", view.radius);
  out.list("parameters", [&] {
    for (const SceneParameter& parameter : model.parameters) {
      out.object("", [&] {
        out.value("name", parameter.name);
        out.value("value", parameter.value);
        out.value("unit", parameter.unit);
        out.value("what", parameter.what);
      });
    }
  });
  describeSettings(out, "settings", settings);
}

std::string sceneMessage(long epoch, const SceneModel& model, const SceneView& view, const LabSettings& settings,
                         const World& world, BodyDescriber& bodies) {
  CompactJson out;
  out.object("", [&] {
    out.value("say", "scene");
    out.value("epoch", epoch);
    describeScene(out, model, view, settings);
    out.list("bodies", [&] {
      for (const BodyId body : world.bodies()) bodies.describe(out, world, body);
    });
  });
  return out.text();
}

}  // namespace cairn
