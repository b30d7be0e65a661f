// A polytope P inside the difference B - A grows: the face nearest to the origin is pushed out to the support along its
// normal, until that face lies on the surface of B - A. Distances of faces are signed, which makes the start unimportant: if
// the origin is not yet (or never, in touching contact) inside P, the face it is most outside of is simply the one to push
// out first. So any tetrahedron with volume will do.
//
// With d the nearest face's distance and h the support along its normal, the depth is between d and h. What is reported is
// the least h met, with its normal: a translation that certainly separates.
//
// Known failure: faces of B - A that are much thinner than rounding allows (cores with a size ratio above 1e12) end the
// expansion early, with `converged` false.
#include "geometry/epa.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace cairn {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// A triangle whose height is below this part of its sides has no normal of its own.
constexpr double kThinTriangle = 1e-13;
// A tetrahedron of GJK is a good start if its height is at least this part of the coordinates.
constexpr double kThickEnough = 1e-6;
// How far, in barycentric coordinates, rounding may put a projection outside of its triangle.
constexpr double kOutsideTriangle = 1e-9;
constexpr double kSameNeighbourhood = 0.97;  // cosine: 14 degrees
// Of the smaller core's size: far enough for a normal with all its digits, and small against any curvature.
constexpr double kClearance = 1e-3;

struct Face {
  std::array<std::int16_t, 3> vertex;
  std::array<std::int16_t, 3> neighbour;  // across the side from vertex[i] to vertex[i + 1]
  Vec3 normal;                            // unit, outward
  double plane;                           // m: normal . x on the face
  double key;                             // plane, or infinity for a thin face, which is never pushed out
  bool alive;
};

struct HorizonSide {
  std::int16_t from, to, outside;
};

class Polytope {
 public:
  Polytope(const CorePair& pair, double scale) : pair_(pair), scale_(scale) {}

  bool start(const GjkResult& gjk);
  EpaResult expand();

 private:
  bool startFrom(const std::array<DifferenceVertex, 4>& corners, double thinnest);
  bool searchStart();
  DifferenceVertex supportAlong(const Vec3& direction) {
    const DifferenceVertex vertex = differenceSupport(pair_, direction);
    scale_ = std::max({scale_, vertex.a.cwiseAbs().maxCoeff(), vertex.b.cwiseAbs().maxCoeff()});
    return vertex;
  }
  void setPlane(Face& face, const Face* outside) const;
  int nearestFace() const;
  bool pushOut(int face, const DifferenceVertex& apex);
  bool findHorizon(int face, const Vec3& apex);
  bool witness(const Face& face, Vec3& pointA) const;

  const CorePair& pair_;
  double scale_;
  int vertexCount_ = 0;
  int faceCount_ = 0;
  int horizonCount_ = 0;
  std::array<DifferenceVertex, kEpaMaximumVertices> vertices_;
  std::array<Face, kEpaMaximumFaces> faces_;
  std::array<HorizonSide, kEpaMaximumFaces> horizon_;
};

void Polytope::setPlane(Face& face, const Face* outside) const {
  const Vec3& p = vertices_[face.vertex[0]].w;
  const Vec3& q = vertices_[face.vertex[1]].w;
  const Vec3& r = vertices_[face.vertex[2]].w;
  // The cross product of the two shorter sides rounds the least.
  const Vec3 pq = q - p;
  const Vec3 qr = r - q;
  const Vec3 rp = p - r;
  const double lengthPq = pq.squaredNorm();
  const double lengthQr = qr.squaredNorm();
  const double lengthRp = rp.squaredNorm();
  const double longest = std::max({lengthPq, lengthQr, lengthRp});
  Vec3 normal;
  const Vec3* base = &p;
  if (lengthPq == longest) {
    normal = qr.cross(rp), base = &r;
  } else if (lengthQr == longest) {
    normal = rp.cross(pq);
  } else {
    normal = pq.cross(qr), base = &q;
  }
  const double area = normal.norm();
  if (outside != nullptr && !(area > kThinTriangle * longest)) {
    // As good as a line: it lies in its neighbour's plane, and the neighbour stands for it.
    face.normal = outside->normal;
    face.plane = outside->plane;
    face.key = kInfinity;
    return;
  }
  face.normal = normal / area;
  face.plane = face.normal.dot(*base);
  face.key = face.plane;
}

bool Polytope::startFrom(const std::array<DifferenceVertex, 4>& corners, double thinnest) {
  const Vec3 p = corners[0].w;
  const Vec3 normal = (corners[1].w - p).cross(corners[2].w - p);
  const double area = normal.norm();
  const double height = area > 0.0 ? normal.dot(corners[3].w - p) / area : 0.0;
  if (!(std::abs(height) > thinnest) || !(area > thinnest * thinnest)) return false;
  vertices_[0] = corners[0];
  vertices_[1] = height > 0.0 ? corners[2] : corners[1];
  vertices_[2] = height > 0.0 ? corners[1] : corners[2];
  vertices_[3] = corners[3];
  vertexCount_ = 4;
  // Outward when corner 3 is below the triangle 0, 1, 2.
  faces_[0].vertex = {0, 1, 2}, faces_[0].neighbour = {1, 2, 3};
  faces_[1].vertex = {0, 3, 1}, faces_[1].neighbour = {3, 2, 0};
  faces_[2].vertex = {1, 3, 2}, faces_[2].neighbour = {1, 3, 0};
  faces_[3].vertex = {0, 2, 3}, faces_[3].neighbour = {0, 2, 1};
  faceCount_ = 4;
  for (int i = 0; i < 4; ++i) {
    faces_[i].alive = true;
    setPlane(faces_[i], nullptr);
    if (!faces_[i].normal.allFinite()) return false;
  }
  return true;
}

