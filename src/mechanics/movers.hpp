// What moves in an island, whatever its coordinates. Velocities have six numbers a body: linear, angular, world axes.
//
//   freeVelocity   u_free: at the end of dt if nothing touched the bodies
//   inverseMass    M^-1: what an impulse on a body does to all of them
//   advance        poses after dt
//   kineticEnergy  J
//
// Free bodies are here; bodies in trees of joints are free bodies whose M^-1 is JointTreeMass. An articulation in reduced
// coordinates brings its own: solvers see M^-1 and no more.
#pragma once

#include "cairn/contact_problem.hpp"
#include "mechanics/free_motion.hpp"

namespace cairn {

class Movers {
 public:
  virtual ~Movers() = default;
  virtual int bodies() const = 0;
  virtual Vector freeVelocity() const = 0;
  virtual std::shared_ptr<const InverseMass> inverseMass() const = 0;
  virtual double kineticEnergy(const Vector& velocity) const = 0;
  virtual void advance(const Vector& velocity, double dt) = 0;
  virtual Pose pose(int body) const = 0;  // of its centre of mass
};

class FreeMovers final : public Movers {
 public:
  // Which of a body's loads count.
  enum class Loads : std::uint8_t {
    All,        // gravity, forces, free rotation, damping, for dt
    None,       // it goes on as it moves now
    Displaced,  // it does not move by itself: rows are displacements
  };
  FreeMovers(const FreeMotion& motion, double dt, Loads loads) : motion_(motion), dt_(dt), loads_(loads) {}

  // Returns its number. `pressed`: an impulse (N s, N m s) that it gets besides.
  int add(const Body& body, const Vec6& pressed = Vec6::Zero());
  FreeVelocity& freeVelocityOf(int body) { return free_[body]; }
  const FreeVelocity& freeVelocityOf(int body) const { return free_[body]; }
  const std::vector<FreeBodies::Item>& items() const { return items_; }

  int bodies() const override { return static_cast<int>(items_.size()); }
  Vector freeVelocity() const override;
  std::shared_ptr<const InverseMass> inverseMass() const override { return std::make_shared<FreeBodies>(items_); }
  double kineticEnergy(const Vector& velocity) const override;
  void advance(const Vector& velocity, double dt) override;
  Pose pose(int body) const override { return poses_[body]; }

 private:
  FreeMotion motion_;
  double dt_;
  Loads loads_;
  std::vector<FreeBodies::Item> items_;
  std::vector<FreeVelocity> free_;
  std::vector<Pose> poses_;
};

}  // namespace cairn
