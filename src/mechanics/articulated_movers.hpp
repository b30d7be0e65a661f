// Links of an articulation as movers: bodies whose M^-1 is that of the tree, in linear time. Contacts and joints see six
// numbers a link (linear, angular velocity of its centre of mass, world axes) and nothing of q.
#pragma once

#include <mutex>

#include "articulation/midpoint.hpp"
#include "dynamics/system.hpp"
#include "mechanics/movers.hpp"

namespace cairn {

class ArticulatedMovers final : public Movers, public std::enable_shared_from_this<ArticulatedMovers> {
 public:
  // As the mechanism is now, over dt (s). Loads::All: gravity, efforts, forces on links, viscous damping of joints.
  ArticulatedMovers(const System& system, const Mechanism& mechanism, const Vec3& gravity, double dt,
                    FreeMovers::Loads loads);

  const std::vector<std::uint32_t>& links() const { return bodies_; }  // of the system: those that move
  int numberOf(std::uint32_t body) const;                              // among the links; -1: it does not move

  int bodies() const override { return static_cast<int>(bodies_.size()); }
  Vector freeVelocity() const override { return linkVelocities(freeJoints_); }
  std::shared_ptr<const InverseMass> inverseMass() const override;
  double kineticEnergy(const Vector& velocity) const override;
  void advance(const Vector& velocity, double dt) override;
  Pose pose(int link) const override;

  // In the joints' coordinates.
  const Vector& freeJoints() const { return freeJoints_; }        // v at the end of dt if nothing touched
  const Vector& startJoints() const { return data_.v; }           // v as the step began
  Vector jointVelocity(const Vector& momentum) const;             // v after impulses on the links (6 numbers each)
  Vector linkVelocities(const Vector& joints) const;              // 6 numbers a link
  Vector jointRates(const Vector& velocity) const;                // v of links that move as the joints allow
  void respond(const Matrix& momenta, Matrix& velocities) const;  // M^-1 by columns, of links
  Matrix factor() const;                                          // F F^T = M^-1, square

  // The row of a degree: rate = of the parent link's velocity and of the link's own. -1: the parent does not move.
  struct DegreeRow {
    int parent = -1, child = -1;
    Vec6 onParent = Vec6::Zero(), onChild = Vec6::Zero();
  };
  DegreeRow degreeRow(int degree) const;

 private:
  void moveToNodes(const Matrix& momenta, Matrix& wrenches) const;
  Vec3 armOf(int link) const;  // m, from the origin of its node to its centre of mass

  std::shared_ptr<const ArticulationModel> model_;
  std::vector<std::uint32_t> bodies_;
  std::vector<int> linkOf_;  // of the model, by link here
  std::vector<FreeBodies::Item> items_;
  mutable ArticulationData data_;  // at the beginning of the step; scratch of respond()
  mutable std::mutex mutex_;
  Vector freeJoints_;
};

// Free bodies, and among them links of articulations.
class MixedMass final : public InverseMass {
 public:
  struct Tree {
    int first;  // body
    std::shared_ptr<const ArticulatedMovers> movers;
  };
  MixedMass(std::vector<FreeBodies::Item> items, std::vector<Tree> trees)
      : free_(std::move(items)), trees_(std::move(trees)) {}

  int bodies() const override { return free_.bodies(); }
  void apply(const Vector& momentum, Vector& velocity) const override;
  void applyColumns(const Matrix& momenta, Matrix& velocities) const override;
  bool couplesBodies() const override { return true; }
  Mat6 block(int body) const override;
  SparseMatrix matrix() const override;
  SparseMatrix factor() const override;

 private:
  const Tree* treeOf(int body) const;
  template <class Part>
  SparseMatrix assembled(const SparseMatrix& free, Part&& part) const;
  FreeBodies free_;
  std::vector<Tree> trees_;
};

// Efforts that act on the joints besides rows: those set for the step, and motors by effort.
Vector effortsOf(const Mechanism& mechanism);
// Bodies of the links where q and v put them.
void placeLinks(System& system, const Mechanism& mechanism);
// A mechanism that nothing touches, by dt. False if that could not be solved: it was taken by Euler's rule then.
bool moveFree(const System& system, Mechanism& mechanism, const Vec3& gravity, double dt);
// Velocities of joints and links after an impulse (N s, N m s at its centre of mass) on a link's body.
void strike(System& system, std::uint32_t body, const Vec6& impulse);

}  // namespace cairn
