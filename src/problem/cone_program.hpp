// Contact problems as convex programs: the cone complementarity problem (CCP) of Anitescu and Tasora (STAR 5.2).
//
//   minimise  1/2 lambda^T W lambda + (b + shift)^T lambda   over lambda in K = product of the sets of the blocks,
//
// whose optimality conditions are K* containing v + shift, orthogonal to lambda in K. Sets: Free: all; Interval: its bounds;
// Cone, Pyramid, Box: the cone { (n, t) : n >= 0, t in n P }, P an ellipse, a polygon or a rectangle of half-axes mu.
//
// That is not Coulomb's law: a sliding contact would separate at the speed h_P(-v_t), the most that t . (-v_t) reaches over
// P. De Saxce's shift adds that speed to the normal row: with shift = h_P(-v_t), (v_n + h_P(-v_t), v_t) in K* says v_n >= 0,
// and the product with lambda is lambda_n v_n + (lambda_n h_P(-v_t) + lambda_t . v_t), two terms that are never negative; so
// both are zero: Signorini's condition and maximum dissipation. h_P is mu |v_t| for the circle, |S v_t| for ellipses (S =
// diag mu), |mu_1 v_1| + |mu_2 v_2| for boxes, the support of the regular polygon at S v_t for pyramids.
//
// Methods work on x with lambda = T x. T is the friction scale times one number per contact, so that the cones become unit
// cones (the projection stays exact, in the plain norm of x) and the diagonal blocks T W T have the largest eigenvalue 1; a
// number per row for intervals; W_cc^(-1/2) for free blocks. Gradient: g = T (W lambda + b + shift).
//
// The same with rows held: normals or friction alone (staggered projections, STAR 4.3.4). Tangents by themselves live in P
// times the normal impulse held.
#pragma once

#include "cairn/contact_problem.hpp"

namespace cairn {

// On { (n, t) : n >= 0, t in n P }, P the regular polygon with `corners` corners, one of them at (1, 0); l is (n, t_1, t_2).
void projectPolygonCone(double* l, int corners);
// The same, P the square |t_i| <= 1.
void projectSquareCone(double* l);

// What Residual::relative is relative to, m/s.
double speedScale(const ContactProblem& problem);

class ConeProgram {
 public:
  struct Varying {
    bool joints = true, intervals = true, normals = true, tangents = true;
  };
  explicit ConeProgram(const ContactProblem& problem) : ConeProgram(problem, Varying{}) {}
  ConeProgram(const ContactProblem& problem, const Varying& varying);  // keeps a reference to the problem

  const ContactProblem& problem() const { return problem_; }
  int rows() const { return problem_.rows(); }

  // Rows that do not vary keep these impulses; friction that varies without its normal gets its limits from them.
  void hold(const Vector& impulse);
  // Speeds added to the normal rows, one per block (zero for other blocks). None at first.
  void setShift(const Vector& perBlock) { shift_ = perBlock; }
  // De Saxce's, h_P(-v_t) per block.
  Vector saxceShift(const Vector& velocity) const;

  Vector toImpulse(const Vector& x) const;
  Vector fromImpulse(const Vector& impulse) const;    // nothing is projected
  Vector velocity(const Vector& x) const;             // W lambda + b, without the shift
  void gradient(const Vector& x, Vector& out) const;  // one product with W
  Vector gradientFromVelocity(const Vector& velocity) const;
  double objective(const Vector& x, const Vector& gradient) const;
  void project(Vector& x) const;

  // How far x is from the minimum: the largest |x - P(x - g)| of any block, as a speed (m/s), comparable with
  // Residual::worst.
  double residual(const Vector& x, const Vector& gradient) const;
  double speedScale() const { return speedScale_; }  // m/s, of the whole problem

  // The sets, one after the other by rows; for methods that go through them by themselves.
  enum class Set : std::uint8_t { Held, Free, Interval, RoundCone, PolygonCone, SquareCone, Tangents };
  struct Piece {  // a set of its own
    Set set = Set::Held;
    int first = 0, size = 0, block = 0;
    int corners = 0;
    double step = 1.0;    // root of the natural step: lambda = friction scale . step . x; Free, Held: 1
    double radius = 0.0;  // Tangents: of their set, in x
    int transform = -1;   // Free only
  };
  const std::vector<Piece>& pieces() const { return pieces_; }
  BlockMatrix transform(const Piece& piece) const;  // T of its rows
  double shift(int block) const { return shift_[block]; }
  void projectPiece(const Piece& piece, double* x) const;

 private:
  void addPieces(int block, const Varying& varying);
  void addTangents(int block, bool vary);
  void addFree(int block);

  const ContactProblem& problem_;
  std::vector<Piece> pieces_;
  std::vector<BlockMatrix> transforms_, inverses_;  // of free blocks
  Vector scale_;                                    // T of all other rows; 0: a tangent without friction
  Vector held_;                                     // x of the rows that do not vary
  Vector shift_;
  double speedScale_ = 0.0;
};

}  // namespace cairn
