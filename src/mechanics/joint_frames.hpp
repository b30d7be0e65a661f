// Where the two ends of a joint are, and what kinds of joints measure there.
#pragma once

#include "dynamics/joint_curve.hpp"
#include "mechanics/joint_angles.hpp"
#include "mechanics/joint_axis.hpp"

namespace cairn {

struct CurvePlace {
  double parameter = 0.0, arc = 0.0;  // m
  Vec3 off = Vec3::Zero();            // m, from the curve to B's anchor
  Vec3 tangent = Vec3::Zero();        // unit
  double stretch = 1.0;  // how much faster the nearest point moves than B's anchor does along the tangent
};

struct JointFrames {
  JointFrames(const Joint& joint, const Pose& a, const Pose& b)
      : armA(a.rotation * joint.anchorA),
        armB(b.rotation * joint.anchorB),
        gap((b.position - a.position) + armB - armA),
        turn(a.rotation.conjugate() * b.rotation * joint.rest.conjugate()),
        rotationA(a.rotation),
        rotationB(b.rotation),
        rest(joint.rest) {}

  Vec3 armA, armB;  // m, from the centres of mass, world axes
  Vec3 gap;         // m, from A's anchor to B's
  Quat turn;        // of B since the joint was made, in A's axes
  Quat rotationA, rotationB, rest;

  // Velocity of B's anchor along a direction that turns with A, against A.
  JointAxis along(const Vec3& d) const { return {d, -(armA + gap).cross(d), armB.cross(d), 0.0, false}; }
  JointAxis travel(const Vec3& d) const {
    JointAxis axis = along(d);
    axis.value = d.dot(gap);
    return axis;
  }
  Angle twist(const Vec3& axisA) const {
    const Angle angle = twistAbout(axisA, turn);
    return {angle.value, rotationA * angle.gradient};
  }
  // Of axisB about axisA, and of B about axisB: the angles of Cardan's joint.
  std::array<Angle, 2> crossAngles(const Vec3& axisA, const Vec3& axisB) const {
    const Vec3 a = rotationA * axisA, b = rotationB * axisB;
    // Where the other's axis is when both angles are zero: as the joint was made, but across the own one.
    Vec3 x = rest * axisB - axisA.dot(rest * axisB) * axisA;
    x = x.norm() > 1e-6 ? Vec3(x.normalized()) : axisA.unitOrthogonal();
    Vec3 s = rest.conjugate() * axisA - axisB.dot(rest.conjugate() * axisA) * axisB;
    s = s.norm() > 1e-6 ? Vec3(s.normalized()) : axisB.unitOrthogonal();
    const Angle first = azimuth(b, rotationA * x, rotationA * axisA.cross(x));
    // A's axis as B sees it turns the other way.
    const Angle second = azimuth(a, rotationB * s, rotationB * axisB.cross(s));
    return {first, Angle{-second.value, second.gradient}};
  }
  CurvePlace onCurve(const Joint& joint, const Pose& a, double expected) const {
    // Points of the curve are from A's centre of mass, as anchors are.
    const Vec3 point = a.rotation.conjugate() * (armA + gap);
    CurvePlace place;
    place.parameter = joint.curve->nearest(point, expected);
    const JointCurve::Place at = joint.curve->at(place.parameter);
    const double square = at.first.squaredNorm();
    place.arc = joint.curve->arc(place.parameter);
    place.off = a.rotation * (point - at.point);
    place.tangent = a.rotation * at.first.normalized();
    const double bent = square + (at.point - point).dot(at.second);
    place.stretch = bent > 0.1 * square ? square / bent : 1.0;
    return place;
  }
};

}  // namespace cairn
