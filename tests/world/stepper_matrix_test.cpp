// Every stepper takes every trial: it passes, or refuses with a reason, or the trial is among the limits that
// docs/steppers.md lists, with a figure that a run confirms. There is no fourth kind of cell.
#include <fstream>
#include <map>
#include <sstream>

#include "world/stepper_trials.hpp"

namespace cairn::test {
namespace {

using Cell = std::pair<std::string, std::string>;  // stepper, trial

// Rows `| stepper | trial | 0.086 m | ...` of the table of known limits.
std::map<Cell, double> knownLimits() {
  std::map<Cell, double> limits;
  std::ifstream file(CAIRN_SOURCE_DIR "/docs/steppers.md");
  std::string line;
  bool isThere = false;
  while (std::getline(file, line)) {
    if (line.starts_with("## ")) isThere = line == "## Trials";
    if (!isThere || !line.starts_with("| `")) continue;
    std::istringstream cells(line.substr(1));
    std::string stepper, trial, figure;
    std::getline(cells, stepper, '|');
    std::getline(cells, trial, '|');
    std::getline(cells, figure, '|');
    const auto trimmed = [](const std::string& text) {
      const std::size_t first = text.find_first_not_of(" `"), last = text.find_last_not_of(" `");
      return first == std::string::npos ? std::string() : text.substr(first, last - first + 1);
    };
    limits[{trimmed(stepper), trimmed(trial)}] = std::stod(figure);
  }
  return limits;
}

class StepperMatrix : public testing::TestWithParam<std::string_view> {};

TEST_P(StepperMatrix, EachTrialPassesOrIsRefusedOrIsAKnownLimit) {
  constexpr double kLeeway = 3.0;  // of a figure in the docs
  const std::string stepper(GetParam());
  const std::map<Cell, double> limits = knownLimits();
  for (const Trial& trial : stepperTrials()) {
    const TrialResult result = trial.run(stepper);
    const std::string cell = stepper + ", " + trial.name + ": " + std::to_string(result.wrong) + " " + trial.unit;
    const auto limit = limits.find({stepper, trial.name});
    if (!result.refusal.empty()) {
      EXPECT_NE(result.refusal.find(stepper), std::string::npos)
          << cell << ": \"" << result.refusal << "\" names no stepper";
      EXPECT_EQ(limit, limits.end()) << cell << " is refused: it is no known limit";
    } else if (limit == limits.end()) {
      EXPECT_LE(result.wrong, trial.most) << cell << ", and docs/steppers.md lists no such limit";
    } else {
      EXPECT_GT(result.wrong, trial.most) << cell << " passes: it is no known limit any more";
      EXPECT_LT(result.wrong, kLeeway * limit->second) << cell << ", and docs/steppers.md says " << limit->second;
      EXPECT_GT(kLeeway * result.wrong, limit->second) << cell << ", and docs/steppers.md says " << limit->second;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Of, StepperMatrix, testing::ValuesIn(stepperNames()),
                         [](const auto& one) { return std::string(one.param); });

TEST(StepperMatrix, KnownLimitsAreOfTrialsThatThereAre) {
  const std::vector<Trial> trials = stepperTrials();
  const std::vector<std::string_view> steppers = stepperNames();
  for (const auto& [cell, figure] : knownLimits()) {
    EXPECT_NE(std::find(steppers.begin(), steppers.end(), cell.first), steppers.end()) << cell.first;
    EXPECT_TRUE(std::any_of(trials.begin(), trials.end(), [&](const Trial& trial) { return trial.name == cell.second; }))
        << cell.second;
  }
}

}  // namespace
}  // namespace cairn::test
