// From many contact points to four.
//
// Points beyond the margin go first. Of the rest we want the quadrilateral of largest area, because its corners carry every
// moment that the patch can carry, and the deepest point, because leaving it out lets bodies sink unseen (the overlap of
// piles grew from 5 to 16 cm in an engine that did). Area alone is blind to depth, so it does not change its mind when a
// resting patch trembles; the deepest point then displaces a corner only if it is deeper than the chosen ones by more than
// kDepthTie.
#include <algorithm>
#include <cmath>

#include "collision/contact_set.hpp"
#include "collision/manifold_tolerances.hpp"

namespace cairn {
namespace {

constexpr int kDirections = 8;

// The points that lie farthest in eight directions, in the order of the directions, hence around the polygon. "Far" counts
// depth as much as distance: the points are those a probe coming from 45 degrees below would meet. Returns how many.
int extremePoints(const ContactSet& set, double tie, std::array<int, kDirections>& chosen) {
  constexpr double c = 0.70710678118654752;
  constexpr double kDirection[kDirections][2] = {{1, 0}, {c, c}, {0, 1}, {-c, c}, {-1, 0}, {-c, -c}, {0, -1}, {c, -c}};
  int count = 0;
  for (const auto& direction : kDirection) {
    int best = 0;
    double bestScore = -std::numeric_limits<double>::infinity();
    for (int i = 0; i < set.count; ++i) {
      const ContactCandidate& p = set.points[i];
      const double score = direction[0] * p.x + direction[1] * p.y - p.separation;
      if (score > bestScore + tie) {
        bestScore = score;
        best = i;
      }
    }
    if (std::find(chosen.begin(), chosen.begin() + count, best) == chosen.begin() + count) chosen[count++] = best;
  }
  return count;
}

// Twice the area that four points span, whatever their order.
double spannedArea(const ContactCandidate& a, const ContactCandidate& b, const ContactCandidate& c,
                   const ContactCandidate& d) {
  const auto cross = [](const ContactCandidate& p, const ContactCandidate& q, const ContactCandidate& r,
                        const ContactCandidate& s) {
    return std::abs((q.x - p.x) * (s.y - r.y) - (q.y - p.y) * (s.x - r.x));
  };
  return std::max({cross(a, b, c, d), cross(a, c, b, d), cross(a, d, b, c)});
}

int deepestIndex(const ContactSet& set) {
  int deepest = 0;
  for (int i = 1; i < set.count; ++i) {
    if (set.points[i].separation < set.points[deepest].separation) deepest = i;
  }
  return deepest;
}

double extent(const ContactSet& set) {
  double lowX = set.points[0].x, highX = lowX, lowY = set.points[0].y, highY = lowY;
  for (int i = 1; i < set.count; ++i) {
    lowX = std::min(lowX, set.points[i].x);
    highX = std::max(highX, set.points[i].x);
    lowY = std::min(lowY, set.points[i].y);
    highY = std::max(highY, set.points[i].y);
  }
  return std::max(highX - lowX, highY - lowY);
}

// The four of up to eight points in polygon order that span the largest area.
std::array<int, 4> largestQuadrilateral(const ContactSet& set, const std::array<int, kDirections>& index, int count) {
  double cross[kDirections][kDirections];
  const ContactCandidate& origin = set.points[index[0]];
  for (int i = 0; i < count; ++i) {
    const double xi = set.points[index[i]].x - origin.x, yi = set.points[index[i]].y - origin.y;
    for (int j = i + 1; j < count; ++j) {
      cross[i][j] = xi * (set.points[index[j]].y - origin.y) - yi * (set.points[index[j]].x - origin.x);
    }
  }
  std::array<int, 4> best = {0, 1, 2, 3};
  double bestArea = -1.0;
  for (int i = 0; i < count; ++i) {
    for (int j = i + 1; j < count; ++j) {
      for (int k = j + 1; k < count; ++k) {
        const double three = cross[i][j] + cross[j][k];
        for (int l = k + 1; l < count; ++l) {
          const double area = std::abs(three + cross[k][l] - cross[i][l]);
          if (area > bestArea * (1.0 + kAreaTie)) {
            bestArea = area;
            best = {i, j, k, l};
          }
        }
      }
    }
  }
  return {index[best[0]], index[best[1]], index[best[2]], index[best[3]]};
}

void copyPoint(const ContactCandidate& from, ManifoldPoint& to) {
  to.position = from.position;
  to.separation = from.separation;
  to.feature = from.feature;
}

}  // namespace

void ContactSet::add(const ContactCandidate& point) {
  if (count == kCapacity) {
    std::array<int, kDirections> chosen;
    int kept = extremePoints(*this, 0.0, chosen);
    std::array<ContactCandidate, kDirections + 1> survivors;
    for (int i = 0; i < kept; ++i) survivors[i] = points[chosen[i]];
    const int deep = deepestIndex(*this);
    if (std::find(chosen.begin(), chosen.begin() + kept, deep) == chosen.begin() + kept) survivors[kept++] = points[deep];
    std::copy_n(survivors.begin(), kept, points.begin());
    count = kept;
    isOrdered = false;
  }
  points[count++] = point;
}

double ContactSet::deepest() const {
  double depth = std::numeric_limits<double>::infinity();
  for (int i = 0; i < count; ++i) depth = std::min(depth, points[i].separation);
  return depth;
}

bool ContactSet::isFlush(double margin) const {
  if (parallelism < kFlushCosine || count < 2) return false;
  int near = 0;
  for (int i = 0; i < count; ++i) near += points[i].separation <= margin ? 1 : 0;
  return near >= 2 && deepest() >= -kFlushDepth * extent(*this);
}

void reduce(ContactSet& set, double margin, Manifold& manifold) {
  int near = 0;
  for (int i = 0; i < set.count; ++i) {
    if (!(set.points[i].separation <= margin)) continue;
    if (i != near) set.points[near] = set.points[i];
    ++near;
  }
  set.count = near;
  manifold.normal = set.normal;
  manifold.count = std::min(near, kManifoldPoints);
  if (near <= kManifoldPoints) {
    for (int i = 0; i < near; ++i) copyPoint(set.points[i], manifold.points[i]);
    return;
  }

  const double reach = extent(set);
  std::array<int, kDirections> index;
  int count = near;
  if (set.isOrdered && near <= kDirections) {
    for (int i = 0; i < near; ++i) index[i] = i;
  } else {
    count = extremePoints(set, kDepthTie * reach, index);
  }
  std::array<int, 4> chosen;
  if (count >= 4) {
    chosen = largestQuadrilateral(set, index, count);
    count = 4;
  } else {
    std::copy_n(index.begin(), count, chosen.begin());
  }

  const int deep = deepestIndex(set);
  int held = chosen[0];
  for (int i = 1; i < count; ++i) {
    if (set.points[chosen[i]].separation < set.points[held].separation) held = chosen[i];
  }
  if (set.points[deep].separation < set.points[held].separation - kDepthTie * reach) {
    if (count < 4) {
      chosen[count++] = deep;
    } else {
      int replaced = 0;
      double bestArea = -1.0;
      for (int i = 0; i < 4; ++i) {
        std::array<int, 4> trial = chosen;
        trial[i] = deep;
        const double area =
            spannedArea(set.points[trial[0]], set.points[trial[1]], set.points[trial[2]], set.points[trial[3]]);
        if (area > bestArea * (1.0 + kAreaTie)) {
          bestArea = area;
          replaced = i;
        }
      }
      chosen[replaced] = deep;
    }
  }
  manifold.count = count;
  for (int i = 0; i < count; ++i) copyPoint(set.points[chosen[i]], manifold.points[i]);
}

}  // namespace cairn
