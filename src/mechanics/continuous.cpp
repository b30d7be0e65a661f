#include "mechanics/continuous.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "collision/children.hpp"
#include "math/rotation.hpp"
#include "mechanics/contact_impulse.hpp"

namespace cairn {
namespace {

constexpr double kCrossShare = 0.9;      // of the smaller inner radius: shapes that sink in deeper cross
constexpr double kDepthShare = 0.25;     // of the smaller inner radius: how deep they are where they are stopped
constexpr double kMostDepth = 5e-3;      // m, but no deeper
constexpr double kLeastDepth = 1e-6;     // m
constexpr double kToleranceShare = 0.1;  // of these depths
constexpr double kDeeperShare = 0.5;     // of that depth: what is deeper already may sink by this much
constexpr double kSlowShare = 0.5;       // of the larger inner radius: pairs that move less against each other do not cross
constexpr int kMostImpacts = 4;          // of a body; then it is held
constexpr std::size_t kPairsGrain = 512;

double depthFor(const Shape& a, const Shape& b) {
  return std::clamp(kDepthShare * std::min(innerRadius(a), innerRadius(b)), kLeastDepth, kMostDepth);
}

double crossingDepth(const Shape& a, const Shape& b) {
  return std::max(kCrossShare * std::min(innerRadius(a), innerRadius(b)), kLeastDepth);
}

// How thin it is as a wall that a body might get behind; a half-space has no behind, and counts as thinnest.
double thickness(const BodyExtent& extent) { return extent.inner < 1e29f ? extent.inner : 0.0; }

// Whether a point that goes from `from` by `by` enters a box about the origin.
bool isNearBox(const Vec3& from, const Vec3& by, const Vec3& half) {
  double enter = 0.0, leave = 1.0;
  for (int k = 0; k < 3; ++k) {
    if (std::abs(by[k]) < 1e-300) {
      if (std::abs(from[k]) > half[k]) return false;
      continue;
    }
    const double first = (-half[k] - from[k]) / by[k], second = (half[k] - from[k]) / by[k];
    enter = std::max(enter, std::min(first, second));
    leave = std::min(leave, std::max(first, second));
  }
  return enter <= leave;
}

double kineticEnergy(const Body& body, const Quat& rotation) {
  if (!body.isDynamic()) return 0.0;
  const Vec3 w = rotation.conjugate() * body.spin;
  return 0.5 * body.mass * body.velocity.squaredNorm() + 0.5 * w.dot(body.inertia * w);
}

}  // namespace

SweptBody ContinuousSweep::pathOf(std::uint32_t index) const {
  if (pathIndex_[index] != kNone) return paths_[pathIndex_[index]].swept;
  const Body& body = input_->system.bodies[index];
  const Pose after{body.center, body.rotation};
  if (!body.moves()) return SweptBody(after);
  const Vec3 spin = 0.5 * (body.spin + input_->velocityBefore[index].angular);
  return {{input_->before[index].center, input_->before[index].rotation}, after, spin, input_->dt,
          input_->settings.continuous.motion == "screw"};
}

std::uint32_t ContinuousSweep::versionOf(std::uint32_t body) const {
  return pathIndex_[body] == kNone ? 0 : paths_[pathIndex_[body]].version;
}

ContinuousSweep::Path& ContinuousSweep::pathFor(std::uint32_t body) {
  if (pathIndex_[body] == kNone) {
    Path path;
    path.swept = pathOf(body);
    path.body = body;
    path.spinTurn = input_->system.bodies[body].rotation;
    pathIndex_[body] = static_cast<std::uint32_t>(paths_.size());
    paths_.push_back(path);
  }
  return paths_[pathIndex_[body]];
}

bool ContinuousSweep::canPush(std::uint32_t body) const { return input_->system.bodies[body].isDynamic(); }

template <class Use>
void ContinuousSweep::forEachNear(std::uint32_t body, const SweptBody& swept, double now, Use&& use) const {
  const System& system = input_->system;
  for (std::uint32_t c = system.bodies[body].firstCollider; c != kNone; c = system.colliders[c].next) {
    const Collider& collider = system.colliders[c];
    if (!collider.enabled) continue;
    const Aabb box = swept.sweptBox(collider, now, input_->dt);
    const auto offer = [&](std::uint32_t other) {
      const Collider& met = system.colliders[other];
      if (met.body == body || !met.enabled || !mayCollide(system.broad, collider, met)) return;
      if (canPush(body) || canPush(met.body)) use(c, other);
    };
    system.broad.tree.query(box, offer);
    for (const Stray& stray : strays_)
      if (stray.box.overlaps(box)) offer(stray.collider);
  }
}

bool ContinuousSweep::mayCross(const Collider& a, const Collider& b) const {
  if (input_->settings.continuous.motion == "screw") return true;  // what follows is of straight paths
  const double dt = input_->dt;
  struct Moved {
    Vec3 from = Vec3::Zero(), by = Vec3::Zero();  // m
    double turned = 0.0;                          // m
  };
  const auto movedOf = [&](std::uint32_t index) {
    const Body& body = input_->system.bodies[index];
    if (!body.moves()) return Moved{body.center, Vec3::Zero(), 0.0};
    const Vec3& before = input_->before[index].center;
    const double spin2 = std::max(body.spin.squaredNorm(), input_->velocityBefore[index].angular.squaredNorm());
    return Moved{before, body.center - before, dt * std::sqrt(spin2) * input_->extents[index].reach};
  };
  const Moved first = movedOf(a.body), second = movedOf(b.body);
  const Vec3 moved = first.by - second.by;
  const double length = moved.norm();
  const double thick = std::max(thickness(input_->extents[a.body]), thickness(input_->extents[b.body]));
  if (length + first.turned + second.turned <= kSlowShare * thick) return false;
  // Whether one of them, as a ball about its centre of mass, gets so deep into a half-space or a box that stays where it is.
  for (const auto& [shape, body, path] : {std::tuple(&a, &b, &second), std::tuple(&b, &a, &first)}) {
    const Collider& still = *shape;
    if (input_->system.bodies[still.body].moves()) continue;
    const double reach = body->radius - crossingDepth(a.shape, b.shape);
    if (still.shape.type == ShapeType::Plane) {
      const double offset = still.pose.direction(still.shape.size).dot(path->from + path->by - still.pose.position);
      return offset - still.shape.offset <= reach;
    }
    if (still.shape.type == ShapeType::Box)
      return isNearBox(still.pose.inversePoint(path->from), still.pose.inverseDirection(path->by),
                       still.shape.size.array() + reach);
  }
  // How near the centres of mass come.
  const Vec3 apart = second.from - first.from;
  const double share = length > 0.0 ? std::clamp(apart.dot(moved) / (length * length), 0.0, 1.0) : 0.0;
  const double nearest = (apart - share * moved).norm();
  const bool balls = a.centred && b.centred && a.shape.type == ShapeType::Sphere && b.shape.type == ShapeType::Sphere;
  return nearest <= a.radius + b.radius - (balls ? crossingDepth(a.shape, b.shape) : 0.0);
}

TimeOfImpact ContinuousSweep::meet(std::uint32_t a, std::uint32_t b, double now) const {
  const Collider& first = input_->system.colliders[a];
  const Collider& second = input_->system.colliders[b];
  const SweptBody pathA = pathOf(first.body), pathB = pathOf(second.body);
  const double ahead = input_->dt - now;
  const MovingShape movingA = pathA.moving(first, now), movingB = pathB.moving(second, now);
  TimeOfImpact earliest;
  const Aabb boxA = pathA.sweptBox(first, now, input_->dt), boxB = pathB.sweptBox(second, now, input_->dt);
  if (!boxA.overlaps(boxB)) return {};
  forEachChildNear(first.shape, movingA.start, boxB, [&](std::uint32_t, const Shape& childA, const Pose& placeA) {
    forEachChildNear(second.shape, movingB.start, boxA, [&](std::uint32_t, const Shape& childB, const Pose& placeB) {
      const MovingShape partA{childA, placeA, movingA.pivot, movingA.velocity, movingA.spin};
      const MovingShape partB{childB, placeB, movingB.pivot, movingB.velocity, movingB.spin};
      const double depth = depthFor(childA, childB), crossing = std::max(crossingDepth(childA, childB), depth);
      const auto reach = [&](double target, double scale) {
        const ImpactSearch search{.until = ahead, .target = target, .tolerance = kToleranceShare * scale};
        return timeOfImpact(partA, partB, search);
      };
      TimeOfImpact impact = reach(-crossing, depth);
      if (impact.found == ImpactFound::Never) return;
      if (impact.found != ImpactFound::BeginBelow) impact = reach(-depth, depth);  // where it touched
      // What is deep already may sink a little deeper.
      if (impact.found == ImpactFound::BeginBelow) impact = reach(impact.distance.distance - kDeeperShare * depth, depth);
      if (impact.found != ImpactFound::Never && impact.time < earliest.time) earliest = impact;
    });
  });
  return earliest;
}

void ContinuousSweep::findEvent(std::uint32_t a, std::uint32_t b, double now, Piece& piece) const {
  ++piece.pairs;
  const TimeOfImpact impact = meet(a, b, now);
  if (impact.found == ImpactFound::Never) return;
  const std::vector<Collider>& colliders = input_->system.colliders;
  piece.events.push_back({now + impact.time, pairKey(a, b), versionOf(colliders[a].body), versionOf(colliders[b].body)});
}

template <class Skip>
void ContinuousSweep::findEvents(std::uint32_t body, double now, Piece& piece, Skip&& skip) const {
  const SweptBody swept = pathOf(body);
  forEachNear(body, swept, now, [&](std::uint32_t c, std::uint32_t other) {
    if (!skip(other)) findEvent(std::min(c, other), std::max(c, other), now, piece);
  });
}

// The pairs of the broad phase are all that fast bodies can meet, save for those that went farther than was foreseen.
void ContinuousSweep::findFirstEvents() {
  const System& system = input_->system;
  fastShapes_.assign(system.colliders.size(), 0);
  for (const std::uint32_t body : input_->fast)
    for (std::uint32_t c = system.bodies[body].firstCollider; c != kNone; c = system.colliders[c].next) fastShapes_[c] = 1;
  const std::vector<Pair>& pairs = system.broad.pairs;
  const std::size_t pieces = (pairs.size() + kPairsGrain - 1) / kPairsGrain;
  if (pieces_.size() < pieces + 1) pieces_.resize(pieces + 1);
  input_->tasks.parallelFor(pairs.size(), kPairsGrain, [&](std::size_t first, std::size_t last) {
    Piece& piece = pieces_[first / kPairsGrain];
    piece.events.clear();
    piece.pairs = 0;
    for (std::size_t i = first; i < last; ++i) {
      if ((fastShapes_[pairs[i].a] | fastShapes_[pairs[i].b]) == 0) continue;
      const Collider& a = system.colliders[pairs[i].a];
      const Collider& b = system.colliders[pairs[i].b];
      if (a.enabled && b.enabled && mayCross(a, b)) findEvent(pairs[i].a, pairs[i].b, 0.0, piece);
    }
  });
  Piece& others = pieces_[pieces];
  others.events.clear();
  others.pairs = 0;
  const std::size_t strays = strays_.size();
  for (std::size_t i = 0; i < strays; ++i) {
    const Collider& stray = system.colliders[strays_[i].collider];
    findEvents(stray.body, 0.0, others, [&](std::uint32_t met) { return !mayCross(stray, system.colliders[met]); });
  }
  for (std::size_t i = 0; i <= pieces; ++i) {
    input_->report.continuous.pairs += pieces_[i].pairs;
    for (const Event& event : pieces_[i].events) heap_.push(event);
  }
}

// The broad phase made its boxes from velocities before the step.
void ContinuousSweep::noteStrays(std::uint32_t body, double now) {
  const System& system = input_->system;
  const SweptBody& swept = paths_[pathIndex_[body]].swept;
  for (std::uint32_t c = system.bodies[body].firstCollider; c != kNone; c = system.colliders[c].next) {
    const Collider& collider = system.colliders[c];
    if (!collider.enabled || collider.node == DynamicTree::kNull) continue;
    const Aabb box = swept.sweptBox(collider, now, input_->dt);
    if (system.broad.tree.box(collider.node).contains(box)) continue;
    const auto known = std::find_if(strays_.begin(), strays_.end(), [&](const Stray& one) { return one.collider == c; });
    if (known == strays_.end()) {
      strays_.push_back({c, box});
    } else {
      known->box = known->box.united(box);
    }
  }
}

// Stops the approach of the two, of their paths and of their velocities; false if nothing approached on their paths.
bool ContinuousSweep::resolve(std::uint32_t a, std::uint32_t b, Path* pathA, Path* pathB, double time) {
  System& system = input_->system;
  const Collider& first = system.colliders[a];
  const Collider& second = system.colliders[b];
  Body& bodyA = system.bodies[first.body];
  Body& bodyB = system.bodies[second.body];
  const Pose poseA = pathOf(first.body).at(time), poseB = pathOf(second.body).at(time);
  const Material material =
      mixMaterials(system.materials[first.material], system.materials[second.material], input_->settings.pairs);
  const ImpulseLaw law{material.friction, material.restitution, input_->settings.restitutionSpeed};
  const auto massesOf = [&](const Body& body, const Pose& pose) {
    PushedBody pushed;
    if (!body.isDynamic()) return pushed;
    pushed.inverseMass = body.inverseMass;
    pushed.inverseInertia = inWorldAxes(pose.rotation, body.inverseInertia);
    return pushed;
  };
  const SweptBody sweptA = pathOf(first.body), sweptB = pathOf(second.body);
  bool approached = false;
  const double margin = 4.0 * depthFor(first.shape, second.shape);
  Manifold room;
  touch(first.shape, poseA * first.local, second.shape, poseB * second.local, margin, room,
        [&](Children, const Manifold& manifold) {
          std::array<PushedPoint, kManifoldPoints> points;
          Vec3 middle = Vec3::Zero();
          for (int i = 0; i < manifold.count; ++i) {
            points[i] = {manifold.points[i].position - poseA.position, manifold.points[i].position - poseB.position};
            middle += manifold.points[i].position / manifold.count;
          }
          const std::span<const PushedPoint> used(points.data(), static_cast<std::size_t>(manifold.count));
          // Of the paths.
          PushedBody movedA = massesOf(bodyA, poseA), movedB = massesOf(bodyB, poseB);
          movedA.velocity = pathA != nullptr ? pathA->swept.velocity() : sweptA.velocity();
          movedB.velocity = pathB != nullptr ? pathB->swept.velocity() : sweptB.velocity();
          movedA.spin = pathA != nullptr ? pathA->swept.spin() : sweptA.spin();
          movedB.spin = pathB != nullptr ? pathB->swept.spin() : sweptB.spin();
          if (!stopApproach(movedA, movedB, used, manifold.normal, law).isZero(0.0)) {
            approached = true;
            if (pathA != nullptr && bodyA.isDynamic()) pathA->swept.setMotion(movedA.velocity, movedA.spin);
            if (pathB != nullptr && bodyB.isDynamic()) pathB->swept.setMotion(movedB.velocity, movedB.spin);
          }
          // Of the velocities that the next step begins with.
          PushedBody nowA = massesOf(bodyA, poseA), nowB = massesOf(bodyB, poseB);
          nowA.velocity = bodyA.moves() ? bodyA.velocity : Vec3(Vec3::Zero());
          nowB.velocity = bodyB.moves() ? bodyB.velocity : Vec3(Vec3::Zero());
          nowA.spin = bodyA.moves() ? bodyA.spin : Vec3(Vec3::Zero());
          nowB.spin = bodyB.moves() ? bodyB.spin : Vec3(Vec3::Zero());
          ImpactRecord record{.bodyA = {first.body, bodyA.generation}, .bodyB = {second.body, bodyB.generation}};
          const PushedPoint center{middle - poseA.position, middle - poseB.position};
          record.approach = -(nowB.velocity + nowB.spin.cross(center.armB) - nowA.velocity - nowA.spin.cross(center.armA))
                                 .dot(manifold.normal);
          record.impulse = stopApproach(nowA, nowB, used, manifold.normal, law);
          if (record.impulse.isZero(0.0)) return;
          record.point = middle;
          record.normal = manifold.normal;
          record.beforeA = kineticEnergy(bodyA, poseA.rotation);
          record.beforeB = kineticEnergy(bodyB, poseB.rotation);
          const auto take = [](Body& body, const PushedBody& pushed) {
            if (!body.isDynamic()) return;
            body.velocity = without(pushed.velocity, body.lockedPosition);
            body.spin = without(pushed.spin, body.lockedRotation);
          };
          take(bodyA, nowA);
          take(bodyB, nowB);
          record.afterA = kineticEnergy(bodyA, poseA.rotation);
          record.afterB = kineticEnergy(bodyB, poseB.rotation);
          input_->impacts.push_back(record);
        });
  return approached;
}

void ContinuousSweep::meanSpinAt(Path& path, const Quat& rotation) {
  Body& body = input_->system.bodies[path.body];
  body.spin = rotation * (path.spinTurn.conjugate() * body.spin);
  path.spinTurn = rotation;
}

// It stays where it is, or goes with the kinematic body that pushes it.
void ContinuousSweep::hold(Path& path, std::uint32_t pushedBy, double time) {
  path.held = true;
  SweptBody carrier(path.swept.pose());
  if (!canPush(pushedBy)) carrier = pathOf(pushedBy);
  carrier.advanceTo(time);
  const Vec3 arm = path.swept.pose().position - carrier.pose().position;
  path.swept.setMotion(carrier.velocity() + carrier.spin().cross(arm), carrier.spin());
  input_->report.continuous.lostSeconds += input_->dt - time;
}

void ContinuousSweep::handle(const Event& event) {
  const std::vector<Collider>& colliders = input_->system.colliders;
  const auto a = static_cast<std::uint32_t>(event.pair >> 32), b = static_cast<std::uint32_t>(event.pair);
  const std::uint32_t bodyA = colliders[a].body, bodyB = colliders[b].body;
  if (event.versionA != versionOf(bodyA) || event.versionB != versionOf(bodyB)) return;
  // Both first: making one may move the other.
  if (canPush(bodyA)) pathFor(bodyA);
  if (canPush(bodyB)) pathFor(bodyB);
  Path* pathA = canPush(bodyA) ? &pathFor(bodyA) : nullptr;
  Path* pathB = canPush(bodyB) ? &pathFor(bodyB) : nullptr;
  const auto isLoose = [](const Path* path) { return path != nullptr && !path->held; };
  if (!isLoose(pathA) && !isLoose(pathB)) return;  // squeezed between what cannot be stopped
  ++input_->report.continuous.impacts;
  for (Path* path : {pathA, pathB}) {
    if (path == nullptr) continue;
    path->swept.advanceTo(event.time);
    meanSpinAt(*path, path->swept.pose().rotation);
    if (path->held) continue;
    path->changed = true;
    ++path->version;
    ++path->impacts;
  }
  const bool approached = resolve(a, b, isLoose(pathA) ? pathA : nullptr, isLoose(pathB) ? pathB : nullptr, event.time);
  if (isLoose(pathA) && (!approached || pathA->impacts > kMostImpacts)) hold(*pathA, bodyB, event.time);
  if (isLoose(pathB) && (!approached || pathB->impacts > kMostImpacts)) hold(*pathB, bodyA, event.time);
  if (pathA != nullptr) noteStrays(bodyA, event.time);
  if (pathB != nullptr) noteStrays(bodyB, event.time);
  Piece piece;
  if (pathA != nullptr) findEvents(bodyA, event.time, piece, [](std::uint32_t) { return false; });
  if (pathB != nullptr)
    findEvents(bodyB, event.time, piece,
               [&](std::uint32_t met) { return pathA != nullptr && colliders[met].body == bodyA; });
  for (const Event& next : piece.events) heap_.push(next);
  input_->report.continuous.pairs += piece.pairs;
}

const std::vector<std::uint32_t>& ContinuousSweep::run(const ContinuousInput& input) {
  input_ = &input;
  heap_ = {};
  changed_.clear();
  for (const Path& path : paths_)
    if (path.body < pathIndex_.size()) pathIndex_[path.body] = kNone;
  paths_.clear();
  strays_.clear();
  if (pathIndex_.size() < input.system.bodies.size()) pathIndex_.resize(input.system.bodies.size(), kNone);
  input.report.continuous.swept = static_cast<int>(input.fast.size());
  for (const std::uint32_t body : input.fast) pathFor(body);
  for (const std::uint32_t body : input.fast) noteStrays(body, 0.0);
  findFirstEvents();
  while (!heap_.empty()) {
    const Event event = heap_.top();
    heap_.pop();
    handle(event);
  }
  for (Path& path : paths_) {
    if (!path.changed) continue;
    Body& body = input.system.bodies[path.body];
    const Pose end = path.swept.at(input.dt);
    if (body.lockedRotation == 0) meanSpinAt(path, end.rotation);
    const Vec3 moved = end.position - body.center;
    body.center += without(moved, body.lockedPosition);
    if (body.lockedRotation == 0) body.rotation = end.rotation;
    changed_.push_back(path.body);
  }
  std::sort(changed_.begin(), changed_.end());
  input_ = nullptr;
  return changed_;
}

}  // namespace cairn
