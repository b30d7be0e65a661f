#include "steppers/bounces.hpp"

#include "math/rotation.hpp"
#include "mechanics/warm_start.hpp"

namespace cairn {

namespace {

constexpr int kHalvings = 20;        // of the factor, if energy would rise
constexpr double kRounding = 1e-12;  // of the energies that are added up
constexpr double kTouching = 1e-6;   // m: what is nearer takes part in an impact

double kineticEnergy(const Body& body) {
  const Vec3 local = body.rotation.conjugate() * body.spin;
  return 0.5 * (body.mass * body.velocity.squaredNorm() + local.dot(body.inertia * local));
}

bool isFree(const Body& body) { return body.moves() && body.isDynamic(); }

// Energy of the bodies of an island since a step began: kinetic, and what gravity and forces gave.
class Ledger {
 public:
  Ledger(const std::vector<Body>& start, const System& system, const Vec3& gravity, const std::vector<std::uint32_t>& bodies,
         double work)
      : bodies_(bodies), base_(-work), scale_(std::abs(work)) {
    for (const std::uint32_t index : bodies) {
      const Body& before = start[index];
      const Body& now = system.bodies[index];
      const Vec3 turned = rotationVector(now.rotation * before.rotation.conjugate());
      const double given = (before.mass * before.gravityScale * gravity + before.force).dot(now.center - before.center) +
                           before.torque.dot(turned);
      base_ -= kineticEnergy(before) + given;
      scale_ += kineticEnergy(before) + std::abs(given);
    }
  }
  double gain(const System& system) const { return base_ + kinetic(system); }  // J
  double rounding(const System& system) const { return kRounding * (scale_ + kinetic(system)); }

