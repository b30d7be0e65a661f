#include "steppers/acceleration/impacts.hpp"

#include "laws/impacts.hpp"
#include "laws/single_impact.hpp"

namespace cairn {

namespace {

constexpr double kTolerance = 1e-11;     // of impacts
constexpr double kLastTolerance = 1e-7;  // if that cannot be had
constexpr double kGrazing = 1e-12;       // of the slip speed: the approach that starts an impact without collision

// What an impact does to the two bodies of a contact.
class Bookkeeper {
 public:
  Bookkeeper(const SmoothIsland& island, const IslandState& state) : island_(island) { energies(state, before_); }

  void write(const IslandState& after, const RowSet& rows, const std::vector<ActiveContact>& contacts, const Vector& impulse,
             const Vector& before, ImpactBook& book) const {
    std::vector<double> energy;
    energies(after, energy);
    const auto of = [](const std::vector<double>& values, int number) { return number >= 0 ? values[number] : 0.0; };
    for (std::size_t c = 0; c < contacts.size(); ++c) {
      const int n = rows.normal(c);
      if (!(impulse[n] > 0.0)) continue;
      const IslandPair& pair = island_.pairs()[contacts[c].pair];
      const System& system = island_.system();
      ImpactRecord record;
      record.bodyA = {pair.bodyA, system.bodies[pair.bodyA].generation};
      record.bodyB = {pair.bodyB, system.bodies[pair.bodyB].generation};
      record.point = 0.5 * (rows.frames[c].point.onA + rows.frames[c].point.onB);
      record.normal = rows.frames[c].point.normal;
      record.impulse = rows.frames[c].axes * impulse.segment<3>(n);
      record.law = pair.surface.impact;
      record.approach = -before[n];
      record.beforeA = of(before_, pair.a);
      record.beforeB = of(before_, pair.b);
      record.afterA = of(energy, pair.a);
      record.afterB = of(energy, pair.b);
      book.impacts.push_back({after.time, record});
      ++book.summary.count;
    }
    double change = 0.0;
    for (std::size_t i = 0; i < energy.size(); ++i) change += energy[i] - before_[i];
    book.summary.energyLost += std::max(0.0, -change);
    book.summary.energyGained += std::max(0.0, change);
  }

 private:
  void energies(const IslandState& state, std::vector<double>& out) const {
    for (int i = 0; i < island_.size(); ++i) out.push_back(island_.kineticEnergy(i, state));
  }
  const SmoothIsland& island_;
  std::vector<double> before_;
};

// Whether a contact had its last impact so recently that all that follow, each flight e times the one before, would soon be
// over (Zeno). This also tells of rocking, where other contacts carry the body between impacts.
bool comesAgain(const SmoothIsland& island, const ActiveContact& contact, double time, const ImpactBook& book) {
  const double e = island.pairs()[contact.pair].surface.restitution;
  const auto last = book.last.find({contact.pair, contact.id});
  return last != book.last.end() && e < 1.0 &&
         (time - last->second) / (1.0 - e) < island.settings().acceleration.zenoSeconds;
}

// Restitution of a contact now: none if it approaches too slowly, or if all its bounces would soon be over.
double restitutionNow(const SmoothIsland& island, const ActiveContact& contact, double approach, double fall, bool again,
                      ImpactBook& book) {
  const double e = island.pairs()[contact.pair].surface.restitution;
  if (e <= 0.0 || approach <= island.settings().restitutionSpeed) return 0.0;
  if (e >= 1.0) return e;
  // 2 v+/(a_n (1 - e)): the flights that follow are a geometric series.
  const bool endsSoon = fall > 0.0 && 2.0 * e * approach / (fall * (1.0 - e)) < island.settings().acceleration.zenoSeconds;
  if (!endsSoon && !again) return e;
  ++book.ended;
  return 0.0;
}

}  // namespace

void addLoads(const RowSet& rows, const std::vector<ActiveContact>& contacts, const Vector& impulse, IslandLoads& loads) {
  for (std::size_t j = 0; j + 1 < rows.firstOfJoint.size(); ++j) {
    const int first = rows.firstOfJoint[j];
    for (int k = 0; first + k < rows.firstOfJoint[j + 1]; ++k) {
      const RowParts& row = rows.rows[first + k];
      const Vec6 onB = row.b >= 0 ? row.onB : Vec6(-row.onA);
      loads.joints[j].rows[k] += impulse[first + k];
      loads.joints[j].linear += impulse[first + k] * onB.head<3>();
      if (onB.head<3>().isZero(0.0)) loads.joints[j].angular += impulse[first + k] * onB.tail<3>();
    }
  }
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    ContactLoad& load = loads.contacts[{contacts[c].pair, contacts[c].id}];
    const int n = rows.normal(c);
    load.normal += impulse[n];
    load.friction += rows.frames[c].axes.rightCols<2>() * impulse.segment<2>(n + 1);
  }
}

