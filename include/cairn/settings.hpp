// What a world is told once: gravity, method, threads. Every number has a unit.
#pragma once

#include <string>

#include "cairn/math.hpp"

namespace cairn {

// The default stepper: substeps, soft contacts with a relaxation pass, warm starting.
struct SoftOptions {
  int substeps = 20;
  // How fast a contact without stated stiffness pushes bodies apart: the undamped frequency of the contact's mass on its
  // spring. Never above an eighth of the substep rate, whatever is asked for.
  double contactFrequency = 90.0;     // Hz
  double contactDampingRatio = 10.0;  // of critical damping; above 1 contacts do not ring
  // The share of last step's impulse that the contact spring does not have to hold again. Stiffens resting contact by
  // 1/sqrt(1 - memory) at no cost per substep; 0 turns it off.
  double loadMemory = 0.75;
  double pushOutSpeed = 3.0;      // m/s, at most, out of penetration
  double jointFrequency = 240.0;  // Hz, never above a quarter of the substep rate
  double jointDampingRatio = 2.0;
};

// The contact solver of the steppers that let it be chosen (all but "soft").
struct SolverSettings {
  std::string name = "auto";  // with options if wanted: "bgs:order=random"; see solverNames()
  double tolerance = 1e-5;    // on Residual::forTolerance()
  int iterations = 1000;      // at most, for each island; 0: the solver's own limit
  double milliseconds = 0.0;  // at most, for each island; 0: none. With a limit, results depend on the machine.
};

// The law of friction that those steppers put into their contact problems.
struct FrictionSettings {
  std::string law = "auto";  // "cone", "pyramid", "box", "none"; "auto": the roundest that the solver takes
  int facets = 8;            // of pyramids: even, at least 4
};

// The plain velocity formulation (Erleben eq. 20-33): one contact problem per island and step.
struct VelocityOptions {
  double stabilisation = 0.2;  // share of a penetration or joint error that a step takes back
  double slop = 5e-4;          // m of penetration that is left alone, so that resting contacts stay contacts
  double pushOutSpeed = 3.0;   // m/s, at most, out of penetration
};

// What a step keeps so that it can be checked.
enum class Audit {
  None,
  Residual,  // StepReport::solve says how well the step's contact problems were solved, also for "soft"
  Problems,  // and World::contactProblems() has them
};

struct SleepOptions {
  bool enabled = false;
  double linearSpeed = 0.02;   // m/s
  double angularSpeed = 0.05;  // rad/s
  double seconds = 0.5;        // a whole island must be slower than both for this long
};

struct WorldSettings {
  Vec3 gravity{0.0, 0.0, -9.81};  // m/s^2
  std::string stepper = "soft";
  int threads = 1;                    // the bits do not depend on it
  double speculativeDistance = 0.02;  // m: contacts are made this early
  double restitutionSpeed = 0.1;      // m/s: slower approaches do not bounce
  double maximumCoordinate = 1e7;     // m: a body beyond is quarantined
  double maximumSpeed = 1e5;          // m/s: a body faster than that is quarantined
  SolverSettings solver{};
  FrictionSettings friction{};
  SoftOptions soft{};
  VelocityOptions velocity{};
  SleepOptions sleep{};
  Audit audit = Audit::None;
};

}  // namespace cairn
