// v is the point nearest to the origin of a simplex inside B - A. The support w of B - A along -v either brings the simplex
// closer to the origin, or proves that v is the nearest point of all: |v| is a bound from above and v.w/|v| one from below,
// and the iteration ends when they meet. The nearest point of a simplex is found by the signs of sub-volumes (Montanari,
// Petrinic, Barbieri 2017): unlike Johnson's recursion, which compares determinants of differing sizes, it never claims a
// region without a projection inside it. Each step must shorten v; one that does not, by rounding, ends the iteration with
// what there was before, so that no cycle is possible.
#include "geometry/gjk.hpp"

#include <algorithm>
#include <cmath>

namespace cairn {
namespace {

constexpr double kProvenGap = 8.0;  // times the rounding
constexpr int kMaximumRestarts = 8;

// A subset of up to four corners and the weights of its point nearest to the origin.
struct Nearest {
  int count = 0;
  std::array<int, 4> corner{};
  std::array<double, 4> weight{};
  Vec3 point = Vec3::Zero();
  double squared = std::numeric_limits<double>::infinity();
  bool enclosed = false;  // the origin is inside the tetrahedron
};

using Corners = std::array<Vec3, 4>;

Nearest onVertex(const Corners& w, int i) { return {1, {i}, {1.0}, w[i], w[i].squaredNorm(), false}; }

Nearest onSegment(const Corners& w, int i, int j) {
  const Vec3 along = w[j] - w[i];
  const double length2 = along.squaredNorm();
  const double t = -w[i].dot(along);
  if (!(t > 0.0) || !(length2 > 0.0)) return onVertex(w, i);
  if (t >= length2) return onVertex(w, j);
  const double s = t / length2;
  // From the nearer end, so that the product that rounds is the smaller one; and then exactly across the segment: along a
  // long edge, rounding of 1e-16 of its length would otherwise tilt a short v, and the far end would seem to come closer.
  Vec3 point = s < 0.5 ? Vec3(w[i] + s * along) : Vec3(w[j] - (1.0 - s) * along);
  point -= along * (point.dot(along) / length2);
  return {2, {i, j}, {1.0 - s, s}, point, point.squaredNorm(), false};
}

void keepCloser(Nearest& best, const Nearest& other) {
  if (other.squared < best.squared) best = other;
}

Nearest onTriangle(const Corners& w, int i, int j, int k) {
  const Vec3 normal = (w[j] - w[i]).cross(w[k] - w[i]);
  const double area2 = normal.squaredNorm();
  // Each corner's weight is the area of the triangle that the origin's projection makes with the side across from it.
  const std::array<int, 3> id{i, j, k};
  std::array<double, 3> area{};
  bool inside = area2 > 0.0;
  for (int c = 0; c < 3; ++c) {
    // With a difference as one factor: far from the origin the product of the corners themselves would cancel.
    const Vec3& p = w[id[(c + 1) % 3]];
    area[c] = normal.dot(p.cross(w[id[(c + 2) % 3]] - p));
    inside = inside && area[c] > 0.0;
  }
  if (inside) {
    const double sum = area[0] + area[1] + area[2];
    Nearest face{3, {i, j, k}, {area[0] / sum, area[1] / sum, area[2] / sum}, Vec3::Zero(), 0.0, false};
    // Along the normal, from the corner nearest to the origin: more exact than the weighted sum when the corners are far.
    int base = 0;
    for (int c = 1; c < 3; ++c) {
      if (w[id[c]].squaredNorm() < w[id[base]].squaredNorm()) base = c;
    }
    face.point = normal * (normal.dot(w[id[base]]) / area2);
    face.squared = face.point.squaredNorm();
    return face;
  }
  Nearest best;
  for (int c = 0; c < 3; ++c) {
    if (!(area[c] > 0.0) || !(area2 > 0.0)) keepCloser(best, onSegment(w, id[(c + 1) % 3], id[(c + 2) % 3]));
  }
  return best;
}

Nearest onTetrahedron(const Corners& w) {
  // Six times the volumes that the origin makes with each face, and of the whole; from differences, as above.
  const Vec3 e1 = w[1] - w[0];
  const Vec3 e2 = w[2] - w[0];
  const Vec3 e3 = w[3] - w[0];
  const Vec3 far = (w[2] - w[1]).cross(w[3] - w[1]);
  const double whole = far.dot(e1);
  const std::array<double, 4> part{far.dot(w[1]), -e2.cross(e3).dot(w[0]), e1.cross(e3).dot(w[0]), -e1.cross(e2).dot(w[0])};
  constexpr std::array<std::array<int, 3>, 4> kFaces{{{1, 2, 3}, {0, 2, 3}, {0, 1, 3}, {0, 1, 2}}};
  Nearest best;
  bool inside = whole != 0.0;
  for (int c = 0; c < 4; ++c) {
    if (whole != 0.0 && (part[c] > 0.0) == (whole > 0.0) && part[c] != 0.0) continue;
    inside = false;
    keepCloser(best, onTriangle(w, kFaces[c][0], kFaces[c][1], kFaces[c][2]));
  }
  if (!inside) return best;
  best = {4, {0, 1, 2, 3}, {part[0] / whole, part[1] / whole, part[2] / whole, part[3] / whole}, Vec3::Zero(), 0.0, true};
  return best;
}

Nearest nearest(const Corners& w, int count) {
  switch (count) {
    case 1:
      return onVertex(w, 0);
    case 2:
      return onSegment(w, 0, 1);
    case 3:
      return onTriangle(w, 0, 1, 2);
    default:
      return onTetrahedron(w);
  }
}

// The point of the simplex with these weights.
DifferenceVertex weighted(const GjkResult& result, const std::array<double, 4>& weight) {
  DifferenceVertex sum{Vec3::Zero(), Vec3::Zero(), Vec3::Zero()};
  for (int i = 0; i < result.count; ++i) {
    sum.a += weight[i] * result.simplex[i].a;
    sum.b += weight[i] * result.simplex[i].b;
  }
  sum.w = sum.b - sum.a;
  return sum;
}

}  // namespace

GjkResult gjk(const CorePair& pair) {
  GjkResult result;
  Vec3 v = pair.translation;
  if (pair.b->hull) v += pair.rotation * pair.b->hull->interior;
  if (pair.a->hull) v -= pair.a->hull->interior;
  if (!(v.squaredNorm() > 0.0)) v = Vec3::UnitX();
  std::array<double, 4> weight{};
  int restarts = 0;
  double squared = std::numeric_limits<double>::infinity();

  for (; result.iterations < kGjkMaximumIterations; ++result.iterations) {
    const DifferenceVertex vertex = differenceSupport(pair, -v);
    const Vec3& w = vertex.w;
    result.scale = std::max({result.scale, vertex.a.cwiseAbs().maxCoeff(), vertex.b.cwiseAbs().maxCoeff()});
    const double rounding = kGjkRounding * result.scale;
    if (result.count > 0) {
      const double length = std::sqrt(squared);
      const double reach = v.dot(w);
      if (reach / length > result.lowerBound) {
        result.lowerBound = reach / length;
        result.normal = v / length;
      }
      if (squared - reach <= kGjkRelativeGap * squared + rounding * length) break;
      const auto corners = std::span(result.simplex).first(static_cast<std::size_t>(result.count));
      if (std::ranges::any_of(corners, [&](const DifferenceVertex& corner) { return corner.w == w; })) break;
    }

    Corners corners;
    for (int i = 0; i < result.count; ++i) corners[i] = result.simplex[i].w;
    corners[result.count] = w;
    Nearest next = nearest(corners, result.count + 1);
    // A plane has proved a gap: if the origin then seems enclosed, the simplex is too thin for its volumes to have signs.
    const bool misled = next.enclosed && result.lowerBound > kProvenGap * rounding;
    if (misled || (!next.enclosed && !(next.squared < squared))) {
      // The simplex is too thin for its nearest point to be found. The last one and the new support are two points of B - A
      // all the same, and the segment between them leads on.
      const DifferenceVertex last = weighted(result, weight);
      corners[0] = last.w;
      corners[1] = w;
      next = onSegment(corners, 0, 1);
      if (++restarts > kMaximumRestarts || !(next.squared < std::max(squared, last.w.squaredNorm()))) break;
      result.simplex[0] = last;
      result.count = 1;
    }
    std::array<DifferenceVertex, 4> kept;
    for (int i = 0; i < next.count; ++i) {
      kept[i] = next.corner[i] == result.count ? vertex : result.simplex[next.corner[i]];
      weight[i] = next.weight[i];
    }
    std::copy_n(kept.begin(), next.count, result.simplex.begin());
    result.count = next.count;
    v = next.point;
    squared = next.squared;
    if (next.enclosed || squared <= rounding * rounding) {
      result.overlapping = true;
      break;
    }
  }

  const DifferenceVertex witness = weighted(result, weight);
  result.pointA = witness.a;
  result.pointB = witness.b;
  if (result.overlapping) return result;
  result.difference = v;
  result.distance = std::sqrt(squared);
  // A thin triangle can place v closer than it is; the points themselves cannot lie.
  if (result.distance < result.lowerBound - kProvenGap * kGjkRounding * result.scale) {
    result.difference = witness.w;
    result.distance = witness.w.norm();
  }
  if (!(result.lowerBound > 0.0)) result.normal = result.difference / result.distance;
  return result;
}

}  // namespace cairn
