#include "steppers/push_out.hpp"

namespace cairn {

bool pushesTooHard(const System& system, const IslandProblem& island, const Vector& impulse, double speed) {
  const Vector& before = island.problem->data().freeVelocity;
  const Vector after = island.problem->bodyVelocity(impulse);
  double free = 0.0, now = 0.0, allowed = 0.0;  // J
  for (std::size_t i = 0; i < island.bodies.size(); ++i) {
    const Body& body = system.bodies[island.bodies[i]];
    const auto energy = [&](const Vector& velocity) {
      const Vec3 linear = velocity.segment<3>(6 * static_cast<Eigen::Index>(i));
      const Vec3 spin = body.rotation.conjugate() * Vec3(velocity.segment<3>(6 * static_cast<Eigen::Index>(i) + 3));
      return 0.5 * (body.mass * linear.squaredNorm() + spin.dot(body.inertia * spin));
    };
    free += energy(before);
    now += energy(after);
    allowed += 0.5 * body.mass * speed * speed;
  }
  return now > free + allowed;
}

}  // namespace cairn
