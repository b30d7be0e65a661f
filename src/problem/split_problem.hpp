// Parts of a contact problem by kind of row, as contact problems of their own, for solvers that know no friction: normals
// alone (friction held) and friction alone (normals held).
#pragma once

#include "cairn/contact_problem.hpp"

namespace cairn {

struct SplitProblem {
  std::unique_ptr<ContactProblem> problem;
  std::vector<int> rows;  // of the whole problem, by row of the part

  Vector pick(const Vector& whole) const;  // the part's impulses
  void putBack(const Vector& part, Vector& whole) const;
};

// Normals of contacts as intervals from 0 to infinity, intervals, and joints if asked for; tangents keep their impulses.
SplitProblem normalsAlone(const ContactProblem& problem, const Vector& impulse, bool withJoints);
// Joints; everything else keeps its impulses.
SplitProblem jointsAlone(const ContactProblem& problem, const Vector& impulse);
// Tangents as intervals of +-mu times the normal impulse, and joints if asked for. Exact for Box and planar contacts;
// hasRoundFriction() says whether there are others, for which this is not possible.
SplitProblem frictionAlone(const ContactProblem& problem, const Vector& impulse, bool withJoints);
bool hasRoundFriction(const ContactProblem& problem);

}  // namespace cairn
