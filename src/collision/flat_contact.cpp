// The other shape shows the flat one of three things: points (vertices, or where a round shape comes nearest), a segment (a
// capsule's core, the generator of a lying cylinder), or an area (a polygon, the cap of a standing cylinder). Each is cut to
// the flat's outline in the flat's own two coordinates x, y with height s above it.
#include "collision/flat_contact.hpp"

#include <algorithm>
#include <cmath>

#include "collision/disc_overlap.hpp"
#include "collision/manifold_tolerances.hpp"

namespace cairn {
namespace {

struct Frame {
  Vec3 origin, u, v, n;

  Frame(const Flat& flat, const Vec3& near) : n(flat.normal) {
    const Tangents tangents = tangentsOf(n);
    u = tangents.u;
    v = tangents.v;
    origin = near - n * n.dot(near - flat.point);  // on the flat, close to the contact, so that x and y are small numbers
  }
  ContactCandidate candidate(double x, double y, double s, std::uint32_t feature) const {
    return {origin + u * x + v * y + n * (0.5 * s), x, y, s, feature};
  }
};

// Seen from `frame`; a face of very many sides is thinned, keeping the vertex `keep`.
void projectLoop(const Solid& solid, const Polytope& polytope, std::uint32_t face, const Frame& frame, bool ownerIsB,
                 std::uint32_t keep, Outline& outline) {
  const HullFace& hullFace = polytope.faces[face];
  const std::uint32_t* loop = polytope.loop(face);
  const Vec3 u = solid.rotation.transpose() * frame.u;
  const Vec3 v = solid.rotation.transpose() * frame.v;
  const Vec3 n = solid.rotation.transpose() * frame.n;
  const Vec3 origin = solid.rotation.transpose() * (frame.origin - solid.position);
  const std::uint32_t stride = (hullFace.count + Outline::kCapacity - 1) / Outline::kCapacity;
  std::uint32_t start = 0;
  if (stride > 1) {
    for (std::uint32_t i = 0; i < hullFace.count; ++i) {
      if (loop[i] == keep) start = i % stride;
    }
  }
  outline.count = 0;
  for (std::uint32_t i = start; i < hullFace.count; i += stride) {
    const Vec3 d = polytope.vertices[loop[i]] - origin;
    outline.corners[outline.count++] = {u.dot(d), v.dot(d), n.dot(d), edgeLabel(ownerIsB, hullFace.first + i)};
  }
}

void outlineOf(const Flat& flat, const Frame& frame, Outline& outline) {
  projectLoop(*flat.owner, *flat.polytope, flat.face, frame, flat.ownerIsB, UINT32_MAX, outline);
}

bool isInside(const Flat& flat, const Frame& frame, double x, double y, double slop) {
  switch (flat.kind) {
    case Flat::Kind::Infinite:
      return true;
    case Flat::Kind::Disc: {
      const Vec3 d = flat.point - frame.origin;
      return hypotenuse(x - frame.u.dot(d), y - frame.v.dot(d)) <= flat.radius + slop;
    }
    default: {
      Outline outline;
      outlineOf(flat, frame, outline);
      return outline.contains(x, y, slop);
    }
  }
}

// The polygon that a box or hull turns towards the flat: of the faces at its lowest vertex the one most nearly parallel.
std::uint32_t incidentFace(const Polytope& polytope, const Vec3& localDown, std::uint32_t lowest) {
  std::uint32_t best = 0;
  double bestDot = -2.0;
  for (std::uint32_t f = 0; f < polytope.faceCount; ++f) {
    const double dot = polytope.faces[f].normal.dot(localDown);
    if (dot <= bestDot) continue;
    const std::uint32_t* loop = polytope.loop(f);
    if (std::find(loop, loop + polytope.faces[f].count, lowest) == loop + polytope.faces[f].count) continue;
    bestDot = dot;
    best = f;
  }
  return best;
}

void touchVertices(const Frame& frame, const Solid& other, const Polytope& polytope, ContactSet& set) {
  const Mat3 toFrame = (Mat3() << frame.u.transpose(), frame.v.transpose(), frame.n.transpose()).finished();
  const Mat3 turn = toFrame * other.rotation;
  const Vec3 offset = toFrame * (other.position - frame.origin);
  for (std::uint32_t i = 0; i < polytope.vertexCount; ++i) {
    const Vec3 p = turn * polytope.vertices[i] + offset;
    set.add(frame.candidate(p.x(), p.y(), p.z(), featureName(FeatureKind::Vertex, i)));
  }
}

void touchPolygon(const Flat& flat, const Frame& frame, const Solid& other, const Polytope& polytope, std::uint32_t lowest,
                  double slop, ContactSet& set) {
  const Vec3 localDown = other.rotation.transpose() * -frame.n;
  const std::uint32_t face = incidentFace(polytope, localDown, lowest);
  set.parallelism = polytope.faces[face].normal.dot(localDown);
  Outline incident;
  projectLoop(other, polytope, face, frame, !flat.ownerIsB, lowest, incident);
  if (flat.kind == Flat::Kind::Disc) {
    const Vec3 d = flat.point - frame.origin;
    DiscOverlap disc{frame.u.dot(d), frame.v.dot(d), flat.radius};
    // Height of the incident plane, where it is not too steep to be read as a function of x and y.
    const Vec3 faceNormal = other.rotation * polytope.faces[face].normal;
    const double steepness = faceNormal.dot(frame.n);
    if (steepness < -0.5) {
      disc.gradientX = -faceNormal.dot(frame.u) / steepness;
      disc.gradientY = -faceNormal.dot(frame.v) / steepness;
      disc.takesRim = true;
    }
    disc.withPolygon(incident, slop, [&](double x, double y, double s, std::uint32_t feature) {
      set.add(frame.candidate(x, y, s, feature));
    });
    return;
  }
  Outline outline;
  outlineOf(flat, frame, outline);
  ClipPolygon first, second;
  first.count = incident.count;
  std::copy_n(incident.corners, incident.count, first.vertices);
  ClipPolygon* current = &first;
  ClipPolygon* spare = &second;
  for (int i = 0; i < outline.count && current->count > 0; ++i) {
    const ClipVertex& from = outline.corners[i];
    const ClipVertex& to = outline.corners[i + 1 < outline.count ? i + 1 : 0];
    const double dx = to.x - from.x, dy = to.y - from.y;
    const double length = std::sqrt(dx * dx + dy * dy);
    if (!(length > 0.0)) continue;
    const double nx = dy / length, ny = -dx / length;
    ClipPolygon* result = clip(current, spare, nx, ny, nx * from.x + ny * from.y, slop, from.edge);
    if (result == spare) std::swap(current, spare);
  }
  set.isOrdered = true;
  std::uint32_t before = current->count > 0 ? current->vertices[current->count - 1].edge : 0;
  for (int i = 0; i < current->count; ++i) {
    const ClipVertex& vertex = current->vertices[i];
    set.add(frame.candidate(vertex.x, vertex.y, vertex.s, cornerName(before, vertex.edge)));
    before = vertex.edge;
  }
}

// A segment with a radius about it. Its ends keep their names 0 and 1 wherever the flat's outline cuts it.
void touchSegment(const Flat& flat, const Frame& frame, const Vec3& low, const Vec3& high, double radius, double slop,
                  ContactSet& set) {
  const Vec3 d0 = low - frame.origin, d1 = high - frame.origin;
  const double x0 = frame.u.dot(d0), y0 = frame.v.dot(d0), s0 = frame.n.dot(d0) - radius;
  const double x1 = frame.u.dot(d1), y1 = frame.v.dot(d1), s1 = frame.n.dot(d1) - radius;
  double t0 = 0.0, t1 = 1.0;
  const double dx = x1 - x0, dy = y1 - y0;
  if (flat.kind == Flat::Kind::Disc) {
    const Vec3 d = flat.point - frame.origin;
    const double cx = x0 - frame.u.dot(d), cy = y0 - frame.v.dot(d), r = flat.radius + slop;
    const double a = dx * dx + dy * dy, b = cx * dx + cy * dy, c = cx * cx + cy * cy - r * r;
    if (a > 0.0) {
      const double root = b * b - a * c;
      if (root < 0.0) return;
      t0 = std::max(t0, (-b - std::sqrt(root)) / a);
      t1 = std::min(t1, (-b + std::sqrt(root)) / a);
    } else if (c > 0.0) {
      return;
    }
  } else if (flat.kind == Flat::Kind::Polygon) {
    Outline outline;
    outlineOf(flat, frame, outline);
    for (int i = 0; i < outline.count; ++i) {
      const ClipVertex& from = outline.corners[i];
      const ClipVertex& to = outline.corners[i + 1 < outline.count ? i + 1 : 0];
      const double ex = to.x - from.x, ey = to.y - from.y;
      const double length = std::sqrt(ex * ex + ey * ey);
      if (!(length > 0.0)) continue;
      const double outside0 = (ey * (x0 - from.x) - ex * (y0 - from.y)) / length - slop;
      const double rate = (ey * dx - ex * dy) / length;
      if (std::abs(rate) < 1e-300) {
        if (outside0 > 0.0) return;
      } else if (rate > 0.0) {
        t1 = std::min(t1, -outside0 / rate);
      } else {
        t0 = std::max(t0, -outside0 / rate);
      }
    }
  }
  if (t0 > t1) return;
  set.parallelism = hypotenuse(dx, dy) / std::sqrt(dx * dx + dy * dy + (s1 - s0) * (s1 - s0));
  const auto add = [&](double t, std::uint32_t end) {
    set.add(frame.candidate(x0 + t * dx, y0 + t * dy, s0 + t * (s1 - s0), featureName(FeatureKind::Curved, end)));
  };
  // Nearly upright, the higher end stands over the lower one and says nothing. Nor does a cut through a sloping core with a
  // radius: what is nearest to the flat there is not below the core.
  const double run = hypotenuse(dx, dy), rise = std::abs(s1 - s0);
  const bool onlyLower = rise > run || (t1 - t0) * run <= slop;
  const bool slopes = radius > 0.0 && rise > kSlope * run;
  const bool lowFirst = s0 <= s1;
  if (lowFirst || !(onlyLower || (slopes && t0 > 0.0))) add(t0, 0);
  if (!lowFirst || !(onlyLower || (slopes && t1 < 1.0))) add(t1, 1);
}

// The cap of a standing cylinder: cut in the cap's own plane, where it is a circle whatever its tilt.
void touchDisc(const Flat& flat, const Frame& frame, const Vec3& center, const Vec3& capNormal, double radius, double slop,
               ContactSet& set) {
  const Vec3 e1 = (frame.u - capNormal * capNormal.dot(frame.u)).normalized();
  const Vec3 e2 = e1.cross(capNormal);  // seen from the flat's outside, like u and v
  DiscOverlap disc{0.0, 0.0, radius};
  disc.height = frame.n.dot(center - frame.origin);
  disc.gradientX = frame.n.dot(e1);
  disc.gradientY = frame.n.dot(e2);
  disc.takesRim = true;
  set.parallelism = -frame.n.dot(capNormal);
  const auto add = [&](double x, double y, double, std::uint32_t feature) {
    const Vec3 d = center + e1 * x + e2 * y - frame.origin;
    set.add(frame.candidate(frame.u.dot(d), frame.v.dot(d), frame.n.dot(d), feature));
  };
  // The flat's outline moved along its normal into the cap's plane.
  const double slope = frame.n.dot(capNormal);
  const auto toCap = [&](const Vec3& p, ClipVertex& corner) {
    const Vec3 d = p - center;
    const Vec3 q = d - frame.n * (capNormal.dot(d) / slope);
    corner.x = e1.dot(q);
    corner.y = e2.dot(q);
    corner.s = frame.n.dot(center + q - frame.origin);
  };
  switch (flat.kind) {
    case Flat::Kind::Infinite:
      disc.wholeRim(add);
      break;
    case Flat::Kind::Polygon: {
      Outline outline;
      outlineOf(flat, frame, outline);
      for (int i = 0; i < outline.count; ++i) {
        ClipVertex& corner = outline.corners[i];
        toCap(frame.origin + frame.u * corner.x + frame.v * corner.y, corner);
      }
      disc.withPolygon(outline, slop, add);
      break;
    }
    case Flat::Kind::Disc: {
      ClipVertex other;
      toCap(flat.point, other);
      disc.withDisc(other.x, other.y, flat.radius, slop, add);
      break;
    }
  }
}

}  // namespace

Flat polygonFlat(const Solid& owner, const Polytope& polytope, std::uint32_t face, bool ownerIsB) {
  Flat flat;
  flat.kind = Flat::Kind::Polygon;
  flat.ownerIsB = ownerIsB;
  flat.normal = owner.rotation * polytope.faces[face].normal;
  flat.point = owner.position + flat.normal * polytope.faces[face].offset;
  flat.owner = &owner;
  flat.polytope = &polytope;
  flat.face = face;
  return flat;
}

Flat capFlat(const Solid& cylinder, double side, bool ownerIsB) {
  Flat flat;
  flat.kind = Flat::Kind::Disc;
  flat.ownerIsB = ownerIsB;
  flat.normal = side * cylinder.axis();
  flat.point = cylinder.position + flat.normal * cylinder.shape.halfHeight();
  flat.radius = cylinder.shape.radius();
  return flat;
}

void touchFlat(const Flat& flat, const Solid& other, const Polytope* polytope, double slop, ContactSet& set) {
  set.count = 0;
  set.isOrdered = false;
  set.parallelism = 0.0;
  set.normal = flat.ownerIsB ? Vec3(-flat.normal) : flat.normal;
  const Vec3& n = flat.normal;
  const Shape& shape = other.shape;
  switch (shape.type) {
    case ShapeType::Plane:
      return;
    case ShapeType::Sphere:
    case ShapeType::Ellipsoid: {
      Vec3 lowest = other.position - n * shape.radius();
      if (shape.type == ShapeType::Ellipsoid) {
        const Vec3 scaled = shape.size.cwiseProduct(other.rotation.transpose() * -n);
        lowest = other.position + other.rotation * (shape.size.cwiseProduct(scaled) / scaled.norm());
      }
      const Frame frame(flat, lowest);
      if (!isInside(flat, frame, 0.0, 0.0, slop)) return;
      set.add(frame.candidate(0.0, 0.0, n.dot(lowest - frame.origin), kSinglePoint));
      return;
    }
    case ShapeType::Capsule: {
      const Vec3 arm = other.axis() * shape.halfHeight();
      const Frame frame(flat, other.position);
      touchSegment(flat, frame, other.position - arm, other.position + arm, shape.radius(), slop, set);
      return;
    }
    case ShapeType::Cylinder: {
      const Vec3 axis = other.axis();
      const double cosine = axis.dot(n);
      const Frame frame(flat, other.position);
      const Vec3 arm = axis * shape.halfHeight();
      if (std::abs(cosine) > kStandingCosine) {
        const Vec3 capNormal = cosine > 0.0 ? Vec3(-axis) : axis;
        touchDisc(flat, frame, other.position + capNormal * shape.halfHeight(), capNormal, shape.radius(), slop, set);
      } else {
        const Vec3 radial = (n - axis * cosine).normalized() * shape.radius();
        touchSegment(flat, frame, other.position - arm - radial, other.position + arm - radial, 0.0, slop, set);
      }
      return;
    }
    case ShapeType::Cone: {
      // Its base, or the line from the apex to the lowest point of the rim. In between only that point is near, which both
      // have.
      const Vec3 axis = other.axis();
      const double cosine = axis.dot(n);
      const Frame frame(flat, other.position);
      const Vec3 base = other.position - axis * shape.halfHeight();
      if (cosine > kStandingCosine) {
        touchDisc(flat, frame, base, -axis, shape.radius(), slop, set);
      } else {
        Vec3 radial = n - axis * cosine;
        const double length = radial.norm();
        radial = length > 1e-9 ? Vec3(radial / length) : Vec3(other.rotation.col(0));
        touchSegment(flat, frame, base - radial * shape.radius(), other.position + axis * shape.halfHeight(), 0.0, slop, set);
      }
      return;
    }
    case ShapeType::RoundBox:
    case ShapeType::RoundHull:
    case ShapeType::SphereSet:
    case ShapeType::Compound:
    case ShapeType::Mesh:
    case ShapeType::HeightField:
    case ShapeType::DistanceField:
      return;  // their cores or children come here, not they themselves
    case ShapeType::Triangle:
    case ShapeType::Box:
    case ShapeType::Hull: {
      const Vec3 localNormal = other.rotation.transpose() * n;
      std::uint32_t lowest = 0;
      double height = std::numeric_limits<double>::infinity();
      for (std::uint32_t i = 0; i < polytope->vertexCount; ++i) {
        const double h = localNormal.dot(polytope->vertices[i]);
        if (h < height) {
          height = h;
          lowest = i;
        }
      }
      const Frame frame(flat, other.position + other.rotation * polytope->vertices[lowest]);
      if (flat.kind == Flat::Kind::Infinite) {
        touchVertices(frame, other, *polytope, set);
      } else {
        touchPolygon(flat, frame, other, *polytope, lowest, slop, set);
      }
      return;
    }
  }
}

ClipPolygon* clip(ClipPolygon* from, ClipPolygon* to, double nx, double ny, double limit, double slop, std::uint32_t label) {
  double outside[ClipPolygon::kCapacity];
  bool anyOutside = false;
  for (int i = 0; i < from->count; ++i) {
    outside[i] = nx * from->vertices[i].x + ny * from->vertices[i].y - limit;
    anyOutside |= outside[i] > slop;
  }
  if (!anyOutside) return from;
  to->count = 0;
  for (int i = 0; i < from->count; ++i) {
    const int j = i + 1 < from->count ? i + 1 : 0;
    const ClipVertex& a = from->vertices[i];
    const ClipVertex& b = from->vertices[j];
    const bool insideA = outside[i] <= slop, insideB = outside[j] <= slop;
    if (insideA && to->count < ClipPolygon::kCapacity) to->vertices[to->count++] = a;
    if (insideA == insideB) continue;
    // A corner that lies on the cut within the slop is itself the end of the cut.
    if (insideA && outside[i] >= -slop) {
      to->vertices[to->count - 1].edge = label;
      continue;
    }
    if (insideB && outside[j] >= -slop) continue;
    if (to->count == ClipPolygon::kCapacity) continue;
    const double t = outside[i] / (outside[i] - outside[j]);
    to->vertices[to->count++] = {a.x + t * (b.x - a.x), a.y + t * (b.y - a.y), a.s + t * (b.s - a.s),
                                 insideA ? label : a.edge};
  }
  return to;
}

}  // namespace cairn
