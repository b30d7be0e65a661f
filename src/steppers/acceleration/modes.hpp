// Forces at an instant, and which contacts push, stick and slide.
//
// With every contact's mode known, forces follow from linear equations (STAR §3, bilateral part):
//
//   J_k u' + drift_k = 0,   u' = M^-1 (f + sum J_k^T lambda_k)
//
// for joints, normals of active contacts and tangents of sticking ones. A sliding contact pushes along J_n^T - mu J_t^T d.
//
// Modes are decided, at events only, by the complementarity problem of accelerations (formulations of STAR §3.2):
//
//   0 <= lambda_n  ⟂  a_n >= 0;  where slip is zero, friction in the cone against the tangential acceleration.
//
// A sliding contact with p = W_nn - mu W_nt.d <= 0 is Painleve's: pushing harder pulls the bodies together. If it would
// accelerate into the surface no force can stop that, and the contact is inconsistent; if not, both resting and opening are
// solutions, and opening is taken.
#pragma once

#include <string>

#include "steppers/acceleration/rows.hpp"

namespace cairn {

struct Tolerances {
  double speed = 0.0;         // m/s: slower approach and slip are none
  double acceleration = 0.0;  // m/s^2, that stands for the loads: what differences are measured against
  double force = 0.0;         // N: less is none
};

struct Forces {
  RowSet rows;
  Vector lambda;        // N or N m, of all rows
  Vector acceleration;  // 6 a body
};
// With the modes as they are.
Forces forcesOf(const SmoothIsland& island, const IslandState& state, const std::vector<ActiveContact>& contacts,
                const Tolerances& tolerances);

// How far forces are from breaking the modes (N, divided by the largest force): negative if they do.
double normalReserve(const Forces& forces, std::size_t contact, const Tolerances& tolerances);
double stickReserve(const Forces& forces, std::size_t contact, double friction, const Tolerances& tolerances);

enum class Verdict : std::uint8_t {
  Consistent,
  Inconsistent,  // Painleve: `culprit` is the contact
  Unsolved,      // the solvers failed
};
struct Decision {
  Verdict verdict = Verdict::Consistent;
  std::vector<ActiveContact> contacts;  // that push
  ActiveContact culprit{};
  std::string note;  // something out of the ordinary
};
// Of points that touch and do not move along the normal. Modes of the given contacts say which of them slide now.
Decision decideModes(const SmoothIsland& island, const IslandState& state, const std::vector<ActiveContact>& touching,
                     const Tolerances& tolerances);

// W of one contact (rows n, t1, t2) while joints hold; and what joints answer to a unit impulse of it.
struct ContactMobility {
  Mat3 w = Mat3::Zero();
  Matrix jointAnswer;  // joint rows x 3
};
ContactMobility mobilityOf(const Matrix& w, const RowSet& rows, std::size_t contact);

}  // namespace cairn
