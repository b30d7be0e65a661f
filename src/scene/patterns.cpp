#include "scene/patterns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numbers>

namespace cairn {
namespace {

template <class... Visitors>
struct Overloaded : Visitors... {
  using Visitors::operator()...;
};

Quat turned(double angle, const Vec3& axis) { return Quat(Eigen::AngleAxisd(angle, axis)); }

std::vector<PatternCopy> copiesOf(const RowPattern& row) {
  std::vector<PatternCopy> copies;
  for (int i = 0; i < row.count; ++i) {
    copies.push_back({{i * row.step, turned(i * row.turn, row.turnAxis)}, fmt::format(".{}", i)});
  }
  return copies;
}

std::vector<PatternCopy> copiesOf(const GridPattern& grid) {
  std::vector<PatternCopy> copies;
  for (int z = 0; z < grid.count[2]; ++z) {
    for (int y = 0; y < grid.count[1]; ++y) {
      for (int x = 0; x < grid.count[0]; ++x) {
        const Vec3 place = Vec3(x, y, z).cwiseProduct(grid.step);
        copies.push_back({{place, Quat::Identity()}, fmt::format(".{}.{}.{}", x, y, z)});
      }
    }
  }
  return copies;
}

std::vector<PatternCopy> copiesOf(const RingPattern& ring) {
  std::vector<PatternCopy> copies;
  for (int i = 0; i < ring.count; ++i) {
    const double angle = ring.start + 2.0 * std::numbers::pi * i / ring.count;
    const Vec3 place(ring.radius * std::cos(angle), ring.radius * std::sin(angle), 0.0);
    copies.push_back({{place, ring.outward ? turned(angle, Vec3::UnitZ()) : Quat::Identity()}, fmt::format(".{}", i)});
  }
  return copies;
}

// x along the direction, z as far up as that allows.
Quat facing(const Vec3& direction) {
  const Vec3 x = direction.normalized();
  const Vec3 side = Vec3::UnitZ().cross(x);
  if (side.norm() < 1e-9) return turned(x.z() > 0.0 ? -0.5 * std::numbers::pi : 0.5 * std::numbers::pi, Vec3::UnitY());
  Mat3 axes;
  axes.col(0) = x;
  axes.col(1) = side.normalized();
  axes.col(2) = x.cross(axes.col(1));
  return Quat(axes);
}

std::vector<PatternCopy> copiesOf(const CurvePattern& curve) {
  std::vector<PatternCopy> copies;
  double whole = 0.0;
  for (std::size_t i = 1; i < curve.points.size(); ++i) whole += (curve.points[i] - curve.points[i - 1]).norm();
  std::size_t segment = 1;
  double before = 0.0;  // m, up to the segment's start
  for (int i = 0; i < curve.count; ++i) {
    const double wanted = curve.count == 1 ? 0.0 : whole * i / (curve.count - 1);
    const auto length = [&] { return (curve.points[segment] - curve.points[segment - 1]).norm(); };
    while (segment + 1 < curve.points.size() && before + length() < wanted) before += length(), ++segment;
    const Vec3 leg = curve.points[segment] - curve.points[segment - 1];
    const double along = std::min((wanted - before) / leg.norm(), 1.0);
    copies.push_back({{curve.points[segment - 1] + along * leg, curve.along ? facing(leg) : Quat::Identity()},
                      fmt::format(".{}", i)});
  }
  return copies;
}

std::vector<PatternCopy> copiesOf(const WallPattern& wall) {
  std::vector<PatternCopy> copies;
  const double length = wall.brick.x();
  const double pitch = length + wall.gap;
  const double left = -0.5 * (wall.columns * pitch - wall.gap);
  for (int row = 0; row < wall.rows; ++row) {
    const double z = (row + 0.5) * wall.brick.z();
    const auto add = [&](int column, double x, bool half) {
      copies.push_back({{Vec3(x, 0.0, z), Quat::Identity()}, fmt::format(".{}.{}", row, column), half});
    };
    if (row % 2 == 0) {
      for (int i = 0; i < wall.columns; ++i) add(i, left + 0.5 * length + i * pitch, false);
      continue;
    }
    add(0, left + 0.5 * wall.halfLength(), true);
    for (int i = 1; i < wall.columns; ++i) add(i, left + i * pitch - 0.5 * wall.gap, false);
    add(wall.columns, -left - 0.5 * wall.halfLength(), true);
  }
  return copies;
}

std::vector<PatternCopy> copiesOf(const PyramidPattern& pyramid) {
  std::vector<PatternCopy> copies;
  const Vec3 along(pyramid.step.x(), pyramid.step.y(), 0.0);
  for (int row = 0; row < pyramid.base; ++row) {
    for (int i = 0; i < pyramid.base - row; ++i) {
      // Centred over the pattern's origin.
      const Vec3 place = (i + 0.5 * row - 0.5 * (pyramid.base - 1)) * along + Vec3(0.0, 0.0, row * pyramid.step.z());
      copies.push_back({{place, Quat::Identity()}, fmt::format(".{}.{}", row, i)});
    }
  }
  return copies;
}

}  // namespace

double countCopies(const std::vector<Pattern>& patterns) {
  double total = 1.0;
  for (const Pattern& pattern : patterns) {
    total *= std::visit(
        Overloaded{[](const RowPattern& row) { return double(row.count); },
                   [](const GridPattern& grid) { return double(grid.count[0]) * grid.count[1] * grid.count[2]; },
                   [](const RingPattern& ring) { return double(ring.count); },
                   [](const CurvePattern& curve) { return double(curve.count); },
                   [](const WallPattern& wall) { return double(wall.columns) * wall.rows + std::floor(wall.rows / 2.0); },
                   [](const PyramidPattern& pyramid) { return 0.5 * pyramid.base * (pyramid.base + 1.0); }},
        pattern);
  }
  return total;
}

std::vector<PatternCopy> expandPatterns(const std::vector<Pattern>& patterns) {
  std::vector<PatternCopy> copies{{}};
  for (const Pattern& pattern : patterns) {
    const std::vector<PatternCopy> outer = std::visit([](const auto& one) { return copiesOf(one); }, pattern);
    std::vector<PatternCopy> all;
    all.reserve(outer.size() * copies.size());
    for (const PatternCopy& place : outer) {
      for (const PatternCopy& copy : copies) {
        all.push_back({place.pose * copy.pose, place.suffix + copy.suffix, place.half || copy.half});
      }
    }
    copies = std::move(all);
  }
  return copies;
}

}  // namespace cairn