 private:
  double kinetic(const System& system) const {
    double sum = 0.0;
    for (const std::uint32_t index : bodies_) sum += kineticEnergy(system.bodies[index]);
    return sum;
  }
  const std::vector<std::uint32_t>& bodies_;
  double base_, scale_;
};

// The problem with a velocity added to its rows.
IslandProblem biased(const IslandProblem& island, const Vector& added) {
  IslandProblem out = island;
  ProblemData data = island.problem->data();
  data.bias += added;
  out.problem = std::make_shared<const ContactProblem>(std::move(data));
  return out;
}

// Relative normal velocity of a contact if the bodies moved as these do.
double approachOf(const std::vector<Body>& bodies, const ContactTerms& contact) {
  double speed = 0.0;
  const auto add = [&](std::uint32_t index, const Vec6& row) {
    const Body& body = bodies[index];
    if (body.moves()) speed += row.head<3>().dot(body.velocity) + row.tail<3>().dot(body.spin);
  };
  add(contact.bodyA, contact.rowA);
  add(contact.bodyB, contact.rowB);
  return speed;
}

// Work (J) on the bodies of an island by what is not part of it: rows whose velocity is prescribed, and springs.
double workFromOutside(const IslandProblem& island, const Vector& impulse) {
  double work = -impulse.dot(island.driven);
  const ProblemData& data = island.problem->data();
  if (data.compliance.isZero(0.0)) return work;
  const Vector u = island.problem->bodyVelocity(impulse);
  for (std::size_t i = 0; i < data.blocks.size(); ++i) {
    const BlockJacobian& jacobian = data.jacobians[i];
    for (int k = 0; k < data.blocks[i].size; ++k) {
      const int row = data.blocks[i].first + k;
      if (data.compliance[row] == 0.0) continue;
      double speed = island.driven[row];
      if (jacobian.a >= 0) speed += jacobian.partA.row(k).dot(u.segment<6>(6 * jacobian.a));
      if (jacobian.b >= 0) speed += jacobian.partB.row(k).dot(u.segment<6>(6 * jacobian.b));
      work += impulse[row] * speed;
    }
  }
  return work;
}

}  // namespace

void Bounces::begin(const System& system) {
  start_ = system.bodies;
  meetings_.clear();
  work_.clear();
  done_.clear();
  anyClosed_ = false;
}

void Bounces::see(const ContactTerms& contact, double tolerance) {
  if (!(contact.restitution > 0.0)) return;
  const double load = 2.0 * (contact.approach - contact.freeApproach) / contact.dt * std::max(contact.gap, 0.0);
  meetings_.try_emplace(contact.key, Meeting{tolerance, load, false});
}

const Bounces::Meeting* Bounces::closed(const ContactKey& key) const {
  const auto found = meetings_.find(key);
  return found != meetings_.end() && found->second.pressed ? &found->second : nullptr;
}

void Bounces::note(const System& system, const std::vector<IslandProblem>& islands, const std::vector<Vector>& impulses) {
  if (meetings_.empty()) return;
  for (std::size_t i = 0; i < islands.size(); ++i) {
    for (std::size_t k = 0; k < islands[i].origins.size(); ++k) {
      if (islands[i].origins[k].point < 0) continue;
      const auto found = meetings_.find(islands[i].origins[k].key);
      if (found == meetings_.end()) continue;
      found->second.pressed |= impulses[i][islands[i].problem->blocks()[k].first] > 0.0;
      anyClosed_ |= found->second.pressed;
    }
    const std::uint32_t island = system.bodies[islands[i].bodies.front()].island;
    if (work_.size() <= island) work_.resize(island + 1, 0.0);
    work_[island] += workFromOutside(islands[i], impulses[i]);
  }
}

// Bodies of the islands in which something bounces, by island: the others must not notice.
std::vector<std::vector<std::uint32_t>> Bounces::islandsThatBounce(const System& system) const {
  std::vector<std::vector<std::uint32_t>> bodiesOf;
  std::vector<char> bounces;  // by island
  const auto mark = [&](std::uint32_t collider) {
    const Body& body = system.bodies[system.colliders[collider].body];
    if (!isFree(body)) return;
    if (bounces.size() <= body.island) bounces.resize(body.island + 1, 0);
    bounces[body.island] = 1;
  };
  for (const auto& [key, meeting] : meetings_) {
    if (!meeting.pressed) continue;
    mark(static_cast<std::uint32_t>(key.pair >> 32));
    mark(static_cast<std::uint32_t>(key.pair));
  }
  bodiesOf.resize(bounces.size());
  for (std::uint32_t i = 0; i < system.bodies.size(); ++i) {
    const Body& body = system.bodies[i];
    if (isFree(body) && body.island < bounces.size() && bounces[body.island] != 0) bodiesOf[body.island].push_back(i);
  }
  return bodiesOf;
}

void Bounces::land(StepContext& context, Law law, const SolverSettings& solver, double dt) {
  if (!anyClosed_) return;
  System& system = context.system;
  placeColliders(system);
  const WorldSettings& settings = context.settings;
  const std::vector<std::vector<std::uint32_t>> bodiesOf = islandsThatBounce(system);
  const auto takesPart = [&](std::uint32_t index) {
    const Body& body = system.bodies[index];
    return isFree(body) && body.island < bodiesOf.size() && !bodiesOf[body.island].empty();
  };
  std::vector<std::uint32_t> contacts, joints;
  for (std::uint32_t i = 0; i < system.joints.size(); ++i)
    if (system.joints[i].alive && (takesPart(system.joints[i].a) || takesPart(system.joints[i].b))) joints.push_back(i);
  for (const Pair& pair : system.broad.pairs) {
    if (pair.contact == kNone || system.contacts.slots[pair.contact].count == 0) continue;
    const Contact& contact = system.contacts.slots[pair.contact];
    if (takesPart(contact.bodyA) || takesPart(contact.bodyB)) contacts.push_back(pair.contact);
  }

  std::unordered_map<ContactKey, double, ContactKeyHash> wanted;  // m/s: e v_n
  Formulation formulation;
  formulation.law = law;
  formulation.facets = settings.friction.facets;
  formulation.unloaded = formulation.startsCold = true;
  formulation.speedFloor = dt * settings.gravity.norm();
  formulation.active = [&](const ContactTerms& contact) {
    return contact.gap <= kTouching || closed(contact.key) != nullptr;
  };
  formulation.normalBias = [&](const ContactTerms& contact) {
    const Meeting* meeting = closed(contact.key);
    const double before = meeting != nullptr ? approachOf(start_, contact) : 0.0;
    if (before < 0.0) {
      const double speed = std::sqrt(std::max(before * before + meeting->load, 0.0));
      if (speed > meeting->tolerance) wanted[contact.key] = -contact.restitution * speed;
    }
    return 0.0;
  };
  std::vector<IslandProblem> islands = buildProblems(system, settings, dt, formulation, contacts, joints);
  if (wanted.empty()) return;
  std::vector<Vector> full;  // what the factor 1 adds to the bias
  for (IslandProblem& island : islands) {
    full.push_back(Vector::Zero(island.problem->rows()));
    for (std::size_t k = 0; k < island.origins.size(); ++k) {
      const auto found = wanted.find(island.origins[k].key);
      if (island.origins[k].point < 0 || found == wanted.end()) continue;
      full.back()[island.problem->blocks()[k].first] = found->second;
      ++context.report.impacts.count;
    }
  }
  // All of them with the whole restitution, side by side; then, one by one, those that gained by it.
  std::vector<IslandProblem> whole = islands;
  for (std::size_t i = 0; i < islands.size(); ++i) whole[i] = biased(islands[i], full[i]);
  if (!solver_.solve(context, whole, solver)) return;
  std::vector<Vector> impulses = solver_.impulses();
  for (std::size_t i = 0; i < islands.size(); ++i) {
    const std::uint32_t number = system.bodies[islands[i].bodies.front()].island;
    const Ledger ledger(start_, system, settings.gravity, bodiesOf[number], number < work_.size() ? work_[number] : 0.0);
    std::vector<char> marked(system.bodies.size(), 0);
    const auto gain = [&](const Vector& impulse) {
      setVelocities(system, islands[i], impulse, marked);
      return ledger.gain(system) - workFromOutside(islands[i], impulse);
    };
    double change = gain(impulses[i]), factor = 1.0;
    if (change > ledger.rounding(system)) {
      const std::optional<SolveSummary> solved = context.report.solve;
      const auto attempt = [&](double share) {
        std::vector<IslandProblem> one = {biased(islands[i], share * full[i])};
        context.report.solve = solved;
        solver_.solve(context, one, solver);
        impulses[i] = solver_.impulse(0);
        return change = gain(impulses[i]);
      };
      // What is gained without any restitution is not its doing.
      const double most = std::max(attempt(0.0), 0.0);
      double low = 0.0, high = 1.0;
      for (int k = 0; k < kHalvings; ++k) {
        const double middle = 0.5 * (low + high);
        (attempt(middle) > most + ledger.rounding(system) ? high : low) = middle;
      }
      factor = low;
      attempt(factor);
    }
    ImpactSummary& summary = context.report.impacts;
    summary.restitutionFactor = std::min(summary.restitutionFactor, factor);
    (change > 0.0 ? summary.energyGained : summary.energyLost) += std::abs(change);
    done_.push_back({std::move(islands[i]), impulses[i]});
  }
}

void Bounces::store(System& system) const {
  for (const Bounce& one : done_) storeImpulses(system, one.island, one.impulse, false);
}

}  // namespace cairn
