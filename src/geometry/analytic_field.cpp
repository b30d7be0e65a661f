#include "geometry/analytic_field.hpp"

#include <cmath>
#include <stdexcept>
#include <string>

namespace cairn {
namespace {

constexpr int kDeepest = 32;
constexpr double kSmallest = 1e-6, kLargest = 1e7;  // m, as for other shapes

Vec3 unitOr(const Vec3& v, const Vec3& otherwise) {
  const double length = v.norm();
  return length > 0.0 ? Vec3(v / length) : otherwise;
}

FieldSample sampleBox(const Vec3& half, const Vec3& p) {
  const Vec3 signs = (p.array() < 0.0).select(-Vec3::Ones(), Vec3::Ones());
  const Vec3 q = p.cwiseAbs() - half;
  const Vec3 out = q.cwiseMax(0.0);
  const double outside = out.norm();
  if (outside > 0.0) return {outside, signs.cwiseProduct(out) / outside};
  int axis = 0;
  const double inside = q.maxCoeff(&axis);
  return {inside, signs[axis] * Vec3::Unit(axis)};
}

FieldSample sampleTorus(double ring, double tube, const Vec3& p) {
  const double r = std::hypot(p.x(), p.y());
  const Vec3 outwards = r > 0.0 ? Vec3(p.x() / r, p.y() / r, 0.0) : Vec3(Vec3::UnitX());
  const Vec3 d = p - ring * outwards;
  return {d.norm() - tube, unitOr(d, outwards)};
}

// The smaller of two, run into each other where they differ by less than the seam: min(a, b) - h^2 k / 4 with
// h = max(0, 1 - |a - b| / k), the quadratic polynomial of the family that Quilez describes. Slope: a mean of the two.
FieldSample smoothMinimum(const FieldSample& a, const FieldSample& b, double seam) {
  const FieldSample &low = a.value <= b.value ? a : b, &high = a.value <= b.value ? b : a;
  if (!(seam > 0.0)) return low;
  const double h = std::max(0.0, 1.0 - (high.value - low.value) / seam);
  return {low.value - 0.25 * h * h * seam, (1.0 - 0.5 * h) * low.gradient + 0.5 * h * high.gradient};
}

FieldSample negated(const FieldSample& s) { return {-s.value, -s.gradient}; }

void check(const AnalyticField& field, const std::string& where, int depth) {
  const auto refuse = [&](const std::string& what) { throw std::invalid_argument(where + what); };
  if (depth > kDeepest) refuse("children: nested deeper than " + std::to_string(kDeepest));
  if (!field.pose.position.allFinite() || !(std::abs(field.pose.rotation.norm() - 1.0) < 1e-6)) refuse("pose: a place and a unit quaternion");
  const auto isSize = [](double x) { return x >= kSmallest && x <= kLargest; };
  const auto isLength = [](double x) { return x >= 0.0 && x <= kLargest; };
  if (!isLength(field.rounding)) refuse("rounding: from 0 to 1e7 m");
  if (!isLength(field.seam)) refuse("seam: from 0 to 1e7 m");
  const bool isGroup = field.kind == FieldKind::Union || field.kind == FieldKind::Difference;
  if (isGroup ? field.children.empty() : !field.children.empty())
    refuse(isGroup ? "children: at least one" : "children: only of unions and differences");
  if (field.kind == FieldKind::Sphere && !isSize(field.size.x())) refuse("size: a radius from 1e-6 to 1e7 m");
  if (field.kind == FieldKind::Box && !(isSize(field.size.x()) && isSize(field.size.y()) && isSize(field.size.z())))
    refuse("size: half extents from 1e-6 to 1e7 m");
  if (field.kind == FieldKind::Torus && !(isSize(field.size.x()) && isSize(field.size.y()) && field.size.y() < field.size.x()))
    refuse("size: radius of the ring, and of the tube, which is smaller; from 1e-6 to 1e7 m");
  for (std::size_t i = 0; i < field.children.size(); ++i)
    check(field.children[i], where + "children[" + std::to_string(i) + "].", depth + 1);
}

}  // namespace

void checkAnalyticField(const AnalyticField& field) { check(field, "", 0); }

FieldSample sampleAnalyticField(const AnalyticField& field, const Vec3& point) {
  const Vec3 p = field.pose.inversePoint(point);
  FieldSample sample;
  switch (field.kind) {
    case FieldKind::Sphere:
      sample = {p.norm() - field.size.x(), unitOr(p, Vec3::UnitZ())};
      break;
    case FieldKind::Box:
      sample = sampleBox(field.size, p);
      break;
    case FieldKind::Torus:
      sample = sampleTorus(field.size.x(), field.size.y(), p);
      break;
    case FieldKind::Union:
      sample = sampleAnalyticField(field.children[0], p);
      for (std::size_t i = 1; i < field.children.size(); ++i)
        sample = smoothMinimum(sample, sampleAnalyticField(field.children[i], p), field.seam);
      break;
    case FieldKind::Difference:
      sample = sampleAnalyticField(field.children[0], p);
      for (std::size_t i = 1; i < field.children.size(); ++i)  // max(a, -b) = -min(-a, b)
        sample = negated(smoothMinimum(negated(sample), sampleAnalyticField(field.children[i], p), field.seam));
      break;
  }
  return {sample.value - field.rounding, field.pose.direction(sample.gradient)};
}

Aabb boundsOf(const AnalyticField& field) {
  Aabb local;
  switch (field.kind) {
    case FieldKind::Sphere:
      local = {Vec3::Constant(-field.size.x()), Vec3::Constant(field.size.x())};
      break;
    case FieldKind::Box:
      local = {-field.size, field.size};
      break;
    case FieldKind::Torus: {
      const double r = field.size.x() + field.size.y();
      local = {{-r, -r, -field.size.y()}, {r, r, field.size.y()}};
      break;
    }
    case FieldKind::Union:
      for (const AnalyticField& child : field.children) local = local.united(boundsOf(child));
      // A seam adds at most a quarter of its width, once for every child that joins.
      local = local.grown(0.25 * field.seam * static_cast<double>(field.children.size() - 1));
      break;
    case FieldKind::Difference:
      local = boundsOf(field.children[0]);
      break;
  }
  local = local.grown(field.rounding);
  const Vec3 half = 0.5 * (local.upper - local.lower);
  const Vec3 center = field.pose.point(local.center());
  // A ball stays a ball however it is turned.
  const Vec3 reach = field.kind == FieldKind::Sphere ? half : Vec3(field.pose.rotation.toRotationMatrix().cwiseAbs() * half);
  return {center - reach, center + reach};
}

}  // namespace cairn
