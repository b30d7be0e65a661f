#include <stdexcept>
#include <string>

#include "steppers/soft.hpp"
#include "steppers/stepper.hpp"

namespace cairn {

std::vector<std::string_view> stepperNames() { return {"soft"}; }

std::unique_ptr<Stepper> makeStepper(std::string_view name) {
  if (name == "soft") return std::make_unique<SoftStepper>();
  std::string message = "stepper: there is no \"" + std::string(name) + "\"; known: ";
  for (const std::string_view known : stepperNames()) message += std::string(known) + " ";
  throw std::invalid_argument(message);
}

}  // namespace cairn
