// Vectors and matrices in and out of lanes.
#pragma once

#include <Eigen/Core>

#include "wide/contact_block.hpp"

namespace cairn::wide {

inline void set(Lane3& lanes, int lane, const Eigen::Vector3d& v) {
  for (int k = 0; k < 3; ++k) lanes[k][lane] = static_cast<float>(v[k]);
}
inline Eigen::Vector3d get(const Lane3& lanes, int lane) { return {lanes[0][lane], lanes[1][lane], lanes[2][lane]}; }
// Symmetric.
inline void set(Lane (&lanes)[6], int lane, const Eigen::Matrix3d& m) {
  const double values[6] = {m(0, 0), m(1, 1), m(2, 2), m(0, 1), m(0, 2), m(1, 2)};
  for (int k = 0; k < 6; ++k) lanes[k][lane] = static_cast<float>(values[k]);
}

}  // namespace cairn::wide
