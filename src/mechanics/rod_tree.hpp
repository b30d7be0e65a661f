// Trees of rods on ball joints, which chains and ropes are: the elimination of joint_tree.hpp with what is zero left out.
//
// A rod has an axis n through its centre of mass; all of its joints lie on it, and it is a principal axis. (Links, bars and
// balls on strings are rods; the axis of a ball goes through its joint.) Nothing that happens at the joints turns a rod
// about its axis. So its turning takes two numbers, along e and f with n, e, f at right angles. These swing the end of the
// axis towards -u and -v with u = n x e = f, v = n x f = -e. With a n from the centre to the joint that holds the rod, and S
// the mass that answers from another of its joints, d n from the first,
//
//   A = m a (u v) - d S (u v),   T = T_own + d^2 (u v)^T S (u v)
//
// where T_own does not change as the rod turns. Nor does the geometric stiffness of soft/joint_tree/joint_tree_step.hpp
// change its form: it is the same about e and f. All of this is half as many numbers as for a body of any shape, and comes
// in pairs.
//
// Along a chain every rod waits for the one before it, so what matters is how many operations wait for each other. T is
// factored as U^-1 T U^-T = D without fractions, with T_ee and T_ff on its diagonal and T_ef beside it:
//
//   U^-1 = (1 0; -T_ef T_ee),   D = diag(T_ee, T_ee det T)
//
// so that nothing but D^-1 waits for a division, and all that is to be multiplied by it can be had meanwhile.
#pragma once

#include "math/two.hpp"
#include "mechanics/joint_tree.hpp"

namespace cairn {

struct RodLink {
  RodLink() {}  // NOLINT: nothing is read before it is written
  // As long as a step.
  double reach;   // m, along n: from its centre to the joint that holds it; 0 if nothing does
  double offset;  // m, along the parent's n: from where the parent's twist is taken to the joint
  Two moments;    // kg m^2, about e and f, at the joint that holds it
  double cross;   // kg m^2, between e and f

  // Now, in the world's axes.
  Vec3 n;
  Two x, y, z;  // of u and v

  // Of the elimination. Pairs belong to e and f, or to u and v, but for those of L.
  Two xxXy, xzYz, yyZz;        // L, then S
  Two alongX, alongY, alongZ;  // A, then B D^-1
  Two turning;                 // T on its diagonal
  double turningCross;         // and beside it
  Two inverse;                 // of D
  Two swayX, swayY, swayZ;     // (u v) U^-T
  Cholesky3 root;              // of S, if nothing holds it
};

class RodTree {
 public:
  std::vector<RodLink> rods;  // like the links

  // A rod by itself, with so much stiffness (kg m^2). Parents go before their children, who may then stiffen them further.
  static void place(RodLink& rod, double mass, double stiffness) {
    const Two moment = both(mass * rod.reach);
    rod.xxXy = Two{mass, 0.0};
    rod.xzYz = Two{0.0, 0.0};
    rod.yyZz = both(mass);
    rod.alongX = moment * rod.x;
    rod.alongY = moment * rod.y;
    rod.alongZ = moment * rod.z;
    rod.turning = rod.moments + both(stiffness);
    rod.turningCross = rod.cross;
  }
  static void stiffen(RodLink& rod, double stiffness) { rod.turning += both(stiffness); }

  // As JointTree::factorAndSolve and JointTree::solve do, for rods that are placed. Of the links they take parent, kind and
  // questions.
  void factorAndSolve(std::vector<TreeLink>& links, int questions);
  void solve(std::vector<TreeLink>& links, int questions);

 private:
  template <int kCount, bool kAnew>
  void eliminateAndMove(std::vector<TreeLink>& links);
};

}  // namespace cairn
