#include "mechanics/joint_axis.hpp"

#include <cmath>

#include "mechanics/joint_angles.hpp"
#include "mechanics/joint_frames.hpp"

namespace cairn {

namespace {

using Axes = std::array<JointAxis, kMostJointAxes>;

template <class... Kinds>
struct Overloaded : Kinds... {
  using Kinds::operator()...;
};
template <class... Kinds>
Overloaded(Kinds...) -> Overloaded<Kinds...>;

// Of B's rotation against A's.
JointAxis turnAxis(const Angle& angle, double expected) {
  return {Vec3::Zero(), -angle.gradient, angle.gradient, unwrapped(angle.value, expected), true};
}
JointAxis turnAxis(const Angle& angle) { return {Vec3::Zero(), -angle.gradient, angle.gradient, angle.value, true}; }

JointAxis lengthAxis(const Vec3& armA, const Vec3& armB, const Vec3& gap) {
  const double length = gap.norm();
  // Anchors in the same place have no direction between them; any will do to push them apart.
  const Vec3 d = length > 1e-12 ? Vec3(gap / length) : Vec3(Vec3::UnitZ());
  return {d, -armA.cross(d), armB.cross(d), length, false};
}

// Of one body alone, from a point of the world: `ofB` or of A.
JointAxis worldLength(const Vec3& arm, const Vec3& gap, bool ofB) {
  const double length = gap.norm();
  const Vec3 d = length > 1e-12 ? Vec3(gap / length) : Vec3(Vec3::UnitZ());
  JointAxis axis;
  axis.value = length;
  axis.pullA = d;  // of A: its factor is pullA - linear
  if (ofB) axis.linear = d;
  (ofB ? axis.angularB : axis.angularA) = arm.cross(d);
  return axis;
}

JointAxis worldAngle(const Vec3& axis, const Quat& start, const Quat& now, double expected, bool ofB) {
  const Angle angle = twistAbout(start * axis, now * start.conjugate());
  JointAxis made;
  made.value = unwrapped(angle.value, expected);
  made.turns = true;
  (ofB ? made.angularB : made.angularA) = angle.gradient;
  return made;
}

// An ellipse of half angles c about the two sides: how far out, as an angle about the narrower side.
JointAxis coneAxis(const Swing& swing, const std::array<double, 2>& c) {
  const double narrow = std::min(c[0], c[1]);
  const double x = swing.about[0].value * narrow / c[0], y = swing.about[1].value * narrow / c[1];
  const double f = std::hypot(x, y);
  if (!(f > 1e-9)) return {Vec3::Zero(), Vec3::Zero(), Vec3::Zero(), f, true};
  const Vec3 gradient = (x * narrow / c[0] * swing.about[0].gradient + y * narrow / c[1] * swing.about[1].gradient) / f;
  return turnAxis({f, gradient});
}

}  // namespace

JointAxis sumOf(double first, const JointAxis& a, double second, const JointAxis& b) {
  return {first * a.linear + second * b.linear,
          first * a.angularA + second * b.angularA,
          first * a.angularB + second * b.angularB,
          first * a.value + second * b.value,
          a.turns && b.turns,
          first * a.pullA + second * b.pullA};
}

int axisCount(const JointKind& kind) { return static_cast<int>(jointAxisNames(kind).size()); }

bool isFree(const JointKind& kind, int axis) {
  if (const auto* six = std::get_if<SixDofJoint>(&kind)) return axis < 3 ? !six->holdsTravel[axis] : !six->holdsTurn[axis - 3];
  if (const auto* distance = std::get_if<DistanceJoint>(&kind)) return distance->shortest || distance->longest;
  if (const auto* pulley = std::get_if<PulleyJoint>(&kind)) return axis < 2 || pulley->slack;
  return axis < axisCount(kind);
}

bool countsTurns(const JointKind& kind) {
  return !std::holds_alternative<BallJoint>(kind) && !std::holds_alternative<FixedJoint>(kind) &&
         !std::holds_alternative<DistanceJoint>(kind) && !std::holds_alternative<WheelJoint>(kind) &&
         !std::holds_alternative<SkateJoint>(kind) && !std::holds_alternative<PulleyJoint>(kind) &&
         !std::holds_alternative<SliderJoint>(kind);
}

int jointAxes(const Joint& joint, const Pose& a, const Pose& b, Axes& axes, double elapsed) {
  const auto expected = [&](int i) { return joint.turns[i] + elapsed * joint.turnRates[i]; };
  const JointFrames frames(joint, a, b);
  return std::visit(
      Overloaded{
          [&](const BallJoint&) {
            const Vec3 theta = rotationVector(frames.turn);
            const Mat3 rates = rateOfRotationVector(theta) * a.rotation.conjugate().toRotationMatrix();
            for (int i = 0; i < 3; ++i)
              axes[i] = {Vec3::Zero(), -rates.row(i).transpose(), rates.row(i).transpose(), theta[i], true};
            return 3;
          },
          [&](const HingeJoint& hinge) {
            const Vec3 axis = a.rotation * hinge.axisA;
            const double angle = angleAbout(axis, b.rotation * (a.rotation * joint.rest).conjugate());
            axes[0] = {Vec3::Zero(), -axis, axis, unwrapped(angle, expected(0)), true};
            return 1;
          },
          [&](const FixedJoint&) { return 0; },
          [&](const DistanceJoint&) {
            axes[0] = lengthAxis(frames.armA, frames.armB, frames.gap);
            return 1;
          },
          [&](const WheelJoint&) { return 0; },
          [&](const SkateJoint&) { return 0; },
          [&](const SliderJoint& slider) {
            axes[0] = frames.travel(a.rotation * slider.axisA);
            return 1;
          },
          [&](const CylindricalJoint& joint_) {
            axes[0] = frames.travel(a.rotation * joint_.axisA);
            axes[1] = turnAxis(frames.twist(joint_.axisA), expected(1));
            return 2;
          },
          [&](const UniversalJoint& universal) {
            const auto [first, second] = frames.crossAngles(universal.axisA, universal.axisB);
            axes[0] = turnAxis(first, expected(0));
            axes[1] = turnAxis(second, expected(1));
            return 2;
          },
          [&](const ConeTwistJoint& cone) {
            axes[0] = turnAxis(frames.twist(cone.axisA), expected(0));
            const Vec3 x = a.rotation * cone.sideA, y = a.rotation * cone.axisA.cross(cone.sideA);
            const Swing swing = swingOf(a.rotation * cone.axisA, b.rotation * cone.axisB, x, y);
            axes[1] = turnAxis(swing.about[0]);
            axes[2] = turnAxis(swing.about[1]);
            axes[3] = cone.cone ? coneAxis(swing, *cone.cone) : turnAxis(swing.whole);
            return 4;
          },
          [&](const SuspensionJoint& suspension) {
            const auto [steering, spin] = frames.crossAngles(suspension.axisA, suspension.axisB);
            axes[0] = frames.travel(a.rotation * suspension.axisA);
            axes[1] = turnAxis(steering, expected(1));
            axes[2] = turnAxis(spin, expected(2));
            return 3;
          },
          [&](const PlanarJoint& planar) {
            axes[0] = frames.travel(a.rotation * planar.sideA);
            axes[1] = frames.travel(a.rotation * planar.normalA.cross(planar.sideA));
            axes[2] = turnAxis(frames.twist(planar.normalA), expected(2));
            return 3;
          },
          [&](const GearJoint& gear) {
            axes[0] = worldAngle(gear.axisA, joint.startA.rotation, a.rotation, expected(0), false);
            axes[1] = worldAngle(gear.axisB, joint.startB.rotation, b.rotation, expected(1), true);
            return 2;
          },
          [&](const RackAndPinionJoint& rack) {
            const Vec3 d = joint.startA.rotation * rack.axisA;
            axes[0] = JointAxis{};
            axes[0].pullA = d;
            axes[0].value = d.dot(a.position - joint.startA.position);
            axes[1] = worldAngle(rack.axisB, joint.startB.rotation, b.rotation, expected(1), true);
            return 2;
          },
          [&](const ScrewJoint& screw) {
            axes[0] = frames.travel(a.rotation * screw.axisA);
            axes[1] = turnAxis(frames.twist(screw.axisA), expected(1));
            return 2;
          },
          [&](const PulleyJoint& pulley) {
            axes[0] = worldLength(frames.armA, a.position + frames.armA - pulley.groundA, false);
            axes[1] = worldLength(frames.armB, b.position + frames.armB - pulley.groundB, true);
            axes[2] = sumOf(1.0, axes[0], pulley.ratio, axes[1]);
            return 3;
          },
          [&](const CurveJoint&) {
            const CurvePlace place = frames.onCurve(joint, a, expected(0));
            axes[0] = frames.along(place.tangent);
            axes[0].linear *= place.stretch;
            axes[0].angularA *= place.stretch;
            axes[0].angularB *= place.stretch;
            axes[0].value = place.arc;
            return 1;
          },
          [&](const SixDofJoint& six) {
            for (int i = 0; i < 3; ++i) axes[i] = frames.travel(a.rotation * (six.frameA * Vec3::Unit(i)));
            const int held = static_cast<int>(six.holdsTurn[0]) + static_cast<int>(six.holdsTurn[1]) +
                             static_cast<int>(six.holdsTurn[2]);
            if (held == 2) {
              for (int i = 0; i < 3; ++i)
                axes[3 + i] = turnAxis(frames.twist(six.frameA * Vec3::Unit(i)), expected(3 + i));
              return 6;
            }
            const Quat turn = six.frameA.conjugate() * frames.turn * six.frameA;
            const Vec3 theta = rotationVector(turn);
            const Mat3 rates = rateOfRotationVector(theta) * (a.rotation * six.frameA).conjugate().toRotationMatrix();
            for (int i = 0; i < 3; ++i)
              axes[3 + i] = {Vec3::Zero(), -rates.row(i).transpose(), rates.row(i).transpose(), theta[i], true};
            return 6;
          }},
      joint.kind);
}

void countTurns(Joint& joint, const Body& a, const Body& b, double dt) {
  Axes axes;
  const Pose poseA{a.center, a.rotation}, poseB{b.center, b.rotation};
  if (std::holds_alternative<CurveJoint>(joint.kind)) {
    const JointFrames frames(joint, poseA, poseB);
    const CurvePlace place = frames.onCurve(joint, poseA, joint.turns[0] + dt * joint.turnRates[0]);
    joint.turnRates[0] = dt > 0.0 ? (place.parameter - joint.turns[0]) / dt : 0.0;
    joint.turns[0] = place.parameter;
    return;
  }
  const int count = jointAxes(joint, poseA, poseB, axes, 0.0);
  for (int i = 0; i < count; ++i) {
    if (!axes[i].turns) continue;
    // From where the rates of the step's beginning and end lead: wheels turn by more than a turn in a step.
    const double rate = axes[i].rate(a.velocity, a.spin, b.velocity, b.spin);
    joint.turns[i] = unwrapped(axes[i].value, joint.turns[i] + 0.5 * dt * (joint.turnRates[i] + rate));
    joint.turnRates[i] = rate;
  }
}

void axisRows(const Joint& joint, const AxisEnd& a, const AxisEnd& b, double dt, std::vector<AxisRow>& rows,
              double elapsed) {
  rows.clear();
  if (joint.forces.empty()) return;
  Axes axes;
  const int count = jointAxes(joint, a.pose, b.pose, axes, elapsed);
  for (std::size_t i = 0; i < joint.forces.size() && static_cast<int>(i) < count; ++i) {
    const AxisForces& forces = joint.forces[i];
    const JointAxis& axis = axes[i];
    if (axis.linear.isZero(0.0) && axis.pullA.isZero(0.0) && axis.angularA.isZero(0.0) && axis.angularB.isZero(0.0)) continue;
    const auto add = [&](AxisForce force) -> AxisRow& {
      AxisRow& row = rows.emplace_back();
      row.axis = axis;
      row.force = force;
      row.index = static_cast<int>(i);
      return row;
    };
    // Limits that give: a spring that begins where the axis ends.
    const auto give = [&](AxisRow& row) {
      if (!(forces.limitStiffness > 0.0) || !(dt > 0.0)) return;
      const double sum = dt * (dt * forces.limitStiffness + forces.limitDamping);
      row.compliance = 1.0 / sum;
      row.pull = row.gap > 0.0 ? row.gap / dt : dt * forces.limitStiffness * row.gap / sum;
    };
    if (std::isfinite(forces.lowest)) {
      AxisRow& row = add(AxisForce::LowerLimit);
      row.gap = axis.value - forces.lowest;
      give(row);
    }
    if (std::isfinite(forces.highest)) {
      AxisRow& row = add(AxisForce::UpperLimit);
      row.gap = forces.highest - axis.value;
      row.axis = sumOf(-1.0, axis, 0.0, axis);
      row.axis.turns = axis.turns;
      give(row);
    }
    const auto rateNow = [&] { return axis.rate(a.velocity, a.spin, b.velocity, b.spin); };
    if (forces.hasSpring() && (dt > 0.0 || forces.armature > 0.0)) {
      // impulse = -(h k (x - rest + h u) + h c u + m (u - u0))
      AxisRow& row = add(AxisForce::Spring);
      const double k = forces.springStiffness, sum = dt * (dt * k + forces.springDamping) + forces.armature;
      row.compliance = 1.0 / sum;
      row.pull = (dt * k * (axis.value - forces.springRest) - forces.armature * rateNow()) / sum;
      row.lower = -std::numeric_limits<double>::infinity();
    }
    if (!(dt > 0.0)) continue;
    const auto addBetween = [&](AxisForce force, double most, double speed) -> AxisRow* {
      if (!(most > 0.0)) return nullptr;
      AxisRow& row = add(force);
      row.upper = dt * most;
      row.lower = -row.upper;
      row.speed = speed;
      return &row;
    };
    if (forces.motorKind == MotorKind::Velocity) {
      addBetween(AxisForce::Motor, forces.motorEffort, forces.motorSpeed);
    } else if (forces.motorKind == MotorKind::Position && forces.motorStiffness > 0.0) {
      if (AxisRow* row = addBetween(AxisForce::Motor, forces.motorEffort, 0.0)) {
        const double k = forces.motorStiffness;
        const auto mobility = [](const AxisEnd& end, const Vec3& linear, const Vec3& angular) {
          return end.inverseMass * linear.squaredNorm() + angular.dot(end.inverseInertia * angular);
        };
        const double lightness = mobility(a, axis.pullA - axis.linear, axis.angularA) + mobility(b, axis.linear, axis.angularB);
        const double mass = forces.armature + (lightness > 0.0 ? 1.0 / lightness : 0.0);
        const double c = forces.motorDamping ? *forces.motorDamping : 2.0 * std::sqrt(k * mass);
        const double sum = dt * (dt * k + c);
        row->compliance = 1.0 / sum;
        row->pull = dt * (k * (axis.value - forces.motorTarget) - c * forces.motorSpeed) / sum;
      }
    }
    addBetween(AxisForce::Friction, forces.friction, 0.0);
  }
}

}  // namespace cairn
