// Rows of joints and contacts at an instant, and what their accelerations are without forces along them.
//
//   s = J(q) u + rate           speeds of the rows: gaps and joint errors change by these
//   s' = J u' + drift,  drift = d/dt(J) u
//
// The drift is taken by central differences of J(q) u along the motion, u held fixed, with J from the exact geometry at the
// displaced poses. As dg/dt = J_n u is an identity in q, this is the true second derivative of the gap on curved surfaces
// too: the centre of a ball that rolls on a plane has no acceleration towards it. (STAR §3 and Redon eq. 3 keep the point of
// contact fixed to the body; the ball would then seem to sink by R |w|^2.)
#pragma once

#include "steppers/acceleration/island.hpp"

namespace cairn {

enum class ContactMode : std::uint8_t {
  Slide,  // friction -mu d lambda_n against the direction of slip d: one unknown
  Stick,  // no tangential acceleration; friction is a reaction within the cone
};

// A contact point that pushes.
struct ActiveContact {
  int pair = 0;
  PointId id{};
  double friction = 0.0;
  ContactMode mode = ContactMode::Slide;
  Vec3 direction = Vec3::Zero();  // of slip when the step began; of the slip to come, if it slips from rest
  double slipSpeed = 0.0;         // m/s, when the step began; 0: it slips from rest
  double target = 0.0;            // m: gap that is held; negative while an overlap is being taken back
  // A distribution of forces among redundant contacts that obeys the laws: what is solved for is the difference.
  double normalReference = 0.0;           // N
  Vec3 frictionReference = Vec3::Zero();  // N, on B
  Vec3 localA = Vec3::Zero();             // m: where it was last seen, from the centres of mass, body axes; holds on if
  Vec3 localB = Vec3::Zero();             // the features that touch change within a step
  Vec3 normalInA = Vec3::Zero();
};

// Notes where it is.
void freeze(ActiveContact& contact, const PairPoint& point, const Motion& a, const Motion& b);

struct RowParts {
  int a = -1, b = -1;
  Vec6 onA = Vec6::Zero(), onB = Vec6::Zero();
};

struct ContactFrame {
  Mat3 axes = Mat3::Identity();  // columns n, t1, t2; t1 is the direction of slip of one that slides
  Vec3 slip = Vec3::Zero();      // m/s, along the surface
  PairPoint point{};
  bool lost = false;  // its features do not touch any more, others may
};

// Joints first, then three rows for each contact.
struct RowSet {
  std::vector<RowParts> rows;
  std::vector<int> firstOfJoint;  // row, by joint of the island; one more at the end
  std::vector<ContactFrame> frames;
  Vector speed;  // m/s or rad/s
  Vector drift;  // m/s^2 or rad/s^2
  Vector error;  // m or rad: gaps, joint errors; 0 for tangents

  int jointRows() const { return firstOfJoint.back(); }
  int count() const { return static_cast<int>(rows.size()); }
  int normal(std::size_t contact) const { return jointRows() + 3 * static_cast<int>(contact); }
};

// Direction of slip that friction opposes. Within a step a contact may slip down to a tenth of its speed before its old
// direction is taken as a continuation through zero: so the end of slip is a smooth event, not a jump of forces.
Vec3 slipDirection(const ActiveContact& contact, const Vec3& slip, const Vec3& normal, double slipTolerance);

// `slipTolerance` (m/s): slower contacts rest. Without drift, it is left at zero.
RowSet makeRows(const SmoothIsland& island, const IslandState& state, const std::vector<ActiveContact>& contacts,
                double slipTolerance, bool withDrift);

// M^-1 at a pose.
class IslandMass {
 public:
  IslandMass(const SmoothIsland& island, const IslandState& state);
  Matrix delassus(const RowSet& rows) const;                     // J M^-1 J^T
  Vector push(const RowSet& rows, const Vector& impulse) const;  // M^-1 J^T impulse

 private:
  struct Item {
    double inverseMass;
    Mat3 inverseInertia;
  };
  Vec6 apply(int body, const Vec6& momentum) const;
  std::vector<Item> items_;
};
// J x, x 6 numbers a body.
Vector along(const RowSet& rows, const Vector& x);

void addVelocity(IslandState& state, const Vector& change);
void addDisplacement(IslandState& state, const Vector& change);

// Least-norm solution of a x = b (each unknown weighed by the square root of its diagonal of `scale`, so that neither units
// nor masses matter): redundant rows share their forces.
Vector leastNorm(const Matrix& a, const Vector& b, const Vector& scale);

}  // namespace cairn
