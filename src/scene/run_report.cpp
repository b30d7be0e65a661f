#include "scene/run_report.hpp"

#include <fmt/format.h>

#include "cairn/surface.hpp"

namespace cairn {
namespace {

// A body is lost when its centre is this far below every support.
constexpr double kLostBelow = 1.0;  // m

struct Extent {
  // Distance from the shape's origin to its farthest point.
  double operator()(const Plane&) const { return std::numeric_limits<double>::infinity(); }
  double operator()(const Sphere& s) const { return s.radius; }
  double operator()(const Box& s) const { return s.halfExtents.norm(); }
  double operator()(const Capsule& s) const { return s.radius + s.halfHeight; }
  double operator()(const Cylinder& s) const { return std::hypot(s.radius, s.halfHeight); }
  double operator()(const Ellipsoid& s) const { return s.radii.maxCoeff(); }
  double operator()(const ConvexHull& s) const {
    double most = 0.0;
    for (const Vec3& point : s.points) most = std::max(most, point.norm());
    return most + s.rounding;
  }
  double operator()(const Cone& s) const { return std::hypot(s.radius, s.halfHeight); }
  double operator()(const SphereSet& s) const {
    double most = 0.0;
    for (std::size_t i = 0; i < s.centers.size(); ++i) most = std::max(most, s.centers[i].norm() + s.radii[i]);
    return most;
  }
  double operator()(const Compound& s) const {
    double most = 0.0;
    for (const CompoundChild& child : s.children)
      most = std::max(most, child.local.position.norm() + std::visit(*this, child.geometry));
    return most;
  }
  double operator()(const MeshShape& s) const { return farthest(trianglesOf(*s.mesh)); }
  double operator()(const HeightFieldShape& s) const { return farthest(trianglesOf(*s.field)); }
  double operator()(const DistanceFieldShape& s) const { return farthest(trianglesOf(*s.field)); }
  static double farthest(const SurfaceTriangles& surface) {
    double most = 0.0;
    for (const Vec3& point : surface.vertices) most = std::max(most, point.norm());
    return most;
  }
};

double medianOf(const std::vector<double>& sorted) {
  const std::size_t n = sorted.size();
  return n % 2 == 1 ? sorted[n / 2] : 0.5 * (sorted[n / 2 - 1] + sorted[n / 2]);
}

void addMethod(const StepReport& step, ImpactSummary& impacts, MethodSummary& method) {
  impacts.count += step.impacts.count;
  impacts.energyLost += step.impacts.energyLost;
  impacts.energyGained += step.impacts.energyGained;
  impacts.microGained += step.impacts.microGained;
  impacts.restitutionFactor = std::min(impacts.restitutionFactor, step.impacts.restitutionFactor);
  method.passes = std::max(method.passes, step.method.passes);
  method.halvings = std::max(method.halvings, step.method.halvings);
  method.layers = std::max(method.layers, step.method.layers);
  method.lasting = std::max(method.lasting, step.method.lasting);
  method.brief = std::max(method.brief, step.method.brief);
  method.events += step.method.events;
  method.switches += step.method.switches;
  method.inconsistent += step.method.inconsistent;
  method.swallowed += step.method.swallowed;
  if (method.message.empty() && !step.method.message.empty())
    method.message = fmt::format("{} (at {:.6g} s)", step.method.message, step.time);
}

}  // namespace

double boundingRadius(const std::vector<ShapeDesc>& shapes, const Vec3& center) {
  double radius = 0.0;
  for (const ShapeDesc& shape : shapes) {
    radius = std::max(radius, (shape.local.position - center).norm() + std::visit(Extent{}, shape.geometry));
  }
  return radius;
}

RunMeter::RunMeter(SceneRun& run) : run_(run), energy_(run.world().energy()) {
  const World& world = run.world();
  const Vec3& gravity = world.settings().gravity;
  if (gravity.norm() > 0.0) up_ = -gravity.normalized();
  for (std::size_t i = 0; i < run.bodies().size(); ++i) {
    const BodyDesc& desc = run.model().bodies[i].desc;
    const BodyId id = run.bodies()[i];
    if (desc.kind != BodyKind::Dynamic) {
      for (const ShapeDesc& shape : desc.shapes) {
        const Pose pose = desc.pose * shape.local;
        if (const Plane* plane = std::get_if<Plane>(&shape.geometry)) {
          const Vec3 normal = pose.direction(plane->normal);
          floors_.push_back({normal, plane->offset + normal.dot(pose.position)});
        } else {
          const double low = up_.dot(pose.position) - std::visit(Extent{}, shape.geometry);
          lowestSupport_ = std::min(lowestSupport_.value_or(low), low);
        }
      }
      continue;
    }
    const bool atRest = desc.linearVelocity.isZero(0.0) && desc.angularVelocity.isZero(0.0);
    if (id.isNull() || !atRest) continue;
    const auto state = world.state(id);
    const auto mass = world.massProperties(id);
    if (!state || !mass) continue;
    restingByBody_.emplace(id, resting_.size());
    resting_.push_back({id, state->center, boundingRadius(desc.shapes, mass->center)});
  }
}

void RunMeter::beforeStep() { energy_.beforeStep(run_.world().energy()); }

void RunMeter::afterStep(const StepReport& step) {
  const World& world = run_.world();
  stepMs_.push_back(step.totalMs);
  for (int i = 0; i < kPhaseCount; ++i) phaseSum_[i] += step.phaseMs[i];
  if (step.solve) {
    residuals_.push_back(step.solve->residual);
    solves_.problems += step.solve->problems;
    solves_.iterations += step.solve->iterations;
    for (int i = 0; i < kExitCount; ++i) solves_.exits[i] += step.solve->exits[i];
    if (solves_.message.empty() && !step.solve->message.empty())
      solves_.message = fmt::format("{} at {:.6g} s", step.solve->message, step.time);
  }
  addMethod(step, impacts_, method_);
  contactSum_ += step.contacts;
  contactMax_ = std::max(contactMax_, step.contacts);
  directMax_ = std::max(directMax_, step.directIslands);
  jointErrorMax_ = std::max(jointErrorMax_, step.jointError);
  energy_.afterStep(world.energy());
  last_ = {.time = step.time,
           .energy = energy_.now(),
           .penetration = world.deepestPenetration().depth,
           .residual = step.solve ? std::optional(step.solve->residual) : std::nullopt,
           .stepMs = step.totalMs};
  penetrationMax_ = std::max(penetrationMax_, last_.penetration);
  for (const Resting& one : resting_) {
    const auto state = world.state(one.body);
    if (!state) continue;
    Vec3 moved = state->center - one.start;
    movedMax_ = std::max(movedMax_, moved.norm());
    moved -= up_.dot(moved) * up_;
    driftMax_ = std::max(driftMax_, moved.norm());
  }
  for (const Quarantine& one : step.quarantined) {
    if (!quarantinedBodies_.insert(one.body).second) continue;
    quarantined_.push_back({one.name, one.reason, step.time});
  }
}

void RunMeter::noteFailure(const StepReport& step) {
  method_.message = fmt::format("{} (at {:.6g} s)", step.refusal(), step.time);
}

bool RunMeter::isLost(BodyId body) const {
  const World& world = run_.world();
  if (world.isQuarantined(body) || quarantinedBodies_.contains(body)) return true;
  const auto state = world.state(body);
  if (!state) return true;
  for (const Plane& floor : floors_) {
    if (floor.normal.dot(state->center) < floor.offset - kLostBelow) return true;
  }
  const bool hasDown = !up_.isZero(0.0);
  if (floors_.empty() && hasDown && lowestSupport_ && up_.dot(state->center) < *lowestSupport_ - kLostBelow) return true;
  if (!run_.model().stands) return false;
  const auto rested = restingByBody_.find(body);
  if (rested == restingByBody_.end()) return false;
  const Resting& start = resting_[rested->second];
  return (state->center - start.start).norm() > start.radius;
}

// Nothing moves in a stack that stands, so its rise would be compared with next to nothing: the scale is at least the
// kinetic energy that gravity gives to all bodies in one step.
double RunMeter::energyScale() const {
  const World& world = run_.world();
  double mass = 0.0;
  for (const BodyId body : world.bodies())
    if (world.kind(body) == BodyKind::Dynamic) mass += world.massProperties(body)->mass;
  const double speed = world.settings().gravity.norm() * run_.model().dt;
  return std::max(energy_.scale(), 0.5 * mass * speed * speed);
}

RunReport RunMeter::report() const {
  const World& world = run_.world();
  const SceneModel& model = run_.model();
  RunReport report;
  report.scene = model.name;
  report.stepper = world.settings().stepper;
  report.dt = model.dt;
  report.steps = static_cast<long>(stepMs_.size());
  report.seconds = static_cast<double>(report.steps) * model.dt;  // a sum of many steps would carry its rounding
  report.threads = world.settings().threads;
  for (const BodyId body : world.bodies()) {
    if (world.kind(body) != BodyKind::Dynamic) continue;
    ++report.bodies;
    if (isLost(body)) ++report.bodiesLost;
  }
  if (const double n = static_cast<double>(stepMs_.size()); n > 0.0) {
    std::vector<double> sorted = stepMs_;
    std::sort(sorted.begin(), sorted.end());
    double sum = 0.0;
    for (const double ms : stepMs_) sum += ms;
    const double mean = sum / n;
    double squares = 0.0;
    for (const double ms : stepMs_) squares += (ms - mean) * (ms - mean);
    report.timeMs.mean = mean;
    report.timeMs.median = medianOf(sorted);
    const auto rank = static_cast<std::size_t>(std::ceil(0.95 * n));  // nearest rank
    report.timeMs.p95 = sorted[std::clamp<std::size_t>(rank, 1, sorted.size()) - 1];
    report.timeMs.max = sorted.back();
    report.timeMs.variance = squares / n;
    for (int i = 0; i < kPhaseCount; ++i) report.timeMs.phases[i] = phaseSum_[i] / n;
    report.contacts.mean = contactSum_ / n;
  }
  report.contacts.max = contactMax_;
  report.directIslandsMax = directMax_;
  if (!residuals_.empty()) {
    std::vector<double> sorted = residuals_;
    std::sort(sorted.begin(), sorted.end());
    report.residualMedian = medianOf(sorted);
    report.residualMax = sorted.back();
  }
  report.solves = solves_;
  report.impacts = impacts_;
  report.method = method_;
  if (stepperTakesSolver(report.stepper)) report.solver = world.settings().solver.name;
  report.penetration = {penetrationMax_, last_.penetration};
  if (!resting_.empty()) {
    report.driftMax = driftMax_;
    report.movedMax = movedMax_;
  }
  if (!model.joints.empty()) report.jointErrorMax = jointErrorMax_;
  report.energy = {energy_.start(), energy_.now(), energy_.largestGain(), energy_.largestRise(), energyScale()};
  report.drivenBy = drivesOf(model);
  report.quarantined = static_cast<int>(quarantinedBodies_.size());
  report.stateHash = world.stateHash();
  return report;
}

std::vector<std::string> drivesOf(const SceneModel& model) {
  bool appears = false, pushed = false, sprung = false;
  for (const SceneBody& body : model.bodies) {
    const BodyDesc& desc = body.desc;
    appears |= body.appear > 0.0 && body.appear < model.seconds;
    pushed |= desc.trajectory.has_value();
    pushed |= desc.kind == BodyKind::Kinematic && !(desc.linearVelocity.isZero(0.0) && desc.angularVelocity.isZero(0.0));
  }
  for (const SceneJoint& joint : model.joints) sprung |= joint.desc.spring.has_value() || joint.desc.drive.has_value();
  std::vector<std::string> drives;
  if (appears) drives.emplace_back("bodies appear during the run");
  if (pushed) drives.emplace_back("kinematic bodies push others");
  if (sprung) drives.emplace_back("springs give back what they store");
  return drives;
}

RunReport runScene(SceneModel model, const std::function<bool(const SceneRun&, const StepReport&)>& onStep) {
  SceneRun run(std::move(model));
  RunMeter meter(run);
  const long steps = run.stepCount();
  for (long i = 0; i < steps; ++i) {
    run.admit();
    meter.beforeStep();
    const StepReport step = run.step();
    if (step.status == StepStatus::Failed || step.status == StepStatus::OutOfMemory) {
      meter.noteFailure(step);
      break;
    }
    meter.afterStep(step);
    if (onStep && !onStep(run, step)) break;
  }
  return meter.report();
}

}  // namespace cairn
