#include "soft/plan/substep_plan.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "soft/memory.hpp"
#include "soft/plan/contact_springs.hpp"
#include "soft/plan/policy.hpp"

namespace cairn {

using namespace policy::plan;

namespace {
constexpr double kGreenhill = 7.84;  // of a column under its own weight
}  // namespace

double SubstepPlan::layersOf(const Need& need) {
  return need.layers == 0 ? 1.0 : 1.0 + (need.high - need.low) * need.layers / std::max(need.thickness, 1e-9);
}

double SubstepPlan::hardnessOfMost(const Need& need, const Loads& loads, double most) {
  int above = need.contacts / kContactsPerOverloaded;
  for (int bin = kLoadBins - 1; bin >= 0; --bin) {
    above -= static_cast<int>(loads[bin]);
    if (above >= 0) continue;
    const double share = (bin + 1.0) / kLoadBins;
    return std::clamp(most * share * share, need.hardness / kOverload, need.hardness);
  }
  return need.hardness / kOverload;
}

double SubstepPlan::substepsFor(const Need& need, double gravity, double dt, double stiffest) {
  // Bodies on the move are pressed together for a moment, and may sink deeper: it is not seen.
  const double speed = std::sqrt(need.speeds / need.bodies);
  const double load = std::sqrt(need.hardness / std::min(1.0 + speed / kMovingSpeed, kMostMovingDepth));
  if (need.layers == 0) return std::min(load, stiffest) * dt / kSpringAngle;
  const double thickness = std::max(need.thickness / need.layers, 1e-9);
  const double n = need.bodies;
  // Of a column of the same weight all the way up: what tapers, as pyramids do, bears less.
  const double height = 2.0 * (need.z / n - need.low) + thickness;
  const double xx = need.xx / n - need.x * need.x / (n * n), yy = need.yy / n - need.y * need.y / (n * n);
  const double xy = need.xy / n - need.x * need.y / (n * n);
  const double gyration = 0.5 * (xx + yy) - std::sqrt(0.25 * (xx - yy) * (xx - yy) + xy * xy);
  const double buckling =
      std::sqrt(gravity * height * height * height / (kGreenhill * thickness * thickness * std::max(gyration, 1e-12)));
  const double omega = std::min(std::max(load, kSlendernessReserve * buckling), stiffest);
  return std::max(omega * dt / kSpringAngle, height / (thickness * kLayersPerSubstep));
}

double SubstepPlan::substepsForTree(const Need& need, double dt) {
  double fast = 0.0;
  if (need.spinning > 0 && !need.touches) {
    // Links of a chain that carries a heavy ball tremble all the time. What tree hangs in the air has no energy to compare
    // theirs with that would not depend on who looks at it.
    const bool isHeld = need.joints > need.inner;
    const double bounded = isHeld && need.energy > 0.0 ? std::sqrt(need.turning / (kFeltTurning * need.energy)) : need.turn;
    fast = kSubstepsPerFastTurn * std::min(need.turn, bounded);
  }
  const bool unlike = need.heaviest * need.lightness > kMostMassRatio;
  double wanted = std::max(kSubstepsPerTurn * dt * need.spin, fast);
  if (need.touches && unlike) wanted = std::max(wanted, kLeastOfUnlikeTrees);
  const double felt = need.touches && !unlike ? kFeltErrorOfTouching : kFeltError;
  if (!(need.jointError > felt) || need.known == 0) return wanted;
  // The error of a substep goes with the square of its length.
  const double before = 0.125 * need.before / need.known;
  return std::max(wanted, before * std::min(std::sqrt(need.jointError / felt), kMostGrowth));
}

// Of large islands in which a contact asks for more than the fewest substeps.
void SubstepPlan::countLoads(StepContext& context, double dt) {
  const SoftOptions& options = context.settings.soft;
  const double fewest = hardnessAt(std::min(options.leastSubsteps, options.substeps), dt);
  loads_.clear();
  for (Need& need : needs_) {
    if (need.bodies < kManyBodies || need.hardness <= fewest || need.heaviest * need.lightness > kMostMassRatio) continue;
    need.loads = static_cast<std::uint32_t>(loads_.size());
    loads_.emplace_back();
  }
  if (loads_.empty()) return;
  for (const LiveContact& contact : contacts_) {
    const Need& need = needs_[contact.island];
    if (need.loads != kNone) ++loads_[need.loads][contact.loadBin];
  }
}

std::uint64_t SubstepPlan::signature(const System* withJoints) const {
  std::uint64_t hash = mixed(kEmptyHash, plans_.size());
  for (const std::uint64_t piece : bodyHashes_) hash = mixed(hash, piece);
  for (const IslandPlan& plan : plans_)
    hash = mixed(hash, static_cast<std::uint64_t>(plan.substeps) * 4 + (plan.direct ? 2 : 0) + (plan.changesOrder ? 1 : 0));
  if (withJoints == nullptr) return hash;
  hash = mixed(hash, withJoints->joints.size());
  for (const Joint& joint : withJoints->joints)
    hash = mixed(hash, joint.alive ? (std::uint64_t{joint.a} << 32) | joint.b : ~std::uint64_t{0});
  return hash;
}

const std::vector<IslandPlan>& SubstepPlan::make(StepContext& context, double dt) {
  System& system = context.system;
  const SoftOptions& options = context.settings.soft;
  const int most = options.substeps, least = std::min(options.leastSubsteps, most);
  const double gravity = context.settings.gravity.norm(), stiffest = kTwoPi * options.contactFrequency;
  const auto islands = static_cast<std::size_t>(context.report.islands);
  assignGently(plans_, islands, {most, true});
  assignGently(needs_, islands, Need{});
  surveyBodies(context, dt);
  surveyContacts(context, dt);
  surveyJoints(system);
  if (least == most) return plans_;
  countLoads(context, dt);
  surveyHard(context);

  for (std::size_t i = 0; i < islands; ++i) {
    const Need& need = needs_[i];
    // The loads of an island that is new are not known yet. Its lightest body might carry all others.
    if (2 * need.known <= need.bodies) {
      needs_[i].hardness = std::max(need.hardness, 2.0 * need.mass * need.lightness * gravity / kDeepest);
    } else if (need.loads != kNone) {
      needs_[i].hardness = hardnessOfMost(need, loads_[need.loads], hardnessAt(most, dt));
    }
    if (const int eighths = directEighths(need, options, gravity, dt); eighths > 8 * most) {
      plans_[i] = {most, true, true};
      needs_[i].after = eighths;
      continue;
    }
    // Trees of joints are solved exactly (joint_tree_step.hpp), and planned by how fast they turn and how far their joints
    // were off. What their contacts bear does not matter, for these push the whole tree; that of free bodies does.
    const bool tree = need.joints > 0 && !need.loops;
    if (need.exact || (need.spinning > need.bodies / kBodiesPerSpinning && !tree) || need.bodies == 0 ||
        (need.joints > 0 && !tree) || (need.joints == 0 && need.bodies <= kFewBodies))
      continue;
    // What most of its bodies had before.
    const bool known = 2 * need.known > need.bodies;
    const double omega = known ? stiffest : std::numeric_limits<double>::infinity();
    double wanted = tree ? substepsForTree(need, dt) : 0.0;
    const bool alone = tree && need.jointed == need.bodies;
    if (!alone) wanted = std::max(wanted, substepsFor(need, gravity, dt, omega));
    const double fewest = alone ? std::min<double>(least, kLeastOfTrees) : least;
    wanted = std::clamp(wanted, fewest, 1.0 * most);
    // In eighths: it takes eight steps of smaller need to come down by one, or two from far above.
    const int ceiling = static_cast<int>(std::ceil(wanted));
    int eighths = known ? std::min((need.before + need.known / 2) / need.known, 8 * most) : 8 * ceiling;
    if (8.0 * (wanted - kLeeway) > eighths) {
      eighths = 8 * ceiling;
    } else if (8 * (ceiling + 1) <= eighths || eighths % 8 != 0) {
      eighths -= 8 * (ceiling + kFarAbove) < eighths ? 4 : 1;
    }
    const int substeps = (eighths + 7) / 8;
    const bool strained = substeps * kSpringAngle >= stiffest * dt;
    plans_[i] = {substeps, layersOf(need) > kTall || strained};
    needs_[i].after = eighths;
  }
  SoftMemory& memory = softMemory(system);
  context.tasks.parallelFor(bodies_.size(), kBodyGrain, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i)
      if (bodies_[i].island != kNone) memory.substeps[i] = static_cast<std::uint16_t>(needs_[bodies_[i].island].after);
  });
  return plans_;
}

}  // namespace cairn
