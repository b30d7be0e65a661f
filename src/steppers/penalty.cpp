#include "steppers/penalty.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/stop.hpp"
#include "math/rotation.hpp"
#include "steppers/free_motion.hpp"

namespace cairn {

namespace {

constexpr double kStepsPerSwing = 40.0;  // explicit: substeps in a period of the stiffest contact
constexpr int kMostSubsteps = 20000;
constexpr int kNewtonPasses = 6;
constexpr double kNewtonTolerance = 1e-8;  // of the depth

// One contact point's spring.
struct Spring {
  double stiffness;  // N/m, N/m^1.5
  double damping;    // N s/m; linear only
  double alpha;      // s/m; hertz only
  bool hertz;

  struct Response {
    double force, stiffness, damping;  // N, N/m, N s/m
  };
  // At a depth d (m) that grows by d' (m/s).
  Response at(double depth, double rate) const {
    if (depth <= 0.0) return {0.0, 0.0, 0.0};
    if (!hertz) return {std::max(stiffness * depth + damping * rate, 0.0), stiffness, damping};
    const double elastic = stiffness * depth * std::sqrt(depth), slope = 1.5 * stiffness * std::sqrt(depth);
    const double grip = std::max(1.0 + 1.5 * alpha * rate, 0.0);
    return {elastic * grip, slope * grip, 1.5 * alpha * elastic};
  }
};

class Springs {
 public:
  Springs(const StepContext& context, const IslandProblem& island) : context_(context), island_(island) {
    const PenaltyOptions& options = context.settings.penalty;
    springs_.reserve(island.origins.size());
    for (std::size_t i = 0; i < island.origins.size(); ++i) {
      const IslandProblem::Origin& origin = island.origins[i];
      const Contact& contact = context.system.contacts.slots[origin.contact];
      const int points = std::max<int>(contact.count, 1);
      const double inverseMass = island.problem->diagonal(static_cast<int>(i))(0, 0);  // 1/kg
      Spring spring{options.stiffness, options.damping, 0.0, options.law == "hertz"};
      if (contact.stiffness > 0.0f) {
        spring.stiffness = contact.stiffness / points;
        spring.damping = contact.damping / points;
      } else if (origin.restitution > 0.0) {
        // The damping ratio of a linear oscillator that comes out with e times its speed.
        const double bounce = std::log(origin.restitution);
        const double ratio = -bounce / std::hypot(std::numbers::pi, bounce);
        spring.damping = 2.0 * ratio * std::sqrt(spring.stiffness / inverseMass);
      }
      const PointMemory* memory = context.system.memory.find(origin.key);
      const double speed = memory != nullptr && memory->impactSpeed > 0.0 ? memory->impactSpeed : std::abs(origin.approach);
      spring.alpha = (1.0 - origin.restitution) / std::max(speed, 1e-3);
      springs_.push_back(spring);
    }
  }

  const Spring& operator[](std::size_t block) const { return springs_[block]; }
  // m, along the two tangents of a block: how far the friction spring is stretched.
  Eigen::Vector2d stretch(std::size_t block) const {
    const IslandProblem::Origin& origin = island_.origins[block];
    const PointMemory* memory = context_.system.memory.find(origin.key);
    if (memory == nullptr) return Eigen::Vector2d::Zero();
    return origin.axes.rightCols<2>().transpose() * memory->stretch;
  }

