// Impacts of two random rigid bodies at a random point, the same for the same seed.
#pragma once

#include <random>

#include "laws/single_impact.hpp"

namespace cairn::testing {

class RandomImpacts {
 public:
  explicit RandomImpacts(unsigned seed) : random_(seed) {}

  double uniform(double a, double b) { return std::uniform_real_distribution<double>(a, b)(random_); }
  Vec3 direction() {
    Vec3 d(uniform(-1, 1), uniform(-1, 1), uniform(-1, 1));
    while (d.norm() < 0.1 || d.norm() > 1.0) d = Vec3(uniform(-1, 1), uniform(-1, 1), uniform(-1, 1));
    return d.normalized();
  }

  // (1/m) 1 - [r] I^-1 [r] summed over the bodies: slender, heavy, light and far-levered ones among them.
  Mat3 delassus() {
    Mat3 w = Mat3::Zero();
    const int bodies = uniform(0, 1) < 0.5 ? 1 : 2;
    for (int i = 0; i < bodies; ++i) {
      const double mass = std::exp(uniform(-2.0, 2.0));
      // Moments of three pairs of points on the axes are those of some body.
      const Vec3 a(std::exp(uniform(-6, 0)), std::exp(uniform(-6, 0)), std::exp(uniform(-6, 0)));
      const Vec3 moments = mass * Vec3(a[1] + a[2], a[2] + a[0], a[0] + a[1]);
      const Mat3 turn = Quat(Eigen::AngleAxisd(uniform(0, 3), direction())).toRotationMatrix();
      const Vec3 r = uniform(0, 1.5) * direction();
      Mat3 cross;
      cross << 0, -r[2], r[1], r[2], 0, -r[0], -r[1], r[0], 0;
      const Mat3 inverse = turn * moments.cwiseInverse().asDiagonal() * turn.transpose();
      w += Mat3::Identity() / mass - cross * inverse * cross;
    }
    return 0.5 * (w + w.transpose());
  }
  Impact impact(ImpactLaw law) {
    Impact impact;
    impact.law = law;
    impact.w = delassus();
    impact.velocity = Vec3(-uniform(0.01, 2.0), uniform(-2, 2), uniform(-2, 2));
    impact.friction = uniform(0, 1) < 0.05 ? 0.0 : uniform(0, 2);
    const double kind = uniform(0, 1);
    impact.restitution = kind < 0.1 ? 0.0 : kind < 0.2 ? 1.0 : uniform(0, 1);
    impact.tangentialRestitution = uniform(-1, 1);
    return impact;
  }
  Impact planar(ImpactLaw law) {
    Impact result = impact(law);
    result.w.row(2).setZero();
    result.w.col(2).setZero();
    result.velocity[2] = 0.0;
    return result;
  }

 private:
  std::mt19937 random_;
};

// What energies are measured against: all that the impulses moved.
inline double energyScale(const Impact& impact, const ImpactResult& result) {
  return result.impulse.cwiseAbs().dot(impact.velocity.cwiseAbs() + result.velocity.cwiseAbs());
}

}  // namespace cairn::testing
