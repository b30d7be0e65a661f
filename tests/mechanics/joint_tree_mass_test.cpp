// Trees of joints as part of the masses: against dense algebra, against the same joints as rows, and against reduced
// coordinates.
#include "mechanics/joint_tree_mass.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <random>

#include "math/rotation.hpp"
#include "mechanics/integrate.hpp"
#include "mechanics/movers.hpp"

namespace cairn {
namespace {

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  double operator()(double low, double high) { return std::uniform_real_distribution<double>(low, high)(engine_); }
  int below(int count) { return static_cast<int>(engine_() % static_cast<unsigned>(count)); }
  Vec3 vector(double size) { return {(*this)(-size, size), (*this)(-size, size), (*this)(-size, size)}; }
  Vector numbers(Eigen::Index count) {
    Vector out(count);
    for (double& one : out) one = (*this)(-1.0, 1.0);
    return out;
  }

 private:
  std::mt19937 engine_;
};

BlockJacobian::Part pointRows(const Vec3& arm, double sign) {
  BlockJacobian::Part part(3, 6);
  for (int k = 0; k < 3; ++k) {
    const Vec3 d = Vec3::Unit(k);
    part.row(k) << sign * d.transpose(), sign * arm.cross(d).transpose();
  }
  return part;
}
BlockJacobian::Part hingeRows(const Vec3& arm, const Vec3& axis, double sign) {
  BlockJacobian::Part part(5, 6);
  part.topRows(3) = pointRows(arm, sign);
  const Vec3 t = axis.unitOrthogonal();
  part.row(3) << 0.0, 0.0, 0.0, sign * t.transpose();
  part.row(4) << 0.0, 0.0, 0.0, sign * axis.cross(t).transpose();
  return part;
}

struct Tree {
  std::vector<FreeBodies::Item> items;
  std::vector<JointTreeMass::Held> joints;

