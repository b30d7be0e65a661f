// The springs of the stepper "penalty": forces, and what of them follows from restitution, speed and thickness.
//
//   linear   F = k d + c d'                     d = -g > 0, the depth
//   hertz    F = k d^1.5 (1 + 1.5 alpha d')     Hunt and Crossley
//   both     F >= 0
//
// Restitution decides on c and alpha, exactly for one contact:
//
//   linear   c = 2 zeta sqrt(k m); F = 0 lets go of the body before d = 0, so that (Schwager and Poeschel 2007), with
//            s = sqrt(|1 - zeta^2|),
//              e = exp(-zeta/s (pi - atan2(2 zeta s, 1 - 2 zeta^2)))           zeta < 1
//              e = exp(-zeta/s ln((zeta + s)/(zeta - s)))                      zeta > 1
//   hertz    with x = 1.5 alpha v:  x - ln(1 + x) = -e x - ln(1 - e x), from m d'' = -F with d' as a function of d
#pragma once

namespace cairn {

struct ContactSpring {
  double stiffness = 0.0;  // N/m, N/m^1.5
  double damping = 0.0;    // N s/m; linear only
  double alpha = 0.0;      // s/m; hertz only
  bool hertz = false;

  struct Response {
    double force = 0.0, stiffness = 0.0, damping = 0.0;  // N, N/m, N s/m
  };
  // At a depth d (m) that grows by d' (m/s).
  Response at(double depth, double rate) const;
  // The mean force on a straight way from one depth to another within h (s), and its slope by the second (N/m). The elastic
  // part is (V(to) - V(from))/(to - from) with the spring's energy V: what the spring takes on the way in, from wherever the
  // step begins, it gives back on the way out, to the last bit.
  Response mean(double from, double to, double h) const;

  double energy(double depth) const;                                                // V, J
  double contactSeconds(double mass, double speed) const;                           // s, of an impact without damping
  static double stiffnessFor(double depth, double mass, double speed, bool hertz);  // that lets it in no deeper
};

double dampingRatio(double restitution);        // zeta
double huntCrossleyFactor(double restitution);  // 1.5 alpha v

}  // namespace cairn
