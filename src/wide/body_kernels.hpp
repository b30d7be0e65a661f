// Free motion of bodies within a substep: every body is two rows of eight numbers (wide::SolverBody), and so is what acts on
// it.
#pragma once

#include <cstddef>

#include "wide/contact_block.hpp"

namespace cairn::wide {

// Linear part, angular part, two unused: as in a SolverBody's row.
struct alignas(32) BodyRow {
  float linear[3] = {0, 0, 0};
  float angular[3] = {0, 0, 0};
  float unused[2] = {0, 0};
};

struct BodyRows {
  SolverBody* bodies;
  const BodyRow* accelerations;  // m/s^2, rad/s^2
  const BodyRow* damping;        // 1/(1 + h d) in each column; null: none is damped
  BodyRow* marks;                // see below
};

// Between integration and the end of relaxation a mark is the velocity free of this substep's contact impulses. After that
// it is (with markChange) or stands for (without) the change that those impulses made. Contact anchors stay the same within
// a step, so adding that change is the same as applying every impulse again: the next substep starts warm at the cost of one
// addition per body.
//
//   change = marked ? mark : v - mark;   mark = (v + h a) damping, within the limits;   v = mark + change
void integrateVelocities(const BodyRows& rows, std::size_t first, std::size_t last, float h, const BodyRow& limits,
                         bool marked);
void markChange(const BodyRows& rows, std::size_t first, std::size_t last);  // mark = v - mark
void integratePositions(SolverBody* bodies, std::size_t first, std::size_t last, float h);

}  // namespace cairn::wide
