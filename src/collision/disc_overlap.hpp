// The overlap of a disc with a convex polygon or another disc, in the disc's plane, by points: corners of the outline inside
// the disc, where the outline crosses the rim, and points of the rim inside the outline.
#pragma once

#include <algorithm>
#include <cmath>

#include "collision/flat_contact.hpp"
#include "collision/manifold_tolerances.hpp"

namespace cairn {

// A convex polygon; seen against the normal that x and y belong to it may run either way round.
struct Outline {
  static constexpr int kCapacity = 64;
  int count = 0;
  ClipVertex corners[kCapacity];

  bool contains(double x, double y, double slop) const {
    bool left = true, right = true;
    for (int i = 0; i < count; ++i) {
      const ClipVertex& a = corners[i];
      const ClipVertex& b = corners[i + 1 < count ? i + 1 : 0];
      const double dx = b.x - a.x, dy = b.y - a.y;
      const double side = dy * (x - a.x) - dx * (y - a.y);
      const double tolerance = slop * std::sqrt(dx * dx + dy * dy);
      left &= side <= tolerance;
      right &= side >= -tolerance;
    }
    return left || right;
  }
};

struct DiscOverlap {
  double x = 0.0, y = 0.0, radius = 0.0;  // of the disc
  double height = 0.0, gradientX = 0.0,
         gradientY = 0.0;  // height of the contact surface over (x, y), relative to the centre
  bool takesRim = false;   // the height is a function of x and y, so points of the rim have one

  // Four points of the rim, a square that holds the lowest point of the rim. Numbered by the quarter that they are in, so
  // that a point keeps its name while the square turns; a disc that lies flat has its square fixed in the frame.
  template <class Add>
  void rim(Add&& add) const {
    double cx = 1.0, cy = 0.0;
    const double slope = hypotenuse(gradientX, gradientY);
    if (slope > kFlatSine) {
      cx = -gradientX / slope;
      cy = -gradientY / slope;
      while (cx < std::abs(cy)) {  // turn into the first quarter, between -45 and 45 degrees
        const double turned = cy;
        cy = -cx;
        cx = turned;
      }
    }
    for (std::uint32_t k = 0; k < 4; ++k) {
      add(radius * cx, radius * cy, featureName(FeatureKind::Curved, 0x10 + k));
      const double turned = cx;
      cx = -cy;
      cy = turned;
    }
  }

  double heightAt(double dx, double dy) const { return height + gradientX * dx + gradientY * dy; }

  template <class Add>
  void wholeRim(Add&& add) const {
    rim([&](double dx, double dy, std::uint32_t feature) { add(x + dx, y + dy, heightAt(dx, dy), feature); });
  }

  // Outline corners carry their own height in s; where takesRim is not set they are the only source of heights.
  template <class Add>
  void withPolygon(const Outline& outline, double slop, Add&& add) const {
    DiscOverlap placed = *this;
    if (takesRim && outline.count > 0) {
      // The incident plane goes through its corners.
      placed.height = outline.corners[0].s - gradientX * (outline.corners[0].x - x) - gradientY * (outline.corners[0].y - y);
      int inside = 0;
      placed.rim([&](double dx, double dy, std::uint32_t feature) {
        if (!outline.contains(x + dx, y + dy, slop)) return;
        add(x + dx, y + dy, placed.heightAt(dx, dy), feature);
        ++inside;
      });
      if (inside == 4) return;
    }
    for (int i = 0; i < outline.count; ++i) {
      const ClipVertex& a = outline.corners[i];
      const ClipVertex& b = outline.corners[i + 1 < outline.count ? i + 1 : 0];
      const double ax = a.x - x, ay = a.y - y, dx = b.x - a.x, dy = b.y - a.y;
      const double r = radius + slop;
      const double c = ax * ax + ay * ay - r * r;
      if (c <= 0.0) add(a.x, a.y, a.s, featureName(FeatureKind::Curved, 0x10000u | a.edge));
      const double aa = dx * dx + dy * dy, bb = ax * dx + ay * dy;
      const double root = bb * bb - aa * c;
      if (!(root > 0.0) || !(aa > 0.0)) continue;
      for (int end = 0; end < 2; ++end) {
        const double t = (-bb + (end ? 1.0 : -1.0) * std::sqrt(root)) / aa;
        if (!(t > 0.0 && t < 1.0)) continue;
        add(a.x + t * dx, a.y + t * dy, a.s + t * (b.s - a.s),
            featureName(FeatureKind::Curved, (end ? 0x30000u : 0x20000u) | a.edge));
      }
    }
  }

  // The other disc lies in the same coordinates; the height is this disc's.
  template <class Add>
  void withDisc(double otherX, double otherY, double otherRadius, double slop, Add&& add) const {
    int inside = 0;
    rim([&](double dx, double dy, std::uint32_t feature) {
      if (hypotenuse(x + dx - otherX, y + dy - otherY) > otherRadius + slop) return;
      add(x + dx, y + dy, heightAt(dx, dy), feature);
      ++inside;
    });
    if (inside == 4) return;
    DiscOverlap other = *this;
    other.radius = otherRadius;
    int otherInside = 0;
    other.rim([&](double dx, double dy, std::uint32_t feature) {
      const double px = otherX + dx - x, py = otherY + dy - y;
      if (hypotenuse(px, py) > radius + slop) return;
      add(x + px, y + py, heightAt(px, py), feature + 4);
      ++otherInside;
    });
    if (otherInside == 4) return;
    // Where the two rims cross.
    const double dx = otherX - x, dy = otherY - y;
    const double distance = hypotenuse(dx, dy);
    if (!(distance > 0.0) || distance > radius + otherRadius || distance < std::abs(radius - otherRadius)) return;
    const double along = 0.5 * (distance + (radius - otherRadius) * (radius + otherRadius) / distance);
    const double across = std::sqrt(std::max(0.0, (radius - along) * (radius + along)));
    for (int end = 0; end < 2; ++end) {
      const double sign = end ? -1.0 : 1.0;
      const double px = (dx * along - sign * dy * across) / distance, py = (dy * along + sign * dx * across) / distance;
      add(x + px, y + py, heightAt(px, py), featureName(FeatureKind::Curved, 0x18u + static_cast<std::uint32_t>(end)));
    }
  }
};

}  // namespace cairn
