// Plastic contacts never make energy. Sweeps that are not finished do: what is pressed together by a blow springs back, and
// pushing overlaps out lifts what lies on them. So the soft stepper compares the energy of each island before and after a
// step,
//
//   gain = K1 - K0 + V1 - V0,    V = -sum of (m g + f).x,
//
// and takes a gain back from the motion. If the island touches something that does not move, which takes the momentum, those
// bodies pay that gained, in proportion. Else all of it is slowed by one factor s,
//
//   v = c + s (v - c),    s^2 = (K - gain)/K    with K the kinetic energy of v - c
//
// and c the rigid motion that has the momenta of the whole island, which are thus kept. If it has joints, these are the
// momenta that it had when the step began, and what gravity gave: trees that come apart may have lost them.
//
// What may well give energy is left alone: contacts with a stated stiffness, and what is driven. Joints store energy for a
// while and give it back (joint_tree_step.hpp): islands with joints are only kept from exploding. One that did all the same,
// by far, is put back to where the step began, and goes on as if it were one rigid body, or not at all if it is held.
#pragma once

#include <span>
#include <vector>

#include "dynamics/colouring.hpp"
#include "mechanics/stepper.hpp"
#include "soft/sweep/bodies.hpp"

namespace cairn {

class GainLimit {
 public:
  void begin(const StepContext& context, const SoftBodies& bodies, std::span<const ContactEnds> contacts,
             std::span<const JointEnds> joints);
  // Returns what was taken back, J.
  double finish(StepContext& context, const SoftBodies& bodies, std::span<const ContactEnds> contacts,
                std::span<const JointEnds> joints, double dt);

  int undone() const { return undone_; }  // islands of the last step that were put back

 private:
  struct Energies {
    double kinetic = 0.0, total = 0.0, mass = 0.0;
    void add(const Energies& other) {
      kinetic += other.kinetic;
      total += other.total;
      mass += other.mass;
    }
  };
  struct Account {
    Energies before, after;
    bool hasJoints = false;
    // If it has joints: errors of these and overlaps (m), and momenta about its centre (N s, N m s), when the step began.
    double error = 0.0;
    Vec3 momentum = Vec3::Zero(), angular = Vec3::Zero();
  };
  // Of all islands of the batch, into `which` of their accounts.
  void add(const StepContext& context, const SoftBodies& bodies, Energies Account::*which);
  // True if nothing in the island may give energy; `isHeld`: it touches something that does not move.
  bool mayLimit(const StepContext& context, const SoftBodies& bodies, std::span<const ContactEnds> contacts,
                std::span<const JointEnds> joints, std::uint32_t island, bool& isHeld) const;
  void putBack(const StepContext& context, const SoftBodies& bodies, std::span<const ContactEnds> contacts,
               std::span<const JointEnds> joints, std::uint32_t island, bool isHeld, double dt) const;
  // Both return what they took, J.
  double takeFromGainers(const StepContext& context, const SoftBodies& bodies, std::uint32_t island, double gain) const;
  double slowDown(const StepContext& context, const SoftBodies& bodies, std::uint32_t island, double gain, double dt) const;

  std::uint32_t firstIsland_ = 0;
  std::vector<Account> accounts_;  // from that island on
  std::vector<Energies> pieces_;   // of a batch that is one island
  std::vector<double> before_;     // J: energies of the movable bodies when the step began
  std::vector<Pose> poses_;        // of them, if there are joints: centre and rotation
  int undone_ = 0;
};

}  // namespace cairn
