// Bodies of a batch within a step of the soft stepper: single-precision velocities that the solver works on, and the
// integration of free motion between solves.
//
// A batch numbers its bodies itself: first those that can be moved, then one that stands for everything that stands still,
// then others that cannot be moved but are on the move, or hold a joint.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <span>
#include <vector>

#include "dynamics/colouring.hpp"
#include "dynamics/system.hpp"
#include "mechanics/stepper.hpp"
#include "soft/layout/cut_tree.hpp"
#include "soft/layout/split_bodies.hpp"
#include "soft/sweep/exact_velocities.hpp"
#include "wide/body_kernels.hpp"

namespace cairn {

// Whether a body in contact gets a gyroscopic torque: if the acceleration at its edge, for which anisotropy |w|^2 size is a
// bound, is more than what single precision loses of its weight. That is so at any length of steps, or in short ones what
// adds up would be left out of each.
inline bool feelsGyroscopicTorque(const Body& body, const Vec3& gravity) {
  constexpr double kRounding = 0x1p-24;
  const double edge = body.anisotropy * body.spin.squaredNorm() * static_cast<double>(body.size);  // m/s^2
  return edge > 0.0 && edge * edge > kRounding * kRounding * gravity.squaredNorm();
}

inline Vec3 velocityOf(const wide::SolverBody& body) { return {body.velocity[0], body.velocity[1], body.velocity[2]}; }
inline Vec3 spinOf(const wide::SolverBody& body) { return {body.spin[0], body.spin[1], body.spin[2]}; }

// A joint and the batch's numbers of its bodies.
struct JointEnds {
  std::uint32_t joint;
  std::uint32_t a, b;
};

// What a substep needs of a body besides wide::SolverBody.
struct SoftBody {
  wide::MassRow mass{};
  std::uint32_t precise = kNone;  // index into SoftBodies::precise
  std::uint8_t locked = 0;        // bit per axis along which it does not move
  std::uint8_t lockedTurn = 0;    // bit per axis about which it does not turn
  bool round = false;             // it turns alike about every axis
  bool spins = false;             // fast for its shape
  bool held = false;              // by a tree that solves its contacts (joint_tree_contacts.hpp) alone
};

// Bodies whose orientation must be followed within the step: those with joints and those that spin fast for their shape.
struct PreciseBody {
  std::uint32_t body = kNone;           // in the batch
  Vec3 center = Vec3::Zero();           // m, at the step's beginning
  Quat rotation = Quat::Identity();     // now
  Mat3 inverseInertia = Mat3::Zero();   // world axes, now; kept up only if followsInertia
  Vec3 midpoint = Vec3::Zero();         // rad/s, world axes: the spin to turn by, before constraints
  Quat rowRotation = Quat::Identity();  // that the contact rows of this substep belong to (gyroscopic bodies only)
  Float3 change = Float3::Zero();       // rad/s: by the last substep's contact impulses, for the inertia now (likewise)
  bool moves = false;
  bool gyroscopic = false;
  bool followsInertia = false;  // gyroscopic bodies, and others if asked
};

class SoftBodies {
 public:
  // Who is in the batch, by index into System::bodies. `others` may come in until begin().
  std::vector<std::uint32_t> movable, others;
  // Parts of a large island.
  std::size_t parts = 1;
  std::vector<std::uint16_t> partOf;  // of the movable ones, if there are several parts; they are in the order of parts
  Cuts cuts;
  // Of a group (cut_tree.hpp): those of its parts.
  MovableBodies movableOf(std::uint32_t group) const {
    if (parts == 1) return {0, ground()};
    const auto before = [&](std::uint32_t part) {
      return static_cast<std::uint32_t>(std::lower_bound(partOf.begin(), partOf.end(), part) - partOf.begin());
    };
    const PartRange range = cut_tree::partsOf(group);
    return {before(range.first), before(range.last)};
  }
  // Who is shared is said once `partOf` is known: bodies that contacts across a cut hold on to, and how high the highest
  // such cut is. Then those are put first in their part, the highest before the others (`movable` changes): what other
  // threads come for lies together, and processors that fetch a neighbour along with it take nothing away that is in use.
  void clearShared();
  void share(std::uint32_t body, int height) {  // from any thread
    const std::atomic_ref highest(sharedAt_[body]);
    std::uint8_t known = highest.load(std::memory_order_relaxed);
    const auto now = static_cast<std::uint8_t>(height);
    while (known < now && !highest.compare_exchange_weak(known, now, std::memory_order_relaxed)) {
    }
  }
  void putSharedFirst(const Tasks& tasks);
  // After that, of a body of a part: whether it is shared across cuts of this height, or higher ones.
  bool isShared(std::uint32_t body, std::uint32_t part, int height) const { return body < sharedBegin(part, height - 1); }
  std::uint32_t ground() const { return static_cast<std::uint32_t>(movable.size()); }
  std::uint32_t addOther(std::uint32_t body);  // its number in the batch

