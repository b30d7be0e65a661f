// The steppers there are, and what each of them takes.
#include <stdexcept>
#include <string>

#include "mechanics/stepper.hpp"
#include "soft/soft.hpp"
#include "steppers/acceleration/acceleration.hpp"
#include "steppers/features.hpp"
#include "steppers/gauss.hpp"
#include "steppers/hybrid.hpp"
#include "steppers/implicit.hpp"
#include "steppers/impulse/impulse.hpp"
#include "steppers/lcp.hpp"
#include "steppers/penalty.hpp"
#include "steppers/shock.hpp"
#include "steppers/velocity.hpp"

namespace cairn {

namespace {

using F = Feature;

constexpr FeatureBits operator|(F a, F b) { return bit(a) | bit(b); }
constexpr FeatureBits operator|(FeatureBits a, F b) { return a | bit(b); }
constexpr FeatureBits operator|(F a, FeatureBits b) { return bit(a) | b; }

constexpr FeatureBits kBasics = F::Friction | F::Restitution | F::Kinematic | F::Locks;
constexpr FeatureBits kRigidJoints = F::Joints | F::DrivenJoints | F::RollingJoints | F::WorldJoints;
constexpr FeatureBits kJoints = kRigidJoints | F::JointSprings | F::JointElimination | F::JointLimits |
                                F::JointMotors | F::AxisSprings;
constexpr FeatureBits kFrictionLaws = F::StaticFriction | F::EllipticFriction | F::PatchFriction | F::RollingResistance;
constexpr FeatureBits kImpactLaws = F::PoissonImpact | F::StrongeImpact | F::ChatterjeeRuinaImpact;
// Steppers that build contact problems and have them solved.
constexpr FeatureBits kProblems = kBasics | kJoints | kFrictionLaws | F::ContactStiffness;

struct Entry {
  std::string_view name;
  bool takesSolver;
  FeatureBits takes;
  std::unique_ptr<Stepper> (*make)();
};

template <class Method>
std::unique_ptr<Stepper> make() {
  return std::make_unique<Method>();
}

constexpr Entry kSteppers[] = {
    {"soft", false, kBasics | kJoints | F::ContactStiffness | F::Articulations, make<SoftStepper>},
    {"velocity", true, kProblems | F::Articulations, make<VelocityStepper>},
    {"lcp", true, kProblems | F::Articulations, make<LcpStepper>},
    {"shock", true, kBasics | kJoints | F::EllipticFriction, make<ShockStepper>},
    {"acceleration", true, kBasics | kRigidJoints | kImpactLaws, make<AccelerationStepper>},
    {"impulse", false, kBasics | kImpactLaws, make<ImpulseStepper>},
    {"hybrid", true, kBasics | kImpactLaws | kJoints, make<HybridStepper>},
    {"penalty", true,
     kBasics | F::ContactStiffness | kRigidJoints | F::JointSprings | F::JointLimits | F::JointMotors | F::AxisSprings,
     make<PenaltyStepper>},
    {"gauss", false, F::Restitution | F::Kinematic | F::Locks | kRigidJoints | F::JointElimination | F::JointLimits,
     make<GaussStepper>},
    {"implicit", true, kProblems, make<ImplicitStepper>},
};

}  // namespace

std::vector<std::string_view> stepperNames() {
  std::vector<std::string_view> names;
  for (const Entry& entry : kSteppers) names.push_back(entry.name);
  return names;
}

bool stepperTakesSolver(std::string_view stepper) {
  for (const Entry& entry : kSteppers)
    if (entry.name == stepper) return entry.takesSolver;
  return false;
}

FeatureBits featuresOf(std::string_view stepper) {
  for (const Entry& entry : kSteppers)
    if (entry.name == stepper) return entry.takes;
  return 0;
}

std::string steppersWith(FeatureBits features) {
  std::string names;
  for (const Entry& entry : kSteppers)
    if ((entry.takes & features) == features) names += (names.empty() ? "" : ", ") + std::string(entry.name);
  return names;
}

std::unique_ptr<Stepper> makeStepper(std::string_view name) {
  for (const Entry& entry : kSteppers)
    if (entry.name == name) return entry.make();
  std::string message = "stepper: there is no \"" + std::string(name) + "\"; known: ";
  for (const std::string_view known : stepperNames()) message += std::string(known) + " ";
  throw std::invalid_argument(message);
}

}  // namespace cairn
