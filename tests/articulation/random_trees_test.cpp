// Random trees with all kinds of joints: every algorithm against another one, against its definition, or against
// differences.
#include "articulation/random_trees.hpp"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>

#include "articulation/data.hpp"
#include "counting_new.hpp"

namespace cairn {
namespace {

using namespace test;

constexpr int kTrees = 60;
constexpr double kDifference = 1e-6;  // s or so, of central differences: they are good to some 1e-9

// Of each tree: how many links, some of them few, the largest 200.
int linksOf(int trial, Random& random) { return trial % 10 == 9 ? 200 : 1 + random.below(trial < 20 ? 6 : 60); }

void moved(Articulation& a, const Vector& q, const Vector& v, double dt) { a.setState(a.integrated(q, v, dt), v); }

TEST(RandomTrees, ArticulatedBodiesAgreeWithTheMassMatrix) {
  Random random(1);
  double worst = 0.0, inverse = 0.0, several = 0.0;
  for (int trial = 0; trial < kTrees; ++trial) {
    Articulation a(randomTree(random, linksOf(trial, random)));
    if (a.degrees() == 0) continue;
    setRandomState(a, random);
    const Matrix mass = a.massMatrix();
    ASSERT_TRUE(mass.isApprox(mass.transpose(), 1e-14));
    const Vector efforts = random.numbers(a.degrees(), 10.0);
    const Eigen::LLT<Matrix> llt(mass);
    ASSERT_EQ(llt.info(), Eigen::Success);
    const Vector dense = llt.solve(efforts - a.biasForces());
    const Vector found = a.forwardDynamics(efforts);
    worst = std::max(worst, (found - dense).norm() / dense.norm());
    inverse = std::max(inverse, (a.inverseDynamics(found) - efforts).norm() / (efforts.norm() + a.biasForces().norm()));
    Matrix columns(a.degrees(), 7);
    for (int k = 0; k < 7; ++k) columns.col(k) = random.numbers(a.degrees());
    several = std::max(several, (a.solveMass(columns) - llt.solve(columns)).norm() / llt.solve(columns).norm());
    EXPECT_FALSE(a.isSingular());
    // By columns: M = dID/da.
    const Vector acceleration = random.numbers(a.degrees());
    EXPECT_LT((a.inverseDynamics(acceleration) - a.biasForces() - mass * acceleration).norm(),
              1e-12 * (mass.norm() * acceleration.norm() + a.biasForces().norm()));
  }
  EXPECT_LT(worst, 4e-12);    // measured 1.6e-12
  EXPECT_LT(inverse, 2e-14);  // measured 6.5e-15
  EXPECT_LT(several, 6e-12);  // measured 2.4e-12
}

TEST(RandomTrees, JacobiansAreDerivativesOfPoses) {
  Random random(2);
  for (int trial = 0; trial < kTrees; ++trial) {
    Articulation a(randomTree(random, linksOf(trial, random)));
    setRandomState(a, random);
    const Vector q = a.q(), v = a.v();
    const int link = random.below(a.links());
    const Vec3 point = random.vector(0.5);
    const Matrix jacobian = a.jacobian(link, point);
    const Vec6 velocity = a.pointVelocity(link, point), rate = a.jacobianRateTimesVelocity(link, point);
    EXPECT_LT((jacobian * v - velocity).norm(), 1e-12 * (1.0 + velocity.norm()));
    moved(a, q, v, kDifference);
    const Pose after = a.linkPose(link);
    const Vec3 pointAfter = after.point(point);
    const Vec6 velocityAfter = a.pointVelocity(link, point);
    moved(a, q, v, -kDifference);
    const Pose before = a.linkPose(link);
    const Vec6 velocityBefore = a.pointVelocity(link, point);
    const double speed = 1.0 + velocity.norm();
    EXPECT_LT(((pointAfter - before.point(point)) / (2.0 * kDifference) - velocity.head<3>()).norm(), 2e-8 * speed);
    EXPECT_LT(
        (rotationVector(after.rotation * before.rotation.conjugate()) / (2.0 * kDifference) - velocity.tail<3>()).norm(),
        2e-8 * speed);
    // v stays, so the change of velocity is dJ/dt v.
    EXPECT_LT(((velocityAfter - velocityBefore) / (2.0 * kDifference) - rate).norm(),
              2e-7 * (1.0 + rate.norm() + velocity.squaredNorm()));
  }
}

// Sums over links of m v^2/2 + w.I w/2 and so on, written as in a book.
TEST(RandomTrees, EnergiesAndMomentaAreThoseOfTheirLinks) {
  Random random(3);
  for (int trial = 0; trial < kTrees; ++trial) {
    const ArticulationDesc desc = randomTree(random, linksOf(trial, random));
    const Vec3 gravity = random.vector(10.0);
    Articulation a(desc, gravity);
    setRandomState(a, random);
    double kinetic = 0.0, potential = 0.0, mass = 0.0;
    Vec3 center = Vec3::Zero();
    std::vector<char> moves(desc.links.size(), 0);
    for (int i = 0; i < a.links(); ++i) {
      const auto at = static_cast<std::size_t>(i);
      const LinkDesc& link = desc.links[at];
      moves[at] = link.joint != LinkJoint::Fixed || (link.parent >= 0 && moves[static_cast<std::size_t>(link.parent)] != 0);
      const Pose pose = a.linkPose(i);
      const Vec6 u = a.pointVelocity(i, link.massProperties->center);
      const Mat3 inertia = inWorldAxes(pose.rotation, link.massProperties->inertia);
      kinetic += 0.5 * link.massProperties->mass * u.head<3>().squaredNorm() + 0.5 * u.tail<3>().dot(inertia * u.tail<3>());
      potential -= link.massProperties->mass * gravity.dot(pose.point(link.massProperties->center));
      if (moves[at] == 0) continue;
      mass += link.massProperties->mass;
      center += link.massProperties->mass * pose.point(link.massProperties->center);
    }
    for (int k = 0, i = 0; i < a.links(); ++i)
      for (const AxisDesc& axis : desc.links[static_cast<std::size_t>(i)].axes)
        kinetic += 0.5 * axis.armature * a.v()[k] * a.v()[k], ++k;
    EXPECT_NEAR(a.kineticEnergy(), kinetic, 1e-11 * (1.0 + kinetic));
    EXPECT_NEAR(a.kineticEnergy(), 0.5 * a.v().dot(a.massMatrix() * a.v()), 1e-11 * (1.0 + kinetic));
    EXPECT_NEAR(a.potentialEnergy(), potential, 1e-11 * (1.0 + std::abs(potential) + 100.0 * mass));
    EXPECT_NEAR(a.mass(), mass, 1e-12 * mass);
    if (mass == 0.0) continue;
    center /= mass;
    EXPECT_LT((a.centerOfMass() - center).norm(), 1e-12 * (1.0 + center.norm()));
    Vec6 momentum = Vec6::Zero();
    Mat3 whole = Mat3::Zero();
    for (int i = 0; i < a.links(); ++i) {
      if (moves[static_cast<std::size_t>(i)] == 0) continue;
      const LinkDesc& link = desc.links[static_cast<std::size_t>(i)];
      const Pose pose = a.linkPose(i);
      const Vec6 u = a.pointVelocity(i, link.massProperties->center);
      const Mat3 inertia = inWorldAxes(pose.rotation, link.massProperties->inertia);
      const Vec3 arm = pose.point(link.massProperties->center) - center, p = link.massProperties->mass * u.head<3>();
      momentum.head<3>() += p;
      momentum.tail<3>() += inertia * u.tail<3>() + arm.cross(p);
      whole += inertia + pointInertia(link.massProperties->mass, arm).full();
    }
    EXPECT_LT((a.centroidalMomentum() - momentum).norm(), 1e-11 * (1.0 + momentum.norm()) * (1.0 + center.norm()));
    EXPECT_LT((a.centroidalMatrix() * a.v() - momentum).norm(), 1e-11 * (1.0 + momentum.norm()) * (1.0 + center.norm()));
    EXPECT_LT((a.centroidalInertia() - whole).norm(), 1e-11 * whole.norm());
  }
}

// The power of efforts and gravity is the rate of energy: finite differences know nothing of how the algorithms work.
TEST(RandomTrees, AccelerationsKeepTheBalanceOfPower) {
  Random random(4);
  for (int trial = 0; trial < kTrees; ++trial) {
    Articulation a(randomTree(random, linksOf(trial, random)));
    if (a.degrees() == 0) continue;
    setRandomState(a, random);
    const Vector q = a.q(), v = a.v(), efforts = random.numbers(a.degrees(), 10.0);
    const Vector acceleration = a.forwardDynamics(efforts);
    double energy[2];
    for (const int side : {0, 1}) {
      const double h = side == 0 ? -kDifference : kDifference;
      a.setState(a.integrated(q, v, h), v + h * acceleration);
      energy[side] = a.kineticEnergy() + a.potentialEnergy();
    }
    const double rate = (energy[1] - energy[0]) / (2.0 * kDifference);
    // Differences cannot see more than eps E / h, of the parts that the energy is made of.
    EXPECT_NEAR(rate, efforts.dot(v),
                1e-8 * (std::abs(energy[0]) + 100.0 * a.mass() + v.norm() * efforts.norm()) +
                    3e-9 * a.kineticEnergy() * acceleration.norm());
  }
}

// The same with Lagrange's equations: d/dt (M v) - dT/dq + dV/dq = efforts, for coordinates that are numbers.
TEST(RandomTrees, BiasForcesAreLagranges) {
  Random random(5);
  for (int trial = 0; trial < 20; ++trial) {
    ArticulationDesc desc = randomTree(random, 1 + random.below(8));
    for (LinkDesc& link : desc.links)
      if (link.joint == LinkJoint::Spherical || link.joint == LinkJoint::Free)
        link.joint = LinkJoint::Universal, link.axes.clear();
    Articulation a(desc);
    if (a.degrees() == 0) continue;
    setRandomState(a, random);
    const Vector q = a.q(), v = a.v(), bias = a.biasForces();
    Vector expected(a.degrees());
    const double h = 1e-5;
    Matrix rate = Matrix::Zero(a.degrees(), a.degrees());
    for (int k = 0; k < a.degrees(); ++k) {
      const Vector step = h * Vector::Unit(a.degrees(), k);
      a.setState(q + step, v);
      const double forward = a.kineticEnergy() - a.potentialEnergy();
      rate += v[k] * a.massMatrix() / (2.0 * h);
      a.setState(q - step, v);
      expected[k] = -(forward - (a.kineticEnergy() - a.potentialEnergy())) / (2.0 * h);
      rate -= v[k] * a.massMatrix() / (2.0 * h);
    }
    expected += rate * v;
    EXPECT_LT((bias - expected).norm(), 1e-7 * (1.0 + bias.norm() + expected.norm()));
  }
}

TEST(RandomTrees, DifferencesUndoIntegration) {
  Random random(6);
  for (int trial = 0; trial < kTrees; ++trial) {
    Articulation a(randomTree(random, linksOf(trial, random)));
    setRandomState(a, random);
    const Vector v = random.numbers(a.degrees());
    EXPECT_LT((a.difference(a.q(), a.integrated(a.q(), v, 0.5)) - 0.5 * v).norm(), 1e-12 * (1.0 + v.norm()));
  }
}

TEST(RandomTrees, NothingIsAllocatedOnceTheDataIsThere) {
  Random random(7);
  const ArticulationModel model(randomTree(random, 40));
  ArticulationData data(model);
  Vector efforts = random.numbers(model.degrees()), acceleration(model.degrees()), back(model.degrees());
  Matrix mass(model.degrees(), model.degrees()), jacobian(6, model.degrees());
  const Matrix columns = Matrix::Random(model.degrees(), 6),
               wrenches = Matrix::Random(6 * static_cast<Eigen::Index>(model.nodes().size()), 6);
  Matrix solved(columns.rows(), 6), twists(wrenches.rows(), 6);
  const std::size_t before = allocationCount();
  data.computeAll(model);
  data.forwardDynamics(model, efforts, acceleration);
  data.inverseDynamics(model, acceleration, back);
  data.massMatrix(model, mass);
  data.jacobian(model, 20, Vec3::Zero(), jacobian);
  data.computeBiasAccelerations(model);
  data.respond(model, wrenches, columns, twists, solved);
  data.solveMass(model, columns, solved);
  EXPECT_EQ(allocationCount(), before);
}

// Impulses on links move all links as J M^-1 J^T says.
TEST(RandomTrees, LinksAnswerImpulsesThroughTheMassMatrix) {
  Random random(8);
  for (int trial = 0; trial < 20; ++trial) {
    const ArticulationModel model(randomTree(random, 1 + random.below(20)));
    const auto count = static_cast<int>(model.nodes().size());
    if (count == 0) continue;
    ArticulationData data(model);
    data.computeAll(model);
    Vector acceleration;
    data.forwardDynamics(model, Vector::Zero(model.degrees()), acceleration);
    Matrix mass, all(6 * count, model.degrees()), one;
    data.massMatrix(model, mass);
    for (int i = 0; i < count; ++i) {
      data.jacobian(model, i, data.nodes[static_cast<std::size_t>(i)].position, one);
      all.middleRows(6 * i, 6) = one;
    }
    const Matrix wrenches = Matrix::Random(6 * count, 5), efforts = Matrix::Random(model.degrees(), 5);
    Matrix twists, joints;
    data.respond(model, wrenches, efforts, twists, joints);
    const Matrix expected = mass.llt().solve(all.transpose() * wrenches + efforts);
    EXPECT_LT((joints - expected).norm(), 1e-10 * expected.norm());
    EXPECT_LT((twists - all * expected).norm(), 1e-10 * twists.norm());
  }
}

}  // namespace
}  // namespace cairn
