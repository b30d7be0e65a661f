// Checks the points, hands them to Qhull at unit size, merges coplanar triangles, and keeps only what is used.
#include "geometry/hull.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <sstream>
#include <stdexcept>
#include <string>

#include "geometry/face_merging.hpp"

namespace cairn {
namespace {

// All relative to the extent of the points (the largest side of their bounding box).
constexpr double kWeldDistance = 0.25 * kHullCoplanarTolerance;

[[noreturn]] void refuse(const std::string& what) { throw std::invalid_argument("points: " + what); }

std::string number(double value) {
  std::ostringstream text;
  text << value;
  return text.str();
}

// Of points within the weld distance of each other only the first in the input stays.
std::vector<std::uint32_t> weld(std::span<const Vec3> points) {
  std::vector<std::uint32_t> order(points.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return points[a].x() < points[b].x(); });
  std::vector<char> gone(points.size(), 0);
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (gone[order[i]]) continue;
    for (std::size_t j = i + 1; j < order.size(); ++j) {
      const Vec3 d = points[order[j]] - points[order[i]];
      if (d.x() > kWeldDistance) break;
      if (d.squaredNorm() <= kWeldDistance * kWeldDistance) gone[order[j]] = 1;
    }
  }
  std::vector<std::uint32_t> kept;
  for (std::uint32_t i = 0; i < points.size(); ++i) {
    if (!gone[i]) kept.push_back(i);
  }
  return kept;
}

// Refuses points that span no volume; sizes are relative, so the messages turn them into metres with the extent.
void checkVolume(std::span<const Vec3> points, double extent) {
  const auto farthest = [&](auto&& measure) {
    return *std::ranges::max_element(points, {}, [&](const Vec3& p) { return measure(p); });
  };
  const Vec3 a = farthest([&](const Vec3& p) { return (p - points[0]).squaredNorm(); });
  const Vec3 b = farthest([&](const Vec3& p) { return (p - a).squaredNorm(); });
  const Vec3 along = (b - a).normalized();
  const Vec3 c = farthest([&](const Vec3& p) { return (p - a).cross(along).squaredNorm(); });
  const double width = (c - a).cross(along).norm();
  if (width < kHullFlatness) {
    refuse("all lie on one line (within " + number(width * extent) + " m of it); a hull needs volume");
  }
  const Vec3 normal = (b - a).cross(c - a).normalized();
  const Vec3 d = farthest([&](const Vec3& p) { return std::abs(normal.dot(p - a)); });
  const double thickness = std::abs(normal.dot(d - a));
  if (thickness < kHullFlatness) {
    refuse("all lie in one plane (within " + number(thickness * extent) + " m of it, over an extent of " + number(extent) +
           " m); a hull needs volume");
  }
}

void computePlanes(Hull& hull) {
  for (HullFace& face : hull.faces) {
    const auto loop = hull.loop(face);
    face.normal = loopNormal(hull.vertices, loop);
    face.offset = -std::numeric_limits<double>::infinity();
    for (std::uint32_t vertex : loop) face.offset = std::max(face.offset, face.normal.dot(hull.vertices[vertex]));
  }
}

void computeEdges(Hull& hull) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> faceOf;
  for (std::uint32_t f = 0; f < hull.faces.size(); ++f) {
    const auto loop = hull.loop(hull.faces[f]);
    for (std::size_t i = 0; i < loop.size(); ++i) faceOf[{loop[i], loop[(i + 1) % loop.size()]}] = f;
  }
  for (const auto& [ends, face] : faceOf) {
    const auto& [from, to] = ends;
    if (from < to) hull.edges.push_back({from, to, face, faceOf.at({to, from})});
  }
}

void computeInterior(Hull& hull) {
  Vec3 origin = Vec3::Zero();
  for (const Vec3& vertex : hull.vertices) origin += vertex / static_cast<double>(hull.vertices.size());
  double volume = 0.0;
  Vec3 moment = Vec3::Zero();
  for (const HullFace& face : hull.faces) {
    const auto loop = hull.loop(face);
    const Vec3 a = hull.vertices[loop[0]] - origin;
    for (std::size_t i = 1; i + 1 < loop.size(); ++i) {
      const Vec3 b = hull.vertices[loop[i]] - origin;
      const Vec3 c = hull.vertices[loop[i + 1]] - origin;
      const double six = a.dot(b.cross(c));
      volume += six;
      moment += six * 0.25 * (a + b + c);
    }
  }
  hull.interior = volume > 0.0 ? Vec3(origin + moment / volume) : origin;
}

}  // namespace

