#include "mechanics/axis_law.hpp"

#include <algorithm>
#include <cmath>

namespace cairn {

double AxisLaw::Part::at(double rate) const {
  if (isRigid()) return rate < center ? high : rate > center ? low : std::clamp(0.0, low, high);
  return std::clamp(slope * (center - rate), low, high);
}

void AxisLaw::add(const AxisRow& row, double bias) {
  if (count_ == static_cast<int>(parts_.size())) return;
  const double sign = row.force == AxisForce::UpperLimit ? -1.0 : 1.0;
  Part& part = parts_[count_++];
  part.force = row.force;
  part.isLimit = row.isLimit();
  part.slope = row.compliance > 0.0 ? 1.0 / row.compliance : -1.0;
  part.center = sign * (row.speed - (row.isLimit() && !(row.compliance > 0.0) ? bias : row.pull));
  part.low = sign > 0.0 ? row.lower : -row.upper;
  part.high = sign > 0.0 ? row.upper : -row.lower;
}

double AxisLaw::sumAt(double rate, int except) const {
  double sum = 0.0;
  for (int i = 0; i < count_; ++i)
    if (i != except) sum += parts_[i].at(rate);
  return sum;
}

// g(u) = u - free - w l(u) rises. Between neighbouring corners it is straight.
AxisLaw::Answer AxisLaw::solve(double free, double w) const {
  std::array<double, 12> corners;
  int n = 0;
  for (int i = 0; i < count_; ++i) {
    const Part& part = parts_[i];
    if (part.isRigid()) {
      corners[n++] = part.center;
      continue;
    }
    if (std::isfinite(part.low)) corners[n++] = part.center - part.low / part.slope;
    if (std::isfinite(part.high)) corners[n++] = part.center - part.high / part.slope;
  }
  std::sort(corners.begin(), corners.begin() + n);
  // The last corner below which g is negative, and whether the answer is at a corner (a rigid part holds).
  double below = -std::numeric_limits<double>::infinity(), above = std::numeric_limits<double>::infinity();
  for (int k = 0; k < n; ++k) {
    const double u = corners[k];
    int rigid = -1;
    double left = 0.0, right = 0.0;  // l just below and just above u
    for (int i = 0; i < count_; ++i) {
      const Part& part = parts_[i];
      if (part.isRigid() && part.center == u) {
        rigid = i;
        left += part.high;
        right += part.low;
      } else {
        left += part.at(u);
        right += part.at(u);
      }
    }
    const double atLeft = u - free - w * left, atRight = u - free - w * right;
    if (rigid >= 0 && atLeft <= 0.0 && atRight >= 0.0) return {u, (u - free) / w, rigid};
    if (atRight < 0.0) below = u;
    if (atLeft > 0.0) {
      above = u;
      break;
    }
    if (rigid < 0 && atLeft == 0.0) return {u, left, -1};
  }
  // Straight between the two: l = constant + slope (.. - u).
  const double inside = std::isfinite(below) && std::isfinite(above) ? 0.5 * (below + above)
                        : std::isfinite(below)                       ? below + 1.0 + std::abs(below)
                        : std::isfinite(above)                       ? above - 1.0 - std::abs(above)
                                                                     : 0.0;
  double slope = 0.0, constant = 0.0;
  for (int i = 0; i < count_; ++i) {
    const Part& part = parts_[i];
    const double value = part.isRigid() ? 0.0 : part.slope * (part.center - inside);
    const bool isActive = !part.isRigid() && value > part.low && value < part.high;
    if (isActive) {
      slope += part.slope;
      constant += part.slope * part.center;
    } else {
      constant += part.at(inside);
    }
  }
  const double rate = (free + w * constant) / (1.0 + w * slope);
  return {std::clamp(rate, below, above), constant - slope * rate, -1};
}

AxisLaw::Line AxisLaw::lineAt(const Answer& answer) const {
  Line line;
  if (answer.rigid >= 0) {
    line.holds = true;
    line.target = parts_[answer.rigid].center;
    return line;
  }
  // A limit that the answer has just passed (it was found for another law, or is off by rounding) holds.
  for (int i = 0; i < count_; ++i) {
    if (!parts_[i].isRigid() || std::isfinite(parts_[i].at(answer.rate))) continue;
    line.holds = true;
    line.target = parts_[i].center;
    return line;
  }
  double slope = 0.0, constant = 0.0;
  for (int i = 0; i < count_; ++i) {
    const Part& part = parts_[i];
    const double value = part.isRigid() ? 0.0 : part.slope * (part.center - answer.rate);
    if (!part.isRigid() && value > part.low && value < part.high) {
      slope += part.slope;
      constant += part.slope * part.center;
    } else {
      constant += part.at(answer.rate);
    }
  }
  line.constant = constant;
  if (!(slope > 0.0)) return line;
  line.hasSlope = true;
  line.compliance = 1.0 / slope;
  line.target = constant / slope;
  return line;
}

std::pair<double, double> AxisLaw::range(double rate, double slack) const {
  double low = 0.0, high = 0.0;
  for (int i = 0; i < count_; ++i) {
    const Part& part = parts_[i];
    const bool holds = part.isRigid() && std::abs(rate - part.center) <= slack;
    low += holds ? part.low : part.at(rate);
    high += holds ? part.high : part.at(rate);
  }
  return {low, high};
}

bool AxisLaw::fits(const Answer& answer, double rate, double impulse, double rateSlack, double impulseSlack) const {
  if (answer.rigid >= 0) {
    // The rate is held; others have their say at it.
    const auto [low, high] = range(parts_[answer.rigid].center, rateSlack);
    return impulse >= low - impulseSlack && impulse <= high + impulseSlack;
  }
  const auto [low, high] = range(rate, rateSlack);
  return impulse >= low - impulseSlack && impulse <= high + impulseSlack;
}

void AxisLaw::split(double rate, double impulse, std::array<double, kAxisForces>& shares) const {
  shares.fill(0.0);
  std::array<double, 6> own{};
  double left = impulse;
  for (int i = 0; i < count_; ++i) {
    if (parts_[i].isRigid()) continue;
    own[i] = parts_[i].at(rate);
    left -= own[i];
  }
  // Rigid parts far from their rate are at a bound. What is left goes to those that are nearest to theirs.
  std::array<int, 6> order{};
  int n = 0;
  for (int i = 0; i < count_; ++i)
    if (parts_[i].isRigid()) order[n++] = i;
  for (int i = 1; i < n; ++i)
    for (int k = i; k > 0 && std::abs(rate - parts_[order[k]].center) > std::abs(rate - parts_[order[k - 1]].center); --k)
      std::swap(order[k], order[k - 1]);
  for (int k = 0; k < n; ++k) {
    const Part& part = parts_[order[k]];
    const double wanted = k + 1 < n ? part.at(rate) : left;
    own[order[k]] = std::clamp(std::isfinite(wanted) ? wanted : left, part.low, part.high);
    left -= own[order[k]];
  }
  if (n == 0 && count_ > 0) own[0] += left;  // rounding
  for (int i = 0; i < count_; ++i)
    shares[static_cast<std::size_t>(parts_[i].force)] += parts_[i].force == AxisForce::UpperLimit ? -own[i] : own[i];
}

}  // namespace cairn
