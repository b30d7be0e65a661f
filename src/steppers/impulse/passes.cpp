#include "steppers/impulse/passes.hpp"

#include "base/stop.hpp"
#include "math/rotation.hpp"
#include "mechanics/integrate.hpp"
#include "steppers/stack_layers.hpp"

namespace cairn {

namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr double kSoftest = -0.9;  // restitution of the first contact pass
constexpr double kStill = 1e-9;    // m/s: slower approaches are none
constexpr double kNear = 0.1;      // of the envelope: fast bodies that come so near on their way meet
constexpr double kDeep = 0.1;      // of half the thickness: what they may sink in by without being hindered
constexpr int kMeetingRounds = 4;  // of passes after what was met on the way

double reachOf(const Collider& collider) {
  return collider.radius < 1e9 ? collider.radius : 0.0;
}  // m; a plane does not turn

}  // namespace

ContactPasses::ContactPasses(StepContext& context, PointImpulses& impulses, const std::vector<char>& takesPart,
                             std::span<const ImpulsePair> pairs, double h)
    : context_(context),
      system_(context.system),
      impulses_(impulses),
      motion_(freeMotion(context.settings)),
      h_(h),
      prediction_(context.system.bodies.size()) {
  for (std::uint32_t i = 0; i < system_.bodies.size(); ++i) {
    const Body& body = system_.bodies[i];
    Prediction& to = prediction_[i];
    if (body.moves()) to.velocity = body.velocity, to.spin = body.spin;
    if (body.moves() && body.isDynamic() && takesPart[i] != 0) {
      const FreeVelocity free = freeVelocity(body, motion_, h);
      to.velocity = free.linear;
      to.spin = free.angular;
      bodies_.push_back(i);
      start_.push_back(body);
    }
    to.pose = displaced({body.center, body.rotation}, h * to.velocity, h * to.spin);
  }
  for (const ImpulsePair& pair : pairs) {
    if (takesPart[pair.bodyA] == 0 && takesPart[pair.bodyB] == 0) continue;
    pairs_.push_back(pair);
    if (meet(pair, true)) continue;
    const Prediction& a = prediction_[pair.bodyA];
    const Prediction& b = prediction_[pair.bodyB];
    const double spins = a.spin.norm() * reachOf(system_.colliders[pair.colliderA]) +
                         b.spin.norm() * reachOf(system_.colliders[pair.colliderB]);
    const double travel = h * ((b.velocity - a.velocity).norm() + spins);
    // Wide enough for what the passes may turn the bodies by, unless they may be on the wrong side of each other.
    const double margin = context.settings.speculativeDistance + (travel <= thinnest(pair) ? travel : 0.0);
    addPatches(pair, a.pose, b.pose, 0.0, margin, kNever);
  }
}

bool ContactPasses::addPatches(const ImpulsePair& pair, const Pose& poseA, const Pose& poseB, double left, double margin,
                               double deepest) {
  bool any = false;
  const Prediction& a = prediction_[pair.bodyA];
  const Prediction& b = prediction_[pair.bodyB];
  impulses_.touch(pair, poseA, poseB, margin, [&](PatchPoints& points, int count) {
    Patch patch;
    patch.pair = pair;
    patch.count = count;
    patch.impulse.fill(Vec3::Zero());
    bool matters = false;
    for (int i = 0; i < count; ++i) {
      ImpulsePoint& point = points[i];
      const Vec3 velocity = b.velocity + b.spin.cross(point.armB) - a.velocity - a.spin.cross(point.armA);
      patch.predicted[i] = point.axes.col(0).dot(velocity);
      patch.pending[i] = loaded_ ? 0.0 : patch.predicted[i] - impulses_.velocity(pair, point)[0];
      const Vec3 now = loaded_ ? impulses_.velocity(pair, point) : Vec3(patch.predicted[i], 0.0, 0.0);
      point.gap += left * patch.predicted[i];
      matters |= point.gap + h_ * (now[0] - patch.predicted[i]) < deepest;
    }
    if (!matters) return;
    patch.points = points;
    patches_.push_back(patch);
    any = true;
  });
  return any;
}

SteadyMotion ContactPasses::motionOf(std::uint32_t index, bool predicted) const {
  const Body& body = system_.bodies[index];
  const Prediction& to = prediction_[index];
  SteadyMotion motion{{body.center, body.rotation}};
  if (!body.moves()) return motion;
  motion.velocity = predicted ? to.velocity : body.velocity;
  motion.spin = predicted ? to.spin : body.spin;
  return motion;
}

double ContactPasses::thinnest(const ImpulsePair& pair) const {
  return std::min(halfThickness(system_.colliders[pair.colliderA].shape),
                  halfThickness(system_.colliders[pair.colliderB].shape));
}

bool ContactPasses::meet(const ImpulsePair& pair, bool predicted) {
  const Collider& a = system_.colliders[pair.colliderA];
  const Collider& b = system_.colliders[pair.colliderB];
  const SteadyMotion motionA = motionOf(pair.bodyA, predicted), motionB = motionOf(pair.bodyB, predicted);
  const double travel = h_ * ((motionB.velocity - motionA.velocity).norm() + motionA.spin.norm() * reachOf(a) +
                              motionB.spin.norm() * reachOf(b));
  const double thin = thinnest(pair);
  if (travel <= thin) return false;
  bool surely = true;
  const double nearness = kNear * context_.settings.impulse.envelope;
  const double time = firstMeeting(a, motionA, b, motionB, h_, nearness, surely);
  if (!surely && context_.report.method.message.empty())
    context_.report.method.message = "a body moves too fast to be followed on its way through the step in " +
                                     std::to_string(kMostMeetingLooks) + " looks: contacts may have been missed";
  return time < h_ && addPatches(pair, motionA.at(time), motionB.at(time), h_ - time, 2.0 * nearness, -kDeep * thin);
}

