// Volume integrals of 1, x and x x^T by the divergence theorem, as integrals over the faces (Mirtich 1996, "Fast and accurate
// computation of polyhedral mass properties", eqs. 6 to 12):
//
//   int_V 1 = int_S n_x x dA     int_V x = 1/2 int_S n_x x^2 dA     int_V x^2 = 1/3 int_S n_x x^3 dA     int_V x y = 1/2 int_S n_x x^2 y dA
//
// and so on for y and z. Mirtich then projects a face to a coordinate plane and integrates along its outline. Faces here are
// triangles, over which the monomials have closed forms without a projection, hence without his division by a normal component:
// with p the sum of the corners, and n dA = (b - a) x (c - a) du dv over the unit triangle,
//
//   int x = p_x / 6,  int x^2 = (aa + bb + cc + ab + bc + ca)_x / 12,  int x^3 = (sum of all cubic monomials of a, b, c)_x / 20,
//   int x^2 y = (y_a g_a + y_b g_b + y_c g_c) / 60,  g_k = f2 + k_x (p_x + k_x),  f2 = 12 int x^2.
//
// Everything is relative to the middle of the box, so that a mesh far from the origin loses nothing.
#include "geometry/mesh_mass.hpp"

namespace cairn {
namespace {

Vec3 middleOf(const TriangleView& mesh) {
  Aabb box;
  for (const TriangleIndices& t : mesh.triangles) {
    for (std::uint32_t v : t) box = box.united({mesh.vertices[v], mesh.vertices[v]});
  }
  return mesh.triangles.empty() ? Vec3(Vec3::Zero()) : box.center();
}

// The second moment (integral of x x^T) about the centre turned into an inertia tensor.
Mat3 inertiaOf(const Mat3& second) { return second.trace() * Mat3::Identity() - second; }

struct Integrals {
  double volume = 0.0;
  Vec3 first = Vec3::Zero();    // of x
  Vec3 squares = Vec3::Zero();  // of x^2, y^2, z^2
  Vec3 mixed = Vec3::Zero();    // of x y, y z, z x
};

Integrals integrate(const TriangleView& mesh, const Vec3& origin) {
  Integrals sum;
  for (std::size_t t = 0; t < mesh.size(); ++t) {
    const Triangle triangle = mesh.triangle(t);
    const Eigen::Array3d a = triangle.corner[0] - origin, b = triangle.corner[1] - origin, c = triangle.corner[2] - origin;
    const Eigen::Array3d n = triangle.areaVector();
    const Eigen::Array3d p = a + b + c;
    const Eigen::Array3d ab = a + b, aabb = a * a + b * ab;
    const Eigen::Array3d f2 = aabb + c * p;
    const Eigen::Array3d f3 = a * a * a + b * aabb + c * f2;
    const Eigen::Array3d ga = f2 + a * (p + a), gb = f2 + b * (p + b), gc = f2 + c * (p + c);
    sum.volume += n.x() * p.x() / 6.0;
    sum.first += (n * f2 / 24.0).matrix();
    sum.squares += (n * f3 / 60.0).matrix();
    sum.mixed += Vec3(n.x() * (a.y() * ga.x() + b.y() * gb.x() + c.y() * gc.x()),
                      n.y() * (a.z() * ga.y() + b.z() * gb.y() + c.z() * gc.y()),
                      n.z() * (a.x() * ga.z() + b.x() * gb.z() + c.x() * gc.z())) / 120.0;
  }
  return sum;
}

}  // namespace

double meshVolume(const TriangleView& mesh) { return integrate(mesh, middleOf(mesh)).volume; }

double meshArea(const TriangleView& mesh) {
  double area = 0.0;
  for (std::size_t t = 0; t < mesh.size(); ++t) area += mesh.triangle(t).area();
  return area;
}

MassProperties meshMass(const TriangleView& mesh, double density) {
  const Vec3 origin = middleOf(mesh);
  const Integrals sum = integrate(mesh, origin);
  if (!(sum.volume > 0.0)) return {};
  const Vec3 offset = sum.first / sum.volume;
  Mat3 second;
  second << sum.squares.x(), sum.mixed.x(), sum.mixed.z(),  //
      sum.mixed.x(), sum.squares.y(), sum.mixed.y(),        //
      sum.mixed.z(), sum.mixed.y(), sum.squares.z();
  second -= sum.volume * offset * offset.transpose();
  return {density * sum.volume, origin + offset, density * inertiaOf(second)};
}

// Over a triangle of area A: int x = A p / 3, int x x^T = A / 12 (a a^T + b b^T + c c^T + p p^T), p the sum of the corners.
MassProperties shellMass(const TriangleView& mesh, double massPerArea) {
  const Vec3 origin = middleOf(mesh);
  double area = 0.0;
  Vec3 first = Vec3::Zero();
  Mat3 second = Mat3::Zero();
  for (std::size_t t = 0; t < mesh.size(); ++t) {
    const Triangle triangle = mesh.triangle(t);
    const double size = triangle.area();
    Vec3 p = Vec3::Zero();
    Mat3 squares = Mat3::Zero();
    for (const Vec3& corner : triangle.corner) {
      const Vec3 x = corner - origin;
      p += x;
      squares += x * x.transpose();
    }
    area += size;
    first += size / 3.0 * p;
    second += size / 12.0 * (squares + p * p.transpose());
  }
  if (!(area > 0.0)) return {};
  const Vec3 offset = first / area;
  second -= area * offset * offset.transpose();
  return {massPerArea * area, origin + offset, massPerArea * inertiaOf(second)};
}

}  // namespace cairn
