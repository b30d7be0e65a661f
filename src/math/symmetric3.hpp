// Symmetric 3 x 3 matrices by their six numbers, and the few products that joint elimination is made of. Written out, since
// these run for every joint in every substep.
#pragma once

#include <algorithm>
#include <limits>

#include "cairn/math.hpp"

namespace cairn {

struct Symmetric3 {
  double xx = 0.0, yy = 0.0, zz = 0.0, xy = 0.0, xz = 0.0, yz = 0.0;

  static Symmetric3 of(const Mat3& m) { return {m(0, 0), m(1, 1), m(2, 2), m(0, 1), m(0, 2), m(1, 2)}; }
  Mat3 full() const {
    Mat3 m;
    m << xx, xy, xz, xy, yy, yz, xz, yz, zz;
    return m;
  }
  double trace() const { return xx + yy + zz; }

  Symmetric3& operator+=(const Symmetric3& o) {
    xx += o.xx, yy += o.yy, zz += o.zz, xy += o.xy, xz += o.xz, yz += o.yz;
    return *this;
  }
  Vec3 operator*(const Vec3& v) const {
    return {xx * v.x() + xy * v.y() + xz * v.z(), xy * v.x() + yy * v.y() + yz * v.z(),
            xz * v.x() + yz * v.y() + zz * v.z()};
  }
};

// R D R^T for a rotation R.
inline Symmetric3 turnedTensor(const Mat3& r, const Mat3& tensor) {
  const Mat3 half = r * tensor;
  Symmetric3 s;
  s.xx = half.row(0).dot(r.row(0));
  s.yy = half.row(1).dot(r.row(1));
  s.zz = half.row(2).dot(r.row(2));
  s.xy = half.row(0).dot(r.row(1));
  s.xz = half.row(0).dot(r.row(2));
  s.yz = half.row(1).dot(r.row(2));
  return s;
}

// m (|r|^2 - r r^T): the inertia of a mass m at r.
inline Symmetric3 pointInertia(double m, const Vec3& r) {
  const double x = m * r.x(), y = m * r.y(), z = m * r.z();
  return {y * r.y() + z * r.z(), x * r.x() + z * r.z(), x * r.x() + y * r.y(), -x * r.y(), -x * r.z(), -y * r.z()};
}

// S d^, d^ being the matrix of the cross product with d.
inline Mat3 timesCross(const Symmetric3& s, const Vec3& d) {
  Mat3 m;
  m(0, 0) = s.xy * d.z() - s.xz * d.y();
  m(1, 0) = s.yy * d.z() - s.yz * d.y();
  m(2, 0) = s.yz * d.z() - s.zz * d.y();
  m(0, 1) = s.xz * d.x() - s.xx * d.z();
  m(1, 1) = s.yz * d.x() - s.xy * d.z();
  m(2, 1) = s.zz * d.x() - s.xz * d.z();
  m(0, 2) = s.xx * d.y() - s.xy * d.x();
  m(1, 2) = s.xy * d.y() - s.yy * d.x();
  m(2, 2) = s.xz * d.y() - s.yz * d.x();
  return m;
}

// -d^ (S d^), given S d^: the inertia of the anisotropic mass S at d.
inline Symmetric3 crossInertia(const Vec3& d, const Mat3& sd) {
  return {d.z() * sd(1, 0) - d.y() * sd(2, 0), d.x() * sd(2, 1) - d.z() * sd(0, 1), d.y() * sd(0, 2) - d.x() * sd(1, 2),
          d.z() * sd(1, 1) - d.y() * sd(2, 1), d.z() * sd(1, 2) - d.y() * sd(2, 2), d.x() * sd(2, 2) - d.z() * sd(0, 2)};
}

// T = U D U^T with U unit lower triangular, of a positive definite matrix. Where rounding leaves no pivot a share of the
// trace takes its place: the matrix then counts as a little larger, and every result stays finite.
struct Cholesky3 {
  double yx = 0.0, zx = 0.0, zy = 0.0;  // U below its diagonal
  Vec3 inverse = Vec3::Ones();          // of D

  static Cholesky3 of(const Symmetric3& t) {
    constexpr double kLeastPivot = 1e-15;  // of the trace
    const double least = std::max(kLeastPivot * t.trace(), std::numeric_limits<double>::min());
    Cholesky3 c;
    const double x = 1.0 / std::max(t.xx, least);
    c.yx = t.xy * x;
    c.zx = t.xz * x;
    const double y = 1.0 / std::max(t.yy - c.yx * t.xy, least);
    const double rest = t.yz - c.yx * t.xz;
    c.zy = rest * y;
    c.inverse = {x, y, 1.0 / std::max(t.zz - c.zx * t.xz - c.zy * rest, least)};
    return c;
  }
  Vec3 forward(const Vec3& v) const {  // U^-1 v
    const double y = v.y() - yx * v.x();
    return {v.x(), y, v.z() - zx * v.x() - zy * y};
  }
  Vec3 backward(const Vec3& v) const {  // U^-T v
    const double y = v.y() - zy * v.z();
    return {v.x() - yx * y - zx * v.z(), y, v.z()};
  }
  Mat3 forwardRows(const Mat3& a) const {  // A U^-T
    Mat3 m;
    m.col(0) = a.col(0);
    m.col(1) = a.col(1) - yx * a.col(0);
    m.col(2) = a.col(2) - zx * a.col(0) - zy * m.col(1);
    return m;
  }
  Vec3 solve(const Vec3& v) const { return backward(forward(v).cwiseProduct(inverse)); }
};

// S - B D^-1 B^T
inline void subtractProduct(Symmetric3& s, const Mat3& b, const Vec3& inverse) {
  for (int k = 0; k < 3; ++k) {
    const double x = b(0, k) * inverse[k], y = b(1, k) * inverse[k], z = b(2, k) * inverse[k];
    s.xx -= x * b(0, k), s.yy -= y * b(1, k), s.zz -= z * b(2, k);
    s.xy -= x * b(1, k), s.xz -= x * b(2, k), s.yz -= y * b(2, k);
  }
}

}  // namespace cairn
