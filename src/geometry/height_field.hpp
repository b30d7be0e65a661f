// Heights over a regular grid: terrain. Rows go along y, columns along x, heights along z; the grid's middle is at x = y = 0.
// Immutable once built.
//
// A cell is two triangles, cut from its corner (row, column) to (row + 1, column + 1), fronts up. Names that stay the same from
// whichever triangle they are seen: a vertex is row * columns + column; an edge 3 v + 0 (from v along x), 3 v + 1 (along y),
// 3 v + 2 (the diagonal); a triangle 2 * cell + 0 (below the diagonal, towards x) or + 1.
//
// 2 bytes per sample (4 if exact), a bit per cell if there are holes, and 0.09 bytes for the pyramid of least and most heights,
// whose lowest level has blocks of 8 x 8 cells.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "geometry/triangle_mesh.hpp"

namespace cairn {

struct HeightFieldDesc {
  std::uint32_t rows = 0, columns = 0;  // of samples, at least 2 each
  double spacingX = 1.0, spacingY = 1.0;  // m
  std::vector<float> heights{};           // m, row after row
  std::vector<std::uint8_t> holes{};      // by cell ((rows - 1) * (columns - 1)), not 0: nothing there; empty: no holes
  bool isExact = false;                   // keeps the floats; else 65,536 steps from the least height to the most
};

class HeightField {
 public:
  explicit HeightField(const HeightFieldDesc& desc);  // throws std::invalid_argument that names the field

  std::uint32_t rows() const { return rows_; }
  std::uint32_t columns() const { return columns_; }
  std::size_t cells() const { return static_cast<std::size_t>(rows_ - 1) * (columns_ - 1); }
  double spacingX() const { return spacingX_; }
  double spacingY() const { return spacingY_; }
  const Aabb& bounds() const { return bounds_; }
  std::size_t bytes() const;
  double heightStep() const { return step_; }  // m between two heights that can be told apart; 0: exact

  double height(std::uint32_t row, std::uint32_t column) const {
    const std::size_t i = static_cast<std::size_t>(row) * columns_ + column;
    return exact_.empty() ? lowest_ + step_ * steps_[i] : static_cast<double>(exact_[i]);
  }
  Vec3 vertex(std::uint32_t row, std::uint32_t column) const {
    return {left_ + spacingX_ * column, near_ + spacingY_ * row, height(row, column)};
  }
  Vec3 vertex(std::uint32_t name) const { return vertex(name / columns_, name % columns_); }
  bool isHole(std::size_t cell) const { return !holes_.empty() && ((holes_[cell / 64] >> (cell % 64)) & 1u) != 0; }

  TriangleIndices triangleVertices(std::uint32_t t) const;
  Triangle triangle(std::uint32_t t) const;
  std::uint32_t edgeName(std::uint32_t t, int k) const;
  // The neighbour over edge k; kNoTriangle at the border or a hole. Computed, not stored.
  std::uint32_t neighbour(std::uint32_t t, int k) const;
  EdgeKind edgeKind(std::uint32_t t, int k, double flatAngle = 1e-3) const;

  // Calls visit(triangle) for each triangle whose own box overlaps; ends with false if visit returns false.
  template <class Visit>
  bool overlap(const Aabb& box, Visit&& visit) const;

  std::optional<TriangleRayHit> nearestHit(const Vec3& origin, const Vec3& direction, double length,
                                           RaySides sides = RaySides::Both) const;
  std::optional<ClosestTriangle> closest(const Vec3& point, double most = std::numeric_limits<double>::infinity()) const;
  struct Ground {
    double height;
    Vec3 normal;
    std::uint32_t triangle;
  };
  std::optional<Ground> groundAt(double x, double y) const;  // nothing outside or over a hole

 private:
  static constexpr std::uint32_t kBlock = 8;  // cells to a side of the pyramid's lowest level
  struct Range {
    float least, most;
  };
  struct Level {
    std::uint32_t rows, columns;
    std::vector<Range> ranges;
  };
  Aabb cellBox(std::uint32_t row, std::uint32_t column) const;
  Aabb blockBox(std::uint32_t level, std::uint32_t row, std::uint32_t column) const;
  void buildPyramid();
  // Goes down the pyramid, the least key first. key(box) -> double, infinite: leave it out. cell(row, column) -> the largest key
  // that is still of interest.
  template <class Key, class Cell>
  void descend(Key&& key, Cell&& cell) const;

  std::uint32_t rows_ = 0, columns_ = 0;
  double spacingX_ = 1.0, spacingY_ = 1.0, left_ = 0.0, near_ = 0.0, lowest_ = 0.0, step_ = 0.0;
  Aabb bounds_;
  std::vector<std::uint16_t> steps_;
  std::vector<float> exact_;
  std::vector<std::uint64_t> holes_;
  std::vector<Level> levels_;
};

template <class Visit>
bool HeightField::overlap(const Aabb& box, Visit&& visit) const {
  if (!bounds_.overlaps(box)) return true;
  const auto cellAt = [](double x, double from, double spacing, std::uint32_t samples) {
    return static_cast<std::uint32_t>(std::clamp(std::floor((x - from) / spacing), 0.0, samples - 2.0));
  };
  // A sample that lies on the box's border belongs to the cells on both sides.
  const auto before = [](std::uint32_t cell) { return cell > 0 ? cell - 1 : 0; };
  const std::uint32_t row0 = before(cellAt(box.lower.y(), near_, spacingY_, rows_)), row1 = cellAt(box.upper.y(), near_, spacingY_, rows_);
  const std::uint32_t column0 = before(cellAt(box.lower.x(), left_, spacingX_, columns_));
  const std::uint32_t column1 = cellAt(box.upper.x(), left_, spacingX_, columns_);
  for (std::uint32_t blockRow = row0 / kBlock; blockRow <= row1 / kBlock; ++blockRow) {
    for (std::uint32_t blockColumn = column0 / kBlock; blockColumn <= column1 / kBlock; ++blockColumn) {
      const Range& range = levels_[0].ranges[static_cast<std::size_t>(blockRow) * levels_[0].columns + blockColumn];
      if (range.least > box.upper.z() || range.most < box.lower.z()) continue;
      const std::uint32_t lastRow = std::min(row1, kBlock * blockRow + kBlock - 1);
      const std::uint32_t lastColumn = std::min(column1, kBlock * blockColumn + kBlock - 1);
      for (std::uint32_t row = std::max(row0, kBlock * blockRow); row <= lastRow; ++row) {
        for (std::uint32_t column = std::max(column0, kBlock * blockColumn); column <= lastColumn; ++column) {
          const std::uint32_t cell = row * (columns_ - 1) + column;
          if (isHole(cell)) continue;
          for (std::uint32_t t = 2 * cell; t < 2 * cell + 2; ++t) {
            if (!triangle(t).bounds().overlaps(box)) continue;
            if constexpr (std::is_same_v<std::invoke_result_t<Visit&, std::uint32_t>, bool>) {
              if (!visit(t)) return false;
            } else {
              visit(t);
            }
          }
        }
      }
    }
  }
  return true;
}

}  // namespace cairn
