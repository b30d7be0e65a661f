// Shapes as scene files write them.
#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <numbers>

#include "cairn/surface.hpp"
#include "geometry/hull.hpp"
#include "geometry/mesh_check.hpp"
#include "import/decompose.hpp"
#include "import/mesh_file.hpp"
#include "scene/height_maker.hpp"
#include "scene/rule.hpp"
#include "scene/scene_reader.hpp"

namespace cairn {
namespace {

using Type = JsonValue::Type;

double numberIn(const JsonValue& owner, std::string_view key, double fallback) {
  const JsonValue* value = owner.find(key);
  return value ? value->number : fallback;
}

// Group numbers 1 to 32 as bits.
std::uint32_t groupBits(const JsonValue& value) {
  const auto bit = [](const JsonValue& number) { return std::uint32_t{1} << (static_cast<int>(number.number) - 1); };
  if (value.is(Type::Number)) return bit(value);
  std::uint32_t bits = 0;
  for (const JsonValue& item : value.items) bits |= bit(item);
  return bits;
}

std::vector<Vec3> vectorsIn(const JsonValue& list) {
  std::vector<Vec3> vectors;
  vectors.reserve(list.items.size());
  for (const JsonValue& item : list.items) vectors.push_back(readVector(item));
  return vectors;
}

ConvexGeometry readConvex(const JsonValue& value) {
  const std::string& type = value.find("type")->text;
  const auto number = [&](std::string_view key) { return value.find(key)->number; };
  if (type == "sphere") return Sphere{number("radius")};
  if (type == "box") return Box{0.5 * readVector(*value.find("size")), numberIn(value, "rounding", 0.0)};
  if (type == "capsule") return Capsule{number("radius"), 0.5 * number("height")};
  if (type == "cylinder") return Cylinder{number("radius"), 0.5 * number("height")};
  if (type == "ellipsoid") return Ellipsoid{readVector(*value.find("radii"))};
  if (type == "cone") return Cone{number("radius"), 0.5 * number("height")};
  return ConvexHull{vectorsIn(*value.find("points")), numberIn(value, "rounding", 0.0)};
}

// A file is named relative to the scene that names it. What is safe to repair is repaired.
SurfaceTriangles readMeshOfFile(const JsonValue& value, const JsonValue& file) {
  namespace fs = std::filesystem;
  const fs::path named(file.text);
  const bool relative = named.is_relative() && file.source && file.source->isFile;
  const std::string path = relative ? (fs::path(file.source->name).parent_path() / named).string() : named.string();
  MeshFileOptions options;
  options.scale = numberIn(value, "scale", 1.0);
  if (const JsonValue* unit = value.find("unit")) options.scale *= metresPer(unit->text);
  if (const JsonValue* up = value.find("y_up")) options.yUp = up->boolean;
  MeshFile read = readMeshFile(path, options);
  RepairedMesh repaired = repairMesh(std::move(read.vertices), std::move(read.triangles));
  if (!repaired.report.refusal.empty()) throw std::invalid_argument(path + ": " + repaired.report.refusal);
  SurfaceTriangles surface;
  surface.vertices = std::move(repaired.vertices);
  surface.triangles = std::move(repaired.triangles);
  return surface;
}

}  // namespace

Compound SceneReader::readChildren(const JsonValue& children, const std::string& path) {
  Compound compound;
  for (std::size_t i = 0; i < children.items.size(); ++i) {
    const JsonValue& child = children.items[i];
    compound.children.push_back({readConvex(child), readPose(child, fmt::format("{}[{}]", path, i))});
  }
  return compound;
}

Geometry SceneReader::readSpheres(const JsonValue& value, const std::string& path) {
  SphereSet set;
  set.centers = vectorsIn(*value.find("centers"));
  const JsonValue& radii = *value.find("radii");
  if (radii.is(Type::Number)) {
    set.radii.assign(set.centers.size(), radii.number);
    return set;
  }
  for (const JsonValue& item : radii.items) set.radii.push_back(item.number);
  if (set.radii.size() != set.centers.size()) {
    problems_.add(radii, joinPath(path, "radii"),
                  fmt::format("found {} radii for {} centers; allowed: as many, or one number", set.radii.size(),
                              set.centers.size()));
    set.radii.assign(set.centers.size(), 1.0);
  }
  return set;
}

Geometry SceneReader::readMesh(const JsonValue& value, const std::string& path) {
  const JsonValue* vertices = value.find("vertices");
  const JsonValue* triangles = value.find("triangles");
  const JsonValue* file = value.find("file");
  MeshShape shape;
  if (const JsonValue* sided = value.find("one_sided")) shape.oneSided = sided->boolean;
  if (const JsonValue* parts = value.find("parts"))
    shape.parts = std::make_shared<const Compound>(readChildren(*parts, joinPath(path, "parts")));
  if (file != nullptr ? vertices != nullptr || triangles != nullptr : vertices == nullptr || triangles == nullptr) {
    problems_.add(value, path, "allowed: \"vertices\" and \"triangles\", or a \"file\"");
    return shape;
  }
  try {
    SurfaceTriangles surface = file != nullptr ? readMeshOfFile(value, *file) : SurfaceTriangles{};
    if (file == nullptr) {
      surface.vertices = vectorsIn(*vertices);
      for (Vec3& vertex : surface.vertices) vertex *= numberIn(value, "scale", 1.0);
      for (const JsonValue& item : triangles->items)
        surface.triangles.push_back({static_cast<std::uint32_t>(item.items[0].number),
                                     static_cast<std::uint32_t>(item.items[1].number),
                                     static_cast<std::uint32_t>(item.items[2].number)});
    }
    shape.mesh = makeMesh(std::move(surface));
    if (const JsonValue* cells = value.find("field_cells"))
      shape.field = makeDistanceField(*shape.mesh, static_cast<int>(cells->number));
    if (const JsonValue* concavity = value.find("decompose")) {
      if (!isClosed(*shape.mesh)) throw std::invalid_argument("an open mesh has no convex parts; allowed: closed ones");
      Compound parts;
      for (const std::shared_ptr<const Hull>& hull : decompose(*shape.mesh, {.concavity = concavity->number}).hulls)
        parts.children.push_back({ConvexHull{hull->vertices}, Pose{}});
      shape.parts = std::make_shared<const Compound>(std::move(parts));
    }
  } catch (const std::exception& error) {
    problems_.add(file != nullptr ? *file : value, file != nullptr ? joinPath(path, "file") : path, error.what());
  }
  return shape;
}

Geometry SceneReader::readHeightField(const JsonValue& value, const std::string& path) {
  HeightGrid grid;
  grid.rows = static_cast<std::uint32_t>(value.find("rows")->number);
  grid.columns = static_cast<std::uint32_t>(value.find("columns")->number);
  grid.spacing = value.find("spacing")->number;
  const JsonValue* heights = value.find("heights");
  const JsonValue* generator = value.find("generator");
  HeightFieldShape shape;
  if (!heights == !generator) {
    problems_.add(value, path, "allowed: either \"heights\" or a \"generator\"");
    return shape;
  }
  const std::size_t samples = static_cast<std::size_t>(grid.rows) * grid.columns;
  if (heights != nullptr && heights->items.size() != samples) {
    problems_.add(*heights, joinPath(path, "heights"),
                  fmt::format("found {} heights; allowed: rows times columns, {}", heights->items.size(), samples));
    return shape;
  }
  if (heights != nullptr) {
    for (const JsonValue& item : heights->items) grid.heights.push_back(static_cast<float>(item.number));
  } else {
    HeightMaker maker;
    maker.isNoise = generator->find("type")->text == "noise";
    maker.amplitude = generator->find("amplitude")->number;
    maker.wavelength = generator->find("wavelength")->number;
    maker.seed = static_cast<std::uint32_t>(numberIn(*generator, "seed", 1.0));
    maker.octaves = static_cast<int>(numberIn(*generator, "octaves", 1.0));
    grid.heights = maker.make(grid.rows, grid.columns, grid.spacing);
  }
  const std::size_t cells = static_cast<std::size_t>(grid.rows - 1) * (grid.columns - 1);
  if (const JsonValue* holes = value.find("holes")) {
    grid.holes.assign(cells, 0);
    for (const JsonValue& item : holes->items) {
      if (item.number >= static_cast<double>(cells)) {
        problems_.add(item, joinPath(path, "holes"), fmt::format("found cell {}; allowed: below {}", item.number, cells));
        return shape;
      }
      grid.holes[static_cast<std::size_t>(item.number)] = 1;
    }
  }
  try {
    shape.field = makeHeightField(std::move(grid));
  } catch (const std::invalid_argument& error) {
    problems_.add(value, path, error.what());
  }
  return shape;
}

FieldSolid SceneReader::readFieldSolid(const JsonValue& value, const std::string& path) {
  const std::string& type = value.find("type")->text;
  FieldSolid solid;
  solid.pose = readPose(value, path);
  solid.rounding = numberIn(value, "rounding", 0.0);
  solid.seam = numberIn(value, "seam", 0.0);
  if (type == "sphere") solid.size.setConstant(value.find("radius")->number);
  if (type == "box") {
    solid.kind = FieldSolid::Kind::Box;
    solid.size = 0.5 * readVector(*value.find("size"));
  }
  if (type == "torus") {
    solid.kind = FieldSolid::Kind::Torus;
    solid.size = {value.find("radius")->number, value.find("tube")->number, value.find("tube")->number};
  }
  return solid;
}

Geometry SceneReader::readDistanceField(const JsonValue& value, const std::string& path) {
  DistanceFieldShape shape;
  FieldSolid whole;
  const JsonValue& solids = *value.find("solids");
  for (std::size_t i = 0; i < solids.items.size(); ++i)
    whole.children.push_back(readFieldSolid(solids.items[i], fmt::format("{}.solids[{}]", path, i)));
  whole.kind = FieldSolid::Kind::Union;
  whole.seam = numberIn(value, "seam", 0.0);
  if (const JsonValue* cuts = value.find("cuts"); cuts != nullptr && !cuts->items.empty()) {
    FieldSolid rest;
    rest.kind = FieldSolid::Kind::Difference;
    rest.seam = whole.seam;
    rest.children.push_back(whole);
    for (std::size_t i = 0; i < cuts->items.size(); ++i)
      rest.children.push_back(readFieldSolid(cuts->items[i], fmt::format("{}.cuts[{}]", path, i)));
    whole = rest;
  }
  try {
    shape.field = makeDistanceField(whole);
  } catch (const std::invalid_argument& error) {
    problems_.add(value, path, error.what());
  }
  return shape;
}

Geometry SceneReader::readGeometry(const JsonValue& value, const std::string& path) {
  const std::string& type = value.find("type")->text;
  if (type == "plane") {
    Plane plane;
    if (const JsonValue* normal = value.find("normal")) plane.normal = readDirection(*normal, joinPath(path, "normal"));
    plane.offset = numberIn(value, "offset", 0.0);
    return plane;
  }
  if (type == "spheres") return readSpheres(value, path);
  if (type == "compound") return readChildren(*value.find("children"), joinPath(path, "children"));
  if (type == "mesh") return readMesh(value, path);
  if (type == "height_field") return readHeightField(value, path);
  if (type == "distance_field") return readDistanceField(value, path);
  return std::visit([](auto&& one) { return Geometry{std::move(one)}; }, readConvex(value));
}

ShapeDesc SceneReader::readShape(const JsonValue& value, const std::string& path) {
  ShapeDesc shape;
  shape.geometry = readGeometry(value, path);
  shape.local = readPose(value, path);
  if (const JsonValue* material = value.find("material")) {
    const ReadMaterial found = findMaterial(*material, joinPath(path, "material"));
    shape.material = found.material;
    shape.density = found.density.value_or(shape.density);
  }
  shape.density = numberIn(value, "density", shape.density);
  if (const JsonValue* group = value.find("group")) shape.group = groupBits(*group);
  if (const JsonValue* others = value.find("collides_with")) shape.collidesWith = groupBits(*others);
  return shape;
}

}  // namespace cairn
