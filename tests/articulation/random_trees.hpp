// Random articulations with every kind of joint.
#pragma once

#include <random>

#include "cairn/articulation.hpp"
#include "math/rotation.hpp"

namespace cairn::test {

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  double operator()(double low, double high) { return low + (high - low) * (static_cast<double>(engine_()) / 4294967296.0); }
  int below(int count) { return static_cast<int>(engine_() % static_cast<unsigned>(count)); }
  Vec3 vector(double size) { return {(*this)(-size, size), (*this)(-size, size), (*this)(-size, size)}; }
  Vec3 direction() { return (vector(1.0) + Vec3(1e-3, 0.0, 0.0)).normalized(); }
  Vector numbers(Eigen::Index count, double size = 1.0) {
    Vector out(count);
    for (double& one : out) one = (*this)(-size, size);
    return out;
  }

 private:
  std::mt19937 engine_;
};

inline MassProperties randomMass(Random& random) {
  MassProperties mass;
  mass.mass = std::pow(10.0, random(-1.0, 1.0));
  mass.center = random.vector(0.3);
  const double size = 0.1 * mass.mass;
  // Moments of a box, turned.
  const Vec3 s(random(0.3, 1.0), random(0.3, 1.0), random(0.3, 1.0));
  const Vec3 moments = size * Vec3(s.y() + s.z(), s.x() + s.z(), s.x() + s.y());
  mass.inertia = inWorldAxes(rotated(Quat::Identity(), random.vector(2.0)), Mat3(moments.asDiagonal()));
  mass.inertia = 0.5 * (mass.inertia + mass.inertia.transpose()).eval();
  return mass;
}

// `chain`: of 10 that every link's parent is the one before it, 0 to 10.
inline ArticulationDesc randomTree(Random& random, int links, int chain = 5) {
  ArticulationDesc desc;
  desc.base = {random.vector(2.0), rotated(Quat::Identity(), random.vector(2.0))};
  for (int i = 0; i < links; ++i) {
    LinkDesc link;
    link.parent = i == 0 ? -1 : random.below(10) < chain ? i - 1 : random.below(i + 1) - 1;
    link.joint = static_cast<LinkJoint>(random.below(kLinkJoints));
    link.placement = {random.vector(0.5), rotated(Quat::Identity(), random.vector(2.0))};
    if (link.joint != LinkJoint::Free) link.anchor = random.vector(0.3);
    link.axis = random.direction();
    link.secondAxis = link.axis.unitOrthogonal();
    link.massProperties = randomMass(random);
    for (int k = 0; k < degreesOf(link.joint); ++k)
      link.axes.push_back({.armature = random.below(3) == 0 ? random(0.0, 0.5) : 0.0});
    desc.links.push_back(link);
  }
  return desc;
}

inline void setRandomState(Articulation& a, Random& random, double speed = 1.0) {
  Vector q = random.numbers(a.positions(), 1.5);
  for (int i = 0; i < a.links(); ++i) {
    const LinkJoint joint = a.desc().links[static_cast<std::size_t>(i)].joint;
    const int at = a.firstPosition(i) + (joint == LinkJoint::Free ? 3 : 0);
    if (joint == LinkJoint::Free || joint == LinkJoint::Spherical) {
      const Quat turn = rotated(Quat::Identity(), random.vector(2.0));
      q.segment<4>(at) << turn.w(), turn.vec();
    }
  }
  a.setState(q, random.numbers(a.degrees(), speed));
}

}  // namespace cairn::test
