#include "articulation/inverse_kinematics.hpp"

#include <Eigen/Cholesky>

#include "math/rotation.hpp"

namespace cairn {

namespace {

constexpr double kRise = 10.0, kFall = 0.2;  // of the damping, after a step that failed or helped
constexpr double kLeastDamping = 1e-12, kMostDamping = 1e8;
constexpr double kFarthest = 3.14159;  // rad or m, of restarts where there is no limit

// Every number that belongs to one degree anew, within its limits.
void shuffle(const ArticulationModel& model, std::uint32_t& random, Vector& q) {
  for (int k = 0; k < model.degrees(); ++k) {
    if (!model.hasValue(k)) continue;
    const AxisDesc& axis = model.axes()[static_cast<std::size_t>(k)];
    random = random * 1664525u + 1013904223u;  // Numerical Recipes' generator
    const double share = static_cast<double>(random >> 8) / 16777216.0;
    const double low = std::max(axis.lower, -kFarthest), high = std::min(axis.upper, kFarthest);
    q[model.positionOf(k)] = low + share * (high - low);
  }
}

}  // namespace

InverseKinematicsResult solveInverseKinematics(const ArticulationModel& model, ArticulationData& data, int link,
                                               const Vec3& point, const Pose& target,
                                               const InverseKinematicsOptions& options) {
  const int node = model.links()[static_cast<std::size_t>(link)].node;
  const Vec3 wanted = target.position;
  const auto errorNow = [&] {
    data.computePositions(model);
    Vec6 error = Vec6::Zero();
    if (options.position) error.head<3>() = wanted - data.worldPoint(model, link, point);
    if (options.rotation)
      error.tail<3>() = rotationVector(target.rotation.normalized() * data.linkPose(model, link).rotation.conjugate());
    return error;
  };
  const auto keepWithin = [&](Vector& q) {
    for (int k = 0; k < model.degrees(); ++k) {
      if (!model.hasValue(k)) continue;
      const AxisDesc& axis = model.axes()[static_cast<std::size_t>(k)];
      double& value = q[model.positionOf(k)];
      value = std::min(std::max(value, axis.lower), axis.upper);
    }
  };
  InverseKinematicsResult result;
  Matrix jacobian;
  Vector change(model.degrees()), start(data.q.size()), best = data.q;
  std::vector<char> blocked(static_cast<std::size_t>(model.degrees()), 0);
  result.error = std::numeric_limits<double>::infinity();
  std::uint32_t random = 1;  // the same restarts every time
  for (int attempt = 0; attempt <= options.restarts && !result.converged; ++attempt) {
    if (attempt > 0) shuffle(model, random, data.q);
    keepWithin(data.q);
    Vec6 error = errorNow();
    double damping = options.damping;
    int iterations = 0;
    while (iterations < options.iterations && error.norm() > options.tolerance && damping < kMostDamping) {
      ++iterations;
      ++result.iterations;
      data.jacobian(model, node, data.worldPoint(model, link, point), jacobian);
      if (!options.position) jacobian.topRows<3>().setZero();
      if (!options.rotation) jacobian.bottomRows<3>().setZero();
      std::fill(blocked.begin(), blocked.end(), 0);
      const double scale = std::max(jacobian.squaredNorm() / 6.0, 1e-300);
      for (bool again = true; again;) {  // each round takes out at least one degree
        again = false;
        Mat6 square = jacobian * jacobian.transpose();
        square.diagonal().array() += damping * scale;
        change = jacobian.transpose() * square.ldlt().solve(error);
        for (int k = 0; k < model.degrees(); ++k) {
          if (blocked[static_cast<std::size_t>(k)] != 0 || !model.hasValue(k)) continue;
          const AxisDesc& axis = model.axes()[static_cast<std::size_t>(k)];
          const double value = data.q[model.positionOf(k)];
          if (!((value <= axis.lower && change[k] < 0.0) || (value >= axis.upper && change[k] > 0.0))) continue;
          blocked[static_cast<std::size_t>(k)] = 1;
          jacobian.col(k).setZero();
          again = true;
        }
      }
      start = data.q;
      model.integrate(start, change, 1.0, data.q);
      keepWithin(data.q);
      const Vec6 next = errorNow();
      if (next.norm() < error.norm()) {
        error = next;
        damping = std::max(kLeastDamping, kFall * damping);
      } else {
        data.q = start;
        data.computePositions(model);
        damping *= kRise;
      }
    }
    if (!(error.norm() < result.error)) continue;
    result.error = error.norm();
    result.converged = result.error <= options.tolerance;
    best = data.q;
  }
  data.q = best;
  data.computeAll(model);
  return result;
}

}  // namespace cairn
