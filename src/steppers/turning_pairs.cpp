#include "steppers/turning_pairs.hpp"

#include "geometry/distance.hpp"
#include "steppers/impulse/passes.hpp"

namespace cairn {

namespace {

constexpr double kTouching = 0.01;  // of `apart`: nearer is touching

}  // namespace

std::vector<TurningMeeting> turningMeetings(const System& system, double dt, double apart) {
  const auto motionOf = [&](std::uint32_t index) {
    const Body& body = system.bodies[index];
    SteadyMotion motion{{body.center, body.rotation}};
    if (body.moves()) motion.velocity = body.velocity, motion.spin = body.spin;
    return motion;
  };
  std::vector<TurningMeeting> meetings;
  for (const Pair& pair : system.broad.pairs) {
    const Collider& a = system.colliders[pair.a];
    const Collider& b = system.colliders[pair.b];
    double turn = 0.0;
    const std::array<const Collider*, 2> both = {&a, &b};
    for (const Collider* collider : both) {
      const Body& body = system.bodies[collider->body];
      if (body.moves() && !isBall(*collider)) turn = std::max(turn, dt * body.spin.norm());
    }
    if (turn <= kTurnPerPass) continue;
    if (signedDistance(a.shape, a.pose, b.shape, b.pose).distance <= apart) continue;  // it has its row
    bool surely = true;
    const double time = firstMeeting(a, motionOf(a.body), b, motionOf(b.body), dt, kTouching * apart, surely);
    if (!surely || time < dt) meetings.push_back({a.body, b.body, turn});
  }
  return meetings;
}

}  // namespace cairn