// The farthest pair along an axis, the farthest from their line, and the farthest from that plane.
bool Polytope::searchStart() {
  std::array<DifferenceVertex, 4> corners;
  double longest = -1.0;
  for (int axis = 0; axis < 3; ++axis) {
    const DifferenceVertex high = supportAlong(Vec3::Unit(axis));
    const DifferenceVertex low = supportAlong(-Vec3::Unit(axis));
    const double length = (high.w - low.w).squaredNorm();
    if (length > longest) longest = length, corners[0] = low, corners[1] = high;
  }
  if (!(longest > 0.0)) return false;
  const Vec3 along = (corners[1].w - corners[0].w).normalized();
  const Vec3 side = along.unitOrthogonal();
  const Vec3 other = along.cross(side);
  double widest = -1.0;
  for (const Vec3& direction : {side, Vec3(-side), other, Vec3(-other)}) {
    const DifferenceVertex candidate = supportAlong(direction);
    const double width = (candidate.w - corners[0].w).cross(along).squaredNorm();
    if (width > widest) widest = width, corners[2] = candidate;
  }
  const Vec3 normal = along.cross(corners[2].w - corners[0].w);
  if (!(normal.squaredNorm() > 0.0)) return false;
  const DifferenceVertex above = supportAlong(normal);
  const DifferenceVertex below = supportAlong(-normal);
  const bool up = normal.dot(above.w - corners[0].w) > -normal.dot(below.w - corners[0].w);
  corners[3] = up ? above : below;
  return startFrom(corners, kEpaRounding * scale_);
}

bool Polytope::start(const GjkResult& gjk) {
  if (gjk.count == 4 && startFrom(gjk.simplex, kThickEnough * scale_)) return true;
  return searchStart();
}

int Polytope::nearestFace() const {
  int best = -1;
  double least = kInfinity;
  for (int i = 0; i < faceCount_; ++i) {
    if (faces_[i].alive && faces_[i].key < least) least = faces_[i].key, best = i;
  }
  return best;
}

// Removes the faces that the apex is above, starting from one of them, and collects the sides where they end.
bool Polytope::findHorizon(int first, const Vec3& apex) {
  const double rounding = 0.25 * kEpaRounding * scale_;
  std::array<std::int16_t, kEpaMaximumFaces> pending;
  int pendingCount = 0;
  horizonCount_ = 0;
  pending[pendingCount++] = static_cast<std::int16_t>(first);
  faces_[first].alive = false;
  while (pendingCount > 0) {
    const Face& face = faces_[pending[--pendingCount]];
    for (int side = 0; side < 3; ++side) {
      const std::int16_t beyond = face.neighbour[side];
      if (!faces_[beyond].alive) continue;
      if (faces_[beyond].normal.dot(apex) - faces_[beyond].plane > rounding) {
        faces_[beyond].alive = false;
        pending[pendingCount++] = beyond;
      }
    }
  }
  // Only now is it known who stays.
  pending[pendingCount++] = static_cast<std::int16_t>(first);
  std::array<bool, kEpaMaximumFaces> seen{};
  seen[first] = true;
  while (pendingCount > 0) {
    const Face& face = faces_[pending[--pendingCount]];
    for (int side = 0; side < 3; ++side) {
      const std::int16_t beyond = face.neighbour[side];
      if (faces_[beyond].alive) {
        horizon_[horizonCount_++] = {face.vertex[side], face.vertex[(side + 1) % 3], beyond};
      } else if (!seen[beyond]) {
        seen[beyond] = true;
        pending[pendingCount++] = beyond;
      }
    }
  }
  return horizonCount_ >= 3;
}

