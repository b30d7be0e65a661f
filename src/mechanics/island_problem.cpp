#include "mechanics/island_problem.hpp"

#include "mechanics/problem_builder.hpp"

namespace cairn {

namespace {

// The island of a contact or joint: that of a body in it that can be moved.
std::uint32_t islandOf(const System& system, const Formulation& formulation, std::uint32_t a, std::uint32_t b) {
  for (const std::uint32_t index : {a, b}) {
    const Body& body = system.bodies[index];
    if (body.moves() && body.isDynamic() && !(formulation.held && formulation.held(index))) return body.island;
  }
  return kNone;
}

}  // namespace

std::vector<IslandProblem> buildProblems(const System& system, const WorldSettings& settings, double dt,
                                         const Formulation& formulation, std::span<const std::uint32_t> contacts,
                                         std::span<const std::uint32_t> joints) {
  std::vector<int> slotOf;  // by island
  std::vector<ProblemBuilder> builders;
  std::vector<int> numbers(system.bodies.size(), -1);
  const auto builderOf = [&](std::uint32_t a, std::uint32_t b) -> ProblemBuilder* {
    const std::uint32_t island = islandOf(system, formulation, a, b);
    if (island == kNone) return nullptr;
    if (slotOf.size() <= island) slotOf.resize(island + 1, -1);
    if (slotOf[island] < 0) {
      slotOf[island] = static_cast<int>(builders.size());
      builders.emplace_back(system, settings, dt, formulation);
    }
    return &builders[slotOf[island]];
  };
  for (const std::uint32_t i : joints)
    if (ProblemBuilder* builder = builderOf(system.joints[i].a, system.joints[i].b)) builder->addJoint(i, numbers);
  for (std::uint32_t i = 0; i < system.mechanisms.size(); ++i) {
    if (!system.mechanisms[i].alive) continue;
    for (const std::uint32_t body : system.mechanisms[i].bodies) {
      // In no time limits count where something else happens.
      const std::uint32_t island = islandOf(system, formulation, body, body);
      if (island == kNone || (formulation.unloaded && (slotOf.size() <= island || slotOf[island] < 0))) continue;
      builderOf(body, body)->addArticulation(i, numbers);
      break;
    }
  }
  for (ProblemBuilder& builder : builders) builder.eliminateTrees();
  for (const std::uint32_t slot : contacts) {
    const Contact& contact = system.contacts.slots[slot];
    if (ProblemBuilder* builder = builderOf(contact.bodyA, contact.bodyB)) builder->addContact(slot, numbers);
  }
  std::vector<IslandProblem> problems;
  for (std::uint32_t island = 0; island < slotOf.size(); ++island) {
    if (slotOf[island] < 0 || builders[slotOf[island]].isEmpty()) continue;
    problems.push_back(builders[slotOf[island]].finish("island " + std::to_string(island)));
    problems.back().island = island;
  }
  return problems;
}

std::vector<IslandProblem> buildProblems(const System& system, const WorldSettings& settings, double dt,
                                         const Formulation& formulation) {
  std::vector<std::uint32_t> contacts, joints;
  for (std::uint32_t i = 0; i < system.joints.size(); ++i)
    if (system.joints[i].alive) joints.push_back(i);
  forEachContact(system, [&](std::uint32_t slot) {
    if (system.contacts.slots[slot].count > 0) contacts.push_back(slot);
  });
  return buildProblems(system, settings, dt, formulation, contacts, joints);
}

Vector momentumOf(const ContactProblem& problem, const Vector& impulse) {
  const ProblemData& data = problem.data();
  Vector momentum = Vector::Zero(data.freeVelocity.size());
  for (std::size_t i = 0; i < data.blocks.size(); ++i) {
    const auto part = impulse.segment(data.blocks[i].first, data.blocks[i].size);
    const BlockJacobian& jacobian = data.jacobians[i];
    if (jacobian.a >= 0) momentum.segment<6>(6 * jacobian.a) += jacobian.partA.transpose() * part;
    if (jacobian.b >= 0) momentum.segment<6>(6 * jacobian.b) += jacobian.partB.transpose() * part;
  }
  return momentum;
}

void setVelocities(System& system, const IslandProblem& island, const Vector& impulse, std::vector<char>& marked) {
  const Vector u = island.problem->bodyVelocity(impulse);
  for (std::size_t k = 0; k < island.bodies.size(); ++k) {
    Body& body = system.bodies[island.bodies[k]];
    body.velocity = u.segment<3>(6 * static_cast<Eigen::Index>(k));
    body.spin = u.segment<3>(6 * static_cast<Eigen::Index>(k) + 3);
    marked[island.bodies[k]] = 1;
  }
  if (island.articulations.empty()) return;
  const Vector momentum = momentumOf(*island.problem, impulse);
  for (const IslandProblem::Articulated& one : island.articulations)
    system.mechanisms[one.mechanism].v = one.movers->jointVelocity(momentum.segment(6 * one.first, 6 * one.movers->bodies()));
}

void placeColliders(System& system) {
  for (Collider& collider : system.colliders) {
    if (!collider.enabled || !collider.active) continue;
    const Body& body = system.bodies[collider.body];
    placeCollider(collider, {body.center, body.rotation});
  }
}

Vector rowVelocities(const System& system, const IslandProblem& island, const Vector& impulse) {
  const ProblemData& data = island.problem->data();
  Vector v = data.bias + data.compliance.cwiseProduct(impulse);
  for (std::size_t i = 0; i < data.blocks.size(); ++i) {
    const BlockJacobian& jacobian = data.jacobians[i];
    auto rows = v.segment(data.blocks[i].first, data.blocks[i].size);
    const auto add = [&](int number, const BlockJacobian::Part& part) {
      if (number < 0) return;
      const Body& body = system.bodies[island.bodies[number]];
      rows += part.leftCols<3>() * body.velocity + part.rightCols<3>() * body.spin;
    };
    add(jacobian.a, jacobian.partA);
    add(jacobian.b, jacobian.partB);
  }
  return v;
}

}  // namespace cairn
