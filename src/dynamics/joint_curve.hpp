// A smooth curve through points (Catmull and Rom's spline), for joints whose point runs on it. The parameter counts points:
// point i is at i. Open curves go on straight beyond their ends.
#pragma once

#include <vector>

#include "cairn/math.hpp"

namespace cairn {

class JointCurve {
 public:
  JointCurve(std::vector<Vec3> points, bool closed);

  struct Place {
    Vec3 point, first, second;  // and derivatives by the parameter
  };
  Place at(double parameter) const;
  double arc(double parameter) const;  // m, from the first point
  double length() const { return arcs_.back(); }
  bool closed() const { return closed_; }
  // The parameter of the nearest point that is reached from `guess` without leaving a valley.
  double nearest(const Vec3& point, double guess) const;
  double nearestOfAll(const Vec3& point) const;

 private:
  int pieces() const { return static_cast<int>(points_.size()) - (closed_ ? 0 : 1); }
  Place onPiece(int piece, double share) const;
  double arcOnPiece(int piece, double share) const;

  std::vector<Vec3> points_;
  bool closed_;
  std::vector<double> arcs_;  // m, where each piece begins, and the end
};

}  // namespace cairn
