#include "export/moment.hpp"

namespace cairn {

BodyState Moment::absent() {
  const Vec3 none = Vec3::Constant(std::numeric_limits<double>::quiet_NaN());
  return {{none, Quat(none.x(), none.x(), none.x(), none.x())}, none, none, none};
}

void MomentTaker::takeBodies(long step) {
  const World& world = run_.world();
  moment_.step = step;
  moment_.time = static_cast<double>(step) * run_.model().dt;  // a sum of many steps would carry its rounding
  moment_.bodies.clear();
  for (const BodyId body : run_.bodies()) moment_.bodies.push_back(world.state(body).value_or(Moment::absent()));
  const Energy energy = world.energy();
  moment_.facts = {};
  moment_.facts.kinetic = energy.kinetic;
  moment_.facts.potential = energy.potential;
  moment_.facts.stateHash = world.stateHash();
  moment_.contacts.clear();
}

const Moment& MomentTaker::start() {
  takeBodies(0);
  moment_.facts.penetration = run_.world().deepestPenetration().depth;
  return moment_;
}

const Moment& MomentTaker::afterStep(long step, const StepReport& report, const RunSample& sample) {
  takeBodies(step);
  MomentFacts& facts = moment_.facts;
  facts.penetration = sample.penetration;
  if (sample.residual) facts.residual = *sample.residual;
  if (report.solve) facts.iterations = report.solve->iterations;
  facts.contacts = report.contacts;
  facts.islands = report.islands;
  facts.awake = report.awake;
  facts.jointError = report.jointError;
  facts.ms = report.totalMs;
  facts.phaseMs = report.phaseMs;
  if (!withContacts_) return moment_;

  if (order_.size() < run_.bodies().size()) {  // at first, and when bodies have appeared
    for (std::size_t i = 0; i < run_.bodies().size(); ++i)
      if (!run_.bodies()[i].isNull()) order_[run_.bodies()[i]] = static_cast<int>(i);
  }
  const auto orderOf = [&](BodyId body) {
    const auto found = order_.find(body);
    return found == order_.end() ? -1 : found->second;
  };
  for (const TouchPoint& one : run_.world().touchPoints())
    moment_.contacts.push_back(
        {orderOf(one.bodyA), orderOf(one.bodyB), one.point, one.normal, one.impulse, one.gap, one.friction});
  return moment_;
}

}  // namespace cairn
