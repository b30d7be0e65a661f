#include "geometry/height_field.hpp"

#include <cmath>
#include <stdexcept>
#include <string>

namespace cairn {
namespace {

[[noreturn]] void refuseField(const std::string& what) { throw std::invalid_argument(what); }
constexpr std::uint32_t kMostSamples = 1u << 28;  // so that triangles and edges have 32-bit names

// When a ray enters a box; infinite if it misses, or after `length`.
double entersBox(const Aabb& box, const Vec3& origin, const Vec3& direction, double length) {
  double enter = 0.0, leave = length;
  for (int axis = 0; axis < 3; ++axis) {
    // Rounding of the products below must not open gaps between boxes.
    const double slack = 1e-12 * (std::abs(box.lower[axis]) + std::abs(box.upper[axis]) + std::abs(origin[axis]));
    const double low = box.lower[axis] - slack - origin[axis], high = box.upper[axis] + slack - origin[axis];
    const double d = direction[axis];
    if (d == 0.0) {
      if (low > 0.0 || high < 0.0) return std::numeric_limits<double>::infinity();
      continue;
    }
    enter = std::max(enter, std::min(low / d, high / d));
    leave = std::min(leave, std::max(low / d, high / d));
  }
  return enter <= leave * (1.0 + 1e-12) ? enter : std::numeric_limits<double>::infinity();
}

}  // namespace

HeightField::HeightField(const HeightFieldDesc& desc)
    : rows_(desc.rows), columns_(desc.columns), spacingX_(desc.spacingX), spacingY_(desc.spacingY) {
  if (rows_ < 2 || columns_ < 2) refuseField("rows, columns: at least 2 each");
  const std::size_t samples = static_cast<std::size_t>(rows_) * columns_;
  if (samples > kMostSamples) refuseField("rows, columns: " + std::to_string(samples) + " samples; at most 2^28");
  if (!(spacingX_ > 0.0) || !(spacingY_ > 0.0) || !std::isfinite(spacingX_ * columns_) || !std::isfinite(spacingY_ * rows_))
    refuseField("spacing: must be positive and finite");
  if (desc.heights.size() != samples)
    refuseField("heights: " + std::to_string(desc.heights.size()) + "; rows * columns is " + std::to_string(samples));
  if (!desc.holes.empty() && desc.holes.size() != cells())
    refuseField("holes: " + std::to_string(desc.holes.size()) + "; (rows - 1) * (columns - 1) is " + std::to_string(cells()));
  for (std::size_t i = 0; i < samples; ++i) {
    if (!std::isfinite(desc.heights[i])) refuseField("heights[" + std::to_string(i) + "]: not finite");
  }
  left_ = -0.5 * spacingX_ * (columns_ - 1);
  near_ = -0.5 * spacingY_ * (rows_ - 1);
  const auto [least, most] = std::minmax_element(desc.heights.begin(), desc.heights.end());
  lowest_ = *least;
  if (desc.isExact) {
    exact_ = desc.heights;
  } else {
    step_ = (static_cast<double>(*most) - lowest_) / 65535.0;
    steps_.resize(samples);
    for (std::size_t i = 0; i < samples && step_ > 0.0; ++i)
      steps_[i] = static_cast<std::uint16_t>(std::clamp(std::round((desc.heights[i] - lowest_) / step_), 0.0, 65535.0));
  }
  if (std::ranges::any_of(desc.holes, [](std::uint8_t h) { return h != 0; })) {
    holes_.assign((cells() + 63) / 64, 0);
    for (std::size_t i = 0; i < cells(); ++i) holes_[i / 64] |= std::uint64_t{desc.holes[i] != 0} << (i % 64);
  }
  buildPyramid();
  const Range& all = levels_.back().ranges[0];
  bounds_ = {{left_, near_, all.least}, {-left_, -near_, all.most}};
}

void HeightField::buildPyramid() {
  const auto blocks = [](std::uint32_t cells, std::uint32_t side) { return (cells + side - 1) / side; };
  Level level{blocks(rows_ - 1, kBlock), blocks(columns_ - 1, kBlock), {}};
  constexpr Range kNothing{std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity()};
  level.ranges.assign(static_cast<std::size_t>(level.rows) * level.columns, kNothing);
  for (std::uint32_t row = 0; row < rows_; ++row) {
    for (std::uint32_t column = 0; column < columns_; ++column) {
      const double h = height(row, column);
      // Rounded outwards to single precision.
      const float low = std::nextafter(static_cast<float>(h), -std::numeric_limits<float>::infinity());
      const float high = std::nextafter(static_cast<float>(h), std::numeric_limits<float>::infinity());
      // A sample on the border of blocks belongs to all of them.
      for (std::uint32_t r = row > 0 ? (row - 1) / kBlock : 0; r <= std::min(row / kBlock, level.rows - 1); ++r) {
        for (std::uint32_t c = column > 0 ? (column - 1) / kBlock : 0; c <= std::min(column / kBlock, level.columns - 1); ++c) {
          Range& range = level.ranges[static_cast<std::size_t>(r) * level.columns + c];
          range.least = std::min(range.least, low);
          range.most = std::max(range.most, high);
        }
      }
    }
  }
  levels_.push_back(std::move(level));
  while (levels_.back().ranges.size() > 1) {
    const Level& below = levels_.back();
    Level above{blocks(below.rows, 2), blocks(below.columns, 2), {}};
    above.ranges.assign(static_cast<std::size_t>(above.rows) * above.columns, kNothing);
    for (std::uint32_t r = 0; r < below.rows; ++r) {
      for (std::uint32_t c = 0; c < below.columns; ++c) {
        const Range& from = below.ranges[static_cast<std::size_t>(r) * below.columns + c];
        Range& range = above.ranges[static_cast<std::size_t>(r / 2) * above.columns + c / 2];
        range.least = std::min(range.least, from.least);
        range.most = std::max(range.most, from.most);
      }
    }
    levels_.push_back(std::move(above));
  }
}

std::size_t HeightField::bytes() const {
  std::size_t sum = steps_.size() * 2 + exact_.size() * 4 + holes_.size() * 8;
  for (const Level& level : levels_) sum += level.ranges.size() * sizeof(Range);
  return sum;
}

TriangleIndices HeightField::triangleVertices(std::uint32_t t) const {
  const std::uint32_t cell = t / 2, v = cell / (columns_ - 1) * columns_ + cell % (columns_ - 1), across = v + columns_ + 1;
  return t % 2 == 0 ? TriangleIndices{v, v + 1, across} : TriangleIndices{v, across, v + columns_};
}

Triangle HeightField::triangle(std::uint32_t t) const {
  const TriangleIndices i = triangleVertices(t);
  return {{vertex(i[0]), vertex(i[1]), vertex(i[2])}};
}

// Even: (v, v+1), (v+1, across), (across, v). Odd: (v, across), (across, v+columns), (v+columns, v).
std::uint32_t HeightField::edgeName(std::uint32_t t, int k) const {
  const std::uint32_t v = triangleVertices(t)[0];
  if (t % 2 == 0) return k == 0 ? 3 * v : k == 1 ? 3 * (v + 1) + 1 : 3 * v + 2;
  return k == 0 ? 3 * v + 2 : k == 1 ? 3 * (v + columns_) : 3 * v + 1;
}

std::uint32_t HeightField::neighbour(std::uint32_t t, int k) const {
  const std::uint32_t cell = t / 2, row = cell / (columns_ - 1), column = cell % (columns_ - 1);
  std::uint32_t other = kNoTriangle;
  if (t % 2 == 0) {
    if (k == 0 && row > 0) other = 2 * (cell - (columns_ - 1)) + 1;
    if (k == 1 && column + 2 < columns_) other = 2 * (cell + 1) + 1;
    if (k == 2) other = t + 1;
  } else {
    if (k == 0) other = t - 1;
    if (k == 1 && row + 2 < rows_) other = 2 * (cell + (columns_ - 1));
    if (k == 2 && column > 0) other = 2 * (cell - 1);
  }
  return other != kNoTriangle && isHole(other / 2) ? kNoTriangle : other;
}

EdgeKind HeightField::edgeKind(std::uint32_t t, int k, double flatAngle) const {
  const std::uint32_t other = neighbour(t, k);
  if (other == kNoTriangle) return EdgeKind::Open;
  const Triangle here = triangle(t), there = triangle(other);
  const Vec3 n = here.normal(), m = there.normal();
  if (n.cross(m).norm() <= std::sin(flatAngle)) return EdgeKind::Flat;  // fronts are up: never back to back
  const TriangleIndices mine = triangleVertices(t), its = triangleVertices(other);
  double height = 0.0;  // of the corner that is not shared
  for (int c = 0; c < 3; ++c) {
    if (its[c] != mine[0] && its[c] != mine[1] && its[c] != mine[2]) height = n.dot(there.corner[c] - here.corner[0]);
  }
  return height < 0.0 ? EdgeKind::Convex : EdgeKind::Concave;
}

Aabb HeightField::cellBox(std::uint32_t row, std::uint32_t column) const {
  Aabb box;
  for (std::uint32_t r : {row, row + 1}) {
    for (std::uint32_t c : {column, column + 1}) box = box.united({vertex(r, c), vertex(r, c)});
  }
  return box;
}

Aabb HeightField::blockBox(std::uint32_t level, std::uint32_t row, std::uint32_t column) const {
  const std::uint32_t side = kBlock << level;
  const Range& range = levels_[level].ranges[static_cast<std::size_t>(row) * levels_[level].columns + column];
  const auto end = [&](std::uint32_t block, std::uint32_t samples) {
    return std::min<std::uint64_t>((std::uint64_t{block} + 1) * side, samples - 1);
  };
  return {{left_ + spacingX_ * column * side, near_ + spacingY_ * row * side, range.least},
          {left_ + spacingX_ * static_cast<double>(end(column, columns_)),
           near_ + spacingY_ * static_cast<double>(end(row, rows_)), range.most}};
}

template <class Key, class Cell>
void HeightField::descend(Key&& key, Cell&& cell) const {
  struct Place {
    double key;
    std::uint32_t level, row, column;
  };
  Place stack[4 * 32];
  std::size_t top = 0;
  double most = std::numeric_limits<double>::max();
  const auto push = [&](std::size_t base, const Place& place) {
    if (!(place.key <= most)) return;
    std::size_t i = top++;
    for (; i > base && stack[i - 1].key < place.key; --i) stack[i] = stack[i - 1];
    stack[i] = place;
  };
  const auto last = static_cast<std::uint32_t>(levels_.size() - 1);
  push(0, {key(blockBox(last, 0, 0)), last, 0, 0});
  while (top > 0) {
    const Place place = stack[--top];
    if (place.key > most) continue;
    if (place.level == 0) {
      for (std::uint32_t r = kBlock * place.row; r < std::min(kBlock * (place.row + 1), rows_ - 1); ++r) {
        for (std::uint32_t c = kBlock * place.column; c < std::min(kBlock * (place.column + 1), columns_ - 1); ++c) {
          if (!isHole(static_cast<std::size_t>(r) * (columns_ - 1) + c) && key(cellBox(r, c)) <= most) most = cell(r, c);
        }
      }
      continue;
    }
    const std::size_t base = top;
    const Level& below = levels_[place.level - 1];
    for (std::uint32_t r = 2 * place.row; r < std::min(2 * place.row + 2, below.rows); ++r) {
      for (std::uint32_t c = 2 * place.column; c < std::min(2 * place.column + 2, below.columns); ++c)
        push(base, {key(blockBox(place.level - 1, r, c)), place.level - 1, r, c});
    }
  }
}

std::optional<TriangleRayHit> HeightField::nearestHit(const Vec3& origin, const Vec3& direction, double length,
                                                      RaySides sides) const {
  if (!origin.allFinite() || !direction.allFinite() || direction.isZero(0.0) || !(length >= 0.0)) return std::nullopt;
  const TriangleRay ray(origin, direction);
  std::optional<TriangleRayHit> nearest;
  double best = std::min(length, std::numeric_limits<double>::max());
  descend([&](const Aabb& box) { return entersBox(box, origin, direction, best); },
          [&](std::uint32_t row, std::uint32_t column) {
            const std::uint32_t cell = row * (columns_ - 1) + column;
            for (std::uint32_t t = 2 * cell; t < 2 * cell + 2; ++t) {
              const auto hit = ray.cast(triangle(t));
              if (!hit || hit->distance > best || (sides == RaySides::Front && !hit->isFront)) continue;
              if (nearest && hit->distance == nearest->distance && t > nearest->triangle) continue;
              nearest = {hit->distance, t, hit->isFront};
              best = hit->distance;
            }
            return best;
          });
  return nearest;
}

std::optional<ClosestTriangle> HeightField::closest(const Vec3& point, double most) const {
  if (!point.allFinite() || !(most >= 0.0)) return std::nullopt;
  std::optional<ClosestTriangle> closest;
  double best = std::min(most * most, std::numeric_limits<double>::max());
  descend([&](const Aabb& box) { return (box.lower - point).cwiseMax(point - box.upper).cwiseMax(0.0).squaredNorm() * (1.0 - 1e-12); },
          [&](std::uint32_t row, std::uint32_t column) {
            const std::uint32_t cell = row * (columns_ - 1) + column;
            for (std::uint32_t t = 2 * cell; t < 2 * cell + 2; ++t) {
              const TrianglePoint on = closestOnTriangle(triangle(t), point);
              const double square = (on.point - point).squaredNorm();
              if (square > best || (closest && square == best && t > closest->triangle)) continue;
              closest = ClosestTriangle{std::sqrt(square), on.point, t, on.feature};
              best = square;
            }
            return best;
          });
  return closest;
}

std::optional<HeightField::Ground> HeightField::groundAt(double x, double y) const {
  if (!(x >= bounds_.lower.x() && x <= bounds_.upper.x() && y >= bounds_.lower.y() && y <= bounds_.upper.y())) return std::nullopt;
  const double u = (x - left_) / spacingX_, v = (y - near_) / spacingY_;
  const auto column = static_cast<std::uint32_t>(std::clamp(std::floor(u), 0.0, columns_ - 2.0));
  const auto row = static_cast<std::uint32_t>(std::clamp(std::floor(v), 0.0, rows_ - 2.0));
  const std::uint32_t cell = row * (columns_ - 1) + column;
  if (isHole(cell)) return std::nullopt;
  const double s = u - column, r = v - row;
  const std::uint32_t t = 2 * cell + (r > s ? 1 : 0);
  const double a = height(row, column), b = height(row, column + 1), c = height(row + 1, column + 1), d = height(row + 1, column);
  const double z = r > s ? a + r * (d - a) + s * (c - d) : a + s * (b - a) + r * (c - b);
  return Ground{z, triangle(t).normal(), t};
}

}  // namespace cairn
