#include "steppers/substep_plan.hpp"

#include <algorithm>
#include <cmath>

#include "steppers/contact_watch.hpp"
#include "steppers/free_motion.hpp"

namespace cairn {

namespace {

constexpr std::size_t kBodyGrain = 256, kContactGrain = 128;
constexpr double kAngle = 6.283185307179586 * 3.0 / 16.0;  // omega h of the stiffest springs
constexpr double kDeepest = 0.01;                          // m that a loaded point may sink
constexpr double kDeepestShare = 0.015;                    // of the body's size, likewise
constexpr double kSlendernessReserve = 0.65;               // on omega: 1 is Greenhill's column on springs at its corners
constexpr double kSlow = 0.5;                              // m/s, root mean square of an island that is on the move
constexpr double kMostAllowance = 4.0;                     // how many times deeper such an island's points may sink
constexpr double kLayersPerSubstep = 5.5;
constexpr double kSubstepsPerTurn = 5.0;        // 1/rad: of jointed bodies
constexpr double kSubstepsPerFastTurn = 100.0;  // 1/rad: of jointed bodies that turn by more than kFastTurn in a step
constexpr double kFeltTurning = 0.01;           // of the energy of a tree: what turns with less counts for less
constexpr double kLeastOfTrees = 3.0;
constexpr int kFarAbove = 2;    // substeps
constexpr int kFewBodies = 4;   // the most is cheap for them
constexpr double kTall = 16.0;  // layers
constexpr double kGreenhill = 7.84;
// A need that is a little larger is not answered, and it is answered downwards by one at a time: switching to and fro would
// be felt.
constexpr double kLeeway = 0.25;    // substeps
constexpr double kUpright = 0.7;    // cosine: contacts with a steeper normal are between layers
constexpr double kFastTurn = 0.05;  // rad per step: see soft_bodies.cpp

// Words of a piece, one after another; a quicker hash than base/hash.hpp.
std::uint64_t mixed(std::uint64_t hash, std::uint64_t word) { return (hash ^ word) * 0x9E3779B97F4A7C15u; }
constexpr std::uint64_t kEmpty = 0x243F6A8885A308D3u;

}  // namespace

double SubstepPlan::layersOf(const Need& need) {
  return need.layers == 0 ? 1.0 : 1.0 + (need.high - need.low) * need.layers / std::max(need.thickness, 1e-9);
}

double SubstepPlan::substepsFor(const Need& need, double gravity, double dt) {
  // Bodies on the move are pressed together for a moment, and may sink deeper: no one sees it.
  const double speed = std::sqrt(need.speeds / need.bodies);
  const double load = std::sqrt(need.hardness / std::min(1.0 + speed / kSlow, kMostAllowance));
  if (need.layers == 0) return load * dt / kAngle;
  const double thickness = std::max(need.thickness / need.layers, 1e-9);
  const double n = need.bodies;
  // Of a column of the same weight all the way up: what tapers, as pyramids do, bears less.
  const double height = 2.0 * (need.z / n - need.low) + thickness;
  const double xx = need.xx / n - need.x * need.x / (n * n), yy = need.yy / n - need.y * need.y / (n * n);
  const double xy = need.xy / n - need.x * need.y / (n * n);
  const double gyration = 0.5 * (xx + yy) - std::sqrt(0.25 * (xx - yy) * (xx - yy) + xy * xy);
  const double buckling =
      std::sqrt(gravity * height * height * height / (kGreenhill * thickness * thickness * std::max(gyration, 1e-12)));
  return std::max(
      {load * dt / kAngle, kSlendernessReserve * buckling * dt / kAngle, height / (thickness * kLayersPerSubstep)});
}

double SubstepPlan::substepsForTree(const Need& need, double dt) {
  double fast = 0.0;
  if (need.spinning) {
    // Links of a chain that carries a heavy ball tremble all the time. What tree hangs in the air has no energy to compare
    // theirs with that would not depend on who looks at it.
    const bool isHeld = need.joints > need.inner;
    const double felt = isHeld && need.energy > 0.0 ? std::sqrt(need.turning / (kFeltTurning * need.energy)) : need.turn;
    fast = kSubstepsPerFastTurn * std::min(need.turn, felt);
  }
  return std::max(kSubstepsPerTurn * dt * std::sqrt(need.spin), fast);
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
  resizeGently(bodies_, system.bodies.size());
  resizeGently(bodySurveys_, system.bodies.size());
  bodyHashes_.resize((bodies_.size() + kBodyGrain - 1) / kBodyGrain);
  context.tasks.parallelFor(bodies_.size(), kBodyGrain, [&](std::size_t first, std::size_t last) {
    std::uint64_t& hash = bodyHashes_[first / kBodyGrain] = kEmpty;
    for (std::size_t i = first; i < last; ++i) {
      const Body& body = system.bodies[i];
      const bool drives = !body.isDynamic() && !(body.velocity.isZero(0.0) && body.spin.isZero(0.0));
      hash = mixed(hash, (std::uint64_t{drives} << 33) | (std::uint64_t{body.moves()} << 32) | body.island);
      Brief& brief = bodies_[i] = Brief{};
      if (body.island == kNone || !body.moves()) continue;
      brief = {body.island, static_cast<float>(body.inverseMass), body.thickness, 0.0f};
      BodySurvey& survey = bodySurveys_[i];
      const Vec3 place = body.center - origin;
      survey.x = static_cast<float>(side.dot(place));
      survey.y = static_cast<float>(front.dot(place));
      survey.z = static_cast<float>(up.dot(place));
      // Its own spread: of a body with moments I, the mean of (a.r)(b.r) is ((tr I / 2) a.b - a.I b) / m.
      const Mat3 toBody = body.rotation.toRotationMatrix().transpose();
      const Vec3 a = toBody * side, b = toBody * front;
      const Vec3 ia = body.inertia * a;
      const double half = 0.5 * body.inertia.trace();
      survey.xx = static_cast<float>((half - a.dot(ia)) * body.inverseMass);
      survey.xy = static_cast<float>(-b.dot(ia) * body.inverseMass);
      survey.yy = static_cast<float>((half - b.dot(body.inertia * b)) * body.inverseMass);
      survey.spin = static_cast<float>(body.spin.squaredNorm());
      survey.speed = static_cast<float>(body.velocity.squaredNorm());
      survey.mass = static_cast<float>(body.mass);
      survey.turn = static_cast<float>(gyroscopicTurn(body, dt));
      survey.turning = survey.mass * body.size * body.size * survey.spin / 9.0f;  // as if all moments were alike
      survey.before = body.substeps;
    }
  });
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    Brief& brief = bodies_[i];
    if (brief.island == kNone) continue;
    const BodySurvey& survey = bodySurveys_[i];
    Need& need = needs_[brief.island];
    if (!need.any) need.origin = {survey.x, survey.y, survey.z};
    need.any = true;
    const double x = survey.x - need.origin.x(), y = survey.y - need.origin.y(), z = survey.z - need.origin.z();
    brief.height = static_cast<float>(z);
    ++need.bodies;
    need.z += z;
    need.low = std::min(need.low, z);
    need.high = std::max(need.high, z);
    need.x += x;
    need.y += y;
    need.xx += x * x + survey.xx;
    need.xy += x * y + survey.xy;
    need.yy += y * y + survey.yy;
    need.spinning |= survey.turn > kFastTurn;
    need.turn = std::max<double>(need.turn, survey.turn);
    need.spin = std::max<double>(need.spin, survey.spin);
    need.energy += 0.5 * survey.mass * survey.speed + survey.turning;
    need.turning += static_cast<double>(survey.turning) * survey.turn * survey.turn;
    need.speeds += survey.speed;
    need.mass += survey.mass;
    need.lightness = std::max<double>(need.lightness, brief.inverseMass);
    need.before += survey.before;
    need.known += survey.before > 0 ? 1 : 0;
  }
}

