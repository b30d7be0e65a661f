#include "mechanics/adaptive_laws.hpp"

#include <cmath>

#include "laws/contensou.hpp"

namespace cairn {

namespace {

constexpr double kSlip = 1e-3;        // of the speed that gravity gives in a step: slower is sticking
constexpr double kLeastSlip = 1e-9;   // m/s
constexpr int kFreeGuesses = 3;       // of the slip of a patch, before bisection
constexpr double kOnTheLimit = 1e-4;  // of the load: how far beyond the limit surface is still on it

bool loosen(Block& block, const AdaptiveLaw& law, const Vector& velocity, double slip) {
  if (block.friction == law.friction) return false;  // it slips already
  if (velocity.segment(block.first + 1, 2).norm() <= slip) return false;
  block.friction = law.friction;
  return true;
}

// Turns the two tangential rows so that the first points along the motion seen in the untouched ones.
void turnRows(BlockJacobian& jacobian, const BlockJacobian& base, const Eigen::Vector2d& motion) {
  const Eigen::Vector2d d = motion.normalized();
  const auto turn = [&](BlockJacobian::Part& part, const BlockJacobian::Part& from) {
    if (from.rows() == 0) return;
    part.row(0) = d.x() * from.row(0) + d.y() * from.row(1);
    part.row(1) = -d.y() * from.row(0) + d.x() * from.row(1);
  };
  turn(jacobian.partA, base.partA);
  turn(jacobian.partB, base.partB);
}

// Whether the contact of a law slides, at any of its points.
bool slides(const AdaptiveLaw& law, const Vector& velocity, double slip) {
  for (const int row : law.normals)
    if (velocity.segment<2>(row + 1).norm() > slip) return true;
  return false;
}

// What a patch resists with at most: the point on the limit surface that its slip belongs to; or, while it sticks, whatever
// its load asks for within that surface.
PatchFriction patchShare(AdaptiveLaw& law, const Vec3& impulse, double load, double slide, double turn, double slip) {
  const double most = law.friction[0] * load;
  if (slide > slip || turn > slip) {
    const double moved = std::atan2(slide, turn);
    // More force and less moment slow the sliding and speed up the turning: `moved` falls as the angle grows.
    if (law.angle) (moved > *law.angle ? law.low : law.high) = *law.angle;
    const bool agrees = law.slips < kFreeGuesses && moved >= law.low && moved <= law.high;
    law.angle = agrees ? moved : 0.5 * (law.low + law.high);
    ++law.slips;
  } else if (!law.angle && most > 0.0) {
    const PatchLimit limit = patchLimit({impulse.head<2>().norm() / most, std::abs(impulse[2]) / (law.radius * most)});
    if (limit.scale < 1.0 - kOnTheLimit) law.angle = std::atan(limit.slip);
  }
  // A patch that comes to rest with a point chosen stays within what that point can hold, and so within the surface.
  return law.angle ? patchFriction(std::tan(*law.angle)) : PatchFriction{1.0, 2.0 / 3.0};
}

}  // namespace

double slipSpeed(const ProblemData& data) { return std::max(kSlip * data.speedFloor, kLeastSlip); }

bool adaptLaws(ProblemData& data, std::vector<AdaptiveLaw>& laws, const Vector& impulse, const Vector& velocity,
               double tolerance) {
  bool changed = false;
  const double slip = slipSpeed(data);
  for (AdaptiveLaw& law : laws) {
    Block& block = data.blocks[law.block];
    if (law.kind == AdaptiveLaw::Kind::Static) {
      changed |= loosen(block, law, velocity, slip);
      continue;
    }
    double load = 0.0;  // N s
    for (const int row : law.normals) load += std::max(impulse[row], 0.0);
    // Motion along the untouched axes: the rows may have been turned by an earlier guess.
    BlockJacobian& jacobian = data.jacobians[law.block];
    const BlockJacobian::Part& now = jacobian.b >= 0 ? jacobian.partB : jacobian.partA;
    const BlockJacobian::Part& base = jacobian.b >= 0 ? law.base.partB : law.base.partA;
    Eigen::Matrix2d axes;
    for (int i = 0; i < 2; ++i)
      for (int k = 0; k < 2; ++k) axes(i, k) = base.row(i).dot(now.row(k)) / now.row(k).squaredNorm();
    Eigen::Vector2d motion = axes * velocity.segment<2>(block.first);
    Vec3 most(law.rolling * load, law.rolling * load, law.spinning * load);
    if (law.kind == AdaptiveLaw::Kind::Dragging && slides(law, velocity, slip)) most.setZero();
    if (law.kind == AdaptiveLaw::Kind::Patch) {
      const double slide = motion.norm(), turn = law.radius * std::abs(velocity[block.first + 2]);
      const PatchFriction share = patchShare(law, impulse.segment<3>(block.first), load, slide, turn, slip);
      most = law.friction[0] * load * Vec3(share.force, share.force, law.radius * share.moment);
      // Slip from rest goes against the friction that could not hold it.
      if (law.angle && law.slips == 0) motion = -2.0 * slip * (axes * impulse.segment<2>(block.first)).normalized();
    }
    const double least = law.kind == AdaptiveLaw::Kind::Rolling ? slip / std::max(law.rolling, 1e-3) : slip;
    if (motion.norm() > least) turnRows(jacobian, law.base, motion);
    for (int k = 0; k < block.size; ++k) {
      double& upper = data.upper[block.first + k];
      const double size = law.kind == AdaptiveLaw::Kind::Patch ? law.friction[0] * (k == 2 ? law.radius : 1.0)
                                                               : std::max(law.rolling, law.spinning);
      changed |= std::abs(upper - most[k]) > tolerance * size * load;
      upper = most[k];
      data.lower[block.first + k] = -most[k];
    }
  }
  return changed;
}

}  // namespace cairn
