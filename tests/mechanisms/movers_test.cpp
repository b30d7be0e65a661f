// Links of random articulations behind the interface of movers: their M^-1 against the mass matrix, their rows against
// rates.
#include <gtest/gtest.h>

#include <Eigen/LU>

#include "articulation/random_trees.hpp"
#include "mechanics/articulated_movers.hpp"

namespace cairn {
namespace {

using namespace test;

struct Made {
  System system;
  Articulation alone;
  explicit Made(const ArticulationDesc& desc, Random& random) : alone(desc) {
    setRandomState(alone, random);
    Mechanism mechanism;
    mechanism.model = std::make_shared<const ArticulationModel>(desc);
    mechanism.q = alone.q();
    mechanism.v = alone.v();
    mechanism.efforts = Vector::Zero(alone.degrees());
    mechanism.axes = mechanism.model->axes();
    mechanism.alive = true;
    for (std::size_t i = 0; i < desc.links.size(); ++i) {
      Body body;
      body.kind = mechanism.model->links()[i].node < 0 ? BodyKind::Static : BodyKind::Dynamic;
      body.alive = true;
      body.mass = desc.links[i].massProperties->mass;
      body.inverseMass = 1.0 / body.mass;
      body.inertia = desc.links[i].massProperties->inertia;
      body.inverseInertia = body.inertia.inverse();
      body.localCenter = desc.links[i].massProperties->center;
      body.mechanism = 0;
      mechanism.bodies.push_back(static_cast<std::uint32_t>(i));
      system.bodies.push_back(body);
    }
    system.mechanisms.push_back(mechanism);
    placeLinks(system, system.mechanisms[0]);
  }
};

TEST(ArticulatedMovers, HaveTheInverseMassOfTheTree) {
  Random random(21);
  double worst = 0.0, rates = 0.0, factored = 0.0, energies = 0.0, places = 0.0;
  for (int trial = 0; trial < 30; ++trial) {
    const Made made(randomTree(random, 1 + random.below(12)), random);
    const Articulation& alone = made.alone;
    const auto movers = std::make_shared<ArticulatedMovers>(made.system, made.system.mechanisms[0], Vec3::Zero(), 0.01,
                                                            FreeMovers::Loads::None);
    if (movers->bodies() == 0) continue;
    Matrix jacobian(6 * movers->bodies(), alone.degrees());
    for (int i = 0; i < movers->bodies(); ++i) {
      const auto body = static_cast<int>(movers->links()[static_cast<std::size_t>(i)]);
      jacobian.middleRows(6 * i, 6) = alone.jacobian(body, made.system.bodies[static_cast<std::size_t>(body)].localCenter);
      places =
          std::max(places, (movers->pose(i).position - made.system.bodies[static_cast<std::size_t>(body)].center).norm());
    }
    const Matrix dense = jacobian * alone.solveMass(jacobian.transpose());
    const auto mass = movers->inverseMass();
    worst = std::max(worst, (Matrix(mass->matrix()) - dense).norm() / dense.norm());
    const Matrix factor = mass->factor();
    factored = std::max(factored, (factor * factor.transpose() - dense).norm() / dense.norm());
    const int body = random.below(movers->bodies());
    EXPECT_LT((mass->block(body) - dense.block<6, 6>(6 * body, 6 * body)).norm(), 1e-11 * dense.norm());
    const Vector momentum = random.numbers(dense.rows());
    Vector velocity;
    mass->apply(momentum, velocity);
    EXPECT_LT((velocity - dense * momentum).norm(), 1e-11 * dense.norm() * momentum.norm());
    // Rows of degrees, and what the joints do for impulses on links.
    EXPECT_LT((movers->freeVelocity() - jacobian * alone.v()).norm(), 1e-12 * (1.0 + alone.v().norm()) * jacobian.norm());
    const Vector joints = movers->jointVelocity(momentum);
    const Vector expected = alone.v() + alone.solveMass(jacobian.transpose() * momentum);
    EXPECT_LT((joints - expected).norm(), 1e-10 * expected.norm());
    rates = std::max(rates, (movers->jointRates(movers->linkVelocities(joints)) - joints).norm() / joints.norm());
    energies = std::max(energies, std::abs(movers->kineticEnergy(movers->freeVelocity()) - alone.kineticEnergy()) /
                                      (1e-12 + alone.kineticEnergy()));
  }
  EXPECT_LT(worst, 3e-15);       // measured 9.8e-16
  EXPECT_LT(factored, 1.5e-13);  // measured 5.3e-14
  EXPECT_LT(rates, 5e-14);       // measured 1.6e-14
  EXPECT_LT(energies, 1.3e-13);  // measured 4.4e-14
  EXPECT_LT(places, 1e-15);
}

}  // namespace
}  // namespace cairn
