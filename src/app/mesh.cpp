// cairn mesh: what a mesh file holds, what is wrong with it, and what bodies could be made of it.
#include <fmt/format.h>

#include <ostream>

#include "app/bad_input.hpp"
#include "app/command.hpp"
#include "app/commands.hpp"
#include "app/json_out.hpp"
#include "app/mesh_picture.hpp"
#include "app/options.hpp"
#include "app/output_file.hpp"
#include "app/quantity.hpp"
#include "app/terminal.hpp"
#include "geometry/hull_limit.hpp"
#include "geometry/mesh_check.hpp"
#include "geometry/mesh_mass.hpp"
#include "import/decompose.hpp"
#include "import/mesh_file.hpp"

namespace cairn {
namespace {

// Findings on a mesh; what could not be had is unset.
struct MeshFindings {
  MeshFile file;
  RepairedMesh repaired;
  std::shared_ptr<const TriangleMesh> mesh;
  double density = 1000.0, area = 0.0;
  std::optional<double> volume;
  std::optional<MassProperties> mass;
  std::size_t hullVertices = 0;
  double hullError = 0.0;
  std::string hullRefusal;
  std::optional<Decomposition> parts;
};

std::string vectorText(const Vec3& v, const char* unit) { return fmt::format("[{:.6g}, {:.6g}, {:.6g}] {}", v.x(), v.y(), v.z(), unit); }

void vectorJson(JsonOut& json, std::string_view name, const Vec3& v) {
  json.list(name, [&] {
    for (int i = 0; i < 3; ++i) json.value("", v[i]);
  });
}

std::string findingsJson(const std::string& path, const MeshFindings& found) {
  JsonOut json;
  const MeshReport& report = found.repaired.report;
  const auto number = [&](std::string_view name, std::size_t count) { json.value(name, static_cast<long>(count)); };
  json.object("", [&] {
    json.value("file", path);
    number("vertices", report.vertices);
    number("triangles", report.triangles);
    json.list("parts", [&] {
      for (const MeshFilePart& part : found.file.parts) {
        json.object("", [&] {
          json.value("name", part.name);
          number("triangles", part.triangleCount);
        });
      }
    });
    number("pieces", report.parts);
    json.value("watertight", report.isWatertight);
    json.value("solid", report.solidRefusal.empty());
    json.value("why_not", report.solidRefusal);
    json.list("defects", [&] {
      for (std::size_t d = 0; d < kMeshDefects; ++d) {
        const DefectCount& defect = report.defects[d];
        if (defect.count == 0) continue;
        json.object("", [&] {
          json.value("name", nameOf(static_cast<MeshDefect>(d)));
          number("count", defect.count);
          if (defect.triangle != kNoTriangle) number("first_triangle", defect.triangle);
          json.value("repaired", defect.isRepaired);
        });
      }
    });
    if (found.mesh) {
      number("vertices_after_repair", report.keptVertices);
      number("triangles_after_repair", report.keptTriangles);
      vectorJson(json, "lower", found.mesh->bounds.lower);
      vectorJson(json, "upper", found.mesh->bounds.upper);
      json.value("area_m2", found.area);
      number("bytes", found.mesh->bytes());
    }
    json.value("volume_m3", found.volume);
    if (found.mass) {
      json.value("density_kg_m3", found.density);
      json.value("mass_kg", found.mass->mass);
      vectorJson(json, "center_m", found.mass->center);
      json.list("inertia_kg_m2", [&] {
        for (int r = 0; r < 3; ++r) vectorJson(json, "", found.mass->inertia.row(r).transpose());
      });
    }
    if (found.hullVertices > 0) {
      json.object("hull", [&] {
        number("vertices", found.hullVertices);
        json.value("error_m", found.hullError);
      });
    }
    if (found.parts) {
      json.object("convex_parts", [&] {
        number("count", found.parts->hulls.size());
        json.value("overfill_m", found.parts->overfill);
        json.value("underfill_m", found.parts->underfill);
        json.value("hollow_m", found.parts->hollow);
        json.value("sample_spacing_m", found.parts->spacing);
        json.value("volume_m3", found.parts->volume);
        json.value("from_cache", found.parts->isFromCache);
      });
    }
  });
  return json.text();
}

void printFindings(const std::string& path, const MeshFindings& found, std::ostream& out) {
  const Paint paint(wantsColour(out));
  const auto row = [&](std::string_view label, const std::string& value) {
    out << fmt::format("  {}{}\n", paint.dim(fmt::format("{:<16}", label)), value);
  };
  const MeshReport& report = found.repaired.report;
  out << paint.bold(path) << "\n";
  row("triangles", fmt::format("{} over {} vertices, in {} part{} and {} connected piece{}", report.triangles, report.vertices,
                               found.file.parts.size(), found.file.parts.size() == 1 ? "" : "s", report.parts, report.parts == 1 ? "" : "s"));
  constexpr std::size_t kMostListed = 10;
  for (std::size_t i = 0; i < std::min(kMostListed, found.file.parts.size()); ++i)
    row("part", fmt::format("{}: {} triangles", found.file.parts[i].name, found.file.parts[i].triangleCount));
  if (found.file.parts.size() > kMostListed) row("", fmt::format("and {} more", found.file.parts.size() - kMostListed));
  bool isClean = true;
  for (std::size_t d = 0; d < kMeshDefects; ++d) {
    const DefectCount& defect = report.defects[d];
    if (defect.count == 0) continue;
    isClean = false;
    row("defect", fmt::format("{}: {}{}, {}", nameOf(static_cast<MeshDefect>(d)), defect.count,
                              defect.triangle == kNoTriangle ? "" : fmt::format(", the first at triangle {}", defect.triangle),
                              defect.isRepaired ? paint.good("would be repaired") : paint.warn("not repaired")));
  }
  if (isClean) row("defects", paint.good("none"));
  row("watertight", report.isWatertight ? paint.good("yes") : paint.warn("no"));
  row("solid", report.solidRefusal.empty() ? paint.good("yes") : paint.warn("no: " + report.solidRefusal));
  if (found.mesh) {
    const Aabb& box = found.mesh->bounds;
    row("repaired", fmt::format("{} triangles over {} vertices, {} kB in memory", report.keptTriangles, report.keptVertices,
                                (found.mesh->bytes() + 999) / 1000));
    row("box", vectorText(box.lower, "m") + " to " + vectorText(box.upper, "m"));
    row("area", fmt::format("{:.6g} m2", found.area));
  }
  if (found.volume) row("volume", fmt::format("{:.6g} m3", *found.volume));
  if (found.mass) {
    row("mass", fmt::format("{:.6g} kg at {:g} kg/m3", found.mass->mass, found.density));
    row("centre", vectorText(found.mass->center, "m"));
    for (int r = 0; r < 3; ++r) row(r == 0 ? "inertia" : "", vectorText(found.mass->inertia.row(r).transpose(), "kg m2"));
  }
  if (found.hullVertices > 0)
    row("convex hull", fmt::format("{} vertices{}", found.hullVertices,
                                   found.hullError > 0.0 ? fmt::format(", which leave out {}", metres(found.hullError)) : ""));
  if (!found.hullRefusal.empty()) row("convex hull", found.hullRefusal);
  if (found.parts) {
    row("convex parts", fmt::format("{}{}", found.parts->hulls.size(), found.parts->isFromCache ? " (from the cache)" : ""));
    row("", fmt::format("stand out by {}, leave out {}, gaps inside {} deep (samples {} apart)", metres(found.parts->overfill),
                        metres(found.parts->underfill), metres(found.parts->hollow), metres(found.parts->spacing)));
    const double size = (found.mesh->bounds.upper - found.mesh->bounds.lower).norm();
    if (std::max(found.parts->overfill, found.parts->underfill) > 0.05 * size)
      row("", paint.warn("more than 5 % of its size: too coarse to touch others with; try a smaller --concavity"));
  }
}

Image pictureOf(const MeshFindings& found) {
  constexpr int kWidth = 1200, kHeight = 900;
  if (!found.parts) return drawSurface({found.mesh->view(), {}}, kWidth, kHeight);
  std::vector<Vec3> vertices;
  std::vector<TriangleIndices> triangles;
  std::vector<std::uint32_t> colour;
  for (std::uint32_t h = 0; h < found.parts->hulls.size(); ++h) {
    const Hull& hull = *found.parts->hulls[h];
    const auto base = static_cast<std::uint32_t>(vertices.size());
    vertices.insert(vertices.end(), hull.vertices.begin(), hull.vertices.end());
    for (const HullFace& face : hull.faces) {
      const auto loop = hull.loop(face);
      for (std::size_t i = 1; i + 1 < loop.size(); ++i) {
        triangles.push_back({base + loop[0], base + loop[i], base + loop[i + 1]});
        colour.push_back(h + 1);
      }
    }
  }
  return drawSurface({{vertices, triangles}, colour}, kWidth, kHeight);
}

}  // namespace

int commandMesh(const MeshArguments& arguments, std::ostream& out) {
  MeshFindings found;
  MeshFileOptions options;
  DecomposeOptions decomposition;
  std::size_t hullLimit = 64;
  if (arguments.scale) options.scale = readNumberOption("--scale", *arguments.scale, {.low = 1e-9, .high = 1e9});
  try {
    if (arguments.unit) options.scale *= metresPer(*arguments.unit);
  } catch (const std::invalid_argument& error) {
    throw BadInput(std::string("--") + error.what());
  }
  if (!(options.scale >= 1e-9 && options.scale <= 1e9)) throw BadInput("--scale and --unit: together from 1e-9 to 1e9 m");
  options.yUp = arguments.yUp;
  if (arguments.density)
    found.density = readNumberOption("--density", *arguments.density, {.low = 0, .high = 1e9, .lowOpen = true, .unit = "kg/m3"});
  if (arguments.concavity) decomposition.concavity = readNumberOption("--concavity", *arguments.concavity, {.low = 0.001, .high = 1});
  if (arguments.vertices) hullLimit = static_cast<std::size_t>(readWholeOption("--vertices", *arguments.vertices, 4, 256));
  decomposition.mostVertices = hullLimit;
  decomposition.usesCache = !arguments.noCache;
  const bool decomposes = arguments.decompose || arguments.concavity || arguments.out;
  const auto wholeFile = [](const char* option, const std::optional<std::string>& path) {
    return path ? std::make_unique<WholeFile>(option, *path) : nullptr;
  };
  const std::unique_ptr<WholeFile> hullFile = wholeFile("-o", arguments.out);
  const std::unique_ptr<WholeFile> pictureFile = wholeFile("--picture", arguments.picture);
  const std::unique_ptr<WholeFile> reportFile = wholeFile("--report", arguments.report);

  try {
    found.file = readMeshFile(arguments.file, options);
  } catch (const MeshFileError& error) {
    throw BadInput(error.what());
  }
  found.repaired = repairMesh(found.file.vertices, found.file.triangles);
  const MeshReport& report = found.repaired.report;
  if (!report.refusal.empty()) throw BadInput(arguments.file + ": " + report.refusal);
  found.mesh = buildTriangleMesh(found.repaired.vertices, found.repaired.triangles);
  found.area = meshArea(found.mesh->view());
  if (report.isWatertight) found.volume = meshVolume(found.mesh->view());
  if (report.solidRefusal.empty()) found.mass = meshMass(found.mesh->view(), found.density);
  try {
    const LimitedHull hull = buildLimitedHull(found.mesh->vertices, hullLimit);
    found.hullVertices = hull.hull->vertices.size();
    found.hullError = hull.error;
  } catch (const std::invalid_argument& error) {
    found.hullRefusal = std::string("none: ") + error.what();
  }
  if (decomposes) {
    try {
      found.parts = decompose(*found.mesh, decomposition);
    } catch (const std::runtime_error& error) {
      throw BadInput(arguments.file + ": " + error.what());
    } catch (const std::invalid_argument& error) {
      throw BadInput(arguments.file + ": " + error.what());
    }
  }
  if (hullFile) hullFile->commit(hullsAsObj(*found.parts));
  if (pictureFile) pictureFile->commit(encodePng(pictureOf(found)));
  if (reportFile) reportFile->commit(findingsJson(arguments.file, found));
  if (!arguments.quiet) printFindings(arguments.file, found, out);
  return kExitOk;
}

}  // namespace cairn