void SubstepPlan::listContacts(const System& system) {
  resizeAnew(contacts_, system.contacts.inUse.size());
  contacts_.clear();
  for (const std::uint32_t slot : system.contacts.inUse) {
    const auto [a, b] = system.contacts.ends[slot];
    const std::uint32_t island = bodies_[a].island != kNone ? bodies_[a].island : bodies_[b].island;
    if (island != kNone) contacts_.push_back({slot, a, b, island, 0, false, 0});
  }
}

void SubstepPlan::surveyContacts(StepContext& context, double dt) {
  System& system = context.system;
  const Float3 up = -context.settings.gravity.cast<float>().normalized();
  const double perSecond = system.impulseSeconds > 0.0 ? 1.0 / system.impulseSeconds : 0.0;
  const double near = nearGap(context.settings.speculativeDistance);
  listContacts(system);

  // Contacts are looked at side by side, and what they say is added up in their order.
  resizeAnew(contactSurveys_, contacts_.size());
  contactHashes_.resize((contacts_.size() + kContactGrain - 1) / kContactGrain);
  context.tasks.parallelFor(contacts_.size(), kContactGrain, [&](std::size_t first, std::size_t last) {
    std::uint64_t& hash = contactHashes_[first / kContactGrain] = kEmpty;
    for (std::size_t i = first; i < last; ++i) {
      LiveContact& live = contacts_[i];
      Contact& contact = system.contacts.slots[live.contact];
      const Brief& a = bodies_[live.a];
      const Brief& b = bodies_[live.b];
      live.points = contact.count;
      live.kept = contact.atRest == AtRest::Kept;
      live.rank = watchRank(contact, system.bodies[live.a], system.bodies[live.b], near, dt);
      if (live.rank != 0) clearImpulses(contact);
      const std::uint32_t state = (std::uint32_t{live.rank} << 16) | (live.kept ? 256u : 0u) | live.points;
      hash = mixed(mixed(hash, (std::uint64_t{live.contact} << 32) | state), (std::uint64_t{live.a} << 32) | live.b);
      ContactSurvey& survey = contactSurveys_[i] = ContactSurvey{};
      survey.exact = contact.restitution > 0.0f || contact.stiffness > 0.0f;
      double load = 0.0;
      for (int p = 0; p < contact.count; ++p) {
        load += contact.points[p].normalImpulse;
        survey.deepest = std::min(survey.deepest, contact.points[p].separation);
      }
      const double depth = std::min(kDeepest, kDeepestShare * (a.inverseMass > b.inverseMass ? a : b).thickness);
      // The two accelerate each other by this much, m/s^2; what it took to stop them in an impact is over.
      const double inverseMass = a.inverseMass + b.inverseMass;
      const double acceleration = (load * inverseMass - std::max(contact.approachSpeed, 0.0f)) * perSecond;
      if (depth > 0.0) survey.hardness = static_cast<float>(acceleration / depth);
      survey.isLayer = a.island != kNone && b.island != kNone && !(std::abs(contact.normal.dot(up)) < kUpright);
      survey.thickness = std::abs(b.height - a.height);
    }
  });

  float deepest = 0.0f;
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    const ContactSurvey& survey = contactSurveys_[i];
    Need& need = needs_[contacts_[i].island];
    context.report.contacts += static_cast<int>(contacts_[i].points);
    deepest = std::min(deepest, survey.deepest);
    need.touches = true;
    need.exact |= survey.exact;
    need.hardness = std::max<double>(need.hardness, survey.hardness);
    if (!survey.isLayer) continue;
    need.thickness += survey.thickness;
    ++need.layers;
  }
  context.report.solverPenetration = -static_cast<double>(deepest);
}

