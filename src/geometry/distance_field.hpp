// A solid as the distance from its surface, negative inside: sampled on a grid from a closed mesh, or given by formulas.
// Immutable once built.
//
// Samples are kept in blocks of 8 x 8 x 8 cells near the surface alone, 16 bits each; elsewhere only at the blocks' corners, so
// that values there have the right sign but are good to a block's size only.
// Between samples the value is trilinear: exact on planes; within a cell of a sharp edge off by up to about 0.3 cells, since
// the edge is cut off. Stacking on edges needs cells below the contact slop over 0.3, or convex parts instead.
#pragma once

#include <memory>
#include <vector>

#include "cairn/body.hpp"
#include "geometry/analytic_field.hpp"
#include "geometry/triangle_mesh.hpp"

namespace cairn {

inline constexpr std::size_t kFieldBytes = std::size_t{16} << 20;

struct DistanceFieldOptions {
  int cells = 64;                        // along the longest side of the mesh, 8 to 1024
  std::size_t mostBytes = kFieldBytes;   // more is refused, never allocated
  const Tasks* tasks = nullptr;
};

class DistanceField {
 public:
  // From a mesh: the distance to the nearest triangle, the sign by the winding number (above one half: inside), so that small
  // holes do no harm. Throws std::invalid_argument naming the option if it is out of range or the samples need more memory.
  DistanceField(const TriangleMesh& mesh, const DistanceFieldOptions& options = {});
  explicit DistanceField(AnalyticField analytic);  // throws std::invalid_argument that names the field

  FieldSample sample(const Vec3& point) const;
  double value(const Vec3& point) const { return sample(point).value; }
  // Holds all points whose value is not positive.
  const Aabb& bounds() const { return bounds_; }
  double cellSize() const { return cell_; }  // m; 0: given by formulas
  std::size_t bytes() const;
  // Samples off the surface whose winding number is within 0.2 of one half: next to holes or crossings, where inside is a guess.
  std::size_t uncertainSamples() const { return uncertain_; }
  const AnalyticField* analytic() const { return analytic_.get(); }

  // Of the solid, of uniform density, by summing cells (64 along the longest side of formulas): within 0.1 % in mass and 0.2 %
  // in inertia of the solid that the values describe. Interpolation rounds a mesh off, and that solid is smaller than the mesh by
  // about 0.6 (cells across)^-2: 0.4 % of a torus whose tube is 13 cells thick. A mesh's own integrals have no such error.
  MassProperties mass(double density) const;

 private:
  static constexpr int kSide = 8, kNodes = kSide + 1;
  static constexpr int kNodesPerBlock = kNodes * kNodes * kNodes;
  // Cells: blocks that are nearer than this to the surface have samples of their own, which lie within a block's diagonal and
  // twice this of the surface.
  static constexpr double kBand = 4.0, kMostCells = 24.0;

  FieldSample sampleInside(const Vec3& cells) const;
  std::size_t blockAt(int x, int y, int z) const { return (static_cast<std::size_t>(z) * blocks_[1] + y) * blocks_[0] + x; }
  std::size_t cornerAt(int x, int y, int z) const {
    return (static_cast<std::size_t>(z) * (blocks_[1] + 1) + y) * (blocks_[0] + 1) + x;
  }

  Aabb bounds_;
  Vec3 origin_ = Vec3::Zero();  // of the grid
  double cell_ = 0.0, step_ = 0.0;
  std::array<int, 3> blocks_{0, 0, 0};
  std::vector<std::int32_t> blockIndex_;  // -1: no samples of its own
  std::vector<std::int16_t> samples_;     // block after block, x fastest
  std::vector<float> corners_;            // of blocks
  std::size_t uncertain_ = 0;
  std::shared_ptr<const AnalyticField> analytic_;
};

}  // namespace cairn