  Matrix rows() const {
    Eigen::Index count = 0;
    for (const auto& joint : joints) count += std::max(joint.partA.rows(), joint.partB.rows());
    Matrix j = Matrix::Zero(count, 6 * static_cast<Eigen::Index>(items.size()));
    Eigen::Index row = 0;
    for (const auto& joint : joints) {
      if (joint.a >= 0) j.block(row, 6 * joint.a, joint.partA.rows(), 6) = joint.partA;
      if (joint.b >= 0) j.block(row, 6 * joint.b, joint.partB.rows(), 6) = joint.partB;
      row += std::max(joint.partA.rows(), joint.partB.rows());
    }
    return j;
  }
  Vector compliance() const {
    std::vector<double> all;
    for (const auto& joint : joints)
      all.insert(all.end(), std::max(joint.partA.rows(), joint.partB.rows()), joint.compliance);
    return Eigen::Map<Vector>(all.data(), static_cast<Eigen::Index>(all.size()));
  }
  Matrix dense() const {
    const Matrix m = FreeBodies(items).matrix(), j = rows();
    Matrix s = j * m * j.transpose();
    s.diagonal() += compliance();
    return m - m * j.transpose() * s.inverse() * j * m;
  }
};

// Ball joints, hinges and springs; roots on the ground or floating; some bodies in no tree.
Tree randomTree(Random& random, int count) {
  Tree tree;
  for (int i = 0; i < count; ++i) {
    const Vec3 moments(random(0.5, 2.0), random(0.5, 2.0), random(0.5, 2.0));
    const Quat turn = rotated(Quat::Identity(), random.vector(2.0));
    tree.items.push_back({std::pow(10.0, random(-1.0, 1.0)), inWorldAxes(turn, Mat3(moments.asDiagonal()))});
    const int parent = i == 0 || random.below(6) == 0 ? -1 : random.below(i);
    if (parent < 0 && random.below(2) == 0) continue;
    JointTreeMass::Held joint{parent, i, {}, {}, random.below(4) == 0 ? random(0.1, 1.0) : 0.0};
    const Vec3 armA = random.vector(1.0), armB = random.vector(1.0), axis = random.vector(1.0).normalized();
    const bool isHinge = random.below(2) == 0;
    if (parent >= 0) joint.partA = isHinge ? hingeRows(armA, axis, -1.0) : pointRows(armA, -1.0);
    joint.partB = isHinge ? hingeRows(armB, axis, 1.0) : pointRows(armB, 1.0);
    if (random.below(2) == 0 && parent >= 0) {  // either end may be the child
      std::swap(joint.a, joint.b);
      std::swap(joint.partA, joint.partB);
    }
    tree.joints.push_back(joint);
  }
  return tree;
}

TEST(JointTreeMass, IsTheInverseMassOfBodiesThatAreHeldTogether) {
  Random random(3);
  for (int trial = 0; trial < 100; ++trial) {
    const Tree tree = randomTree(random, 2 + random.below(10));
    const JointTreeMass mass(tree.items, tree.joints);
    const Matrix dense = tree.dense();
    const double scale = dense.norm();
    for (std::size_t j = 0; j < tree.joints.size(); ++j) ASSERT_TRUE(mass.isHeld(j));
    EXPECT_LT((Matrix(mass.matrix()) - dense).norm(), 1e-11 * scale) << trial;
    const Vector momentum = random.numbers(dense.rows());
    Vector velocity;
    mass.apply(momentum, velocity);
    EXPECT_LT((velocity - dense * momentum).norm(), 1e-11 * scale * momentum.norm());
    Matrix momenta(dense.rows(), 3), velocities;
    for (int i = 0; i < 3; ++i) momenta.col(i) = random.numbers(dense.rows());
    mass.applyColumns(momenta, velocities);
    EXPECT_LT((velocities - dense * momenta).norm(), 1e-11 * scale * momenta.norm());
    const int body = random.below(mass.bodies());
    EXPECT_LT((mass.block(body) - dense.block<6, 6>(6 * body, 6 * body)).norm(), 1e-11 * scale);
    const Matrix factor = mass.factor();
    EXPECT_LT((factor * factor.transpose() - dense).norm(), 1e-9 * scale);
  }
}

TEST(JointTreeMass, LeavesOutWhatClosesALoop) {
  std::vector<FreeBodies::Item> items(2, {1.0, Mat3(Mat3::Identity())});
  std::vector<JointTreeMass::Held> joints;
  joints.push_back({-1, 0, {}, pointRows(Vec3::UnitX(), 1.0), 0.0});
  joints.push_back({0, 1, pointRows(Vec3::UnitY(), -1.0), pointRows(Vec3::UnitZ(), 1.0), 0.0});
  joints.push_back({0, 1, pointRows(Vec3::UnitZ(), -1.0), pointRows(Vec3::UnitX(), 1.0), 0.0});  // a loop
  joints.push_back({-1, 1, {}, pointRows(Vec3::UnitX(), 1.0), 0.0});                             // held to the ground again
  const JointTreeMass mass(items, joints);
  EXPECT_TRUE(mass.isHeld(0));
  EXPECT_TRUE(mass.isHeld(1));
  EXPECT_FALSE(mass.isHeld(2));
  EXPECT_FALSE(mass.isHeld(3));
}

// A chain of rods hanging on hinges in a plane, in reduced coordinates: u = J q', M^-1 = J (J^T M J)^-1 J^T. The smallest
// articulation that there is, behind the same interface as free bodies.
class PlanarChain final : public Movers, public std::enable_shared_from_this<PlanarChain> {
 public:
  static constexpr double kLength = 1.0, kMass = 2.0, kInertia = 0.3;
  explicit PlanarChain(Vector angles) : angles_(std::move(angles)) {}

  int bodies() const override { return static_cast<int>(angles_.size()); }
  Vector freeVelocity() const override { return Vector::Zero(6 * bodies()); }
  double kineticEnergy(const Vector& u) const override {
    double energy = 0.0;
    for (int i = 0; i < bodies(); ++i)
      energy += 0.5 * kMass * u.segment<3>(6 * i).squaredNorm() + 0.5 * kInertia * u.segment<3>(6 * i + 3).squaredNorm();
    return energy;
  }
  void advance(const Vector& u, double dt) override {
    for (int i = 0; i < bodies(); ++i) angles_[i] += dt * u[6 * i + 4];
  }
  Pose pose(int body) const override {
    Vec3 end = Vec3::Zero();
    for (int i = 0; i < body; ++i) end += rod(i);
    return {end + 0.5 * rod(body), rotated(Quat::Identity(), angles_[body] * Vec3::UnitY())};
  }
  Vec3 rod(int i) const { return rotated(Quat::Identity(), angles_[i] * Vec3::UnitY()) * Vec3(0, 0, -kLength); }
  // d(linear, angular)/d(angle rates), rods turning about y.
  Matrix jacobian() const {
    Matrix j = Matrix::Zero(6 * bodies(), bodies());
    for (int body = 0; body < bodies(); ++body) {
      for (int i = 0; i <= body; ++i) j.block<3, 1>(6 * body, i) = Vec3::UnitY().cross((i == body ? 0.5 : 1.0) * rod(i));
      j(6 * body + 4, body) = 1.0;
    }
    return j;
  }
  Vector masses() const {
    Vector m(6 * bodies());
    for (int i = 0; i < bodies(); ++i) m.segment<6>(6 * i) << kMass, kMass, kMass, kInertia, kInertia, kInertia;
    return m;
  }

