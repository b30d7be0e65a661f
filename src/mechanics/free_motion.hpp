// The motion of a body that nothing touches, and the torque-free part of the motion of others.
#pragma once

#include "cairn/settings.hpp"
#include "dynamics/body.hpp"

namespace cairn {

enum class Integrator : std::uint8_t { Momentum, Euler, RungeKutta4, CashKarp };
inline constexpr std::array<std::string_view, 4> kIntegratorNames = {"momentum", "euler", "rk4", "cash_karp"};

// How free bodies move.
struct FreeMotion {
  Vec3 gravity = Vec3::Zero();  // m/s^2
  Integrator integrator = Integrator::Momentum;
};
FreeMotion freeMotion(const WorldSettings& settings);  // throws std::invalid_argument if the integrator has no such name

// How far (rad) free rotation turns the spin within dt, at most. Judged by the whole spin, not by its part across the
// principal axes: a top's axis is pushed aside within the step.
inline double gyroscopicTurn(const Body& body, double dt) { return body.anisotropy * body.spin.norm() * dt; }

// The mean angular acceleration of free rotation over dt: what the spin would change by if nothing touched the body.
Vec3 gyroscopicAcceleration(const Body& body, double dt, Integrator integrator = Integrator::Momentum);

// Moves a body without constraints by dt, in double.
//   Momentum     exact for a constant force; the midpoint rule for rotation, which keeps its energy and momentum
//   Euler        semi-implicit: velocities first, explicit gyroscopic torque
//   RungeKutta4  classical
//   CashKarp     order five, as many steps as 1e-10 takes
void moveFree(Body& body, const FreeMotion& motion, double dt, int substeps);

// What drag takes from a body's velocity and spin in dt. Implicit, so that no drag is too strong for any dt.
void slowByDrag(Body& body, const Drag& drag, double dt);

// The velocity at the end of dt if nothing touched the body (u_free): loads, gravity, free rotation, damping.
struct FreeVelocity {
  Vec3 linear, angular;
};
FreeVelocity freeVelocity(const Body& body, const FreeMotion& motion, double dt);

}  // namespace cairn
