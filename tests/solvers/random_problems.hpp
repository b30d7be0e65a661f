// Contact problems out of thin air, the same for the same seed: bodies of random mass and inertia, contacts between random
// pairs of them or with the ground, joints. Contacts with b = J u_free have a solution always (impulses only ever brake).
#pragma once

#include <random>

#include "cairn/contact_problem.hpp"

namespace cairn::testing {

struct RandomProblem {
  int bodies = 6;
  int contacts = 8;
  int joints = 0;       // balls: 3 rows
  Law law = Law::Cone;  // of the contacts; Interval: without friction
  int facets = 4;
  double friction = 0.5;  // coefficients are drawn between half and twice that, if above 0
  bool elliptic = false;
  double massRatio = 10.0;  // largest over smallest, log-uniform
  bool redundant = false;   // every contact and joint is there twice
  double compliance = 0.0;  // 1/kg on each row
  double limits = 0.0;      // share of contacts that become Interval blocks of finite bounds
};

inline std::shared_ptr<ContactProblem> makeRandomProblem(const RandomProblem& ask, unsigned seed) {
  std::mt19937 random(seed);
  const auto uniform = [&](double a, double b) { return std::uniform_real_distribution<double>(a, b)(random); };
  const auto direction = [&] {
    Vec3 d(uniform(-1, 1), uniform(-1, 1), uniform(-1, 1));
    while (d.norm() < 0.1) d = Vec3(uniform(-1, 1), uniform(-1, 1), uniform(-1, 1));
    return Vec3(d.normalized());
  };
  ProblemData data;
  data.name = "random " + std::to_string(seed);
  std::vector<FreeBodies::Item> items;
  std::vector<Vec3> centers;
  for (int i = 0; i < ask.bodies; ++i) {
    const double mass = std::exp(uniform(0.0, std::log(ask.massRatio)));
    const Quat turn(Eigen::AngleAxisd(uniform(0, 3), direction()));
    const Vec3 moments = mass * Vec3(uniform(0.05, 0.2), uniform(0.05, 0.2), uniform(0.05, 0.2));
    const Mat3 r = turn.toRotationMatrix();
    items.push_back({1.0 / mass, r * moments.cwiseInverse().asDiagonal() * r.transpose()});
    centers.push_back(Vec3(uniform(0, 3), uniform(0, 3), uniform(0, 3)));
  }
  data.freeVelocity = Vector::NullaryExpr(6 * ask.bodies, [&] { return uniform(-1, 1); });
  for (int i = 0; i < ask.bodies; ++i) data.freeVelocity[6 * i + 2] -= 1.0;
  std::vector<double> lower, upper;

  const auto addBlock = [&](Block block, int a, int b, const Vec3& point, const Mat3& axes) {
    block.first = static_cast<int>(lower.size());
    BlockJacobian jacobian;
    jacobian.a = a;
    jacobian.b = b;
    for (const auto& [body, sign] : {std::pair(a, -1.0), std::pair(b, 1.0)}) {
      BlockJacobian::Part& part = body == a ? jacobian.partA : jacobian.partB;
      if (body < 0) continue;
      part.resize(block.size, 6);
      for (int k = 0; k < block.size; ++k) {
        const Vec3 d = axes.col(k);
        part.row(k) << sign * d.transpose(), sign * (point - centers[body]).cross(d).transpose();
      }
    }
    for (int k = 0; k < block.size; ++k) {
      const bool limited = block.law == Law::Interval && block.facets == 1;
      lower.push_back(limited ? -uniform(0.0, 0.5) : 0.0);
      upper.push_back(limited ? uniform(0.0, 0.5) : std::numeric_limits<double>::infinity());
    }
    block.facets = block.law == Law::Pyramid ? ask.facets : 0;
    for (int copy = 0; copy < (ask.redundant ? 2 : 1); ++copy) {
      if (copy == 1) {
        for (int k = 0; k < block.size; ++k) {
          lower.push_back(lower[block.first + k]);
          upper.push_back(upper[block.first + k]);
        }
        block.first += block.size;
      }
      data.blocks.push_back(block);
      data.jacobians.push_back(jacobian);
    }
  };
  const auto pair = [&] {
    const int b = std::uniform_int_distribution<int>(0, ask.bodies - 1)(random);
    int a = std::uniform_int_distribution<int>(-1, ask.bodies - 1)(random);
    if (a == b) a = -1;
    return std::pair(a, b);
  };
  const auto place = [&](int a, int b) {
    const Vec3 from = a < 0 ? Vec3(centers[b] - Vec3(0, 0, 1)) : centers[a];
    return Vec3(0.5 * (from + centers[b]) + 0.2 * direction());
  };
  for (int i = 0; i < ask.joints; ++i) {
    Block block;
    block.law = Law::Free;
    block.size = 3;
    const auto [a, b] = ask.joints < ask.bodies ? std::pair(i, i + 1) : pair();  // a chain if there are few
    addBlock(block, a, b, place(a, b), Mat3::Identity());
  }
  for (int i = 0; i < ask.contacts; ++i) {
    const auto [a, b] = pair();
    Block block;
    block.law = ask.law;
    if (uniform(0, 1) < ask.limits) {
      block.law = Law::Interval;
      block.facets = 1;  // marks it as limited, above
    }
    block.size = block.law == Law::Interval ? 1 : 3;
    const double mu = ask.friction * std::exp(uniform(-std::log(2.0), std::log(2.0)));
    block.friction = {mu, ask.elliptic ? mu * uniform(0.5, 2.0) : mu};
    const Vec3 point = place(a, b);
    Vec3 n = centers[b] - (a < 0 ? Vec3(centers[b] - Vec3(0, 0, 1)) : centers[a]);
    n = (n.normalized() + 0.3 * direction()).normalized();
    const Vec3 t1 = n.unitOrthogonal();
    Mat3 axes;
    axes << n, t1, n.cross(t1);
    addBlock(block, a, b, point, axes);
  }
  data.lower = Eigen::Map<Vector>(lower.data(), static_cast<Eigen::Index>(lower.size()));
  data.upper = Eigen::Map<Vector>(upper.data(), static_cast<Eigen::Index>(upper.size()));
  if (ask.compliance > 0.0) data.compliance = Vector::Constant(data.lower.size(), ask.compliance);
  data.inverseMass = std::make_shared<FreeBodies>(std::move(items));
  return std::make_shared<ContactProblem>(std::move(data));
}

}  // namespace cairn::testing
