// Friction of a round contact patch that slides and spins at once (Contensou 1963).
//
// A patch of radius R that moves with v and turns with w about its normal has at each of its points a slip of its own; the
// sum of friction over the patch is a force along -v and a moment against w that depend on s = v/(R |w|) alone. A spinning
// patch slides as if on ice: the force grows as s instead of jumping to mu N.
#pragma once

#include <cstdint>

namespace cairn {

enum class PatchModel : std::uint8_t {
  Exact,      // uniform pressure, complete elliptic integrals
  Pade,       // uniform pressure, first-order rational: limits are right, F is up to 0.36 and M 0.40 (2/3) wrong between
  PadeHertz,  // the same for the pressure under a ball
  Ellipsoid,  // F^2 + (M/M0)^2 = 1, M0 = 2/3, with maximum dissipation: convex, F up to 0.12 and M 0.15 (2/3) wrong
};

struct PatchFriction {
  double force = 0.0;   // F/(mu N), 0 to 1, against the sliding
  double moment = 0.0;  // M/(mu N R), 0 to M0, against the spinning
};

// slip = v/(R |w|) from 0 (spins only) to infinity (slides only). Negative values and NaN give NaN.
PatchFriction patchFriction(double slip, PatchModel model = PatchModel::Exact);

// Where a load of force F and moment M (in the units of PatchFriction, not negative) meets the limit surface of the exact
// law when it is scaled up or down: a patch sticks as long as its load is within, scale >= 1. `slip` is that of the point.
struct PatchLimit {
  double scale = 0.0;
  double slip = 0.0;
};
PatchLimit patchLimit(const PatchFriction& load);

// Radius (m) of the patch under a ball: (3 N R/(4 E))^(1/3) with the normal force N (N), the reduced radius R = 1/(1/R1 +
// 1/R2) (m) and the contact modulus E = 1/((1-nu1^2)/E1 + (1-nu2^2)/E2) (Pa). Zero if the force is not positive.
double hertzPatchRadius(double normalForce, double reducedRadius, double contactModulus);

}  // namespace cairn