  class Mass final : public InverseMass {
   public:
    explicit Mass(const PlanarChain& chain) : bodies_(chain.bodies()) {
      const Matrix j = chain.jacobian();
      all_ = j * (j.transpose() * chain.masses().asDiagonal() * j).inverse() * j.transpose();
    }
    int bodies() const override { return bodies_; }
    void apply(const Vector& momentum, Vector& velocity) const override { velocity = all_ * momentum; }
    bool couplesBodies() const override { return true; }
    Mat6 block(int body) const override { return all_.block<6, 6>(6 * body, 6 * body); }
    SparseMatrix matrix() const override { return all_.sparseView(); }
    SparseMatrix factor() const override { return {}; }

   private:
    int bodies_;
    Matrix all_;
  };
  std::shared_ptr<const InverseMass> inverseMass() const override { return std::make_shared<Mass>(*this); }

 private:
  Vector angles_;
};

// A blow on the last rod, with friction, is solved on the articulation and on the tree of joints alike.
TEST(Movers, AnArticulationTakesContactsAsATreeOfJointsDoes) {
  const auto chain = std::make_shared<PlanarChain>(Vector{{0.3, -0.4, 1.0}});
  std::vector<FreeBodies::Item> items(3, {1.0 / PlanarChain::kMass, Mat3(Mat3::Identity() / PlanarChain::kInertia)});
  std::vector<JointTreeMass::Held> joints;
  for (int i = 0; i < 3; ++i) {
    JointTreeMass::Held joint{i - 1, i, {}, hingeRows(-0.5 * chain->rod(i), Vec3::UnitY(), 1.0), 0.0};
    if (i > 0) joint.partA = hingeRows(0.5 * chain->rod(i - 1), Vec3::UnitY(), -1.0);
    joints.push_back(joint);
  }
  const auto tree = std::make_shared<JointTreeMass>(items, joints);
  EXPECT_LT((Matrix(tree->matrix()) - Matrix(chain->inverseMass()->matrix())).norm(), 1e-12);

  const auto solve = [&](std::shared_ptr<const InverseMass> mass, const char* solver) {
    ProblemData data;
    data.inverseMass = std::move(mass);
    data.freeVelocity = Vector::Zero(18);
    data.freeVelocity.segment<3>(12) = Vec3(0.4, 0, -2.0);  // of the last rod; a joint would pass it on
    data.blocks.push_back({Law::Cone, 0, 3, {0.5, 0.5}, 0, 0});
    BlockJacobian jacobian;
    jacobian.b = 2;
    jacobian.partB = pointRows(0.5 * chain->rod(2), 1.0);
    jacobian.partB.row(0).swap(jacobian.partB.row(2));  // the normal is z
    data.jacobians.push_back(jacobian);
    const ContactProblem problem(std::move(data));
    Vector impulse;
    EXPECT_EQ(makeSolver(solver)->solve(problem, {.tolerance = 1e-12}, impulse).exit, Exit::Converged) << solver;
    return Vector(problem.bodyVelocity(impulse));
  };
  const Vector reference = solve(tree, "bgs");
  EXPECT_GT(reference.norm(), 0.1);
  for (const char* solver : {"bgs", "alart_curnier", "nncg"})
    EXPECT_LT((solve(chain->inverseMass(), solver) - reference).norm(), 1e-9) << solver;
}

TEST(Movers, FreeBodiesGoAsTheirVelocitiesSay) {
  Body body;
  body.kind = BodyKind::Dynamic;
  body.mass = 2.0;
  body.inverseMass = 0.5;
  body.inertia = 4.0 * Mat3::Identity();
  body.inverseInertia = 0.25 * Mat3::Identity();
  body.velocity = {1, 2, 3};
  body.spin = {0, 0, 2};
  FreeMovers movers({Vec3(0, 0, -10)}, 0.1, FreeMovers::Loads::All);
  movers.add(body);
  const Vector u = movers.freeVelocity();
  EXPECT_LT((u - Vector{{1, 2, 2, 0, 0, 2}}).norm(), 1e-12);
  EXPECT_NEAR(movers.kineticEnergy(u), 0.5 * 2.0 * 9.0 + 0.5 * 4.0 * 4.0, 1e-12);
  movers.advance(u, 0.1);
  EXPECT_LT((movers.pose(0).position - Vec3(0.1, 0.2, 0.2)).norm(), 1e-12);
  EXPECT_NEAR(rotationVector(movers.pose(0).rotation).z(), 0.2, 1e-12);
}

}  // namespace
}  // namespace cairn