std::string impactAll(const SmoothIsland& island, IslandState& state, const std::vector<ActiveContact>& touching,
                      const Tolerances& tolerances, IslandLoads& loads, ImpactBook& book, std::string& note) {
  const RowSet rows = makeRows(island, state, touching, tolerances.speed, true);
  const IslandMass mass(island, state);
  const Matrix w = mass.delassus(rows);
  const Vector fall = along(rows, island.freeAcceleration(state)) + rows.drift;

  ProblemData data;
  std::vector<int> source;
  std::vector<ImpactParameters> parameters;
  const auto add = [&](int first, int size, Law law, const ImpactParameters& parameter) {
    Block block;
    block.law = law;
    block.first = static_cast<int>(source.size());
    block.size = size;
    for (int k = 0; k < size; ++k) source.push_back(first + k);
    data.blocks.push_back(block);
    parameters.push_back(parameter);
  };
  for (std::size_t j = 0; j + 1 < rows.firstOfJoint.size(); ++j)
    add(rows.firstOfJoint[j], rows.firstOfJoint[j + 1] - rows.firstOfJoint[j], Law::Free, {});
  bool single = false;   // laws of single impacts
  bool plastic = true;   // nothing bounces
  bool rattles = false;  // something has just had an impact
  for (std::size_t c = 0; c < touching.size(); ++c) {
    const IslandPair& pair = island.pairs()[touching[c].pair];
    const int n = rows.normal(c);
    const bool again = comesAgain(island, touching[c], state.time, book);
    ImpactParameters parameter{pair.surface.impact,
                               restitutionNow(island, touching[c], -rows.speed[n], -fall[n], again, book),
                               pair.surface.tangentialRestitution};
    book.last[{touching[c].pair, touching[c].id}] = state.time;
    plastic &= parameter.restitution == 0.0;
    rattles |= again;
    const bool rubs = pair.surface.friction > 0.0;
    add(n, rubs ? 3 : 1, rubs ? Law::Cone : Law::Interval, parameter);
    if (rubs) data.blocks.back().friction = {pair.surface.friction, pair.surface.friction};
    single |= parameter.law == ImpactLaw::Stronge || parameter.law == ImpactLaw::ChatterjeeRuina;
  }
  const Eigen::Index n = static_cast<Eigen::Index>(source.size());
  Matrix a(n, n);
  data.bias.resize(n);
  for (Eigen::Index i = 0; i < n; ++i) {
    data.bias[i] = rows.speed[source[i]];
    for (Eigen::Index j = 0; j < n; ++j) a(i, j) = w(source[i], source[j]);
  }
  if (!a.allFinite() || !data.bias.allFinite()) return "velocities are not finite";
  data.name = "impact";
  data.delassus = a.sparseView();
  data.speedFloor = tolerances.speed;
  const ContactProblem problem(data);

  ImpactOrder order =
      island.settings().impact.order == "sequential" ? ImpactOrder::SequentialByBlock : ImpactOrder::Simultaneous;
  if (plastic && rattles) {
    // One after the other, plastic impacts of an edge's two ends would go on for ever.
    order = ImpactOrder::Simultaneous;
    for (ImpactParameters& parameter : parameters) parameter.law = ImpactLaw::Newton;
  } else if (order == ImpactOrder::Simultaneous && single) {
    // With one contact there is nothing to be simultaneous with.
    if (touching.size() > 1)
      note = "Stronge's and Chatterjee and Ruina's laws know single impacts only: they came one after the other";
    order = ImpactOrder::SequentialByBlock;
  }
  const std::string chosen = makeSolver(island.settings().solver.name)->refusal(problem).empty()
                                 ? island.settings().solver.name
                                 : std::string("auto");
  ImpactsResult result = resolveImpacts(problem, parameters, order, chosen, kTolerance);
  if (!result.ok) result = resolveImpacts(problem, parameters, order, "auto", kLastTolerance);
  if (!result.ok) return "impact: " + result.message;

  Vector impulse = Vector::Zero(rows.count());
  for (Eigen::Index i = 0; i < n; ++i) impulse[source[i]] = result.impulse[i];
  const Bookkeeper keeper(island, state);
  addVelocity(state, mass.push(rows, impulse));
  addLoads(rows, touching, impulse, loads);
  keeper.write(state, rows, touching, impulse, rows.speed, book);
  book.summary.restitutionFactor = std::min(book.summary.restitutionFactor, result.restitutionFactor);
  return {};
}

bool impactWithoutCollision(const SmoothIsland& island, IslandState& state, const ActiveContact& contact,
                            const Tolerances& tolerances, IslandLoads& loads, ImpactBook& book) {
  const std::vector<ActiveContact> alone{contact};
  const RowSet rows = makeRows(island, state, alone, tolerances.speed, false);
  const IslandMass mass(island, state);
  const ContactMobility mobility = mobilityOf(mass.delassus(rows), rows, 0);
  const int n = rows.normal(0);
  Impact impact;
  impact.w = 0.5 * (mobility.w + mobility.w.transpose());
  impact.velocity = rows.speed.segment<3>(n);
  impact.velocity[0] = -kGrazing * std::max(impact.velocity.tail<2>().norm(), tolerances.speed);
  impact.friction = contact.friction;
  impact.law = ImpactLaw::Poisson;  // compression to its end, no expansion
  const ImpactResult result = resolveImpact(impact);
  if (!result.complete || !result.impulse.allFinite()) return false;
  Vector impulse = Vector::Zero(rows.count());
  impulse.segment<3>(n) = result.impulse;
  impulse.head(rows.jointRows()) = mobility.jointAnswer * result.impulse;
  const Bookkeeper keeper(island, state);
  addVelocity(state, mass.push(rows, impulse));
  addLoads(rows, alone, impulse, loads);
  keeper.write(state, rows, alone, impulse, rows.speed, book);
  return true;
}

}  // namespace cairn
