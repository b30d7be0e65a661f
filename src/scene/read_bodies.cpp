#include <fmt/format.h>

#include "cairn/surface.hpp"
#include "scene/rule.hpp"
#include "scene/scene_reader.hpp"

namespace cairn {
namespace {

double numberOr(const JsonValue& owner, std::string_view key, double fallback) {
  const JsonValue* value = owner.find(key);
  return value ? value->number : fallback;
}

BodyKind kindOf(const std::string& text) {
  if (text == "static") return BodyKind::Static;
  return text == "kinematic" ? BodyKind::Kinematic : BodyKind::Dynamic;
}

}  // namespace

void SceneReader::readMaterials(const JsonValue& materials) {
  for (const JsonMember& member : materials.members) {
    ReadMaterial read = readMaterial(member.value, joinPath("materials", member.key));
    read.material.kind = static_cast<int>(materials_.size()) + 1;
    materials_[member.key] = read;
    model_.materials[member.key] = read.material;
  }
}

void SceneReader::readPairs(const JsonValue& pairs) {
  for (std::size_t i = 0; i < pairs.items.size(); ++i) {
    const std::string path = fmt::format("pairs[{}]", i);
    const JsonValue& value = pairs.items[i];
    MaterialPair pair;
    pair.a = findMaterial(*value.find("a"), joinPath(path, "a")).material.kind;
    pair.b = findMaterial(*value.find("b"), joinPath(path, "b")).material.kind;
    pair.material = readMaterial(*value.find("material"), joinPath(path, "material")).material;
    if (pair.a != 0 && pair.b != 0) model_.settings.pairs.push_back(pair);
  }
}

void SceneReader::readBodies(const JsonValue& bodies) {
  for (std::size_t i = 0; i < bodies.items.size(); ++i) {
    readBody(bodies.items[i], fmt::format("bodies[{}]", i));
  }
}

void SceneReader::readBody(const JsonValue& value, const std::string& path) {
  SceneBody body;
  BodyDesc& desc = body.desc;
  if (const JsonValue* name = value.find("name")) {
    desc.name = name->text;
    if (desc.name == kWorldBodyName) {
      problems_.add(*name, joinPath(path, "name"),
                    "found \"world\", which joints use for an immovable anchor; allowed: another");
    }
  } else {
    desc.name = fmt::format("body {}", model_.origins.size());
  }
  if (const JsonValue* kind = value.find("kind")) desc.kind = kindOf(kind->text);
  desc.pose = readPose(value, path);
  if (const JsonValue* velocity = value.find("velocity")) desc.linearVelocity = readVector(*velocity);
  if (const JsonValue* velocity = value.find("angular_velocity")) desc.angularVelocity = readVector(*velocity);

  const JsonValue* shape = value.find("shape");
  const JsonValue* shapes = value.find("shapes");
  if (!shape == !shapes) {
    problems_.add(value, joinPath(path, "shape"),
                  shape ? "found both \"shape\" and \"shapes\"; allowed: one of them"
                        : "missing; allowed: a \"shape\", or a list of \"shapes\"");
  }
  if (shape) desc.shapes.push_back(readShape(*shape, joinPath(path, "shape")));
  if (shapes) {
    for (std::size_t i = 0; i < shapes->items.size(); ++i) {
      desc.shapes.push_back(readShape(shapes->items[i], fmt::format("{}.shapes[{}]", path, i)));
    }
  }
  if (const JsonValue* mass = value.find("mass")) desc.mass = mass->number;
  if (const JsonValue* properties = value.find("mass_properties")) {
    desc.massProperties = readMassProperties(*properties, joinPath(path, "mass_properties"));
  }
  desc.gravityScale = numberOr(value, "gravity_scale", desc.gravityScale);
  desc.linearDamping = numberOr(value, "linear_damping", desc.linearDamping);
  desc.angularDamping = numberOr(value, "angular_damping", desc.angularDamping);
  if (const JsonValue* drag = value.find("drag")) {
    desc.drag = {numberOr(*drag, "linear", 0.0), numberOr(*drag, "quadratic", 0.0), numberOr(*drag, "angular_linear", 0.0),
                 numberOr(*drag, "angular_quadratic", 0.0)};
  }
  if (const JsonValue* lock = value.find("lock")) {
    for (const JsonValue& item : lock->items)
      (item.text[0] == 'r' ? desc.locks.rotation : desc.locks.position)[item.text.back() - 'x'] = true;
    if (std::count(desc.locks.rotation.begin(), desc.locks.rotation.end(), true) == 1)
      problems_.add(*lock, joinPath(path, "lock"), "found one locked rotation; allowed: none, two or all three");
  }
  if (const JsonValue* trajectory = value.find("trajectory"))
    desc.trajectory = readTrajectory(*trajectory, joinPath(path, "trajectory"));
  if (const JsonValue* canSleep = value.find("can_sleep")) desc.canSleep = canSleep->boolean;
  body.appear = numberOr(value, "appear", 0.0);
  checkKind(value, path, desc);

  body.origin = model_.origins.size();
  model_.origins.push_back({value.source, value.offset, path});
  if (const JsonValue* pattern = value.find("pattern")) {
    addCopies(value, path, body, readPatterns(*pattern, joinPath(path, "pattern"), desc));
  } else {
    addBody(std::move(body), value, path);
  }
}

// What the kinds of bodies exclude.
void SceneReader::checkKind(const JsonValue& value, const std::string& path, const BodyDesc& desc) {
  const auto refuse = [&](std::string_view key, std::string message) {
    problems_.add(*value.find(key), joinPath(path, key), std::move(message));
  };
  if (desc.mass && desc.massProperties) refuse("mass", "found both mass and mass_properties; allowed: one of them");
  const bool dynamic = desc.kind == BodyKind::Dynamic;
  const char* kind = desc.kind == BodyKind::Static ? "static" : "kinematic";
  if (!dynamic && desc.mass) refuse("mass", fmt::format("a {} body has no mass; allowed: in dynamic bodies", kind));
  if (!dynamic && desc.massProperties) {
    refuse("mass_properties", fmt::format("a {} body has no mass; allowed: in dynamic bodies", kind));
  }
  if (!dynamic && desc.locks.any()) refuse("lock", fmt::format("a {} body is not free; allowed: in dynamic bodies", kind));
  if (desc.trajectory && desc.kind != BodyKind::Kinematic)
    refuse("trajectory", "found on a body that is not kinematic; allowed: in kinematic bodies");
  if (desc.kind == BodyKind::Static) {
    for (const char* key : {"velocity", "angular_velocity"}) {
      if (value.find(key)) refuse(key, "a static body does not move; allowed: in kinematic and dynamic bodies");
    }
    return;
  }
  for (const ShapeDesc& shape : desc.shapes) {
    if (std::holds_alternative<Plane>(shape.geometry)) {
      problems_.add(value, path,
                    fmt::format("found a plane on a {} body; allowed: \"kind\": \"static\"", dynamic ? "dynamic" : kind));
      return;
    }
    const MeshShape* mesh = std::get_if<MeshShape>(&shape.geometry);
    const bool isOpen = mesh != nullptr && mesh->mesh != nullptr && !isClosed(*mesh->mesh);
    if (dynamic && (isOpen || std::holds_alternative<HeightFieldShape>(shape.geometry))) {
      problems_.add(value, path,
                    fmt::format("found a {} on a dynamic body; allowed: \"kind\": \"static\" or \"kinematic\"",
                                isOpen ? "mesh that is not closed" : "height field"));
      return;
    }
  }
}

void SceneReader::addCopies(const JsonValue& value, const std::string& path, const SceneBody& body,
                            const std::vector<Pattern>& patterns) {
  const double copies = countCopies(patterns);
  if (copies + static_cast<double>(model_.bodies.size()) > static_cast<double>(kMaximumBodies)) {
    problems_.add(*value.find("pattern"), joinPath(path, "pattern"),
                  fmt::format("makes {} bodies, {} in all so far; allowed: at most {} in a scene", copies,
                              copies + static_cast<double>(model_.bodies.size()), kMaximumBodies));
    return;
  }
  double parts = 0.0;
  for (const ShapeDesc& shape : body.desc.shapes) {
    const ConvexHull* hull = std::get_if<ConvexHull>(&shape.geometry);
    const SphereSet* spheres = std::get_if<SphereSet>(&shape.geometry);
    const Compound* compound = std::get_if<Compound>(&shape.geometry);
    parts += 1.0 + static_cast<double>(hull       ? hull->points.size()
                                       : spheres  ? spheres->centers.size()
                                       : compound ? compound->children.size()
                                                  : 0);
  }
  parts_ += copies * parts;
  if (parts_ > kMaximumParts) {
    problems_.add(*value.find("pattern"), joinPath(path, "pattern"),
                  fmt::format("makes {:g} shapes and hull points in all so far; allowed: at most {:g} in a scene", parts_,
                              kMaximumParts));
    return;
  }
  const WallPattern* wall = patterns.empty() ? nullptr : std::get_if<WallPattern>(&patterns.front());
  for (PatternCopy& copy : expandPatterns(patterns)) {
    SceneBody one = body;
    one.desc.name += copy.suffix;
    one.desc.pose = body.desc.pose * copy.pose;
    if (copy.half && wall) {
      std::get<Box>(one.desc.shapes[0].geometry).halfExtents.x() = 0.5 * wall->halfLength();
      if (one.desc.mass) *one.desc.mass *= wall->halfLength() / wall->brick.x();
    }
    addBody(std::move(one), value, path);
  }
}

void SceneReader::addBody(SceneBody body, const JsonValue& value, const std::string& path) {
  if (model_.bodies.size() >= kMaximumBodies) {
    problems_.add(value, path, fmt::format("one body too many; allowed: at most {} in a scene", kMaximumBodies));
    return;
  }
  const auto [first, isNew] = bodyByName_.emplace(body.desc.name, model_.bodies.size());
  if (!isNew) {
    const SourcePlace& place = model_.origins[model_.bodies[first->second].origin];
    const JsonValue* name = value.find("name");
    problems_.add(name ? *name : value, joinPath(path, "name"),
                  fmt::format("found \"{}\", which {} ({}:{}) already has; allowed: names that are unique", body.desc.name,
                              place.field, place.source->name, lineColumn(place.source->text, place.offset).line));
    return;
  }
  model_.bodies.push_back(std::move(body));
}

}  // namespace cairn
