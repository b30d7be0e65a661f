// Closed forms for the round shapes and the box; for hulls the integral of x x^T over the solid, summed over signed
// tetrahedra.
#include "geometry/mass.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "geometry/mesh_mass.hpp"
#include "geometry/surface.hpp"

namespace cairn {
namespace {

constexpr double kPi = std::numbers::pi;
// Relative to the largest moment. Off-diagonal elements below this are rounding of a product of inertia, not a rotation.
constexpr double kNegligibleProduct = 1e-13;
// Slack for the symmetry and the triangle inequality of an inertia that was typed in or came through a file.
constexpr double kInertiaTolerance = 1e-9;

MassProperties diagonal(double mass, const Vec3& moments) { return {mass, Vec3::Zero(), moments.asDiagonal()}; }

// The point masses' second moment m x x^T turned into an inertia tensor.
Mat3 inertiaFromSecondMoment(const Mat3& second) { return second.trace() * Mat3::Identity() - second; }

MassProperties capsuleMass(double r, double h, double density) {
  const double cylinder = density * kPi * r * r * 2.0 * h;
  const double caps = density * 4.0 / 3.0 * kPi * r * r * r;  // both halves: one ball
  const double axial = cylinder * r * r / 2.0 + caps * 2.0 / 5.0 * r * r;
  // A half ball's centroid is 3r/8 from its base, so its parallel-axis term about the capsule's centre adds h^2 + 3hr/4.
  const double across = cylinder * (r * r / 4.0 + h * h / 3.0) + caps * (2.0 / 5.0 * r * r + h * h + 3.0 / 4.0 * h * r);
  return diagonal(cylinder + caps, {across, across, axial});
}

// Over the tetrahedron 0, a, b, c with six times its volume D = a . (b x c): the integral of x is D/24 (a + b + c) and that
// of x x^T is D/120 (s s^T + a a^T + b b^T + c c^T), s = a + b + c (equivalent to Mirtich 1996, without his projections).
MassProperties hullMass(const Hull& hull, double density) {
  double volume6 = 0.0;
  Vec3 first = Vec3::Zero();
  Mat3 second = Mat3::Zero();
  for (const HullFace& face : hull.faces) {
    const auto loop = hull.loop(face);
    const Vec3 a = hull.vertices[loop[0]] - hull.interior;  // from inside: every tetrahedron is positive, nothing cancels
    for (std::size_t i = 1; i + 1 < loop.size(); ++i) {
      const Vec3 b = hull.vertices[loop[i]] - hull.interior;
      const Vec3 c = hull.vertices[loop[i + 1]] - hull.interior;
      const double d = a.dot(b.cross(c));
      const Vec3 s = a + b + c;
      volume6 += d;
      first += d / 24.0 * s;
      second += d / 120.0 * (s * s.transpose() + a * a.transpose() + b * b.transpose() + c * c.transpose());
    }
  }
  const double volume = volume6 / 6.0;
  if (!(volume > 0.0)) return {};
  const Vec3 offset = first / volume;
  second -= volume * offset * offset.transpose();
  return {density * volume, hull.interior + offset, density * inertiaFromSecondMoment(second)};
}

// Adds the integrals of 1, u and u u^T over the spherical triangle, by halving its sides so many times; flat then, with the
// area of the sphere over it (van Oosterom and Strackee 1983) and the middle point rule.
void addSphericalTriangle(const Vec3& a, const Vec3& b, const Vec3& c, int halvings, double& solid, Vec3& sumU, Mat3& sumUU) {
  if (halvings > 0) {
    const Vec3 ab = (a + b).normalized(), bc = (b + c).normalized(), ca = (c + a).normalized();
    addSphericalTriangle(a, ab, ca, halvings - 1, solid, sumU, sumUU);
    addSphericalTriangle(ab, b, bc, halvings - 1, solid, sumU, sumUU);
    addSphericalTriangle(ca, bc, c, halvings - 1, solid, sumU, sumUU);
    addSphericalTriangle(ab, bc, ca, halvings - 1, solid, sumU, sumUU);
    return;
  }
  const double area =
      2.0 * std::atan2(std::abs(a.dot(b.cross(c))), 1.0 + a.dot(b) + b.dot(c) + c.dot(a));
  // Degree two: the middles of the sides, on the sphere.
  for (const Vec3& u : {Vec3((a + b).normalized()), Vec3((b + c).normalized()), Vec3((c + a).normalized())}) {
    sumU += area / 3.0 * u;
    sumUU += area / 3.0 * u * u.transpose();
  }
  solid += area;
}

// A polytope with a ball of radius r rolled around it falls into pieces: the core, a slab of thickness r on each face, a
// wedge of a cylinder along each edge, and a spherical polygon at each corner. The moments of each are integrals over x = p +
// t u, where p runs over the face, edge or corner, u over the unit normals there and t from 0 to r.
MassProperties roundMass(const Hull& hull, double r, double density) {
  const MassProperties core = hullMass(hull, 1.0);
  double volume = core.mass;
  Vec3 first = volume * (core.center - hull.interior);
  Mat3 second = (0.5 * core.inertia.trace() * Mat3::Identity() - core.inertia) +
                volume * (core.center - hull.interior) * (core.center - hull.interior).transpose();
  const auto corner = [&](std::uint32_t v) { return Vec3(hull.vertices[v] - hull.interior); };
  const double r2 = r * r, r3 = r2 * r, r4 = r2 * r2, r5 = r4 * r;
  const auto symmetric = [](const Vec3& a, const Vec3& b) { return Mat3(a * b.transpose() + b * a.transpose()); };
  for (const HullFace& face : hull.faces) {
    const auto loop = hull.loop(face);
    for (std::size_t i = 1; i + 1 < loop.size(); ++i) {
      const Vec3 a = corner(loop[0]), b = corner(loop[i]), c = corner(loop[i + 1]), s = a + b + c;
      const double area = 0.5 * (b - a).cross(c - a).norm();
      const Mat3 flat = area / 12.0 * (s * s.transpose() + a * a.transpose() + b * b.transpose() + c * c.transpose());
      volume += area * r;
      first += area * (r * s / 3.0 + 0.5 * r2 * face.normal);
      second += r * flat + 0.5 * r2 * area / 3.0 * symmetric(s, face.normal) +
                r3 / 3.0 * area * face.normal * face.normal.transpose();
    }
  }
  for (const HullEdge& edge : hull.edges) {
    const Vec3 a = corner(edge.vertex0), b = corner(edge.vertex1), middle = 0.5 * (a + b);
    const Vec3& n0 = hull.faces[edge.face0].normal;
    const Vec3& n1 = hull.faces[edge.face1].normal;
    const double length = (b - a).norm(), angle = std::atan2(n0.cross(n1).norm(), n0.dot(n1));
    if (!(angle > 0.0)) continue;
    // u = cos f e + sin f g for f from -angle/2 to angle/2, e half way between the normals.
    const Vec3 e = (n0 + n1).normalized(), g = e.cross((b - a) / length).normalized();
    const double half = 0.5 * angle, sine = std::sin(half), twice = 0.5 * std::sin(angle);
    const Vec3 sumU = 2.0 * sine * e;
    const Mat3 sumUU = (half + twice) * e * e.transpose() + (half - twice) * g * g.transpose();
    const Mat3 line = length / 6.0 * (2.0 * a * a.transpose() + 2.0 * b * b.transpose() + symmetric(a, b));
    volume += length * angle * r2 / 2.0;
    first += length * (angle * r2 / 2.0 * middle + r3 / 3.0 * sumU);
    second += angle * r2 / 2.0 * line + r3 / 3.0 * length * symmetric(middle, sumU) + r4 / 4.0 * length * sumUU;
  }
  for (std::uint32_t v = 0; v < hull.vertices.size(); ++v) {
    // The cone of normals at the corner, as triangles from their mean.
    std::vector<Vec3> normals;
    for (const HullFace& face : hull.faces) {
      const auto loop = hull.loop(face);
      if (std::find(loop.begin(), loop.end(), v) != loop.end()) normals.push_back(face.normal);
    }
    Vec3 middle = Vec3::Zero();
    for (const Vec3& n : normals) middle += n;
    middle.normalize();
    const Vec3 x = middle.unitOrthogonal(), y = middle.cross(x);
    std::sort(normals.begin(), normals.end(), [&](const Vec3& p, const Vec3& q) {
      return std::atan2(p.dot(y), p.dot(x)) < std::atan2(q.dot(y), q.dot(x));
    });
    double solid = 0.0;
    Vec3 sumU = Vec3::Zero();
    Mat3 sumUU = Mat3::Zero();
    for (std::size_t i = 0; i < normals.size(); ++i)
      addSphericalTriangle(middle, normals[i], normals[(i + 1) % normals.size()], 3, solid, sumU, sumUU);
    const Vec3 p = corner(v);
    volume += solid * r3 / 3.0;
    first += solid * r3 / 3.0 * p + r4 / 4.0 * sumU;
    second += solid * r3 / 3.0 * p * p.transpose() + r4 / 4.0 * symmetric(p, sumU) + r5 / 5.0 * sumUU;
  }
  const Vec3 offset = first / volume;
  second -= volume * offset * offset.transpose();
  return {density * volume, hull.interior + offset, density * inertiaFromSecondMoment(second)};
}

}  // namespace

MassProperties shapeMass(const Shape& shape, double density) {
  const Vec3& s = shape.size;
  const double r = shape.radius();
  const double h = shape.halfHeight();
  switch (shape.type) {
    case ShapeType::Plane:
      return {};
    case ShapeType::Sphere: {
      const double mass = density * 4.0 / 3.0 * kPi * r * r * r;
      return diagonal(mass, Vec3::Constant(2.0 / 5.0 * mass * r * r));
    }
    case ShapeType::Capsule:
      return capsuleMass(r, h, density);
    case ShapeType::Box: {
      const double mass = density * 8.0 * s.x() * s.y() * s.z();
      const Vec3 q = s.cwiseAbs2();
      return diagonal(mass, mass / 3.0 * Vec3(q.y() + q.z(), q.x() + q.z(), q.x() + q.y()));
    }
    case ShapeType::Cylinder: {
      const double mass = density * kPi * r * r * 2.0 * h;
      const double across = mass * (r * r / 4.0 + h * h / 3.0);
      return diagonal(mass, {across, across, mass * r * r / 2.0});
    }
    case ShapeType::Ellipsoid: {
      const double mass = density * 4.0 / 3.0 * kPi * s.x() * s.y() * s.z();
      const Vec3 q = s.cwiseAbs2();
      return diagonal(mass, mass / 5.0 * Vec3(q.y() + q.z(), q.x() + q.z(), q.x() + q.y()));
    }
    case ShapeType::Cone: {
      // Its centre of mass is a quarter of the height above the base.
      const double mass = density * kPi * r * r * 2.0 * h / 3.0;
      const double across = 3.0 / 20.0 * mass * (r * r + h * h);
      return {mass, Vec3(0.0, 0.0, -0.5 * h), Vec3(across, across, 0.3 * mass * r * r).asDiagonal()};
    }
    case ShapeType::RoundBox:
      return roundMass(boxHull(s.array() - shape.offset), shape.offset, density);
    case ShapeType::RoundHull:
      return roundMass(*shape.hull, shape.offset, density);
    case ShapeType::SphereSet:
    case ShapeType::Compound: {
      std::vector<MassProperties> parts;
      for (std::uint32_t i = 0; i < childCount(shape); ++i) {
        const PlacedChild child = childOf(shape, i);
        parts.push_back(transformed(shapeMass(child.shape, density), child.place));
      }
      return combined(parts);
    }
    case ShapeType::Mesh:
      return meshOf(shape).mesh->isClosed ? meshMass(meshOf(shape).mesh->view(), density) : MassProperties{};
    case ShapeType::DistanceField:
      return fieldOf(shape).field->mass(density);
    case ShapeType::HeightField:
    case ShapeType::Triangle:
      return {};
    case ShapeType::Hull:
      break;
  }
  return hullMass(*shape.hull, density);
}

MassProperties transformed(const MassProperties& properties, const Pose& pose) {
  const Mat3 rotation = pose.rotation.toRotationMatrix();
  const Mat3 turned = rotation * properties.inertia * rotation.transpose();
  return {properties.mass, pose.point(properties.center), 0.5 * (turned + turned.transpose())};
}

MassProperties combined(std::span<const MassProperties> parts) {
  MassProperties sum;
  // Relative to the first part that has mass, so that a set far from the origin does not lose its parallel-axis terms.
  const auto reference = std::ranges::find_if(parts, [](const MassProperties& part) { return part.mass > 0.0; });
  if (reference == parts.end()) return sum;
  const Vec3 origin = reference->center;
  Vec3 moment = Vec3::Zero();
  for (const MassProperties& part : parts) {
    sum.mass += part.mass;
    moment += part.mass * (part.center - origin);
  }
  sum.center = origin + moment / sum.mass;
  for (const MassProperties& part : parts) {
    const Vec3 arm = part.center - sum.center;
    sum.inertia += part.inertia + part.mass * inertiaFromSecondMoment(arm * arm.transpose());
  }
  return sum;
}

PrincipalAxes principalAxes(const Mat3& inertia) {
  const Mat3 symmetric = 0.5 * (inertia + inertia.transpose());
  const double scale = symmetric.cwiseAbs().maxCoeff();
  if (!(scale > 0.0) || !std::isfinite(scale)) return {symmetric.diagonal(), Quat::Identity()};
  Mat3 products = symmetric;
  products.diagonal().setZero();
  if (products.cwiseAbs().maxCoeff() <= kNegligibleProduct * scale) return {symmetric.diagonal(), Quat::Identity()};

  const Eigen::SelfAdjointEigenSolver<Mat3> solver(symmetric / scale);
  const Mat3 vectors = solver.eigenvectors();
  // Of the six orders take the one whose axes turn least from the body's own: nearly diagonal in, nearly identity out.
  std::array<int, 3> order{0, 1, 2};
  std::array<int, 3> best = order;
  double closest = -1.0;
  do {
    const double match = std::abs(vectors(0, order[0])) + std::abs(vectors(1, order[1])) + std::abs(vectors(2, order[2]));
    if (match > closest) {
      closest = match;
      best = order;
    }
  } while (std::ranges::next_permutation(order).found);

  Mat3 rotation;
  Vec3 moments;
  for (int i = 0; i < 3; ++i) {
    rotation.col(i) = vectors.col(best[i]);
    if (rotation(i, i) < 0.0) rotation.col(i) = -rotation.col(i);
    moments[i] = scale * solver.eigenvalues()[best[i]];
  }
  if (rotation.determinant() < 0.0) {
    // Turn the axis that is the least tied to its own direction.
    int loosest = 0;
    for (int i = 1; i < 3; ++i) {
      if (rotation(i, i) < rotation(loosest, loosest)) loosest = i;
    }
    rotation.col(loosest) = -rotation.col(loosest);
  }
  return {moments, Quat(rotation).normalized()};
}

bool isPhysicalInertia(const Mat3& inertia) {
  if (!inertia.allFinite()) return false;
  const double scale = inertia.cwiseAbs().maxCoeff();
  if (!(scale > 0.0)) return false;
  if ((inertia - inertia.transpose()).cwiseAbs().maxCoeff() > kInertiaTolerance * scale) return false;
  const Eigen::SelfAdjointEigenSolver<Mat3> solver(0.5 * (inertia + inertia.transpose()) / scale, Eigen::EigenvaluesOnly);
  const Vec3 moments = solver.eigenvalues();  // ascending
  // Rounding of the eigenvalues of a singular matrix.
  constexpr double kSmallestMoment = 1e-15;
  return moments[0] > kSmallestMoment && moments[2] <= (moments[0] + moments[1]) * (1.0 + kInertiaTolerance);
}

}  // namespace cairn