bool Polytope::pushOut(int first, const DifferenceVertex& apex) {
  if (!findHorizon(first, apex.w)) return false;
  const auto apexIndex = static_cast<std::int16_t>(vertexCount_);
  vertices_[vertexCount_++] = apex;

  // The new face that starts (ends) at each vertex. A vertex met twice means that the horizon is not one loop: give up.
  std::array<std::int16_t, kEpaMaximumVertices> startingAt;
  std::array<std::int16_t, kEpaMaximumVertices> endingAt;
  startingAt.fill(-1);
  endingAt.fill(-1);
  int slot = 0;
  std::array<std::int16_t, kEpaMaximumFaces> created;
  for (int i = 0; i < horizonCount_; ++i) {
    while (slot < faceCount_ && faces_[slot].alive) ++slot;
    if (slot == kEpaMaximumFaces) return false;
    if (slot == faceCount_) ++faceCount_;
    const HorizonSide& side = horizon_[i];
    if (startingAt[side.from] >= 0 || endingAt[side.to] >= 0) return false;
    created[i] = startingAt[side.from] = endingAt[side.to] = static_cast<std::int16_t>(slot);
    Face& face = faces_[slot];
    face.vertex = {side.from, side.to, apexIndex};
    face.alive = true;
  }
  for (int i = 0; i < horizonCount_; ++i) {
    const HorizonSide& side = horizon_[i];
    Face& face = faces_[created[i]];
    face.neighbour = {side.outside, startingAt[side.to], endingAt[side.from]};
    if (face.neighbour[1] < 0 || face.neighbour[2] < 0) return false;
    Face& outside = faces_[side.outside];
    for (int k = 0; k < 3; ++k) {
      if (outside.vertex[k] == side.to && outside.vertex[(k + 1) % 3] == side.from) outside.neighbour[k] = created[i];
    }
    setPlane(face, &outside);
  }
  return true;
}

// The origin's projection onto the face, in the face's own coordinates. False if it is outside: then this is one of several
// triangles in the same plane, and another has it.
bool Polytope::witness(const Face& face, Vec3& pointA) const {
  const Vec3 target = face.plane * face.normal;
  std::array<double, 3> weight{};
  double sum = 0.0;
  for (int i = 0; i < 3; ++i) {
    const Vec3 p = vertices_[face.vertex[(i + 1) % 3]].w - target;
    const Vec3 q = vertices_[face.vertex[(i + 2) % 3]].w - target;
    weight[i] = face.normal.dot(p.cross(q));
    sum += weight[i];
  }
  if (!(sum > 0.0)) return false;
  pointA.setZero();
  for (int i = 0; i < 3; ++i) {
    if (weight[i] < -kOutsideTriangle * sum) return false;
    pointA += weight[i] / sum * vertices_[face.vertex[i]].a;
  }
  return true;
}

// Keeps the least deep of each neighbourhood of directions, and of those the least deep.
void remember(std::array<EpaCandidate, kEpaCandidates>& candidates, const EpaCandidate& found) {
  EpaCandidate* place = &candidates[0];
  for (EpaCandidate& candidate : candidates) {
    if (std::isfinite(candidate.depth) && candidate.normal.dot(found.normal) > kSameNeighbourhood) {
      place = &candidate;
      break;
    }
    if (candidate.depth > place->depth) place = &candidate;
  }
  if (found.depth < place->depth) *place = found;
}

EpaResult Polytope::expand() {
  EpaResult result;
  result.depth = kInfinity;
  bool witnessed = false;
  const bool curved = hasCurvedCore(*pair_.a) || hasCurvedCore(*pair_.b);
  for (;; ++result.iterations) {
    const int nearest = nearestFace();
    if (nearest < 0) break;
    const Face& face = faces_[nearest];
    const DifferenceVertex apex = supportAlong(face.normal);
    const double reach = face.normal.dot(apex.w);
    const double gap = std::max(kEpaRounding * scale_, curved ? kEpaCurvedGap * std::abs(reach) : 0.0);
    const bool arrived = reach - face.plane <= gap;
    // A face that has arrived is taken even if an earlier reach was lower: the difference is within the gap, and only the
    // corners of this face are on the surface.
    if (arrived || reach < result.depth) {
      result.depth = reach;
      result.normal = -face.normal;
    }
    if (curved && !arrived) remember(result.candidates, {reach, -face.normal});
    if (arrived) {
      result.converged = true;
      result.exact = reach - face.plane <= kEpaRounding * scale_;
      witnessed = witness(face, result.pointA);
      break;
    }
    if (vertexCount_ == kEpaMaximumVertices || !pushOut(nearest, apex)) break;
  }
  if (!witnessed && std::isfinite(result.depth)) {
    result.pointA = gapAfterMovingOut(pair_, result.normal, result.depth).pointA;
  }
  return result;
}

}  // namespace

EpaResult epa(const CorePair& pair, const GjkResult& start) {
  Polytope polytope(pair, start.scale);
  if (polytope.start(start)) {
    const EpaResult result = polytope.expand();
    if (std::isfinite(result.depth)) return result;
  }
  // B - A is as good as flat: across its thinnest direction the two are hardly in each other.
  EpaResult result;
  result.depth = kInfinity;
  for (int i = 0; i < 6; ++i) {
    const Vec3 normal = (i % 2 == 0 ? 1.0 : -1.0) * Vec3::Unit(i / 2);
    const double depth = -pair.separation(normal);
    if (depth < result.depth) result.depth = depth, result.normal = normal;
  }
  result.pointA = gapAfterMovingOut(pair, result.normal, result.depth).pointA;
  return result;
}

GjkResult gapAfterMovingOut(const CorePair& pair, const Vec3& normal, double depth) {
  const double clearance = kClearance * std::min(boundingRadius(*pair.a), boundingRadius(*pair.b));
  return gjk(pair.movedBy((depth + clearance) * normal));
}

}  // namespace cairn
