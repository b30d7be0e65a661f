// What a world is told once: gravity, method, threads. Every number has a unit.
#pragma once

#include <string>
#include <vector>

#include "cairn/math.hpp"
#include "cairn/shape.hpp"

namespace cairn {

// The default stepper: substeps, soft contacts with a relaxation pass, warm starting.
struct SoftOptions {
  // Of each step. An island gets as many as its loads, height and slenderness ask for, between the two.
  int substeps = 20;
  int leastSubsteps = 8;
  // How fast a contact without stated stiffness pushes bodies apart: the undamped frequency of the contact's mass on its
  // spring. Never above 3/16 of the substep rate, whatever is asked for.
  double contactFrequency = 180.0;   // Hz
  double contactDampingRatio = 2.0;  // of critical damping; above 1 contacts do not ring
  double pushOutSpeed = 3.0;         // m/s, at most, out of penetration
  double jointFrequency = 240.0;     // Hz, never above a quarter of the substep rate
  double jointDampingRatio = 2.0;
  // Small islands whose contacts carry more than their springs can are solved as one system, whatever the masses.
  bool direct = true;
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

// Fixed time steps with one linear complementarity problem each (Anitescu eq. 4.11, Stewart and Trinkle).
struct LcpOptions {
  std::string variant =
      "anitescu";              // "anitescu", "stewart_trinkle" (no restitution), "anitescu_potra" (no gap term: drifts)
  double stabilisation = 1.0;  // gamma, 0 < gamma <= 1: share of a gap or penetration that the step closes
  double slop = 1e-6;          // m: contacts that are nearer count as touching
  double bounceSpeed = 0.0;    // m/s: slower impacts do not bounce; 0: twice what gravity adds in a step
  double pushOutSpeed = 10.0;  // m/s, at most, out of penetration
};

// Velocity-based shock propagation (Erleben figure 14).
struct ShockOptions {
  double share = 0.01;           // a: share of the step that is solved for the whole stack at once; the rest layer by layer
  int iterations = 10;           // of the solver, for dynamics
  int correctionIterations = 5;  // of the solver, for positions
  double slop = 5e-4;            // m of penetration that is left alone
  double correctionShare = 1.0;  // of a penetration, in each correction
};

// Gaps at the end of the step, by fixpoint iteration over complementarity problems (GALILEO §2.3).
struct ImplicitOptions {
  double tolerance = 1e-8;     // m: how far a pass may still move any body, and how deep contacts may be
  int passes = 10;             // then the step is halved
  int halvings = 4;            // then the step ends as it is, and says so
  double pushOutSpeed = 10.0;  // m/s, at most, out of penetration that was there before the step
};

// Least constraint in motion space (Redon), without friction.
struct GaussOptions {
  std::string order = "second";  // "second": masses and velocities; "first": quasi-static, velocity follows force
  double relaxation = 0.1;       // s: first order only, velocity = relaxation times acceleration
  double slop = 1e-5;            // m of penetration that is left alone
};

// Forces at every instant, events located in time (STAR §3.2, formulations of acceleration).
struct AccelerationOptions {
  double tolerance = 1e-9;             // relative, of the integration between events
  double eventSeconds = 1e-9;          // s: how exactly events are located
  std::string location = "bisection";  // or "conservative": advancement that never oversteps a contact
  int events = 1000;                   // at most, in a step and island; the rest of the step is then one lcp step
  double zenoSeconds = 1e-4;           // s: bounces that would all be over sooner end at once
};

// Impulses only (Mirtich; Guendelman, Bridson and Fedkiw).
struct ImpulseOptions {
  std::string method = "mirtich";  // events on a heap of impact times; or "guendelman": collisions, contacts, shock
  double envelope = 1e-3;          // m: bodies this near touch; slow ones there get micro-collisions
  int events = 200;                // at most, per body and step (mirtich)
  int collisionPasses = 5;         // guendelman
  int contactPasses = 10;          // guendelman
  bool shock = true;               // guendelman: a last pass by layers, infinite mass below
};

// Springs and dampers in the contacts.
struct PenaltyOptions {
  std::string law = "linear";  // or "hertz": force grows with depth^1.5
  double stiffness = 1e6;      // N/m (hertz: N/m^1.5) of a contact point whose material states none
  // N s/m, at least, of linear contacts that carry (implicit); never below critical. Of what bounces it follows from the
  // restitution.
  double damping = 1e3;
  double frictionStiffness = 5e5;  // N/m
  double frictionDamping = 1e3;    // N s/m
  bool implicit = true;            // else by repetition, all contacts in substeps of a twentieth of an impact
  int substeps = 4;                // at least; impacts take about twenty more
};

// Impulses where contacts are brief, constraints where they last, for each contact (GALILEO §4 names it as open).
struct HybridOptions {
  double lastingFlight = 2.0;  // steps: a bounce shorter than this makes a contact lasting ...
  double stackFlight = 4.0;    // ... or than this, in an island with two or more loaded contacts
  double releaseFlight = 4.0;  // steps: an impact that flies longer makes it brief again
  int releaseSteps = 3;        // steps without load until a lasting contact is brief again
};

// How several impacts at one instant are resolved.
struct ImpactSettings {
  std::string order =
      "simultaneous";  // or "sequential": one after the other, the first pair that approaches again and again
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
  double weldDistance = 2e-3;         // m: radius of the ball that feels what abutting shapes are together; 0: each by itself
  double restitutionSpeed = 0.1;      // m/s: slower approaches do not bounce
  double maximumCoordinate = 1e7;     // m: a body beyond is quarantined
  double maximumSpeed = 1e5;          // m/s: a body faster than that is quarantined
  // Of free motion: "momentum" (midpoint rule, keeps energy and momentum of rotation), "euler" (semi-implicit), "rk4",
  // "cash_karp" (adaptive, to 1e-10)
  std::string integrator = "momentum";
  // Of joints in contact problems: "multipliers" (rows of the problem), or "elimination" (joints that form trees are part of
  // the masses: exact under every solver, and no rows). "soft" eliminates trees in any case.
  std::string jointMethod = "multipliers";
  std::vector<MaterialPair> pairs{};
  SolverSettings solver{};
  FrictionSettings friction{};
  ImpactSettings impact{};
  SoftOptions soft{};
  VelocityOptions velocity{};
  LcpOptions lcp{};
  ShockOptions shock{};
  ImplicitOptions implicit{};
  GaussOptions gauss{};
  AccelerationOptions acceleration{};
  ImpulseOptions impulse{};
  PenaltyOptions penalty{};
  HybridOptions hybrid{};
  SleepOptions sleep{};
  Audit audit = Audit::None;
};

}  // namespace cairn
