// Laws of friction that a contact problem cannot state, because what an impulse may be depends on the solution: friction
// that is lower once a contact slips, friction of a patch that slides and spins, resistance against rolling. Each is stated
// for a guess, and the problem is solved again until the guess agrees with its solution.
#pragma once

#include <optional>

#include "cairn/contact_problem.hpp"

namespace cairn {

struct AdaptiveLaw {
  enum class Kind : std::uint8_t {
    Static,    // a contact block that starts with static friction and falls back to the dynamic one when it slips
    Patch,     // rows t1, t2, n: sliding along two axes and spin about the normal of a round patch (Contensou)
    Rolling,   // rows t1, t2, n: rolling about two axes and spin, torques bounded by length times normal force
    Dragging,  // rows t1, t2: velocity of the centres of mass, force bounded by share of the normal force, while it rolls
  };
  Kind kind = Kind::Static;
  int block = 0;
  std::vector<int> normals{};            // rows of the normal impulses whose sum loads it
  std::array<double, 2> friction{};      // Static: the dynamic one; Patch: along and across, equal
  double radius = 0.0;                   // m, Patch
  double rolling = 0.0, spinning = 0.0;  // m, Rolling
  BlockJacobian base{};                  // rows before they were turned into the direction of motion
  // Patch: the point on the limit surface that belongs to slip tan(angle), once one has been chosen. Where slip is slow it
  // depends on the friction more than friction on it: the point is then found by bisection.
  std::optional<double> angle{};
  double low = 0.0, high = 1.5707963267948966;  // rad: it is between
  int slips = 0;                                // how often it was chosen
};

// m/s: contacts that move slower along the surface count as sticking.
double slipSpeed(const ProblemData& data);

// Changes the laws' rows and bounds to what the solution (impulses, velocities of rows) calls for. False if it agrees with
// them already: nothing changed by more than `tolerance` of the load.
bool adaptLaws(ProblemData& data, std::vector<AdaptiveLaw>& laws, const Vector& impulse, const Vector& velocity,
               double tolerance);

}  // namespace cairn
