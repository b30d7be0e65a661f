// cairn import as people use it.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "app/command.hpp"

namespace cairn {
namespace {

namespace fs = std::filesystem;

struct Outcome {
  int code;
  std::string out, err;
};
Outcome runImport(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "import");
  std::ostringstream out, err;
  const int code = runCommand(arguments, out, err);
  return {code, out.str(), err.str()};
}
const std::string kData = std::string(CAIRN_SOURCE_DIR) + "/tests/data/robots/";

TEST(ImportCommand, SaysWhatARobotHolds) {
  const Outcome outcome = runImport({kData + "arm.urdf"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "arm (URDF): 5 bodies, 3 joints, 3 degrees of freedom, 4.25 kg, 0 loops; 1 actuators, 0 sensors\n");
  EXPECT_NE(runImport({kData + "arm.urdf", "--base", "floating"}).out.find("9 degrees of freedom"), std::string::npos);
}

TEST(ImportCommand, RefusesWhatIsMissingUnlessAllowed) {
  const fs::path folder = fs::temp_directory_path() / ("cairn_import_" + std::to_string(::getpid()));
  fs::create_directories(folder);
  const std::string file = (folder / "a.xml").string(), report = (folder / "report.json").string();
  std::ofstream(file) << "<mujoco model=\"m\"><worldbody><body name=\"b\"><joint name=\"j\"/><geom size=\"0.1\"/></body></worldbody>"
                         "\n<actuator>\n<muscle name=\"m\" joint=\"j\"/></actuator></mujoco>";
  const Outcome refused = runImport({file, "--report", report});
  EXPECT_EQ(refused.code, 2);
  EXPECT_NE(refused.err.find("missing: " + file + ":3: actuator \"m\": gaintype=\"muscle\""), std::string::npos) << refused.err;
  std::ifstream stream(report);
  std::ostringstream text;
  text << stream.rdbuf();
  for (const char* part : {"\"bodies\": 1", "\"joints\": 1", "\"dofs\": 1", "\"mass_kg\": 4.18879", "\"loops\": 0", "\"line\": 3"})
    EXPECT_NE(text.str().find(part), std::string::npos) << part << " in\n" << text.str();
  EXPECT_EQ(runImport({file, "--allow-missing"}).code, 0);
  fs::remove_all(folder);
}

TEST(ImportCommand, BadFilesAndOptionsAreNamed) {
  const Outcome none = runImport({"/no/such/robot.urdf"});
  EXPECT_EQ(none.code, 2);
  EXPECT_EQ(none.err, "cairn: /no/such/robot.urdf: there is no such file\n");
  const Outcome base = runImport({kData + "arm.urdf", "--base", "loose"});
  EXPECT_EQ(base.code, 2);
  EXPECT_EQ(base.err, "cairn: --base: found \"loose\"; allowed: fixed, floating\n");
}

}  // namespace
}  // namespace cairn
