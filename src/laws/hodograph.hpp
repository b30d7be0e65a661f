// The way of a contact through one impact: Routh's and Keller's hodograph.
//
// While the normal impulse p (N s) grows, positions stand still and the relative velocity v = (v_n, v_t) obeys
//
//   dv/dp = W (1, -mu s),   s = v_t/|v_t|                                 (Keller 1986; STAR §2 on impulse-momentum laws)
//
// so that dv_t/dp = g(s) = W_tn - mu W_tt s depends on the direction of slip only, never on its speed. Hence:
//
//  - Straight pieces. Where g is parallel to s the direction stays; everything is linear in p. Planar impacts consist of
//    such pieces only.
//  - Slip that stops. From v_t = 0 on, the contact sticks if the rate dP_t/dp = -W_tt^-1 W_tn lies in the cone. Otherwise it
//    slides along the one ray with g(s) = c s, c > 0: s(c) = (mu W_tt + c)^-1 W_tn has a length that falls with c, and
//    |s(0)| > 1 says just that sticking is impossible. Either way it stays so: the last piece is straight, and there
//    v_n rises at W_nn - W_nt (W_tt + c/mu)^-1 W_tn, which is positive if W is positive definite. So every impact ends.
//  - Curved pieces. With dp = |v_t| dx the equation becomes dv_t/dx = W_tn |v_t| - mu W_tt v_t: smooth, and of the same
//    shape at every scale, so nothing special happens near |v_t| = 0, which is reached as x grows without end. It is
//    integrated by Taylor series, whose terms follow from those of r = |v_t| by r r = v_t . v_t.
#pragma once

#include <array>

#include "cairn/math.hpp"

namespace cairn {

// At some normal impulse; rows n, t1, t2.
struct HodographPoint {
  Vec3 impulse;       // N s
  Vec3 velocity;      // m/s
  double normalWork;  // J, integral of v_n dp so far: negative while compressing
};

// A piece of the way, over a parameter from 0 to length(): straight or curved.
class HodographPiece {
 public:
  // dP_t/dp = rate throughout; the parameter is the normal impulse (N s) since the start.
  static HodographPiece straight(const Mat3& w, const HodographPoint& start, const Eigen::Vector2d& rate, double length);
  // Slip that turns, by Taylor series; v_t != 0. As long as the series is good to rounding.
  static HodographPiece curved(const Mat3& w, const HodographPoint& start, double friction);

  double length() const { return length_; }
  bool isCurved() const { return curved_; }
  HodographPoint at(double x) const;

 private:
  static constexpr int kOrder = 20;               // of the Taylor series
  using Series = std::array<double, kOrder + 2>;  // lowest power first
  static double sum(const Series& series, double x);

  HodographPoint start_{};
  Mat3 w_ = Mat3::Zero();
  double length_ = 0.0;
  bool curved_ = false;
  Eigen::Vector2d rate_ = Eigen::Vector2d::Zero();
  Series p_{}, t1_{}, t2_{}, work_{};  // curved: what is added to the start
};

class Hodograph {
 public:
  // w = J M^-1 J^T (1/kg), symmetric; velocity before (m/s); friction > 0.
  Hodograph(const Mat3& w, const Vec3& velocity, double friction);

  // The next piece, from where the last one ended. Once slip has stopped, pieces are as long as it takes for v_n to reach
  // twice its present |v_n| and |speed| (m/s), and for p to double; one may ask for ever more of them. An empty piece means
  // that v_n cannot rise any more: W is singular.
  const HodographPiece& next(double speed);

  bool slipStopped() const { return settled_; }        // on the way, or from the beginning
  bool sticks() const { return settled_ && sticks_; }  // and did not start again

 private:
  void settle();
  HodographPiece slide(const HodographPoint& from) const;

  Mat3 w_;
  Vec3 before_;
  double friction_;
  double slipRate_;  // 1/kg, no |dv_t/dp| is larger
  HodographPiece piece_;
  bool settled_ = false, sticks_ = false;
  Eigen::Vector2d settledRate_ = Eigen::Vector2d::Zero();  // dP_t/dp
};

}  // namespace cairn
