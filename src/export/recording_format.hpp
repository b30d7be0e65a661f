// Names in a recording (.h5), for its writer and its reader. docs/recordings.md describes them.
#pragma once

namespace cairn::recording {

inline constexpr const char* kFormat = "cairn-recording 2";
inline constexpr const char* kFormatAttribute = "format";

inline constexpr const char* kScene = "scene";    // bytes of JSON: what the lab says about the scene
inline constexpr const char* kReport = "report";  // bytes of JSON; none until the run has ended

inline constexpr const char* kBodies = "bodies";
inline constexpr const char* kName = "name";      // strings, by body
inline constexpr const char* kKind = "kind";      // strings, by body
inline constexpr const char* kMass = "mass";      // kg, by body; 0: cannot be moved
inline constexpr const char* kCenter = "center";  // m, by body: centre of mass in the body's frame

inline constexpr const char* kSteps = "steps";  // a row for each moment that was kept
inline constexpr const char* kStep = "step";
inline constexpr const char* kTime = "time";                // s
inline constexpr const char* kPositions = "positions";      // rows x bodies x 3, m
inline constexpr const char* kRotations = "rotations";      // rows x bodies x 4, w x y z
inline constexpr const char* kVelocities = "velocities";    // rows x bodies x 3, m/s
inline constexpr const char* kSpins = "spins";              // rows x bodies x 3, rad/s
inline constexpr const char* kKinetic = "kinetic";          // J
inline constexpr const char* kPotential = "potential";      // J
inline constexpr const char* kPenetration = "penetration";  // m
inline constexpr const char* kResidual = "residual";
inline constexpr const char* kJointError = "joint_error";  // m
inline constexpr const char* kMs = "ms";
inline constexpr const char* kPhaseMs = "phase_ms";  // rows x phases
inline constexpr const char* kIterations = "iterations";
inline constexpr const char* kContactCount = "contacts";
inline constexpr const char* kIslands = "islands";
inline constexpr const char* kAwake = "awake";
inline constexpr const char* kStateHash = "state_hash";
inline constexpr const char* kContactsEnd = "contacts_end";  // where the row's contacts end in the table below

inline constexpr const char* kContacts = "contacts";  // all contact points of all rows, one after the other
inline constexpr const char* kBodyA = "body_a";
inline constexpr const char* kBodyB = "body_b";
inline constexpr const char* kPoint = "point";      // m
inline constexpr const char* kNormal = "normal";    // from A to B
inline constexpr const char* kImpulse = "impulse";  // N s, on B
inline constexpr const char* kGap = "gap";          // m
inline constexpr const char* kFriction = "friction";

}  // namespace cairn::recording
