// Many impacts at once. Rigid bodies do not say what then happens; models differ legitimately (Newton's cradle), so the
// model is named. docs/laws.md tells them slowly.
//
//   Simultaneous   All contacts share one compression and one expansion.
//                  Newton's rows:   0 <= lambda_n  ⟂  v_n+ + e min(0, v_n-) >= 0                    (Erleben eq. 21)
//                  Poisson's rows:  compression with e = 0 gives lambda_c; then on top of it
//                                   lambda_n >= e lambda_c,n  ⟂  v_n+ >= 0                          (STAR §2)
//                  with the friction of the problem's blocks. Newton's rows beside Poisson's take part in compression too,
//                  and reach their v_n+ in the expansion. Such sets may gain energy, and friction may wedge contacts so that
//                  there are no such velocities; then all e shrink by one factor (at 0 neither happens).
//   Sequential     The contact that approaches fastest (ties: the lowest block) has an impact of its own, again and again,
//                  while joints hold.
//   SequentialByBlock  The same, but always the lowest block that approaches. With e between 0 and 1 the order matters.
#pragma once

#include <span>

#include "cairn/contact_problem.hpp"
#include "cairn/shape.hpp"

namespace cairn {

// Of one block; ignored for joints.
struct ImpactParameters {
  ImpactLaw law = ImpactLaw::Newton;
  double restitution = 0.0;            // 0 to 1
  double tangentialRestitution = 0.0;  // -1 to 1; ChatterjeeRuina only
};

enum class ImpactOrder : std::uint8_t { Simultaneous, Sequential, SequentialByBlock };

struct ImpactEvent {
  int block = 0;
  double approach = 0.0;      // m/s, before, positive closing
  BlockVector impulse{};      // N s
  double energyChange = 0.0;  // J, work of this contact's impulse alone
};

struct ImpactsResult {
  Vector impulse{};                   // N s, of all rows, joints too
  double energyChange = 0.0;          // J, of the kinetic energy
  double restitutionFactor = 1.0;     // on all e (sequential: the smallest on any); 1 unless that would not do
  int collisions = 0;                 // contacts that pushed (simultaneous), single impacts (sequential)
  std::vector<ImpactEvent> events{};  // of contacts; work of joints, and of a last plastic impact, is in energyChange only
  std::string message{};              // what went wrong, or what was done about it
  bool ok = false;                    // false: do not use the impulses
};

inline constexpr int kMostCollisions = 20000;

// The problem's freeVelocity is the velocity before (a problem without bodies: bias). Blocks: Free for joints; Cone,
// Pyramid, Box, or Interval of one row from 0 to infinity for contacts. No compliance. A bias is
// the speed of what moves the rows and cannot be pushed (kinematic bodies); energies are then those of the relative motion.
// One ImpactParameters for each block. `solver` is a name for makeSolver (which throws std::invalid_argument for others);
// sequential impacts need it only if they do not come to an end. `tolerance`: of the solver; and the speed of approach, over
// the fastest before, that sequential impacts leave. Single impacts use the ellipse of the block's two coefficients,
// whichever shape its law has.
ImpactsResult resolveImpacts(const ContactProblem& problem, std::span<const ImpactParameters> parameters, ImpactOrder order,
                             const std::string& solver, double tolerance);

}  // namespace cairn