void ContactPasses::hinderMeetings(int passes) {
  for (int round = 0; round < kMeetingRounds; ++round) {
    bool met = false;
    for (const ImpulsePair& pair : pairs_) met |= meet(pair, false);
    if (!met) return;
    for (int pass = 0; pass < passes; ++pass)
      for (Patch& patch : patches_) hinder(patch, 0.0);
  }
  if (context_.report.method.message.empty())
    context_.report.method.message =
        "a fast body meets others wherever the passes send it: one of them may have been missed";
}

double ContactPasses::gapAfter(const Patch& patch, int i) const {
  const double speed = impulses_.velocity(patch.pair, patch.points[i])[0] + patch.pending[i];
  return patch.points[i].gap + h_ * (speed - patch.predicted[i]);
}

bool ContactPasses::applyImpacts(const Patch& patch) {
  const auto isDue = [&](int i) {
    return gapAfter(patch, i) <= 0.0 && impulses_.velocity(patch.pair, patch.points[i])[0] < -kStill;
  };
  PatchPoints due;
  int count = 0;
  for (int i = 0; i < patch.count; ++i)
    if (isDue(i)) due[count++] = patch.points[i];
  if (count == 0) return false;
  bool collided = false;
  if (count > 1) collided |= impulses_.applyImpacts(patch.pair, middleOf({due.data(), static_cast<std::size_t>(count)}));
  for (int i = 0; i < patch.count; ++i)
    if (isDue(i)) collided |= impulses_.applyImpacts(patch.pair, patch.points[i]);
  return collided;
}

void ContactPasses::applyImpacts(int passes) {
  bool collided = true;
  for (int pass = 0; pass < passes && collided; ++pass) {
    collided = false;
    for (const Patch& patch : patches_) {
      pollStop();
      collided |= applyImpacts(patch);
    }
  }
}

void ContactPasses::addLoads() {
  for (std::size_t k = 0; k < bodies_.size(); ++k) {
    Body& body = system_.bodies[bodies_[k]];
    body.velocity += prediction_[bodies_[k]].velocity - start_[k].velocity;
    body.spin += prediction_[bodies_[k]].spin - start_[k].spin;
  }
  for (Patch& patch : patches_) patch.pending.fill(0.0);
  loaded_ = true;
}

void ContactPasses::hinder(Patch& patch, double restitution) {
  pollStop();
  for (int i = 0; i < patch.count; ++i) {
    const ImpulsePoint& point = patch.points[i];
    // u_n that leaves the gap closed; out of a penetration that was there before, slower.
    const double gapBefore = point.gap - h_ * patch.predicted[i];
    const double wanted = gapBefore > 0.0 ? -gapBefore / h_ : partingSpeed(gapBefore, h_);
    const double speed = impulses_.velocity(patch.pair, point)[0];
    if (speed >= wanted && patch.impulse[i][0] == 0.0) continue;
    impulses_.settle(patch.pair, point, Vec3(speed + (1.0 + restitution) * (wanted - speed), 0.0, 0.0), patch.impulse[i]);
  }
}

void ContactPasses::contact(int passes) {
  for (int pass = 0; pass < passes; ++pass) {
    const double restitution = passes > 1 ? kSoftest * (1.0 - static_cast<double>(pass) / (passes - 1)) : 0.0;
    for (Patch& patch : patches_) hinder(patch, restitution);
  }
}

void ContactPasses::shock(int passes) {
  const std::vector<int> heights = stackHeights(system_);
  int highest = 0;
  for (const std::uint32_t body : bodies_) highest = std::max(highest, heights[body]);
  context_.report.method.layers = std::max(context_.report.method.layers, highest);
  for (int level = 1; level <= highest; ++level) {
    for (const std::uint32_t body : bodies_) impulses_.hold(body, heights[body] < level);
    for (int pass = 0; pass < passes; ++pass) {
      for (Patch& patch : patches_)
        if (std::max(heights[patch.pair.bodyA], heights[patch.pair.bodyB]) == level) hinder(patch, 0.0);
    }
  }
  for (const std::uint32_t body : bodies_) impulses_.hold(body, false);
  context_.report.method.swallowed = impulses_.swallowed();
}

void ContactPasses::move() {
  for (std::size_t k = 0; k < bodies_.size(); ++k) {
    Body& body = system_.bodies[bodies_[k]];
    // What nothing touched flies as its integrator says.
    if (!impulses_.wasPushed(bodies_[k])) {
      body = start_[k];
      moveFree(body, motion_, h_, 1);
      continue;
    }
    advance(body, h_);
  }
}

int piecesForTurning(const System& system, std::span<const ImpulsePair> pairs, const std::vector<char>& takesPart,
                     double h) {
  double turn = 0.0;  // rad
  for (const ImpulsePair& pair : pairs) {
    if (takesPart[pair.bodyA] == 0 && takesPart[pair.bodyB] == 0) continue;
    const std::array<std::uint32_t, 2> colliders = {pair.colliderA, pair.colliderB};
    for (const std::uint32_t index : colliders) {
      const Collider& collider = system.colliders[index];
      const Body& body = system.bodies[collider.body];
      if (body.moves() && !isBall(collider)) turn = std::max(turn, h * body.spin.norm());
    }
  }
  return static_cast<int>(std::clamp(std::ceil(turn / kTurnPerPass), 1.0, static_cast<double>(kMostTurnPasses)));
}

}  // namespace cairn
