#include "import/decompose.hpp"

#include <hacdHACD.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <sstream>
#include <stdexcept>

#include "geometry/hull_limit.hpp"
#include "geometry/mesh_mass.hpp"
#include "import/bytes.hpp"
#include "import/hull_cache.hpp"
#include "import/isolated.hpp"

namespace cairn {
namespace {

// Pieces that share no vertex are decomposed one by one.
std::vector<std::vector<std::uint32_t>> piecesOf(const TriangleMesh& mesh) {
  std::vector<std::uint32_t> parent(mesh.vertices.size());
  std::iota(parent.begin(), parent.end(), 0u);
  const auto root = [&](std::uint32_t v) {
    while (parent[v] != v) v = parent[v] = parent[parent[v]];
    return v;
  };
  for (const TriangleIndices& t : mesh.triangles) {
    for (int k : {1, 2}) {
      const std::uint32_t a = root(t[0]), b = root(t[k]);
      parent[std::max(a, b)] = std::min(a, b);
    }
  }
  std::vector<std::uint32_t> number(mesh.vertices.size(), kNoTriangle);
  std::vector<std::vector<std::uint32_t>> pieces;
  for (std::uint32_t t = 0; t < mesh.size(); ++t) {
    std::uint32_t& n = number[root(mesh.triangles[t][0])];
    if (n == kNoTriangle) {
      n = static_cast<std::uint32_t>(pieces.size());
      pieces.emplace_back();
    }
    pieces[n].push_back(t);
  }
  return pieces;
}

// HACD scales its points so that the diagonal of their box is twice this; its concavity is in that scale.
constexpr double kScale = 1000.0;

double volumeOf(const Hull& hull) {
  std::vector<TriangleIndices> triangles;
  for (const HullFace& face : hull.faces) {
    const auto loop = hull.loop(face);
    for (std::size_t i = 1; i + 1 < loop.size(); ++i) triangles.push_back({loop[0], loop[i], loop[i + 1]});
  }
  return meshVolume({hull.vertices, triangles});
}

bool isConvex(const TriangleMesh& mesh, const std::vector<std::uint32_t>& piece) {
  constexpr double kMissing = 1e-3;  // of the volume
  std::vector<TriangleIndices> triangles;
  std::vector<Vec3> corners;
  for (std::uint32_t t : piece) {
    triangles.push_back(mesh.triangles[t]);
    for (const Vec3& corner : mesh.triangle(t).corner) corners.push_back(corner);
  }
  try {
    return meshVolume({mesh.vertices, triangles}) >= (1.0 - kMissing) * volumeOf(*buildHull(corners));
  } catch (const std::invalid_argument&) {  // flat
    return false;
  }
}

// The hulls of one piece, as points.
void decomposePiece(const TriangleMesh& mesh, const std::vector<std::uint32_t>& piece, double concavity, std::size_t mostVertices,
                    HullPoints& hulls) {
  std::vector<std::uint32_t> number(mesh.vertices.size(), kNoTriangle);
  std::vector<HACD::Vec3<HACD::Real>> points;
  std::vector<HACD::Vec3<long>> triangles;
  Aabb box;
  for (std::uint32_t t : piece) {
    long index[3];
    for (int k = 0; k < 3; ++k) {
      const std::uint32_t v = mesh.triangles[t][k];
      const Vec3& p = mesh.vertices[v];
      if (number[v] == kNoTriangle) {
        number[v] = static_cast<std::uint32_t>(points.size());
        points.emplace_back(p.x() - mesh.bounds.lower.x(), p.y() - mesh.bounds.lower.y(), p.z() - mesh.bounds.lower.z());
        box = box.united({p, p});
      }
      index[k] = number[v];
    }
    triangles.emplace_back(index[0], index[1], index[2]);
  }
  // HACD cuts even a ball in pieces: what is convex already stays whole.
  if (isConvex(mesh, piece)) {
    std::vector<Vec3> all;
    for (std::size_t v = 0; v < mesh.vertices.size(); ++v) {
      if (number[v] != kNoTriangle) all.push_back(mesh.vertices[v]);
    }
    hulls.push_back(std::move(all));
    return;
  }
  HACD::HACD hacd;
  hacd.SetPoints(points.data());
  hacd.SetNPoints(points.size());
  hacd.SetTriangles(triangles.data());
  hacd.SetNTriangles(triangles.size());
  hacd.SetScaleFactor(kScale);
  hacd.SetCompacityWeight(1e-4);
  hacd.SetVolumeWeight(0.0);
  hacd.SetNClusters(1);
  hacd.SetNVerticesPerCH(mostVertices);
  hacd.SetConcavity(concavity * 2.0 * kScale / (box.upper - box.lower).norm());
  hacd.SetAddExtraDistPoints(true);
  hacd.SetAddNeighboursDistPoints(true);
  hacd.SetAddFacesPoints(true);
  if (!hacd.Compute()) throw std::runtime_error("HACD finds no decomposition");
  for (std::size_t c = 0; c < hacd.GetNClusters(); ++c) {
    // All vertices of the cluster's triangles: HACD's own hull may lack some.
    std::vector<Vec3> hull;
    std::vector<char> isIn(points.size(), 0);
    const long* partition = hacd.GetPartition();
    for (std::size_t i = 0; i < piece.size(); ++i) {
      if (partition[i] != static_cast<long>(c)) continue;
      for (std::uint32_t v : mesh.triangles[piece[i]]) {
        if (isIn[number[v]]) continue;
        isIn[number[v]] = 1;
        hull.push_back(mesh.vertices[v]);
      }
    }
    if (!hull.empty()) hulls.push_back(std::move(hull));
  }
}

HullPoints computeHulls(const TriangleMesh& mesh, const DecomposeOptions& options) {
  const double concavity = options.concavity * (mesh.bounds.upper - mesh.bounds.lower).norm();
  const auto work = [&]() -> std::string {
    HullPoints hulls;
    for (const auto& piece : piecesOf(mesh)) decomposePiece(mesh, piece, concavity, options.mostVertices, hulls);
    ByteWriter writer;
    writer.add(static_cast<std::uint64_t>(hulls.size()));
    for (const auto& hull : hulls) {
      writer.add(static_cast<std::uint64_t>(hull.size()));
      for (const Vec3& p : hull) writer.add(p);
    }
    return std::move(writer.bytes());
  };
  try {
    const std::string bytes = runIsolated(work, {.seconds = options.seconds});
    ByteReader reader(bytes);
    HullPoints hulls(reader.count(8));
    for (auto& hull : hulls) {
      hull.resize(reader.count(24));
      for (Vec3& p : hull) p = reader.vector();
    }
    return hulls;
  } catch (const IsolatedFailure& failure) {
    throw std::runtime_error(std::string("convex decomposition: ") + failure.what());
  }
}

// A cluster may be flat, or nearly: it gets a hull as thick as the bound, inwards.
std::shared_ptr<const Hull> hullOf(std::vector<Vec3> points, std::size_t mostVertices, double thickness, const TriangleMesh& mesh) {
  try {
    return buildLimitedHull(points, mostVertices).hull;
  } catch (const std::invalid_argument&) {
    std::vector<Vec3> thicker = points;
    for (const Vec3& p : points) {
      // Inwards: against the normal of the triangles there.
      const auto near = mesh.tree.closest(mesh.view(), p);
      if (near) thicker.push_back(p - thickness * mesh.normal(near->triangle));
    }
    try {
      return buildLimitedHull(thicker, mostVertices).hull;
    } catch (const std::invalid_argument&) {
      return nullptr;
    }
  }
}

}  // namespace

Decomposition decompose(const TriangleMesh& mesh, const DecomposeOptions& options) {
  if (!(options.concavity >= 0.001 && options.concavity <= 1.0)) throw std::invalid_argument("concavity: from 0.001 to 1");
  if (options.mostVertices < 4 || options.mostVertices > 256) throw std::invalid_argument("mostVertices: from 4 to 256");
  if (mesh.size() > options.mostTriangles)
    throw std::invalid_argument("triangles: " + std::to_string(mesh.size()) + "; convex decomposition takes at most " +
                                std::to_string(options.mostTriangles) + ": simplify the mesh first");
  if (!mesh.isClosed) throw std::invalid_argument("mesh: it is not closed; convex decomposition needs a solid");
  const std::filesystem::path folder = options.usesCache ? hullCacheFolder() : std::filesystem::path();
  const std::uint64_t key = hullCacheKey(mesh, options);
  Decomposition result;
  std::optional<HullPoints> points = readHullCache(folder, key, mesh);
  result.isFromCache = points.has_value();
  if (!points) points = computeHulls(mesh, options);
  const double thickness = 1e-3 * (mesh.bounds.upper - mesh.bounds.lower).norm();
  for (const std::vector<Vec3>& some : *points) {
    if (auto hull = hullOf(some, options.mostVertices, thickness, mesh)) result.hulls.push_back(std::move(hull));
  }
  if (result.hulls.empty()) throw std::runtime_error("convex decomposition: no part has volume");
  if (!result.isFromCache) writeHullCache(folder, key, mesh, *points);
  measureDecomposition(mesh, result);
  return result;
}

std::string hullsAsObj(const Decomposition& result) {
  std::ostringstream out;
  out.precision(17);
  out << "# " << result.hulls.size() << " convex parts\n";
  std::size_t base = 1;
  for (std::size_t h = 0; h < result.hulls.size(); ++h) {
    const Hull& hull = *result.hulls[h];
    out << "o hull" << h + 1 << "\n";
    for (const Vec3& v : hull.vertices) out << "v " << v.x() << " " << v.y() << " " << v.z() << "\n";
    for (const HullFace& face : hull.faces) {
      out << "f";
      for (std::uint32_t v : hull.loop(face)) out << " " << base + v;
      out << "\n";
    }
    base += hull.vertices.size();
  }
  return out.str();
}

}  // namespace cairn
