#include "steppers/impulse/events.hpp"

#include "base/stop.hpp"
#include "math/rotation.hpp"
#include "mechanics/integrate.hpp"
#include "steppers/impulse/passes.hpp"

namespace cairn {

namespace {

constexpr double kTouching = 0.01;  // of the envelope
constexpr double kHop = 0.1;        // of the envelope
constexpr double kSideLoad = 0.1;   // of gravity
constexpr double kStill = 1e-9;     // m/s: slower approaches are none
constexpr double kSink = 1e-9;      // m: how much deeper bodies that overlap may get before they are looked at again
constexpr int kLooksPerEvent = 20;  // about nine lead to an impact of bodies that turn
constexpr int kMostBounces = 16;    // of one pair at one time

}  // namespace

ImpactEvents::ImpactEvents(StepContext& context, PointImpulses& impulses, double dt)
    : context_(context),
      system_(context.system),
      impulses_(impulses),
      options_(context.settings.impulse),
      motion_(freeMotion(context.settings)),
      dt_(dt),
      touching_(kTouching * options_.envelope),
      hop_(kHop * options_.envelope),
      flights_(context.system.bodies.size()),
      start_(context.system.bodies),
      pairsOf_(context.system.bodies.size()) {
  for (const ImpulsePair& pair : impulses.livePairs()) addPair(pair);
}

void ImpactEvents::leaveAlone(const std::vector<char>& bodies) {
  for (std::size_t i = 0; i < bodies.size(); ++i) flights_[i].done |= bodies[i] != 0;
}

void ImpactEvents::run() {
  for (std::uint32_t i = 0; i < system_.bodies.size(); ++i)
    if (system_.bodies[i].moves()) findPairs(i, 0.0);
  partOverlaps();
  for (std::uint32_t i = 0; i < pairs_.size(); ++i) schedule(i, 0.0);
  while (!heap_.empty()) {
    pollStop();
    const Entry entry = heap_.top();
    heap_.pop();
    if (entry.version != versions_[entry.pair]) continue;
    const ImpulsePair pair = pairs_[entry.pair];
    if (isOver(pair)) continue;
    flyTo(pair.bodyA, entry.time);
    flyTo(pair.bodyB, entry.time);
    const SignedDistance near = distanceOf(pair);
    const bool touched = near.distance <= touching_ && touch(pair, near);
    context_.report.method.events += touched ? 1 : 0;
    for (const std::uint32_t body : {pair.bodyA, pair.bodyB}) {
      ++flights_[body].looks;
      flights_[body].events += touched ? 1 : 0;
    }
    if (isExhausted(pair.bodyA) || isExhausted(pair.bodyB)) {
      finishIsland(pair.bodyA, pair.bodyB, entry.time);
    } else if (touched) {
      for (const std::uint32_t body : {pair.bodyA, pair.bodyB}) findPairs(body, entry.time);
      schedulePairsOf(pair.bodyA, entry.time);
      schedulePairsOf(pair.bodyB, entry.time);
    } else {
      schedule(entry.pair, entry.time);
    }
  }
  for (std::uint32_t i = 0; i < system_.bodies.size(); ++i) flyTo(i, dt_);
}

// No event happens to bodies that overlap and do not move; once a step, those deeper than the envelope are pushed.
void ImpactEvents::partOverlaps() {
  for (const ImpulsePair& pair : pairs_) {
    if (pair.contact == kNone || isOver(pair)) continue;
    impulses_.touch(pair, poseOf(pair.bodyA), poseOf(pair.bodyB), -options_.envelope, [&](PatchPoints& points, int count) {
      std::array<Vec3, kManifoldPoints> targets;
      bool part = true;
      for (int i = 0; i < count; ++i) {
        // With what loads take back within the step.
        const double load = 0.5 * dt_ * approachingLoad(pair, points[i].axes.col(0));
        targets[i] = Vec3(partingSpeed(points[i].gap, dt_) + load, 0.0, 0.0);
        part &= impulses_.velocity(pair, points[i])[0] >= targets[i][0];
      }
      const auto size = static_cast<std::size_t>(count);
      if (!part) impulses_.settlePatch(pair, {points.data(), size}, {targets.data(), size});
    });
  }
}

void ImpactEvents::flyTo(std::uint32_t index, double time) {
  Body& body = system_.bodies[index];
  Flight& flight = flights_[index];
  if (!body.moves() || flight.done || !(time > flight.time)) return;
  if (body.isDynamic()) {
    moveFree(body, motion_, time - flight.time, 1);
  } else {
    const Pose pose = displaced({start_[index].center, start_[index].rotation}, time * body.velocity, time * body.spin);
    body.center = pose.position;
    body.rotation = pose.rotation;
  }
  flight.time = time;
}

SignedDistance ImpactEvents::distanceOf(const ImpulsePair& pair) const {
  const Collider& a = system_.colliders[pair.colliderA];
  const Collider& b = system_.colliders[pair.colliderB];
  return signedDistance(a.shape, poseOf(pair.bodyA) * a.local, b.shape, poseOf(pair.bodyB) * b.local);
}

FlyingShape ImpactEvents::flying(std::uint32_t collider, double ahead) const {
  const Collider& shape = system_.colliders[collider];
  return {shape, poseOf(shape.body), motionBound(system_.bodies[shape.body], motion_, ahead)};
}

void ImpactEvents::schedule(std::uint32_t index, double now) {
  pollStop();
  const ImpulsePair& pair = pairs_[index];
  ++versions_[index];
  if (isOver(pair)) return;
  flyTo(pair.bodyA, now);
  flyTo(pair.bodyB, now);
  const double ahead = dt_ - now;
  const FlyingShape a = flying(pair.colliderA, ahead), b = flying(pair.colliderB, ahead);
  if (!sweptBox(a, ahead).overlaps(sweptBox(b, ahead))) return;
  const SignedDistance near = distanceOf(pair);
  const double gap = near.distance;
  // Aims at half the distance that counts as touching; of bodies that touch already, at a little less than there is.
  const double goal = gap > touching_ ? 0.5 * touching_ : gap > 2.0 * kSink ? 0.5 * gap : gap - kSink;
  const double wait = earliestClosing(gap - goal, near.normal, a, b, ahead);
  if (now + wait < dt_) heap_.push({now + wait, index, versions_[index]});
}

void ImpactEvents::schedulePairsOf(std::uint32_t body, double now) {
  for (const std::uint32_t pair : pairsOf_[body]) schedule(pair, now);
}

void ImpactEvents::addPair(const ImpulsePair& pair) {
  const std::uint32_t index = static_cast<std::uint32_t>(pairs_.size());
  pairs_.push_back(pair);
  versions_.push_back(0);
  for (const std::uint32_t body : {pair.bodyA, pair.bodyB})
    if (impulses_.canPush(body)) pairsOf_[body].push_back(index);
}

void ImpactEvents::findPairs(std::uint32_t body, double now) {
  if (!system_.bodies[body].moves()) return;
  for (std::uint32_t c = system_.bodies[body].firstCollider; c != kNone; c = system_.colliders[c].next) {
    const Collider& collider = system_.colliders[c];
    if (!collider.enabled || collider.node == DynamicTree::kNull) continue;
    const Aabb box = sweptBox(flying(c, dt_ - now), dt_ - now);
    if (system_.broad.tree.box(collider.node).contains(box)) continue;
    if (known_.empty())
      for (const ImpulsePair& pair : pairs_) known_.insert(pairKey(pair.colliderA, pair.colliderB));
    std::vector<std::uint32_t> met;
    system_.broad.tree.query(box, [&](std::uint32_t other) { met.push_back(other); });
    for (auto& [other, otherBox] : strays_)
      if (box.overlaps(otherBox)) met.push_back(other);
    strays_[c] = box;
    std::sort(met.begin(), met.end());  // the order of a tree's leaves says nothing
    const std::size_t before = pairs_.size();
    for (const std::uint32_t other : met) {
      const std::uint32_t otherBody = system_.colliders[other].body;
      if (other == c || !mayCollide(system_.broad, collider, system_.colliders[other])) continue;
      if (!impulses_.canPush(body) && !impulses_.canPush(otherBody)) continue;
      if (!known_.insert(pairKey(c, other)).second) continue;
      addPair(c < other ? ImpulsePair{c, other, body, otherBody, kNone} : ImpulsePair{other, c, otherBody, body, kNone});
    }
    for (std::size_t i = before; i < pairs_.size(); ++i) schedule(static_cast<std::uint32_t>(i), now);
  }
}

// How strongly loads press the two together: relative, or by gravity if something else than the two carries them. Others
// may press from the side, which cannot be seen here; a share of gravity stands for that.
double ImpactEvents::approachingLoad(const ImpulsePair& pair, const Vec3& n) const {
  const Vec3 a = loadAcceleration(system_.bodies[pair.bodyA], motion_);
  const Vec3 b = loadAcceleration(system_.bodies[pair.bodyB], motion_);
  return std::max({(a - b).dot(n), std::abs(motion_.gravity.dot(n)), kSideLoad * motion_.gravity.norm()});
}

double ImpactEvents::hopSpeed(const ImpulsePair& pair, const ImpulsePoint& point) const {
  // Out of an overlap it gets no faster than what an envelope is worth.
  const double height = std::min(hop_ - point.gap, options_.envelope);
  return std::sqrt(2.0 * approachingLoad(pair, point.axes.col(0)) * std::max(height, 0.0));
}

bool ImpactEvents::touch(const ImpulsePair& pair, const SignedDistance& near) {
  const auto approaches = [&](const ImpulsePoint& point) {
    return point.gap <= 2.0 * touching_ && impulses_.velocity(pair, point)[0] < -kStill;
  };
  bool any = false, touched = false;
  const auto touchPatch = [&](const PatchPoints& points, int count) {
    any = true;
    const std::span<const ImpulsePoint> patch(points.data(), static_cast<std::size_t>(count));
    if (std::none_of(patch.begin(), patch.end(), approaches)) return;
    touched = true;
    if (!bounce(pair, patch)) tremble(pair, patch);
  };
  impulses_.touch(pair, poseOf(pair.bodyA), poseOf(pair.bodyB), hop_, touchPatch);
  if (any) return touched;
  PatchPoints points;
  const Vec3 t = near.normal.unitOrthogonal();
  points[0].axes << near.normal, t, near.normal.cross(t);
  points[0].position = 0.5 * (near.pointA + near.pointB);
  points[0].armA = near.pointA - system_.bodies[pair.bodyA].center;
  points[0].armB = near.pointB - system_.bodies[pair.bodyB].center;
  points[0].gap = near.distance;
  points[0].id.feature = kWholePatch;
  touchPatch(points, 1);
  return touched;
}

bool ImpactEvents::bounce(const ImpulsePair& pair, std::span<const ImpulsePoint> points) {
  const Material surface = impulses_.surface(pair);
  const auto bounces = [&](const ImpulsePoint& point) {
    const double approach = -impulses_.velocity(pair, point)[0];
    if (point.gap > 2.0 * touching_ || !(approach > kStill)) return false;
    // Too fast for the envelope, or higher than the hop in it.
    const double load = approachingLoad(pair, point.axes.col(0));
    return approach >= std::sqrt(2.0 * load * options_.envelope) || surface.restitution * approach >= hopSpeed(pair, point);
  };
  PatchPoints due;
  std::size_t count = 0;
  for (const ImpulsePoint& point : points)
    if (bounces(point)) due[count++] = point;
  if (count == 0) return false;
  if (count > 1) impulses_.applyImpacts(pair, middleOf({due.data(), count}));
  // The fastest first, a few times: each may make others approach again.
  for (int i = 0; i < kMostBounces; ++i) {
    const ImpulsePoint* fastest = nullptr;
    double speed = 0.0;
    for (const ImpulsePoint& point : points) {
      const double approach = -impulses_.velocity(pair, point)[0];
      if (approach > speed && bounces(point)) fastest = &point, speed = approach;
    }
    if (fastest == nullptr || !impulses_.applyImpacts(pair, *fastest)) break;
  }
  return true;
}

void ImpactEvents::tremble(const ImpulsePair& pair, std::span<const ImpulsePoint> points) {
  std::array<Vec3, kManifoldPoints> targets;
  const Vec3 load =
      loadAcceleration(system_.bodies[pair.bodyB], motion_) - loadAcceleration(system_.bodies[pair.bodyA], motion_);
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double up = hopSpeed(pair, points[i]);
    const Vec3 a = points[i].axes.transpose() * load;
    targets[i] = Vec3(up, 0.0, 0.0);
    // The flight lasts 2 up/|a_n|; half of what loads add along the surface meanwhile is taken away in advance.
    if (a[0] < 0.0) targets[i].tail<2>() = a.tail<2>() * (up / a[0]);
  }
  impulses_.settlePatch(pair, points, {targets.data(), points.size()});
}

