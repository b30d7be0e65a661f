// Robot files with random damage: each is read or refused with a file and a message, and no number that comes out is not one.
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "import/robot/read_robot.hpp"

namespace cairn {
namespace {

namespace fs = std::filesystem;

const fs::path kFolder = fs::path(CAIRN_SOURCE_DIR) / "tests" / "data" / "robots";

std::string contents(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

class Damage {
 public:
  explicit Damage(unsigned seed) : random_(seed) {}

  std::string apply(std::string text) {
    for (int n = 1 + below(4); n > 0 && text.size() > 8; --n) once(text);
    return text;
  }

 private:
  std::size_t below(std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random_); }

  void once(std::string& text) {
    static const char* kWords[] = {"nan", "inf",  "-1",     "0",    "1e308", "-1e-308", "1 2 3 4 5 6 7 8 9", "",     "\"",  "<",
                                   "/>",  "</a>", "&#x0;", "true", "world", "\xff\xfe", "99999999999999999", "body", "mesh"};
    const std::size_t at = below(text.size());
    const std::size_t length = std::min(text.size() - at, 1 + below(30));
    switch (below(6)) {
      case 0:
        text[at] = static_cast<char>(below(256));
        break;
      case 1:
        text.erase(at, length);
        break;
      case 2:
        text.insert(below(text.size()), text.substr(at, length));
        break;
      case 3:
        text.insert(at, kWords[below(std::size(kWords))]);
        break;
      case 4: {  // another value between quotes
        const std::size_t open = text.find("=\"", at);
        const std::size_t close = open == std::string::npos ? open : text.find('"', open + 2);
        if (close != std::string::npos) text.replace(open + 2, close - open - 2, kWords[below(std::size(kWords))]);
        break;
      }
      default: {  // an element twice
        const std::size_t open = text.find('<', at);
        const std::size_t close = open == std::string::npos ? open : text.find("/>", open);
        if (close != std::string::npos) text.insert(open, text.substr(open, close + 2 - open));
      }
    }
  }

  std::mt19937 random_;
};

bool isFinite(const RobotModel& model) {
  bool finite = true;
  const auto check = [&](const auto& m) { finite = finite && m.allFinite(); };
  for (const RobotBody& body : model.bodies) {
    check(body.pose.position), check(body.pose.rotation.coeffs()), check(body.mass.center), check(body.mass.inertia);
    finite = finite && std::isfinite(body.mass.mass);
  }
  for (const RobotJoint& joint : model.joints) {
    check(joint.axis), check(joint.anchor);
    finite = finite && std::isfinite(joint.stiffness) && std::isfinite(joint.damping) && std::isfinite(joint.reference);
  }
  for (const RobotGeom& geom : model.geoms) check(geom.pose.position), check(geom.pose.rotation.coeffs()), check(geom.size);
  for (const RobotActuator& actuator : model.actuators)
    finite = finite && std::isfinite(actuator.scale) && std::isfinite(actuator.offset) && std::isfinite(actuator.damping);
  return finite;
}

void fuzz(const std::vector<std::string>& texts, const std::string& end, int rounds) {
  const fs::path file = fs::temp_directory_path() / ("cairn_fuzz_" + std::to_string(::getpid()) + end);
  Damage damage(20240717);
  int read = 0, refused = 0;
  for (int round = 0; round < rounds; ++round) {
    const std::string text = damage.apply(texts[round % texts.size()]);
    fs::remove(file);  // a new file: writing over an old one waits for the disk
    std::ofstream(file, std::ios::binary) << text;
    try {
      const RobotModel model = readRobot(file.string());
      ++read;
      if (!isFinite(model)) {
        ADD_FAILURE() << "round " << round << ": a number that is not finite came out of\n" << text;
        break;
      }
    } catch (const RobotFileError& error) {
      ++refused;
      EXPECT_EQ(error.place().file, file.string());
      EXPECT_FALSE(error.message().empty());
    } catch (const std::exception& error) {
      ADD_FAILURE() << "round " << round << ": " << error.what() << "\n" << text;
      break;
    }
  }
  fs::remove(file);
  // The damage is neither harmless nor always deadly.
  EXPECT_GT(read, rounds / 20);
  EXPECT_GT(refused, rounds / 20);
}

// CAIRN_FUZZ_ROUNDS: more of them, for a longer run.
int rounds(int otherwise) {
  const char* text = std::getenv("CAIRN_FUZZ_ROUNDS");
  return text ? std::atoi(text) : otherwise;
}

TEST(RobotFuzz, DamagedMjcf) {
  std::vector<std::string> texts;
  for (const char* name : {"orientation", "masses", "compiler", "from_geoms", "classes", "frames", "actuators", "constraints"})
    texts.push_back(contents(kFolder / (std::string(name) + ".xml")));
  fuzz(texts, ".xml", rounds(1600));
}

TEST(RobotFuzz, DamagedUrdf) {
  fuzz({contents(kFolder / "arm.urdf"), contents(kFolder / "gripper.urdf")}, ".urdf", rounds(800));
}

TEST(RobotFuzz, DamagedSdf) { fuzz({contents(kFolder / "arm.sdf")}, ".sdf", rounds(800)); }

}  // namespace
}  // namespace cairn
