#include "laws/single_impact.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>

#include "laws/hodograph.hpp"

namespace cairn {

namespace {

constexpr int kMostPieces = 5000;    // of a way; a few dozen are usual
constexpr int kSamples = 4;          // looks at a curved piece for its events
constexpr int kMostRootSteps = 200;  // bisection alone needs 60
constexpr double kSingular = 1e-13;  // eigenvalue of W over the largest

const char* faultOf(const Impact& impact) {
  if (!impact.w.allFinite() || !impact.velocity.allFinite()) return "w or velocity is not finite";
  if (!(impact.friction >= 0.0) || !std::isfinite(impact.friction)) return "friction must be finite and at least 0";
  if (!(impact.restitution >= 0.0 && impact.restitution <= 1.0)) return "restitution must be 0 to 1";
  if (!(std::abs(impact.tangentialRestitution) <= 1.0)) return "tangential restitution must be -1 to 1";
  if (impact.velocity[0] < 0.0 && !(impact.w(0, 0) > 0.0)) return "w_nn is not positive: nothing can move";
  return nullptr;
}

ImpactResult incomplete(const Impact& impact, const char* why) {
  ImpactResult result;
  result.velocity = impact.velocity;
  result.complete = false;
  result.why = why;
  return result;
}

ImpactResult finished(const Impact& impact, const Vec3& impulse) {
  ImpactResult result;
  result.impulse = impulse;
  result.velocity = impact.velocity + impact.w * impulse;
  result.energyChange = 0.5 * impulse.dot(impact.velocity + result.velocity);
  result.compressions = 1;
  return result;
}

// How far a point of the way is from the event that is waited for: compression's end, then the law's end. Below 0: not
// there.
class Progress {
 public:
  explicit Progress(const Impact& impact) : impact_(impact), compressing_(impact.law != ImpactLaw::Newton) {}

  double operator()(const HodographPoint& point) const {
    if (compressing_) return point.velocity[0];
    switch (impact_.law) {
      case ImpactLaw::Poisson:
        return point.impulse[0] - goal_;
      case ImpactLaw::Stronge:
        return point.normalWork - goal_;
      default:
        return point.velocity[0] + impact_.restitution * impact_.velocity[0];
    }
  }
  // The event happened at this point. True if the impact is over.
  bool pass(const HodographPoint& point) {
    if (!compressing_) return true;
    compressing_ = false;
    ++compressions_;
    const double e = impact_.restitution;
    goal_ = impact_.law == ImpactLaw::Poisson ? (1.0 + e) * point.impulse[0] : (1.0 - e * e) * point.normalWork;
    return e == 0.0;
  }
  // Slip may turn so that v_n falls below 0 again before the end: then it is the last compression that counts.
  void observe(const HodographPoint& point) {
    if (impact_.law != ImpactLaw::Newton && point.velocity[0] < 0.0) compressing_ = true;
  }
  int compressions() const { return std::max(1, compressions_); }

