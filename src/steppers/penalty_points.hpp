// Contact points of the stepper "penalty" within a substep: each with its spring, and what is remembered of it.
#pragma once

#include <algorithm>
#include <string>
#include <unordered_map>

#include "mechanics/solve_islands.hpp"
#include "steppers/impulse/bounds.hpp"
#include "steppers/penalty_springs.hpp"

namespace cairn {

// A contact point and its spring, for one substep.
struct PenaltyPoint {
  ContactSpring spring;
  PointMemory memory;
  double depth = 0.0;    // m, without slack; below 0 if it is open
  double seconds = 0.0;  // that an impact takes
  bool bounces = false;
  bool isJoint = false;  // its block is one of a joint's: it has no spring here
  Eigen::Vector2d stretch = Eigen::Vector2d::Zero();  // m, of the friction spring
  double impulse = 0.0;
};

struct SpringIsland {
  std::vector<PenaltyPoint> points;  // by block
  bool bounces = false;              // mean forces
  bool hasJoints = false;
};

inline void say(StepContext& context, const std::string& message) {
  if (context.report.method.message.empty()) context.report.method.message = message;
}

class SpringBuilder {
 public:
  static constexpr double kSettled = 3.0;       // impacts: what has touched for longer does not bounce any more
  static constexpr double kPlastic = 0.1;       // restitution of a damper that is still soft enough for mean forces
  static constexpr double kDeepest = 0.5;       // of half of what is thinnest
  static constexpr double kPushOutSpeed = 1.0;  // m/s
  static constexpr double kBornOpen = 1e-9;     // m

  explicit SpringBuilder(StepContext& context) : context_(context) {
    for (const auto& [key, memory] : context.system.memory.points) {
      double& slack = pairs_.try_emplace(key.pair, 0.0).first->second;
      slack = std::max(slack, memory.slack);
    }
  }

  SpringIsland build(const IslandProblem& problem) {
    SpringIsland island;
    for (std::size_t i = 0; i < problem.origins.size(); ++i) {
      if (problem.origins[i].joint != kNone) {  // soft already: see JointPenalty
        island.points.emplace_back().isJoint = true;
        island.hasJoints = true;
        continue;
      }
      island.points.push_back(point(problem, i));
      island.bounces |= island.points.back().bounces || !context_.settings.penalty.implicit;
    }
    return island;
  }

 private:
  PenaltyPoint point(const IslandProblem& problem, std::size_t block) {
    const PenaltyOptions& options = context_.settings.penalty;
    const System& system = context_.system;
    const IslandProblem::Origin& origin = problem.origins[block];
    const Contact& contact = system.contacts.slots[origin.contact];
    const double mass = 1.0 / problem.problem->diagonal(static_cast<int>(block))(0, 0);
    PenaltyPoint point;
    const PointMemory* old = system.memory.find(origin.key);
    if (old != nullptr) point.memory = *old;
    if (old == nullptr && -origin.gap > kBornOpen) {
      // It came from nowhere: nothing has pressed the spring. If only the point is new, its pair knows.
      const auto known = pairs_.find(origin.key.pair);
      point.memory.slack = known == pairs_.end() ? -origin.gap : std::min(known->second, -origin.gap);
    }
    point.depth = -origin.gap - point.memory.slack;
    if (point.memory.slack == 0.0 && (old == nullptr || point.depth <= 0.0)) {
      point.memory.impactSpeed = std::max(-origin.approach, 0.0);
      point.memory.touching = 0.0;
    }
    const double speed = point.memory.impactSpeed;
    const bool isStated = contact.stiffness > 0.0f;
    point.spring.hertz = options.law == "hertz" && !isStated;
    point.spring.stiffness = isStated ? contact.stiffness / std::max<int>(contact.count, 1) : options.stiffness;
    holdFast(contact, mass, speed, isStated, point.spring);
    point.seconds = point.spring.contactSeconds(mass, std::max(speed, context_.settings.restitutionSpeed));
    point.bounces = speed > context_.settings.restitutionSpeed && (isStated || origin.restitution > 0.0) &&
                    point.memory.touching < kSettled * point.seconds;
    if (isStated) {
      point.spring.damping = contact.damping / std::max<int>(contact.count, 1);
    } else if (point.spring.hertz) {
      const double factor = huntCrossleyFactor(point.bounces ? origin.restitution : kPlastic);
      // It lets go of nothing that parts faster than 1/(1.5 alpha).
      point.spring.alpha = factor / (1.5 * (point.bounces ? speed : std::max(speed, kPushOutSpeed)));
    } else {
      const double ratio = point.bounces ? dampingRatio(origin.restitution) : 1.0;
      point.spring.damping = 2.0 * ratio * std::sqrt(point.spring.stiffness * mass);
      if (!point.bounces && options.implicit) point.spring.damping = std::max(point.spring.damping, options.damping);
    }
    point.stretch = origin.axes.rightCols<2>().transpose() * point.memory.stretch;
    return point;
  }

  // A spring that is too soft for the speed lets bodies through each other.
  void holdFast(const Contact& contact, double mass, double speed, bool isStated, ContactSpring& spring) {
    const System& system = context_.system;
    const double thin = std::min(halfThickness(system.colliders[contact.colliderA].shape),
                                 halfThickness(system.colliders[contact.colliderB].shape));
    const double needed = ContactSpring::stiffnessFor(kDeepest * thin, mass, speed, spring.hertz);
    if (!(needed > spring.stiffness)) return;
    const std::string how = "a contact closes at " + std::to_string(speed) + " m/s, which takes a stiffness of " +
                            std::to_string(needed) + " so as not to go through";
    say(context_, isStated ? how + ": that of its material is less" : how + ": it has it while the impact lasts");
    if (!isStated) spring.stiffness = needed;
  }

  StepContext& context_;
  std::unordered_map<std::uint64_t, double> pairs_;  // that had springs before, and the most slack of these (m)
};

}  // namespace cairn