 private:
  const StepContext& context_;
  const IslandProblem& island_;
  std::vector<Spring> springs_;
};

Vector explicitImpulses(const StepContext& context, const IslandProblem& island, const Springs& springs, double h) {
  const PenaltyOptions& options = context.settings.penalty;
  Vector impulse = Vector::Zero(island.problem->rows());
  const Vector velocity = rowVelocities(context.system, island, impulse);  // bias is zero
  for (std::size_t i = 0; i < island.origins.size(); ++i) {
    const Block& block = island.problem->blocks()[i];
    const double force = springs[i].at(-island.origins[i].gap, -velocity[block.first]).force;
    impulse[block.first] = h * force;
    if (block.size == 1) continue;
    Eigen::Vector2d pull =
        -options.frictionStiffness * springs.stretch(i) - options.frictionDamping * velocity.segment<2>(block.first + 1);
    const double most = block.friction[0] * force;
    if (pull.norm() > most) pull *= most / pull.norm();
    impulse.segment<2>(block.first + 1) = h * pull;
  }
  return impulse;
}

// The same contacts as soft rows, linearised about the depths.
std::shared_ptr<const ContactProblem> softened(const StepContext& context, const IslandProblem& island,
                                               const Springs& springs, const std::vector<double>& depths,
                                               const Vector& start, double h) {
  const PenaltyOptions& options = context.settings.penalty;
  ProblemData data = island.problem->data();
  data.warmStart = start;
  for (std::size_t i = 0; i < island.origins.size(); ++i) {
    const Block& block = data.blocks[i];
    const double depth = -island.origins[i].gap, about = std::max(depths[i], 0.0);
    Spring::Response spring = springs[i].at(about, 0.0);
    // A spring that is not touched yet answers as stiffly as it will: otherwise it could not be felt at all.
    if (about <= 0.0)
      spring = {0.0, springs[i].hertz ? 1.5 * springs[i].stiffness * 1e-3 : springs[i].stiffness, springs[i].damping};
    const double sum = h * spring.stiffness + spring.damping;
    data.compliance[block.first] = 1.0 / (h * sum);
    data.bias[block.first] -= (spring.force + spring.stiffness * (depth - about)) / sum;
    for (int k = 1; k < block.size; ++k) {
      const double along = h * options.frictionStiffness + options.frictionDamping;
      data.compliance[block.first + k] = 1.0 / (h * along);
      data.bias[block.first + k] += options.frictionStiffness * springs.stretch(i)[k - 1] / along;
    }
  }
  return std::make_shared<const ContactProblem>(std::move(data));
}

}  // namespace

bool PenaltyStepper::substep(StepContext& context, double h) {
  System& system = context.system;
  const WorldSettings& settings = context.settings;
  const PenaltyOptions& options = settings.penalty;
  Formulation formulation;
  formulation.law = frictionLaw(settings);
  formulation.facets = settings.friction.facets;
  formulation.speedFloor = h * settings.gravity.norm();
  formulation.startsCold = true;
  formulation.normalBias = [](const ContactTerms&) { return 0.0; };
  formulation.active = [&](const ContactTerms& contact) {
    // What others push may come closer than it would by itself.
    const double reach = options.implicit ? h * (formulation.speedFloor + std::max(0.0, -contact.freeApproach)) : 0.0;
    return contact.gap < reach;
  };
  std::vector<IslandProblem> islands = buildProblems(system, settings, h, formulation);
  for (IslandProblem& island : islands) {  // stated stiffnesses are springs of this method, not rows of the builder's
    ProblemData data = island.problem->data();
    data.compliance.setZero();
    for (std::size_t i = 0; i < data.blocks.size(); ++i)
      if (system.contacts.slots[island.origins[i].contact].stiffness > 0.0f) data.bias[data.blocks[i].first] = 0.0;
    island.problem = std::make_shared<const ContactProblem>(std::move(data));
  }

  std::vector<Springs> springs;
  springs.reserve(islands.size());
  for (const IslandProblem& island : islands) springs.emplace_back(context, island);
  std::vector<Vector> impulses(islands.size());
  if (!options.implicit) {
    for (std::size_t i = 0; i < islands.size(); ++i) impulses[i] = explicitImpulses(context, islands[i], springs[i], h);
  } else {
    std::vector<std::vector<double>> depths(islands.size());
    for (std::size_t i = 0; i < islands.size(); ++i)
      for (const IslandProblem::Origin& origin : islands[i].origins) depths[i].push_back(-origin.gap);
    const int passes = options.law == "hertz" ? kNewtonPasses : 1;
    for (int pass = 0; pass < passes; ++pass) {
      std::vector<IslandProblem> soft = islands;
      for (std::size_t i = 0; i < islands.size(); ++i)
        soft[i].problem = softened(context, islands[i], springs[i], depths[i],
                                   pass == 0 ? islands[i].problem->data().warmStart : impulses[i], h);
      if (!solver_.solve(context, soft)) return false;
      double change = 0.0;
      for (std::size_t i = 0; i < islands.size(); ++i) {
        impulses[i] = solver_.impulse(i);
        const Vector velocity = islands[i].problem->velocity(impulses[i]);
        for (std::size_t k = 0; k < islands[i].origins.size(); ++k) {
          const double next = -islands[i].origins[k].gap - h * velocity[islands[i].problem->blocks()[k].first];
          change = std::max(change, std::abs(next - depths[i][k]) / std::max(std::abs(next), 1e-9));
          depths[i][k] = next;
        }
      }
      if (change < kNewtonTolerance) break;
    }
  }

  // What the friction springs hold: as much as they pull with.
  std::unordered_map<ContactKey, PointMemory, ContactKeyHash> next;
  for (std::size_t i = 0; i < islands.size(); ++i) {
    const Vector velocity = islands[i].problem->velocity(impulses[i]);
    for (std::size_t k = 0; k < islands[i].origins.size(); ++k) {
      const IslandProblem::Origin& origin = islands[i].origins[k];
      const Block& block = islands[i].problem->blocks()[k];
      const PointMemory* old = system.memory.find(origin.key);
      PointMemory memory;
      memory.impactSpeed = old != nullptr ? old->impactSpeed : std::abs(std::min(origin.approach, 0.0));
      if (block.size == 3 && impulses[i][block.first] > 0.0) {
        const Eigen::Vector2d slip = velocity.segment<2>(block.first + 1);
        const Eigen::Vector2d pull = impulses[i].segment<2>(block.first + 1) / h;
        const double most = block.friction[0] * impulses[i][block.first] / h;
        Eigen::Vector2d stretch = springs[i].stretch(k) + h * slip;
        if (pull.norm() >= (1.0 - 1e-6) * most)
          stretch = -(pull + options.frictionDamping * slip) / options.frictionStiffness;
        // A spring that slips fast may be all damper.
        const double longest = most / options.frictionStiffness;
        if (stretch.norm() > longest) stretch *= longest / stretch.norm();
        memory.stretch = origin.axes.rightCols<2>() * stretch;
      }
      next[origin.key] = memory;
    }
  }
  system.memory.points.swap(next);

  std::vector<char> solved(system.bodies.size(), 0);
  for (std::size_t i = 0; i < islands.size(); ++i) {
    setVelocities(system, islands[i], impulses[i], solved);
    storeImpulses(system, islands[i], impulses[i]);
  }
  const FreeMotion motion = freeMotion(settings);
  for (std::size_t i = 0; i < system.bodies.size(); ++i) {
    Body& body = system.bodies[i];
    if (!body.moves()) continue;
    if (body.isDynamic() && solved[i] == 0) {
      moveFree(body, motion, h, 1);
    } else {
      body.center += h * body.velocity;
      body.rotation = rotated(body.rotation, h * body.spin);
    }
  }
  placeColliders(system);
  return true;
}

void PenaltyStepper::step(StepContext& context, double dt) {
  System& system = context.system;
  const PenaltyOptions& options = context.settings.penalty;
  noteContacts(context);
  StepJudge judge(context, dt);
  const std::vector<Body> start = system.bodies;
  int substeps = options.substeps;
  if (!options.implicit) {
    // A period of the stiffest contact: 2 pi sqrt(m/k), with the lightest body and several points on it.
    double lightest = std::numeric_limits<double>::infinity(),
           stiffest = 4.0 * std::max(options.stiffness, options.frictionStiffness);
    for (const Pair& pair : system.broad.pairs) {
      if (pair.contact == kNone) continue;
      const Contact& contact = system.contacts.slots[pair.contact];
      stiffest = std::max<double>(stiffest, contact.stiffness);
      for (const std::uint32_t index : {contact.bodyA, contact.bodyB})
        if (system.bodies[index].isDynamic()) lightest = std::min(lightest, system.bodies[index].mass);
    }
    if (std::isfinite(lightest)) {
      const double period = 2.0 * std::numbers::pi * std::sqrt(lightest / stiffest);
      const double needed = std::ceil(kStepsPerSwing * dt / period);
      if (needed > kMostSubsteps)
        context.report.method.message = "the contacts are too stiff for explicit steps: use implicit ones";
      substeps = static_cast<int>(std::clamp(needed, static_cast<double>(substeps), static_cast<double>(kMostSubsteps)));
    }
  }
  forgetImpulses(system);
  context.timer.finish(Phase::Prepare);
  for (int i = 0; i < substeps; ++i) {
    pollStop();
    if (substep(context, dt / substeps)) continue;
    system.bodies = start;
    placeColliders(system);
    return;
  }
  context.report.substeps = substeps;
  system.impulseSeconds = dt;
  context.timer.finish(Phase::Solve);
  judge.finish(context);
}

}  // namespace cairn