std::shared_ptr<const Hull> buildHull(std::span<const Vec3> points) {
  if (points.size() < 4) refuse("at least 4 are needed for a hull, got " + std::to_string(points.size()));
  Vec3 lower = points[0];
  Vec3 upper = points[0];
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!points[i].allFinite()) refuse("point " + std::to_string(i) + " is not finite");
    lower = lower.cwiseMin(points[i]);
    upper = upper.cwiseMax(points[i]);
  }
  const double extent = (upper - lower).maxCoeff();
  if (!std::isfinite(extent)) refuse("too far apart");
  if (!(extent > 0.0)) refuse("all are the same point; a hull needs volume");

  const Vec3 middle = lower + 0.5 * (upper - lower);
  std::vector<Vec3> unit;
  unit.reserve(points.size());
  for (const Vec3& p : points) unit.push_back((p - middle) / extent);
  const std::vector<std::uint32_t> kept = weld(unit);
  std::vector<Vec3> distinct;
  for (std::uint32_t i : kept) distinct.push_back(unit[i]);
  if (distinct.size() < 4) refuse("only " + std::to_string(distinct.size()) + " differ from each other; a hull needs 4");
  checkVolume(distinct, extent);

  const std::vector<HullTriangle> triangles = triangulateHull(distinct);
  std::optional<std::vector<HullLoop>> loops;
  for (double tolerance : {kHullCoplanarTolerance, 1e-2 * kHullCoplanarTolerance, 1e-4 * kHullCoplanarTolerance, 0.0}) {
    loops = mergeFaces(distinct, triangles, tolerance);
    if (loops) break;
  }
  if (!loops) refuse("no convex polyhedron could be made of them");

  auto hull = std::make_shared<Hull>();
  std::vector<std::uint32_t> index(distinct.size(), UINT32_MAX);
  for (const HullLoop& loop : *loops) {
    for (std::uint32_t vertex : loop) index[vertex] = 0;
  }
  for (std::uint32_t i = 0; i < distinct.size(); ++i) {
    if (index[i] == UINT32_MAX) continue;
    index[i] = static_cast<std::uint32_t>(hull->vertices.size());
    hull->vertices.push_back(points[kept[i]]);  // the point itself, not one that was scaled back
  }
  for (const HullLoop& loop : *loops) {
    hull->faces.push_back(
        {Vec3::Zero(), 0.0, static_cast<std::uint32_t>(hull->faceVertices.size()), static_cast<std::uint32_t>(loop.size())});
    for (std::uint32_t vertex : loop) hull->faceVertices.push_back(index[vertex]);
  }
  computePlanes(*hull);
  computeEdges(*hull);
  computeInterior(*hull);
  return hull;
}

Hull boxHull(const Vec3& halfExtents) {
  Hull hull;
  // Vertex i has the signs of i's bits: bit 0 for x, 1 for y, 2 for z.
  for (int i = 0; i < 8; ++i) {
    const Vec3 signs((i & 1) ? 1.0 : -1.0, (i & 2) ? 1.0 : -1.0, (i & 4) ? 1.0 : -1.0);
    hull.vertices.push_back(signs.cwiseProduct(halfExtents));
  }
  // -x, +x, -y, +y, -z, +z
  hull.faceVertices = {0, 4, 6, 2, 1, 3, 7, 5, 0, 1, 5, 4, 2, 6, 7, 3, 0, 2, 3, 1, 4, 5, 7, 6};
  for (std::uint32_t f = 0; f < 6; ++f) {
    const auto axis = static_cast<int>(f / 2);
    const double sign = f % 2 == 0 ? -1.0 : 1.0;
    hull.faces.push_back({sign * Vec3::Unit(axis), halfExtents[axis], 4 * f, 4});
  }
  computeEdges(hull);
  return hull;
}

}  // namespace cairn
