#include "steppers/penalty.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/stop.hpp"
#include "math/rotation.hpp"
#include "mechanics/free_motion.hpp"
#include "mechanics/integrate.hpp"
#include "mechanics/warm_start.hpp"
#include "steppers/penalty_points.hpp"

namespace cairn {

namespace {

constexpr double kSubstepsPerContact = 20.0;  // in the time that an impact takes
constexpr int kMostSubsteps = 20000;
constexpr int kNewtonPasses = 6;
constexpr double kNewtonTolerance = 1e-8;  // of the depth
constexpr int kMeanPasses = 40;            // that mean forces are repeated
constexpr double kMeanTolerance = 1e-9;    // of forces
constexpr double kNeighbours = 4.0;        // contacts that share a body
constexpr double kLeastSlack = 1e-9;       // m

// How long (s) the substep may be.
double longest(const std::vector<IslandProblem>& problems, const std::vector<SpringIsland>& islands, bool implicit) {
  double h = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < islands.size(); ++i) {
    if (!islands[i].bounces) continue;
    const Vector free = problems[i].problem->velocity(Vector::Zero(problems[i].problem->rows()));
    for (std::size_t k = 0; k < islands[i].points.size(); ++k) {
      const PenaltyPoint& point = islands[i].points[k];
      if (point.isJoint || (!point.bounces && implicit)) continue;
      const double fine = point.seconds / kSubstepsPerContact;
      // To where it closes first.
      const double speed = std::max({-problems[i].origins[k].approach, -free[problems[i].problem->blocks()[k].first], 1e-9});
      const double closing = -point.depth / speed;
      h = std::min(h, point.depth < 0.0 ? std::max(fine, closing) : fine);
    }
  }
  return h;
}

// d1 = d0 - h (u_n + u_n+)/2
double depthAfter(const PenaltyPoint& point, const IslandProblem::Origin& origin, double speed, double h) {
  return point.depth - 0.5 * h * (origin.approach + speed);
}

Vector explicitImpulses(const StepContext& context, const IslandProblem& problem, const SpringIsland& island, double h) {
  const PenaltyOptions& options = context.settings.penalty;
  Vector impulse = Vector::Zero(problem.problem->rows());
  const Vector before = rowVelocities(context.system, problem, impulse);  // bias is zero
  double change = 1.0, largest = 0.0;
  for (int pass = 0; pass < kMeanPasses && change > kMeanTolerance * largest; ++pass) {
    const Vector velocity = problem.problem->velocity(impulse);
    change = largest = 0.0;
    for (std::size_t i = 0; i < island.points.size(); ++i) {
      const Block& block = problem.problem->blocks()[i];
      const PenaltyPoint& point = island.points[i];
      const double to = depthAfter(point, problem.origins[i], velocity[block.first], h);
      const ContactSpring::Response spring = point.spring.mean(point.depth, to, h);
      // Newton's step of each contact by itself, with room for what the others do: a stiff damper would overshoot.
      const double slope =
          0.5 * h * h * spring.stiffness * problem.problem->diagonal(static_cast<int>(i))(0, 0) * kNeighbours;
      const double next = (h * spring.force + slope * impulse[block.first]) / (1.0 + slope);
      change = std::max(change, std::abs(next - impulse[block.first]));
      largest = std::max(largest, next);
      impulse[block.first] = next;
      const double force = next / h;
      if (block.size == 1) continue;
      // A damper that would do more than stop the slip would drive it.
      const double mobility = problem.problem->diagonal(static_cast<int>(i)).bottomRightCorner<2, 2>().norm();
      const double damping = std::min(options.frictionDamping, 0.5 / (h * mobility));
      Eigen::Vector2d pull = -options.frictionStiffness * point.stretch - damping * before.segment<2>(block.first + 1);
      const double most = block.friction[0] * force;
      if (pull.norm() > most) pull *= most / pull.norm();
      impulse.segment<2>(block.first + 1) = h * pull;
    }
  }
  return impulse;
}

// The same contacts as soft rows, linearised about the depths at the end.
std::shared_ptr<const ContactProblem> softened(const StepContext& context, const IslandProblem& problem,
                                               const SpringIsland& island, const std::vector<double>& depths,
                                               const Vector& start, double h) {
  const PenaltyOptions& options = context.settings.penalty;
  ProblemData data = problem.problem->data();
  data.warmStart = start;
  for (std::size_t i = 0; i < island.points.size(); ++i) {
    const Block& block = data.blocks[i];
    const PenaltyPoint& point = island.points[i];
    if (point.isJoint) continue;
    const ContactSpring& law = point.spring;
    // A spring that is not touched yet answers as stiffly as it will: otherwise it could not be felt at all.
    const double untouched = law.hertz ? 1.5 * law.stiffness * std::sqrt(1e-6) : law.stiffness;
    if (island.bounces) {
      ContactSpring::Response spring = law.mean(point.depth, depths[i], h);
      double about = depths[i];
      if (!(spring.stiffness > 0.0)) spring = {0.0, 0.5 * untouched, 0.0}, about = std::max(point.depth, 0.0);
      const double half = 0.5 * h * spring.stiffness;  // v + lambda/(h half) = (F + K (d0 - about))/half - u_n
      data.compliance[block.first] = 1.0 / (h * half);
      data.bias[block.first] +=
          problem.origins[i].approach - (spring.force + spring.stiffness * (point.depth - about)) / half;
    } else {
      const double about = std::max(depths[i], 0.0);
      ContactSpring::Response spring = law.at(about, 0.0);
      if (about <= 0.0) spring = {0.0, untouched, law.damping};
      const double sum = h * spring.stiffness + spring.damping;
      data.compliance[block.first] = 1.0 / (h * sum);
      data.bias[block.first] -= (spring.force + spring.stiffness * (point.depth - about)) / sum;
    }
    for (int k = 1; k < block.size; ++k) {
      const double along = h * options.frictionStiffness + options.frictionDamping;
      data.compliance[block.first + k] = 1.0 / (h * along);
      data.bias[block.first + k] += options.frictionStiffness * point.stretch[k - 1] / along;
    }
  }
  return std::make_shared<const ContactProblem>(std::move(data));
}

// What points remember: how they came in, how long they touch, and what the friction springs hold, as much as they pull
// with.
void remember(StepContext& context, const std::vector<IslandProblem>& problems, std::vector<SpringIsland>& islands,
              const std::vector<Vector>& impulses, double h) {
  const PenaltyOptions& options = context.settings.penalty;
  std::unordered_map<ContactKey, PointMemory, ContactKeyHash> next;
  for (std::size_t i = 0; i < islands.size(); ++i) {
    const Vector velocity = problems[i].problem->velocity(impulses[i]);
    for (std::size_t k = 0; k < islands[i].points.size(); ++k) {
      if (islands[i].points[k].isJoint) continue;
      const IslandProblem::Origin& origin = problems[i].origins[k];
      const Block& block = problems[i].problem->blocks()[k];
      const double load = impulses[i][block.first] / h;
      PenaltyPoint& point = islands[i].points[k];
      PointMemory memory = point.memory;
      memory.stretch.setZero();
      memory.touching = point.depth > 0.0 || load > 0.0 ? memory.touching + h : 0.0;
      memory.slack = std::max(std::min(memory.slack, -origin.gap) - h * SpringBuilder::kPushOutSpeed, 0.0);
      if (memory.slack < kLeastSlack) memory.slack = 0.0;
      if (block.size == 3 && load > 0.0) {
        const Eigen::Vector2d slip = velocity.segment<2>(block.first + 1);
        const Eigen::Vector2d pull = impulses[i].segment<2>(block.first + 1) / h;
        const double most = block.friction[0] * load;
        Eigen::Vector2d stretch = point.stretch + h * slip;
        if (pull.norm() >= (1.0 - 1e-6) * most)
          stretch = -(pull + options.frictionDamping * slip) / options.frictionStiffness;
        // A spring that slips fast may be all damper.
        const double farthest = most / options.frictionStiffness;
        if (stretch.norm() > farthest) stretch *= farthest / stretch.norm();
        memory.stretch = origin.axes.rightCols<2>() * stretch;
      }
      next[origin.key] = memory;
    }
  }
  context.system.memory.points.swap(next);
}

std::vector<IslandProblem> problemsOf(const StepContext& context, double h, double elapsed) {
  const System& system = context.system;
  Formulation formulation;
  formulation.law = frictionLaw(context.settings);
  formulation.facets = context.settings.friction.facets;
  formulation.speedFloor = h * context.settings.gravity.norm();
  formulation.startsCold = true;
  formulation.normalBias = [](const ContactTerms&) { return 0.0; };
  const PenaltyOptions& options = context.settings.penalty;
  formulation.jointPenalty = {options.jointAlpha, 2.0 * std::numbers::pi * options.jointFrequency, options.jointDampingRatio};
  formulation.elapsed = elapsed;
  formulation.active = [&](const ContactTerms& contact) {
    // What others push may come closer than it would by itself.
    const double closing = std::max({0.0, -contact.approach, -contact.freeApproach});
    return contact.gap < h * (formulation.speedFloor + closing);
  };
  std::vector<IslandProblem> islands = buildProblems(system, context.settings, h, formulation);
  for (IslandProblem& island : islands) {  // stated stiffnesses are springs of this method, not rows of the builder's
    ProblemData data = island.problem->data();
    for (std::size_t i = 0; i < data.blocks.size(); ++i)
      if (island.origins[i].joint == kNone) data.compliance.segment(data.blocks[i].first, data.blocks[i].size).setZero();
    for (std::size_t i = 0; i < data.blocks.size(); ++i)
      if (island.origins[i].joint == kNone && system.contacts.slots[island.origins[i].contact].stiffness > 0.0f) data.bias[data.blocks[i].first] = 0.0;
    island.problem = std::make_shared<const ContactProblem>(std::move(data));
  }
  return islands;
}

}  // namespace

