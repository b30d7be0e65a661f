// What the bodies, contacts and joints of an island tell of its needs: the first half of SubstepPlan::make().
//
// Bodies and contacts are looked at side by side, in pieces of fixed size. What a piece tells is added up in its order, so
// that sums do not depend on the number of threads.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/fetch_ahead.hpp"
#include "mechanics/free_motion.hpp"
#include "soft/layout/watched_contacts.hpp"
#include "soft/memory.hpp"
#include "soft/plan/contact_springs.hpp"
#include "soft/plan/contact_summary.hpp"
#include "soft/plan/policy.hpp"
#include "soft/plan/substep_plan.hpp"

namespace cairn {

using namespace policy::plan;

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

void SubstepPlan::BodySums::add(const BodySummary& summary, const BodySurvey& body, int substepsBefore) {
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
  before += substepsBefore;
  known += substepsBefore > 0 ? 1 : 0;
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
  const std::vector<std::uint16_t>& before = softMemory(system).substeps;
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
    std::uint64_t& hash = bodyHashes_[first / kBodyGrain] = kEmptyHash;
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
      if (piece.all.bodies == 0) piece.island = body.island;
      mixedUp |= piece.island != body.island;
      if (!mixedUp) piece.all.add(summary, survey, before[i]);
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
      if (bodies_[i].island != kNone) needs_[bodies_[i].island].add(bodies_[i], bodySurveys_[i], before[i]);
  }
}

void SubstepPlan::surveyContacts(StepContext& context, double dt) {
  const System& system = context.system;
  ContactCache& cache = context.system.contacts;
  SoftMemory& memory = softMemory(context.system);
  const Float3 up = -context.settings.gravity.cast<float>().normalized();
  // A contact that is pressed is swept, and if it rests, its summary is true.
  const bool isTrue = std::exchange(memory.summariesUp, up) == up;
  const auto isKnown = [&](std::uint32_t slot) {
    return isTrue && cache.resting[slot] && memory.summaries[slot].load > 0.0f;
  };
  const float perSecond = system.impulseSeconds > 0.0 ? static_cast<float>(1.0 / system.impulseSeconds) : 0.0f;
  const auto near = static_cast<float>(nearGap(context.settings.speculativeDistance));

  const auto binsPerRoot = static_cast<float>(kLoadBins / std::sqrt(hardnessAt(context.settings.soft.substeps, dt)));

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
      if (i + kContactsAhead < last) {
        const std::uint32_t ahead = cache.inUse[i + kContactsAhead];
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
        summary = memory.summaries[slot];
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

void SubstepPlan::surveyJoints(const System& system) {
  if (system.joints.empty()) return;
  joined_.resize(bodies_.size());
  std::iota(joined_.begin(), joined_.end(), 0u);
  jointed_.assign(bodies_.size(), 0);
  const auto root = [&](std::uint32_t at) {
    while (joined_[at] != at) at = joined_[at] = joined_[joined_[at]];
    return at;
  };
  for (const Joint& joint : system.joints) {
    if (!joint.alive) continue;
    const std::uint32_t a = bodies_[joint.a].island, b = bodies_[joint.b].island;
    if (a == kNone && b == kNone) continue;
    Need& need = needs_[a != kNone ? a : b];
    ++need.joints;
    need.jointError = std::max(need.jointError, joint.error);
    for (const std::uint32_t body : {joint.a, joint.b}) {
      if (bodies_[body].island == kNone || jointed_[body] != 0) continue;
      jointed_[body] = 1;
      ++need.jointed;
    }
    if (a != kNone && b != kNone) {
      const std::uint32_t one = root(joint.a), other = root(joint.b);
      ++need.inner;
      need.loops |= one == other;
      joined_[one] = other;
    }
    // It has no stiffness across its line to slow fast swings down with.
    need.exact |= std::holds_alternative<DistanceJoint>(joint.kind);
  }
}

}  // namespace cairn