void SubstepPlan::surveyJoints(const System& system) {
  for (const Joint& joint : system.joints) {
    if (!joint.alive) continue;
    const std::uint32_t a = bodies_[joint.a].island, b = bodies_[joint.b].island;
    if (a == kNone && b == kNone) continue;
    Need& need = needs_[a != kNone ? a : b];
    ++need.joints;
    need.inner += a != kNone && b != kNone ? 1 : 0;
    // It has no stiffness across its line to slow fast swings down with.
    need.exact |= std::holds_alternative<DistanceJoint>(joint.kind);
  }
}

std::uint64_t SubstepPlan::signature() const {
  std::uint64_t hash = mixed(kEmpty, contacts_.size());
  for (const std::uint64_t piece : bodyHashes_) hash = mixed(hash, piece);
  for (const std::uint64_t piece : contactHashes_) hash = mixed(hash, piece);
  for (const IslandPlan& plan : plans_)
    hash = mixed(hash, static_cast<std::uint64_t>(plan.substeps) * 2 + (plan.tall ? 1 : 0));
  return hash;
}

const std::vector<IslandPlan>& SubstepPlan::make(StepContext& context, double dt) {
  System& system = context.system;
  const SoftOptions& options = context.settings.soft;
  const int most = options.substeps, least = std::min(options.leastSubsteps, most);
  const double gravity = context.settings.gravity.norm();
  const auto islands = static_cast<std::size_t>(context.report.islands);
  assignGently(plans_, islands, {most, true});
  assignGently(needs_, islands, Need{});
  surveyBodies(context, dt);
  surveyContacts(context, dt);
  if (least == most) return plans_;
  surveyJoints(system);

  for (std::size_t i = 0; i < islands; ++i) {
    const Need& need = needs_[i];
    // The loads of an island that is new are not known yet. Its lightest body might carry all others.
    if (2 * need.known <= need.bodies)
      needs_[i].hardness = std::max(need.hardness, 2.0 * need.mass * need.lightness * gravity / kDeepest);
    // Trees of joints are solved exactly (soft_tree.hpp), but not together with contacts.
    const bool tree = need.joints > 0 && !need.touches && need.inner == need.bodies - 1;
    if (need.exact || (need.spinning && !tree) || !need.any || (need.joints > 0 && !tree) ||
        (need.joints == 0 && need.bodies <= kFewBodies))
      continue;
    const double wanted = tree ? std::clamp(substepsForTree(need, dt), std::min<double>(least, kLeastOfTrees), 1.0 * most)
                               : std::clamp(substepsFor(need, gravity, dt), 1.0 * least, 1.0 * most);
    // In eighths: it takes eight steps of smaller need to come down by one, or two from far above.
    const int ceiling = static_cast<int>(std::ceil(wanted));
    // What most of its bodies had before.
    const bool known = 2 * need.known > need.bodies;
    int eighths = known ? std::min((need.before + need.known / 2) / need.known, 8 * most) : 8 * ceiling;
    if (8.0 * (wanted - kLeeway) > eighths) {
      eighths = 8 * ceiling;
    } else if (8 * (ceiling + 1) <= eighths || eighths % 8 != 0) {
      eighths -= 8 * (ceiling + kFarAbove) < eighths ? 4 : 1;
    }
    plans_[i] = {(eighths + 7) / 8, layersOf(need) > kTall};
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