  // Without contacts the inertia in the world's axes is not needed.
  void begin(StepContext& context, double dt, double h, bool haveContacts);
  void follow(const StepContext& context, std::uint32_t body, double dt);  // keeps track of its orientation
  void integrateVelocities(StepContext& context, double h);
  void integratePositions(StepContext& context, double h);
  // The same for the bodies of one part alone, if none has a locked axis and only those are followed that spin. Positions of
  // shared ones go with the highest cut that they are shared across, and those of what cannot be moved by themselves.
  bool isPlain() const { return locked_.empty(); }
  void integrateVelocities(const System& system, std::size_t part, double h);
  void integratePositions(const System& system, std::size_t part, double h);
  void integrateShared(const System& system, std::uint32_t cut, double h);
  void moveOthers(float h);
  // Notes what contacts changed in this substep; needed if velocities are to be changed by others before the next one.
  void markContactChange(StepContext& context);
  // `follow`: notes which bodies rest: they have not moved by more than a hair since all of their contacts were brought
  // up to date (SoftMemory::pathLengths).
  void finish(StepContext& context, double dt, bool follow);
  bool isResting(std::uint32_t body) const { return resting_[body] != 0; }

  wide::SolverBody* solver() { return solver_.data(); }
  // In short substeps what contacts gave is added up in double (exact_velocities.hpp); save for bodies that spin fast, which
  // change by a lot in every one.
  ExactVelocities& exact() { return exact_; }
  std::span<const wide::SolverBody> velocities() const { return solver_; }
  const SoftBody& operator[](std::uint32_t body) const { return bodies_[body]; }
  Float3 acceleration(std::uint32_t body) const { return Float3(accelerations_[body].linear); }  // m/s^2, by external loads
  // Of some body the inertia in world axes changes within the step, and with it the rows of its contacts.
  bool anySpinning() const { return spinning_; }
  PreciseBody& precise(std::uint32_t body) { return precise_[bodies_[body].precise]; }
  const std::vector<PreciseBody>& preciseBodies() const { return precise_; }
  void noteHeld(std::uint32_t body) { bodies_[body].held = true; }
  void followInertia(const System& system, std::uint32_t body);
  Vec3 center(const PreciseBody& body) const;  // now
  // Changes a body's velocities by other than contact impulses.
  void push(std::uint32_t body, const Vec3& velocity, const Vec3& spin);
  // Moves (m) and turns (rad, world axes) a precise body at once. It turns with all that it has: its spin in its own axes
  // stays the same, or a long body would spin up about its axis.
  void shift(std::uint32_t body, const Vec3& move, const Vec3& turn);
  // Into System::bodies; not for the ground.
  std::uint32_t indexOf(std::uint32_t body) const { return body < ground() ? movable[body] : others[body - ground() - 1]; }

 private:
  wide::BodyRows rows() {
    return {solver_.data(), accelerations_.data(), damping_.empty() ? nullptr : damping_.data(), marks_.data()};
  }

  void pushFree(std::uint32_t body, const Vec3& velocity, const Vec3& spin);
  // Free motion of those whose orientation is followed, `some` of them.
  void keepMomenta(const System& system, std::span<PreciseBody> some);
  void spinFreely(const System& system, std::span<PreciseBody> some, double h);
  void integrateExactly(double h);
  void turn(const System& system, std::span<PreciseBody> some, double h);
  // Of the bodies first .. last; for batches without joints.
  std::span<PreciseBody> preciseWithin(std::uint32_t first, std::uint32_t last);
  void moveWithin(const System& system, std::uint32_t first, std::uint32_t last, double h);

  wide::BodyRow limits_;  // m/s, rad/s
  std::vector<MovableBodies> partBodies_;
  int heights() const { return std::countr_zero(parts); }  // of cuts
  // Where bodies of a part that are shared at a height begin; at 0: those that are not shared.
  std::uint32_t sharedBegin(std::size_t part, int height) const {
    const int above = heights() - height;
    return above == 0 ? partBodies_[part].first : sharedEnds_[part * static_cast<std::size_t>(heights()) + above - 1];
  }
  std::vector<std::uint32_t> sharedEnds_;  // by part and height, the highest first
  std::vector<std::uint8_t> sharedAt_;     // by movable body, before they are put first: height, 0 if not
  std::vector<std::uint32_t> buffer_;
  std::vector<std::uint8_t> resting_;
  std::vector<wide::SolverBody> solver_;
  std::vector<wide::BodyRow> accelerations_, damping_;
  // See wide/body_kernels.hpp. (Joint anchors turn with their bodies: their impulses are kept out of the marks' change, or
  // they would keep pushing where they pushed before, and feed energy in.)
  std::vector<wide::BodyRow> marks_;
  bool marked_ = false;
  std::vector<SoftBody> bodies_;
  std::vector<std::uint32_t> locked_;  // bodies with a locked axis
  std::vector<PreciseBody> precise_;   // ascending by body, save for those that joints asked for
  bool spinning_ = false;
  ExactVelocities exact_;
};

}  // namespace cairn