double PenaltyStepper::substep(StepContext& context, double h, double least) {
  System& system = context.system;
  const PenaltyOptions& options = context.settings.penalty;
  std::vector<IslandProblem> problems = problemsOf(context, h, elapsed_);
  std::vector<SpringIsland> islands;
  const auto buildSprings = [&] {
    SpringBuilder builder(context);
    islands.clear();
    for (const IslandProblem& problem : problems) islands.push_back(builder.build(problem));
  };
  buildSprings();
  if (const double most = longest(problems, islands, options.implicit); most < h) {
    if (most < least)
      say(context, "the contacts are too stiff: more than " + std::to_string(kMostSubsteps) + " substeps would be needed");
    h = std::max(most, least);
    problems = problemsOf(context, h, elapsed_);
    buildSprings();
  }
  context.timer.finish(Phase::Prepare);

  std::vector<Vector> impulses(problems.size());
  const bool isImplicit = options.implicit || std::any_of(islands.begin(), islands.end(),
                                                          [](const SpringIsland& one) { return one.hasJoints; });
  if (!isImplicit) {
    for (std::size_t i = 0; i < problems.size(); ++i) impulses[i] = explicitImpulses(context, problems[i], islands[i], h);
  } else {
    std::vector<std::vector<double>> depths(problems.size());
    bool repeats = options.law == "hertz";
    for (std::size_t i = 0; i < problems.size(); ++i) {
      repeats |= islands[i].bounces;
      const Vector free = problems[i].problem->velocity(Vector::Zero(problems[i].problem->rows()));
      for (std::size_t k = 0; k < islands[i].points.size(); ++k) {
        const PenaltyPoint& point = islands[i].points[k];
        if (point.isJoint) {
          depths[i].push_back(0.0);
          continue;
        }
        const double to = depthAfter(point, problems[i].origins[k], free[problems[i].problem->blocks()[k].first], h);
        depths[i].push_back(islands[i].bounces ? to : point.depth);
      }
    }
    for (int pass = 0; pass < (repeats ? kNewtonPasses : 1); ++pass) {
      std::vector<IslandProblem> soft = problems;
      for (std::size_t i = 0; i < problems.size(); ++i)
        soft[i].problem = softened(context, problems[i], islands[i], depths[i],
                                   pass == 0 ? problems[i].problem->data().warmStart : impulses[i], h);
      if (!solver_.solve(context, soft)) return 0.0;
      double change = 0.0;
      for (std::size_t i = 0; i < problems.size(); ++i) {
        impulses[i] = solver_.impulse(i);
        const Vector velocity = problems[i].problem->velocity(impulses[i]);
        for (std::size_t k = 0; k < islands[i].points.size(); ++k) {
          const PenaltyPoint& point = islands[i].points[k];
          if (point.isJoint) continue;
          const double speed = velocity[problems[i].problem->blocks()[k].first];
          const double next =
              islands[i].bounces ? depthAfter(point, problems[i].origins[k], speed, h) : point.depth - h * speed;
          change = std::max(change, std::abs(next - depths[i][k]) / std::max(std::abs(next), 1e-9));
          depths[i][k] = next;
        }
      }
      if (change < kNewtonTolerance) break;
    }
  }
  remember(context, problems, islands, impulses, h);
  context.timer.finish(Phase::Solve);

  const std::vector<Body> start = system.bodies;
  std::vector<char> solved(system.bodies.size(), 0), mean(system.bodies.size(), 0);
  for (std::size_t i = 0; i < problems.size(); ++i) {
    setVelocities(system, problems[i], impulses[i], solved);
    storeImpulses(system, problems[i], impulses[i]);
    if (!islands[i].bounces) continue;
    for (const std::uint32_t body : problems[i].bodies) mean[body] = 1;
  }
  const FreeMotion motion = freeMotion(context.settings);
  for (std::size_t i = 0; i < system.bodies.size(); ++i) {
    Body& body = system.bodies[i];
    if (!body.moves()) continue;
    if (body.isDynamic() && solved[i] == 0) {
      moveFree(body, motion, h, 1);
      continue;
    }
    const Vec3 before = mean[i] != 0 ? start[i].velocity : body.velocity;
    const Vec3 turning = mean[i] != 0 ? start[i].spin : body.spin;
    displace(body, 0.5 * h * (before + body.velocity), 0.5 * h * (turning + body.spin));
  }
  placeColliders(system);
  context.timer.finish(Phase::Integrate);
  return h;
}

void PenaltyStepper::step(StepContext& context, double dt) {
  System& system = context.system;
  noteContacts(context);
  StepJudge judge(context, dt);
  const std::vector<Body> start = system.bodies;
  const StepMemory remembered = system.memory;
  forgetImpulses(system);
  elapsed_ = 0.0;
  const double longestStep = dt / context.settings.penalty.substeps;
  double next = longestStep;
  int substeps = 0;
  for (double left = dt; left > 1e-9 * dt; ++substeps) {
    pollStop();
    const double asked = std::min(left, next);
    const double least = substeps < kMostSubsteps / 2 ? 0.0 : left / std::max(kMostSubsteps - substeps, 1);
    const double took = substep(context, std::max(asked, least), least);
    if (took == 0.0) {
      system.bodies = start;
      system.memory = remembered;
      placeColliders(system);
      return;
    }
    next = took < asked ? took : std::min(longestStep, 2.0 * took);
    left -= took;
    elapsed_ += took;
  }
  context.report.substeps = substeps;
  system.impulseSeconds = dt;
  noteJointError(context);
  judge.finish(context);
}

}  // namespace cairn
