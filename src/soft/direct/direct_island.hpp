// Small islands that sweeps cannot hold, such as something heavy on something light: they are solved as one system, exactly.
//
// Each point of a contact is a stiff spring with a damper. Friction of the patch is a spring too, which remembers the
// impulse of the last substep and gives way at the limit of Coulomb's law. So impulses are functions of the velocities u = J
// v at the end of the substep,
//
//   normal    l = max(0, A (u* - u)),         A = h (h k + c)
//   tangents  l = l_last - A u, on the disc of radius mu * sum of l_normal; the twist likewise,
//
// and what is left is to find the velocities with M (v - v_free) = sum of J^T l(J v): Newton's method, with the matrix
// M + J^T A J over what is pressed and sticks. It has a block of six rows for each body, and few others where few touch
// (solvers/block_lu.hpp). The ratio of masses, which decides how many sweeps it takes, costs no more than digits here.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "dynamics/colouring.hpp"
#include "mechanics/stepper.hpp"
#include "soft/plan/policy_direct.hpp"
#include "soft/sweep/bodies.hpp"
#include "solvers/block_lu.hpp"

namespace cairn {

class DirectIsland {
 public:
  // A whole step, from the bodies and contacts of the system to their new state. `contacts` have the batch's numbers of the
  // bodies. False, and nothing done, if something in the island is not for this method (locked axes, or a contact that can
  // bounce), or if it does not converge; then it is not tried again for a while.
  bool step(StepContext& context, double dt, const SoftBodies& batch, std::span<const ContactEnds> contacts);
  int substeps() const { return substeps_; }  // of the last step

 private:
  using Vec6 = Eigen::Matrix<double, 6, 1>;
  static Vec3 linear(const Vec6& v) { return v.head<3>(); }
  static Vec3 angular(const Vec6& v) { return v.tail<3>(); }
  // How an impulse of 1 changes the momenta of a contact's bodies, and what their velocities add to u.
  struct Row {
    Vec6 a = Vec6::Zero(), b = Vec6::Zero();
  };
  struct Mover {
    Vec6 velocity = Vec6::Zero(), free = Vec6::Zero();  // m/s, rad/s: now, and without contacts
    Vec6 before = Vec6::Zero();                         // the iteration
    Vec6 acceleration = Vec6::Zero();                   // m/s^2, rad/s^2: by loads
    Vec6 moved = Vec6::Zero();                          // m, rad since the step's beginning
    double mass = 0.0;                                  // kg
    Mat3 inertia = Mat3::Zero();                        // kg m^2, world axes
    double linearDamping = 0.0, angularDamping = 0.0;   // 1/s
    double size = 0.0;                                  // m
  };
  struct Point {
    Row row;
    double separation = 0.0;            // m, at the step's beginning
    double target = 0.0;                // m/s: u*
    double closing = 0.0;               // m/s: u* - u
    double stiffness = 0.0;             // kg: A
    double lever = 0.0;                 // m from the friction centre
    double impulse = 0.0, total = 0.0;  // N s, of this substep and over the step
  };
  struct Patch {
    std::uint32_t slot = kNone;
    std::uint32_t a = kNone, b = kNone;  // numbers in the batch
    std::uint32_t firstPoint = 0, points = 0;
    std::array<Row, 3> friction{};  // two tangents and the twist
    std::array<Vec3, 2> tangents{Vec3::Zero(), Vec3::Zero()};
    // Impulses of friction: of the last substep; if there were no limit; of this substep; over the step.
    std::array<double, 3> last{}, wanted{}, now{}, totals{};
    double mu = 0.0;
    double mass = 0.0;                             // kg, of the two bodies against each other
    double reach = 0.0;                            // m, of the points from the friction centre
    double stiffness = 0.0, twistStiffness = 0.0;  // kg, kg m^2: A
    double limit = 0.0, twistLimit = 0.0;          // N s, N m s, as long as they are held
    double approachSpeed = 0.0;                    // m/s, when the step begins
    bool isKnown = false;                          // it was pressed before
    BlockLu::Place ab{}, ba{};                     // if both can be moved
  };

  bool gather(const StepContext& context, double dt, const SoftBodies& batch, std::span<const ContactEnds> contacts);
  void takePatch(const StepContext& context, double dt, const SoftBodies& batch, const ContactEnds& ends);
  bool meets(const Contact& contact, const ContactEnds& ends, double h) const;  // in a substep, if nothing holds it
  void findPattern(const SoftBodies& batch);
  bool substep(const StepContext& context, double dt, const SoftBodies& batch);  // false if it does not converge
  bool solve(double h, double tolerance);  // likewise: velocities and impulses at its end
  void evaluateRows();                     // at velocities: what closes, and what friction they want
  double evaluateImpulses();               // impulses, by what evaluateRows() saw; returns what springs have stored (J)
  double kinetic() const;             // J, of what contacts changed: with the former, the energy that velocities minimise
  bool takeLimits(double tolerance);  // of friction, by the impulses of now; false if no velocity depends on it
  void converge(double h, double tolerance);  // velocities, for the present limits
  void assemble(double grip);
  std::uint64_t stateOf(double h) const;  // of the matrix: who presses and who slides
  void findTargets(const StepContext& context, double h);
  void writeBack(StepContext& context, const SoftBodies& batch) const;

  bool canMove(std::uint32_t body) const { return body < ground_; }
  std::span<Point> pointsOf(const Patch& patch) { return {points_.data() + patch.firstPoint, patch.points}; }
  std::span<const Point> pointsOf(const Patch& patch) const { return {points_.data() + patch.firstPoint, patch.points}; }
  double along(const Row& row, const Patch& patch, Vec6 Mover::*what) const {
    return row.a.dot(movers_[patch.a].*what) + row.b.dot(movers_[patch.b].*what);
  }
  static double stiffnessOf(const Patch& patch, int k) { return k < 2 ? patch.stiffness : patch.twistStiffness; }
  static double tangentialOf(const Patch& patch) {
    return std::sqrt(patch.wanted[0] * patch.wanted[0] + patch.wanted[1] * patch.wanted[1]);
  }

  std::uint32_t ground_ = 0;
  int substeps_ = 1;
  int iterationsLeft_ = policy::direct::kMostIterations;  // saved up over steps
  int pause_ = 0;                                         // steps: it did not converge lately
  std::vector<Mover> movers_;                             // by the batch's numbers; from the ground on they go as they go
  std::vector<Point> points_;
  std::vector<Patch> patches_;
  std::vector<ContactEnds> apart_;  // contacts that are on no course to meet
  double weight_ = 0.0;             // N, of the island
  std::optional<BlockLu> lu_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pattern_, ends_;  // that lu_ was made for; of now
  std::vector<std::uint32_t> patternBodies_;
  std::uint64_t factoredFor_ = 0;  // what the matrix that lu_ has was made of, besides numbers; 0: none
  std::vector<BlockLu::Place> diagonal_;
  std::vector<std::pair<BlockLu::Place, BlockLu::Place>> places_;  // of the pattern: Patch::ab, ba
  std::vector<int> used_;
  std::vector<double> scale_;
  double firstChange_ = 0.0, lastChange_ = 0.0;  // m/s: of iterations for the same limits
  Vector momenta_, change_;                      // that impulses do not account for; what the matrix says of it
};

}  // namespace cairn
