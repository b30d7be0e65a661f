#include <stdexcept>
#include <string>

#include "steppers/soft.hpp"
#include "steppers/stepper.hpp"
#include "steppers/velocity.hpp"

namespace cairn {

namespace {

struct Entry {
  std::string_view name;
  bool takesSolver;
  std::unique_ptr<Stepper> (*make)();
};

template <class Method>
std::unique_ptr<Stepper> make() {
  return std::make_unique<Method>();
}

constexpr Entry kSteppers[] = {
    {"soft", false, make<SoftStepper>},
    {"velocity", true, make<VelocityStepper>},
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

std::unique_ptr<Stepper> makeStepper(std::string_view name) {
  for (const Entry& entry : kSteppers)
    if (entry.name == name) return entry.make();
  std::string message = "stepper: there is no \"" + std::string(name) + "\"; known: ";
  for (const std::string_view known : stepperNames()) message += std::string(known) + " ";
  throw std::invalid_argument(message);
}

}  // namespace cairn
