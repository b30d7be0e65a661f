// Samples of a mesh: distances by the hierarchy, signs by the winding number where the surface is near, and from the
// neighbour where it is farther away than the neighbour is.
#include <cmath>
#include <stdexcept>
#include <string>

#include "geometry/distance_field.hpp"
#include "geometry/winding_number.hpp"

namespace cairn {
namespace {

double distanceOf(const TriangleMesh& mesh, const Vec3& point, double most) {
  const auto near = mesh.tree.closest(mesh.view(), point, most);
  return near ? near->distance : mesh.tree.closest(mesh.view(), point)->distance;
}

}  // namespace

DistanceField::DistanceField(const TriangleMesh& mesh, const DistanceFieldOptions& options) {
  if (options.cells < 8 || options.cells > 1024) throw std::invalid_argument("cells: from 8 to 1024, got " + std::to_string(options.cells));
  constexpr double kMargin = 2.0;  // cells around the mesh
  const Vec3 extent = mesh.bounds.upper - mesh.bounds.lower;
  cell_ = extent.maxCoeff() / options.cells;
  step_ = kMostCells * cell_ / 32767.0;
  for (int axis = 0; axis < 3; ++axis)
    blocks_[axis] = static_cast<int>(std::ceil((extent[axis] / cell_ + 2.0 * kMargin) / kSide - 1e-9));
  origin_ = mesh.bounds.center() - 0.5 * kSide * cell_ * Vec3(blocks_[0], blocks_[1], blocks_[2]);
  // The interpolated surface may lie a little beyond the mesh.
  bounds_ = mesh.bounds.grown(0.5 * cell_);

  const Tasks alone;
  const Tasks& tasks = options.tasks != nullptr ? *options.tasks : alone;
  const WindingNumber winding(mesh.view());
  const auto isInside = [&](const Vec3& point, double distance, std::size_t& uncertain) {
    const double w = winding.at(point);
    if (std::abs(w - 0.5) < 0.2 && distance > 1e-6 * cell_) ++uncertain;
    return w > 0.5;
  };

  const double blockSize = kSide * cell_;
  const std::size_t blockCount = static_cast<std::size_t>(blocks_[0]) * blocks_[1] * blocks_[2];
  const std::size_t cornerCount = static_cast<std::size_t>(blocks_[0] + 1) * (blocks_[1] + 1) * (blocks_[2] + 1);
  blockIndex_.assign(blockCount, -1);
  corners_.resize(cornerCount);
  std::vector<std::size_t> doubts(cornerCount, 0);
  tasks.parallelFor(cornerCount, 16, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const std::size_t x = i % (blocks_[0] + 1), y = i / (blocks_[0] + 1) % (blocks_[1] + 1);
      const std::size_t z = i / (static_cast<std::size_t>(blocks_[0] + 1) * (blocks_[1] + 1));
      const Vec3 point = origin_ + blockSize * Vec3(static_cast<double>(x), static_cast<double>(y), static_cast<double>(z));
      const double distance = distanceOf(mesh, point, std::numeric_limits<double>::infinity());
      corners_[i] = static_cast<float>(isInside(point, distance, doubts[i]) ? -distance : distance);
    }
  });
  for (std::size_t d : doubts) uncertain_ += d;

  std::vector<char> isNear(blockCount, 0);
  const auto cornerOf = [&](std::size_t block) -> Vec3 {
    const std::size_t x = block % blocks_[0], y = block / blocks_[0] % blocks_[1], z = block / (static_cast<std::size_t>(blocks_[0]) * blocks_[1]);
    return origin_ + blockSize * Vec3(static_cast<double>(x), static_cast<double>(y), static_cast<double>(z));
  };
  const double reach = (0.5 * std::sqrt(3.0) * kSide + kBand) * cell_;
  tasks.parallelFor(blockCount, 16, [&](std::size_t begin, std::size_t end) {
    for (std::size_t b = begin; b < end; ++b)
      isNear[b] = mesh.tree.closest(mesh.view(), cornerOf(b) + Vec3::Constant(0.5 * blockSize), reach) ? 1 : 0;
  });
  std::vector<std::size_t> kept;
  for (std::size_t b = 0; b < blockCount; ++b) {
    if (!isNear[b]) continue;
    blockIndex_[b] = static_cast<std::int32_t>(kept.size());
    kept.push_back(b);
  }
  const std::size_t needed = bytes() + kept.size() * kNodesPerBlock * sizeof(std::int16_t);
  if (needed > options.mostBytes) {
    // Blocks near a surface grow with the square of the cells.
    const double fits = options.cells * std::sqrt(static_cast<double>(options.mostBytes) / static_cast<double>(needed));
    throw std::invalid_argument("cells: " + std::to_string(options.cells) + " need " + std::to_string(needed) +
                                " bytes; at most " + std::to_string(options.mostBytes) + " (about " +
                                std::to_string(static_cast<int>(0.95 * fits)) + " cells)");
  }
  samples_.resize(kept.size() * kNodesPerBlock);
  doubts.assign(kept.size(), 0);
  tasks.parallelFor(kept.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) {
      const Vec3 corner = cornerOf(kept[k]);
      std::int16_t* samples = samples_.data() + k * kNodesPerBlock;
      for (int z = 0; z < kNodes; ++z) {
        for (int y = 0; y < kNodes; ++y) {
          double before = std::numeric_limits<double>::infinity();
          bool wasInside = false;
          for (int x = 0; x < kNodes; ++x) {
            const Vec3 point = corner + cell_ * Vec3(x, y, z);
            const double distance = distanceOf(mesh, point, (before + cell_) * (1.0 + 1e-9));
            // The surface is farther from the last sample than this one is: both are on the same side.
            const bool inside = x > 0 && before > cell_ * (1.0 + 1e-9) ? wasInside : isInside(point, distance, doubts[k]);
            const double scaled = std::min(std::round(distance / step_), 32767.0);
            *samples++ = static_cast<std::int16_t>(inside ? -scaled : scaled);
            before = distance;
            wasInside = inside;
          }
        }
      }
    }
  });
  for (std::size_t d : doubts) uncertain_ += d;
}

}  // namespace cairn
