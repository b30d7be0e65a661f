#include "judge.hpp"

#include "scene/run_report.hpp"
#include "scene/scene_run.hpp"

namespace cairn::bench {
namespace {

constexpr double kLostBelow = 1.0;    // m: a centre this far below a floor is lost, as in docs/report.md
constexpr double kFarthest = 1e6;     // m: so is one that is this far away
constexpr double kSameHeight = 1e-3;  // m: bodies this little below the topmost are on top as well

bool isFinite(const BodyState& state) {
  return state.center.allFinite() && state.center.norm() < kFarthest && state.pose.position.allFinite() &&
         state.pose.rotation.coeffs().allFinite() && state.pose.rotation.norm() > 0.5 && state.linearVelocity.allFinite() &&
         state.angularVelocity.allFinite();
}

}  // namespace

Judge::Judge(const BenchScene& scene)
    : scene_(scene),
      world_([&] {
        WorldSettings settings;
        settings.gravity = scene.model.settings.gravity;
        settings.maximumCoordinate = 2.0 * kFarthest;
        return settings;
      }()),
      ids_(instantiate(scene.model, world_)),
      present_(scene.bodies.size()),
      states_(scene.bodies.size()),
      rest_(scene.bodies.size()) {
  const Vec3& gravity = scene.model.settings.gravity;
  if (gravity.norm() > 0.0) up_ = -gravity.normalized();
  top_ = -std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
    const BenchBody& body = scene.bodies[i];
    const BodyDesc& desc = body.desc();
    for (const ShapeDesc& shape : desc.shapes) {
      const Plane* plane = std::get_if<Plane>(&shape.geometry);
      if (plane == nullptr) continue;
      const Pose place = desc.pose * shape.local;
      const Vec3 normal = place.direction(plane->normal);
      floors_.push_back({normal, plane->offset + normal.dot(place.position)});
    }
    present_[i] = body.isDynamic() && !ids_[i].isNull();
    if (!present_[i]) continue;
    states_[i] = *world_.state(ids_[i]);
    if (!desc.linearVelocity.isZero(0.0) || !desc.angularVelocity.isZero(0.0)) continue;
    rest_[i] = {true, states_[i].center, boundingRadius(desc.shapes, body.mass.center)};
    top_ = std::max(top_, up_.dot(states_[i].center));
  }
  energy_.emplace(energyNow());
}

void Judge::add(std::size_t body) {
  ids_[body] = world_.addBody(scene_.bodies[body].desc());
  present_[body] = true;
}

void Judge::beforeStep(const Engine& engine) {
  read(engine);
  energy_->beforeStep(energyNow());
}

void Judge::afterStep(const Engine& engine, bool closely) {
  read(engine);
  energy_->afterStep(energyNow());
  if (finite_) quality_.energyDrift = energy_->largestRise() / std::max(energy_->scale(), energyScale());
  if (!finite_) quality_.energyDrift.reset();
  if (!closely) return;
  for (std::size_t i = 0; i < ids_.size(); ++i) {
    if (!present_[i] || ids_[i].isNull()) continue;
    if (isFinite(states_[i])) {
      world_.setPose(ids_[i], states_[i].pose);
    } else {
      world_.removeBody(ids_[i]);
      ids_[i] = {};
    }
  }
  quality_.penetrationEnd = world_.deepestPenetration().depth;
  quality_.penetrationMax = std::max(quality_.penetrationMax, quality_.penetrationEnd);
  if (scene_.joints.empty()) return;
  const double gap = finite_ ? world_.jointError() : std::numeric_limits<double>::infinity();
  quality_.jointGap = std::max(quality_.jointGap.value_or(0.0), gap);
}

void Judge::noteStanding() {
  if (!scene_.model.stands) return;
  double drift = 0.0, sag = 0.0;
  bool stands = true;
  for (std::size_t i = 0; i < rest_.size(); ++i) {
    if (!rest_[i].atRest) continue;
    stands &= !isLost(i);
    const Vec3 moved = states_[i].center - rest_[i].start;
    if (!isFinite(states_[i])) drift = sag = std::numeric_limits<double>::infinity();
    drift = std::max(drift, (moved - up_.dot(moved) * up_).norm());
    if (up_.dot(rest_[i].start) > top_ - kSameHeight) sag = std::max(sag, -up_.dot(moved));
  }
  quality_.drift = drift;
  quality_.sag = sag;
  quality_.stands = stands;
}

void Judge::noteLost() {
  quality_.lost = 0;
  for (std::size_t i = 0; i < present_.size(); ++i) quality_.lost += present_[i] && isLost(i) ? 1 : 0;
}

void Judge::read(const Engine& engine) {
  for (std::size_t i = 0; i < states_.size(); ++i) {
    if (!present_[i]) continue;
    states_[i] = engine.state(i);
    finite_ &= isFinite(states_[i]);
  }
}

Energy Judge::energyNow() const {
  Energy energy;
  for (std::size_t i = 0; i < states_.size(); ++i) {
    if (!present_[i]) continue;
    const MassProperties& mass = scene_.bodies[i].mass;
    const Vec3 spin = states_[i].pose.inverseDirection(states_[i].angularVelocity);
    energy.kinetic += 0.5 * mass.mass * states_[i].linearVelocity.squaredNorm() + 0.5 * spin.dot(mass.inertia * spin);
    energy.potential -= mass.mass * scene_.model.settings.gravity.dot(states_[i].center);
  }
  return energy;
}

// At least the kinetic energy that gravity gives to all bodies in one step: in a stack that stands nothing else would be
// left to compare with.
double Judge::energyScale() const {
  double mass = 0.0;
  for (std::size_t i = 0; i < present_.size(); ++i) mass += present_[i] ? scene_.bodies[i].mass.mass : 0.0;
  const double speed = scene_.model.settings.gravity.norm() * kTimeStep;
  return std::max(0.5 * mass * speed * speed, std::numeric_limits<double>::min());
}

bool Judge::isLost(std::size_t body) const {
  if (!isFinite(states_[body])) return true;
  for (const Plane& floor : floors_)
    if (floor.normal.dot(states_[body].center) < floor.offset - kLostBelow) return true;
  if (!scene_.model.stands || !rest_[body].atRest) return false;
  return (states_[body].center - rest_[body].start).norm() > rest_[body].radius;
}

}  // namespace cairn::bench
