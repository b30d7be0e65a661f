// One judge for every method. Definitions: docs/contact-problems.md.
#include "problem/residual.hpp"

#include "problem/admissible.hpp"

namespace cairn {

namespace {

// Impulses this much smaller than what would cancel b are as good as none: errors are not measured against them.
constexpr double kNegligible = 1e-6;

// Impulses outside what the law allows, as a distance in scaled coordinates (and Interval and friction-less rows as they
// are).
double outside(const Block& block, const BlockVector& l, const double* lower, const double* upper) {
  if (block.law == Law::Free) return 0.0;
  BlockVector inside = l;
  if (block.law == Law::Interval) {
    for (int i = 0; i < block.size; ++i) inside[i] = std::clamp(l[i], lower[i], upper[i]);
  } else if (block.law == Law::Cone) {
    projectUnitCone(inside.data(), block.size);
  } else {
    inside[0] = std::max(l[0], 0.0);
    projectTangents(block, inside[0], inside.data() + 1);
  }
  return (l - inside).norm();
}

// How much less than the most friction takes out of the slip, per unit of normal impulse (m/s).
double dissipationDefect(const Block& block, const BlockVector& l, const BlockVector& s) {
  if (!(l[0] > 0.0)) return 0.0;
  const int tangents = block.size - 1;
  double most = s.tail(tangents).norm();
  if (block.law == Law::Box) most = s.tail(tangents).lpNorm<1>();
  if (block.law == Law::Pyramid && tangents == 2) most = polygonSupport(-s.tail<2>(), block.facets);
  return std::abs(most + l.tail(tangents).dot(s.tail(tangents)) / l[0]);
}

// Siconos' natural map works in plain coordinates, where the cone is |t| <= mu n. Cones and pyramids that are stretched
// along one tangent have no simple projection there: theirs is done with friction scaled out, which moves no solution.
BlockVector plainProjection(const Block& block, const BlockVector& lambda, const BlockVector& v, double rho,
                            const double* lower, const double* upper) {
  const bool circular = block.size == 2 || block.friction[0] == block.friction[1];
  if (block.law != Law::Cone || !circular) {
    if (!isContact(block.law)) return naturalProjection(block, lambda, v, rho, lower, upper);
    const BlockVector scale = frictionScale(block);
    const double largest = scale.tail(block.size - 1).maxCoeff();
    BlockVector l = lambda, s = v;
    for (int i = 1; i < block.size; ++i) {
      l[i] = scale[i] > 0.0 ? lambda[i] / scale[i] : 0.0;
      if (block.law == Law::Box) s[i] = scale[i] > 0.0 ? v[i] / scale[i] : 0.0;
      if (block.law == Law::Pyramid) s[i] = scale[i] * v[i] / std::max(largest * largest, kNoFriction * kNoFriction);
      if (block.law == Law::Cone) s[i] = scale[i] * v[i];
    }
    BlockVector p = naturalProjection(block, l, s, rho, lower, upper);
    return p.cwiseProduct(scale);
  }
  const double mu = block.friction[0];
  const int tangents = block.size - 1;
  BlockVector p = lambda - rho * v;
  p[0] -= rho * mu * v.tail(tangents).norm();
  const double t = p.tail(tangents).norm();
  if (t <= mu * p[0]) return p;
  if (mu * t <= -p[0]) return BlockVector::Zero(block.size);
  const double normal = (p[0] + mu * t) / (1.0 + mu * mu);
  p.tail(tangents) *= mu * normal / t;
  p[0] = normal;
  return p;
}

}  // namespace

Residual judge(const ContactProblem& problem, const Vector& impulse) {
  return judgeVelocities(problem, impulse, problem.velocity(impulse));
}

Residual judgeVelocities(const ContactProblem& problem, const Vector& impulse, const Vector& v) {
  Residual residual;
  const ProblemData& data = problem.data();
  double largest = data.speedFloor;
  double energy = 0.0, energyScale = 0.0;
  double diagonalSum = 0.0;
  for (std::size_t i = 0; i < data.blocks.size(); ++i) diagonalSum += problem.diagonal(static_cast<int>(i)).trace();
  const double plainStep = diagonalSum > 0.0 ? problem.rows() / diagonalSum : 1.0;
  double plainMap = 0.0;

  for (std::size_t i = 0; i < data.blocks.size(); ++i) {
    const Block& block = data.blocks[i];
    const BlockMatrix& w = problem.diagonal(static_cast<int>(i));
    const BlockVector lambda = impulse.segment(block.first, block.size);
    const BlockVector speed = v.segment(block.first, block.size);
    const double* lower = data.lower.data() + block.first;
    const double* upper = data.upper.data() + block.first;
    const BlockVector scale = frictionScale(block);
    BlockVector l = lambda, s = speed;
    double forbidden = 0.0;  // m/s: impulse along tangents without friction
    for (int k = 1; k < block.size; ++k) {
      if (!isContact(block.law)) break;
      s[k] = scale[k] * speed[k];
      l[k] = scale[k] > 0.0 ? lambda[k] / scale[k] : 0.0;
      if (scale[k] == 0.0) forbidden += std::abs(lambda[k]) * w(k, k);
    }
    const double rho = naturalStep(w, scale);
    double e = 0.0;
    if (block.law == Law::Free) {
      e = speed.norm();
      residual.joint = std::max(residual.joint, e);
    } else {
      e = (l - naturalProjection(block, l, s, rho, lower, upper)).norm() / rho + forbidden;
      residual.coneExcess = std::max(residual.coneExcess, outside(block, l, lower, upper) / rho + forbidden);
    }
    if (isContact(block.law)) {
      residual.penetration = std::max(residual.penetration, -speed[0]);
      residual.complementarity = std::max(residual.complementarity, std::min(lambda[0] * w(0, 0), speed[0]));
      residual.dissipation = std::max(residual.dissipation, dissipationDefect(block, l, s));
    } else if (block.law == Law::Interval) {
      for (int k = 0; k < block.size; ++k) {
        if (lambda[k] < upper[k]) residual.penetration = std::max(residual.penetration, -speed[k]);
        residual.complementarity = std::max(residual.complementarity, std::min((lambda[k] - lower[k]) * w(k, k), speed[k]));
      }
    }
    if (e > residual.worst || residual.worstBlock < 0) {
      residual.worst = e;
      residual.worstBlock = static_cast<int>(i);
    }
    const auto b = problem.b().segment(block.first, block.size);
    // What has to be cancelled, with and without what the stepper added: a gap that closes within the step must not make
    // the velocity look small.
    largest = std::max(largest, b.norm());
    if (problem.hasBodies()) largest = std::max(largest, (b - data.bias.segment(block.first, block.size)).norm());
    energy += rho * e * e;
    energyScale += rho * b.squaredNorm();

    if (block.law == Law::Cone || block.law == Law::Pyramid) {
      residual.merit += 0.5 * e * e;
    } else {
      for (int k = 0; k < block.size; ++k) {
        double low = -std::numeric_limits<double>::infinity(), high = -low;
        if (block.law == Law::Interval) low = lower[k], high = upper[k];
        if (block.law == Law::Box) {
          low = k == 0 ? 0.0 : -block.friction[k - 1] * std::max(lambda[0], 0.0);
          if (k > 0) high = -low;
        }
        const double h = std::min((lambda[k] - low) * w(k, k), std::max((lambda[k] - high) * w(k, k), speed[k]));
        residual.merit += 0.5 * h * h;
      }
    }
    plainMap += (lambda - plainProjection(block, lambda, speed, plainStep, lower, upper)).squaredNorm();
    // Bounds that are not zero demand impulses even of bodies at rest.
    if (block.law == Law::Interval)
      for (int k = 0; k < block.size; ++k)
        for (const double bound : {lower[k], upper[k]})
          if (std::isfinite(bound)) largest = std::max(largest, std::abs(bound) * w(k, k));
  }
  const auto ratio = [](double a, double b) {
    return a == 0.0 ? 0.0 : b > 0.0 ? a / b : std::numeric_limits<double>::infinity();
  };
  residual.relative = ratio(residual.worst, largest);
  residual.energyNorm = std::sqrt(ratio(energy, energyScale));
  const double negligible = kNegligible * plainStep * problem.b().norm();
  residual.naturalMapRelative = ratio(std::sqrt(plainMap), std::max(impulse.norm(), negligible));
  return residual;
}

StepEnergy stepEnergy(const ContactProblem& problem, const Vector& impulse) {
  // lambda . (J u_free + J u)/2; the bias and the compliance are no velocity of the bodies.
  Vector change;
  problem.multiply(impulse, change);
  change -= problem.data().compliance.cwiseProduct(impulse);
  Vector mean = problem.b() + 0.5 * change;
  if (problem.hasBodies()) mean -= problem.data().bias;
  StepEnergy energy;
  for (const Block& block : problem.blocks()) {
    const auto work = impulse.segment(block.first, block.size).cwiseProduct(mean.segment(block.first, block.size));
    if (block.law == Law::Free) {
      energy.joints += work.sum();
    } else if (block.law == Law::Interval) {
      energy.normal += work.sum();
    } else {
      energy.normal += work[0];
      energy.friction += work.tail(block.size - 1).sum();
    }
  }
  return energy;
}

}  // namespace cairn
