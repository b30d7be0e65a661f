#include "soft/plan/substep_plan.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <utility>

#include "base/fetch_ahead.hpp"
#include "mechanics/free_motion.hpp"
#include "soft/layout/watched_contacts.hpp"
#include "soft/plan/contact_springs.hpp"
#include "soft/plan/contact_summary.hpp"

namespace cairn {

namespace {

constexpr std::size_t kBodyGrain = 64, kContactGrain = 128;
constexpr std::size_t kAhead = 8;  // contacts: asked for before they have their turn
constexpr double kTwoPi = 6.283185307179586;
constexpr double kSlendernessReserve = 0.65;  // on omega: 1 is Greenhill's column on springs at its corners
constexpr double kSlow = 0.5;                 // m/s, root mean square of an island that is on the move
constexpr double kMostAllowance = 4.0;        // how many times deeper such an island's points may sink
constexpr double kLayersPerSubstep = 5.5;
// In an island of so many bodies, one contact of so many may sink so much deeper than the others, if no body is so many
// times heavier than another. (A light one under a heavy one stands on stiff springs or not at all.)
constexpr int kManyBodies = 64, kContactsPerOverloaded = 64;
constexpr double kOverload = 2.0;
constexpr double kSubstepsPerTurn = 5.0;        // 1/rad: of jointed bodies
constexpr double kSubstepsPerFastTurn = 100.0;  // 1/rad: of jointed bodies that turn by more than kFastTurn in a step
constexpr double kFeltTurning = 0.01;           // of the energy of a tree: what turns with less counts for less
constexpr double kLeastOfTrees = 3.0;
constexpr double kFeltError = 2e-4;  // m: joints of a tree that were off by more ask for more substeps than there were
constexpr double kMostGrowth = 2.0;  // times as many, at most
constexpr int kFarAbove = 2;         // substeps
// If one body of so many spins fast, or more, its island gets the most: what they do to each other is a matter of chance in
// any larger crowd, and in a very large one there is always somebody who does.
constexpr int kBodiesPerSpinning = 256;
constexpr double kTall = 16.0;  // layers
constexpr double kGreenhill = 7.84;
// A need that is a little larger is not answered, and it is answered downwards by one at a time: switching to and fro would
// be felt.
constexpr double kLeeway = 0.25;    // substeps
constexpr double kFastTurn = 0.05;  // rad per step: see sweep/bodies.cpp

// Of springs at so many substeps.
double hardnessFor(double substeps, double dt) { return std::pow(kSpringAngle * substeps / dt, 2); }

// Words of a piece, one after another; a quicker hash than base/hash.hpp.
std::uint64_t mixed(std::uint64_t hash, std::uint64_t word) { return (hash ^ word) * 0x9E3779B97F4A7C15u; }
constexpr std::uint64_t kEmpty = 0x243F6A8885A308D3u;

}  // namespace

double SubstepPlan::layersOf(const Need& need) {
  return need.layers == 0 ? 1.0 : 1.0 + (need.high - need.low) * need.layers / std::max(need.thickness, 1e-9);
}

void SubstepPlan::ContactSums::add(const LiveContact& contact, const ContactSurvey& survey) {
  hardness = std::max(hardness, survey.hardness);
  deepest = std::min(deepest, survey.deepest);
  ++contacts;
  points += contact.points;
  exact |= contact.exact;
  if (survey.thickness < 0.0f) return;
  ++layers;
  thickness += survey.thickness;
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
  // Bodies on the move are pressed together for a moment, and may sink deeper: no one sees it.
  const double speed = std::sqrt(need.speeds / need.bodies);
  const double load = std::sqrt(need.hardness / std::min(1.0 + speed / kSlow, kMostAllowance));
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
  if (need.spinning > 0) {
    // Links of a chain that carries a heavy ball tremble all the time. What tree hangs in the air has no energy to compare
    // theirs with that would not depend on who looks at it.
    const bool isHeld = need.joints > need.inner;
    const double felt = isHeld && need.energy > 0.0 ? std::sqrt(need.turning / (kFeltTurning * need.energy)) : need.turn;
    fast = kSubstepsPerFastTurn * std::min(need.turn, felt);
  }
  const double wanted = std::max(kSubstepsPerTurn * dt * need.spin, fast);
  if (!(need.jointError > kFeltError) || need.known == 0) return wanted;
  // The error of a substep goes with the square of its length.
  const double before = 0.125 * need.before / need.known;
  return std::max(wanted, before * std::min(std::sqrt(need.jointError / kFeltError), kMostGrowth));
}

void SubstepPlan::BodySums::add(const BodySummary& summary, const BodySurvey& body) {
  if (bodies == 0) origin = {body.x, body.y, summary.height};
  const double dx = body.x - origin.x(), dy = body.y - origin.y(), dz = summary.height - origin.z();
  const double speedSquare = summary.motion.velocity.squaredNorm(), bodyMass = 1.0 / summary.inverseMass;
  ++bodies;
  z += dz;
  low = std::min(low, dz);
  high = std::max(high, dz);
  x += dx;
  y += dy;
  xx += dx * dx + body.xx;
  xy += dx * dy + body.xy;
  yy += dy * dy + body.yy;
  spinning += body.turn > kFastTurn ? 1 : 0;
  turn = std::max<double>(turn, body.turn);
  spin = std::max<double>(spin, summary.motion.spin);
  energy += 0.5 * bodyMass * speedSquare + body.turning;
  turning += static_cast<double>(body.turning) * body.turn * body.turn;
  speeds += speedSquare;
  mass += bodyMass;
  heaviest = std::max(heaviest, bodyMass);
  lightness = std::max<double>(lightness, summary.inverseMass);
  before += body.before;
  known += body.before > 0 ? 1 : 0;
}

void SubstepPlan::BodySums::add(const BodySums& others) {
  if (bodies == 0) {
    *this = others;
    return;
  }
  const Vec3 d = others.origin - origin;
  const double n = others.bodies;
  bodies += others.bodies;
  z += others.z + n * d.z();
  low = std::min(low, others.low + d.z());
  high = std::max(high, others.high + d.z());
  x += others.x + n * d.x();
  y += others.y + n * d.y();
  xx += others.xx + 2.0 * d.x() * others.x + n * d.x() * d.x();
  xy += others.xy + d.x() * others.y + d.y() * others.x + n * d.x() * d.y();
  yy += others.yy + 2.0 * d.y() * others.y + n * d.y() * d.y();
  spinning += others.spinning;
  turn = std::max(turn, others.turn);
  spin = std::max(spin, others.spin);
  energy += others.energy;
  turning += others.turning;
  speeds += others.speeds;
  mass += others.mass;
  heaviest = std::max(heaviest, others.heaviest);
  lightness = std::max(lightness, others.lightness);
  before += others.before;
  known += others.known;
}

void SubstepPlan::surveyBodies(StepContext& context, double dt) {
  const System& system = context.system;
  const double gravity = context.settings.gravity.norm();
  const Vec3 up = gravity > 0.0 ? Vec3(-context.settings.gravity / gravity) : Vec3(Vec3::UnitZ());
  const Vec3 side = up.unitOrthogonal(), front = up.cross(side);
  Vec3 origin = Vec3::Zero();  // of a body that moves: others may be anywhere, or nowhere
  for (const Body& body : system.bodies) {
    if (body.island == kNone || !body.moves()) continue;
    origin = body.center;
    break;
  }
  const bool mayStack = !system.contacts.inUse.empty();  // without contacts there are no layers
  resizeGently(bodies_, system.bodies.size());
  resizeGently(bodySurveys_, system.bodies.size());
  const std::size_t pieces = (bodies_.size() + kBodyGrain - 1) / kBodyGrain;
  bodyHashes_.resize(pieces);
  resizeAnew(bodyPieces_, pieces);
  // Bodies are looked at side by side, and what they say is added up in their order.
  context.tasks.parallelFor(bodies_.size(), kBodyGrain, [&](std::size_t first, std::size_t last) {
    std::uint64_t& hash = bodyHashes_[first / kBodyGrain] = kEmpty;
    Piece<BodySums>& piece = bodyPieces_[first / kBodyGrain] = {};
    bool mixedUp = false;
    for (std::size_t i = first; i < last; ++i) {
      const Body& body = system.bodies[i];
      const bool drives = !body.isDynamic() && !(body.velocity.isZero(0.0) && body.spin.isZero(0.0));
      hash = mixed(hash, (std::uint64_t{drives} << 33) | (std::uint64_t{body.moves()} << 32) | body.island);
      BodySummary& summary = bodies_[i] = BodySummary{};
      summary.motion = {body.velocity.cast<float>(), static_cast<float>(body.spin.norm())};
      if (body.island == kNone || !body.moves()) continue;
      summary = {summary.motion, body.island, static_cast<float>(body.inverseMass), body.thickness, 0.0f};
      BodySurvey& survey = bodySurveys_[i] = BodySurvey{};
      if (mayStack) {
        const Vec3 place = body.center - origin;
        survey.x = static_cast<float>(side.dot(place));
        survey.y = static_cast<float>(front.dot(place));
        summary.height = static_cast<float>(up.dot(place));
        // Its own spread: of a body with moments I, the mean of (a.r)(b.r) is ((tr I / 2) a.b - a.I b) / m.
        const Mat3 toBody = body.rotation.toRotationMatrix().transpose();
        const Vec3 a = toBody * side, b = toBody * front;
        const Vec3 ia = body.inertia * a;
        const double half = 0.5 * body.inertia.trace();
        survey.xx = static_cast<float>((half - a.dot(ia)) * body.inverseMass);
        survey.xy = static_cast<float>(-b.dot(ia) * body.inverseMass);
        survey.yy = static_cast<float>((half - b.dot(body.inertia * b)) * body.inverseMass);
      }
      survey.turn = static_cast<float>(gyroscopicTurn(body, dt));
      const float edge = body.size * summary.motion.spin / 3.0f;
      survey.turning = static_cast<float>(body.mass) * edge * edge;  // as if all moments were alike
      survey.before = body.substeps;
      if (piece.all.bodies == 0) piece.island = body.island;
      mixedUp |= piece.island != body.island;
      if (!mixedUp) piece.all.add(summary, survey);
    }
    if (mixedUp) piece.island = kNone;
  });
  for (std::size_t piece = 0; piece < pieces; ++piece) {
    const auto& [island, all] = bodyPieces_[piece];
    if (island != kNone) {
      needs_[island].add(all);
      continue;
    }
    if (all.bodies == 0) continue;
    for (std::size_t i = piece * kBodyGrain; i < std::min((piece + 1) * kBodyGrain, bodies_.size()); ++i)
      if (bodies_[i].island != kNone) needs_[bodies_[i].island].add(bodies_[i], bodySurveys_[i]);
  }
}

void SubstepPlan::surveyContacts(StepContext& context, double dt) {
  const System& system = context.system;
  ContactCache& cache = context.system.contacts;
  const Float3 up = -context.settings.gravity.cast<float>().normalized();
  // A contact that is pressed is swept, and if it is still, what it said of itself is true.
  const bool isTrue = std::exchange(cache.summariesUp, up) == up;
  const auto isKnown = [&](std::uint32_t slot) {
    return isTrue && cache.still[slot] != 0 && cache.summaries[slot].load > 0.0f;
  };
  const float perSecond = system.impulseSeconds > 0.0 ? static_cast<float>(1.0 / system.impulseSeconds) : 0.0f;
  const auto near = static_cast<float>(nearGap(context.settings.speculativeDistance));

  const auto binsPerRoot = static_cast<float>(kLoadBins / std::sqrt(hardnessFor(context.settings.soft.substeps, dt)));

  // Contacts are looked at side by side, and what they say is added up in their order. Those of bodies that sleep are none.
  resizeAnew(contacts_, cache.inUse.size());
  resizeAnew(contactSurveys_, contacts_.size());
  const std::size_t pieces = (contacts_.size() + kContactGrain - 1) / kContactGrain;
  resizeAnew(contactPieces_, pieces);
  std::atomic<bool> anyAsleep = false;
  context.tasks.parallelFor(contacts_.size(), kContactGrain, [&](std::size_t first, std::size_t last) {
    Piece<ContactSums>& piece = contactPieces_[first / kContactGrain] = {};
    std::array<ContactSurvey, kContactGrain> surveys;
    bool mixedUp = false, asleep = false;
    for (std::size_t i = first; i < last; ++i) {
      if (i + kAhead < last) {
        const std::uint32_t ahead = cache.inUse[i + kAhead];
        if (!isKnown(ahead)) prefetch(cache.slots[ahead]);
        prefetch(bodies_[cache.ends[ahead].b]);
      }
      const std::uint32_t slot = cache.inUse[i];
      const BodySummary& a = bodies_[cache.ends[slot].a];
      const BodySummary& b = bodies_[cache.ends[slot].b];
      LiveContact& live = contacts_[i] = {
          slot, cache.ends[slot].a, cache.ends[slot].b, a.island != kNone ? a.island : b.island, 0, false, 0, 0};
      if (live.island == kNone) {
        asleep = true;
        continue;
      }
      ContactSummary summary;
      if (isKnown(slot)) {
        summary = cache.summaries[slot];
      } else {
        Contact& contact = cache.slots[slot];
        live.rank = watchRank(contact, a.motion, b.motion, near, static_cast<float>(dt));
        if (live.rank != 0) clearImpulses(contact);
        summary = summaryOf(contact, up);
      }
      live.points = summary.points;
      live.exact = summary.special;
      ContactSurvey& survey = surveys[i - first] = {0.0f, summary.deepest, -1.0f};
      const float depth = depthAllowed((a.inverseMass > b.inverseMass ? a : b).thickness);
      survey.hardness = hardnessOf(summary.load, a.inverseMass + b.inverseMass, summary.approachSpeed, perSecond, depth);
      const float root = std::sqrt(std::max(survey.hardness, 0.0f));
      live.loadBin = static_cast<std::uint8_t>(std::min(binsPerRoot * root, kLoadBins - 1.0f));
      if (a.island != kNone && b.island != kNone && summary.isUpright) survey.thickness = std::abs(b.height - a.height);
      if (piece.all.contacts == 0) piece.island = live.island;
      mixedUp |= piece.island != live.island;
      piece.all.add(live, survey);
    }
    if (asleep) anyAsleep.store(true, std::memory_order_relaxed);
    if (!mixedUp) return;
    piece.island = kNone;
    std::copy_n(surveys.begin(), last - first, contactSurveys_.begin() + static_cast<std::ptrdiff_t>(first));
  });

  float deepest = 0.0f;
  const auto add = [&](std::uint32_t island, const ContactSums& survey) {
    Need& need = needs_[island];
    need.touches = true;
    need.exact |= survey.exact;
    need.hardness = std::max<double>(need.hardness, survey.hardness);
    need.contacts += survey.contacts;
    need.points += survey.points;
    need.thickness += survey.thickness;
    need.layers += survey.layers;
    need.deepest = std::min(need.deepest, survey.deepest);
    context.report.contacts += survey.points;
    deepest = std::min(deepest, survey.deepest);
  };
  for (std::size_t piece = 0; piece < pieces; ++piece) {
    if (contactPieces_[piece].island != kNone) {
      add(contactPieces_[piece].island, contactPieces_[piece].all);
      continue;
    }
    for (std::size_t i = piece * kContactGrain; i < std::min((piece + 1) * kContactGrain, contacts_.size()); ++i) {
      if (contacts_[i].island == kNone) continue;
      ContactSums one;
      one.add(contacts_[i], contactSurveys_[i]);
      add(contacts_[i].island, one);
    }
  }
  context.report.solverPenetration = -static_cast<double>(deepest);
  if (anyAsleep.load()) std::erase_if(contacts_, [](const LiveContact& contact) { return contact.island == kNone; });
}

// Of large islands in which a contact asks for more than the fewest substeps.
void SubstepPlan::countLoads(StepContext& context, double dt) {
  const SoftOptions& options = context.settings.soft;
  const double fewest = hardnessFor(std::min(options.leastSubsteps, options.substeps), dt);
  loads_.clear();
  for (Need& need : needs_) {
    if (need.bodies < kManyBodies || need.hardness <= fewest || need.heaviest * need.lightness > kAlike) continue;
    need.loads = static_cast<std::uint32_t>(loads_.size());
    loads_.emplace_back();
  }
  if (loads_.empty()) return;
  for (const LiveContact& contact : contacts_) {
    const Need& need = needs_[contact.island];
    if (need.loads != kNone) ++loads_[need.loads][contact.loadBin];
  }
}

void SubstepPlan::surveyJoints(const System& system) {
  for (const Joint& joint : system.joints) {
    if (!joint.alive) continue;
    const std::uint32_t a = bodies_[joint.a].island, b = bodies_[joint.b].island;
    if (a == kNone && b == kNone) continue;
    Need& need = needs_[a != kNone ? a : b];
    ++need.joints;
    need.jointError = std::max(need.jointError, joint.error);
    need.inner += a != kNone && b != kNone ? 1 : 0;
    // It has no stiffness across its line to slow fast swings down with.
    need.exact |= std::holds_alternative<DistanceJoint>(joint.kind);
  }
}

std::uint64_t SubstepPlan::signature(const System* withJoints) const {
  std::uint64_t hash = mixed(kEmpty, plans_.size());
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
      needs_[i].hardness = hardnessOfMost(need, loads_[need.loads], hardnessFor(most, dt));
    }
    if (const int eighths = directEighths(need, options, gravity, dt); eighths > 8 * most) {
      plans_[i] = {most, true, true};
      needs_[i].after = eighths;
      continue;
    }
    // Trees of joints are solved exactly (soft_tree.hpp). Those that touch nothing are planned by how fast they turn.
    const bool tree = need.joints > 0 && !need.touches && need.inner == need.bodies - 1;
    if (need.exact || (need.spinning > need.bodies / kBodiesPerSpinning && !tree) || need.bodies == 0 ||
        (need.joints > 0 && !tree) || (need.joints == 0 && need.bodies <= kFewBodies))
      continue;
    // What most of its bodies had before.
    const bool known = 2 * need.known > need.bodies;
    const double omega = known ? stiffest : std::numeric_limits<double>::infinity();
    const double wanted = tree ? std::clamp(substepsForTree(need, dt), std::min<double>(least, kLeastOfTrees), 1.0 * most)
                               : std::clamp(substepsFor(need, gravity, dt, omega), 1.0 * least, 1.0 * most);
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
  context.tasks.parallelFor(bodies_.size(), kBodyGrain, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i)
      if (bodies_[i].island != kNone)
        system.bodies[i].substeps = static_cast<std::uint16_t>(needs_[bodies_[i].island].after);
  });
  return plans_;
}

}  // namespace cairn
