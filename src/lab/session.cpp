#include "lab/session.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "lab/added_shapes.hpp"
#include "scene/scene_file.hpp"
#include "scene/suggest.hpp"

namespace cairn {
namespace {

constexpr double kMostFriction = 1e3;
constexpr double kAddedDensity = 1000.0;            // kg/m^3
constexpr std::string_view kOwnSurfaces = "scene";  // in place of a number: each surface as the scene has it

template <class... Ts>
struct Overloaded : Ts... {
  using Ts::operator()...;
};

double readNumber(const SetEdit& edit, double low, double high, const char* unit) {
  double value = 0.0;
  const char* end = edit.value.data() + edit.value.size();
  const auto result = std::from_chars(edit.value.data(), end, value);
  if (result.ec == std::errc{} && result.ptr == end && value >= low && value <= high) return value;
  throw EditRefused(fmt::format("{}: found \"{}\"; allowed: a number from {:g} to {:g}{}{}", edit.key, edit.value, low, high,
                                *unit ? " " : "", unit));
}

std::optional<double> readSurface(const SetEdit& edit, double high) {
  if (edit.value == kOwnSurfaces) return std::nullopt;
  return readNumber(edit, 0.0, high, "");
}

// Coefficients that go beyond the two that a person can set give way, so that what is set is what holds.
Material covered(Material material, std::optional<double> friction, std::optional<double> restitution) {
  if (friction) {
    material.friction = *friction;
    material.staticFriction.reset();
    material.crossFriction.reset();
  }
  if (restitution) material.restitution = *restitution;
  return material;
}

SceneModel withoutBodies(const SceneModel& model) {
  SceneModel plain;
  plain.name = model.name;
  plain.settings = model.settings;
  plain.dt = model.dt;
  plain.parameters = model.parameters;
  return plain;
}

}  // namespace

LabSession::LabSession(SceneModel model) : run_(std::move(model)), asked_(withoutBodies(run_.model())) {
  for (const SceneBody& body : run_.model().bodies) sceneNames_.insert(body.desc.name);
  hasCome_.resize(run_.bodies().size());
  noteArrivals();
  changes_ = {};
}

void LabSession::apply(const Edit& edit) {
  try {
    std::visit(
        Overloaded{[&](const SetEdit& one) { set(one); }, [&](const GrabEdit& one) { grab(one); },
                   [&](const DragEdit& one) {
                     if (!spring_) throw EditRefused("no body is held; allowed: after a grab");
                     spring_->to = one.to;
                   },
                   [&](const ReleaseEdit&) { spring_.reset(); },
                   [&](const ThrowEdit& one) {
                     BodyDesc ball;
                     ball.pose.position = one.from;
                     ball.linearVelocity = one.velocity;
                     ball.shapes.push_back({.geometry = Sphere{one.radius}, .density = one.density});
                     add(std::move(ball), "thrown");
                   },
                   [&](const AddEdit& one) {
                     const auto shapes = addedShapes();
                     if (std::find(shapes.begin(), shapes.end(), one.shape) == shapes.end()) {
                       throw EditRefused(fmt::format("shape: found \"{}\"; allowed: {}", one.shape, listNames(shapes)));
                     }
                     BodyDesc body;
                     body.pose.position = one.at;
                     body.shapes.push_back({.geometry = addedShape(one.shape, one.size), .density = kAddedDensity});
                     add(std::move(body), "dropped");
                   },
                   [&](const PinEdit& one) { pin(one); }, [&](const UnpinEdit& one) { unpin(one); },
                   [&](const DeleteEdit& one) { remove(one); }},
        edit);
  } catch (const std::invalid_argument& error) {  // the world does not take it
    throw EditRefused(error.what());
  }
}

StepReport LabSession::step() {
  if (run_.admit() > 0) noteArrivals();
  World& world = run_.world();
  SpringLoad load;
  if (spring_) {
    load = loadOf(*spring_, world, asked_.dt);
    world.addForce(spring_->body, load.force);
    world.addTorque(spring_->body, load.torque);
  }
  StepReport report = world.step(asked_.dt);
  if (report.status == StepStatus::Ok) {
    ++steps_;
  } else if (spring_) {  // forces last for the next step, and that one did not happen
    world.addForce(spring_->body, -load.force);
    world.addTorque(spring_->body, -load.torque);
  }
  return report;
}

void LabSession::setAudit(Audit audit) {
  if (audit == audit_) return;
  audit_ = audit;
  run_.world().setSettings(effectiveSettings());
}

LabSettings LabSession::settings() const { return {asked_.settings, asked_.dt, friction_, restitution_}; }

LabSession::Changes LabSession::takeChanges() { return std::exchange(changes_, {}); }

WorldSettings LabSession::effectiveSettings() const {
  WorldSettings settings = asked_.settings;
  settings.audit = audit_;
  for (MaterialPair& pair : settings.pairs) pair.material = covered(pair.material, friction_, restitution_);
  return settings;
}

void LabSession::set(const SetEdit& edit) {
  if (edit.key == "dt") {
    asked_.dt = readNumber(edit, kShortestTimeStep, kMaximumTimeStep, "s");
    return wakeAll();
  }
  if (edit.key == "friction") return setSurfaces(readSurface(edit, kMostFriction), restitution_);
  if (edit.key == "restitution") return setSurfaces(friction_, readSurface(edit, 1.0));
  if (!isSettingKey(edit.key)) {
    throw EditRefused(
        fmt::format("key: found \"{}\"; allowed while a scene runs: settings.*, dt, friction, restitution; "
                    "parameters of a scene when it is loaded",
                    edit.key));
  }
  SceneModel trial = asked_;
  ProblemList problems;
  applySettingOverrides({{edit.key, edit.value}}, trial, problems);
  try {
    problems.throwIfAny();
  } catch (const SceneError& error) {
    throw EditRefused(error.what());
  }
  if (trial.settings.solver.milliseconds != asked_.settings.solver.milliseconds) {
    throw EditRefused(
        fmt::format("{}: with a limit in time the result depends on the machine, and no log could repeat it; "
                    "allowed: settings.solver.iterations",
                    edit.key));
  }
  std::swap(asked_, trial);
  try {
    run_.world().setSettings(effectiveSettings());
  } catch (...) {
    std::swap(asked_, trial);
    throw;
  }
  wakeAll();
}

void LabSession::setSurfaces(std::optional<double> friction, std::optional<double> restitution) {
  friction_ = friction;
  restitution_ = restitution;
  run_.world().setSettings(effectiveSettings());
  for (const BodyId body : world().bodies()) coverSurfaces(body);
  wakeAll();
}

void LabSession::coverSurfaces(BodyId body) {
  for (const ShapeId id : world().shapes(body)) {
    const auto shape = world().shape(id);
    if (!shape) continue;
    const Material& own = ownSurfaces_.try_emplace(id, shape->material).first->second;
    run_.world().setMaterial(id, covered(own, friction_, restitution_));
  }
}

void LabSession::grab(const GrabEdit& edit) { spring_ = MouseSpring{needMovable(edit.body, "pulled"), edit.at, edit.to}; }

void LabSession::pin(const PinEdit& edit) {
  const BodyId body = needMovable(edit.body, "pinned");
  if (pins_.contains(body)) throw EditRefused(fmt::format("\"{}\" is pinned already", edit.body));
  World& world = run_.world();
  if (!world.isValid(anchor_)) {
    anchor_ = world.addBody({.name = freeName("pins"), .kind = BodyKind::Static});
    changes_.added.push_back(anchor_);
  }
  JointDesc joint;
  joint.a = anchor_;
  joint.b = body;
  joint.anchorA = world.state(body)->center;
  joint.anchorB = world.massProperties(body)->center;
  joint.kind = FixedJoint{};
  pins_[body] = world.addJoint(joint);
  world.setVelocity(body, Vec3::Zero(), Vec3::Zero());
}

void LabSession::unpin(const UnpinEdit& edit) {
  const auto pinned = pins_.find(need(edit.body));
  if (pinned == pins_.end()) throw EditRefused(fmt::format("\"{}\" is not pinned", edit.body));
  run_.world().removeJoint(pinned->second);
  run_.world().wake(pinned->first);
  pins_.erase(pinned);
}

void LabSession::remove(const DeleteEdit& edit) {
  const BodyId body = need(edit.body);
  if (body == anchor_) throw EditRefused(fmt::format("\"{}\" holds the pinned bodies and stays", edit.body));
  for (const ShapeId shape : world().shapes(body)) ownSurfaces_.erase(shape);
  if (spring_ && spring_->body == body) spring_.reset();
  pins_.erase(body);
  run_.world().removeBody(body);
  const bool wasTold = std::erase(changes_.added, body) == 0;
  if (wasTold) changes_.removed.push_back(body.index);
}

void LabSession::add(BodyDesc desc, const char* family) {
  if (addedBodies_ >= kMostAddedBodies) {
    throw EditRefused(fmt::format("{} bodies were added already; allowed: to restart the scene", addedBodies_));
  }
  desc.name = freeName(family);
  const BodyId body = run_.world().addBody(desc);
  ++addedBodies_;
  changes_.added.push_back(body);
  if (friction_ || restitution_) coverSurfaces(body);
}

BodyId LabSession::need(const std::string& body) const {
  if (const auto found = world().findBody(body)) return *found;
  throw EditRefused(fmt::format("body: there is no \"{}\" now", body));
}

BodyId LabSession::needMovable(const std::string& body, const char* what) const {
  const BodyId found = need(body);
  if (world().kind(found) != BodyKind::Dynamic) {
    throw EditRefused(
        fmt::format("\"{}\" does not move by forces, so that it cannot be {}; allowed: dynamic bodies", body, what));
  }
  if (world().isQuarantined(found)) {
    throw EditRefused(fmt::format("\"{}\" is quarantined, so that it cannot be {}; restart the scene", body, what));
  }
  return found;
}

// "thrown.3": of a body that is neither there nor still to come.
std::string LabSession::freeName(std::string_view family) const {
  for (int number = addedBodies_ + 1;; ++number) {
    std::string name = fmt::format("{}.{}", family, number);
    if (!sceneNames_.contains(name) && !world().findBody(name)) return name;
  }
}

void LabSession::noteArrivals() {
  for (std::size_t i = 0; i < hasCome_.size(); ++i) {
    if (hasCome_[i] || run_.bodies()[i].isNull()) continue;
    hasCome_[i] = true;
    changes_.added.push_back(run_.bodies()[i]);
    if (friction_ || restitution_) coverSurfaces(run_.bodies()[i]);
  }
}

// What changed may move bodies that have come to rest.
void LabSession::wakeAll() {
  for (const BodyId body : world().bodies()) {
    if (!world().isAwake(body) && !world().isQuarantined(body)) run_.world().wake(body);
  }
}

}  // namespace cairn