 private:
  const Impact& impact_;
  bool compressing_;
  double goal_ = 0.0;  // N s for Poisson, J for Stronge
  int compressions_ = 0;
};

// Where in [low, high] the event happens, given that it has not at low and has at high: regula falsi that halves the value
// at an end which stays (Illinois), with bisection where that is slow.
double locate(const HodographPiece& piece, const Progress& progress, double low, double high) {
  double atLow = progress(piece.at(low)), atHigh = progress(piece.at(high));
  int keptEnd = 0;
  for (int i = 0; i < kMostRootSteps && atHigh > 0.0; ++i) {
    double x = i % 8 == 7 ? 0.5 * (low + high) : high - atHigh * (high - low) / (atHigh - atLow);
    if (!(x > low && x < high)) x = 0.5 * (low + high);
    if (!(x > low && x < high)) break;
    const double value = progress(piece.at(x));
    if (value < 0.0) {
      low = x, atLow = value;
      if (keptEnd == 1) atHigh *= 0.5;
      keptEnd = 1;
    } else {
      high = x, atHigh = value;
      if (keptEnd == -1) atLow *= 0.5;
      keptEnd = -1;
    }
  }
  return high;
}

ImpactResult alongHodograph(const Impact& impact) {
  Hodograph hodograph(impact.w, impact.velocity, impact.friction);
  Progress progress(impact);
  for (int i = 0; i < kMostPieces; ++i) {
    const HodographPiece& piece = hodograph.next(impact.velocity[0]);
    if (!(piece.length() > 0.0)) return incomplete(impact, "w is singular: friction keeps the contact from opening");
    const int samples = piece.isCurved() ? kSamples : 1;
    double from = 0.0;
    for (int k = 1; k <= samples; ++k) {
      const double to = piece.length() * k / samples;
      const HodographPoint point = piece.at(to);
      while (progress(point) >= 0.0) {
        from = locate(piece, progress, from, to);
        const HodographPoint event = piece.at(from);
        if (!progress.pass(event)) continue;
        ImpactResult result = finished(impact, event.impulse);
        result.slipStopped = hodograph.slipStopped();
        result.sliding = !hodograph.sticks();
        result.compressions = progress.compressions();
        return result;
      }
      progress.observe(point);
      from = to;
    }
  }
  return incomplete(impact, "the way through the impact has too many pieces: w is nearly singular");
}

// Chatterjee and Ruina (1998). P_I stops the approach without friction, P_II stops all relative motion, and
//
//   P = (1+e) P_I + k (P_II - P_I),   k = 1 + e_t,
//
// k less if P would leave the cone. v_n+ = -e v_n- whatever k, and with |P|_W^2 = P.W P
//
//   dT = (e^2 - 1)/2 |P_I|_W^2 + (k^2 - 2k)/2 |P_II - P_I|_W^2 <= 0   for 0 <= k <= 2.
ImpactResult chatterjeeRuina(const Impact& impact) {
  const Eigen::SelfAdjointEigenSolver<Mat3> eigen(impact.w);
  Vec3 inverse = Vec3::Zero();
  bool singular = false;
  for (int i = 0; i < 3; ++i) {
    if (eigen.eigenvalues()[i] > kSingular * eigen.eigenvalues()[2])
      inverse[i] = 1.0 / eigen.eigenvalues()[i];
    else
      singular = true;
  }
  const Vec3 normal(-impact.velocity[0] / impact.w(0, 0), 0.0, 0.0);
  const Vec3 full = -(eigen.eigenvectors() * inverse.asDiagonal() * eigen.eigenvectors().transpose() * impact.velocity);
  const Vec3 rest = full - normal;
  const double e = impact.restitution, mu = impact.friction;
  double k = 1.0 + impact.tangentialRestitution;
  const Vec3 wanted = (1.0 + e) * normal + k * rest;
  const bool slides = wanted.tail<2>().norm() > mu * wanted[0];
  if (slides) k = mu * (1.0 + e) * normal[0] / (full.tail<2>().norm() - mu * rest[0]);
  Vec3 impulse = (1.0 + e) * normal + k * rest;
  if (slides && k > 0.0) impulse[0] = impulse.tail<2>().norm() / mu;  // the same, but for cancellation
  ImpactResult result = finished(impact, impulse);
  // A singular W may leave velocities that no impulse stops; then P_II is not what it should be, and P_I alone is safe.
  if (singular && (result.energyChange > 0.0 || result.velocity[0] < 0.0)) result = finished(impact, (1.0 + e) * normal);
  result.sliding = slides;
  return result;
}

}  // namespace

ImpactResult resolveImpact(const Impact& asked) {
  if (const char* fault = faultOf(asked)) return incomplete(asked, fault);
  Impact impact = asked;
  impact.w = 0.5 * (asked.w + asked.w.transpose());
  if (!(impact.velocity[0] < 0.0)) {
    ImpactResult result;
    result.velocity = impact.velocity;
    return result;
  }
  ImpactResult result;
  if (impact.law == ImpactLaw::ChatterjeeRuina) {
    result = chatterjeeRuina(impact);
  } else if (impact.friction == 0.0) {
    // v_n is linear in p: the three laws say the same.
    result = finished(impact, Vec3((1.0 + impact.restitution) * -impact.velocity[0] / impact.w(0, 0), 0.0, 0.0));
    result.sliding = true;
  } else {
    result = alongHodograph(impact);
  }
  const bool finite = result.impulse.allFinite() && result.velocity.allFinite() && std::isfinite(result.energyChange);
  return finite ? result : incomplete(asked, "numbers out of range");
}

ImpactResult resolveWithoutGain(Impact impact, double& factor) {
  constexpr int kHalvings = 40;
  constexpr double kEnergyRounding = 1e-12;  // of a gain over the work done
  const auto gains = [&](const ImpactResult& found) {
    const double work = 0.5 * found.impulse.cwiseAbs().dot(impact.velocity.cwiseAbs() + found.velocity.cwiseAbs());
    return found.energyChange > kEnergyRounding * work;
  };
  ImpactResult found = resolveImpact(impact);
  if (!found.complete || !gains(found)) return found;
  const double restitution = impact.restitution;
  double low = 0.0, high = 1.0;
  impact.restitution = 0.0;
  found = resolveImpact(impact);
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = 0.5 * (low + high);
    impact.restitution = middle * restitution;
    const ImpactResult tried = resolveImpact(impact);
    if (tried.complete && !gains(tried)) {
      low = middle;
      found = tried;
    } else {
      high = middle;
    }
  }
  factor = std::min(factor, low);
  return found;
}

}  // namespace cairn