bool ImpactEvents::isExhausted(std::uint32_t body) const {
  if (!impulses_.canPush(body)) return false;
  const Flight& flight = flights_[body];
  return flight.events > options_.events || flight.looks > kLooksPerEvent * options_.events;
}

void ImpactEvents::finishIsland(std::uint32_t bodyA, std::uint32_t bodyB, double now) {
  const int events = std::max(flights_[bodyA].events, flights_[bodyB].events);
  std::string& message = context_.report.method.message;
  if (message.empty() && events > options_.events) {
    message = "more than " + std::to_string(options_.events) +
              " events of one body: its island took the rest of the step as plastic contacts";
  } else if (message.empty()) {
    message = "a body could not be followed in " + std::to_string(kLooksPerEvent * options_.events) + " looks (" +
              std::to_string(events) +
              " events): it turns or grazes too fast; its island took the rest of the step as "
              "plastic contacts";
  }
  std::vector<char> takesPart(system_.bodies.size(), 0);
  for (std::uint32_t i = 0; i < system_.bodies.size(); ++i) {
    const Body& body = system_.bodies[i];
    const bool same = body.island == system_.bodies[bodyA].island || body.island == system_.bodies[bodyB].island;
    takesPart[i] = impulses_.canPush(i) && !flights_[i].done && (i == bodyA || i == bodyB || same) ? 1 : 0;
  }
  for (const ImpulsePair& pair : pairs_) {
    if (takesPart[pair.bodyA] == 0 && takesPart[pair.bodyB] == 0) continue;
    flyTo(pair.bodyA, now);
    flyTo(pair.bodyB, now);
  }
  std::vector<std::uint32_t> others;
  for (std::uint32_t i = 0; i < system_.bodies.size(); ++i) {
    if (takesPart[i] != 0) flyTo(i, now);
    if (takesPart[i] == 0 && impulses_.canPush(i)) others.push_back(i);
  }
  for (const std::uint32_t body : others) impulses_.hold(body, true);
  const int pieces = piecesForTurning(system_, pairs_, takesPart, dt_ - now);
  const double h = (dt_ - now) / pieces;
  for (int i = 0; i < pieces; ++i) {
    for (const ImpulsePair& pair : pairs_)
      for (const std::uint32_t body : {pair.bodyA, pair.bodyB})
        if (!system_.bodies[body].isDynamic()) flyTo(body, now + i * h);
    ContactPasses passes(context_, impulses_, takesPart, pairs_, h);
    passes.addLoads();
    passes.contact(options_.contactPasses);
    if (options_.shock) passes.shock(options_.contactPasses);
    passes.hinderMeetings(options_.contactPasses);
    passes.move();
  }
  for (const std::uint32_t body : others) impulses_.hold(body, false);
  for (std::uint32_t i = 0; i < system_.bodies.size(); ++i) {
    if (takesPart[i] == 0) continue;
    flights_[i].time = dt_;
    flights_[i].done = true;
  }
}

}  // namespace cairn
